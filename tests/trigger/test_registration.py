from __future__ import annotations

import os
import shutil

import pytest

from trayapp.errors import SetupError, StateError, TriggerError
from trayapp.trigger import journal, registration
from trayapp.trigger.backend import ALL_JOBS


def names(backend) -> set[str]:
    return {entry.job for entry in backend.entries()}


def codes(done) -> dict[str, str]:
    return {job: error.code for job, error in done.refused}


@pytest.fixture
def two(shelf, backend, birkez_home):
    """Two jobs, registered."""
    shelf.put("satis")
    shelf.put("yedek", 'every = "1h"')
    registration.install(birkez_home, backend)


def test_without_names_all_jobs_that_want_one_get_their_entry(shelf, backend, birkez_home):
    shelf.put("satis")
    shelf.put("kapali", enabled=False)
    shelf.put("elle", "")
    done = registration.install(birkez_home, backend)
    assert done.installed == ("satis",)
    assert done.refused == ()
    assert names(backend) == {"satis", ALL_JOBS}


def test_by_name_it_says_why_a_job_gets_none(shelf, backend, birkez_home):
    shelf.put("satis")
    shelf.put("kapali", enabled=False)
    shelf.put("elle", "")
    shelf.spoil("bozuk")
    shelf.put("sayili", 'cron = "0 6 * * 5#2"')
    done = registration.install(birkez_home, backend, ["kapali", "elle", "bozuk", "sayili", "yok", "satis"])
    assert codes(done) == {
        "kapali": "trigger-job-disabled",
        "elle": "trigger-no-schedule",
        "bozuk": "job-file-empty",
        "sayili": "schedule-not-sayable",
        "yok": "no-such-job",
    }
    assert names(backend) == {"satis", ALL_JOBS}


def test_nothing_to_install_writes_nothing(shelf, backend, birkez_home, table):
    shelf.put("elle", "")
    assert registration.install(birkez_home, backend).changes == ()
    assert table.writes == 0
    assert journal.read_records(birkez_home) == []


def test_removal_takes_an_orphan_too(two, shelf, backend, birkez_home):
    shelf.take_away("satis")
    assert registration.remove(birkez_home, backend, ["satis"]).removed == ("satis",)
    assert names(backend) == {"yedek", ALL_JOBS}


# ------------------------------------------------------------------------ follow


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda shelf: shelf.put("satis", enabled=False), {"yedek", ALL_JOBS}),
        (lambda shelf: shelf.put("satis", ""), {"yedek", ALL_JOBS}),
        (lambda shelf: shelf.take_away("satis"), {"yedek", ALL_JOBS}),
        (lambda shelf: shelf.put("satis", 'every = "2h"'), {"satis", "yedek", ALL_JOBS}),
    ],
    ids=["disabled", "without a schedule", "removed", "changed"],
)
def test_entry_follows_its_job(two, shelf, backend, birkez_home, change, left):
    change(shelf)
    registration.follow(birkez_home, backend, "satis", "changed")
    assert names(backend) == left


def test_changed_schedule_is_the_entrys(two, shelf, backend, birkez_home):
    shelf.put("satis", 'every = "2h"')
    registration.follow(birkez_home, backend, "satis", "changed")
    assert [entry.times for entry in backend.entries() if entry.job == "satis"] == [('every = "2h"',)]


def test_broken_job_file_keeps_its_entry(two, shelf, backend, birkez_home):
    before = backend.entries()
    shelf.spoil("satis")
    assert codes(registration.follow(birkez_home, backend, "satis", "changed")) == {"satis": "job-file-empty"}
    assert codes(registration.install(birkez_home, backend, ["satis"])) == {"satis": "job-file-empty"}
    assert codes(registration.repair(birkez_home, backend)) == {"satis": "job-file-empty"}
    assert backend.entries() == before


def test_folder_of_jobs_that_is_gone_takes_no_entry_with_it(two, backend, birkez_home):
    before = backend.entries()
    shutil.rmtree(birkez_home.jobs_dir)  # a drive that is not mounted
    assert codes(registration.follow(birkez_home, backend, "satis", "removed")) == {"satis": "trigger-jobs-missing"}
    with pytest.raises(StateError, match="trigger-jobs-missing"):
        registration.repair(birkez_home, backend)
    assert backend.entries() == before


def test_jobs_that_cannot_be_listed_change_no_entry(two, backend, birkez_home, monkeypatch):
    before = backend.entries()

    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("trayapp.job.shelf.os.listdir", refuse)
    for act in (
        registration.install,
        registration.repair,
        lambda *words: registration.follow(*words, "satis", "removed"),
    ):
        with pytest.raises(SetupError, match="job-folder-unreadable"):
            act(birkez_home, backend)
    assert backend.entries() == before


def test_scheduler_that_cannot_be_read_is_not_written(two, shelf, backend, birkez_home, table):
    shelf.put("yeni")
    table.unreadable = TriggerError("crontab-unreadable", status=1, reason="PAM")
    writes = table.writes
    for act in (registration.install, registration.repair):
        with pytest.raises(TriggerError, match="crontab-unreadable"):
            act(birkez_home, backend)
    assert table.writes == writes


# ------------------------------------------------------------------------ repair


def test_repair_mends_what_is_wrong_and_leaves_the_rest(two, shelf, backend, birkez_home, table):
    home = birkez_home.config + "|"
    shelf.put("kayip")
    shelf.put("kapali", enabled=False)
    rows = table.rows
    rows[home + "kapali"] = (["x"], ["x"], True)
    rows[home + "yetim"] = (["x"], ["x"], True)
    rows[home + "satis"] = (["edited"], rows[home + "satis"][1], True)
    rows["other|x"] = (["x"], ["x"], True)
    done = registration.repair(birkez_home, backend)
    assert set(done.installed) == {"kayip", "satis"}
    assert set(done.removed) == {"kapali", "yetim"}
    assert names(backend) == {"satis", "yedek", "kayip", ALL_JOBS}
    assert rows["other|x"] == table.rows["other|x"]
    assert registration.repair(birkez_home, backend).changes == ()


def test_repair_takes_out_an_entry_for_all_that_nobody_wants(two, shelf, backend, birkez_home, table):
    home = birkez_home.config + "|"
    for job in ("satis", "yedek"):
        shelf.put(job, enabled=False)
        del table.rows[home + job]
    assert names(backend) == {ALL_JOBS}
    registration.repair(birkez_home, backend)
    assert names(backend) == set()


def test_repair_without_any_job_leaves_the_entries(two, shelf, backend, birkez_home):
    before = backend.entries()
    for job in ("satis", "yedek"):
        shelf.take_away(job)  # or the folder of a drive that is not mounted
    assert registration.repair(birkez_home, backend).changes == ()
    assert backend.entries() == before
    registration.remove(birkez_home, backend, ["satis", "yedek"])
    assert backend.entries() == []


def test_repair_of_one_job_leaves_the_others_and_orphans(two, shelf, backend, birkez_home, table):
    home = birkez_home.config + "|"
    for job in ("satis", "yedek", "yetim"):
        table.rows[home + job] = (["edited"], ["x"], True)
    assert registration.repair(birkez_home, backend, ["satis"]).installed == ("satis",)
    assert names(backend) == {"satis", "yedek", "yetim", ALL_JOBS}
    assert table.rows[home + "yedek"][0] == ["edited"]


def test_repair_brings_back_the_entry_for_all(two, backend, birkez_home, table):
    del table.rows[birkez_home.config + "|"]
    assert registration.repair(birkez_home, backend).changes
    assert ALL_JOBS in names(backend)


# ---------------------------------------------------------------- journal and undo


def test_every_write_is_kept_with_before_and_after(two, shelf, backend, birkez_home):
    registration.remove(birkez_home, backend, ["yedek"])
    records = journal.read_records(birkez_home)
    assert [(record.why, record.jobs, record.state) for record in records] == [
        ("install", ("satis", "yedek"), journal.DONE),
        ("remove", ("yedek",), journal.DONE),
    ]
    first, second = (record.changes[0] for record in records)
    assert first.before is None
    assert first.after == second.before
    assert second.after is not None
    assert b"yedek" not in second.after


def test_what_stood_already_is_no_write(two, backend, birkez_home):
    records = journal.read_records(birkez_home)
    assert registration.install(birkez_home, backend).changes == ()
    assert journal.read_records(birkez_home) == records


def test_write_is_noted_before_it_happens(shelf, backend, birkez_home, table, monkeypatch):
    shelf.put("satis")
    seen = []
    real = backend.install
    monkeypatch.setattr(
        backend, "install", lambda jobs: (seen.append(journal.read_records(birkez_home)), real(jobs))[1]
    )
    registration.install(birkez_home, backend)
    assert [(record.state, record.jobs) for record in seen[0]] == [(journal.BEGUN, ("satis",))]


def test_write_that_cannot_be_noted_does_not_happen(shelf, backend, birkez_home, table):
    shelf.put("satis")
    os.makedirs(birkez_home.trigger_journal)  # a folder in the journal's way
    with pytest.raises(SetupError, match="trigger-journal"):
        registration.install(birkez_home, backend)
    assert table.writes == 0


def test_undo_puts_back_what_stood_before(two, shelf, backend, birkez_home):
    before = backend.entries()
    registration.remove(birkez_home, backend, ["yedek"])
    assert registration.undo(birkez_home, backend).jobs == ("yedek",)
    assert backend.entries() == before
    last = journal.read_records(birkez_home)[-1]
    assert (last.why, last.state) == ("undo", journal.DONE)


def test_only_the_newest_write_is_undone(two, backend, birkez_home):
    registration.remove(birkez_home, backend, ["yedek"])
    registration.undo(birkez_home, backend)
    before = backend.entries()
    with pytest.raises(TriggerError, match="trigger-undone-already"):
        registration.undo(birkez_home, backend)
    assert backend.entries() == before


def test_nothing_written_is_nothing_to_undo(backend, birkez_home):
    with pytest.raises(TriggerError, match="trigger-nothing-to-undo"):
        registration.undo(birkez_home, backend)


def test_undo_keeps_what_others_wrote_since(two, backend, birkez_home, table):
    registration.remove(birkez_home, backend, ["yedek"])
    table.rows["other|x"] = (["x"], ["x"], True)
    registration.undo(birkez_home, backend)
    assert "other|x" in table.rows
    assert "yedek" in names(backend)


def test_undo_refuses_what_was_changed_since_and_can_be_asked_again(two, backend, birkez_home, table):
    registration.remove(birkez_home, backend, ["yedek"])
    name = birkez_home.config + "|satis"
    kept = table.rows[name]
    table.rows[name] = (["edited"], ["x"], True)
    for _ in range(2):
        with pytest.raises(TriggerError, match="undo-changed-since"):
            registration.undo(birkez_home, backend)
    table.rows[name] = kept
    registration.undo(birkez_home, backend)
    assert "yedek" in names(backend)


def test_crash_between_write_and_journal_is_seen_and_not_undone_blindly(two, shelf, backend, birkez_home, table):
    class Power(BaseException):
        pass

    table.dies = Power()
    with pytest.raises(Power):
        registration.remove(birkez_home, backend, ["yedek"])
    table.dies = None
    assert journal.read_records(birkez_home)[-1].state == journal.BEGUN
    with pytest.raises(TriggerError, match="trigger-undo-unknown"):
        registration.undo(birkez_home, backend)
    # The next write goes on as ever, and can be undone.
    registration.install(birkez_home, backend, ["yedek"])
    registration.undo(birkez_home, backend)
    assert names(backend) == {"satis", ALL_JOBS}


def test_refused_write_leaves_no_record(two, shelf, backend, birkez_home, table):
    records = journal.read_records(birkez_home)
    table.refuses = TriggerError("crontab-refused", status=1, reason="no")
    with pytest.raises(TriggerError, match="crontab-refused"):
        registration.remove(birkez_home, backend, ["yedek"])
    assert journal.read_records(birkez_home) == records


def test_write_of_another_scheduler_is_not_undone_here(two, backend, birkez_home):
    backend.name = "other"
    with pytest.raises(TriggerError, match="trigger-undo-elsewhere"):
        registration.undo(birkez_home, backend)


def test_registrations_of_one_home_wait_for_each_other(two, backend, birkez_home, monkeypatch):
    monkeypatch.setattr(journal, "_WAIT_S", 0.05)
    with journal.alone(birkez_home), pytest.raises(StateError, match="trigger-busy"):
        registration.remove(birkez_home, backend, ["yedek"])
    assert "yedek" in names(backend)
