#!/bin/bash
# The tray application on Wine: the genuine Windows CPython and Qt, a real tray, real clicks.
# usage: gui.sh [PYTEST WORDS…]      PYTHON: the Linux interpreter to go by, default python3; PYTEST_PYTHON: one with pytest
# Needs what run.sh needs, and openbox, trayer, xdotool, imagemagick; exit status 77 when something is missing.
# Pictures of what it shows go to the folder WINE_PICTURES, where it is set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../../.." && pwd)
python=${PYTHON:-python3}
cache=${BIRKEZ_WINDOWS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/birkez-windows}
. "$here/session.sh"
. "$here/stand_ins.sh"

for program in "$WINE" Xvfb x86_64-w64-mingw32-gcc openbox trayer xdotool import; do
    command -v "$program" >/dev/null || { echo "SKIPPED: $program is missing" >&2; exit 77; }
done
[ -e /usr/share/i18n/locales/tr_TR ] || { echo "SKIPPED: the package locales is missing" >&2; exit 77; }

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
windows_python=$cache/python-$version
lock=$checkout/installer/requirements-tray.lock
with_qt=$cache/python-$version-qt
mkdir -p "$cache"
exec 9>"$cache/lock" # one session at a time, as run.sh
flock 9
"$here/build_python.sh" "$python" "$windows_python" 9>&-
made_of=$(cat "$lock" "$here/runtime.lock" "$here/build_python.sh" | sha256sum | cut -c1-16)
if [ "$(cat "$with_qt/made-of" 2>/dev/null)" != "$made_of" ]; then # beside the other: its suite runs without Qt
    rm -rf "$with_qt"
    cp -r "$windows_python" "$with_qt"
    "$python" -m pip --disable-pip-version-check --quiet install --no-deps --require-hashes -r "$lock" \
        --target "$with_qt/Lib/site-packages" --platform win_amd64 --python-version "$version" --only-binary=:all: \
        --upgrade
    echo "$made_of" >"$with_qt/made-of"
fi

trap session_end EXIT
session_begin "$cache" 9>&-
stand_ins "$WINEPREFIX" "$with_qt/Lib/site-packages/PySide6"
cd "$checkout"
export WINE_PYTHON="LOCPATH=$cache/locale LC_ALL=tr_TR.UTF-8 $WINE $with_qt/python.exe"
timeout --kill-after=10 "${BIRKEZ_GUI_LIMIT_S:-240}" "${PYTEST_PYTHON:-$python}" -m pytest -p no:cacheprovider --color=no \
    tests/platform/windows/test_gui.py -o timeout=200 "$@" 9>&-
