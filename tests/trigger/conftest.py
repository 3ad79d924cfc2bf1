"""Jobs on the shelf, and a scheduler in memory to register them with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trigger.memory_backend import MemoryBackend, Table


class Shelf:
    """Job files of one home, written as a person or an earlier Birkez left them."""

    def __init__(self, places) -> None:
        self.places = places

    def put(self, job_id: str, schedule: str = 'daily = ["02:30"]', *, enabled: bool = True) -> None:
        table = f"[schedule]\n{schedule}\n" if schedule else ""
        Path(self.places.job_file(job_id)).write_text(
            f'title = "{job_id}"\nenabled = {str(enabled).lower()}\n{table}'
            '[window]\nstep = "1h"\nstart = 2026-09-04T10:00:00Z\n'
            '[effect]\nkind = "command"\nargv = ["true"]\n',
            encoding="utf-8",
        )

    def spoil(self, job_id: str) -> None:
        Path(self.places.job_file(job_id)).write_text("", encoding="utf-8")

    def take_away(self, job_id: str) -> None:
        Path(self.places.job_file(job_id)).unlink()


@pytest.fixture
def shelf(birkez_home) -> Shelf:
    return Shelf(birkez_home)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def backend(birkez_home, table) -> MemoryBackend:
    return MemoryBackend(birkez_home, table)
