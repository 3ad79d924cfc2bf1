"""Jobs leave and arrive as files; what would clash is told before anything is written."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tests.job.texts import HOURLY, job_text
from trayapp.errors import JobFileError, NoSuchJobError, SetupError, UsageError
from trayapp.job.file import MAX_SIZE
from trayapp.job.moving import Arrival, export_jobs, import_job, read_arrivals
from trayapp.job.shelf import add, job_ids, read_all, remove
from trayapp.places import Places
from trayapp.wording.speech import sentence


@pytest.fixture
def two_jobs(birkez_home: Places, tmp_path: Path) -> Places:
    for job_id in ("satis", "mail"):
        add(birkez_home, job_id, HOURLY, str(tmp_path / "x.toml"))
    return birkez_home


def pack(path: Path, entries: dict[str, bytes | str]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return str(path)


@pytest.mark.parametrize("suffix", [".zip", ".ZIP"])
def test_exported_jobs_come_back_the_same(two_jobs: Places, tmp_path: Path, suffix: str):
    packed = str(tmp_path / f"jobs{suffix}")
    before = {path.name: path.read_bytes() for path in Path(two_jobs.jobs_dir).iterdir()}
    export_jobs(two_jobs, ["satis", "mail"], packed)
    for job_id in ("satis", "mail"):
        remove(two_jobs, job_id)

    for arrival in read_arrivals(two_jobs, packed):
        assert (arrival.error, arrival.is_clash, arrival.title) == (None, False, "Saatlik satış özeti")
        import_job(two_jobs, arrival, arrival.job_id)

    assert {path.name: path.read_bytes() for path in Path(two_jobs.jobs_dir).iterdir()} == before


def test_one_job_is_exported_as_its_own_file(two_jobs: Places, tmp_path: Path):
    path = tmp_path / "satis.toml"

    export_jobs(two_jobs, ["satis"], str(path))

    assert path.read_bytes() == Path(two_jobs.job_file("satis")).read_bytes()
    (arrival,) = read_arrivals(two_jobs, str(path))
    assert (arrival.job_id, arrival.proposal, arrival.is_clash) == ("satis", "satis-2", True)


def test_equal_jobs_make_equal_archives(two_jobs: Places, tmp_path: Path):
    for name in ("a.zip", "b.zip"):
        export_jobs(two_jobs, ["satis"], str(tmp_path / name))

    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize(
    ("ids", "name", "kind", "code"),
    [
        (["satis", "mail"], "jobs.toml", UsageError, "job-export-format"),
        (["satis"], "jobs.txt", UsageError, "job-export-format"),
        (["satis"], "there.zip", UsageError, "job-export-exists"),
        (["satis", "none"], "jobs.zip", NoSuchJobError, "no-such-job"),
        (["satis"], "none/jobs.zip", SetupError, "job-file-unwritable"),
    ],
)
def test_export_that_cannot_be_is_told_and_writes_nothing(two_jobs: Places, tmp_path: Path, ids, name, kind, code):
    (tmp_path / "there.zip").write_bytes(b"someone's")
    before = sorted(os.listdir(tmp_path))

    with pytest.raises(kind) as caught:
        export_jobs(two_jobs, ids, str(tmp_path / name))

    assert caught.value.code == code
    assert "no sentence" not in sentence(caught.value)
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "there.zip").read_bytes() == b"someone's"


def test_what_is_read_is_not_written_yet(two_jobs: Places, tmp_path: Path):
    packed = pack(tmp_path / "a.zip", {"yeni.toml": HOURLY, "satis.toml": HOURLY})

    read_arrivals(two_jobs, packed)

    assert job_ids(two_jobs) == ["mail", "satis"]


def test_clash_is_refused_unless_another_id_is_given(two_jobs: Places, tmp_path: Path):
    kept = Path(two_jobs.job_file("satis")).read_bytes()
    (arrival,) = read_arrivals(two_jobs, pack(tmp_path / "a.zip", {"satis.toml": job_text()}))

    with pytest.raises(UsageError) as caught:
        import_job(two_jobs, arrival, "satis")
    import_job(two_jobs, arrival, arrival.proposal)

    assert caught.value.code == "job-id-taken"
    assert Path(two_jobs.job_file("satis")).read_bytes() == kept
    assert job_ids(two_jobs) == ["mail", "satis", "satis-2"]


def test_two_arrivals_of_one_name_get_two_ids(birkez_home: Places, tmp_path: Path):
    packed = pack(
        tmp_path / "a.zip", {"a/x.toml": HOURLY, "b/x.toml": HOURLY, "X.toml": HOURLY, "Sipariş.toml": HOURLY}
    )

    arrivals = read_arrivals(birkez_home, packed)

    assert [arrival.proposal for arrival in arrivals] == ["x", "x-2", "x-3", "siparis"]
    for arrival in arrivals:
        import_job(birkez_home, arrival, arrival.proposal)
    assert job_ids(birkez_home) == ["siparis", "x", "x-2", "x-3"]


def test_one_broken_arrival_hides_no_other(birkez_home: Places, tmp_path: Path):
    bomb = b"#" * (MAX_SIZE * 40)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"a.toml": b"", "b.toml": bomb, "c.toml": b"\xff", "d.toml": HOURLY.encode()}.items():
            archive.writestr(name, content)

    arrivals = read_arrivals(birkez_home, str(path))

    codes = [arrival.error and arrival.error.code for arrival in arrivals]
    assert codes == ["job-file-empty", "job-file-large", "job-file-not-utf8", None]
    for arrival in arrivals[:3]:
        assert arrival.error is not None
        assert f"{path}!" in sentence(arrival.error)
        with pytest.raises(JobFileError):
            import_job(birkez_home, arrival, arrival.proposal)
    assert read_all(birkez_home) == []


def test_names_in_an_archive_are_no_paths(birkez_home: Places, tmp_path: Path):
    names = ("../../a.toml", "/etc/b.toml", "..\\c.toml", "d/", "e.txt", ".toml")
    packed = pack(tmp_path / "a.zip", dict.fromkeys(names, HOURLY))

    arrivals = read_arrivals(birkez_home, packed)

    assert [arrival.job_id for arrival in arrivals] == ["a", "b", "c"]


def test_relative_paths_start_beside_the_archive(birkez_home: Places, tmp_path: Path):
    (arrival,) = read_arrivals(birkez_home, pack(tmp_path / "a.zip", {"in/satis.toml": job_text()}))

    job = import_job(birkez_home, arrival, "satis")

    assert job.effect.database == str(tmp_path / "satis.db")


def test_damaged_entry_is_told_by_its_name(birkez_home: Places, tmp_path: Path):
    packed = Path(pack(tmp_path / "a.zip", {"a.toml": HOURLY, "b.toml": job_text()}))
    data = bytearray(packed.read_bytes())
    data[data.index(b"Saatlik")] ^= 1  # its checksum is wrong now
    packed.write_bytes(data)

    broken, whole = read_arrivals(birkez_home, str(packed))

    assert broken.error is not None
    assert (broken.error.code, whole.error) == ("job-file-unreadable", None)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"no archive", "job-import-unreadable"), (b"", "job-import-unreadable"), (None, "job-import-unreadable")],
)
def test_archive_that_cannot_be_opened_is_told(birkez_home: Places, tmp_path: Path, content: bytes | None, code: str):
    path = tmp_path / "a.zip"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UsageError) as caught:
        read_arrivals(birkez_home, str(path))

    assert caught.value.code == code
    assert str(path) in sentence(caught.value)


def test_archive_without_jobs_is_told(birkez_home: Places, tmp_path: Path):
    with pytest.raises(UsageError) as caught:
        read_arrivals(birkez_home, pack(tmp_path / "a.zip", {"readme.txt": "x"}))

    assert caught.value.code == "job-import-empty"


def test_missing_file_arrives_as_an_error(birkez_home: Places, tmp_path: Path):
    (arrival,) = read_arrivals(birkez_home, str(tmp_path / "none.toml"))

    assert isinstance(arrival, Arrival)
    assert arrival.error is not None
    assert arrival.error.code == "job-file-missing"


@pytest.mark.posix
@pytest.mark.parametrize("suffix", [".zip", ".toml"])
def test_pipe_is_no_file_to_import(birkez_home: Places, tmp_path: Path, suffix: str):
    pipe = tmp_path / f"jobs{suffix}"
    os.mkfifo(pipe)
    if suffix == ".zip":
        with pytest.raises(UsageError, match="job-import-unreadable"):
            read_arrivals(birkez_home, str(pipe))
    else:
        (arrival,) = read_arrivals(birkez_home, str(pipe))
        assert arrival.error is not None
        assert arrival.error.code == "job-file-not-regular"


def test_archive_with_any_damaged_byte_is_told_by_a_code(birkez_home: Places, tmp_path: Path):
    path = tmp_path / "jobs.zip"
    whole = Path(pack(path, {"satış.toml": HOURLY, "b.toml": HOURLY})).read_bytes()
    for place in range(len(whole)):
        for spoilt in (0x00, 0xFF, whole[place] ^ 0x08):
            path.write_bytes(whole[:place] + bytes([spoilt]) + whole[place + 1 :])
            try:
                read_arrivals(birkez_home, str(path))
            except UsageError as error:
                assert error.code in ("job-import-unreadable", "job-import-empty")  # noqa: PT017  # some are harmless
