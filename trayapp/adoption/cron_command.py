"""The command of a foreign cron line as a `command` effect that does the same, whoever starts it.

What cron adds on its way is said in the job: the folder, PATH, the variables that the table
sets above the line, the shell. Variables that the table sets only further down would reach
our lines and never reached this one: they are set empty.
"""

from __future__ import annotations

import os
import re
import shlex

from trayapp.errors import TriggerError
from trayapp.job.model import CommandEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trayapp.trigger.crontab_table import Setting

DEFAULT_PATH = "/usr/bin:/bin"  # crontab(5)
_DEFAULT_SHELL = "/bin/sh"
_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh")
_TIMEOUT_S = 72 * 3600.0  # cron has no limit; a job that hangs for three days is no longer at work
# cron's own: they say where mail goes and when lines fire, and no command asks for them.
_OF_CRON = frozenset(
    ("MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING", "CRON_TZ", "RANDOM_DELAY", "START_HOURS_RANGE")
)
_FIXED = frozenset(("LOGNAME", "USER"))  # cron does not let a table change them
_VARIABLE = re.compile(r"\$(?:\{(\w+)|(\w+))", re.ASCII)
_PLAIN_WORD = r"""(?:[\w@%+=:,./-]|'[^']*'|"[^"$`\\!]*")+"""
_PLAIN = re.compile(rf"{_PLAIN_WORD}(?:[ \t]+{_PLAIN_WORD})*")
# Words that a shell takes for itself, or does otherwise than a program of that name.
_NO_PROGRAMS = re.compile(
    r"[.:[]|alias|bg|break|builtin|case|cd|command|continue|declare|do|done|elif|else|esac|eval|exec|exit|export|fc|fg"
    r"|fi|for|function|getopts|hash|if|in|jobs|let|local|read|readonly|return|select|set|shift|source|test|then|time"
    r"|times|trap|type|typeset|ulimit|umask|unalias|unset|until|wait|while"
)
_PLACEHOLDER = re.compile(r"(?<!\$)\{(start|end|key)\}")


def read_command(raw: bytes) -> str:
    r"""Command of a line as its shell gets it: `\%` is a percent sign.

    Raises: TriggerError `adopt-percent`, `adopt-backslashes`, `adopt-carriage-return`, `adopt-not-utf8`.
    """
    try:
        command = raw.decode()
    except UnicodeDecodeError as error:
        raise TriggerError("adopt-not-utf8") from error
    if "\r" in command:
        raise TriggerError("adopt-carriage-return")
    if "\\\\" in command:  # Debian's cron makes one of them, cronie none
        raise TriggerError("adopt-backslashes")
    if re.search(r"(?<!\\)%", command):
        raise TriggerError("adopt-percent")
    return command.replace("\\%", "%")


def command_effect(command: str, above: Sequence[Setting], below: Sequence[Setting], home: str) -> CommandEffect:
    """Effect that does *command* as cron does it below the settings *above*; *home* is the account's folder.

    Raises: TriggerError `adopt-unexpanded`, `adopt-own-variable`, `adopt-not-utf8`, `adopt-home`.
    """
    variables = {one.name: one.value for one in above}
    _check_variables(command, variables)
    folder = variables.get("HOME", home)
    if not os.path.isabs(folder):
        raise TriggerError("adopt-home", value=folder)
    shell, path = variables.get("SHELL", _DEFAULT_SHELL), variables.get("PATH", DEFAULT_PATH)
    env = {name: value for name, value in variables.items() if name not in _OF_CRON | _FIXED | {"PATH"}}
    leaking = {one.name for one in below} - variables.keys() - _OF_CRON - _FIXED - {"PATH", "SHELL", "HOME"}
    argv, text = _words(command, shell, path, folder)
    return CommandEffect(
        argv=argv,
        shell=text,
        cwd=folder,
        env=(*env.items(), *((name, "") for name in sorted(leaking))),
        path=path,
        timeout_s=_TIMEOUT_S,
    )


def _check_variables(command: str, variables: Mapping[str, str]) -> None:
    used = {name for pair in _VARIABLE.findall(command) for name in pair if name} | {"PATH", "HOME", "SHELL"}
    for name, value in variables.items():
        if name in used and _VARIABLE.search(value):
            raise TriggerError("adopt-unexpanded", name=name, value=value)
        if name.startswith("BIRKEZ_"):
            raise TriggerError("adopt-own-variable", name=name)
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise TriggerError("adopt-not-utf8") from error


def _words(command: str, shell: str, path: str, folder: str) -> tuple[tuple[str, ...], str]:
    """`argv` or `shell` of the effect: a shell comes in where the command needs one, and as the one that cron takes."""
    escaped = _PLACEHOLDER.sub(r"{{\1}}", command)
    if os.path.basename(shell) in _SHELLS and _PLAIN.fullmatch(command.strip(" \t")):
        words = tuple(shlex.split(command))
        if "=" not in words[0] and not _NO_PROGRAMS.fullmatch(words[0]) and not _is_bare_script(words[0], path, folder):
            return tuple(_PLACEHOLDER.sub(r"{{\1}}", word) for word in words), ""
    return ((), escaped) if shell == _DEFAULT_SHELL else ((shell, "-c", escaped), "")


def _is_bare_script(program: str, path: str, folder: str) -> bool:
    """Tell whether *program* is a script without `#!`: the system does not start it, a shell does."""
    places = [folder] if "/" in program else path.split(os.pathsep)
    for place in places:
        try:
            with open(os.path.join(place, program), "rb") as file:
                head = file.read(512)
        except OSError:  # not here, or a program that may be started and not read
            continue
        return not head.startswith(b"#!") and b"\0" not in head
    return False
