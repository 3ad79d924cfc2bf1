"""Eight processes and two homes edit one crontab at once, and nobody's lines are lost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import CHECKOUT
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.places import Places
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.crontab import Crontab

pytestmark = pytest.mark.posix

PROCESSES, JOBS = 8, 4
EDITS = """
import sys
from tests.trigger.test_crontab_race import hourly, places_of
from trayapp.trigger.crontab import Crontab
folder, number, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
backend = Crontab(places_of(folder, number % 2))
for job in range(count):
    backend.install([hourly(f"gone-{number}-{job}")])
    backend.install([hourly(f"job-{number}-{job}")])
    backend.remove([f"gone-{number}-{job}"])
"""


def places_of(folder: str, number: int) -> Places:
    return Places(f"{folder}/home{number}/config", f"{folder}/home{number}/state")


def hourly(job_id: str):
    from datetime import UTC, datetime

    from trayapp.job.model import CommandEffect, Job, WindowRule
    from trayapp.job.schedule import Every

    rule = WindowRule("1h", datetime(2026, 9, 4, tzinfo=UTC))
    return Job(job_id, job_id, f"/x/{job_id}.toml", rule, CommandEffect(("true",)), Every(60))


@pytest.mark.timeout(60)
def test_eight_at_once_lose_nothing(tmp_path, monkeypatch):
    fake = FakeCrontab(tmp_path / "fake")
    monkeypatch.setenv("PATH", fake.path)
    fake.table = b"0 5 * * * hers\r\n# no line end"
    fake.let("slowly")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", EDITS, str(tmp_path), str(number), str(JOBS)],
            cwd=CHECKOUT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    assert [(process.communicate(timeout=50)[1], process.returncode) for process in processes] == [("", 0)] * PROCESSES
    for home in range(2):
        standing = {entry.job for entry in Crontab(places_of(str(tmp_path), home)).entries()}
        jobs = {f"job-{number}-{job}" for number in range(home, PROCESSES, 2) for job in range(JOBS)}
        assert standing == jobs | {ALL_JOBS}
    for home in range(2):
        backend = Crontab(places_of(str(tmp_path), home))
        backend.remove([entry.job for entry in backend.entries()])
    assert fake.table == b"0 5 * * * hers\r\n# no line end"


def test_edit_of_somebody_else_between_our_look_and_our_write_is_kept(tmp_path, monkeypatch, birkez_home):
    fake = FakeCrontab(tmp_path / "fake")
    monkeypatch.setenv("PATH", fake.path)
    fake.table = b"# hers\n"
    # She saves between our first look and our second.
    program = fake.folder / "crontab"
    text = program.read_text(encoding="utf-8")
    meanwhile = (
        'if [ "$1" = -l ] && [ "$(grep -c -e -l "$here/calls")" = 3 ]; then echo "# saved" >> "$here/table"; fi\n'
    )
    program.write_text(text.replace("case $1 in", meanwhile + "case $1 in", 1), encoding="utf-8")
    Crontab(birkez_home).install([hourly("satis")])
    assert fake.table.startswith(b"# hers\n# saved\n# >>> birkez")


def test_table_that_never_rests_is_left_alone(tmp_path, monkeypatch, birkez_home):
    from trayapp.errors import TriggerError

    fake = FakeCrontab(tmp_path / "fake")
    monkeypatch.setenv("PATH", fake.path)
    fake.table = b"# hers\n"
    program = fake.folder / "crontab"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("-l)", '-l)\n    echo "# more" >> "$here/table"', 1), encoding="utf-8")
    with pytest.raises(TriggerError, match="crontab-busy"):
        Crontab(birkez_home).install([hourly("satis")])
    assert b"birkez" not in fake.table
    assert fake.writes() == 0
