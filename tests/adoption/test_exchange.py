"""Adopting and giving back: one write, the old line at its place, and after a crash anywhere one of the two at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adoption.conftest import adopt_entry, entries_of
from tests.conftest import CHECKOUT
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.adoption import exchange
from trayapp.adoption.exchange import Wish, plan, release, settle, undo
from trayapp.adoption.settling import settle_started
from trayapp.errors import BirkezError, NoSuchJobError, TriggerError, UsageError
from trayapp.job import shelf
from trayapp.places import find_places
from trayapp.trigger import journal, registration
from trayapp.trigger.adopted import read_adopted
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.health import look
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.posix

TABLE = b'MAILTO=""\n# Gece yede\xc4\x9fi\n30 1 * * * /x/backup.sh\t a  \n\n0 3 * * * /x/other.sh'
LINE = b"30 1 * * * /x/backup.sh\t a  \n"


@pytest.fixture
def backend(birkez_home, crontab) -> Crontab:
    crontab.table = TABLE
    return Crontab(birkez_home)


def entry(table: bytes | None, number: int = 3):
    return next(entry for entry in entries_of(table or b"") if entry.number == number)


def test_line_is_out_and_ours_in_by_one_write(birkez_home, backend, crontab):
    crontab.table = TABLE + b"\n"
    job_id = adopt_entry(birkez_home, entry(crontab.table))
    assert job_id == "gece-yedegi"
    assert crontab.writes() == 1
    assert crontab.table.startswith(TABLE[: TABLE.index(LINE)] + b"# birkez ")
    assert b"starts this as gece-yedegi: " + LINE in crontab.table
    assert [one.job for one in backend.entries()] == ["gece-yedegi", ""]
    assert look(birkez_home, backend).of("gece-yedegi").state in ("installed", "stopped")
    (job,) = shelf.read_all(birkez_home)
    assert (job.effect.argv, job.effect.repeatable) == (("/x/backup.sh", "a"), True)


def test_last_line_without_an_end_comes_back_as_it_was(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE, 5))
    assert release(birkez_home, backend, job_id).is_at_its_place
    assert crontab.table == TABLE


def test_line_comes_back_to_its_place_among_what_others_have_edited(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE))
    kept = next(line for line in crontab.table.splitlines(keepends=True) if LINE in line)
    crontab.table = b"5 5 * * * new\n" + kept + crontab.table.replace(kept, b"")  # moved, and a line above it
    assert release(birkez_home, backend, job_id).is_at_its_place
    assert crontab.table == b"5 5 * * * new\n" + LINE + TABLE.replace(LINE, b"")


def test_line_whose_place_somebody_removed_goes_behind_the_others(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE))
    crontab.table = b"".join(line for line in crontab.table.splitlines(keepends=True) if LINE not in line)
    assert not release(birkez_home, backend, job_id).is_at_its_place
    assert crontab.table == TABLE.replace(LINE, b"") + b"\n" + LINE


def test_line_that_somebody_put_back_by_hand_is_not_doubled(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE))
    kept = next(line for line in crontab.table.splitlines(keepends=True) if LINE in line)
    crontab.table = crontab.table.replace(kept, LINE)
    release(birkez_home, backend, job_id)
    assert crontab.table == TABLE


def test_release_finds_the_line_of_a_job_that_was_removed_and_whose_entry_is_gone(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE))
    shelf.remove(birkez_home, job_id)
    registration.remove(birkez_home, backend, [job_id])
    assert LINE in crontab.table
    done = release(birkez_home, backend, job_id)
    assert (done.had_job, done.is_at_its_place) == (False, True)
    assert crontab.table == TABLE


def test_of_twin_lines_the_named_one_goes(birkez_home, backend, crontab):
    crontab.table = b"0 1 * * * a\n# between\n0 1 * * * a\n"
    job_id = adopt_entry(birkez_home, entry(crontab.table))
    assert crontab.table.startswith(b"0 1 * * * a\n# between\n# birkez")
    release(birkez_home, backend, job_id)
    assert crontab.table == b"0 1 * * * a\n# between\n0 1 * * * a\n"


def test_line_that_changed_meanwhile_is_left_alone(birkez_home, backend, crontab):
    found = entry(TABLE)
    crontab.table = TABLE.replace(b"30 1", b"31 1")
    with pytest.raises(TriggerError, match="adopt-changed"):
        adopt_entry(birkez_home, found)
    assert crontab.table == TABLE.replace(b"30 1", b"31 1")
    assert (shelf.job_ids(birkez_home), read_adopted(birkez_home)) == ([], [])


@pytest.mark.parametrize("trouble", ["write-fails", "write-lies", "list-fails"])
def test_scheduler_that_says_no_leaves_everything_as_it_was(birkez_home, backend, crontab, trouble):
    crontab.table = TABLE + b"\n"
    found = entry(TABLE)
    crontab.let(trouble, "no space left")
    with pytest.raises(TriggerError) as refused:
        adopt_entry(birkez_home, found)
    assert sentence(refused.value)
    crontab.mend()
    assert crontab.table == TABLE + b"\n"
    settle(birkez_home, backend)
    assert (shelf.job_ids(birkez_home), read_adopted(birkez_home)) == ([], [])


def test_release_that_the_scheduler_refuses_keeps_the_job(birkez_home, backend, crontab):
    crontab.table = TABLE + b"\n"
    job_id = adopt_entry(birkez_home, entry(TABLE))
    adopted = crontab.table
    crontab.let("write-fails", "no space left")
    with pytest.raises(TriggerError, match="crontab-refused"):
        release(birkez_home, backend, job_id)
    assert (crontab.table, shelf.job_ids(birkez_home)) == (adopted, [job_id])
    crontab.mend()
    release(birkez_home, backend, job_id)
    assert crontab.table == TABLE + b"\n"


def test_id_that_was_taken_meanwhile_gives_the_line_back(birkez_home, backend, crontab):
    found = entry(TABLE)
    job, text = plan(birkez_home, found, Wish(repeatable=True))
    Path(birkez_home.job_file(job.id)).write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="job-id-taken"):
        exchange.adopt(birkez_home, backend, found, job, text)
    assert crontab.table == TABLE
    assert Path(birkez_home.job_file(job.id)).read_text(encoding="utf-8") == "x"
    assert read_adopted(birkez_home) == []


def test_ids_are_not_those_of_other_jobs_or_of_lines_that_wait_for_their_release(birkez_home, backend):
    first = adopt_entry(birkez_home, entry(TABLE))
    shelf.remove(birkez_home, first)
    assert plan(birkez_home, entry(TABLE), Wish(repeatable=True))[0].id == first + "-2"
    with pytest.raises(UsageError, match="job-id-taken"):
        plan(birkez_home, entry(TABLE), Wish(repeatable=True, job_id=first))
    with pytest.raises(UsageError, match="job-id-malformed"):
        plan(birkez_home, entry(TABLE), Wish(repeatable=True, job_id="Ş"))


def test_what_was_never_adopted_is_not_released(birkez_home, backend):
    with pytest.raises(NoSuchJobError):
        release(birkez_home, backend, "nobody")
    job_id = adopt_entry(birkez_home, entry(TABLE))
    release(birkez_home, backend, job_id)
    with pytest.raises(NoSuchJobError):
        release(birkez_home, backend, job_id)


def test_undo_takes_an_adoption_back_and_refuses_to_undo_a_release(birkez_home, backend, crontab):
    job_id = adopt_entry(birkez_home, entry(TABLE))
    assert journal.read_records(birkez_home)[-1].why == "adopt"
    with pytest.raises(TriggerError, match="trigger-undo-adoption"):
        registration.undo(birkez_home, backend)  # alone it would leave the job's file
    assert undo(birkez_home, backend).jobs == (job_id,)
    assert (crontab.table, shelf.job_ids(birkez_home)) == (TABLE, [])
    with pytest.raises(TriggerError, match="trigger-undo-adoption"):
        undo(birkez_home, backend)


# ----------------------------------------------------------------------- crashes

# Ends itself before or behind its Nth change of a file, or start of `crontab`.
CRASH = """
import os, subprocess, sys
count, at, after = 0, int(sys.argv[1]), sys.argv[2] == "after"


def counted(real):
    def call(*words, **options):
        global count
        count += 1
        if count == at and not after:
            os._exit(9)
        here = count
        try:
            return real(*words, **options)
        finally:
            if here == at:
                os._exit(9)
    return call


for module, name in ((os, "replace"), (os, "link"), (os, "unlink"), (subprocess, "run")):
    setattr(module, name, counted(getattr(module, name)))
from tests.adoption.conftest import adopt_entry
from tests.adoption.test_exchange import TABLE, entry
from trayapp.adoption.exchange import release
from trayapp.places import find_places
from trayapp.trigger.crontab import Crontab

if sys.argv[3] == "adopt":
    adopt_entry(find_places(), entry(TABLE))
else:
    release(find_places(), Crontab(find_places()), "gece-yedegi")
"""


def crash(direction: str, number: int, when: str) -> int:
    argv = [sys.executable, "-c", CRASH, str(number), when, direction]
    return subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=False).returncode


def who_is_at_work(crontab: FakeCrontab) -> str:
    """Fire what stands in the table, as cron would, and see who does the work."""
    places = find_places()
    line = LINE in crontab.table.splitlines(keepends=True)
    ours = any(found.job == "gece-yedegi" for found in Crontab(places).entries())
    on_shelf = shelf.job_ids(places) == ["gece-yedegi"]
    if line:
        assert not on_shelf, "a start of all jobs would do the work a second time"
    if ours and not on_shelf:
        registration.repair(places, Crontab(places))  # which takes out what starts no job, but not this
        assert settle_started(places, "gece-yedegi")
        on_shelf = shelf.job_ids(places) == ["gece-yedegi"]
    assert line != (ours and on_shelf), (line, ours, on_shelf)
    return "line" if line else "job"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("direction", ["adopt", "release"])
def test_crash_at_any_step_leaves_one_of_the_two_at_work(birkez_home, backend, crontab, direction):
    crontab.table = TABLE + b"\n"
    seen, number, status = [], 1, 9
    while status == 9:
        for when in ("before", "after"):
            if direction == "release" and not shelf.job_ids(birkez_home):
                adopt_entry(birkez_home, entry(crontab.table))
            status = crash(direction, number, when)
            assert status in (0, 9)
            seen.append(who_is_at_work(crontab))
            settle(birkez_home, backend)
            assert who_is_at_work(crontab) == seen[-1], "what was cut off ends in the way it was going"
            assert not any(record.waiting for record in read_adopted(birkez_home))
            if seen[-1] == "job" and (direction == "adopt" or status == 0):
                release(birkez_home, backend, "gece-yedegi")
            assert (direction == "release" and seen[-1] == "job") or crontab.table == TABLE + b"\n"
        number += 1
    first, last = ("line", "job") if direction == "adopt" else ("job", "line")
    assert (seen[0], seen[-1]) == (first, last)
    turn = seen.index(last)
    assert set(seen[:turn]) == {first}
    assert set(seen[turn:]) == {last}, "there is one moment at which the work changes hands"
    assert number > 12, "as many steps as there are"


def test_job_that_waits_is_no_orphan_and_is_settled_by_whoever_looks(birkez_home, backend, crontab, monkeypatch):
    def fails(*_words: object) -> None:
        raise KeyboardInterrupt

    crontab.table = TABLE + b"\n"
    with monkeypatch.context() as patch:
        patch.setattr(exchange, "create_file", fails)
        with pytest.raises(KeyboardInterrupt):
            adopt_entry(birkez_home, entry(TABLE))
    assert look(birkez_home, backend).orphans == ()
    assert settle(birkez_home, backend) == {"gece-yedegi": True}
    assert settle(birkez_home, backend) == {}
    assert shelf.job_ids(birkez_home) == ["gece-yedegi"]


def test_scheduler_own_start_of_a_job_that_waits_runs_it(birkez_home, backend, crontab, run_birkez, monkeypatch):
    def fails(*_words: object) -> None:
        raise KeyboardInterrupt

    crontab.table = b"* * * * * echo done >> " + os.fsencode(birkez_home.state) + b"/done\n"
    with monkeypatch.context() as patch:
        patch.setattr(exchange, "create_file", fails)
        with pytest.raises(KeyboardInterrupt):
            adopt_entry(birkez_home, entry(crontab.table, 1), job_id="often")
    ended = run_birkez("run", "often", "--trigger", "schedule")
    assert ended.returncode == 0, ended
    assert shelf.job_ids(birkez_home) == ["often"]
    log = Path(birkez_home.log_file("often")).read_text(encoding="utf-8")
    assert "ISLENDI" in log or "kapanmis pencere yok" in log
    with pytest.raises(BirkezError):
        release(birkez_home, backend, "nobody")
