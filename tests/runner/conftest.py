from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.runner.office import Office
from trayapp import clock
from trayapp.history.store import open_history


@pytest.fixture
def in_memory(tmp_path):
    """A folder where flushing costs nothing, for thousands of commits that no power cut will be asked about."""
    if sys.platform != "linux" or not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.fixture
def office(birkez_home, run_birkez, tmp_path, monkeypatch):
    """An office with an empty Birkez home; see `Office`."""
    folder = tmp_path / "ofis"
    folder.mkdir()
    # Runners that make history at the same moment wait by time.sleep, which libfaketime breaks
    # (EINVAL, as long as it leaves the monotonic clock alone).
    open_history(birkez_home.history_db).close()
    place = Office(folder, birkez_home, run_birkez)
    place._set_clock = lambda at: monkeypatch.setattr(clock, "now", lambda: at)
    yield place
    place.close()
