from __future__ import annotations

import pytest

from tests.runner.office import Office
from trayapp import clock


@pytest.fixture
def office(birkez_home, run_birkez, tmp_path, monkeypatch):
    """An office with an empty Birkez home; see `Office`."""
    folder = tmp_path / "ofis"
    folder.mkdir()
    place = Office(folder, birkez_home, run_birkez)
    place._set_clock = lambda at: monkeypatch.setattr(clock, "now", lambda: at)
    yield place
    place.close()
