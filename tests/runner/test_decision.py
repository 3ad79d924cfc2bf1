"""A preview and a run ask one function, so they cannot disagree; and a preview leaves no trace."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.runner.office import Office, utc, wait_until
from tests.runner.playing import play
from trayapp.errors import StateError, UsageError
from trayapp.job.pause import pause
from trayapp.runner.decision import Wish
from trayapp.runner.preview import preview


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below *folder*, to the byte; a WAL's index is memory that happens to have a name."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.parametrize("kind", ["sql", "command"])
@pytest.mark.parametrize("has_run", [False, True])
def test_preview_writes_nothing(office: Office, kind: str, *, has_run: bool) -> None:
    office.open_shop()
    if kind == "sql":
        office.sql_job("satis")
    else:
        office.command_job("satis", "exit 0")
    if has_run:
        office.run_here("satis", "2026-09-04T11:00:00Z")
    pause(office.places, "satis", utc("2026-09-04T11:30:00Z"))  # over by then
    office.set_clock("2026-09-04T12:00:00Z")
    before = snapshot(office.folder.parent)
    found = preview(office.places, Wish("satis"))
    after = snapshot(office.folder.parent)
    kept = {name for name in after if not name.startswith("state/cache/")}  # a parsed job file, of no consequence
    assert kept == {name for name in before if not name.startswith("state/cache/")}
    assert all(after[name] == before[name] for name in kept)
    assert len(found.decision.take) == (1 if has_run else 2)


@pytest.mark.linux  # faketime
def test_preview_knows_that_a_command_lives_on_without_its_runner(office: Office) -> None:
    office.command_job("posta", "echo $$ > canli; while [ ! -e dur ]; do sleep 0.02; done")
    runner = office.start("posta", at="2026-09-04T11:00:00Z")
    wait_until((office.folder / "canli").exists)
    runner.kill()
    runner.wait()
    office.set_clock("2026-09-04T12:00:00Z")
    try:
        found = preview(office.places, Wish("posta"))
        _, ran = office.run_here("posta", "2026-09-04T12:00:00Z")
        assert ran.said[-1] == ("ATLANDI", "kilit")
        assert found.running is not None
        assert found.running.key == ran.lines[-1].fields["anahtar"]
    finally:
        (office.folder / "dur").touch()


@pytest.mark.parametrize(
    ("now", "window", "code"),
    [
        ("2026-09-04T12:00:00Z", "2026-09-04T12:00:00Z", "window-not-closed"),
        ("2026-09-04T12:00:00Z", "2026-09-05T00:00:00Z", "window-not-closed"),
        ("2026-09-04T12:00:00Z", "2026-09-04T09:00:00Z", "window-before-start"),
        ("2026-09-04T12:00:00Z", "2026-09-04T11:10:00Z", "window-off-grid"),
        ("2026-09-04T11:04:59Z", "2026-09-04T10:00:00Z", "window-not-closed"),
        ("2026-09-01T12:00:00Z", None, "clock-behind"),
        ("2029-09-01T12:00:00Z", None, "clock-jumped"),
    ],
)
def test_preview_refuses_what_a_run_refuses(office: Office, now: str, window: str | None, code: str) -> None:
    office.open_shop()
    office.sql_job("satis", window='lateness = "5m"')
    if window is None:
        office.run_here("satis", "2026-09-04T12:05:00Z")
    wish = Wish("satis", window=utc(window) if window else None)
    answer, ran = office.run_here("satis", now, "manual", window=wish.window)
    assert answer.reason == code
    assert ran.said == [("ATLANDI" if code.startswith("window-") else "HATA", code)]
    with pytest.raises((UsageError, StateError), match=code) as caught:
        preview(office.places, wish)
    assert answer.error is not None
    assert caught.value.exit_status == answer.exit_status
    assert caught.value.facts == answer.error.facts


@pytest.mark.parametrize("seed", range(3))
def test_preview_says_what_the_run_then_does_in_whatever_state_a_job_gets(office: Office, seed: int) -> None:
    play(office, random.Random(seed), steps=60)
