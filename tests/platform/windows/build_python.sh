#!/bin/bash
# Assemble the genuine Windows CPython, of this Python's minor version, with the tests' packages.
# usage: build_python.sh PYTHON DEST      PYTHON: a Linux interpreter, whose standard library is taken
#
# DEST appears whole or not at all; an existing one of the same ingredients is kept.
set -euo pipefail

python=$1 dest=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
locks=$here/../../../installer
minor=$("$python" -c 'import sys; print(sys.version_info.minor)')

# What the suite imports on Windows. Tools that only look at text (ruff, mypy, …) stay out.
packages=(
    colorama cronsim execnet hypothesis iniconfig packaging platformdirs pluggy psutil pygments
    pytest pytest-randomly pytest-timeout pytest-xdist sortedcontainers tomlkit tzdata urllib3
)

stamp=$(cat "$here"/{build_python.sh,launcher.c,runtime.lock} "$locks/requirements-test.lock" \
    <("$python" -VV) | sha256sum)
if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "build_python.sh: line $LINENO failed" >&2' ERR
tree=$work/tree
mkdir -p "$tree/DLLs" "$tree/Lib/site-packages"

fetch() { # fetch LOCK WORDS…: only files whose hashes we know, for Windows
    "$python" -m pip --disable-pip-version-check --quiet "${@:2}" --no-deps --require-hashes \
        --only-binary=:all: --platform win_amd64 --python-version "3.$minor" -r "$1" 2>"$work/pip.log" ||
        { cat "$work/pip.log" >&2; exit 1; }
}

fetch "$here/runtime.lock" download -d "$work"
(cd "$work" && for wheel in panda3d-*.whl pynsist-*.whl; do "$python" -m zipfile -e "$wheel" carried; done)
carried=$work/carried/deploy_libs

# The interpreter beside its C runtime; Wine brings the api-ms-win-* forwarders itself.
mv "$carried/python3$minor.dll" "$carried"/[Vv][Cc][Rr]*.dll "$tree/"
cp "$work/carried/nsist/msvcrt/x64/ucrtbase.dll" "$tree/"
rm -f "$carried"/api-ms-win-*.dll "$carried"/*cp3*-win_amd64.pyd
mv "$carried"/*.pyd "$carried"/*.dll "$tree/DLLs/"

# Python's own modules in Python are the same on all systems. Compiled and in one file, as Windows'
# embeddable Python has them: under Wine each file that an import looks at costs a millisecond.
"$python" - "$tree/python3$minor.zip" <<'PACK'
import os, py_compile, sys, sysconfig, zipfile
left_out = {"__pycache__", "dist-packages", "ensurepip", "idlelib", "lib2to3", "lib-dynload", "site-packages", "test",
            "tests", "tkinter", "turtledemo"}
stdlib = sysconfig.get_path("stdlib")
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_STORED) as archive:
    for folder, folders, files in os.walk(stdlib):
        folders[:] = sorted(name for name in folders if name not in left_out and not name.startswith("config-3"))
        for name in sorted(file for file in files if file.endswith(".py")):
            source = os.path.join(folder, name)
            path = os.path.relpath(source, stdlib)
            code = py_compile.compile(source, sys.argv[1] + "c", dfile=path, doraise=True,
                                      invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            archive.write(code, path + "c")
            archive.write(source, path)  # tracebacks and inspect show it
os.remove(sys.argv[1] + "c")
PACK
x86_64-w64-mingw32-gcc -O2 -s -municode -DPYTHON_DLL="L\"python3$minor.dll\"" \
    -o "$tree/python.exe" "$here/launcher.c"
# The one without a console, which the scheduler starts.
x86_64-w64-mingw32-gcc -O2 -s -municode -Wl,--subsystem,windows -DPYTHON_DLL="L\"python3$minor.dll\"" \
    -o "$tree/pythonw.exe" "$here/launcher.c"

# Extension modules of the stable ABI (psutil) are linked to python3.dll, which only forwards.
x86_64-w64-mingw32-objdump --private-headers "$tree/python3$minor.dll" |
    awk -v dll="python3$minor" '
        BEGIN { print "LIBRARY python3.dll"; print "EXPORTS" }
        /^\[Ordinal\/Name Pointer\] Table/ { names = 1; next }
        NF == 0 { names = 0 }
        names { print "  " $NF "=" dll "." $NF }' >"$work/python3.def"
echo 'int __stdcall begin(void *dll, unsigned why, void *more) { return 1; }' >"$work/python3.c"
x86_64-w64-mingw32-gcc -shared -nostdlib -s -Wl,--entry=begin -o "$tree/python3.dll" \
    "$work/python3.c" "$work/python3.def"

# pip judges a lock's markers by the system that it runs on; here it installs for another.
"$python" - "$locks/requirements-test.lock" "${packages[@]}" >"$work/packages.lock" <<'PICK'
import re, sys
wanted = set(sys.argv[2:])
with open(sys.argv[1], encoding="utf-8") as lock:
    for entry in re.split(r"^(?=\w)", lock.read(), flags=re.MULTILINE):
        name = entry.partition("==")[0]
        if name in wanted:
            wanted.remove(name)
            print(re.sub(r" ; [^\\\n]*", " ", entry), end="")
sys.exit(f"not in the lock: {wanted}" if wanted else 0)
PICK
fetch "$work/packages.lock" install --target "$tree/Lib/site-packages"

printf '%s\n' "$stamp" >"$tree/stamp"
rm -rf "$dest"
mkdir -p "$(dirname "$dest")"
mv "$tree" "$dest"
