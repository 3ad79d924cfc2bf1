"""What a run says whose Python code hung: told by the process that recorded it in the run's place."""

from __future__ import annotations

import sys

from trayapp.cli.answers import answer_lines
from trayapp.runner.hang import record_hang


def tell_hang(text: str) -> int:
    """Record the attempt that *text* tells of, and say what the run would have said; returns its exit status."""
    answer, wish = record_hang(text)
    if sys.stderr is not None and (wish.trigger == "manual" or answer.is_first_failure):
        from trayapp.wording.speech import make_printable  # noqa: PLC0415  # a streak's later ones say nothing

        make_printable(sys.stderr)
        print("birkez:", wish.job + ":", *map(str.strip, answer_lines(answer, wish.job)), file=sys.stderr)
    return answer.exit_status
