"""The environment while it is renewed, and by whom: what works is replaced only by what works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.installer.conftest import PROGRAM_ENDED, Checkout

fcntl = pytest.importorskip("fcntl", reason="needs POSIX")

pytestmark = [
    pytest.mark.posix,  # the interpreter under Wine has no venv
    pytest.mark.timeout(60),  # each first start makes an environment
]

PREPARING = "Preparing Birkez"
OFFLINE = {"PIP_FIND_LINKS": os.devnull}


def scheduled(checkout: Checkout) -> subprocess.CompletedProcess[str]:
    """A start as a scheduler does it: without bootstrap, and so without its lock."""
    return subprocess.run(
        [checkout.environment / "bin" / "python", "-P", "-m", "trayapp"],
        cwd="/",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def inside(checkout: Checkout, code: str) -> list[str]:
    """Words that run *code* beside the checkout's own installer."""
    head = f"import sys; sys.path.insert(0, {str(checkout.folder / 'installer')!r}); import environment, step\n"
    return [sys.executable, "-c", head + code]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_starts_while_the_environment_is_renewed_find_the_old_one_or_the_new(prepared: Checkout):
    prepared.pin_newer("requirements-test.lock")
    starts = []
    with subprocess.Popen(prepared.argv("tools"), env=prepared.env(), stdout=subprocess.DEVNULL) as renewing:
        while renewing.poll() is None:
            starts += [scheduled(prepared), prepared.start("birkez", "--help")]
    assert renewing.returncode == 0
    assert len(starts) > 2  # some of them came in between
    assert {(start.returncode, start.stderr) for start in starts} == {(PROGRAM_ENDED, "")}
    assert not [start for start in starts if PREPARING in start.stdout]


def test_failed_renewal_leaves_what_works(prepared: Checkout):
    prepared.pin_newer("requirements-test.lock")
    failed = prepared.start("tools", env=OFFLINE)
    assert failed.returncode == 1
    assert "Cannot install the packages" in failed.stderr
    assert prepared.start("birkez", env=OFFLINE).returncode == PROGRAM_ENDED
    assert [path.name for path in prepared.folder.glob(".venv-*")] == [prepared.environment.readlink().name]


def test_other_python_finds_the_environment_as_it_is(prepared: Checkout, another_python: str):
    argv = [another_python, *prepared.argv("birkez")[1:]]
    done = subprocess.run(argv, env=prepared.env(OFFLINE), capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (PROGRAM_ENDED, "")
    assert PREPARING not in done.stdout
    assert json.loads(done.stdout)["python"].startswith(str(prepared.environment))


@pytest.fixture
def another_python() -> str:
    """A Python 3.11 or newer that is not the one under this test."""
    own = os.path.realpath(sys._base_executable)
    names = ["/usr/bin/python3", *(shutil.which(f"python3.{minor}") or "" for minor in range(11, 15))]
    for python in names:
        code = "import sys; print(*sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))"
        if os.path.realpath(python) == own or not os.path.exists(python):
            continue
        if subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip("no second Python 3.11 or newer here")


def _gone(python: Path) -> None:
    python.unlink()
    python.symlink_to("/no/such/python")


def _refused(python: Path) -> None:  # as in a copy of another account's folder
    python.unlink()
    python.touch(mode=0o600)


def _without_packages(python: Path) -> None:  # as when the Python below became another version
    for packages in python.parent.parent.glob("lib/*/site-packages"):
        packages.rename(packages.with_name("elsewhere"))


@pytest.mark.parametrize("spoil", [_gone, _refused, _without_packages])
def test_environment_that_no_longer_starts_is_made_anew(prepared: Checkout, spoil: Callable[[Path], None]):
    spoil(prepared.environment / "bin" / "python")
    again = prepared.start("birkez")
    assert PREPARING in again.stdout, again.stderr
    assert again.returncode == PROGRAM_ENDED


def test_environment_in_a_folder_of_its_own_is_used_and_renewed(prepared: Checkout):
    # As earlier versions made it, and as a copy that follows links leaves it.
    made = prepared.environment.resolve()
    prepared.environment.unlink()
    made.rename(prepared.environment)
    assert PREPARING not in prepared.start("birkez").stdout
    prepared.pin_newer()
    assert PREPARING in prepared.start("birkez").stdout
    assert scheduled(prepared).returncode == PROGRAM_ENDED
    assert prepared.environment.is_symlink()


def test_folders_do_not_pile_up(prepared: Checkout):
    for version in ("2.0", "3.0"):
        prepared.pin_newer(version=version)
        assert prepared.start("birkez").returncode == PROGRAM_ENDED
    assert len(list(prepared.folder.glob(".venv*"))) == 4  # the link, what it leads to, the one before, the lock


def test_step_that_outlives_its_start_keeps_the_next_one_waiting(checkout: Checkout):
    script = "touch started; while [ ! -e go ]; do sleep 0.01; done"
    code = f"with environment._one_at_a_time(): step.do(['sh', '-c', {script!r}], '', '')"
    start = subprocess.Popen(inside(checkout, code), cwd=checkout.folder)
    try:
        wait_until((checkout.folder / "started").exists)
        start.kill()
        start.wait()
        with open(checkout.folder / ".venv.lock", "ab") as file:
            with pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (checkout.folder / "go").touch()
            fcntl.flock(file, fcntl.LOCK_EX)
    finally:
        (checkout.folder / "go").touch()


@pytest.mark.parametrize("works", [True, False])
def test_folder_is_exchanged_for_a_folder_or_stays(checkout: Checkout, *, works: bool):
    # The way of Windows, which lets nobody make links.
    (checkout.environment / "old").mkdir(parents=True)
    made = checkout.folder / ".venv-1"
    if works:
        (made / "new").mkdir(parents=True)
    code = "environment._replace(environment.FOLDERS[0], environment.FOLDERS[0])"
    done = subprocess.run(inside(checkout, code), capture_output=True, check=False)
    assert (done.returncode == 0) == works
    assert [path.name for path in checkout.environment.iterdir()] == ["new" if works else "old"]


@pytest.fixture
def public_checkout() -> Iterator[Checkout]:
    """A checkout that every account can enter; pytest's own folders are for one account only."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "wheels").mkdir()
    yield Checkout(folder / "birkez", folder / "wheels")
    shutil.rmtree(folder)


@pytest.mark.root
def test_python_of_another_account_is_told_in_both_languages(public_checkout: Checkout):
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
    system_python = "/usr/bin/python3"
    code = "import sys; sys.exit(sys.version_info < (3, 11))"
    if subprocess.run([*nobody, system_python, "-c", code], capture_output=True, check=False).returncode:
        pytest.skip("no Python 3.11 or newer that every account may start")
    assert public_checkout.start("demo").returncode == PROGRAM_ENDED
    locked_up = public_checkout.folder / "private"
    locked_up.mkdir(mode=0o700)
    python = public_checkout.environment / "bin" / "python"
    python.unlink()
    python.symlink_to(locked_up / "python")

    argv = [*nobody, system_python, *public_checkout.argv("birkez", "--version")[1:]]
    done = subprocess.run(argv, env=public_checkout.env(), capture_output=True, encoding="utf-8", check=False)
    turkish, english = done.stderr.splitlines()
    assert done.returncode == 1
    assert "hesabınız çalıştıramıyor" in turkish
    assert "Your account cannot start the Python of this folder" in english
    assert str(python) in turkish
    assert str(python) in english
