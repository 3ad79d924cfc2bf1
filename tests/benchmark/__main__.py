"""`python -m tests.benchmark`: one table an area, each figure beside its peer's in the same run.

Nothing here fails on time: machines differ. `test_counts.py` fails on counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tests.benchmark.catch_up import measure_catch_up
from tests.benchmark.counts import measure_counts
from tests.benchmark.fan_out import measure_fan_out
from tests.benchmark.history import measure_history
from tests.benchmark.keys import measure_keys
from tests.benchmark.locks import measure_locks
from tests.benchmark.measure import Bench, file_system_of, machine
from tests.benchmark.peers import KEPT
from tests.benchmark.starts import measure_starts
from tests.benchmark.table import Table, as_markdown, as_plain

_AREAS: dict[str, Callable[[Bench], Table]] = {
    "starts": measure_starts,
    "keys": measure_keys,
    "windows": measure_catch_up,
    "locks": measure_locks,
    "counts": measure_counts,
    "history": measure_history,
    "fan_out": measure_fan_out,
}
_IN_MEMORY = ("tmpfs", "ramfs")


def main() -> int:
    """Measure what was asked for; returns the exit status."""
    options = _options()
    options.dir.mkdir(parents=True, exist_ok=True)
    if file_system_of(options.dir) in _IN_MEMORY:
        print(f"{options.dir} lies in memory, where a commit costs nothing; name a folder on a disk with --dir.")
        return 2
    bench = Bench(options.dir, options.quick)
    facts = machine(options.dir)
    print("\n".join(f"{name}: {fact}" for name, fact in facts.items()), end="\n\n", flush=True)
    tables = []
    for name in options.only or _AREAS:
        tables.append(_AREAS[name](bench))
        print(as_markdown(tables[-1]), flush=True)
    answer = {"machine": facts, "quick": bench.quick, "tables": [as_plain(table) for table in tables]}
    options.json.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Written to {options.json}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and records: a minute, and rough figures")
    parser.add_argument("--only", nargs="+", choices=_AREAS, metavar="AREA", help=", ".join(_AREAS))
    parser.add_argument("--dir", type=Path, default=KEPT, help="folder on the disk to measure (default: %(default)s)")
    parser.add_argument("--json", type=Path, default=KEPT / "results.json", help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
