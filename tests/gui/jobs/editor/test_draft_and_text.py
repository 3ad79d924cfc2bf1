"""A draft and the job file that it becomes: nothing is lost on the way, and a person's own file stays theirs."""

from __future__ import annotations

import tomllib

import pytest

from trayapp.errors import JobFileError
from trayapp.gui.jobs.editor.checking import check
from trayapp.gui.jobs.editor.draft import Draft, draft_of, join_words, split_words, values_of
from trayapp.gui.jobs.editor.field_words import LABELS, fault_words
from trayapp.gui.jobs.editor.text import changed_text, new_text
from trayapp.job.file import parse_job

PATH = "/jobs/x.toml"
HEAD = 'title = "Özet"\n'
WINDOW = '[window]\nstep = "1h"\nstart = 2026-09-04T10:00:00Z\n'
SQL = '[effect]\nkind = "sql"\ndatabase = "/d/s.db"\nscript = "/d/s.sql"\n'
SCHEDULES = (
    "",
    '[schedule]\nevery = "15m"\n',
    '[schedule]\nevery = "2h"\noffset = "1h"\ndays = ["mon", "fri"]\nhours = "08-18"\n',
    '[schedule]\ndaily = ["02:30", "14:00"]\n',
    '[schedule]\nweekly = { days = ["sat"], at = ["09:00"] }\n',
    '[schedule]\nmonthly = { days = [1, "last"], at = ["06:00"] }\n',
    '[schedule]\ncron = "5 4 * * 1-5"\n',
)
EFFECTS = (
    SQL + 'time_format = "epoch"\ntimeout = "90s"\n',
    '[effect]\nkind = "python"\ndatabase = "/d/s.db"\ncallable = "/d/p.py:work"\n',
    """[effect]
kind = "command"
argv = ["/bin/x y", "--at", "{start}", "it's"]
cwd = "/d"
repeatable = true
nothing_done = [75, 3]
""",
    '[effect]\nkind = "command"\nshell = "a | b > c"\ncwd = "/d"\n',
)
OWN = """# The office's own job.
title = "Özet"   # shown in lists
enabled = true

# when
[schedule]   # by cron
# at five past
every = "1h"
offset = "5m"  # records come late
hours = "08-18"

# data
[window]
step = "1h"
start = 2026-09-04T10:00:00Z
lateness = "5m"

[effect]
script = "s.sql"   # beside this file
kind = "sql"
database = "s.db"
timeout = "90s"

[effect.sources.order]
database = "erp.db"
query = "select 1"
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("effect", EFFECTS)
def test_a_job_comes_out_of_the_form_as_it_went_in(schedule: str, effect: str):
    job = parse_job(HEAD + schedule + WINDOW + effect, PATH, "x")
    assert parse_job(new_text(values_of(draft_of(job, "UTC"))), PATH, "x") == job


def test_calendar_periods_keep_their_zone():
    text = HEAD + '[window]\nstep = "1mo"\ntimezone = "Europe/Istanbul"\nstart = 2026-09-01T00:00:00Z\n' + SQL
    job = parse_job(text, PATH, "x")
    assert parse_job(new_text(values_of(draft_of(job, "UTC"))), PATH, "x") == job


def _changed(**values: object) -> str:
    job = parse_job(OWN, PATH, "x")
    before, after = draft_of(job, "Europe/Istanbul"), draft_of(job, "Europe/Istanbul")
    for name, value in values.items():
        setattr(after, name, value)
    return changed_text(OWN, values_of(before), values_of(after))


def test_what_was_not_touched_stays_byte_for_byte():
    assert _changed() == OWN
    assert _changed(title="Yeni") == OWN.replace('"Özet"', '"Yeni"')
    assert _changed(lateness="7") == OWN.replace('lateness = "5m"', 'lateness = "7m"')


def test_another_schedule_takes_the_old_ones_keys_and_leaves_all_comments():
    text = _changed(timing="weekly", weekdays=frozenset({5}), times="09:00")
    assert tomllib.loads(text)["schedule"] == {"weekly": {"days": ["sat"], "at": ["09:00"]}}
    for comment in ("# The office's own job.", "# when", "# by cron", "# at five past", "# data", "# beside this file"):
        assert comment in text
    assert tomllib.loads(text)["effect"] == tomllib.loads(OWN)["effect"]  # with sources that the form does not know


def test_a_schedule_that_goes_and_comes_leaves_the_rest_as_it_was():
    by_hand = _changed(timing="hand")
    assert "schedule" not in tomllib.loads(by_hand)
    job = parse_job(by_hand, PATH, "x")
    before, after = draft_of(job, "UTC"), draft_of(job, "UTC")
    after.timing = "daily"
    again = changed_text(by_hand, values_of(before), values_of(after))
    assert tomllib.loads(again) == {**tomllib.loads(by_hand), "schedule": {"daily": ["02:30"]}}
    assert again.index("[schedule]") < again.index("# data") < again.index("[window]")


def test_a_file_with_crlf_keeps_it():
    crlf = OWN.replace("\n", "\r\n")
    job = parse_job(crlf, PATH, "x")
    before, after = draft_of(job, "UTC"), draft_of(job, "UTC")
    after.max_per_run, after.timing = "7", "daily"
    text = changed_text(crlf, values_of(before), values_of(after))
    assert tomllib.loads(text)["window"]["max_per_run"] == 7
    assert text.count("\n") == text.count("\r\n")


@pytest.mark.posix
@pytest.mark.parametrize("argv", [("a",), ("a b", "c'd", ""), ("--x=1", "{start}", "ğ ü")])
def test_words_of_a_program_are_taken_apart_as_they_were_put_together(argv: tuple[str, ...]):
    assert tuple(split_words(join_words(argv))) == argv


def test_a_windows_path_can_be_read_in_the_file():
    text = new_text(values_of(Draft(title="x", database=r"C:\new\sales.db", script=r"C:\new\s.sql")))
    assert r"database = 'C:\new\sales.db'" in text
    assert tomllib.loads(text)["effect"]["script"] == r"C:\new\s.sql"


# ---------------------------------------------------------------- what is wrong


def _codes(**values: object) -> dict[str, str]:
    draft = Draft(title="x", database="/d/s.db", script="/d/s.sql")
    for name, value in values.items():
        setattr(draft, name, value)
    return {key: fault.code for key, fault in check(new_text(values_of(draft)), PATH, "x").faults.items()}


def test_all_faults_are_told_at_once_each_at_its_field():
    assert _codes() == {}
    assert _codes(title="", script="", max_per_run="0", lateness="soon", cron="61 * * * *", timing="cron") == {
        "title": "job-text-empty",
        "effect.script": "job-text-empty",
        "window.max_per_run": "job-value-range",
        "window.lateness": "job-duration-malformed",
        "schedule.cron": "job-cron-refused",
    }


@pytest.mark.parametrize(
    ("values", "key", "code"),
    [
        ({"timing": "daily", "times": "25:00"}, "schedule.daily", "job-time-malformed"),
        ({"timing": "daily", "times": ""}, "schedule.daily", "job-list-empty"),
        ({"timing": "weekly", "weekdays": frozenset()}, "schedule.weekly.days", "job-list-empty"),
        ({"timing": "monthly", "month_days": "0, 32"}, "schedule.monthly.days", "job-month-day"),
        ({"every": "1h", "first_hour": 18, "end_hour": 8}, "schedule.hours", "job-hours-malformed"),
        ({"step": "1d", "timezone": "Ankara"}, "window.timezone", "job-timezone-unknown"),
        ({"timing": "hand", "catch_up": "none"}, "window.catch_up", "job-catch-up-without-schedule"),
        ({"database": "file:x"}, "effect.database", "job-database-address"),
        ({"kind": "python", "file": "/d/p.py", "function": "1x"}, "effect.callable", "job-callable-malformed"),
        ({"kind": "command", "command": " "}, "effect.argv", "job-list-empty"),
        ({"kind": "command", "command": "x", "nothing_done": "0"}, "effect.nothing_done", "job-value-range"),
        ({"timeout": "0"}, "effect.timeout", "job-value-range"),
    ],
)
def test_each_fault_is_the_readers_own(values: dict[str, object], key: str, code: str):
    assert _codes(**values) == {key: code}
    # The very text is refused for the same reason by what reads the job file in earnest.
    draft = Draft(title="x", database="/d/s.db", script="/d/s.sql")
    for name, value in values.items():
        setattr(draft, name, value)
    with pytest.raises(JobFileError) as refused:
        parse_job(new_text({**values_of(draft), ("window", "start"): _at()}), PATH, "x")
    assert (refused.value.code, refused.value.facts["key"]) == (code, key)
    words = fault_words(refused.value)
    assert words
    assert "{" not in words
    assert PATH not in words
    assert key in LABELS or key.rpartition(".")[0] in LABELS


def _at():
    from datetime import UTC, datetime

    return datetime(2026, 9, 4, 10, tzinfo=UTC)
