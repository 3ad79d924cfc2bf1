"""The Debian package, from the checkout to a purge, in a Debian that holds nothing else. Takes minutes.

`BIRKEZ_FROZEN` may name the folder of a freeze that is there; `BIRKEZ_CHROOT` a tar file of a minimal Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.full.installer import chroot
from tests.full.installer.chroot import Chroot

debian = chroot.debian
pytestmark = [
    pytest.mark.linux,
    pytest.mark.timeout(1800),
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


def test_it_is_installed_run_upgraded_removed_and_purged(debian: Chroot, packages: tuple[Path, Path]):
    old, new = packages
    for package in packages:
        shutil.copy(package, debian.folder / "root")
    (debian.folder / "root" / "is.toml").write_text(_JOB, encoding="utf-8")
    debian.do("apt-get", "-qq", "update")
    debian.do("apt-get", "-qq", "install", "--yes", "--no-install-recommends", f"/root/{old.name}", "cron")

    assert debian.do("birkez", "--version").startswith("birkez ")
    debian.do("birkez", "demo")
    debian.do("birkez", "job", "add", "/root/is.toml", "--id", "deneme", "--no-schedule")
    before = debian.do("birkez", "job", "list")
    assert "deneme" in before

    at_work = job_at_work(debian)
    debian.do("apt-get", "-qq", "install", "--yes", "--no-install-recommends", f"/root/{new.name}")
    assert debian.do("dpkg-query", "-W", "-f", "${Version}", "birkez") == "9.0.0"
    (debian.folder / "root" / "go").touch()
    assert at_work.wait(60) == 0  # the upgrade took the program away beneath it
    assert "ISLENDI" in (debian.folder / "root/.local/state/birkez/logs/uzun.log").read_text(encoding="utf-8")
    debian.do("birkez", "job", "remove", "uzun")
    assert debian.do("birkez", "job", "list") == before

    register(debian)
    debian.do("apt-get", "-qq", "install", "--yes", "--reinstall", f"/root/{new.name}")
    assert all("birkez" in table(debian, person) for person in ("root", "ayse"))
    told = debian.do("apt-get", "-qq", "remove", "--yes", "birkez")
    assert not (debian.folder / "usr/lib/birkez").exists()
    for person in ("root", "ayse"):
        assert f"the crontab of {person} starts no jobs of Birkez any more" in told
        assert table(debian, person).splitlines()[-1] == "5 4 * * * /bin/true"
        assert "/birkez run" not in table(debian, person)
    debian.do("dpkg", "--purge", "birkez")  # apt knows no package that is in no archive
    debian.do("dpkg-query", "-W", "birkez", status=1)
    left = [path for path in (debian.folder / "usr").rglob("*birkez*") if "/share/doc" not in str(path)]
    assert not left
    assert (debian.folder / "root/.config/birkez/jobs/deneme.toml").exists()  # what people made is theirs
    assert (debian.folder / "home/ayse/.config/birkez/jobs/is.toml").exists()


def job_at_work(debian: Chroot) -> subprocess.Popen[bytes]:
    """A run that waits for /root/go inside the job's own code, as a nightly import that takes an hour."""
    code = """
import os, time

def process(window, tx):
    open("/root/begun", "w").close()
    while not os.path.exists("/root/go"):
        time.sleep(0.05)
    import plistlib, tabnanny, xml.dom.minidom
"""
    (debian.folder / "root" / "uzun.py").write_text(code, encoding="utf-8")
    job = _JOB.replace('kind = "command"\nargv = ["/bin/true"]', 'kind = "python"\ndatabase = "/root/a.db"\n')
    job += 'callable = "uzun.py:process"\ntimeout = "10m"\n'
    (debian.folder / "root" / "uzun.toml").write_text(job.replace('"1h"', '"1d"\ntimezone = "UTC"'), encoding="utf-8")
    debian.do("birkez", "job", "add", "/root/uzun.toml", "--id", "uzun", "--no-schedule", "--create-database")
    at_work = debian.start("birkez", "run", "uzun", "--max-windows", "1")
    deadline = time.monotonic() + 30
    while not (debian.folder / "root" / "begun").exists():
        assert time.monotonic() < deadline, "the run never began"
        time.sleep(0.1)
    return at_work


def register(debian: Chroot) -> None:
    """Have cron start a job of root's and one of a person's, beside a line of their own."""
    debian.do("useradd", "--create-home", "ayse")
    job = _JOB.replace("[window]", '[schedule]\nevery = "1h"\n[window]')
    for person, home in (("root", "root"), ("ayse", "home/ayse")):
        (debian.folder / home / "is.toml").write_text(job, encoding="utf-8")
        words = "echo '5 4 * * * /bin/true' | crontab - && birkez job add ~/is.toml --id is"
        debian.do("runuser", "-l", person, "-c", words)
        assert "/birkez run is" in table(debian, person)


def table(debian: Chroot, person: str) -> str:
    return (debian.folder / "var/spool/cron/crontabs" / person).read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("lintian") is None, reason="needs lintian")
def test_debians_own_checker_finds_no_error(packages: tuple[Path, Path]):
    done = subprocess.run(
        ["lintian", "--fail-on", "error", packages[0]], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout
