"""The help files as one book of topics, and the search in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trayapp.help_text import plain, read_help, split_name
from trayapp.history.records import is_found

if TYPE_CHECKING:
    from trayapp.wording.language import Language

FILES = ("app", "general", "job-file")
_HEADING = re.compile(r"^(##+) (.+)$", re.MULTILINE)


class Topic(NamedTuple):
    """One part of the book: what stands below a heading of the second level, as Markdown.

    *chapter* is the title of its file. *names* are the places in it that can be opened; the
    first is the topic's own.
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
    return tuple(topic for file in FILES for topic in _topics(file, read_help(file, language)))


def search(book: tuple[Topic, ...], words: str) -> tuple[Topic, ...]:
    """Topics in which each of the words occurs, as a search of history finds it; those with all in the title first."""
    wanted = words.split()
    found = [topic for topic in book if _has(f"{topic.title}\n{plain(topic.text)}", wanted)]
    return tuple(sorted(found, key=lambda topic: not _has(topic.title, wanted)))


def _has(text: str, wanted: list[str]) -> bool:
    return all(is_found(word, text) for word in wanted)


def _topics(file: str, text: str) -> list[Topic]:
    first, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    head, _line, body = first.partition("\n")
    chapter = head.removeprefix("# ")
    topics = [Topic(chapter, chapter, (f"{file}-0",), body.strip())] if body.strip() else []
    for number, part in enumerate(parts, start=1):
        heading, _line, body = part.partition("\n")
        title, name = split_name(heading)
        inner = (split_name(found[2])[1] for found in _HEADING.finditer(body))
        topics.append(Topic(chapter, title, (name or f"{file}-{number}", *filter(None, inner)), body.strip()))
    return topics
