"""A Debian that holds nothing but itself, for what must work there from nothing.

`BIRKEZ_CHROOT` may name a tar file of one; else `mmdebstrap` makes it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


class Chroot:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, *words: str, status: int = 0) -> str:
        done = subprocess.run(
            self._argv(words), env=self._environment(), capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._argv(words), env=self._environment(), stdout=subprocess.DEVNULL)

    def _argv(self, words: tuple[str, ...]) -> list[str]:
        # A mount of its own goes with the process, however the test ends; locks are told by /proc.
        enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        return ["unshare", "--mount", "sh", "-c", enter, str(self.folder), *words]

    def _environment(self) -> dict[str, str]:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        return environment | {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("debian") / "root"
    folder.mkdir()
    tar = os.environ.get("BIRKEZ_CHROOT")
    if tar is None:
        if shutil.which("mmdebstrap") is None:
            pytest.skip("needs mmdebstrap, to make a clean Debian")
        tar = str(folder.parent / "debian.tar")
        subprocess.run(["mmdebstrap", "--variant=minbase", "bookworm", tar], check=True)
    subprocess.run(["tar", "-xf", tar, "-C", folder, "--exclude=./dev/*"], check=True)
    # apt and the program ask for these; bound, they would outlive a test that is killed.
    for name in ("null", "zero", "urandom"):
        subprocess.run(["cp", "-a", f"/dev/{name}", folder / "dev"], check=True)
    # However this machine reaches its mirror, the chroot does, too.
    for source in ("/etc/apt", "/etc/ssl/certs", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates"):
        if Path(source).is_dir():
            shutil.copytree(source, str(folder) + source, symlinks=True, dirs_exist_ok=True)
    for name in ("resolv.conf", "hosts"):
        shutil.copyfile(f"/etc/{name}", folder / "etc" / name)
    return Chroot(folder)
