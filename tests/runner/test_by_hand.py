"""What a person decides about windows, and what the next run makes of it."""

from __future__ import annotations

import os

import pytest

from tests.runner.office import FAILING_SQL, Office, utc
from trayapp import clock
from trayapp.errors import StateError, UsageError
from trayapp.lock.holder import own_holder
from trayapp.lock.job_lock import try_acquire
from trayapp.runner.by_hand import accept_ledger, forget, resolve, set_watermark, skip

# Writes down each start of its; exits with what stands in the file `kod`.
SENDING = 'echo "$BIRKEZ_KEY" >> gonderilen; exit $(cat kod)'


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


# ------------------------------------------------------------------ resolve


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
        with pytest.raises(StateError, match="window-not-uncertain"):
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


# --------------------------------------------------------------------- skip


def test_window_that_always_fails_is_tried_once_a_start_and_can_be_skipped(office: Office) -> None:
    # P72: window 3 of 10 fails each time; another job beside it is not touched.
    office.open_shop()
    office.sql_job("satis", FAILING_SQL)
    office.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    for attempt in range(1, 11):
        answer, ran = office.run_here("satis", "2026-09-04T20:00:00Z")
        assert answer.exit_status == 1
        assert answer.waiting == 8
        assert answer.is_first_failure == (attempt == 1)
        assert ran.lines[-1].fields["deneme"] == str(attempt)
        assert len(ran.lines) == (3 if attempt == 1 else 1)
        assert office.watermark("satis") == "2026-09-04T12:00:00Z"
    assert office.states("satis") == [("12:00", "failed", 10)]
    answer, _ = office.run_here("stok", "2026-09-04T20:00:00Z")
    assert answer.windows == 10

    window = skip(office.places, "satis", utc("2026-09-04T12:00:00Z"), "o saatin kaydı bozuk")
    assert window == (utc("2026-09-04T12:00:00Z"), utc("2026-09-04T13:00:00Z"))
    answer, _ = office.run_here("satis", "2026-09-04T20:00:00Z")
    assert (answer.windows, answer.waiting) == (7, 0)
    assert [hour for hour, _ in office.totals()] == [f"{hour}:00" for hour in range(10, 20) if hour != 12]
    office.assert_each_fire_is_told("satis", 12)


def test_skip_settles_a_window_that_nobody_has_tried(office: Office) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    office.sql_job("satis")
    office.set_clock("2026-09-04T13:00:00Z")
    skip(office.places, "satis", utc("2026-09-04T11:00:00Z"), "tatil")
    assert office.watermark("satis") == "2026-09-04T10:00:00Z", "what lies before is not settled"
    office.run_here("satis", "2026-09-04T13:00:00Z")
    assert office.totals() == [("10:00", 12), ("12:00", 12)]
    answer, ran = office.run_here("satis", "2026-09-04T13:10:00Z", "manual", window=utc("2026-09-04T11:00:00Z"))
    assert (answer.windows, ran.said) == (0, [("ATLANDI", "anahtar mevcut")])


def test_uncertain_window_can_be_skipped(mailing: Office) -> None:
    skip(mailing.places, "posta", utc("2026-09-04T10:00:00Z"), "bu saat önemsiz")
    mailing.run_here("posta", "2026-09-04T12:00:00Z")
    assert sent(mailing) == [key(10), key(11)]


@pytest.mark.parametrize(
    ("start", "code"),
    [
        ("2026-09-04T10:00:00Z", "window-settled"),
        ("2026-09-04T10:30:00Z", "window-settled"),
        ("2026-09-04T11:30:00Z", "window-off-grid"),
        ("2026-09-04T09:00:00Z", "window-before-start"),
        ("2026-09-04T12:00:00Z", "window-not-closed"),
        ("2030-01-01T00:00:00Z", "window-not-closed"),
    ],
)
def test_skip_refuses(office: Office, start: str, code: str) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T11:00:00Z")
    office.set_clock("2026-09-04T12:30:00Z")
    before = office.standing("satis")
    with pytest.raises((StateError, UsageError), match=code):
        skip(office.places, "satis", utc(start), "deneme")
    assert office.standing("satis") == before


# ---------------------------------------------------------------- watermark


def test_watermark_back_jumps_what_is_settled_and_says_how_much(office: Office) -> None:
    # P74: history was cleaned, then somebody looks 120 days back. The keys are the ledger's, so nothing repeats.
    office.open_shop()
    office.sql_job(
        "satis",
        "INSERT INTO ozet VALUES (:start, 1, 12); UPDATE toplam SET tutar = tutar + 12",
        window='step = "12h"\nstart = 2026-05-01T00:00:00Z\nmax_per_run = 1000',
    )
    office.run_here("satis", "2026-09-04T12:00:00Z")
    count = len(office.totals())
    assert count == 126 * 2 + 1
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(office.places.history_db + suffix):
            os.unlink(office.places.history_db + suffix)

    office.set_clock("2026-09-04T12:10:00Z")
    moved = set_watermark(office.places, "satis", utc("2026-05-07T00:00:00Z"), "eksik var mı")
    assert (moved.before, moved.after) == (utc("2026-09-04T12:00:00Z"), utc("2026-05-07T00:00:00Z"))
    assert (moved.settled_again, moved.skipped) == (120 * 2 + 1, 0)
    answer, ran = office.run_here("satis", "2026-09-04T12:20:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]
    assert answer.next_at == utc("2026-09-05T00:00:00Z")
    office.run_here("satis", "2026-09-05T00:00:00Z")
    assert len(office.totals()) == count + 1
    assert office.watermark("satis") == "2026-09-05T00:00:00Z"


def test_watermark_before_the_start_takes_what_was_never_covered(office: Office) -> None:
    office.open_shop("2026-09-04T08", "2026-09-04T09", "2026-09-04T10")
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T11:00:00Z")
    set_watermark(office.places, "satis", utc("2026-09-04T08:30:00Z"), "eski kayıtlar geldi")
    answer, ran = office.run_here("satis", "2026-09-04T11:10:00Z")
    assert ran.windows == ["2026-09-04T08:30:00Z", "2026-09-04T09:00:00Z"], "a bridge to the grid, then whole hours"
    assert answer.waiting == 0
    assert office.totals() == [("08:30", 7), ("09:00", 12), ("10:00", 12)]
    assert office.watermark("satis") == "2026-09-04T11:00:00Z"


def test_watermark_forward_skips_what_is_not_settled(office: Office) -> None:
    office.open_shop("2026-09-04T15")
    office.sql_job("satis", FAILING_SQL)
    office.run_here("satis", "2026-09-04T13:00:00Z")
    office.run_here("satis", "2026-09-04T15:00:00Z", "manual", window=utc("2026-09-04T14:00:00Z"))
    assert office.watermark("satis") == "2026-09-04T12:00:00Z"

    moved = set_watermark(office.places, "satis", utc("2026-09-04T15:00:00Z"), "yeni sisteme geçildi")
    assert moved.after == utc("2026-09-04T15:00:00Z")
    assert moved.skipped == 2, "the failed window, and the range that nobody tried"
    _, ran = office.run_here("satis", "2026-09-04T16:00:00Z")
    assert ran.windows == ["2026-09-04T15:00:00Z"]
    assert [hour for hour, _ in office.totals()] == ["10:00", "11:00", "14:00", "15:00"]


def test_watermark_of_the_future_is_refused(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.set_clock("2026-09-04T12:00:00Z")
    with pytest.raises(UsageError, match="watermark-in-future"):
        set_watermark(office.places, "satis", utc("2026-09-04T12:00:01Z"), "acele")


# ------------------------------------------------------- what holds for each


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


def test_forgotten_job_begins_anew_and_leaves_others_alone(office: Office) -> None:
    office.open_shop("2026-09-04T10")
    office.sql_job("satis")
    office.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    for job in ("satis", "stok"):
        office.run_here(job, "2026-09-04T11:00:00Z")
    forget(office.places, "satis")
    assert office.log("satis")[-1].fields["sebep"] == "defter unutuldu"
    office.run_here("satis", "2026-09-04T11:00:00Z")
    assert office.totals() == [("10:00", 12), ("10:00", 12)]
    _, ran = office.run_here("stok", "2026-09-04T11:00:00Z")
    assert ran.said == [("ATLANDI", "kapanmis pencere yok")]
    office.assert_each_fire_is_told("satis", 3)


def test_decision_about_a_job_that_never_ran_says_so(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    office.set_clock("2026-09-04T12:00:00Z")
    with pytest.raises(StateError, match="ledger-knows-no-job"):
        resolve(office.places, "satis", "satis:2026-09-04T10:00:00+00:00", done=True, reason="x")
    assert office.ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'birkez%'") == [(0,)]
