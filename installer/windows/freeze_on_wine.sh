#!/bin/bash
# Freeze Birkez for Windows without a Windows: PyInstaller in the genuine Windows CPython, on Wine.
# usage: freeze_on_wine.sh FOLDER CACHE [PYTHON]    FOLDER: as freeze.py's, with icons/ in it; CACHE: kept for the next time
# Needs what tests/platform/windows/run.sh needs; exit status 77 when something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
rig=$checkout/tests/platform/windows
folder=$(realpath -m "$1") cache=$(realpath -m "$2") python=${3:-python3}
limit_s=${BIRKEZ_FREEZE_LIMIT_S:-1200} # 200 s on two idle cores
. "$rig/session.sh"
. "$rig/stand_ins.sh"

for program in "$WINE" Xvfb x86_64-w64-mingw32-gcc; do
    command -v "$program" >/dev/null || { echo "SKIPPED: $program is missing" >&2; exit 77; }
done
mkdir -p "$cache" "$folder"
exec 9>"$cache/lock" # one session at a time: two would end each other's server
flock 9

# The tests' interpreter with what PyInstaller wants besides: modules as files, and the locked packages.
minor=$("$python" -c 'import sys; print(sys.version_info.minor)')
"$rig/build_python.sh" "$python" "$cache/python-3.$minor" 9>&-
freezer=$cache/freezer-3.$minor
stamp=$(cat "$cache/python-3.$minor/stamp" "$checkout/installer/requirements-freeze.lock" "$here/freeze_on_wine.sh" | sha256sum)
if [ "$(cat "$freezer/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$freezer" "$freezer.part"
    cp -a "$cache/python-3.$minor" "$freezer.part"
    rm -rf "$freezer.part/Lib/site-packages"
    "$python" -m zipfile -e "$freezer.part/python3$minor.zip" "$freezer.part/Lib"
    find "$freezer.part/Lib" -name '*.pyc' -delete
    rm "$freezer.part/python3$minor.zip"
    # pip judges a lock's markers by the system that it runs on; here it installs for another.
    "$python" - "$checkout/installer/requirements-freeze.lock" 3.$minor >"$freezer.part/packages.lock" <<'PICK'
import re, sys
minor = tuple(map(int, sys.argv[2].split(".")))
def holds(marker):
    for part in marker.split(" and "):
        name, sign, value = part.split()
        found = {"sys_platform": "win32"}.get(name)
        if name in ("python_version", "python_full_version"):
            found, value = minor, tuple(map(int, value.strip("'\"").split(".")[:2]))
        else:
            value = value.strip("'\"")
        if not {"==": found == value, "!=": found != value, "<": found < value, ">=": found >= value}[sign]:
            return False
    return True
with open(sys.argv[1], encoding="utf-8") as lock:
    for entry in re.split(r"^(?=\w)", lock.read(), flags=re.MULTILINE):
        marker = re.search(r" ; ([^\\\n]*)", entry)
        if "==" in entry and (marker is None or holds(marker[1].strip())):
            print(re.sub(r" ; [^\\\n]*", " ", entry), end="")
PICK
    "$python" -m pip --disable-pip-version-check --quiet install --target "$freezer.part/Lib/site-packages" --no-deps \
        --require-hashes --only-binary=:all: --platform win_amd64 --python-version "3.$minor" -r "$freezer.part/packages.lock"
    printf '%s\n' "$stamp" >"$freezer.part/stamp"
    mv "$freezer.part" "$freezer"
fi

trap session_end EXIT
session_begin "$cache" 9>&-
stand_ins "$WINEPREFIX" "$freezer/Lib/site-packages/PySide6"
export PYTHONIOENCODING=utf-8 PYTHONNOUSERSITE=1 PYTHONPYCACHEPREFIX='C:\pycache' QT_QPA_PLATFORM=offscreen
unset PYTHONPATH PYTHONHOME
on_drive() { printf 'Z:%s' "${1//\//\\}"; }
run_on_windows "$limit_s" "$freezer/python.exe" "$(on_drive "$checkout/installer/freeze.py")" --here \
    "$(on_drive "$folder")" 9>&-
[ -f "$folder/birkez/birkez-run.exe" ] || { echo "PyInstaller made no birkez-run.exe" >&2; exit 1; }
