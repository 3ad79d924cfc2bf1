r"""`schtasks` under Wine: the real one for all that it can, this program for what it cannot.

Wine's makes and deletes tasks, but answers every /Query with success and no document, keeps
neither triggers nor actions, and switches none on or off. So a document is copied as it is
handed over, switched in that copy, and shown for as long as Wine's own store
(C:\windows\system32\tasks) has the task.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REAL = Path(os.environ["SYSTEMROOT"]) / "System32" / "schtasks.exe"
STORE = Path(os.environ["SYSTEMROOT"]) / "System32" / "tasks"
COPIES = Path(os.environ["WINE_TASK_COPIES"])


def main(words: list[str]) -> int:
    options = dict(zip(words, [*words[1:], ""], strict=True))
    path = options.get("/TN", "")
    if words[0] == "/Query":
        return query(path)
    if words[0] == "/Change" and "WINE_TASKS_AS_THEY_ARE" not in os.environ:
        return switch(path, enabled="/ENABLE" in words)
    done = subprocess.run([REAL, *words], stdin=subprocess.DEVNULL, check=False).returncode
    if done == 0 and words[0] == "/Create":
        shutil.copyfile(options["/XML"], copy_of(path))
    return done


def switch(path: str, *, enabled: bool) -> int:
    if not (STORE / path[1:]).exists():
        return 1
    text = copy_of(path).read_bytes().decode("utf-16")
    text = re.sub("<Enabled>.*</Enabled>(?=.*</Settings>)", "", text, flags=re.DOTALL)
    text = text.replace("</Settings>", f"<Enabled>{str(enabled).lower()}</Enabled></Settings>")
    copy_of(path).write_bytes(text.encode("utf-16"))
    return 0


def query(path: str) -> int:
    if path and not path.endswith("\\"):
        if not (STORE / path[1:]).exists():
            return 1
        sys.stdout.buffer.write(copy_of(path).read_bytes())
        return 0
    texts = [
        copy.read_bytes().decode("utf-16").partition("?>")[2]
        for copy in COPIES.iterdir()
        if (STORE / copy.name.replace("+", "\\")).exists()
    ]
    sys.stdout.buffer.write(("<Tasks>" + "".join(texts) + "</Tasks>").encode("utf-16"))
    return 0


def copy_of(path: str) -> Path:
    return COPIES / path[1:].replace("\\", "+")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
