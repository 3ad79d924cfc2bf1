"""`python -m tests.full.gui.figures`: what the tray application costs and how quickly it shows what happens.

The tray itself runs on a screen, a bus and a tray of its own; views are measured in this process, without a
screen. Nothing here fails on time: machines differ. `--runs 5000000` takes minutes to write its history.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmark.measure import machine
from tests.benchmark.table import Table, as_markdown
from tests.full.gui.tray_figures import measure_tray
from tests.full.gui.view_figures import measure_views


def main() -> int:
    """Measure, and print a table for each half; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.full.gui.figures", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000, help="runs in the history that views look at")
    parser.add_argument("--rounds", type=int, default=5, help="of each figure, of which the median is told")
    parser.add_argument("--only", choices=("tray", "views"))
    options = parser.parse_args()
    with TemporaryDirectory(prefix="birkez-figures-") as name:
        folder = Path(name)
        print("\n".join(f"{fact}: {told}" for fact, told in machine(folder).items()), end="\n\n", flush=True)
        if options.only != "views":
            print(as_markdown(Table("The tray", _TRAY_NOTE, measure_tray(folder, options.rounds))), flush=True)
        if options.only != "tray":
            rows = measure_views(folder, options.runs, options.rounds)
            print(as_markdown(Table("Its views", _VIEWS_NOTE, rows)), flush=True)
    return 0


_TRAY_NOTE = (
    "`birkez tray` on Xvfb with trayer. Latency is taken from the lock file's time to the tray's own note of it."
)
_VIEWS_NOTE = (
    "Offscreen, 1280×760. Panel and timeline are the GUI thread's own CPU time; a block is the longest time in which "
    "a timer of 5 ms could not be served, on a busy machine by others, too."
)

if __name__ == "__main__":
    sys.exit(main())
