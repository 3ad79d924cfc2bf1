"""The list of items: read from a text file, a CSV file or a folder, each with its target's name.

One bad line never stops the rest: it is refused with its number, and the others go on. The
list is read anew by each worker, so it may grow or shrink between two runs.
"""

from __future__ import annotations

import os

from trayapp.effect.item.unit import fill
from trayapp.errors import EffectError, SetupError
from trayapp.fan_out.names import fold, is_plain, refuse
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trayapp.job.model import Items

_DELIMITERS = ",;\t|"
_LONGEST_FIELD = 1 << 20
_DIGEST_DIGITS = 16


class Item(NamedTuple):
    """One item: its *id*, the *name* of its target, and what may be filled in beside `{item}`.

    *input* is the item's own file, where the source is a folder.
    """

    id: str
    name: str
    fields: dict[str, str]
    input: str = ""


class ItemList:
    """The items of a source in its order, and the lines that were refused."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.ids: list[str] = []
        self.names: list[str] = []
        self.refused: list[EffectError] = []
        self.columns: list[str] = []
        self.rows: list[Sequence[str]] = []
        self.is_folder = False

    def __len__(self) -> int:
        return len(self.ids)

    def item(self, index: int) -> Item:
        """Item at *index*."""
        item_id = self.ids[index]
        if self.is_folder:
            return Item(item_id, self.names[index], {}, os.path.join(self.source, item_id))
        fields = dict(zip(self.columns, self.rows[index], strict=False)) if self.columns else {}
        return Item(item_id, self.names[index], fields)


def read_items(items: Items, *, folds_case: bool = False) -> ItemList:
    """Read the list. *folds_case*: the targets' folder takes `A` and `a` for one file.

    Raises: SetupError `items-source-missing`, `items-source-unreadable`, `items-column-missing`,
    `items-digest-missing`, `items-digest-unknown`, `items-folder-is-target`, `items-source-broken`.
    """
    found = ItemList(items.source)
    seen = _Seen(found, folds_case=folds_case)
    try:
        if os.path.isdir(items.source):
            _read_folder(items, found, seen)
        elif "{digest}" in items.name:
            raise SetupError("items-digest-unknown", source=items.source, name=items.name)
        elif items.column:
            _read_csv(items, found, seen)
        else:
            _read_text(items, seen)
    except FileNotFoundError as error:
        raise SetupError("items-source-missing", path=items.source) from error
    except OSError as error:
        raise SetupError("items-source-unreadable", path=items.source, reason=error.strerror or str(error)) from error
    return found


class _Seen:
    """Targets that are taken already: a second item of the same name is dropped or refused."""

    def __init__(self, found: ItemList, *, folds_case: bool) -> None:
        self._found = found
        self._folds_case = folds_case
        self._lines: dict[str, tuple[int, int]] = {}  # line, index

    def add(self, line: int, item: str, name: str, row: Sequence[str] = ()) -> None:
        """Keep the item, or say why not; the very same line twice is one item."""
        found = self._found
        index = len(found.ids)
        whole = name + "".join(row)  # every cell may be filled in somewhere
        if not (index and is_plain(item) and is_plain(whole.replace(".", ""))):
            error = refuse(self._place(line, item), line, item, name, whole)
            if error is not None:
                found.refused.append(error)
                return
        first, at = self._lines.setdefault(fold(name) if self._folds_case else name, (line, index))
        if at != index:
            if found.ids[at] != item or (found.rows and found.rows[at] != row):
                place = self._place(line, item)
                found.refused.append(
                    EffectError("item-target-taken", place=place, line=line, item=item, name=name, other=first)
                )
            return
        found.ids.append(item)
        found.names.append(name)
        if row:
            found.rows.append(row)

    def _place(self, line: int, item: str) -> str:
        source = self._found.source
        return os.path.join(source, item) if self._found.is_folder else f"{source}:{line}"


def _read_text(items: Items, seen: _Seen) -> None:
    before, after = items.name.split("{item}", 1)
    is_simple = "{" not in before + after
    for line, text in enumerate(_lines(items.source), 1):
        item = text.strip(" \t\r")
        if item:
            seen.add(line, item, before + item + after if is_simple else fill(items.name, {"item": item}))


def _read_csv(items: Items, found: ItemList, seen: _Seen) -> None:
    import csv  # noqa: PLC0415  # few lists are one
    import io  # noqa: PLC0415  # as above

    csv.field_size_limit(_LONGEST_FIELD)
    text = "\n".join(_lines(items.source))
    skipped = 0
    delimiters = _DELIMITERS
    if text[:4].lower() == "sep=":  # how Excel is told its delimiter
        delimiters, skipped = text[4:5], 1
        text = text.partition("\n")[2]
    headers = {
        delimiter: [name.strip() for name in next(csv.reader(io.StringIO(text), delimiter=delimiter), [])]
        for delimiter in delimiters
    }
    delimiter = next((mark for mark, names in headers.items() if items.column in names), "")
    if not delimiter:
        names = max(headers.values(), key=len)
        raise SetupError("items-column-missing", path=items.source, column=items.column, columns=names)
    found.columns = headers[delimiter]
    at = found.columns.index(items.column)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    next(reader)
    line = reader.line_num + 1
    try:
        for row in reader:
            if any(row):
                item = row[at].strip() if at < len(row) else ""
                values = {**dict(zip(found.columns, row, strict=False)), "item": item}
                seen.add(line + skipped, item, fill(items.name, values), row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise SetupError("items-source-broken", path=items.source, line=line + skipped, reason=str(error)) from error


def _read_folder(items: Items, found: ItemList, seen: _Seen) -> None:
    found.is_folder = True
    if "{digest}" not in items.name:
        raise SetupError("items-digest-missing", source=items.source, name=items.name)
    if os.path.realpath(items.source) == os.path.realpath(items.folder):
        raise SetupError("items-folder-is-target", path=items.source)
    with os.scandir(items.source) as entries:
        names = sorted(entry.name for entry in entries if entry.is_file() and not entry.name.startswith("."))
    for number, name in enumerate(names, 1):
        try:
            digest = digest_of(os.path.join(items.source, name))
        except FileNotFoundError:
            continue  # it has gone since the folder was listed
        except OSError as error:
            place, reason = os.path.join(items.source, name), error.strerror or str(error)
            found.refused.append(EffectError("item-unreadable", place=place, line=number, item=name, reason=reason))
            continue
        seen.add(number, name, fill(items.name, {"item": name, "digest": digest}))


def digest_of(path: str) -> str:
    """Short sum of a file's content: a changed file is a new item.

    Raises: OSError.
    """
    import hashlib  # noqa: PLC0415  # only folders need it

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGEST_DIGITS]


def _lines(path: str) -> Iterator[str]:
    """Lines of a text file; bytes that are no UTF-8 stay as what `refuse` knows them by."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # "Unicode" of Windows' Notepad and Excel
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise SetupError("items-source-broken", path=path, line=1, reason=error.reason) from error
    else:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return iter(text.split("\n"))
