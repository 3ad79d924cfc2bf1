"""The frozen program: of the folder that `BIRKEZ_FROZEN` names, or frozen once for all tests, which takes a minute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT


@pytest.fixture(scope="session")
def frozen_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with `birkez/`, `icons/` and `environment/`."""
    folder = Path(os.environ.get("BIRKEZ_FROZEN") or tmp_path_factory.mktemp("frozen"))
    if not (folder / "birkez" / "birkez").exists():
        subprocess.run([sys.executable, CHECKOUT / "installer" / "freeze.py", folder], check=True)
    return folder
