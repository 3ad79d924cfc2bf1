"""The Debian package, from the checkout to a purge, in a Debian that holds nothing else. Takes minutes.

`BIRKEZ_FROZEN` may name the folder of a freeze that is there; `BIRKEZ_CHROOT` a tar file of a minimal Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT

pytestmark = [
    pytest.mark.linux,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, for a chroot"),
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs Debian's dpkg-deb"),
]
_JOB = """
title = "Deneme"
[window]
step = "1h"
start = 2026-01-01T00:00:00Z
[effect]
kind = "command"
argv = ["/bin/true"]
"""


@pytest.fixture(scope="module")
def packages(frozen_folder) -> tuple[Path, Path]:
    """This version's package, and one that is newer."""
    folder, installer = frozen_folder, CHECKOUT / "installer"
    for version in ("0.1.0", "9.0.0"):
        environment = {**os.environ, "BIRKEZ_DEB_VERSION": version}
        subprocess.run([sys.executable, installer / "deb.py", folder], check=True, env=environment)
    found = {path.name.split("_")[1]: path for path in folder.glob("birkez_*.deb")}
    return found["0.1.0"], found["9.0.0"]


class Chroot:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, *words: str, status: int = 0) -> str:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        # A mount of its own goes with the process, however the test ends; locks are told by /proc.
        enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        argv = ["unshare", "--mount", "sh", "-c", enter, str(self.folder), *words]
        done = subprocess.run(argv, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout


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


def test_it_is_installed_run_upgraded_removed_and_purged(debian: Chroot, packages: tuple[Path, Path]):
    old, new = packages
    for package in packages:
        shutil.copy(package, debian.folder / "root")
    (debian.folder / "root" / "is.toml").write_text(_JOB, encoding="utf-8")
    debian.do("apt-get", "-qq", "update")
    debian.do("apt-get", "-qq", "install", "--yes", "--no-install-recommends", f"/root/{old.name}")

    assert debian.do("birkez", "--version").startswith("birkez ")
    debian.do("birkez", "demo")
    debian.do("birkez", "job", "add", "/root/is.toml", "--id", "deneme", "--no-schedule")
    before = debian.do("birkez", "job", "list")
    assert "deneme" in before

    debian.do("apt-get", "-qq", "install", "--yes", "--no-install-recommends", f"/root/{new.name}")
    assert debian.do("dpkg-query", "-W", "-f", "${Version}", "birkez") == "9.0.0"
    assert debian.do("birkez", "job", "list") == before

    debian.do("apt-get", "-qq", "remove", "--yes", "birkez")
    assert not (debian.folder / "usr/lib/birkez").exists()
    debian.do("dpkg", "--purge", "birkez")  # apt knows no package that is in no archive
    debian.do("dpkg-query", "-W", "birkez", status=1)
    left = [path for path in (debian.folder / "usr").rglob("*birkez*") if "/share/doc" not in str(path)]
    assert not left
    assert (debian.folder / "root/.config/birkez/jobs/deneme.toml").exists()  # what people made is theirs


@pytest.mark.skipif(shutil.which("lintian") is None, reason="needs lintian")
def test_debians_own_checker_finds_no_error(packages: tuple[Path, Path]):
    done = subprocess.run(
        ["lintian", "--fail-on", "error", packages[0]], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout
