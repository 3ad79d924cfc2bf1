"""A checkout of its own, with one small package to install from a folder: real pip, no network."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT

PROGRAM = """
import json, os, sys
import birkez_probe
print(json.dumps({"words": sys.argv[1:], "folder": os.getcwd(), "python": sys.executable}, ensure_ascii=True))
sys.exit(5)
"""
PROGRAM_ENDED = 5


class Checkout:
    """A copy of the installer beside a stand-in for the package; `start` is what a person types."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        self.folder = folder
        self.environment = folder / ".venv"
        self._wheels = wheels
        shutil.copytree(CHECKOUT / "installer", folder / "installer", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "trayapp").mkdir()
        (folder / "trayapp" / "__init__.py").touch()
        (folder / "trayapp" / "__main__.py").write_text(PROGRAM, encoding="utf-8")
        self.pin(_write_wheel(wheels, "1.0"))

    def pin(self, wheel: Path, *locks: str) -> None:
        """Let *locks*, or both, name *wheel* and nothing else."""
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        version = wheel.name.split("-")[1]
        for lock in locks or ("requirements.lock", "requirements-test.lock"):
            text = f"birkez-probe=={version} --hash=sha256:{digest}\n"
            (self.folder / "installer" / lock).write_text(text, encoding="utf-8")

    def pin_newer(self, *locks: str, version: str = "2.0") -> None:
        self.pin(_write_wheel(self._wheels, version), *locks)

    def argv(self, *words: str, prefix: Sequence[str] = ()) -> list[str]:
        return [*prefix, sys.executable, str(self.folder / "installer" / "bootstrap.py"), *words]

    def env(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self._wheels.as_uri(), "PIP_CONFIG_FILE": os.devnull}
        return {**os.environ, **offline, **(more or {})}

    def start(
        self, *words: str, env: Mapping[str, str] | None = None, prefix: Sequence[str] = (), cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(*words, prefix=prefix),
            env=self.env(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout in a folder as people name theirs."""
    return _checkout_in(tmp_path)


@pytest.fixture(scope="session")
def _prepared_once(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    checkout = _checkout_in(tmp_path_factory.mktemp("prepared"))
    done = checkout.start("demo")
    assert done.returncode == PROGRAM_ENDED, done.stderr
    return checkout


@pytest.fixture
def prepared(checkout: Checkout, _prepared_once: Checkout) -> Checkout:
    """The checkout after a first start: a copy, which works in its new place as in the old."""
    shutil.copytree(_prepared_once.folder, checkout.folder, symlinks=True, dirs_exist_ok=True)
    return checkout


def _checkout_in(folder: Path) -> Checkout:
    wheels = folder / "wheels"
    wheels.mkdir()
    return Checkout(folder / "Küçük İşler ğüşıöç" / "birkez", wheels)


def _write_wheel(folder: Path, version: str) -> Path:
    about = f"birkez_probe-{version}.dist-info"
    files = {
        "birkez_probe.py": f"version = {version!r}\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: birkez-probe\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text)}\n" for name, text in files.items())
    files[f"{about}/RECORD"] = record + f"{about}/RECORD,,\n"
    path = folder / f"birkez_probe-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(zipfile.ZipInfo(name), text)  # no date: the same bytes each time
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
