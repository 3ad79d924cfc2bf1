from __future__ import annotations

import pytest

from trayapp.history.query import open_for_reading
from trayapp.history.store import open_history


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history.db"


@pytest.fixture
def history(path):
    history = open_history(str(path))
    yield history
    history.close()


@pytest.fixture
def read(path, history):
    """Reader beside the open *history*."""
    reader = open_for_reading(str(path))
    yield reader
    reader.close()
