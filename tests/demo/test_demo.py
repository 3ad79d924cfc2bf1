from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

# Its hours end before now, whenever that is; on Windows, whose clock no test can set, it plays in this hour.
NOON = None if sys.platform == "win32" else "2026-09-04T12:07:00Z"
TURKISH = {"LC_MESSAGES": "tr_TR.UTF-8"}


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """Folder for temporary files of the demo."""
    folder = tmp_path_factory.mktemp("temporary")
    for variable in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(variable, str(folder))
    return folder


def tokens(said: str) -> list[str]:
    return re.findall(r"^ {4}\S+Z ([A-Z]+) is=satis-ozet (?:pencere|sebep=(?:\"([^\"]+)\"|(\S+)))", said, re.MULTILINE)


def what_happened(said: str) -> list[str]:
    return [token if not (quoted or plain) else f"{token} {quoted or plain}" for token, quoted, plain in tokens(said)]


def test_demo_plays_the_table_and_the_totals_agree(run_birkez, temporary):
    told = run_birkez("demo", "--fast", faketime=NOON)
    assert told.returncode == 0, told.stderr
    assert what_happened(told.stdout) == [
        "ISLENDI",
        "ATLANDI calisma siniri",
        "ATLANDI kilit",
        "ISLENDI",
        "ISLENDI",
        *["ATLANDI kapanmis pencere yok"] * 3,
        "ATLANDI anahtar mevcut",
    ]
    assert "7 starts, 3 hours" in told.stdout
    assert told.stdout.count("equal") == 3
    assert os.listdir(temporary) == []


def test_demo_speaks_turkish(run_birkez, temporary):
    told = run_birkez("demo", "--fast", env=TURKISH)
    assert told.returncode == 0, told.stderr
    assert "dönem" in told.stdout
    assert "ISLENDI" in told.stdout


def test_demo_touches_no_jobs_of_the_person(run_birkez, birkez_home, temporary):
    before = sorted(os.walk(birkez_home.config)), sorted(os.walk(birkez_home.state))
    assert run_birkez("demo", "--fast").returncode == 0
    assert (sorted(os.walk(birkez_home.config)), sorted(os.walk(birkez_home.state))) == before


def test_kept_demo_can_be_gone_on_with(run_birkez, temporary):
    folder = temporary / "kept"
    told = run_birkez("demo", "--fast", "--keep", folder, faketime="2026-09-04T12:07:00Z")
    assert told.returncode == 0, told.stderr
    assert str(folder) in told.stdout
    home = {"BIRKEZ_HOME": str(folder / "birkez")}
    later = run_birkez("run", "satis-ozet", env=home, faketime="2026-09-04T13:00:30Z")
    assert later.stdout.startswith("1 period was processed")
    connection = sqlite3.connect(folder / "satis.db")
    orders = connection.execute("SELECT count(*), sum(kurus) FROM siparis").fetchone()
    assert connection.execute("SELECT sum(adet), sum(kurus) FROM ozet").fetchone() == orders
    connection.close()


def test_folder_that_holds_something_is_refused(run_birkez, temporary):
    (temporary / "mine.txt").write_text("precious")
    told = run_birkez("demo", "--keep", temporary)
    assert told.returncode == 2
    assert os.listdir(temporary) == ["mine.txt"]


def test_demo_fails_when_the_summary_does_not_agree(run_birkez, temporary):
    # A shop whose script adds each hour twice: what a lost guard would look like.
    script = (
        "import sys; from trayapp.cli import demo_shop as shop; copy = shop._copy\n"
        "def copy_badly(source, target, changes=None):\n"
        "    copy(source, target, {**(changes or {}), 'coalesce(sum(kurus), 0)': '2 * coalesce(sum(kurus), 0)'})\n"
        "shop._copy = copy_badly\n"
        "from trayapp.cli.main import main; sys.exit(main(['demo', '--fast']))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script],
        env=run_birkez.environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert told.returncode == 1
    assert "NOT EQUAL" in told.stdout
    assert "does not agree" in told.stderr


@pytest.mark.posix
def test_demo_that_is_stopped_leaves_nothing_behind(run_birkez, temporary):
    process = run_birkez.start("demo")
    deadline = time.monotonic() + 20
    while not os.listdir(temporary):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=15)
    assert process.returncode == 143
    assert os.listdir(temporary) == []
