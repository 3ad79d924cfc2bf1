"""What every ledger must keep, whichever database holds it.

A test module of one database imports these tests and gives the `open_ledger` fixture: a
function that opens one more connection to the same ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from trayapp.errors import StateError
from trayapp.ledger.ledger import (
    AGAIN,
    DONE,
    FAILED,
    PASSED,
    SETTLED,
    SKIPPED,
    STARTED,
    SUPERSEDED,
    UNCERTAIN,
    Counts,
    Taking,
    window_key,
)
from trayapp.ledger.sqlite import SqliteLedger
from trayapp.process_identity import ProcessIdentity
from trayapp.window.grid import Window

JOB = "satis-ozet"
NINE = datetime(2026, 9, 4, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOW = datetime(2026, 9, 4, 20, 0, 1, 500_000, tzinfo=UTC)
OpenLedger = Callable[[], SqliteLedger]


def hour(number: int, length: int = 1) -> Window:
    return Window(NINE + number * HOUR, NINE + (number + length) * HOUR)


def key(number: int) -> str:
    return window_key(JOB, hour(number).start)


def taking(state: str = DONE, run: str = "run-1") -> Taking:
    return Taking(run, "manual", NOW, state)


def do_hour(ledger: SqliteLedger, number: int, run: str = "run-1") -> bool:
    """Take one hour, as an effect in the same database does, and commit."""
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        taken = transaction.take(JOB, hour(number), key(number), taking(run=run))
        transaction.advance(JOB)
        transaction.commit()
    return taken


def start_hour(ledger: SqliteLedger, number: int, run: str = "run-1") -> bool:
    """Take one hour as a command does, before it begins, and commit."""
    process = ProcessIdentity("boot-1", 4242, "987654")
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        taken = transaction.take(JOB, hour(number), key(number), taking(STARTED, run)._replace(process=process))
        transaction.commit()
    return taken


def states(ledger: SqliteLedger) -> dict[str, str]:
    return {row.key: row.state for row in ledger.changed_since(JOB, 0, 10_000)}


def watermark(ledger: SqliteLedger) -> datetime:
    return ledger.standing(JOB, NINE).watermark


# ------------------------------------------------------------------- the right


def test_new_job_stands_at_its_start(open_ledger: OpenLedger) -> None:
    standing = open_ledger().standing(JOB, NINE)
    assert (standing.watermark, standing.origin, standing.rows, standing.is_new) == (NINE, NINE, (), True)


def test_window_is_taken_once_and_the_watermark_follows(open_ledger: OpenLedger) -> None:
    first, second = open_ledger(), open_ledger()
    assert do_hour(first, 0)
    assert not do_hour(second, 0, "run-2")
    assert watermark(second) == NINE + HOUR


def test_window_that_meets_another_is_refused(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 1)
    with ledger.transaction() as transaction:
        for window in (hour(0, 2), hour(1, 2), hour(0, 4), Window(NINE + 1.5 * HOUR, NINE + 1.6 * HOUR)):
            assert not transaction.take(JOB, window, f"{JOB}:other-{window.start}", taking())
        assert transaction.take(JOB, hour(2), key(2), taking())
        assert transaction.take(JOB, hour(0), key(0), taking())


def test_nothing_stands_without_commit(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        assert transaction.take(JOB, hour(0), key(0), taking())
        transaction.advance(JOB)
    assert ledger.standing(JOB, NINE).is_new
    assert do_hour(open_ledger(), 0)


def test_watermark_moves_over_contiguous_windows_only(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    assert do_hour(ledger, 3)
    assert watermark(ledger) == NINE + HOUR
    assert do_hour(ledger, 1)
    assert watermark(ledger) == NINE + 2 * HOUR
    assert do_hour(ledger, 2)
    assert watermark(ledger) == NINE + 4 * HOUR


def test_rows_tell_bounds_counts_and_change_number(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        transaction.take(JOB, hour(0), key(0), taking())
        transaction.count(Counts(12, 3), 45)
        transaction.commit()
    (row,) = ledger.changed_since(JOB, 0, 10)
    assert (row.start, row.end, row.state, row.attempt, row.run, row.trigger) == (*hour(0), DONE, 1, "run-1", "manual")
    assert (row.new_count, row.repeated_count, row.duration_ms) == (12, 3, 45)
    assert row.at == NOW
    assert ledger.changed_since(JOB, row.seq, 10) == []


def test_every_change_gets_a_number_of_its_own(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        transaction.cover(JOB, (hour(0), hour(1), hour(2)), taking(PASSED), "politika")
        transaction.take(JOB, hour(3), key(3), taking())
        transaction.commit()
    numbers = [row.seq for row in ledger.changed_since(JOB, 0, 10)]
    assert len(set(numbers)) == 4
    assert [row.seq for row in ledger.changed_since(JOB, numbers[1], 10)] == numbers[2:]
    mark = ledger.mark()
    assert mark is not None
    assert mark.commits == numbers[-1]


def test_a_row_that_changes_comes_again_behind_all_others(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    assert do_hour(ledger, 1)
    with ledger.transaction() as transaction:
        assert transaction.change(JOB, key(0), SETTLED, SUPERSEDED, "neden", NOW)
        transaction.commit()
    assert [row.start.hour for row in ledger.changed_since(JOB, 0, 10)] == [10, 9]


def test_the_commit_counter_never_falls_and_tells_when(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    earlier = NOW.replace(microsecond=0)
    later = earlier + timedelta(days=500)
    counts = [0]

    def note() -> None:
        mark = ledger.mark()
        assert mark is not None
        counts.append(mark.commits)

    assert do_hour(ledger, 0)
    note()
    assert do_hour(ledger, 1)
    note()
    with ledger.transaction() as transaction:
        transaction.set_watermark(JOB, NINE, NOW)
        transaction.commit()
    note()
    with ledger.transaction() as transaction:
        transaction.change(JOB, key(1), SETTLED, SUPERSEDED, "neden", later)
        transaction.commit()
    note()
    assert ledger.standing(JOB, NINE).last_commit_at == later
    with ledger.transaction() as transaction:
        transaction.forget(JOB, NOW)
        transaction.commit()
    note()
    assert ledger.standing(JOB, NINE).last_commit_at == earlier
    assert do_hour(ledger, 0)
    note()
    assert counts == sorted(set(counts)), "each change counts, the removal of all rows too"


# ------------------------------------------------------------------ attempts


def test_failed_window_counts_its_attempts_and_is_taken_again_under_its_key(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    for attempt in (1, 2, 3):
        with ledger.transaction() as transaction:
            transaction.begin_job(JOB, NINE)
            assert transaction.fail(JOB, hour(0), key(0), taking(FAILED), "sql-failed") == attempt
            transaction.commit()
    assert watermark(ledger) == NINE
    assert do_hour(ledger, 0)
    assert states(ledger) == {key(0): DONE}
    assert watermark(ledger) == NINE + HOUR


def test_failed_window_keeps_its_bounds(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        transaction.fail(JOB, hour(0), key(0), taking(FAILED), "sql-failed")
        assert not transaction.take(JOB, hour(0, 2), key(0), taking())
        transaction.commit()


def test_failure_of_a_window_that_somebody_settled_is_not_recorded(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    with ledger.transaction() as transaction:
        assert transaction.fail(JOB, hour(0), key(0), taking(FAILED, "run-2"), "sql-failed") == 0
        transaction.commit()
    assert states(ledger) == {key(0): DONE}


def test_started_window_belongs_to_its_run(open_ledger: OpenLedger) -> None:
    ledger, other = open_ledger(), open_ledger()
    assert start_hour(ledger, 0)
    assert not start_hour(other, 0, "run-2")
    (row,) = other.standing(JOB, NINE).rows
    assert (row.state, row.process) == (STARTED, ProcessIdentity("boot-1", 4242, "987654"))
    with other.transaction() as transaction:
        assert not transaction.settle(JOB, key(0), "run-2", NOW, 5)
        assert transaction.settle(JOB, key(0), "run-1", NOW, 5)
        transaction.commit()
    assert states(other) == {key(0): DONE}


def test_run_that_finishes_settles_what_others_gave_up_as_uncertain(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert start_hour(ledger, 0)
    with ledger.transaction() as transaction:
        assert transaction.change(JOB, key(0), (STARTED,), UNCERTAIN, "command-died", NOW)
        transaction.commit()
    with ledger.transaction() as transaction:
        assert transaction.settle(JOB, key(0), "run-1", NOW, 5)
        transaction.advance(JOB)
        transaction.commit()
    assert watermark(ledger) == NINE + HOUR


def test_uncertain_window_cannot_be_taken_until_a_person_says_so(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert start_hour(ledger, 0)
    with ledger.transaction() as transaction:
        transaction.change(JOB, key(0), (STARTED,), UNCERTAIN, "command-died", NOW)
        transaction.commit()
    assert not start_hour(ledger, 0, "run-2")
    with ledger.transaction() as transaction:
        assert transaction.change(JOB, key(0), (UNCERTAIN,), AGAIN, "gitmemiş", NOW)
        assert not transaction.change(JOB, key(0), (UNCERTAIN,), AGAIN, "gitmemiş", NOW)
        transaction.commit()
    assert start_hour(ledger, 0, "run-3")


# --------------------------------------------------------------- a person's hand


def test_covered_ranges_leave_out_what_is_taken(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 1)
    with ledger.transaction() as transaction:
        assert transaction.cover(JOB, (hour(0), hour(1), hour(2, 5)), taking(PASSED), "politika") == 2
        assert transaction.advance(JOB) == NINE + 7 * HOUR
        transaction.commit()
    assert states(ledger) == {key(1): DONE, key(0): PASSED, key(2): PASSED}


def test_reopened_window_is_superseded_and_stands_to_be_taken_again(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    assert do_hour(ledger, 1)
    with ledger.transaction() as transaction:
        transaction.reopen(JOB, key(0), (hour(0),), taking(AGAIN, "run-2"), "yanlış fiyat")
        transaction.commit()
    (row,) = ledger.standing(JOB, NINE).rows
    assert (row.key, row.state, Window(row.start, row.end)) == (key(0) + "#2", AGAIN, hour(0))
    assert watermark(ledger) == NINE + 2 * HOUR
    with ledger.transaction() as transaction:
        assert transaction.take(JOB, hour(0), key(0) + "#2", taking(run="run-3"))
        assert transaction.advance(JOB) == NINE + 2 * HOUR
        transaction.commit()
    assert states(ledger)[key(0)] == SUPERSEDED
    assert states(ledger)[key(0) + "#2"] == DONE
    assert not do_hour(ledger, 0, "run-4")


def test_reopening_a_second_time_counts_on(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    for edition in (2, 3):
        previous = key(0) if edition == 2 else f"{key(0)}#2"
        with ledger.transaction() as transaction:
            transaction.reopen(JOB, previous, (hour(0),), taking(AGAIN), "tekrar")
            assert transaction.take(JOB, hour(0), f"{key(0)}#{edition}", taking())
            transaction.commit()
    assert states(ledger)[f"{key(0)}#3"] == DONE


def test_what_is_not_settled_cannot_be_reopened(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert start_hour(ledger, 0)
    with ledger.transaction() as transaction, pytest.raises(StateError, match="window-not-settled"):
        transaction.reopen(JOB, key(0), (hour(0),), taking(AGAIN), "neden")
    with ledger.transaction() as transaction, pytest.raises(StateError, match="window-not-settled"):
        transaction.reopen(JOB, key(5), (hour(5),), taking(AGAIN), "neden")


def test_watermark_set_back_finds_settled_windows_settled(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    for number in range(5):
        assert do_hour(ledger, number)
    with ledger.transaction() as transaction:
        transaction.set_watermark(JOB, NINE - HOUR, NOW)
        transaction.commit()
    standing = ledger.standing(JOB, NINE)
    assert (standing.watermark, standing.origin) == (NINE - HOUR, NINE - HOUR)
    assert len(standing.rows) == 5
    with ledger.transaction() as transaction:
        assert transaction.take(JOB, hour(-1), key(-1), taking())
        assert transaction.advance(JOB) == NINE + 5 * HOUR
        transaction.commit()


def test_forgotten_job_begins_anew_and_others_stay(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    with ledger.transaction() as transaction:
        transaction.begin_job("baska", NINE)
        transaction.take("baska", hour(0), window_key("baska", NINE), taking())
        transaction.commit()
    with ledger.transaction() as transaction:
        transaction.forget(JOB, NOW)
        transaction.commit()
    assert ledger.standing(JOB, NINE).is_new
    assert do_hour(ledger, 0)
    assert [row.state for row in ledger.changed_since("baska", 0, 10)] == [DONE]


def test_row_that_holds_an_instant_is_found_wherever_the_watermark_stands(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    for number in range(3):
        assert do_hour(ledger, number)
    assert ledger.standing(JOB, NINE).rows == ()
    (row,) = ledger.standing(JOB, NINE, NINE + 1.5 * HOUR).rows
    assert row.key == key(1)


def test_skipped_row_keeps_its_reason(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        transaction.cover(JOB, (hour(0),), taking(SKIPPED), "o saatte dükkân kapalıydı")
        transaction.commit()
    assert ledger.changed_since(JOB, 0, 10)[0].reason == "o saatte dükkân kapalıydı"


def test_accounts_that_run_a_job_are_known(open_ledger: OpenLedger) -> None:
    first, second = open_ledger(), open_ledger()
    first.owner, second.owner = lambda: "ayse@pc:/home/ayse", lambda: "root@pc:/root"
    assert do_hour(first, 0)
    assert do_hour(second, 1)
    assert [owner for owner, _ in first.owners(JOB)] == ["ayse@pc:/home/ayse", "root@pc:/root"]
    assert first.owners("baska") == []


# ----------------------------------------------------------------- record keys


def claim(ledger: SqliteLedger, number: int, keys: list[str]) -> set[str]:
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        assert transaction.take(JOB, hour(number), key(number), taking())
        new = transaction.claim_keys(JOB, keys)
        transaction.commit()
    return new


def test_record_key_is_new_once(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert claim(ledger, 0, ["sip-1", "sip-2", "sip-1"]) == {"sip-1", "sip-2"}
    assert claim(open_ledger(), 1, ["sip-2", "sip-3", "ğüş İ ı 😀", "'; --"]) == {"sip-3", "ğüş İ ı 😀", "'; --"}


@pytest.mark.parametrize(
    "odd", ['a"b', 'a","b', '"', "a\\b", "\\", "a\tb", "a\nb", "a\x01b", "a\u2028b", "[1]", " a ", "\ufeffa"]
)
def test_record_key_may_hold_any_sign(open_ledger: OpenLedger, odd: str) -> None:
    assert claim(open_ledger(), 0, ["sip-1", odd, "sip-2", odd]) == {"sip-1", odd, "sip-2"}
    assert claim(open_ledger(), 1, [odd, "sip-3"]) == {"sip-3"}


def test_record_keys_belong_to_one_job(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    assert claim(ledger, 0, ["sip-1"]) == {"sip-1"}
    with ledger.transaction() as transaction:
        transaction.begin_job("baska", NINE)
        assert transaction.take("baska", hour(0), window_key("baska", NINE), taking())
        assert transaction.claim_keys("baska", ["sip-1"]) == {"sip-1"}


def test_claims_go_with_the_transaction(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    with ledger.transaction() as transaction:
        transaction.begin_job(JOB, NINE)
        transaction.take(JOB, hour(0), key(0), taking())
        assert transaction.claim_keys(JOB, ["sip-1"]) == {"sip-1"}
    assert claim(ledger, 0, ["sip-1"]) == {"sip-1"}


def test_reopening_releases_the_keys_of_that_window_alone(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    claim(ledger, 0, ["sip-1", "sip-2"])
    claim(ledger, 1, ["sip-3"])
    assert (ledger.claimed_count(JOB, key(0)), ledger.claimed_count(JOB, key(5))) == (2, 0)
    with ledger.transaction() as transaction:
        assert transaction.reopen(JOB, key(0), (hour(0),), taking(AGAIN), "neden") == 2
        assert transaction.take(JOB, hour(0), key(0) + "#2", taking())
        assert transaction.claim_keys(JOB, ["sip-1", "sip-2", "sip-3"]) == {"sip-1", "sip-2"}
        transaction.commit()


def test_many_record_keys_are_claimed_over_several_slices(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    keys = [f"sip-{number}" for number in range(25_000)]
    assert claim(ledger, 0, keys[:12_000]) == set(keys[:12_000])
    assert claim(ledger, 1, keys) == set(keys[12_000:])


def test_new_record_keys_are_found_behind_thousands_of_known_ones(open_ledger: OpenLedger) -> None:
    ledger = open_ledger()
    known = [f"a-{number:05}" for number in range(20_000)]
    assert claim(ledger, 0, known) == set(known)
    assert claim(ledger, 1, [*known, "a-15000-yeni", "b-1", "b-1", "b-2"]) == {"a-15000-yeni", "b-1", "b-2"}
    assert claim(ledger, 2, [*known, "b-2", "b-3", "b-3"]) == {"b-3"}
