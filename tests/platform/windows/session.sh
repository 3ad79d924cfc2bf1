# Source this, then `session_begin CACHE`, `run_on_windows LIMIT WORDS…`, `session_end`.
#
# One Wine session: a screen, a server that stays, and a window that stays. Without the last
# two, the first child that needs a desktop starts one that inherits the caller's pipe, and
# the caller, though its child is long done, waits for the end of that pipe for ever.
# Every step has a limit, since a stuck Wine answers nothing.

WINE=/usr/lib/wine/wine64 # the program itself: the wrapper `wine` complains about missing 32-bit parts
export WINEARCH=win64 WINEDEBUG=-all
# No questions about Mono and Gecko, no menu entries; Microsoft's C runtime where it lies beside a program.
export WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=d;ucrtbase=n,b"

session_begin() {
    local cache=$1 display_pipe
    export WINEPREFIX=$cache/prefix

    # A Turkish Windows, code pages 1254 and 857, as most of its users have. The locale must
    # exist: without its character set Wine cannot create a file named ş.
    if [ ! -e "$cache/locale/tr_TR.UTF-8" ]; then
        mkdir -p "$cache/locale"
        localedef --inputfile=tr_TR --charmap=UTF-8 "$cache/locale/tr_TR.UTF-8" || return
    fi
    on_wine=(env "LOCPATH=$cache/locale" LC_ALL=tr_TR.UTF-8 "$WINE")

    display_pipe=$(mktemp -u) && mkfifo "$display_pipe"
    Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$display_pipe" >/dev/null 2>&1 &
    SCREEN_PID=$!
    read -r -t 20 DISPLAY_NUMBER <"$display_pipe" || { echo "no virtual screen within 20 s" >&2; return 1; }
    rm -f "$display_pipe"
    export DISPLAY=:$DISPLAY_NUMBER

    if [ ! -e "$WINEPREFIX/whole" ]; then
        rm -rf "$WINEPREFIX"
        quietly 120 "${on_wine[@]}" wineboot --init
        quietly 60 wineserver -w
        quietly 60 "${on_wine[@]}" winecfg -v win10 # a new prefix says it were Windows 7
        quietly 60 wineserver -w
        [ -e "$WINEPREFIX/drive_c/windows/system32/kernel32.dll" ] ||
            { echo "Wine made no prefix in $WINEPREFIX" >&2; return 1; }
        touch "$WINEPREFIX/whole"
    fi
    quietly 20 wineserver -p
    "${on_wine[@]}" winver </dev/null >/dev/null 2>&1 &
    WINDOW_PID=$!
    # The window stands as soon as the desktop answers a program that asks for it.
    quietly 60 "${on_wine[@]}" cmd /c exit
}

quietly() { # quietly LIMIT WORDS…
    timeout --kill-after=5 "$@" </dev/null >/dev/null 2>&1 || true
}

# Run a Windows program with a limit in seconds, its output on ours; returns its exit status.
# Its streams are pipes: Wine cannot describe a regular Linux file, and CPython dies of that.
run_on_windows() {
    local pipe reader status=0
    pipe=$(mktemp -u) && mkfifo "$pipe"
    cat <"$pipe" &
    reader=$!
    timeout --kill-after=10 "$1" "${on_wine[@]}" "${@:2}" </dev/null >"$pipe" 2>&1 || status=$?
    rm -f "$pipe"
    # A process left behind may hold the pipe; what the program itself wrote is read by then.
    for _ in $(seq 30); do
        kill -0 "$reader" 2>/dev/null || break
        sleep 0.1
    done
    kill "$reader" 2>/dev/null || true
    wait "$reader" 2>/dev/null || true
    return "$status"
}

session_end() {
    [ -z "${WINEPREFIX:-}" ] || quietly 20 wineserver -k
    [ -z "${WINDOW_PID:-}" ] || kill "$WINDOW_PID" 2>/dev/null || true
    [ -z "${SCREEN_PID:-}" ] || kill "$SCREEN_PID" 2>/dev/null || true
}
