# Source this, then `stand_ins PREFIX PYSIDE` after the prefix stands and before Qt is started.
#
# Qt asks for two of Windows' own libraries that this Wine lacks, wholly or in part. Empty ones with
# the names that Qt looks up do: nothing here converts old encodings or reads colour profiles.
# They lie in system32, as on Windows; beside PySide6 a packager would take them for a part of it.

stand_ins() { # stand_ins PREFIX PYSIDE
    local system=$1/drive_c/windows/system32 library work
    work=$(mktemp -d) || return
    for library in icuuc mscms; do
        find "$2" -maxdepth 3 -name '*.dll' -exec x86_64-w64-mingw32-objdump --private-headers {} + |
            awk -v wanted="$library.dll" '
                /DLL Name:/ { ours = tolower($3) == wanted; next }
                ours && NF == 3 && $2 ~ /^[0-9]+$/ && $3 ~ /^[A-Za-z_]+$/ { print $3 }' | sort -u >"$work/names"
        [ -s "$work/names" ] || continue
        awk '{ print "__declspec(dllexport) long long " $1 "(void) { return 0; }" }' "$work/names" >"$work/$library.c"
        x86_64-w64-mingw32-gcc -shared -s -fno-builtin -o "$system/$library.dll" "$work/$library.c" || return
        export WINEDLLOVERRIDES="$WINEDLLOVERRIDES;$library=n"
    done
    rm -rf "$work"
}
