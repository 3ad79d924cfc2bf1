"""A job file is the old one or the new one, whole, whoever reads and whatever happens meanwhile."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.job.texts import HOURLY, job_text
from trayapp.errors import JobFileError, SetupError
from trayapp.job.file import create_file, edit_value, parse_job, read_job, replace_text, set_values
from trayapp.wording.speech import sentence

CHECKOUT = Path(__file__).resolve().parents[2]


def test_text_is_replaced_byte_for_byte(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_text("old", encoding="utf-8")

    replace_text(str(file), 'title = "İade"\r\n')

    assert file.read_bytes() == 'title = "İade"\r\n'.encode()
    assert os.listdir(tmp_path) == ["satis.toml"]


@pytest.mark.posix
def test_file_is_readable_by_its_owner_alone(tmp_path: Path):
    replace_text(str(tmp_path / "a.toml"), "a")
    create_file(str(tmp_path / "b.toml"), b"b")

    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.toml", "b.toml")} == {0o600}


@pytest.mark.posix
def test_link_into_another_folder_stays_a_link(tmp_path: Path):
    (tmp_path / "jobs").mkdir()
    real, link = tmp_path / "real.toml", tmp_path / "jobs" / "satis.toml"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)

    replace_text(str(link), "new")

    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"


def test_create_never_writes_over_a_file(tmp_path: Path):
    file = tmp_path / "satis.toml"
    create_file(str(file), b"first")

    with pytest.raises(FileExistsError):
        create_file(str(file), b"second")

    assert file.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["satis.toml"]


@pytest.mark.posix
def test_create_without_links_never_writes_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")  # as a memory stick answers

    monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "satis.toml"
    create_file(str(file), b"first")

    with pytest.raises(FileExistsError):
        create_file(str(file), b"second")

    assert file.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["satis.toml"]


@pytest.mark.parametrize("call", [lambda path: replace_text(path, "x"), lambda path: create_file(path, b"x")])
def test_folder_that_is_missing_is_told(tmp_path: Path, call):
    path = str(tmp_path / "none" / "satis.toml")

    with pytest.raises(SetupError) as caught:
        call(path)

    assert caught.value.code == "job-file-unwritable"
    assert path in sentence(caught.value)


@pytest.mark.linux
@pytest.mark.parametrize("calls", ["write", "fsync", "rename,renameat,renameat2"])
def test_failing_disk_leaves_the_old_file_and_no_part(tmp_path: Path, calls: str):
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    file = tmp_path / "satis.toml"
    file.write_text("old", encoding="utf-8")
    code = f"from trayapp.job.file import replace_text; replace_text({str(file)!r}, 'new')"

    done = subprocess.run(
        ["strace", "-o", os.devnull, f"--inject={calls}:error=ENOSPC:when=1", sys.executable, "-B", "-c", code],
        cwd=CHECKOUT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert "job-file-unwritable" in done.stderr
    assert os.listdir(tmp_path) == ["satis.toml"]


@pytest.mark.linux
def test_content_is_on_the_disk_before_its_name_and_the_name_before_the_end(tmp_path: Path):
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    file = tmp_path / "satis.toml"
    code = f"from trayapp.job.file import replace_text; replace_text({str(file)!r}, 'new')"
    calls = "trace=fsync,fdatasync,rename,renameat,renameat2"

    argv = ["strace", "-y", "-o", tmp_path / "calls", "-e", calls, sys.executable, "-B", "-c", code]
    subprocess.run(argv, cwd=CHECKOUT, check=True)

    own = f"/{tmp_path.name}"  # strace writes other letters than ASCII as numbers
    lines = [line for line in (tmp_path / "calls").read_text(encoding="utf-8").splitlines() if own in line]
    assert [line.partition("(")[0] for line in lines] == ["fsync", "rename", "fsync"]
    assert ".part>" in lines[0]
    assert f"{own}>" in lines[2]


READER = """
import os, sys
seen = set()
while not os.path.exists(sys.argv[2]):
    with open(sys.argv[1], 'rb') as file:
        seen.add(file.read())
wrong = [text[:20] for text in seen if len(text) != 40_000 or len(set(text)) != 1]
print(len(seen), wrong)
"""
WRITER = """
import sys
from trayapp.job.file import replace_text
for _ in range(150):
    replace_text(sys.argv[1], sys.argv[2] * 40_000)
"""


@pytest.mark.posix
def test_two_processes_replacing_a_file_never_show_a_mixture(tmp_path: Path):
    file, end = tmp_path / "satis.toml", tmp_path / "end"
    file.write_text("o" * 40_000, encoding="utf-8")
    reader = subprocess.Popen([sys.executable, "-c", READER, file, end], stdout=subprocess.PIPE, encoding="utf-8")

    writers = [subprocess.Popen([sys.executable, "-c", WRITER, file, letter], cwd=CHECKOUT) for letter in "ab"]

    assert [writer.wait() for writer in writers] == [0, 0]
    end.touch()
    seen, wrong = reader.communicate()[0].strip().split(" ", 1)
    assert wrong == "[]"
    assert int(seen) >= 2
    assert sorted(os.listdir(tmp_path)) == ["end", "satis.toml"]


@pytest.mark.posix
def test_killed_writer_leaves_a_whole_file(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_text("o" * 40_000, encoding="utf-8")
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, file, "x"], cwd=CHECKOUT)
        deadline = time.monotonic() + 10
        while not list(tmp_path.glob("*.part")) and writer.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        writer.kill()
        writer.wait()

        text = file.read_text(encoding="utf-8")
        assert (len(text), len(set(text))) == (40_000, 1)


# ------------------------------------------------------------------ editing


def edited(text: str, changes: dict[tuple[str, ...], str | bool | int]) -> str:
    return set_values(text, changes)


def test_present_value_changes_and_all_else_stays():
    text = "# mine\r\nenabled = true   # for now\r\n" + job_text()

    assert edited(text, {("enabled",): False}) == text.replace("enabled = true ", "enabled = false ")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_new_value_stands_below_the_first_of_its_table(ending: str):
    text = HOURLY.replace("\n", ending)

    changed = edited(text, {("enabled",): False, ("window", "max_per_run"): 5})

    title, step = HOURLY.split("\n")[0], 'step = "1h"'
    assert changed == text.replace(title, f"{title}{ending}enabled = false").replace(
        step, f"{step}{ending}max_per_run = 5"
    )


def test_new_value_stands_first_where_nothing_is_before_the_tables():
    assert edited("# mine\n" + job_text(), {("enabled",): False}) == "enabled = false\n# mine\n" + job_text()


@pytest.mark.parametrize(
    "text",
    [
        'window = { step = "1h", start = 2026-09-04T10:00:00Z }\n' + job_text()[job_text().index("[effect]") :],
        'title = """\nenabled = 5\n"""\n' + job_text(),
        'effect.kind = "command"\neffect.argv = [\n  "a",\n  "[window]",\n]\n'
        + job_text()[: job_text().index("[effect]")],
    ],
)
def test_value_is_right_in_any_way_to_write_a_table(text: str):
    changed = edited(text, {("enabled",): False, ("window", "max_per_run"): 5})

    before, after = (parse_job(one, "/jobs/satis.toml", "satis") for one in (text, changed))
    assert after == before._replace(enabled=False, rule=before.window._replace(max_per_run=5))


def test_same_value_changes_no_byte(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_text("enabled=true\n" + job_text(), encoding="utf-8")
    before = file.stat()

    edit_value(str(file), "satis", "enabled", value=True)

    assert file.stat() == before


@pytest.mark.parametrize("text", ["", HOURLY[:60], "enabled = true\n"])
def test_invalid_file_is_never_written_over(tmp_path: Path, text: str):
    file = tmp_path / "satis.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(JobFileError):
        edit_value(str(file), "satis", "enabled", value=False)

    assert file.read_text(encoding="utf-8") == text


def test_edited_file_is_read_back(tmp_path: Path):
    file = tmp_path / "satis.toml"
    file.write_text(HOURLY, encoding="utf-8")

    job = edit_value(str(file), "satis", "enabled", value=False)

    assert job.enabled is False
    assert read_job(str(file), "satis") == job
