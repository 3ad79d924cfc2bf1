"""The cached job answers for exactly the file that was parsed, and costs no TOML."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.job.texts import COMMAND, DOWNLOAD, EVERY, HOURLY, ITEMS, PYTHON, SQL, WINDOW, items_text, job_text
from trayapp.errors import JobFileError, NoSuchJobError
from trayapp.job import cache, file
from trayapp.job.cache import load_job
from trayapp.places import Places
from trayapp.wording.speech import sentence

CHECKOUT = Path(__file__).resolve().parents[2]
LONG_AGO_S = 100.0


def put(places: Places, text: str, *, age_s: float = LONG_AGO_S, job_id: str = "satis") -> Path:
    """Write a job file that was last changed *age_s* ago, by all that its file system tells."""
    path = Path(places.job_file(job_id))
    path.write_text(text, encoding="utf-8")
    at = time.time() - age_s
    os.utime(path, (at, at))
    return path


@pytest.fixture
def old_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cache's clock run ahead, since no call can set a file's ctime back."""
    real = time.time
    monkeypatch.setattr(cache.time, "time", lambda: real() + LONG_AGO_S)


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Job files that were parsed, in order."""
    paths: list[str] = []
    real = file.read_job

    def read(path: str, job_id: str):
        paths.append(os.path.basename(path))
        return real(path, job_id)

    monkeypatch.setattr(file, "read_job", read)
    return paths


JOBS = {
    "sql": HOURLY,
    "sources": job_text(effect=f'{SQL}[effect.sources.siparis]\ndatabase = "erp.db"\nquery = "select 1"\n'),
    "python": job_text(effect=PYTHON, schedule='[schedule]\nmonthly = { days = [1, "last"], at = ["06:00"] }\n'),
    "command": job_text(
        effect=COMMAND + 'env = { A = "1" }\nnothing_done = [75]\n[ledger]\ndatabase = "l.db"\n',
        schedule='[schedule]\nevery = "15m"\ndays = ["mon"]\nhours = "08-18"\n',
    ),
    "daily": job_text(schedule='[schedule]\ndaily = ["02:30"]\n', top="enabled = false"),
    "weekly": job_text(schedule='[schedule]\nweekly = { days = ["mon"], at = ["02:30"] }\n'),
    "cron": job_text(schedule='[schedule]\ncron = "5 * * * *"\n'),
    "download": items_text(
        items=ITEMS + 'column = "id"\nworkers = 2\nattempts = 9\n',
        effect=DOWNLOAD + 'headers = { A = "1" }\njson = { id = "{item}" }\nexpect = "json"\nper_host = 2\n',
    ),
    "items": items_text(effect='[effect]\nkind = "python"\ncallable = "a.py:make"\n'),
    "zone": job_text(window='[window]\nstep = "1d"\nstart = 2013-01-01T05:00:00Z\ntimezone = "America/New_York"\n'),
}


@pytest.mark.parametrize("text", JOBS.values(), ids=JOBS)
def test_second_load_gives_the_same_job_without_parsing(birkez_home: Places, old_times, parses: list[str], text: str):
    put(birkez_home, text)

    first, second = load_job(birkez_home, "satis"), load_job(birkez_home, "satis")

    assert parses == ["satis.toml"]
    assert second == first == file.read_job(birkez_home.job_file("satis"), "satis")
    assert [type(value) for value in second] == [type(value) for value in first]
    if first.rule is not None:
        assert second.window.start.tzinfo is first.window.start.tzinfo


def test_hit_loads_no_parser(birkez_home: Places, old_times):
    put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")
    code = (
        "import sys; from trayapp.places import find_places; from trayapp.job.cache import load_job;"
        "load_job(find_places(), 'satis');"
        "slow = {'tomllib', 'typing', 're', 'enum', 'pathlib', 'json', 'difflib', 'trayapp.job.file'};"
        "print(slow & set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text(HOURLY.replace("10:00:00", "11:00:00"), encoding="utf-8"),  # same size
        lambda path: path.write_text(HOURLY + "\n", encoding="utf-8"),
        lambda path: os.utime(path, (1, 1)),
        lambda path: file.replace_text(str(path), HOURLY),
    ],
    ids=["content", "size", "time", "inode"],
)
def test_changed_file_is_parsed_anew(birkez_home: Places, old_times, parses: list[str], change):
    path = put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")

    change(path)

    assert load_job(birkez_home, "satis") == file.read_job(str(path), "satis")
    assert len(parses) >= 2


def test_edit_that_sets_the_time_back_is_seen(birkez_home: Places, old_times):
    path = put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")
    before = path.stat()

    path.write_text(HOURLY.replace("10:00:00", "11:00:00"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    # Size, inode and mtime are the same: on POSIX only ctime tells, on Windows nothing could.
    if sys.platform != "win32":
        assert load_job(birkez_home, "satis").window.start.hour == 11


@pytest.mark.parametrize("age_s", [0.0, 1.0, -3600.0], ids=["now", "a second ago", "in the future"])
def test_fresh_file_is_not_cached(birkez_home: Places, parses: list[str], age_s: float):
    put(birkez_home, HOURLY, age_s=age_s)

    load_job(birkez_home, "satis")
    load_job(birkez_home, "satis")

    assert parses == ["satis.toml"] * 2
    assert not os.path.exists(birkez_home.cache_file("satis"))


def test_two_edits_within_one_tick_of_the_clock_are_both_seen(birkez_home: Places):
    path = put(birkez_home, HOURLY, age_s=0)
    tick = path.stat().st_mtime_ns
    load_job(birkez_home, "satis")

    path.write_text(HOURLY.replace("10:00:00", "11:00:00"), encoding="utf-8")
    os.utime(path, ns=(tick, tick))

    assert load_job(birkez_home, "satis").window.start.hour == 11


@pytest.mark.parametrize("moment", ["before reading", "after reading"])
def test_file_that_changes_while_it_is_read_is_read_again(
    birkez_home: Places, old_times, monkeypatch: pytest.MonkeyPatch, moment: str
):
    path = put(birkez_home, HOURLY)
    real = file.read_job

    def read(name: str, job_id: str):
        if moment == "before reading":
            file.replace_text(name, HOURLY.replace("10:00:00", "11:00:00"))
        job = real(name, job_id)
        if moment == "after reading":
            file.replace_text(name, HOURLY.replace("10:00:00", "11:00:00"))
        return job

    monkeypatch.setattr(file, "read_job", read)
    load_job(birkez_home, "satis")
    monkeypatch.setattr(file, "read_job", real)

    assert load_job(birkez_home, "satis") == real(str(path), "satis")


def damages(whole: bytes) -> list[bytes]:
    flipped = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 7)]
    cut = [whole[:at] for at in range(0, len(whole), 50)]
    half = whole[: len(whole) // 2]
    return [*flipped, *cut, half, half[:9] * 2, b"\0" * len(whole), b"x" * 10, b"N" * 2]


def test_damaged_cache_is_parsed_over(birkez_home: Places, old_times, parses: list[str]):
    put(birkez_home, HOURLY)
    expected = load_job(birkez_home, "satis")
    cached = Path(birkez_home.cache_file("satis"))
    whole = cached.read_bytes()

    for damaged in damages(whole):
        parses.clear()
        cached.write_bytes(damaged)
        assert load_job(birkez_home, "satis") == expected
        assert parses == ["satis.toml"]
        assert cached.read_bytes() == whole


def test_cache_of_another_version_is_parsed_over(birkez_home: Places, old_times, parses, monkeypatch):
    put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")

    monkeypatch.setattr(cache, "_HEADER", (*cache._HEADER[:-1], "other fields"))

    load_job(birkez_home, "satis")
    assert len(parses) == 2


def test_cache_does_not_follow_a_home_that_moved(tmp_path: Path, old_times):
    homes = [Places(str(tmp_path / name / "config"), str(tmp_path / name / "state")) for name in ("a", "b")]
    homes[0].make_folders()
    put(homes[0], HOURLY)
    load_job(homes[0], "satis")

    (tmp_path / "a").rename(tmp_path / "b")  # a portable stick: times and inodes stay

    assert load_job(homes[1], "satis").file == homes[1].job_file("satis")


def test_cache_that_cannot_be_written_harms_nothing(birkez_home: Places, old_times, parses: list[str]):
    put(birkez_home, HOURLY)
    os.rmdir(os.path.dirname(birkez_home.cache_file("satis")))

    assert load_job(birkez_home, "satis") == load_job(birkez_home, "satis")
    assert len(parses) == 2


@pytest.mark.posix
def test_cache_is_readable_by_its_owner_alone(birkez_home: Places, old_times):
    put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")

    assert os.stat(birkez_home.cache_file("satis")).st_mode & 0o777 == 0o600
    assert os.listdir(os.path.dirname(birkez_home.cache_file("satis"))) == ["satis"]


def test_broken_file_is_told_each_time_and_never_hidden_by_the_cache(birkez_home: Places, old_times):
    put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")
    put(birkez_home, "")

    for _ in range(2):
        with pytest.raises(JobFileError) as caught:
            load_job(birkez_home, "satis")
        assert caught.value.code == "job-file-empty"


def test_removed_job_is_gone_though_its_cache_is_there(birkez_home: Places, old_times):
    path = put(birkez_home, HOURLY)
    load_job(birkez_home, "satis")
    path.unlink()

    with pytest.raises(NoSuchJobError) as caught:
        load_job(birkez_home, "satis")

    assert (caught.value.code, caught.value.facts) == ("no-such-job", {"job": "satis"})
    assert "satis" in sentence(caught.value)


@pytest.mark.parametrize("job_id", ["", ".", "../satis", "a/b", "SATIS", "nul", "a\0b", "x" * 64, "-x"])
def test_what_can_be_no_id_is_no_job(birkez_home: Places, job_id: str):
    put(birkez_home, HOURLY)

    with pytest.raises(NoSuchJobError):
        load_job(birkez_home, job_id)


def test_window_and_schedule_stand_for_all_that_is_cached():
    # A new kind of value must be added to the cache, or it would come back as a bare tuple.
    from trayapp.job import model, schedule

    values = {
        value
        for module in (model, schedule)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, tuple) and value.__module__ == module.__name__
    }

    assert values == set(cache._KINDS)
    assert parse_all_kinds() == values


def parse_all_kinds() -> set[type]:
    found: set[type] = set()

    def walk(value: object) -> None:
        if isinstance(value, tuple):
            if type(value) is not tuple:
                found.add(type(value))
            for item in value:
                walk(item)

    for text in [*JOBS.values(), EVERY + WINDOW + SQL]:
        walk(file.parse_job(text, "/jobs/satis.toml", "satis"))
    return found
