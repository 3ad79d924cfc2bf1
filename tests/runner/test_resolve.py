"""An uncertain window, and the two answers that a person can give."""

from __future__ import annotations

import os

import pytest

from tests.runner.office import Office, utc
from trayapp import clock
from trayapp.errors import StateError, UsageError
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import try_acquire
from trayapp.runner.by_hand import accept_ledger, forget, resolve, set_watermark, skip

# Writes down each start of its; exits with what stands in the file `kod`.
SENDING = 'echo "$BIRKEZ_KEY" >> gonderilen; exit $(cat kod)'


pytestmark = pytest.mark.posix  # commands of sh


@pytest.fixture
def mailing(office: Office):
    """A command whose first window is uncertain: it began and ended with status 1."""
    (office.folder / "kod").write_text("1")
    office.command_job("posta", SENDING)
    answer, ran = office.run_here("posta", "2026-09-04T12:00:00Z")
    assert (answer.exit_status, answer.key) == (5, key(10))
    assert ran.said == [("BELIRSIZ", "command-failed")]
    (office.folder / "kod").write_text("0")
    return office


def key(hour: int) -> str:
    return f"posta:2026-09-04T{hour}:00:00+00:00"


def sent(office: Office) -> list[str]:
    return (office.folder / "gonderilen").read_text().splitlines()


def test_uncertain_window_waits_for_a_person_and_keeps_later_ones_waiting(mailing: Office) -> None:
    for trigger in ("schedule", "manual"):
        answer, ran = mailing.run_here("posta", "2026-09-04T12:30:00Z", trigger)
        assert (answer.exit_status, answer.key, answer.waiting) == (5, key(10), 2)
        assert ran.said == [("ATLANDI", "belirsiz")]
    assert sent(mailing) == [key(10)]


def test_resolve_as_done_lets_the_next_run_go_on_behind_it(mailing: Office) -> None:
    resolve(mailing.places, "posta", key(10), done=True, reason="posta kutusunda duruyor")
    assert mailing.watermark("posta") == "2026-09-04T11:00:00Z"
    answer, _ = mailing.run_here("posta", "2026-09-04T12:30:00Z")
    assert answer.outcome == "done"
    assert sent(mailing) == [key(10), key(11)]


def test_resolve_as_again_repeats_it_under_the_same_key(mailing: Office) -> None:
    resolve(mailing.places, "posta", key(10), done=False, reason="hiç gitmemiş")
    assert mailing.watermark("posta") == "2026-09-04T10:00:00Z"
    answer, _ = mailing.run_here("posta", "2026-09-04T12:30:00Z")
    assert answer.windows == 2
    assert sent(mailing) == [key(10), key(10), key(11)]


def test_window_asked_for_is_blocked_as_long_as_it_is_uncertain(mailing: Office) -> None:
    answer, ran = mailing.run_here("posta", "2026-09-04T12:30:00Z", "manual", window=utc("2026-09-04T10:00:00Z"))
    assert (answer.exit_status, ran.said) == (5, [("ATLANDI", "belirsiz")])
    # A later window can be asked for: its row lies ahead of the watermark.
    answer, _ = mailing.run_here("posta", "2026-09-04T12:30:00Z", "manual", window=utc("2026-09-04T11:00:00Z"))
    assert answer.outcome == "done"
    assert mailing.watermark("posta") == "2026-09-04T10:00:00Z"
    resolve(mailing.places, "posta", key(10), done=True, reason="gitmiş")
    assert mailing.watermark("posta") == "2026-09-04T12:00:00Z", "over the window that was taken out of order too"


def test_resolve_refuses_what_is_not_uncertain(mailing: Office) -> None:
    resolve(mailing.places, "posta", key(10), done=True, reason="gitmiş")
    for other in (key(10), key(11), "posta:yok"):
        with pytest.raises(UsageError, match="window-not-uncertain"):
            resolve(mailing.places, "posta", other, done=False, reason="bir daha")
    assert sent(mailing) == [key(10)]


def test_decision_leaves_its_reason_in_log_and_history(mailing: Office) -> None:
    resolve(mailing.places, "posta", key(10), done=True, reason='kutuda "3" posta var')
    line = mailing.log("posta")[-1]
    assert (line.token, line.fields["sebep"]) == ("ATLANDI", "karar")
    assert line.fields["karar"] == "islendi"
    assert line.fields["anahtar"] == key(10)
    assert line.fields["neden"] == 'kutuda "3" posta var'
    mailing.assert_each_fire_is_told("posta", 2)


def test_uncertain_window_can_be_skipped(mailing: Office) -> None:
    skip(mailing.places, "posta", utc("2026-09-04T10:00:00Z"), "bu saat önemsiz")
    mailing.run_here("posta", "2026-09-04T12:00:00Z")
    assert sent(mailing) == [key(10), key(11)]


def test_decision_is_refused_while_the_job_runs(mailing: Office) -> None:
    lock = try_acquire(mailing.places.lock_file("posta"), own_holder("kosum", "manual", clock.now()))
    assert lock is not None
    start = utc("2026-09-04T10:00:00Z")
    with lock:
        for decide in (
            lambda: resolve(mailing.places, "posta", key(10), done=True, reason="x"),
            lambda: skip(mailing.places, "posta", start, "x"),
            lambda: set_watermark(mailing.places, "posta", start, "x"),
            lambda: accept_ledger(mailing.places, "posta", "x"),
            lambda: forget(mailing.places, "posta"),
        ):
            with pytest.raises(StateError, match="job-running") as caught:
                decide()
            assert caught.value.facts["pid"] == os.getpid()
    assert mailing.states("posta") == [("10:00", "uncertain", 1)]
