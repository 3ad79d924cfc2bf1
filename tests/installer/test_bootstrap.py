from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.installer.conftest import Checkout

pytestmark = [
    pytest.mark.posix,  # the interpreter under Wine has no venv
    pytest.mark.timeout(60),  # each first start makes an environment
]

PREPARING = "Preparing Birkez"
SECOND_START_S = 2.0


def test_first_start_prepares_and_runs_and_the_second_only_runs(checkout: Checkout, tmp_path: Path):
    first = checkout.start("demo", "--keep", "Ş", cwd=tmp_path)
    assert PREPARING in first.stdout, first.stderr
    assert first.returncode == 5  # the command's own
    answer = json.loads(first.stdout.splitlines()[-1])
    assert answer["words"] == ["demo", "--keep", "Ş"]
    assert answer["folder"] == str(tmp_path)
    assert answer["python"].startswith(str(checkout.environment))

    began = time.monotonic()
    second = checkout.start("birkez", "status")
    took_s = time.monotonic() - began
    assert json.loads(second.stdout)["words"] == ["status"]
    assert took_s < SECOND_START_S


def test_environment_finds_the_checkout_from_any_folder_and_after_a_move(prepared: Checkout, tmp_path: Path):
    moved = tmp_path / "Taşındı"
    prepared.folder.rename(moved)
    done = subprocess.run(
        [moved / ".venv" / "bin" / "python", "-I", "-m", "trayapp", "run"],
        cwd="/",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (json.loads(done.stdout)["words"], done.stderr) == (["run"], "")


def test_changed_lock_prepares_anew(prepared: Checkout):
    prepared.pin_newer()
    assert PREPARING in prepared.start("demo").stdout
    assert [path.name for path in prepared.environment.glob("lib/*/*/birkez_probe-*")] == ["birkez_probe-2.0.dist-info"]


def test_interrupted_preparation_is_done_anew(checkout: Checkout):
    starting = subprocess.Popen(checkout.argv("demo"), env=checkout.env(), stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not list(checkout.folder.glob(".venv-*/pyvenv.cfg")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    starting.kill()
    starting.wait()
    again = checkout.start("demo")
    assert PREPARING in again.stdout
    assert again.returncode == 5, again.stderr


def test_two_first_starts_at_once_prepare_once(checkout: Checkout):
    both = [
        subprocess.Popen(checkout.argv("demo"), env=checkout.env(), stdout=subprocess.PIPE, encoding="utf-8")
        for _ in range(2)
    ]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [5, 5]
    assert sum(PREPARING in output for output in outputs) == 1


def test_file_of_another_content_is_refused_and_nothing_counts_as_prepared(checkout: Checkout):
    lock = checkout.folder / "installer" / "requirements.lock"
    lock.write_text("birkez-probe==1.0 --hash=sha256:" + "0" * 64 + "\n", encoding="utf-8")
    done = checkout.start("demo")
    assert done.returncode == 1
    assert "paketler kurulamadı" in done.stderr
    assert "Cannot install the packages" in done.stderr
    assert "hash" in done.stderr.lower()  # pip's own reason is told
    assert not (checkout.environment / "birkez-stamp").exists()


def test_python_newer_than_the_locks_is_told_where_packages_are_missing(checkout: Checkout):
    script = checkout.folder / "installer" / "environment.py"
    script.write_text(script.read_text(encoding="utf-8").replace("_NEWEST = (3, 14)", "_NEWEST = (3, 0)"), "utf-8")
    lock = checkout.folder / "installer" / "requirements.lock"
    lock.write_text("birkez-probe==1.0 --hash=sha256:" + "0" * 64 + "\n", encoding="utf-8")
    answer = checkout.start("demo")
    assert answer.returncode == 1
    assert "try with python3.14" in answer.stderr
    assert "python3.14 ile deneyin" in answer.stderr


def test_folder_that_cannot_be_written_is_told_in_both_languages(checkout: Checkout, powerless: Sequence[str]):
    checkout.folder.chmod(0o500)
    try:
        done = checkout.start("demo", prefix=powerless)
    finally:
        checkout.folder.chmod(0o700)
    assert done.returncode == 1
    turkish, english = done.stderr.splitlines()
    assert "yazılamıyor" in turkish
    assert "Cannot write to this folder" in english
    assert str(checkout.folder) in turkish
    assert str(checkout.folder) in english


def test_python_without_venv_is_told_the_exact_command(checkout: Checkout):
    # As on Debian without python3-venv, and without the right to install it.
    code = (
        f"import sys; sys.path.insert(0, {str(checkout.folder / 'installer')!r})\n"
        "import environment, from_checkout\n"
        "environment._has = lambda module: module == 'venv'\n"
        "sys.exit(from_checkout.main(['demo']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=checkout.env({"PATH": str(checkout.folder)}),  # no apt-get there
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    assert done.returncode == 1
    assert all(f"sudo apt-get install {package}" in line for line in done.stderr.splitlines()), done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_python_without_pip_makes_its_own(checkout: Checkout):
    code = (
        f"import sys; sys.path.insert(0, {str(checkout.folder / 'installer')!r})\n"
        "import environment, from_checkout\n"
        "environment._has = lambda module: module != 'pip'\n"
        "sys.exit(from_checkout.main(['demo']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=checkout.env(), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 5, done.stderr
    assert list(checkout.environment.rglob("pip"))


@pytest.mark.parametrize("words", [(), ("demos",), ("--help",)])
def test_unknown_words_are_answered_with_those_that_are_known(checkout: Checkout, words: tuple[str, ...]):
    done = checkout.start(*words)
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["Kullanım:", "Usage:"]
    assert not checkout.environment.exists()


def test_old_python_is_answered_with_a_sentence():
    text = (CHECKOUT / "installer" / "bootstrap.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 4))  # it can read the file at all
    code = f"import sys; sys.version_info = (3, 6, 15); exec({text!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Python 3.11 ya da yenisi gerekli; bu Python 3.6.",
        "Python 3.11 or newer is needed; this is Python 3.6.",
    ]


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_each_python_of_this_machine_answers(version: str):
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run(
        [python, str(CHECKOUT / "installer" / "bootstrap.py"), "?"],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    is_old = tuple(map(int, version.split("."))) < (3, 11)
    assert done.returncode == 2
    assert (b"needed" if is_old else b"Usage") in done.stderr
