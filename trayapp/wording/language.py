"""Which of the two languages people read, and its catalogue.

English sentences are the keys of the catalogue, so English needs no file and a broken
installation still has words. Only `LC_ALL`, `LC_MESSAGES`, `LANGUAGE` and `LANG` are
looked at, never `locale.setlocale`: that would change number formats and case rules of
the whole process.

Who gives no hint gets Turkish: Birkez was made for Turkish offices, and cron and launchd
start programs under the C locale there as everywhere. A person who set any other
language than Turkish gets English.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import gettext
    from collections.abc import Mapping
    from typing import Literal

    Language = Literal["tr", "en"]

LANGUAGES: tuple[Language, ...] = ("tr", "en")
_DOMAIN = "birkez"
_LANG_TURKISH = 0x1F  # primary language of a Windows LANGID, its lowest ten bits (winnt.h)


class _Spoken:
    """What `speak` chose for this process."""

    language: Language | None = None
    catalogue: gettext.NullTranslations | None = None


_spoken = _Spoken()


def choose_language(settings_language: str | None, environ: Mapping[str, str]) -> Language:
    """Language of the settings, else of the environment, else of the desktop, else Turkish.

    As in POSIX the first of LC_ALL, LC_MESSAGES and LANG that is not empty decides; as in
    GNU gettext LANGUAGE goes before it, unless it names the C locale.
    """
    if settings_language in LANGUAGES:
        return "tr" if settings_language == "tr" else "en"
    names = (environ.get(variable) for variable in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale_language = _language_part(next(filter(None, names), ""))
    if locale_language:
        wishes = [*map(_language_part, environ.get("LANGUAGE", "").split(":")), locale_language]
        return _nearest(next(filter(None, wishes)))
    return _nearest(_desktop_language() or "tr")


def _language_part(locale_name: str) -> str:
    """Take `tr` from `tr_TR.UTF-8`; nothing from the C locale, which is no language."""
    language = locale_name.replace("-", "_").split(".")[0].split("@")[0].split("_")[0].lower()
    return "" if language in ("c", "posix") else language


def _nearest(language: str) -> Language:
    return "tr" if language == "tr" else "en"


def _desktop_language() -> str:
    """Language that the person chose for the desktop, where the system keeps it elsewhere."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415  # 10 ms that only Windows pays

        return "tr" if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _LANG_TURKISH else "en"
    if sys.platform == "darwin":
        return _first_apple_language(os.path.expanduser("~/Library/Preferences/.GlobalPreferences.plist"))
    return ""


def _first_apple_language(preferences: str) -> str:
    """First of `AppleLanguages`, empty when it cannot be read: the choice is only a courtesy."""
    import plistlib  # noqa: PLC0415  # only macOS, and only without a locale

    try:
        with open(preferences, "rb") as file:
            languages = plistlib.load(file).get("AppleLanguages")
    except (OSError, ValueError, AttributeError):
        return ""
    return _language_part(str(languages[0])) if isinstance(languages, list) and languages else ""


def speak(language: Language) -> None:
    """Show everything in *language* from now on. A catalogue that is missing leaves English."""
    import gettext  # noqa: PLC0415  # imports re; who never shows a sentence need not pay

    from trayapp import places  # noqa: PLC0415  # as above

    _spoken.language = language
    _spoken.catalogue = gettext.translation(
        _DOMAIN,
        os.path.join(places.resources_dir(), "locale"),
        languages=[language],
        fallback=True,
    )


def spoken_language() -> Language:
    """Language that `speak` was given; without it, that of the settings and the environment."""
    if _spoken.language is None:
        speak(choose_language(_language_of_settings(), os.environ))
    return _spoken.language or "en"


def _language_of_settings() -> str:
    from trayapp.errors import BirkezError  # noqa: PLC0415  # only a process that nobody told its language
    from trayapp.places import find_places  # noqa: PLC0415  # as above
    from trayapp.settings import read_settings  # noqa: PLC0415  # as above

    try:
        return read_settings(find_places()).language
    except BirkezError:
        return ""  # broken settings are told by those who need them; a sentence must come out all the same


def _(text: str) -> str:
    """Translate *text* into the spoken language."""
    return _catalogue().gettext(text) if text else ""  # gettext answers "" with its own header


def ngettext_(one: str, many: str, n: int) -> str:
    """Translate the form that fits *n* things."""
    return _catalogue().ngettext(one, many, n)


def _catalogue() -> gettext.NullTranslations:
    spoken_language()
    catalogue = _spoken.catalogue
    assert catalogue is not None  # speak() has just set it
    return catalogue
