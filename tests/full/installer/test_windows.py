"""Windows' installer, frozen, packed and tried on Wine: `setup_on_wine.py --test`, which takes minutes.

`BIRKEZ_WINDOWS_FROZEN` may name the folder of a freeze that is there; then it is only tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT

# Both are read here: a test has an environment of its own.
_FROZEN = os.environ.get("BIRKEZ_WINDOWS_FROZEN")
_CACHE = os.environ.get("BIRKEZ_FREEZER_CACHE") or os.path.expanduser("~/.cache/birkez-freezer")
_INSTALLER = CHECKOUT / "installer"
_TRY = CHECKOUT / "tests" / "platform" / "windows" / "installer.sh"


@pytest.mark.linux
@pytest.mark.timeout(3600)
def test_it_installs_runs_jobs_upgrades_and_goes(tmp_path: Path):
    build = [sys.executable, _INSTALLER / "setup_on_wine.py", "--test", tmp_path / "windows"]
    words = [_TRY, _FROZEN, tmp_path / "cache"] if _FROZEN else build
    status = subprocess.run(words, env=os.environ | {"BIRKEZ_FREEZER_CACHE": _CACHE}, check=False).returncode
    if status == 77:
        pytest.skip("needs Wine and NSIS; what is missing stands above")
    assert status == 0
