"""What may be secret in a job file and in free text, and the same without it.

In the environment and the headers of a job each value goes that is not known to be harmless;
elsewhere what looks like a password, a token or an address with one. Nothing here can know a
word that looks like any other, such as a password that is a command's second word: whoever
hands a file on is told what is in it.
"""

from __future__ import annotations

import re
from typing import Any

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TAKEN_OUT = "***"

_CONTAINS = (
    r"passw(?:or)?d|passphrase|passcode|pwd|token|secret|api[-_]?key|access[-_]?key|private[-_]?key|credential"
    r"|authorization|cookie|signature|session[-_]?id|şifre|sifre|parola"
)
_WHOLE = r"pass|auth|sig|pin|pw|key"  # as a part of their own: PASS and SMTP_PASS, but neither compass nor keyboard
_NAME = rf"(?:[\w.-]*(?:{_CONTAINS})[\w.-]*|(?:[\w.-]*[-_.])?(?:{_WHOLE})(?:[-_.][\w.-]*)?)"
_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s&;,"']+)"""
_SECRET_NAME = re.compile(rf"-*{_NAME}", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{\w+\}|\$\{?\w+\}?|%\w+%|")
_OPTION = re.compile(rf"--?{_NAME}", re.IGNORECASE)
_USER = frozenset(("-u", "--user", "--proxy-user"))
_PACKERS = re.compile(r"(?i)\b(?:mysql\w*|mariadb[\w-]*|sshpass|7z\w*|zip|unzip|rar|unrar)(?:\.exe)?\b")
_PACKERS_OPTION = re.compile(r"(?<!\S)(-[pP])\s*\S+")

# Each with what stays of it; in this order, since a header holds words that are also pairs.
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), ""),
    (re.compile(r"""(?i)([a-z][a-z0-9+.-]*://)[^/\s"'<>]*@"""), r"\1***@"),
    (re.compile(rf"(?i)((?<![\w.-])[\w-]*(?:{_CONTAINS})[\w-]*\s*:\s+)[^\"'\r\n]+"), r"\1***"),
    (re.compile(r"(?i)\b((?:bearer|basic|digest|negotiate)\s+)[a-z0-9+/=._~-]{6,}"), r"\1***"),
    (re.compile(rf"(?i)(?<![\w.-])({_NAME}[\"']?\s*[=:]\s*){_VALUE}"), r"\1***"),
    (re.compile(rf"(?i)(?<!\S)(--?{_NAME}\s+)(?!--){_VALUE}"), r"\1***"),
    (re.compile(rf"(?i)([\"']--?{_NAME}[\"']\s*,\s*){_VALUE}"), r"\1***"),  # of a list, as Python and JSON write it
    (re.compile(r"(?<!\S)((?:-u|--user|--proxy-user)(?:\s+|=))\S*:\S+"), r"\1***"),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), "***"),
    (re.compile(r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|AIza|eyJ)[\w.-]{16,}"), "***"),
    # Long and mixed: chance made it. A digest goes, too.
    (re.compile(r"(?<![\w+/=-])(?=(?:[^\W\d_]*\d){3})(?=(?:\d*[^\W\d_]){3})[A-Za-z0-9+]{24,}=*"), "***"),
)
_BETWEEN_WORDS = re.compile(r"""[\s"'=&:@/?;,]+""")
_HARMLESS_VARIABLES = frozenset(
    ("lang", "language", "tz", "path", "home", "term", "tmpdir", "temp", "tmp", "pwd", "shell", "display")
)
_HARMLESS_STARTS = ("lc_", "python")
_HARMLESS_HEADERS = frozenset(("accept", "accept-encoding", "accept-language", "content-type", "user-agent"))
# Strings and comments of TOML; what is none of them cannot hold a #.
_TOML = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'|#[^\r\n]*", re.DOTALL
)
_IN_COMMENT = re.compile(rf"(?i)(?<![\w-])(?:{_CONTAINS}|{_WHOLE})")


class Cleaned(NamedTuple):
    """A job file without secrets: in *text*, each value of *taken* (keys with dots) holds `TAKEN_OUT`.

    *words* are the words that are gone, to find them again in a log.
    """

    text: str
    taken: tuple[str, ...]
    words: frozenset[str]


def without_secrets(text: str) -> Cleaned:
    """Text of a TOML file without what may be secret; all else stays as it was written.

    Raises: ValueError when *text* is no TOML.
    """
    import tomlkit  # noqa: PLC0415  # 30 ms that only an export pays
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  # as above

    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error
    gone: dict[str, tuple[str, str]] = {}
    _clean(document, "", gone)
    kept = document.as_string() if gone else text
    words = (word for before, after in gone.values() for word in {*_words(before), before} - _words(after))
    return Cleaned(_TOML.sub(lambda found: _comment(found[0]), kept), tuple(gone), frozenset(words))


def taken_from(text: str) -> tuple[str, ...]:
    """Keys, with dots, of the values of a TOML file that an export took out and nobody put back.

    Raises: ValueError when *text* is no TOML.
    """
    import tomllib  # noqa: PLC0415  # only an import pays

    return tuple(key for key, value in _strings(tomllib.loads(text), "") if TAKEN_OUT in value)


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """Free *text* without what looks like a secret, and without each of *secrets* that is no everyday word."""
    for secret in sorted((known for known in secrets if len(known) > 3), key=len, reverse=True):  # noqa: PLR2004  # shorter ones are everywhere
        text = text.replace(secret, TAKEN_OUT)
    if _PACKERS.search(text):
        text = _PACKERS_OPTION.sub(r"\1***", text)
    for shape, kept in _SHAPES:
        text = shape.sub(kept or TAKEN_OUT, text)
    return text


def is_secret_name(name: str) -> bool:
    """Tell whether a variable, a header or an option of this *name* holds a secret."""
    return _SECRET_NAME.fullmatch(name) is not None


def _clean(table: Any, above: str, gone: dict[str, tuple[str, str]]) -> None:  # noqa: ANN401  # tomlkit's tables have no common type
    """Replace in *table* in place, and note in *gone* what each key had."""
    for name in list(table):
        value, key = table[name], f"{above}{name}"
        if isinstance(value, dict):
            _clean(value, f"{key}.", gone)
        elif isinstance(value, list):
            cleaned = _clean_list(value, is_argv=name == "argv")
            for number, word in enumerate(cleaned):
                if isinstance(word, str) and word != value[number]:
                    gone[f"{key}[{number}]"] = (str(value[number]), word)
                    value[number] = word
        elif isinstance(value, str):
            kept = TAKEN_OUT if _is_taken(above, name, value) else scrubbed(value)
            if kept != value:
                gone[key] = (str(value), kept)
                table[name] = kept


def _clean_list(values: list[Any], *, is_argv: bool) -> list[Any]:
    words = [scrubbed(word) if isinstance(word, str) else word for word in values]
    if not is_argv or not all(isinstance(word, str) for word in words):
        return words
    is_packer = bool(words) and _PACKERS.search(words[0]) is not None
    for number in range(1, len(words)):
        option, word = words[number - 1], words[number]
        is_named = _OPTION.fullmatch(option) or (option in _USER and ":" in word)
        if is_named or (is_packer and option in ("-p", "-P")):
            words[number] = word if _PLACEHOLDER.fullmatch(word) else TAKEN_OUT
        elif is_packer:
            words[number] = _PACKERS_OPTION.sub(r"\1***", word) if len(word) > len("-p") else word
    return words


def _words(text: str) -> set[str]:
    return set(_BETWEEN_WORDS.split(text))


def _is_taken(above: str, name: str, value: str) -> bool:
    if _PLACEHOLDER.fullmatch(value):
        return False
    if above.endswith("env."):
        return not (name.lower() in _HARMLESS_VARIABLES or name.lower().startswith(_HARMLESS_STARTS))
    if above.endswith("headers."):
        return name.lower() not in _HARMLESS_HEADERS
    return is_secret_name(name)


def _comment(found: str) -> str:
    if not found.startswith("#"):
        return found
    return f"# {TAKEN_OUT}" if _IN_COMMENT.search(found) else scrubbed(found)


def _strings(found: Mapping[str, Any], above: str) -> Iterable[tuple[str, str]]:
    for name, value in found.items():
        if isinstance(value, dict):
            yield from _strings(value, f"{above}{name}.")
        elif isinstance(value, list):
            inner = {f"{name}[{number}]": one for number, one in enumerate(value)}
            yield from _strings(inner, above)
        elif isinstance(value, str):
            yield f"{above}{name}", value
