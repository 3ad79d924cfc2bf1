"""A `crontab` program that keeps bytes as they are, and can fail in the ways that the real ones do.

It stands first on PATH and lies to nobody: what it keeps is the file `table` beside it. It
writes slowly on purpose, as the real one does, so that two edits at once get in each other's way.
"""

from __future__ import annotations

import os
from pathlib import Path

_PROGRAM = """#!/bin/sh
here=$(dirname "$0")
echo "$1" >> "$here/calls"
case $1 in
-l)
    [ -f "$here/list-fails" ] && { cat "$here/list-fails" >&2; exit 1; }
    if [ ! -f "$here/table" ]; then
        if [ "$LC_ALL" = C ]; then echo "no crontab for office" >&2; else echo "office için crontab yok" >&2; fi
        exit 1
    fi
    cat "$here/table"
    ;;
-r) rm "$here/table" ;;
-)
    [ -f "$here/write-fails" ] && { cat > /dev/null; cat "$here/write-fails" >&2; exit 1; }
    [ -f "$here/write-lies" ] && { cat > /dev/null; exit 0; }
    cat > "$here/new.$$"
    [ -f "$here/slowly" ] && sleep 0.02
    mv "$here/new.$$" "$here/table"
    ;;
*) exit 64 ;;
esac
"""


class FakeCrontab:
    """The fake's folder; put `folder` first on PATH."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        program = folder / "crontab"
        program.write_text(_PROGRAM, encoding="utf-8")
        program.chmod(0o755)

    @property
    def path(self) -> str:
        """PATH under which it is found."""
        return os.pathsep.join((str(self.folder), os.environ["PATH"]))

    @property
    def table(self) -> bytes | None:
        """What it keeps; None for a user without a crontab."""
        file = self.folder / "table"
        return file.read_bytes() if file.exists() else None

    @table.setter
    def table(self, content: bytes | None) -> None:
        if content is None:
            (self.folder / "table").unlink(missing_ok=True)
        else:
            (self.folder / "table").write_bytes(content)

    def let(self, what: str, said: str = "") -> None:
        """Make `list-fails`, `write-fails`, `write-lies` or `slowly` come true; *said* goes to stderr."""
        (self.folder / what).write_text(said, encoding="utf-8")

    def mend(self) -> None:
        """Let all go well again."""
        for what in ("list-fails", "write-fails", "write-lies", "slowly"):
            (self.folder / what).unlink(missing_ok=True)

    def writes(self) -> int:
        """Number of times that it was asked to change something."""
        calls = self.folder / "calls"
        return sum(call != "-l" for call in calls.read_text(encoding="utf-8").split()) if calls.exists() else 0
