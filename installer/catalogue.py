"""Gather the marked sentences of trayapp, bring the Turkish catalogue up to date and compile it.

`python installer/catalogue.py` writes both files; `--check` writes nothing and exits 1
when a sentence is new, gone or untranslated, or the compiled file is an older one.
For developers: it needs Babel. The order of sentences is that of the files, and no date
is written, so that two developers who do the same write the same bytes.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import string
import sys
from typing import TYPE_CHECKING, Any, TypeGuard

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE = "trayapp"
_LANGUAGE = "tr"
_CATALOGUE = os.path.join("resources", "locale", _LANGUAGE, "LC_MESSAGES", "birkez")
_KEYWORDS: dict[str, Any] = {
    "_": None,
    "N_": None,
    "say": None,
    "ngettext_": (1, 2),
    "NN_": (1, 2),
}
_COMMENT_TAG = "Translators:"
_PERCENT_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sdr]")


_HEADER = (
    ("Project-Id-Version", "birkez"),
    ("Language", _LANGUAGE),
    ("MIME-Version", "1.0"),
    ("Content-Type", "text/plain; charset=UTF-8"),
    ("Content-Transfer-Encoding", "8bit"),
    # A Turkish noun stays singular after a number, but our sentences may say more than that.
    ("Plural-Forms", "nplurals=2; plural=(n != 1);"),
)


class _DatelessCatalog(Catalog):
    """A catalogue whose header tells only what a program needs: no date, no version of Babel."""

    def __init__(self) -> None:
        comment = "# Birkez in Turkish. Sentences are gathered by installer/catalogue.py."
        super().__init__(locale=_LANGUAGE, header_comment=comment, fuzzy=False)
        self.mime_headers = list(_HEADER)

    def __iter__(self) -> Iterator[Message]:
        messages = super().__iter__()
        header = next(messages)
        header.string = "".join(f"{name}: {value}\n" for name, value in _HEADER)
        yield header
        yield from messages


def main(arguments: list[str] | None = None) -> int:
    """Bring the catalogue up to date, or with --check only tell what is wrong with it."""
    parser = argparse.ArgumentParser(description="Update and compile the Turkish catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is stale")
    parser.add_argument("--root", default=_ROOT, help="the checkout to work on")
    options = parser.parse_args(arguments)
    base = os.path.join(options.root, _CATALOGUE)
    template, old = extract(options.root), read_catalogue(base + ".po")
    if not options.check:
        write(base, merge(template, old))
        old = read_catalogue(base + ".po")
    complaints = [
        *complaints_about(template, old),
        *_complaints_about_compiled(base, old),
        *_complaints_about_marks(options.root, template),
    ]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def extract(root: str) -> Catalog:
    """All marked sentences under *root*/trayapp, in the order of their files."""
    template = Catalog()
    for path in sorted(_sources(os.path.join(root, _PACKAGE))):
        place = os.path.relpath(path, root).replace(os.sep, "/")
        found = extract_from_file("python", path, keywords=_KEYWORDS, comment_tags=[_COMMENT_TAG])
        for _line, ids, comments, _context in found:
            if ids:
                template.add(ids, locations=[(place, 0)], auto_comments=comments)
    return template


def _sources(folder: str) -> Iterator[str]:
    for parent, _folders, names in os.walk(folder):
        yield from (os.path.join(parent, name) for name in names if name.endswith(".py"))


def read_catalogue(path: str) -> Catalog:
    """Catalogue in *path*; an empty one when there is none yet."""
    if not os.path.exists(path):
        return _DatelessCatalog()
    with open(path, "rb") as file:
        return read_po(file, locale=_LANGUAGE, abort_invalid=True)


def merge(template: Catalog, old: Catalog) -> Catalog:
    """Sentences of *template* with the translations that *old* has; nothing is guessed."""
    merged = _DatelessCatalog()
    for message in _messages(template):
        known = old.get(message.id)
        merged.add(
            message.id,
            known.string if known else None,
            locations=sorted(set(message.locations)),
            flags=message.flags,
            auto_comments=message.auto_comments,
            user_comments=known.user_comments if known else (),
        )
    return merged


def write(base: str, catalogue: Catalog) -> None:
    """Write *base*.po and compile *base*.mo from what then stands in it."""
    os.makedirs(os.path.dirname(base), exist_ok=True)
    with open(base + ".po", "wb") as file:
        write_po(file, catalogue, width=100, include_lineno=False)
    with open(base + ".mo", "wb") as file:
        file.write(_compile(read_catalogue(base + ".po")))


def _compile(catalogue: Catalog) -> bytes:
    compiled = io.BytesIO()
    write_mo(compiled, merge(catalogue, catalogue))
    return compiled.getvalue()


def complaints_about(template: Catalog, catalogue: Catalog) -> list[str]:
    """What keeps *catalogue* from being whole: sentences new, gone, untranslated or misfilled."""
    wanted, there = _by_id(template), _by_id(catalogue)
    complaints = [f"not in the catalogue yet: {key!r}" for key in wanted if key not in there]
    complaints += [f"no longer in the program: {key!r}" for key in there if key not in wanted]
    for key, message in there.items():
        if message.fuzzy:
            complaints.append(f"fuzzy: {key!r}")
        if not all(_strings(message)):
            complaints.append(f"untranslated: {key!r}")
        elif not _is_filled_alike(message):
            complaints.append(f"other placeholders than the English: {key!r}")
    return complaints


def _is_filled_alike(message: Message) -> bool:
    """Whether each form asks for what its English, or the fuller English of a pair, asks for."""
    english = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    wanted = [placeholders(text) for text in english]
    return all(placeholders(text) in (own, wanted[-1]) for text, own in zip(_strings(message), wanted, strict=True))


def placeholders(text: str) -> list[str]:
    """What is filled into *text*: names in braces, and argparse's `%s` and `%(name)r`, in order of name.

    How a name in braces is written ({at:locative}) and how often is the translator's choice.
    """
    braces = {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}
    return [*sorted(braces), *sorted(_PERCENT_PLACEHOLDER.findall(text))]


def _complaints_about_compiled(base: str, catalogue: Catalog) -> list[str]:
    try:
        with open(base + ".mo", "rb") as file:
            compiled = _by_id(read_mo(file))
    except OSError as error:
        return [f"not compiled: {error}"]
    expected = _by_id(read_mo(io.BytesIO(_compile(catalogue))))
    same = compiled.keys() == expected.keys() and all(
        _strings(message) == _strings(expected[key]) for key, message in compiled.items()
    )
    return [] if same else ["the compiled catalogue was not made from this .po"]


def _complaints_about_marks(root: str, template: Catalog) -> list[str]:
    """Sentences that the extractor passes by: those marked inside another mark, as in `_(words.get(key, N_("…")))`."""
    complaints = []
    for path in sorted(_sources(os.path.join(root, _PACKAGE))):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read(), path)
        place = os.path.relpath(path, root).replace(os.sep, "/")
        missed = [node for node in ast.walk(tree) if _marks(node) and not _knows(template, node)]
        complaints += [f"not seen by the extractor, give it a name: {place}:{node.lineno}" for node in missed]
    return complaints


def _marks(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KEYWORDS


def _knows(template: Catalog, call: ast.Call) -> bool:
    text = call.args[0] if call.args else None
    return (
        not isinstance(text, ast.Constant)
        or not isinstance(text.value, str)
        or not text.value
        or text.value in template
    )


def _messages(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)  # the header has no id


def _by_id(catalogue: Catalog) -> dict[str, Message]:
    """Messages by the sentence that is looked up: of a pair, both forms joined."""
    return {
        message.id if isinstance(message.id, str) else " | ".join(message.id): message
        for message in _messages(catalogue)
    }


def _strings(message: Message) -> tuple[str, ...]:
    string = message.string
    return (string,) if isinstance(string, str) else tuple(string or ("",))


if __name__ == "__main__":
    sys.exit(main())
