"""The name of an item's target, and which ids can have none.

What is refused is refused on every system alike, so that a list means the same wherever it
is worked through; Windows alone adds the letters that it keeps for itself.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata

from trayapp.errors import EffectError

OWN_FOLDER = ".birkez"  # beside the targets: claims, and what is not whole yet
_LONGEST_NAME = 255  # bytes; ext4, APFS and NTFS agree so far (NTFS counts letters)
_PORTS = tuple(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
_DEVICE_LETTERS = 7  # of the longest device
_WIN32_LETTERS = frozenset('<>:"|?*')
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,120}").fullmatch


def fold(name: str) -> str:
    """Name as a folder takes it in which `A` and `a` are one file."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_plain(item: str) -> bool:
    """Tell, by one quick look, that nothing about *item* needs a closer one."""
    return _PLAIN(item) is not None and (len(item) > _DEVICE_LETTERS or item.lower() not in _DEVICES)


def refuse(place: str, line: int, item: str, name: str, whole: str = "") -> EffectError | None:
    """Why *item*, whose target would be called *name*, gets none; None where it can have one.

    *whole* is all that its line holds.
    """
    code = "item-not-utf8" if item.strip() and not _is_utf8(whole) else fault_of(item, name)
    return EffectError(code, place=place, line=line, item=item) if code is not None else None


def fault_of(item: str, name: str) -> str | None:  # noqa: PLR0911  # one for each way to be no name
    """Code of what keeps *item* from a target called *name*, None where nothing does."""
    if not item.strip():
        return "item-empty"
    if not _is_utf8(item + name):
        return "item-not-utf8"
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in item + name):
        return "item-control-character"
    if item in (".", "..") or "/" in item + name or "\\" in item + name:
        return "item-leaves-folder"
    if item[-1] in ". " or name[-1] in ". ":  # Windows drops them, and the file would be another's
        return "item-dot-at-end"
    if any(part.split(".")[0].rstrip(" ").lower() in _DEVICES for part in (item, name)):
        return "item-device-name"
    if sys.platform == "win32" and not _WIN32_LETTERS.isdisjoint(name):
        return "item-forbidden-letter"
    if len(name.encode()) > _LONGEST_NAME:
        return "item-too-long"
    return "item-own-folder" if fold(name) == OWN_FOLDER else None


def _is_utf8(text: str) -> bool:
    """Tell whether *text* holds none of the stand-ins for bytes that are no UTF-8."""
    return text.isascii() or not any(0xD800 <= ord(letter) < 0xE000 for letter in text)  # noqa: PLR2004  # surrogates


def folds_case(folder: str) -> bool:
    """Tell whether *folder* takes capital and small letters for the same, by the first name in it that has any.

    Where there is none, it is taken for what the system's folders are as a rule.
    """
    try:
        with os.scandir(folder) as entries:
            name = next((entry.name for entry in entries if _has_cased_ascii(entry.name)), "")
    except OSError:
        name = ""  # not there yet; whatever else ails it is told by whoever works in it
    if not name:
        return sys.platform in ("win32", "darwin")
    try:
        return os.path.samefile(os.path.join(folder, name), os.path.join(folder, name.swapcase()))
    except OSError:
        return False  # there is no such name


def _has_cased_ascii(name: str) -> bool:
    return name.isascii() and name.swapcase() != name  # of other letters systems think differently
