from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.job.texts import COMMAND, HOURLY, PYTHON, SQL, items_text, job_text
from trayapp.errors import JobFileError, NoSuchJobError, SetupError, UsageError
from trayapp.job.cache import load_job
from trayapp.job.file import parse_job, read_job
from trayapp.job.model import CommandEffect, Job, PythonEffect, SqlEffect, is_job_id, propose_id
from trayapp.job.shelf import add, job_ids, read_all, remove, set_enabled
from trayapp.places import Places
from trayapp.wording.speech import sentence

CHECKOUT = Path(__file__).resolve().parents[2]
START = datetime(2026, 9, 4, 9, tzinfo=UTC)


def start_for(_step: str, _timezone: str | None) -> datetime:
    return START


def put(places: Places, stem: str, text: str = HOURLY) -> Path:
    path = Path(places.jobs_dir, f"{stem}.toml")
    path.write_text(text, encoding="utf-8")
    return path


# ------------------------------------------------------------------ ids


@pytest.mark.parametrize("text", ["a", "0", "satis-ozet", "a" * 63, "con-2", "com10", "x-", "9-a"])
def test_is_an_id(text: str):
    assert is_job_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-a",
        "a" * 64,
        "A",
        "ş",
        "a_b",
        "a b",
        "a.b",
        "a/b",
        "a\n",
        "..",
        "con",
        "nul",
        "aux",
        "com1",
        "lpt9",
        "\u0663",
        "_common",
    ],
)
def test_is_no_id(text: str):
    assert not is_job_id(text)


def test_five_titles_that_look_alike_become_five_ids():
    taken: list[str] = []
    for title in ("İade", "iade", "Iade!", "Sipariş", "Siparis"):
        taken.append(propose_id(title, taken))

    assert taken == ["iade", "iade-2", "iade-3", "siparis", "siparis-2"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Saatlik satış özeti", "saatlik-satis-ozeti"),
        ("ĞÜŞİÖÇ ğüşıöç I", "gusioc-gusioc-i"),
        ("  Rapor: 2026/03 *son*  ", "rapor-2026-03-son"),
        ("Straße & Æther", "strasse-aether"),
        ("\uff46ull width", "full-width"),
        ("", "job"),
        ("!!!", "job"),
        ("日本語", "job"),
        ("--", "job"),
        ("Con", "con-2"),
        ("LPT1", "lpt1-2"),
        ("COM1.txt", "com1-txt"),
        ("x" * 200, "x" * 63),
        ("a" * 62 + " b", "a" * 62),
    ],
)
def test_id_looks_like_its_title(title: str, expected: str):
    assert propose_id(title, ()) == expected


@pytest.mark.parametrize("taken", [["IADE"], ["Iade", "iade"], {"iade"}])
def test_id_that_differs_by_case_alone_is_taken(taken):
    assert propose_id("İade", taken) == "iade-2"


def test_long_ids_stay_within_their_length_when_numbered():
    taken = {"x" * 63, "x" * 61 + "-2"}

    assert propose_id("x" * 100, taken) == "x" * 61 + "-3"


@given(st.text(), st.lists(st.sampled_from(("job", "a", "a-2", "con-2"))))
def test_proposed_id_is_always_free_and_an_id(title: str, taken: list[str]):
    proposed = propose_id(title, taken)

    assert is_job_id(proposed)
    assert proposed not in taken


# ------------------------------------------------------------------ reading


def test_shelf_before_the_first_job_is_empty(tmp_path: Path):
    places = Places(str(tmp_path / "none"), str(tmp_path / "state"))

    assert job_ids(places) == []
    assert read_all(places) == []


def test_one_broken_file_hides_no_other(birkez_home: Places):
    put(birkez_home, "a")
    put(birkez_home, "b", "")
    put(birkez_home, "c", HOURLY[:-3])
    put(birkez_home, "d")
    os.mkdir(os.path.join(birkez_home.jobs_dir, "e.toml"))

    found = read_all(birkez_home)

    assert [job.id if isinstance(job, Job) else (job.facts["job"], job.code) for job in found] == [
        "a",
        ("b", "job-file-empty"),
        ("c", "job-file-not-toml"),
        "d",
        ("e", "job-file-is-folder"),
    ]
    assert job_ids(birkez_home) == ["a", "b", "c", "d", "e"]


def test_file_whose_name_is_no_id_is_shown_and_no_job(birkez_home: Places):
    put(birkez_home, "Sipariş")

    assert job_ids(birkez_home) == []
    (error,) = read_all(birkez_home)

    assert isinstance(error, JobFileError)
    assert (error.code, error.facts["proposal"]) == ("job-file-name", "siparis")
    assert "siparis.toml" in sentence(error)


def test_files_of_editors_and_unfinished_writes_are_no_jobs(birkez_home: Places):
    for name in (".satis.toml.swp", ".toml", ".x.toml", "satis.toml~", "satis.toml.12-ab.part", "satis.txt"):
        Path(birkez_home.jobs_dir, name).write_text("x", encoding="utf-8")

    assert read_all(birkez_home) == []


def test_unreadable_folder_is_an_error_and_no_empty_shelf(birkez_home: Places):
    os.rmdir(birkez_home.jobs_dir)
    Path(birkez_home.jobs_dir).write_text("in the way", encoding="utf-8")

    for read in (job_ids, read_all):
        with pytest.raises(SetupError) as caught:
            read(birkez_home)
        assert caught.value.code == "job-folder-unreadable"
        assert birkez_home.jobs_dir in sentence(caught.value)


# ------------------------------------------------------------------ adding


def test_added_job_is_read_back_as_it_was_written(birkez_home: Places, tmp_path: Path):
    source = str(tmp_path / "yeni.toml")

    job = add(birkez_home, "satis", HOURLY, source)

    assert read_job(birkez_home.job_file("satis"), "satis") == job
    stored = Path(birkez_home.job_file("satis")).read_text(encoding="utf-8")
    assert "# shown in the list" in stored
    assert "# which data\n[window]" in stored


@pytest.mark.parametrize(
    "effect",
    [
        f'{SQL}[effect.sources.siparis]\ndatabase = "erp.db"\nquery = "select 1"\n',
        PYTHON,
        COMMAND,
        COMMAND + 'cwd = "betik"\n[ledger]\ndatabase = "../defter.db"\n',
    ],
    ids=["sql", "python", "command", "command with folder"],
)
def test_relative_paths_mean_after_adding_what_they_meant_before(birkez_home: Places, tmp_path: Path, effect: str):
    source = str(tmp_path / "kaynak" / "yeni.toml")
    meant = parse_job(job_text(effect=effect), source, "satis")

    job = add(birkez_home, "satis", job_text(effect=effect), source)

    assert job == meant._replace(file=birkez_home.job_file("satis"))
    assert load_job(birkez_home, "satis") == job


def test_start_that_is_left_out_is_stored(birkez_home: Places, tmp_path: Path):
    text = HOURLY.replace("start = 2026-09-04T10:00:00Z\n", "")

    job = add(birkez_home, "satis", text, str(tmp_path / "yeni.toml"), start_for)

    assert job.window.start == START
    assert 'step = "1h"\nstart = 2026-09-04T09:00:00Z\n' in Path(job.file).read_text(encoding="utf-8")
    assert read_job(job.file, "satis").window.start == START


def test_start_that_is_written_stays_as_it_is_written(birkez_home: Places, tmp_path: Path):
    text = HOURLY.replace("2026-09-04T10:00:00Z", "2026-09-04T13:00:00+03:00")

    job = add(birkez_home, "satis", text, str(tmp_path / "yeni.toml"), start_for)

    assert "start = 2026-09-04T13:00:00+03:00" in Path(job.file).read_text(encoding="utf-8")


@pytest.mark.parametrize("existing", ["satis", "Satis", "SATIS"])
def test_taken_id_is_refused_and_nothing_written_over(birkez_home: Places, tmp_path: Path, existing: str):
    path = put(birkez_home, existing, "# broken, but someone's\n")

    with pytest.raises(UsageError) as caught:
        add(birkez_home, "satis", HOURLY, str(tmp_path / "yeni.toml"))

    assert (caught.value.code, caught.value.facts["proposal"]) == ("job-id-taken", "satis-2")
    assert "satis-2" in sentence(caught.value)
    assert path.read_text(encoding="utf-8") == "# broken, but someone's\n"
    assert os.listdir(birkez_home.jobs_dir) == [path.name]


@pytest.mark.parametrize("job_id", ["Satis", "../x", "con", "", "a" * 64])
def test_what_is_no_id_is_refused_with_one_that_is(birkez_home: Places, tmp_path: Path, job_id: str):
    with pytest.raises(UsageError) as caught:
        add(birkez_home, job_id, HOURLY, str(tmp_path / "yeni.toml"))

    assert caught.value.code == "job-id-malformed"
    assert is_job_id(str(caught.value.facts["proposal"]))
    assert "no sentence" not in sentence(caught.value)
    assert os.listdir(birkez_home.jobs_dir) == []


def test_invalid_text_is_refused_with_the_name_of_its_source(birkez_home: Places, tmp_path: Path):
    source = str(tmp_path / "yeni.toml")

    with pytest.raises(JobFileError) as caught:
        add(birkez_home, "satis", HOURLY.replace("1h", "45m"), source)

    assert caught.value.facts["file"] == source
    assert os.listdir(birkez_home.jobs_dir) == []


ADD = """
import sys
from trayapp.errors import UsageError
from trayapp.job.shelf import add
from trayapp.places import find_places
sys.stdin.read()
try:
    print(add(find_places(), "satis", open(sys.argv[1], encoding="utf-8").read(), sys.argv[1]).title)
except UsageError as error:
    print(error.code)
"""


def test_of_processes_that_add_one_id_at_once_one_wins(birkez_home: Places, tmp_path: Path):
    sources = [tmp_path / f"{number}.toml" for number in range(4)]
    for source in sources:
        source.write_text(f'title = "{source.stem}"\n{job_text()}', encoding="utf-8")
    adding = [
        subprocess.Popen(
            [sys.executable, "-c", ADD, source],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for source in sources
    ]

    for process in adding:  # all have started; now they may
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    answers = [process.communicate()[0].strip() for process in adding]

    (winner,) = set(answers) - {"job-id-taken"}
    assert sorted(answers) == sorted([winner, *["job-id-taken"] * 3])
    assert read_job(birkez_home.job_file("satis"), "satis").title == winner
    assert os.listdir(birkez_home.jobs_dir) == ["satis.toml"]


# ------------------------------------------------------------------ changing and removing


def test_disabled_job_keeps_its_comments_and_is_enabled_again(birkez_home: Places):
    path = put(birkez_home, "satis")

    assert set_enabled(birkez_home, "satis", enabled=False).enabled is False
    assert load_job(birkez_home, "satis").enabled is False
    assert set_enabled(birkez_home, "satis", enabled=True) == load_job(birkez_home, "satis")

    assert path.read_text(encoding="utf-8") == HOURLY.replace("list\n", "list\nenabled = true\n")


@pytest.mark.parametrize("change", [remove, lambda places, job_id: set_enabled(places, job_id, enabled=True)])
@pytest.mark.parametrize("job_id", ["none", "../config/jobs/satis", "SATIS", ""])
def test_job_that_is_not_there_cannot_be_changed(birkez_home: Places, change, job_id: str):
    put(birkez_home, "satis")

    with pytest.raises(NoSuchJobError):
        change(birkez_home, job_id)

    assert os.listdir(birkez_home.jobs_dir) == ["satis.toml"]


def test_broken_job_can_be_removed_and_not_be_enabled(birkez_home: Places):
    put(birkez_home, "satis", "")

    with pytest.raises(JobFileError):
        set_enabled(birkez_home, "satis", enabled=True)
    remove(birkez_home, "satis")

    assert job_ids(birkez_home) == []


def test_removal_takes_the_cache_along(birkez_home: Places):
    put(birkez_home, "satis")
    cached = Path(birkez_home.cache_file("satis"))
    cached.write_bytes(b"x")

    remove(birkez_home, "satis")

    assert not cached.exists()


@pytest.mark.posix
def test_removed_link_leaves_the_file_behind_it(birkez_home: Places, tmp_path: Path):
    real = tmp_path / "real.toml"
    real.write_text(HOURLY, encoding="utf-8")
    Path(birkez_home.job_file("satis")).symlink_to(real)

    remove(birkez_home, "satis")

    assert real.exists()
    assert job_ids(birkez_home) == []


def test_paths_of_every_kind_of_effect_are_settled():
    # A new path in an effect must be made absolute by `add`, or it would point elsewhere afterwards.
    assert SqlEffect._fields == ("database", "script", "time_format", "timeout_s", "sources")
    assert PythonEffect._fields == ("database", "file", "function", "timeout_s")
    assert CommandEffect._fields[:6] == ("argv", "shell", "cwd", "env", "path", "encoding")


@pytest.mark.linux
@pytest.mark.parametrize(("effect", "key"), [(SQL, "database"), (PYTHON, "callable"), (COMMAND, "cwd")])
def test_job_file_in_a_folder_that_is_no_utf8_is_refused_with_a_sentence(tmp_path: Path, effect: str, key: str):
    """Other systems have no such names; a job file could not hold the path."""
    places = Places(str(tmp_path / "config"), str(tmp_path / "state"))
    places.make_folders()
    source = os.fsdecode(os.fsencode(tmp_path) + b"/\xff/job.toml")
    with pytest.raises(JobFileError) as caught:
        add(places, "satis", job_text(effect=effect), source)
    assert (caught.value.code, caught.value.facts["asked"]) == ("job-folder-not-utf8", key)
    assert "\\udcff" in sentence(caught.value)
    assert job_ids(places) == []


@pytest.mark.linux
def test_job_file_with_whole_paths_may_lie_in_a_folder_that_is_no_utf8(tmp_path: Path):
    places = Places(str(tmp_path / "config"), str(tmp_path / "state"))
    places.make_folders()
    source = os.fsdecode(os.fsencode(tmp_path) + b"/\xff/job.toml")
    text = job_text(effect=COMMAND + f'cwd = "{tmp_path}"\n')
    assert add(places, "satis", text, source).effect == parse_job(text, str(tmp_path / "a.toml"), "satis").effect


def test_list_and_targets_mean_after_adding_what_they_meant_before(birkez_home: Places, tmp_path: Path):
    source = str(tmp_path / "a.toml")
    added = add(birkez_home, "indir", items_text(), source)

    assert added.items == parse_job(items_text(), source, "indir").items
    assert added.items is not None
    assert added.items.source == str(tmp_path / "ids.txt")
    assert added.items.folder == str(tmp_path / "in")
