"""The environment that a command finds, and the words it is started with.

A command must not notice that a packaged application started it, nor that cron gave it
the C locale; it must find the period and the key that it works for.
"""

from __future__ import annotations

import os
import sys

from trayapp.clock import format_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.effect.unit import Unit
    from trayapp.job.model import CommandEffect

# PyInstaller and AppImage put their own folders first and keep what was there before.
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "LIBPATH")
# With these a command would load the application's libraries, plugins or modules.
_APPLICATION_OWN = (
    "APPDIR", "APPIMAGE", "ARGV0", "OWD",
    "PYTHONHOME", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__",
    "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH",
)  # fmt: skip
_APPLICATION_OWN_PREFIXES = ("_MEIPASS", "_PYI_", "PYINSTALLER_")
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")  # by precedence, locale(7)


def placeholders(unit: Unit) -> dict[str, str]:
    """Values of `{start}`, `{end}` and `{key}`; instants as `2026-09-04T10:00:00Z`."""
    return {"start": format_instant(unit.window.start), "end": format_instant(unit.window.end), "key": unit.key}


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Put *values* in the place of `{start}`, `{end}` and `{key}`.

    Any other brace is the command's own (`awk '{print}'`) and stays, and so does a shell's
    `${start}`. `{{start}}` is the way to write `{start}` itself.
    """
    for name, value in values.items():
        placeholder = "{" + name + "}"
        filled, *rest = text.split(placeholder)
        for piece in rest:
            if filled.endswith("$"):
                filled += placeholder + piece
            elif filled.endswith("{") and piece.startswith("}"):
                filled = filled[:-1] + placeholder + piece[1:]
            else:
                filled += value + piece
        text = filled
    return text


def command_environment(effect: CommandEffect, unit: Unit, inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment for one unit: *inherited*, cleaned, then what the job sets, then `BIRKEZ_…`."""
    environment = clean_environment(effect, inherited)
    values = placeholders(unit)
    environment.update(
        BIRKEZ_START=values["start"],
        BIRKEZ_END=values["end"],
        BIRKEZ_KEY=unit.key,
        BIRKEZ_JOB=unit.job,
        BIRKEZ_RUN=unit.run,
    )
    return environment


def clean_environment(effect: CommandEffect, inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment without what is the application's own, and with what the job sets."""
    environment = _without_application(inherited)
    own = {name.upper() if sys.platform == "win32" else name: value for name, value in effect.env}
    environment.update(own)
    if effect.path:
        environment["PATH"] = effect.path
    if not any(name in own for name in _LOCALE):
        _speak_utf8(environment, effect.encoding)
    return environment


def scheduler_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment that this system's scheduler starts programs with, for a person whose own is *inherited*.

    cron gives what crontab(5) lists, launchd what launchd.plist(5) does without keys of a
    job's own; Task Scheduler starts with the account's whole environment.
    """
    if sys.platform == "win32":
        return dict(inherited)
    kept = ("HOME", "LOGNAME") if sys.platform != "darwin" else ("HOME", "LOGNAME", "USER", "TMPDIR")
    environment = {name: inherited[name] for name in kept if name in inherited}
    path = "/usr/bin:/bin:/usr/sbin:/sbin" if sys.platform == "darwin" else "/usr/bin:/bin"
    return {**environment, "SHELL": "/bin/sh", "PATH": path}


def tag_of(unit: Unit) -> tuple[str, str]:
    """Variables by which a descendant of this unit's command is known, wherever it went.

    The key belongs to it: a daemon that an earlier unit of the same run left behind is
    none of this one's.
    """
    return f"BIRKEZ_RUN={unit.run}", f"BIRKEZ_KEY={unit.key}"


def _without_application(inherited: Mapping[str, str]) -> dict[str, str]:
    own_folders = [folder for folder in (getattr(sys, "_MEIPASS", ""), inherited.get("APPDIR", "")) if folder]
    environment = {
        name: value
        for name, value in inherited.items()
        if name not in _APPLICATION_OWN and not name.startswith(_APPLICATION_OWN_PREFIXES)
    }
    if own_folders:
        environment.pop("PYTHONPATH", None)
    for name in _LIBRARY_PATHS:
        original = environment.pop(name + "_ORIG", None)
        folders = environment.pop(name, "") if original is None else original
        kept = [folder for folder in folders.split(os.pathsep) if folder and not _is_inside(folder, own_folders)]
        if kept:
            environment[name] = os.pathsep.join(kept)
    return environment


def _is_inside(folder: str, own_folders: list[str]) -> bool:
    # `_MEI` + random letters is where PyInstaller's onefile programs unpack themselves.
    return any(folder.startswith(own) for own in own_folders) or "/_MEI" in folder.replace("\\", "/")


def _speak_utf8(environment: dict[str, str], encoding: str) -> None:
    if sys.platform == "win32":
        # Python writes to a pipe in the ANSI code page there; nothing else asks a variable.
        if not encoding and "PYTHONUTF8" not in environment:
            environment.setdefault("PYTHONIOENCODING", "utf-8")
        return
    deciding = next((name for name in _LOCALE if environment.get(name)), "LC_CTYPE")
    if environment.get(deciding, "C") in ("C", "POSIX"):
        # LC_ALL=C is replaced and not dropped, or LANG would begin to count: only the
        # encoding changes. macOS has no C.UTF-8, but a bare UTF-8 for LC_CTYPE.
        variable = "LC_ALL" if deciding == "LC_ALL" else "LC_CTYPE"
        on_mac = "UTF-8" if variable == "LC_CTYPE" else "en_US.UTF-8"
        environment[variable] = on_mac if sys.platform == "darwin" else "C.UTF-8"
