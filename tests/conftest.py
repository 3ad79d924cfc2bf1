"""What every test gets: a home of its own, the real command, and skips that say why.

Nothing of the product is faked here. `run_birkez` starts the command as cron would, as a
process; `faketime` shifts the clock that this process sees, not a hook inside it.
"""

from __future__ import annotations

import glob
import itertools
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trayapp.places import Places, find_places

# Started in the background by a shell, or by nohup: our children would ignore these as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

CHECKOUT = Path(__file__).resolve().parent.parent
RUN_TIMEOUT_S = 60  # a hung command fails with its output; pytest's own limit would lose it


# -------------------------------------------------------------------- skips


def _why_not(marker: str) -> str | None:
    """Reason for which tests with *marker* cannot run here, None when they can."""
    reasons = {
        "posix": None if os.name == "posix" else "needs POSIX",
        "linux": None if sys.platform == "linux" else "needs Linux",
        "win32": None if sys.platform == "win32" else "needs Windows; the Wine stage runs it",
        "root": None if hasattr(os, "geteuid") and os.geteuid() == 0 else "needs root",
    }
    return reasons[marker]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker in ("posix", "linux", "win32", "root"):
            reason = _why_not(marker)
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


# ----------------------------------------------------------------- isolation


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New empty homes, one for each test; `mktemp` would read all those before it each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(scope="session")
def _no_schedulers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder that stands first on PATH: its `crontab` and `launchctl` refuse, whoever calls them."""
    folder = tmp_path_factory.mktemp("no-schedulers")
    for name in ("crontab", "launchctl"):
        program = folder / name
        program.write_text(
            f"#!/bin/sh\necho '{name}: kept away from tests; one that needs the real one asks for real_path' >&2\n"
            "exit 99\n",
            encoding="utf-8",
        )
        program.chmod(0o755)
    return folder


@pytest.fixture
def real_path(_no_schedulers: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """PATH with the system's own schedulers, for a test that puts back what it changes."""
    path = os.environ["PATH"].removeprefix(str(_no_schedulers) + os.pathsep)
    monkeypatch.setenv("PATH", path)
    return path


@pytest.fixture(autouse=True)
def _own_environment(_homes: Iterator[Path], _no_schedulers: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep the person's home, language, clock and scheduler out of every test: English, UTC, an empty home."""
    home = next(_homes)
    home.mkdir()
    for variable in list(os.environ):
        if variable.startswith(("BIRKEZ_", "LC_", "XDG_", "FAKETIME")):
            monkeypatch.delenv(variable)
    for variable in ("LANGUAGE", "NO_COLOR", "PYTHONPATH", "LD_PRELOAD"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("BIRKEZ_HOME", str(home / "birkez"))
    # The one crontab of this account is no part of any home: nothing here may reach it by accident.
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "none")
    monkeypatch.setenv("PATH", os.pathsep.join((str(_no_schedulers), os.environ["PATH"])))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LC_MESSAGES", "en_US.UTF-8")  # which need not be installed: only its name is looked at
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    yield home
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture(autouse=True)
def _no_unexpected_warning(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test that leaves WARNING logs behind; one that wants them asserts, then clears `caplog`."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    left = [record.getMessage() for record in records if record.levelno >= logging.WARNING]
    if left:
        pytest.fail(f"unexpected warnings logged: {left}")


@pytest.fixture
def birkez_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Point `BIRKEZ_HOME` at this test's folder, make what Birkez keeps there, and return its places."""
    monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path))
    places = find_places()
    places.make_folders()
    return places


# --------------------------------------------------------------- the command


def _faketime_library() -> str | None:
    """Path of libfaketime's variant for programs with threads, or None where there is none."""
    if sys.platform == "win32":
        return None  # under Wine the path of Linux' library is found, and does nothing
    patterns = (
        "/usr/lib/*/faketime/libfaketimeMT.so.1",
        "/usr/lib*/faketime/libfaketimeMT.so.1",
        "/usr/local/lib/faketime/libfaketimeMT.so.1",
    )
    return next((path for pattern in patterns for path in sorted(glob.glob(pattern))), None)


def faketime_env(at: datetime | str) -> dict[str, str]:
    """Environment under which a process's clock begins at *at* and goes on from there.

    A monotonic clock and file times stay the real ones: timeouts must end, and the cache
    of a job file compares times that the kernel wrote. A child process begins at *at* anew.
    """
    library = _faketime_library()
    if library is None:
        pytest.skip("needs libfaketime (Debian package faketime)")
    instant = datetime.fromisoformat(at) if isinstance(at, str) else at
    assert instant.tzinfo is not None, "say which clock: 2026-09-04T12:05:00Z"
    return {
        "LD_PRELOAD": library,
        "FAKETIME": f"@{instant.astimezone(UTC).timestamp():.0f}",
        "FAKETIME_FMT": "%s",
        "DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }


class Birkez:
    """The real `birkez` command, started as a process with this test's environment.

    *env* adds variables (None removes one), *faketime* is the instant at which its clock
    begins, *powerless* takes root's powers away, so that permissions count for it.
    """

    def __call__(
        self,
        *args: str | os.PathLike[str],
        env: Mapping[str, str | None] | None = None,
        faketime: datetime | str | None = None,
        powerless: bool = False,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = RUN_TIMEOUT_S,
    ) -> subprocess.CompletedProcess[str]:
        """Run the command to its end and return its exit status, output and errors."""
        return subprocess.run(
            self.argv(*args, powerless=powerless),
            env=self.environment(env, faketime),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    def start(
        self,
        *args: str | os.PathLike[str],
        env: Mapping[str, str | None] | None = None,
        faketime: datetime | str | None = None,
        powerless: bool = False,
        cwd: str | os.PathLike[str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start the command and return at once; the test waits for it or kills it."""
        return subprocess.Popen(
            self.argv(*args, powerless=powerless),
            env=self.environment(env, faketime),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def argv(self, *args: str | os.PathLike[str], powerless: bool = False) -> list[str]:
        """Words that start the command here."""
        return [*(powerless_prefix() if powerless else ()), sys.executable, "-m", "trayapp", *map(os.fspath, args)]

    def environment(
        self, env: Mapping[str, str | None] | None = None, faketime: datetime | str | None = None
    ) -> dict[str, str]:
        """Environment of the command: this test's, the checkout on the path, then *faketime* and *env*."""
        changed: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "utf-8"}
        if faketime is not None:
            changed.update(faketime_env(faketime))
        changed.update(env or {})
        return {name: value for name, value in changed.items() if value is not None}


@pytest.fixture
def run_birkez(birkez_home: Places) -> Birkez:
    """The real command on this test's `birkez_home`: call it to run, `.start(…)` to have it run beside."""
    return Birkez()


# --------------------------------------------------------------- permissions


def powerless_prefix() -> Sequence[str]:
    """Words before a command that take root's powers from it; none for an ordinary user.

    It stays user 0 and can still start an interpreter that lies in root's home, but file
    modes bind it like anyone: without CAP_DAC_OVERRIDE root is the owner and no more.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("needs setpriv (util-linux), since root passes every permission check")
    return ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--")


@pytest.fixture
def powerless() -> Sequence[str]:
    """Prefix for a test's own processes that must obey file modes even when pytest runs as root."""
    return powerless_prefix()
