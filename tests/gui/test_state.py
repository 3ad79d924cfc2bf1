"""From what was read to a job's state, its words, and what is worth a notification."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.gui import sample
from trayapp.gui.notices.streaks import keep_told, notices_of, read_told
from trayapp.gui.state.judging import LATE_AFTER, Told, fresh_survey, judge, next_turn
from trayapp.gui.state.snapshot import JobState, Snapshot, Survey, TriggerHealth, Unsettled
from trayapp.gui.state.words import counts_line, headline, status_words, tooltip, tray_state
from trayapp.job.pause import Pause
from trayapp.lock.holder import Holder, LockState
from trayapp.wording.language import speak

NOW = sample.NOW
HOLDER = Holder(4242, "1", "b", "run", "schedule", NOW - timedelta(minutes=3, seconds=12))
UNCERTAIN = Unsettled("k", NOW - timedelta(hours=1), NOW, "uncertain", 1, "")


@pytest.fixture(autouse=True)
def _english():
    speak("en")
    yield
    speak("en")


def _told(outcome: str = "done", minutes: float = 40) -> Told:
    state = sample.job("satis-ozet", "well", outcome=outcome, minutes=minutes)
    told = Told(state.file, LockState("idle"))
    told.last, told.success = state.last, NOW - timedelta(hours=1)
    return told


def _kind(told: Told) -> str:
    return judge(told, NOW).kind


def test_a_job_that_did_its_work_is_well():
    assert _kind(_told()) == "well"


def test_a_held_lock_is_running_whatever_was_before():
    told = _told("failed")
    told.lock = LockState("held", HOLDER)
    assert _kind(told) == "running"
    assert status_words(judge(told, NOW), NOW) == "Running 00:03:12 · scheduler · pid 4242"


def test_a_lock_that_cannot_be_seen_is_unknown_and_never_free():  # P35
    told = _told()
    told.lock = LockState("unknown")
    assert _kind(told) == "unknown"


def test_a_command_left_by_its_run_is_running():
    told = _told()
    told.survey = Survey(is_left_running=True)
    assert _kind(told) == "running"


def test_a_failure_is_failed_with_its_streak_and_reason():
    told = _told("failed")
    told.streak, told.failure = 3, "no space"
    assert _kind(told) == "failed"
    assert status_words(judge(told, NOW), NOW) == "Failed 3 times in a row: no space"


def test_an_uncertain_period_waits_until_somebody_decided():
    told = _told("uncertain")
    assert _kind(told) == "uncertain"
    told.survey = Survey(unsettled=(UNCERTAIN,))
    assert _kind(told) == "uncertain"
    told.survey = Survey()  # decided: the ledger has none any more, though the newest run ended so
    assert _kind(told) == "well"


def test_a_pause_hides_no_decision():
    told = _told()
    told.pause = Pause(None)
    assert _kind(told) == "paused"
    told.survey = Survey(unsettled=(UNCERTAIN,))
    assert _kind(told) == "uncertain"


def test_a_paused_job_starts_next_when_its_pause_is_over():
    told = _told()
    assert judge(told, NOW).next_at == NOW.replace(hour=10, minute=5)
    told.pause = Pause(NOW + timedelta(hours=3))
    assert judge(told, NOW).next_at == NOW.replace(hour=13, minute=5)
    told.pause = Pause(None)
    assert judge(told, NOW).next_at is None


def test_a_pause_that_is_over_is_none():
    told = _told()
    told.pause = Pause(NOW - timedelta(seconds=1))
    assert judge(told, NOW).pause is None


def test_a_start_that_did_not_come_is_late_after_some_minutes():
    told = _told(minutes=41)  # it started six past; the next one is due five past the next hour
    fire = NOW.replace(minute=5) + timedelta(hours=1)
    assert judge(told, fire + LATE_AFTER - timedelta(seconds=1)).kind == "well"
    late = judge(told, fire + LATE_AFTER)
    assert (late.kind, late.late_since) == ("late", fire)
    assert next_turn(told, NOW) == fire + LATE_AFTER


def test_a_run_that_hangs_is_told_after_a_day_or_when_the_job_says():
    told = _told()
    told.success = told.last.ended_at
    told.lock = LockState("held", HOLDER)
    assert judge(told, NOW + timedelta(hours=23)).kind == "running"
    hung = judge(told, NOW + timedelta(hours=25))
    assert hung.kind == "late"
    assert status_words(hung, NOW + timedelta(hours=25)).startswith("No success since 09:07 yesterday")
    assert "pid 4242" in status_words(hung, NOW + timedelta(hours=25))
    told.warn_after = "2h"
    assert next_turn(told, NOW) == told.success + timedelta(hours=2)
    assert judge(told, NOW + timedelta(hours=2)).kind == "late"
    told.warn_after = "never"
    assert judge(told, NOW + timedelta(hours=25)).kind == "running"


def test_no_success_for_too_long_is_a_notice_of_its_own_and_only_one():
    told = _told()
    told.success, told.lock, told.warn_after = told.last.ended_at, LockState("held", HOLDER), "2h"
    shown = sample.snapshot()._replace(jobs=(judge(told, NOW + timedelta(hours=3)),))
    notices, known = notices_of(shown, {})
    assert [notice.title for notice in notices] == ["Saatlik satış özeti: no success for too long"]
    assert notices_of(shown, known)[0] == []


def test_a_missing_entry_comes_before_what_it_causes():
    told = _told(minutes=500)
    told.survey = Survey(trigger=TriggerHealth("missing"))
    assert _kind(told) == "trigger"
    told.survey = Survey(trigger=TriggerHealth("installed"))
    assert _kind(told) == "late"


def test_a_survey_from_before_the_newest_run_is_not_believed():
    last = _told(minutes=5).last
    old = Survey(at=NOW - timedelta(minutes=9), unsettled=(UNCERTAIN,), waiting=7)
    assert fresh_survey(old, last).unsettled == ()
    assert fresh_survey(old, last._replace(outcome="failed")) is None
    assert fresh_survey(old._replace(at=NOW), last).unsettled == (UNCERTAIN,)


# ------------------------------------------------------------------------ words


def test_the_worst_state_is_the_trays():
    kinds = ("failed", "uncertain", "running", "well")
    assert [tray_state(_office(kind, "well")) for kind in kinds] == ["failed", "needs-you", "running", "well"]
    assert tray_state(sample.snapshot()) == "failed"


def test_the_tray_says_it_in_words_in_both_languages():
    assert tooltip(_office("well")).startswith("Birkez: All is well. Next: ")
    assert headline(sample.snapshot()) == "4 jobs need you"
    assert counts_line(sample.snapshot()) == "1 failed · 1 uncertain · 1 entry missing · 1 late · 1 running"
    speak("tr")
    assert headline(sample.snapshot()) == "4 işe bakmanız gerekiyor"
    assert headline(_office("well")) == "Her şey yolunda"


def _office(*kinds: str) -> Snapshot:
    jobs = tuple(sample.job(f"is-{number}", kind) for number, kind in enumerate(kinds))  # type: ignore[arg-type]
    return Snapshot(NOW, jobs, is_read=True, is_surveyed=True)


# ---------------------------------------------------------------------- notices


def _step(told: dict[str, str], *kinds: str) -> tuple[list[str], dict[str, str]]:
    notices, known = notices_of(_office(*kinds), told)
    return [notice.title for notice in notices], known


def test_one_notice_a_streak_and_one_on_recovery():  # P87
    titles: list[str] = []
    told: dict[str, str] = {}
    for kind in ("well", "failed", "running", "failed", "failed", "running", "well", "well", "failed"):
        new, told = _step(told, kind)
        titles += new
    assert titles == ["is-0: failed", "is-0: all is well again", "is-0: failed"]


def test_a_hundred_skips_are_no_notice():  # P87
    told: dict[str, str] = {}
    for _ in range(100):
        new, told = _step(told, "well", "running", "paused")
        assert not new


def test_nothing_is_told_before_the_ledgers_were_asked():
    office = _office("uncertain")._replace(is_surveyed=False)
    assert notices_of(office, {}) == ([], {})


def test_a_decision_opens_where_it_is_made():
    (notice,), _ = notices_of(_office("uncertain"), {})
    assert (notice.place.page, notice.place.job, notice.place.action) == ("jobs", "is-0", "decide")


def test_a_tray_that_starts_anew_does_not_tell_again(tmp_path: Path):
    path = str(tmp_path / "told.json")
    _, told = _step({}, "failed")
    keep_told(path, told)
    assert _step(read_told(path), "failed") == ([], told)
    Path(path).write_text("[", encoding="utf-8")
    assert read_told(path) == {}
    keep_told(os.path.join(path, "no", "folder"), told)  # told once more next time; no reason to stop


def test_the_waiting_count_comes_from_the_newest_source():
    job: JobState = sample.job("x", "well")
    assert job._replace(last=job.last._replace(waiting=4)).waiting == 4
    assert job._replace(survey=Survey(waiting=2)).waiting == 2
