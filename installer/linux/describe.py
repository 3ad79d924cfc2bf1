"""Manual page and completion of `birkez`, made from its own parser: `describe.py man|bash`.

Run with an interpreter that has Birkez's packages; the language is the locale's.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from trayapp.cli.main import make_parser
from trayapp.wording.speech import _

_COMPLETION = """\
# Completion of birkez for bash. Jobs are those of the person's own folder.
_birkez() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} asked="${{COMP_WORDS[1]:-}}" below="${{COMP_WORDS[2]:-}}" home words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case $asked:$below in
{cases}        esac
        if [[ $word != -* ]]; then
            home=${{BIRKEZ_HOME:+$BIRKEZ_HOME/config}}
            home=${{home:-${{XDG_CONFIG_HOME:-$HOME/.config}}/birkez}}
            local file
            for file in "$home"/jobs/*.toml; do
                [ -e "$file" ] || continue
                file=${{file##*/}}
                words+=" ${{file%.toml}}"
            done
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _birkez birkez
"""


def main(form: str) -> None:
    """Print it in *form*."""
    parser = make_parser(())
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # whatever the locale's is
    print(_man(parser) if form == "man" else _bash(parser), end="")


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001  # no public way
    return dict(found[0].choices) if found else {}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings if name.startswith("--")]  # noqa: SLF001  # as above


def _bash(parser: argparse.ArgumentParser) -> str:
    cases = ""
    for name, command in _commands(parser).items():
        below = _commands(command)
        for word, inner in below.items():
            cases += f'            {name}:{word}) words="{" ".join(_options(inner))}" ;;\n'
        words = " ".join([*below, *_options(command)])
        cases += f'            {name}:*) words="{words}" ;;\n'
    return _COMPLETION.format(commands=" ".join([*_commands(parser), *_options(parser)]), cases=cases)


def _man(parser: argparse.ArgumentParser) -> str:
    lines = ['.TH BIRKEZ 1 "" "Birkez" ""', ".SH " + "NAME", f"birkez \\- {_text(parser.description or '')}"]
    lines += [
        ".SH " + "SYNOPSIS",
        ".B birkez",
        "\\fI" + _text(_("COMMAND")) + "\\fR",
        ".RI [ ... ]",
        ".br",
        ".B birkez\\-tray",
    ]
    lines += [".SH " + _text(_("commands")).upper()]
    for name, command in _commands(parser).items():
        lines += [".TP", f".B {_text(name)}", _text(command.description or "")]
        for word, inner in _commands(command).items():
            lines += [".RS", ".TP", f".B {_text(name)} {_text(word)}", _text(inner.description or ""), ".RE"]
    lines += [".SH " + "SEE ALSO", ".BR crontab (1),", ".B birkez COMMAND \\-\\-help"]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    safe = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + safe if safe.startswith((".", "'")) else safe


if __name__ == "__main__":
    main(sys.argv[1])
