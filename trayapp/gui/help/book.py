"""The help files as one book of topics, and the search in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trayapp.help_text import plain, read_help, split_name
from trayapp.history.records import is_found

if TYPE_CHECKING:
    from trayapp.wording.language import Language

CHAPTERS = ("app", "general", "job-file")
_HEADING = re.compile(r"^(##+) (.+)$", re.MULTILINE)


class Topic(NamedTuple):
    """One part of the book: what stands below a heading of the second level, as Markdown.

    *names* are the places in it that can be opened; the first is the topic's own.
    """

    chapter: str
    title: str
    names: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """The topic's own name."""
        return self.names[0]


def read_book(language: Language) -> tuple[Topic, ...]:
    """Read all topics in that language, in the order in which they are read.

    Raises: SetupError `help-unreadable`.
    """
    return tuple(topic for chapter in CHAPTERS for topic in _topics(chapter, read_help(chapter, language)))


def chapter_title(chapter: str, language: Language) -> str:
    """Title of a chapter: the first line of its file."""
    return read_help(chapter, language).partition("\n")[0].removeprefix("# ")


def search(book: tuple[Topic, ...], words: str) -> tuple[Topic, ...]:
    """Topics in which each of the words occurs, as a search of history finds it; those with all in the title first."""
    wanted = words.split()
    found = [topic for topic in book if _has(f"{topic.title}\n{plain(topic.text)}", wanted)]
    return tuple(sorted(found, key=lambda topic: not _has(topic.title, wanted)))


def _has(text: str, wanted: list[str]) -> bool:
    return all(is_found(word, text) for word in wanted)


def _topics(chapter: str, text: str) -> list[Topic]:
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    topics = []
    for number, part in enumerate(parts):
        if number == 0:  # what stands before the first heading of its kind
            title, body = part.partition("\n")[0].removeprefix("# "), part.partition("\n")[2]
            if body.strip():
                topics.append(Topic(chapter, title, (f"{chapter}-0",), body.strip()))
            continue
        title, name = split_name(part.partition("\n")[0].removeprefix("## "))
        inner = (split_name(found[2])[1] for found in _HEADING.finditer(part.partition("\n")[2]))
        topics.append(
            Topic(
                chapter, title, (name or f"{chapter}-{number}", *filter(None, inner)), part.partition("\n")[2].strip()
            )
        )
    return topics
