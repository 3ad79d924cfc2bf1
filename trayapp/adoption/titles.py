"""A title for what a foreign entry does: what somebody wrote above it, or the part of its command that names it."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS = 80
_WORDS = 4
_COMMENT_LINES = 2
# A job that was switched off, the head of crontab's columns, a comment of our own.
_NO_TITLE = re.compile(r"^#\s*@\w+|(?:[\d*,/-]+\s+){3}|\bdom\b.*\bdow\b|^# birkez |^# [<>]{3} birkez")
_SAYS_SOMETHING = re.compile(r"[^\W\d_]{3}")
_RULER = re.compile(r"^[\W_]+|[^\w)\]…!?.’'\"]+$")
_REDIRECTION = re.compile(r"\s*\d?(?:>>|>|<)&?\s*\S+")
_JOINED = re.compile(r"&&|\|\||[;|]")
_INTERPRETER = re.compile(
    r"(?:(?:ba|da|z|k)?sh|python[\d.]*w?|php[\d.]*|perl|ruby|node|env|nice|sudo|cmd|powershell)(?:\.exe)?"
)
_SETTING = re.compile(r"\w+=")
_FOLDER_CHANGES = ("cd", "export", "set", "source", ".")


def title_of(command: str, above: Sequence[bytes] = ()) -> str:
    """Title for *command*, below the lines *above* of its table."""
    return _comment(above) or _named_part(command)


def one_line(text: str) -> str:
    """*text* on one line, without what could move a cursor, cut where it is long."""
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return words if len(words) <= _LETTERS else words[: _LETTERS - 1].rstrip() + "…"


def _comment(above: Sequence[bytes]) -> str:
    """What the comment directly above says; "" where it says nothing, or is a job that was switched off.

    One of many lines is a preface to the table, or an essay: no title.
    """
    said: list[str] = []
    for raw in reversed(above):
        text = raw.decode("utf-8", "replace").strip()
        if not text.startswith("#"):
            break
        said.insert(0, text)
    if not 0 < len(said) <= _COMMENT_LINES or any(_NO_TITLE.search(text) for text in said):
        return ""
    title = _RULER.sub("", " ".join(_RULER.sub("", text) for text in said))
    return one_line(title) if _SAYS_SOMETHING.search(title) else ""


def _named_part(command: str) -> str:
    """Of the commands that are joined the first that is not about folders and variables: its file, and what follows."""
    parts = [words for part in _JOINED.split(_REDIRECTION.sub("", command)) if (words := part.split())]
    words = next((words for words in parts if words[0] not in _FOLDER_CHANGES), parts[0] if parts else [])
    while len(words) > 1 and (
        _SETTING.match(words[0])
        or re.fullmatch(r"\$\{?\w+\}?", words[0])
        or _INTERPRETER.fullmatch(_file(words[0]).lower())
        or words[0].startswith("-")
    ):
        words = words[1:]
    return one_line(" ".join(map(_file, words[:_WORDS]))) if words else one_line(command)


def _file(word: str) -> str:
    return re.split(r"[/\\]", word.strip("\"'"))[-1] or word
