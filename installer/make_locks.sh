#!/bin/bash
# Pin pyproject.toml's dependencies, with the hash of every file, for all systems and Pythons at once.
# Needs uv. Without arguments versions stay as they are; `--upgrade` takes the newest.
set -euo pipefail
cd "$(dirname "$0")/.."

pin() { # pin LOCK WORDS…
    local lock=$1
    shift
    uv pip compile pyproject.toml "$@" --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-annotate --quiet \
        --custom-compile-command installer/make_locks.sh --output-file "installer/$lock"
}

pin requirements.lock "$@"
pin requirements-tray.lock --extra tray --constraint installer/requirements.lock "$@"
pin requirements-freeze.lock --extra tray --group freeze --constraint installer/requirements-tray.lock "$@"
pin requirements-test.lock --extra tray --extra postgresql --group dev --constraint installer/requirements-tray.lock "$@"
