"""From a checkout to a first safe job, on a Debian 12 with nothing but python3, in a folder with blanks and ş."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from tests.conftest import CHECKOUT
from tests.full.installer import chroot
from tests.full.installer.chroot import Chroot

debian = chroot.debian
pytestmark = [
    pytest.mark.linux,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, for a chroot"),
]
_PLACE = "srv/Küçük İşler ğüş/bir kez"
# However this machine's pip reaches its index, the chroot's does, too.
_PIP = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and name != "PIP_FIND_LINKS"}


@pytest.fixture(scope="module")
def checkout(debian: Chroot):
    """The last commit of this checkout, as a clone would have them, in a Debian with python3."""
    debian.do("apt-get", "-qq", "update")
    debian.do("apt-get", "-qq", "install", "--yes", "--no-install-recommends", "python3", "ca-certificates")
    place = debian.folder / _PLACE
    place.mkdir(parents=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", place], input=packed, check=True)
    return debian


def bootstrap(debian: Chroot, words: str, person: str = "root", status: int = 0) -> str:
    given = " ".join(f"{name}={value}" for name, value in _PIP.items())
    command = f"cd '/{_PLACE}' && env {given} LANG=C.UTF-8 python3 installer/bootstrap.py {words} 2>&1"
    return debian.do("runuser", "-u", person, "--", "sh", "-c", command, status=status)


def test_person_without_rights_is_told_the_one_command_for_the_admin(checkout: Chroot):
    checkout.do("useradd", "--create-home", "ayse")
    checkout.do("chown", "-R", "ayse", f"/{_PLACE}")
    told = bootstrap(checkout, "demo", "ayse", status=1)
    assert "sudo apt-get install python3.11-venv" in told
    assert told.strip().splitlines()[-1].endswith("sudo apt-get install python3.11-venv")
    checkout.do("chown", "-R", "root", f"/{_PLACE}")


def test_demo_and_tests_begin_with_one_command_each(checkout: Chroot):
    began = time.monotonic()
    told = bootstrap(checkout, "demo")
    first = time.monotonic() - began
    assert "ISLENDI" in told
    began = time.monotonic()
    bootstrap(checkout, "birkez --version")
    second = time.monotonic() - began
    print(f"demo from nothing: {first:.0f} s; second start: {second:.2f} s")
    assert "passed" in bootstrap(checkout, "test tests/window tests/lock -q")
