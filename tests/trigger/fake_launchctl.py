"""launchctl as far as Birkez calls it: a program with exit codes, noise and lies of its own.

Its state is a folder, `$FAKE_LAUNCHCTL`: `loaded/<label>` holds the property list as it was
read, `leaving/<label>` how often an agent that was booted out is still seen, `disabled/`.
`$FAKE_LAUNCHCTL_DOES` makes one action fail or lie: `bootstrap:fail`, `bootstrap:lie`.
"""

from __future__ import annotations

import os
import plistlib
import sys

NOT_FOUND, IO_ERROR, DISABLED = 113, 5, 119
LOOKS_WHILE_LEAVING = 2


def main(words: list[str]) -> int:
    root = os.environ["FAKE_LAUNCHCTL"]
    for name in ("loaded", "leaving", "disabled"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    with open(os.path.join(root, "calls"), "a", encoding="utf-8") as calls:
        print(*words, file=calls)
    action, does = words[0], os.environ.get("FAKE_LAUNCHCTL_DOES", "")
    if does == f"{action}:fail":
        print(f"{action.title()} failed: 5: Giriş/çıkış hatası", file=sys.stderr)
        return IO_ERROR
    if does == f"{action}:lie":
        return 0
    return {"print": _print, "bootstrap": _bootstrap, "bootout": _bootout, "enable": _enable}[action](root, words[1:])


def _print(root: str, words: list[str]) -> int:
    domain, _slash, label = words[0].rpartition("/") if words[0].count("/") > 1 else (words[0], "", "")
    assert domain == f"gui/{os.getuid()}", words
    if not label:
        return 0
    leaving = os.path.join(root, "leaving", label)
    if os.path.exists(leaving):
        with open(leaving, "r+", encoding="utf-8") as file:
            left = int(file.read()) - 1
            file.seek(0)
            file.write(str(left))
        if left < 0:
            os.unlink(leaving)
            os.unlink(os.path.join(root, "loaded", label))
    if os.path.exists(os.path.join(root, "loaded", label)):
        print("state = ne olduğu her sürümde değişen metin")
        return 0
    print("Could not find service", file=sys.stderr)
    return NOT_FOUND


def _bootstrap(root: str, words: list[str]) -> int:
    with open(words[1], "rb") as file:
        content = file.read()
    label = plistlib.loads(content)["Label"]
    if os.path.basename(words[1]) != f"{label}.plist" or os.stat(words[1]).st_mode & 0o022:
        return IO_ERROR
    if os.path.exists(os.path.join(root, "disabled", label)):
        return DISABLED
    loaded = os.path.join(root, "loaded", label)
    if os.path.exists(loaded):
        print("Bootstrap failed: 5: Input/output error", file=sys.stderr)
        return IO_ERROR
    with open(loaded, "wb") as file:
        file.write(content)
    return 0


def _bootout(root: str, words: list[str]) -> int:
    label = words[0].rpartition("/")[2]
    if not os.path.exists(os.path.join(root, "loaded", label)):
        return 3
    with open(os.path.join(root, "leaving", label), "w", encoding="utf-8") as file:
        file.write(str(LOOKS_WHILE_LEAVING))
    return 0


def _enable(root: str, words: list[str]) -> int:
    disabled = os.path.join(root, "disabled", words[0].rpartition("/")[2])
    if os.path.exists(disabled):
        os.unlink(disabled)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
