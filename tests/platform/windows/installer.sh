#!/bin/bash
# Windows' installer on Wine: silent install, the demo, a job at work in the way, an upgrade while the tray runs, a
# silent uninstall.
# usage: installer.sh FOLDER CACHE    FOLDER: of a freeze made by a Windows Python; CACHE: for the prefix, not run.sh's
# Needs nsis besides what run.sh needs; exit status 77 when something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../../.." && pwd)
folder=$(realpath "$1") cache=$(realpath -m "$2")
. "$here/session.sh"
. "$here/stand_ins.sh"

for program in "$WINE" Xvfb x86_64-w64-mingw32-gcc makensis; do
    command -v "$program" >/dev/null || { echo "SKIPPED: $program is missing" >&2; exit 77; }
done
fail() { echo "FAILED: $*" >&2; exit 1; }

for version in 0.1.0 9.0.0; do # an upgrade is one to a later version
    made=$folder/birkez-$version-setup.exe
    [ "$made" -nt "$folder/birkez/birkez.exe" ] && [ "$made" -nt "$checkout/installer/windows/birkez.nsi" ] && continue
    BIRKEZ_SETUP_VERSION=$version python3 "$checkout/installer/setup_exe.py" "$folder"
done
mkdir -p "$cache"
trap session_end EXIT
session_begin "$cache"
stand_ins "$WINEPREFIX" "$folder/birkez/_internal/PySide6"
unset BIRKEZ_HOME BIRKEZ_SCHEDULER # whoever starts this: the person there has none
export PYTHONIOENCODING=utf-8
person=$(find "$WINEPREFIX/drive_c/users" -mindepth 1 -maxdepth 1 -type d ! -name Public)
programs=$person/AppData/Local/Programs/Birkez
run_key='HKCU\Software\Microsoft\Windows\CurrentVersion\Run'
rm -rf "$programs" "$person/AppData/Local/birkez"
run_on_windows 20 reg delete 'HKCU\Software\Birkez' /f >/dev/null || true

# An installer for 32 bits ends with 0 here and installs nothing: files alone prove it.
run_on_windows 120 "$folder/birkez-0.1.0-setup.exe" /S || fail "install"
for name in birkez.exe birkez-tray.exe birkez-run.exe uninstall.exe; do
    [ -f "$programs/$name" ] || fail "$name was not installed"
done
[ -f "$person/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Birkez.lnk" ] || fail "no shortcut"
shortcut=$person/AppData/Roaming/Microsoft/Windows/Start\ Menu/Programs/Birkez.lnk
python3 "$here/shortcut.py" "$shortcut" Birkez.Tray || fail "the shortcut has not the program's AppUserModelID"
run_on_windows 20 reg query "$run_key" /v Birkez | grep -q 'birkez-tray.exe' || fail "no start at log-on"
run_on_windows 30 "$programs/birkez.exe" --version | grep -q '^birkez ' || fail "--version"
run_on_windows 120 "$programs/birkez.exe" demo >/dev/null || fail "demo"

# A job at work keeps its program: neither an upgrade nor an uninstaller takes it away, and both say so.
desk=$WINEPREFIX/drive_c/desk
mkdir -p "$desk" && rm -f "$desk"/*
cat >"$desk/long.py" <<'CODE'
import os, time

def process(window, tx):
    open(r"C:\desk\begun", "w").close()
    while not os.path.exists(r"C:\desk\go"):
        time.sleep(0.1)
    import plistlib, tabnanny
    tx.execute("CREATE TABLE IF NOT EXISTS done (at)")
CODE
cat >"$desk/many.py" <<'CODE'
import multiprocessing

def square(number):
    return number * number

def process(window, tx):
    with multiprocessing.Pool(2) as pool:
        open(r"C:\desk\squares", "w").write(str(sum(pool.map(square, range(5)))))
CODE
for name in long many; do
    cat >"$desk/$name.toml" <<JOB
title = "$name"
[window]
step = "1d"
timezone = "UTC"
lateness = "0s"
start = $(date -u -d yesterday +%Y-%m-%d)T00:00:00Z
[effect]
kind = "python"
database = "$name.db"
callable = "$name.py:process"
JOB
    run_on_windows 60 "$programs/birkez.exe" job add "C:\\desk\\$name.toml" --id $name --no-schedule \
        --create-database --forget >/dev/null || fail "job add $name"
done
run_on_windows 120 "$programs/birkez.exe" run many >/dev/null || fail "a job with processes of its own"
grep -q '^30$' <(cat "$desk/squares"; echo) || fail "processes of a job's own"
run_on_windows 300 "$programs/birkez-run.exe" run long --trigger schedule &
at_work=$!
for _ in $(seq 100); do [ -e "$desk/begun" ] && break; sleep 0.2; done
[ -e "$desk/begun" ] || fail "the job never began"
status=0
run_on_windows 120 "$folder/birkez-9.0.0-setup.exe" /S || status=$?
[ "$status" -eq 5 ] || fail "an upgrade beside a job at work ended with $status"
[ -f "$programs/birkez.exe" ] && [ -d "$programs/_internal" ] || fail "the refused upgrade took programs away"
run_on_windows 60 "$programs/uninstall.exe" /S || true
sleep 3 # it goes on after its end
[ -f "$programs/birkez-run.exe" ] || fail "the uninstaller took a program that works"
touch "$desk/go"
wait "$at_work" || fail "the job at work ended badly"
grep -q 'ISLENDI' "$person/AppData/Local/birkez/logs/long.log" || fail "the job at work was not recorded"

run_on_windows 120 "$programs/birkez-tray.exe" --hidden &
for _ in $(seq 60); do [ -e "$person/AppData/Local/birkez/tray.lock" ] && break; sleep 0.5; done
[ -e "$person/AppData/Local/birkez/tray.lock" ] || fail "the tray did not start"
run_on_windows 180 "$folder/birkez-9.0.0-setup.exe" /S || fail "upgrade while the tray runs"
run_on_windows 20 reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Birkez' /v DisplayVersion |
    grep -q '9\.0\.0' || fail "the upgrade is not recorded"
[ ! -e "$programs/_internal.old" ] || fail "the upgrade left the old programs"
run_on_windows 30 "$programs/birkez.exe" --version | grep -q '^birkez ' || fail "--version after the upgrade"

run_on_windows 60 "$programs/uninstall.exe" /S || fail "uninstall"
for _ in $(seq 60); do [ -e "$programs" ] || break; sleep 0.5; done
[ ! -e "$programs" ] || fail "the uninstaller left $(ls "$programs")"
[ -d "$person/AppData/Local/birkez" ] || fail "the uninstaller deleted the person's jobs"
if run_on_windows 20 reg query "$run_key" /v Birkez | grep -q birkez; then fail "log-on entry left"; fi
echo "installer: all as it should be"
