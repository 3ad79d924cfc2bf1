from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest

from tests.job.texts import COMMAND, DOWNLOAD, EVERY, HOURLY, ITEMS, PYTHON, SQL, WINDOW, items_text, job_text
from trayapp.errors import JobFileError, UsageError
from trayapp.job.file import parse_job, read_job
from trayapp.job.model import CommandEffect, DownloadEffect, Items, Job, PythonEffect, Source, SqlEffect, WindowRule
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Schedule, Weekly
from trayapp.job.timing_fields import CALENDAR_STEPS as CALENDAR_STEPS_HERE
from trayapp.job.timing_fields import STEPS as STEPS_HERE
from trayapp.window.grid import CALENDAR_STEPS, STEPS

FOLDER = os.path.abspath(os.path.join(os.sep, "jobs"))
PATH = os.path.join(FOLDER, "satis.toml")
START = datetime(2026, 9, 4, 10, tzinfo=UTC)


def parse(text: str) -> Job:
    return parse_job(text, PATH, "satis")


def test_all_that_is_written_is_in_the_job():
    job = parse(HOURLY)

    assert job == Job(
        id="satis",
        title="Saatlik satış özeti",
        file=PATH,
        rule=WindowRule("1h", START, None, 300, 24, "all"),
        effect=SqlEffect(os.path.join(FOLDER, "satis.db"), os.path.join(FOLDER, "ozet.sql")),
        schedule=Every(60, 5),
    )


def test_what_is_left_out_has_its_default():
    job = parse(job_text())

    assert (job.title, job.enabled, job.schedule, job.ledger_database) == ("satis", True, None, "")
    assert job.window == WindowRule("1h", START)
    assert job.effect.timeout_s == 600


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('every = "15m"', Every(15)),
        ('every = "60m"', Every(60)),
        ('every = "12h"\noffset = "90m"', Every(720, 90)),
        ('every = "15m"\noffset = "20m"', Every(15, 5)),
        ('every = "15m"\ndays = ["fri", "mon", "mon"]\nhours = "08-18"', Every(15, 0, (0, 4), (8, 18))),
        ('daily = ["14:00", "02:30", "14:00"]', Daily((150, 840))),
        ('weekly = { days = ["sun"], at = ["00:00"] }', Weekly((6,), (0,))),
        ('monthly = { days = ["last", 15, 1], at = ["23:59"] }', Monthly((1, 15, -1), (1439,))),
        ('cron = " 5  * * * MON-FRI "', Cron("5 * * * MON-FRI")),
    ],
)
def test_schedule_becomes_a_value(lines: str, expected: Schedule):
    assert parse(job_text(schedule=f"[schedule]\n{lines}\n")).schedule == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('step = "120m"\nstart = 2026-09-04T10:00:00Z', WindowRule("2h", START)),
        (
            'step = "1d"\ntimezone = "Europe/Istanbul"\nstart = 2026-09-04T00:00:00+03:00\nlateness = "0s"',
            WindowRule("1d", datetime(2026, 9, 3, 21, tzinfo=UTC), "Europe/Istanbul", 0),
        ),
        (
            'step = "1mo"\ntimezone = "UTC"\nstart = 2026-09-04T10:00:00Z\nmax_per_run = 1000\ncatch_up = "latest"',
            WindowRule("1mo", START, "UTC", 300, 1000, "latest"),
        ),
    ],
)
def test_window_becomes_a_value(lines: str, expected: WindowRule):
    assert parse(job_text(window=f"[window]\n{lines}\n")).window == expected


def test_catch_up_none_goes_with_a_schedule():
    assert parse(job_text(schedule=EVERY, window=WINDOW + 'catch_up = "none"\n')).window.catch_up == "none"


def test_steps_are_those_that_the_grid_knows():
    assert (*STEPS_HERE.values(), *CALENDAR_STEPS_HERE) == STEPS
    assert CALENDAR_STEPS_HERE == CALENDAR_STEPS


def test_sql_effect_has_its_sources():
    effect = parse(
        job_text(
            effect=SQL
            + dedent("""\
            time_format = "epoch-ms"
            timeout = "90s"
            [effect.sources.siparis]
            database = "../erp.db"
            query = "select * from siparis where an >= :start and an < :end"
            """)
        )
    ).effect

    assert isinstance(effect, SqlEffect)
    assert (effect.time_format, effect.timeout_s) == ("epoch-ms", 90.0)
    assert effect.sources == (
        Source(
            "siparis",
            os.path.abspath(os.path.join(FOLDER, "..", "erp.db")),
            "select * from siparis where an >= :start and an < :end",
        ),
    )


def test_python_effect_names_file_and_function():
    effect = parse(job_text(effect=PYTHON)).effect

    assert effect == PythonEffect(os.path.join(FOLDER, "satis.db"), os.path.join(FOLDER, "ozet.py"), "process")


@pytest.mark.win32
def test_python_effect_keeps_a_drive_letter():
    effect = parse(job_text(effect=PYTHON.replace('"ozet.py:process"', "'C:\\jobs\\ozet.py:process'"))).effect

    assert isinstance(effect, PythonEffect)
    assert (effect.file, effect.function) == ("C:\\jobs\\ozet.py", "process")


def test_command_effect_has_all_its_fields():
    job = parse(
        job_text(
            effect=COMMAND
            + dedent("""\
            cwd = "betik"
            env = { LANG = "tr_TR.UTF-8", BOS = "" }
            path = "/opt/bin"
            encoding = "cp857"
            repeatable = true
            nothing_done = [75, 3]
            timeout = "1h"
            [ledger]
            database = "ortak/defter.db"
            """)
        )
    )

    assert job.effect == CommandEffect(
        argv=("python3", "gonder.py", "--from", "{start}"),
        cwd=os.path.join(FOLDER, "betik"),
        env=(("LANG", "tr_TR.UTF-8"), ("BOS", "")),
        path="/opt/bin",
        encoding="cp857",
        repeatable=True,
        nothing_done=(3, 75),
        timeout_s=3600.0,
    )
    assert job.ledger_database == os.path.join(FOLDER, "ortak", "defter.db")


def test_command_starts_in_the_folder_of_the_job_file():
    effect = parse(job_text(effect='[effect]\nkind = "command"\nshell = "echo a | cat"\n')).effect

    assert isinstance(effect, CommandEffect)
    assert (effect.shell, effect.argv, effect.cwd) == ("echo a | cat", (), FOLDER)


def test_absolute_path_stays(tmp_path: Path):
    database = str(tmp_path / "satis.db")

    effect = parse(job_text(effect=SQL.replace('"satis.db"', f"'{database}'"))).effect

    assert isinstance(effect, SqlEffect)
    assert effect.database == database


def test_start_that_is_left_out_is_asked_for_by_step_and_zone():
    asked = []

    def start_for(step: str, timezone: str | None) -> datetime:
        asked.append((step, timezone))
        return START

    window = '[window]\nstep = "1w"\ntimezone = "Europe/Berlin"\n'
    job = parse_job(job_text(window=window), PATH, "satis", start_for=start_for)

    assert job.window.start == START
    assert asked == [("1w", "Europe/Berlin")]


@pytest.mark.parametrize("head", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_files_of_all_editors_are_read_alike(tmp_path: Path, head: bytes, ending: bytes):
    file = tmp_path / "satis.toml"
    file.write_bytes(head + HOURLY.encode().replace(b"\n", ending))

    job = read_job(str(file), "satis")

    assert job.title == "Saatlik satış özeti"
    assert job.schedule == Every(60, 5)
    assert job.file == str(file)


@pytest.mark.parametrize(
    ("key", "line"),
    [("title", 1), ("every", 4), ("offset", 5), ("step", 9), ("database", 15)],
)
def test_fault_names_the_line_of_its_key(key: str, line: int):
    lines = HOURLY.split("\n")
    lines[line - 1] = f"{key} = 1.5"

    with pytest.raises(JobFileError) as caught:
        parse("\n".join(lines))

    facts = caught.value.facts
    assert (facts["line"], facts["place"], facts["value"]) == (line, f"{PATH}:{line}", "1.5")
    assert str(facts["key"]).endswith(key)
    assert facts["file"] == PATH
    assert facts["job"] == "satis"


def test_fault_of_a_missing_key_names_the_header_of_its_table():
    with pytest.raises(JobFileError) as caught:
        parse(HOURLY.replace('script = "ozet.sql"\n', ""))

    assert caught.value.facts["key"] == "effect.script"
    assert caught.value.facts["line"] == HOURLY.split("\n").index("[effect]") + 1


def test_a_key_inside_a_text_of_several_lines_is_not_taken_for_the_fault():
    effect = '[effect]\nkind = "command"\nshell = """\ncwd = 5\n"""\ncwd = 6\n'

    with pytest.raises(JobFileError) as caught:
        parse(effect + WINDOW)

    assert caught.value.facts["line"] == 6


def test_items_and_a_download_are_read():
    more = (
        'headers = { Accept = "application/json" }\njson = { id = "{item}", n = [1] }\nexpect = "json"\nper_host = 2\n'
    )
    job = parse(items_text(items=ITEMS + 'column = "id"\nworkers = 8\nattempts = 5\n', effect=DOWNLOAD + more))

    folder = os.path.dirname(job.file)
    assert job.items == Items(os.path.join(folder, "ids.txt"), os.path.join(folder, "in"), "{item}.json", "id", 8, 5)
    assert job.effect == DownloadEffect(
        "https://x/{item}",
        "POST",
        '{"id": "{item}", "n": [1]}',
        (("Accept", "application/json"),),
        "json",
        2,
        600.0,
    )
    assert job.rule is None
    with pytest.raises(UsageError, match="job-without-periods"):
        _ = job.window


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ('[effect]\nkind = "python"\ncallable = "make.py:make"\n', PythonEffect),
        ('[effect]\nkind = "command"\nshell = "make {item} > {output}"\n', CommandEffect),
    ],
)
def test_items_take_a_program_or_a_function_without_a_database(effect: str, expected: type):
    job = parse(items_text(effect=effect))
    assert isinstance(job.effect, expected)
    assert job.items is not None
    assert (job.items.workers, job.items.attempts) == (4, 3)
