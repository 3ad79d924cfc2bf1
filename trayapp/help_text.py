"""The help files: one text for the application, which draws it, and for the terminal, which prints it.

Beyond Markdown they hold names of places, as `## Words {#words}`, and pictures of the icon
set, as `![](state-failed)`; `plain` leaves both out.
"""

from __future__ import annotations

import os
import re

from trayapp.errors import SetupError
from trayapp.places import resources_dir

_NAME = re.compile(r" \{#([a-z-]+)\}$", re.MULTILINE)
_PICTURE = re.compile(r"!\[\]\([a-z-]+\) ?")
_LINK = re.compile(r"\[([^\]]+)\]\((?:#|page:)[a-z-]+\)")


def read_help(name: str, language: str) -> str:
    """Read the help file *name* (`app`, `general` or `job-file`) in that language.

    Raises: SetupError `help-unreadable`.
    """
    file_name = f"{language}.md" if name == "general" else f"{name}.{language}.md"
    path = os.path.join(resources_dir(), "help", file_name)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise SetupError("help-unreadable", path=path, reason=error.strerror or str(error)) from error


def plain(text: str) -> str:
    """Leave out what only the application can show: names of places, pictures, ways to them."""
    return _LINK.sub(r"\1", _PICTURE.sub("", _NAME.sub("", text)))


def split_name(heading: str) -> tuple[str, str]:
    """Split a heading into its words and its name, which may be empty."""
    found = _NAME.search(heading)
    return (heading[: found.start()], found[1]) if found else (heading, "")
