#!/bin/bash
# The suite, but what needs POSIX, under the genuine Windows CPython on Wine.
# usage: run.sh [PYTEST WORDS…]      PYTHON: the Linux interpreter to go by, default python3
# Needs Debian's wine64 xvfb locales gcc-mingw-w64-x86-64-win32 and pip; exit status 77 when one is missing.
# The interpreter and the prefix are kept in a cache; a second start takes seconds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../../.." && pwd)
python=${PYTHON:-python3}
cache=${BIRKEZ_WINDOWS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/birkez-windows}
limit_s=${BIRKEZ_WINDOWS_LIMIT_S:-900}
. "$here/session.sh"

for program in "$WINE" Xvfb x86_64-w64-mingw32-gcc; do
    command -v "$program" >/dev/null || { echo "SKIPPED: $program is missing" >&2; exit 77; }
done
[ -e /usr/share/i18n/locales/tr_TR ] || { echo "SKIPPED: the package locales is missing" >&2; exit 77; }

windows_python=$cache/$("$python" -c 'import sys; print("python-%d.%d" % sys.version_info[:2])')
mkdir -p "$cache"
exec 9>"$cache/lock" # one session at a time: two would end each other's server
flock 9
"$here/build_python.sh" "$python" "$windows_python" 9>&-

trap session_end EXIT
session_begin "$cache" 9>&-

# Else pytest tidies up after the run before last, file by file through Wine.
rm -rf "$cache"/prefix/drive_c/users/*/Temp/pytest-of-*

cd "$checkout"
# As on a person's Windows: no UTF-8 mode, so that a file opened without an encoding is noticed.
# Compiled modules go to the prefix; the checkout's own are the Linux interpreter's.
export PYTHONIOENCODING=utf-8 PYTHONPYCACHEPREFIX='C:\pycache' PYTHONNOUSERSITE=1
unset PYTHONPATH PYTHONHOME
# Two workers: there are two cores, and a time limit, which on Windows can only end the whole
# process, costs one test instead of the rest of the run.
run_on_windows "$limit_s" "$windows_python/python.exe" -m pytest -p no:cacheprovider --color=no \
    -n 2 --max-worker-restart=20 -m "not posix and not linux" -o timeout=60 "$@" 9>&-
