"""What an admin may get wrong, each with its own code, key and a sentence that says what to do."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

from tests.job.texts import COMMAND, DOWNLOAD, EVERY, HOURLY, ITEMS, PYTHON, SQL, WINDOW, items_text, job_text
from trayapp.errors import JobFileError
from trayapp.exit_code import JOB_FILE_INVALID
from trayapp.job.file import MAX_SIZE, parse_job, read_job
from trayapp.wording.speech import sentence

DAYS = '[window]\nstep = "1d"\nstart = 2026-09-04T00:00:00Z\n'
ZONE = DAYS + 'timezone = "{}"\n'


def schedule(lines: str) -> str:
    return job_text(schedule=f"[schedule]\n{lines}\n")


def window(old: str, new: str) -> str:
    return job_text(window=WINDOW.replace(old, new))


def more(table: str, lines: str) -> str:
    return job_text(effect=table + lines + "\n")


def with_lines(table: str, lines: str) -> str:
    return table + lines + "\n"


def sources(name: str, lines: str = 'database = "erp.db"\nquery = "select 1"') -> str:
    return more(SQL, f"[effect.sources.{name}]\n{lines}")


BAD = [
    # the file as a whole
    ("", "job-file-empty", ""),
    (" \n\t\n", "job-file-empty", ""),
    (HOURLY[: len(HOURLY) // 2], "job-file-not-toml", ""),
    (HOURLY[: HOURLY.index("[effect]")], "job-table-missing", "effect"),
    (HOURLY[: HOURLY.index("script =")], "job-key-missing", "effect.script"),
    (HOURLY.replace("[window]", "[window"), "job-file-not-toml", ""),
    (HOURLY + HOURLY, "job-file-not-toml", ""),
    ("title = 5\r" + HOURLY, "job-file-not-toml", ""),
    ("a = " + "[" * 5000, "job-file-not-toml", ""),
    (f"[x{'.a' * 900}]", "job-key-unknown", "x"),
    (f"[x{'.a' * 60_000}]", "job-file-not-toml", ""),
    ("a." * 60_000 + "a = 1", "job-file-not-toml", ""),
    (HOURLY.replace('title = "', f'title{".a" * 900} = "', 1), "job-value-type", "title"),
    ("a = " + "9" * 5000, "job-file-not-toml", ""),
    # keys
    (HOURLY.replace("title", "titel"), "job-key-misspelt", "titel"),
    (HOURLY.replace("title", "Title"), "job-key-misspelt", "Title"),
    (HOURLY.replace("[schedule]", "[scedule]"), "job-key-misspelt", "scedule"),
    (HOURLY.replace("lateness", "latenes"), "job-key-misspelt", "window.latenes"),
    (HOURLY.replace("script", "skript"), "job-key-misspelt", "effect.skript"),
    (HOURLY + "enabled = false", "job-key-misspelt", "effect.enabled"),
    (job_text(top='timezone = "UTC"'), "job-key-misspelt", "timezone"),
    (job_text(top="xyz = 1"), "job-key-unknown", "xyz"),
    (job_text(top='"a b" = 1'), "job-key-unknown", "a b"),
    (HOURLY.replace("[window]", "[[window]]"), "job-value-type", "window"),
    (job_text(top="schedule = 5"), "job-value-type", "schedule"),
    # title and enabled
    (job_text(top='title = ""'), "job-text-empty", "title"),
    (job_text(top="title = 5"), "job-value-type", "title"),
    (job_text(top='title = "a\\nb"'), "job-title-unusable", "title"),
    (job_text(top='title = "a\\u2028b"'), "job-title-unusable", "title"),
    (job_text(top=f'title = "{"ş" * 201}"'), "job-title-unusable", "title"),
    (job_text(top='enabled = "yes"'), "job-value-type", "enabled"),
    (job_text(top="enabled = 1"), "job-value-type", "enabled"),
    # schedule
    (schedule(""), "job-schedule-empty", "schedule"),
    (schedule('offset = "5m"'), "job-schedule-empty", "schedule"),
    (schedule('every = "1h"\ndaily = ["02:30"]'), "job-schedule-several", "schedule.daily"),
    (schedule('every = "45m"'), "job-step-uneven", "schedule.every"),
    (schedule('every = "90m"'), "job-step-uneven", "schedule.every"),
    (schedule('every = "7h"'), "job-step-uneven", "schedule.every"),
    (schedule('every = "3m"'), "job-value-choice", "schedule.every"),
    (schedule('every = "90s"'), "job-step-seconds", "schedule.every"),
    (schedule('every = "24h"'), "job-step-long", "schedule.every"),
    (schedule('every = "36h"'), "job-step-long", "schedule.every"),
    (schedule('every = "1d"'), "job-duration-malformed", "schedule.every"),
    (schedule('every = "0m"'), "job-duration-malformed", "schedule.every"),
    (schedule('every = "-5m"'), "job-duration-malformed", "schedule.every"),
    (schedule('every = "\u0665m"'), "job-duration-malformed", "schedule.every"),
    (schedule(f'every = "{"9" * 5000}m"'), "job-duration-malformed", "schedule.every"),
    (schedule("every = 15"), "job-value-type", "schedule.every"),
    (schedule('every = "1h"\noffset = "90s"'), "job-offset-seconds", "schedule.offset"),
    (schedule('every = "1h"\noffset = "soon"'), "job-duration-malformed", "schedule.offset"),
    (schedule('daily = ["02:30"]\noffset = "5m"'), "job-schedule-limit", "schedule.offset"),
    (schedule('daily = ["02:30"]\ndays = ["mon"]'), "job-schedule-limit", "schedule.days"),
    (schedule('cron = "5 * * * *"\nhours = "08-18"'), "job-schedule-limit", "schedule.hours"),
    (schedule('every = "1h"\ndays = ["monday"]'), "job-value-choice", "schedule.days"),
    (schedule('every = "1h"\ndays = [1]'), "job-value-type", "schedule.days"),
    (schedule('every = "1h"\ndays = []'), "job-list-empty", "schedule.days"),
    (schedule('every = "1h"\nhours = "18-08"'), "job-hours-malformed", "schedule.hours"),
    (schedule('every = "1h"\nhours = "8-18"'), "job-hours-malformed", "schedule.hours"),
    (schedule('every = "1h"\nhours = "08-25"'), "job-hours-malformed", "schedule.hours"),
    (schedule('every = "12h"\nhours = "01-11"'), "job-schedule-never", "schedule.hours"),
    (schedule("daily = []"), "job-list-empty", "schedule.daily"),
    (schedule('daily = "02:30"'), "job-value-type", "schedule.daily"),
    (schedule("daily = [02:30:00]"), "job-value-type", "schedule.daily"),
    (schedule('daily = ["2:30"]'), "job-time-malformed", "schedule.daily"),
    (schedule('daily = ["24:00"]'), "job-time-malformed", "schedule.daily"),
    (schedule('daily = ["02:60"]'), "job-time-malformed", "schedule.daily"),
    (schedule('weekly = { days = ["mon"] }'), "job-key-missing", "schedule.weekly.at"),
    (schedule('weekly = { days = ["mon"], at = ["09:00"], in = 1 }'), "job-key-unknown", "schedule.weekly.in"),
    (schedule('monthly = { days = [0], at = ["06:00"] }'), "job-month-day", "schedule.monthly.days"),
    (schedule('monthly = { days = [-1], at = ["06:00"] }'), "job-month-day", "schedule.monthly.days"),
    (schedule('monthly = { days = [32], at = ["06:00"] }'), "job-month-day", "schedule.monthly.days"),
    (schedule('monthly = { days = ["first"], at = ["06:00"] }'), "job-month-day", "schedule.monthly.days"),
    (schedule('monthly = { days = [true], at = ["06:00"] }'), "job-month-day", "schedule.monthly.days"),
    (schedule('monthly = { days = [], at = ["06:00"] }'), "job-list-empty", "schedule.monthly.days"),
    (schedule('cron = "@daily"'), "job-cron-fields", "schedule.cron"),
    (schedule('cron = "0 5 * * * *"'), "job-cron-fields", "schedule.cron"),
    (schedule('cron = "5 25 * * *"'), "job-cron-refused", "schedule.cron"),
    (schedule('cron = "0 0 31 2 *"'), "job-cron-refused", "schedule.cron"),
    (schedule(f'cron = "{"9" * 5000} 0 * * *"'), "job-cron-refused", "schedule.cron"),
    (schedule('cron = "0 0 * * L-5"'), "job-cron-refused", "schedule.cron"),
    (schedule('cron = ""'), "job-text-empty", "schedule.cron"),
    # window
    (job_text(window=WINDOW.replace("[window]", "[effect2]")), "job-key-misspelt", "effect2"),
    (window('step = "1h"\n', ""), "job-key-missing", "window.step"),
    (window("1h", "45m"), "job-step-uneven", "window.step"),
    (window("1h", "90m"), "job-step-uneven", "window.step"),
    (window("1h", "7h"), "job-step-uneven", "window.step"),
    (window("1h", "36h"), "job-step-long", "window.step"),
    (window("1h", "24h"), "job-step-long", "window.step"),
    (window("1h", "6m"), "job-value-choice", "window.step"),
    (window("1h", "2d"), "job-duration-malformed", "window.step"),
    (window("1h", "1y"), "job-duration-malformed", "window.step"),
    (window('"1h"', "60"), "job-value-type", "window.step"),
    (window("2026-09-04T10:00:00Z", "2026-09-04T10:00:00"), "job-start-without-zone", "window.start"),
    (window("2026-09-04T10:00:00Z", "2026-09-04"), "job-start-without-zone", "window.start"),
    (window("2026-09-04T10:00:00Z", "10:00:00"), "job-value-type", "window.start"),
    (window("2026-09-04T10:00:00Z", '"2026-09-04T10:00:00Z"'), "job-value-type", "window.start"),
    (window("2026-09-04T10:00:00Z", "2026-09-04T10:00:00.5Z"), "job-start-range", "window.start"),
    (window("2026-09-04", "1969-12-31"), "job-start-range", "window.start"),
    (window("2026-09-04", "2226-09-04"), "job-start-range", "window.start"),
    (window("2026-09-04T10:00:00Z", "2026-02-30T10:00:00Z"), "job-file-not-toml", ""),
    (window("start = 2026-09-04T10:00:00Z", ""), "job-start-missing", "window.start"),
    (job_text(window=DAYS), "job-timezone-missing", "window.step"),
    (job_text(window=WINDOW + 'timezone = "Europe/Istanbul"\n'), "job-timezone-unneeded", "window.timezone"),
    *(
        (job_text(window=ZONE.format(zone)), "job-timezone-unknown", "window.timezone")
        for zone in (
            "Europe/Ankara",
            "../etc/passwd",
            "/etc/passwd",
            "Europe",
            "europe/istanbul",
            "right/Europe/Berlin",
            "posix/UTC",
            "localtime",
            "Europe/Istanbul ",
            "europe/istanbul",
            "+03:00",
        )
    ),
    (job_text(window=ZONE.format("")), "job-text-empty", "window.timezone"),
    (job_text(window=ZONE.format("a\\u0000b")), "job-text-nul", "window.timezone"),
    (job_text(window=WINDOW + "lateness = 300\n"), "job-value-type", "window.lateness"),
    (job_text(window=WINDOW + 'lateness = "5 m"\n'), "job-duration-malformed", "window.lateness"),
    (job_text(window=WINDOW + 'lateness = "-5m"\n'), "job-duration-malformed", "window.lateness"),
    (job_text(window=WINDOW + 'lateness = "99999h"\n'), "job-duration-malformed", "window.lateness"),
    (job_text(window=WINDOW + "max_per_run = 0\n"), "job-value-range", "window.max_per_run"),
    (job_text(window=WINDOW + "max_per_run = -1\n"), "job-value-range", "window.max_per_run"),
    (job_text(window=WINDOW + "max_per_run = true\n"), "job-value-type", "window.max_per_run"),
    (job_text(window=WINDOW + "max_per_run = 2.0\n"), "job-value-type", "window.max_per_run"),
    (job_text(window=WINDOW + 'catch_up = "newest"\n'), "job-value-choice", "window.catch_up"),
    (job_text(window=WINDOW + "catch_up = false\n"), "job-value-type", "window.catch_up"),
    (job_text(window=WINDOW + 'catch_up = "none"\n'), "job-catch-up-without-schedule", "window.catch_up"),
    # effect
    (job_text(effect="[effect]\n"), "job-key-missing", "effect.kind"),
    (job_text(effect=SQL.replace('"sql"', '"bash"')), "job-value-choice", "effect.kind"),
    (job_text(effect=SQL.replace('"sql"', '"SQL"')), "job-value-choice", "effect.kind"),
    (job_text(effect=SQL.replace('"sql"', '"download"')), "job-download-without-items", "effect.kind"),
    (
        '[items]\nsource = "x"\ntarget = "{item}"\n' + HOURLY[HOURLY.index("[schedule]") :],
        "job-items-and-window",
        "window",
    ),
    # items
    (items_text(items="[items]\n"), "job-key-missing", "items.target"),
    (items_text(items='[items]\ntarget = "{item}.json"\n'), "job-key-missing", "items.source"),
    (items_text(items=ITEMS.replace("{item}", "all")), "job-target-without-item", "items.target"),
    (items_text(items=ITEMS.replace("in/{item}", "{item}/x")), "job-target-without-item", "items.target"),
    (items_text(items=ITEMS.replace("in/{item}", "{item}/{item}")), "job-target-folder", "items.target"),
    (items_text(items=with_lines(ITEMS, "workers = 0")), "job-value-range", "items.workers"),
    (items_text(items=with_lines(ITEMS, "workers = true")), "job-value-type", "items.workers"),
    (items_text(items=with_lines(ITEMS, "attempts = 0")), "job-value-range", "items.attempts"),
    (items_text(items=with_lines(ITEMS, 'colunm = "id"')), "job-key-misspelt", "items.colunm"),
    (items_text(effect=SQL), "job-sql-with-items", "effect.kind"),
    (items_text(effect=with_lines(DOWNLOAD, 'argv = ["x"]')), "job-key-of-other-kind", "effect.argv"),
    (items_text(effect=PYTHON), "job-key-misspelt", "effect.database"),
    (items_text(effect=DOWNLOAD.replace("https:", "ftp:")), "job-url-malformed", "effect.url"),
    (items_text(effect=DOWNLOAD.replace("https://x/", "https://x/ ")), "job-url-malformed", "effect.url"),
    (items_text(effect=with_lines(DOWNLOAD, 'method = "PUT"')), "job-value-choice", "effect.method"),
    (items_text(effect=with_lines(DOWNLOAD, 'method = "GET"\njson = {}')), "job-json-with-get", "effect.json"),
    (items_text(effect=with_lines(DOWNLOAD, "json = { day = 2026-09-04 }")), "job-json-date", "effect.json"),
    (items_text(effect=with_lines(DOWNLOAD, 'headers = { "a b" = "1" }')), "job-header-name", "effect.headers"),
    (items_text(effect=with_lines(DOWNLOAD, 'headers = { Host = "x" }')), "job-header-name", "effect.headers"),
    (items_text(effect=with_lines(DOWNLOAD, 'headers = { A = "x\\ny" }')), "job-header-value", "effect.headers"),
    (items_text(effect=with_lines(DOWNLOAD, "headers = { A = 1 }")), "job-header-value", "effect.headers"),
    (items_text(effect=with_lines(DOWNLOAD, "per_host = 0")), "job-value-range", "effect.per_host"),
    (items_text(effect=with_lines(DOWNLOAD, 'expect = "xml"')), "job-value-choice", "effect.expect"),
    (more(SQL, 'argv = ["x"]'), "job-key-of-other-kind", "effect.argv"),
    (more(PYTHON, 'time_format = "iso"'), "job-key-of-other-kind", "effect.time_format"),
    (more(COMMAND, 'database = "x.db"'), "job-key-of-other-kind", "effect.database"),
    (more(SQL, 'time_format = "unix"'), "job-value-choice", "effect.time_format"),
    (more(SQL, 'timeout = "0s"'), "job-value-range", "effect.timeout"),
    (more(SQL, "timeout = 5"), "job-value-type", "effect.timeout"),
    (job_text(effect=SQL.replace("satis.db", "")), "job-text-empty", "effect.database"),
    (job_text(effect=SQL.replace("satis.db", "a\\u0000b")), "job-text-nul", "effect.database"),
    (job_text(effect=SQL.replace("satis.db", "C:\\Users\\x.db")), "job-file-backslash", ""),
    (job_text(effect=SQL.replace("satis.db", "C:\\satis.db")), "job-file-backslash", ""),
    (job_text(effect=SQL.replace("satis.db", "C:\\next.db")), "job-path-unusable", "effect.database"),
    (job_text(effect=SQL.replace("ozet.sql", "C:\\next.sql")), "job-path-unusable", "effect.script"),
    (job_text(effect=SQL.replace("satis.db", "postgresql://u@h/d")), "job-postgresql-later", "effect.database"),
    (job_text(effect=PYTHON.replace("satis.db", "postgres://h/d")), "job-postgresql-later", "effect.database"),
    (job_text(effect=SQL.replace("satis.db", ":memory:")), "job-database-address", "effect.database"),
    (job_text(effect=SQL.replace("satis.db", "file:x?mode=rwc")), "job-database-address", "effect.database"),
    (job_text(effect=SQL.replace("satis.db", "mysql://h/d")), "job-database-address", "effect.database"),
    (sources("birkez_orders"), "job-source-name", "effect.sources.birkez_orders"),
    (sources("sqlite_x"), "job-source-name", "effect.sources.sqlite_x"),
    (sources("siparis-1"), "job-source-name", "effect.sources.siparis-1"),
    (sources('"sipariş"'), "job-source-name", "effect.sources.sipariş"),
    (sources("a") + '[effect.sources.A]\ndatabase = "x"\nquery = "y"\n', "job-source-name", "effect.sources.A"),
    (sources("a", 'database = "erp.db"'), "job-key-missing", "effect.sources.a.query"),
    (sources("a", 'database = "e"\nquery = ""'), "job-text-empty", "effect.sources.a.query"),
    (sources("a", 'database = "e"\nquery = "q"\nsql = 1'), "job-key-unknown", "effect.sources.a.sql"),
    (more(SQL, "sources = 5"), "job-value-type", "effect.sources"),
    *(
        (job_text(effect=PYTHON.replace("ozet.py:process", text)), "job-callable-malformed", "effect.callable")
        for text in ("ozet.py", "ozet.py:", ":process", "ozet.py:a.b", "ozet.py:class", "ozet.py: process")
    ),
    (job_text(effect='[effect]\nkind = "command"\n'), "job-command-missing", "effect"),
    (more(COMMAND, 'shell = "echo"'), "job-command-twice", "effect.shell"),
    (job_text(effect='[effect]\nkind = "command"\nargv = []\n'), "job-list-empty", "effect.argv"),
    (job_text(effect='[effect]\nkind = "command"\nargv = "x"\n'), "job-value-type", "effect.argv"),
    (job_text(effect='[effect]\nkind = "command"\nargv = ["x", 5]\n'), "job-value-type", "effect.argv"),
    (job_text(effect='[effect]\nkind = "command"\nargv = ["", "x"]\n'), "job-text-empty", "effect.argv"),
    (job_text(effect='[effect]\nkind = "command"\nargv = ["x", "\\u0000"]\n'), "job-text-nul", "effect.argv"),
    (job_text(effect='[effect]\nkind = "command"\nshell = ""\n'), "job-text-empty", "effect.shell"),
    (more(COMMAND, 'env = { "A=B" = "x" }'), "job-env-name", "effect.env"),
    (more(COMMAND, 'env = { "" = "x" }'), "job-env-name", "effect.env"),
    (more(COMMAND, 'env = { BIRKEZ_KEY = "x" }'), "job-env-name", "effect.env"),
    (more(COMMAND, "env = { A = 5 }"), "job-value-type", "effect.env"),
    (more(COMMAND, 'env = { A = "\\u0000" }'), "job-text-nul", "effect.env"),
    (more(COMMAND, 'encoding = "cp999"'), "job-encoding-unknown", "effect.encoding"),
    (more(COMMAND, 'encoding = "hex"'), "job-encoding-unknown", "effect.encoding"),
    (more(COMMAND, "repeatable = 1"), "job-value-type", "effect.repeatable"),
    (more(COMMAND, "nothing_done = [0]"), "job-value-range", "effect.nothing_done"),
    (more(COMMAND, "nothing_done = [-9]"), "job-value-range", "effect.nothing_done"),
    (more(COMMAND, "nothing_done = [true]"), "job-value-type", "effect.nothing_done"),
    (more(COMMAND, "nothing_done = 75"), "job-value-type", "effect.nothing_done"),
    # ledger
    (more(SQL, '[ledger]\ndatabase = "x.db"'), "job-ledger-unneeded", "ledger"),
    (more(COMMAND, "[ledger]"), "job-key-missing", "ledger.database"),
    (more(COMMAND, '[ledger]\ndatabase = "postgresql://h/d"'), "job-postgresql-later", "ledger.database"),
    (more(COMMAND, '[ledger]\npath = "x.db"'), "job-key-unknown", "ledger.path"),
]


@pytest.mark.parametrize(("text", "code", "key"), BAD, ids=[f"{i}-{row[1]}" for i, row in enumerate(BAD)])
def test_bad_text_is_refused_with_its_code_key_and_sentence(text: str, code: str, key: str):
    with pytest.raises(JobFileError) as caught:
        parse_job(text, "/jobs/satis.toml", "satis")

    error = caught.value
    assert (error.code, error.facts["key"]) == (code, key)
    assert error.exit_status == JOB_FILE_INVALID
    assert_is_told(error)


def assert_is_told(error: JobFileError) -> None:
    told = sentence(error)
    assert "no sentence" not in told, told
    assert "Details:" not in told, told
    assert str(error.facts["file"]).replace("\0", "\\x00") in told
    assert pickle.loads(pickle.dumps(error)).facts == error.facts


def test_near_miss_is_answered_with_what_was_meant():
    suggestions = {}
    for text in (HOURLY.replace("lateness", "latenes"), HOURLY + "enabled = false", job_text(top='timezone = "UTC"')):
        with pytest.raises(JobFileError) as caught:
            parse_job(text, "/jobs/satis.toml", "satis")
        suggestions[caught.value.facts["key"]] = caught.value.facts["suggestion"]

    assert suggestions == {
        "window.latenes": "lateness",
        "effect.enabled": "enabled",
        "timezone": "window.timezone",
    }


def test_cron_fault_names_the_part_that_is_wrong():
    with pytest.raises(JobFileError) as caught:
        parse_job(schedule('cron = "5 25 * * *"'), "/jobs/satis.toml", "satis")

    assert caught.value.facts["part"] == '"25"'
    assert '"25"' in sentence(caught.value)


def test_zone_without_zone_data_is_not_called_unknown(monkeypatch: pytest.MonkeyPatch):
    import sys
    import zoneinfo

    zoneinfo.ZoneInfo.clear_cache()
    zoneinfo.reset_tzpath(to=())
    for name in [name for name in sys.modules if name.startswith("tzdata.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tzdata", None)  # as where the package is not installed
    try:
        with pytest.raises(JobFileError) as caught:
            parse_job(job_text(window=ZONE.format("Europe/Istanbul")), "/jobs/satis.toml", "satis")
    finally:
        zoneinfo.reset_tzpath()

    assert caught.value.code == "job-zone-data-missing"
    assert_is_told(caught.value)


@pytest.mark.parametrize("cut", range(0, len(HOURLY), 7))
def test_cut_file_is_never_another_valid_job(cut: int):
    complete = parse_job(HOURLY, "/jobs/satis.toml", "satis")
    try:
        job = parse_job(HOURLY[:cut], "/jobs/satis.toml", "satis")
    except JobFileError as error:
        assert_is_told(error)
    else:
        assert job == complete


# ------------------------------------------------------------- files that cannot be read


def refused(path: str | os.PathLike[str]) -> JobFileError:
    with pytest.raises(JobFileError) as caught:
        read_job(os.fspath(path), "satis")
    assert_is_told(caught.value)
    return caught.value


def test_missing_file(tmp_path: Path):
    assert refused(tmp_path / "satis.toml").code == "job-file-missing"


def test_missing_folder(tmp_path: Path):
    assert refused(tmp_path / "none" / "satis.toml").code == "job-file-missing"


def test_folder_in_place_of_a_file(tmp_path: Path):
    assert refused(tmp_path).code == "job-file-is-folder"


def test_empty_file(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_bytes(b"")

    assert refused(file).code == "job-file-empty"


def test_path_with_nul(tmp_path: Path):
    assert refused(f"{tmp_path}/a\0b.toml").code == "job-file-unreadable"


@pytest.mark.posix
def test_pipe_is_refused_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "satis.toml")

    assert refused(tmp_path / "satis.toml").code == "job-file-not-regular"


@pytest.mark.posix
def test_file_without_the_right_to_read(tmp_path: Path, powerless: tuple[str, ...]):
    import subprocess

    file = tmp_path / "satis.toml"
    file.write_text(HOURLY, encoding="utf-8")
    file.chmod(0)
    code = f"from trayapp.job.file import read_job; read_job({str(file)!r}, 'satis')"

    done = subprocess.run(
        [*powerless, sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=Path.cwd(), check=False
    )

    assert "JobFileError: job-file-unreadable" in done.stderr
    assert "reason='Permission denied'" in done.stderr


def test_turkish_letters_in_another_encoding_name_their_line(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_bytes(HOURLY.replace("# which data", "# hangi dönem, şube").encode("cp1254"))

    error = refused(file)

    assert (error.code, error.facts["line"], error.facts["value"]) == ("job-file-not-utf8", 1, "0xfd")


def test_huge_file_is_refused_without_reading_it_whole(tmp_path: Path):
    file = tmp_path / "satis.toml"
    with open(file, "wb") as sparse:
        sparse.write(HOURLY.encode())
        sparse.truncate(1 << 40 if sys.platform == "linux" else MAX_SIZE + 1)

    assert refused(file).code == "job-file-large"


def test_one_schedule_of_each_kind_is_valid():
    # The table above must not refuse for a reason of its own.
    for lines in (EVERY.partition("\n")[2], 'daily = ["02:30"]', 'cron = "5 * * * *"'):
        parse_job(schedule(lines), "/jobs/satis.toml", "satis")
    for effect in (SQL, PYTHON, COMMAND):
        parse_job(job_text(effect=effect), "/jobs/satis.toml", "satis")
