"""Text without secrets, and without who and where: for a file that a stranger reads."""

from __future__ import annotations

import os
import re
import socket
import sys

from trayapp.job.confidential import is_secret_name, scrubbed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_EVERYBODY = frozenset(("root", "admin", "administrator", "user", "users", "public", "localhost", "birkez"))
_SID = re.compile(r"\bS-1-5-21-[\d-]+")
_MAIL = re.compile(r"\b[\w.+-]+@([\w-]+\.)+\w{2,}")
_OF_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s@]*:([^/\s@]+)@", re.IGNORECASE)


class Anonymous:
    """Takes secrets, home folder, user, computer and mail addresses out of text.

    *secrets* are words that are known to be secret wherever they stand, such as those of the job
    files; what the environment of this process holds under a secret's name joins them.
    """

    def __init__(self, secrets: Iterable[str], environment: Mapping[str, str] | None = None) -> None:
        environment = os.environ if environment is None else environment
        self._secrets = frozenset((*secrets, *_secrets_of(environment)))
        self._names: list[tuple[re.Pattern[str], str]] = [
            (re.compile(re.escape(home) + r"(?![\w.-])", re.IGNORECASE if sys.platform == "win32" else 0), "~")
            for home in _homes()
        ]
        for name, stand_in in ((_user(environment), "<user>"), (socket.gethostname().partition(".")[0], "<computer>")):
            if len(name) > 2 and name.lower() not in _EVERYBODY:  # noqa: PLR2004  # shorter ones are in every word
                self._names.append((re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE), stand_in))

    def __call__(self, text: str) -> str:
        """*text* as a stranger may read it."""
        text = scrubbed(text, self._secrets)
        for name, stand_in in self._names:
            text = name.sub(stand_in, text)
        return _SID.sub("<sid>", _MAIL.sub("<mail>", text))

    def within(self, value: object) -> object:
        """A value for JSON with each text in it so."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {name: self.within(inner) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.within(inner) for inner in value]
        return value if isinstance(value, int | float | None) else self(str(value))


def _secrets_of(environment: Mapping[str, str]) -> Iterable[str]:
    for name, value in environment.items():
        if is_secret_name(name) and name.upper() not in ("PWD", "OLDPWD"):
            yield value
        yield from _OF_ADDRESS.findall(value)


def _homes() -> list[str]:
    homes = {os.path.expanduser("~"), os.path.realpath(os.path.expanduser("~"))}
    homes |= {home.replace("\\", "/") for home in homes}
    return sorted((home for home in homes if len(home) > 1), key=len, reverse=True)


def _user(environment: Mapping[str, str]) -> str:
    import getpass  # noqa: PLC0415  # rare

    try:
        return environment.get("USERNAME") or environment.get("USER") or getpass.getuser()
    except (OSError, KeyError, ImportError):  # a number without a name, as in a container
        return ""
