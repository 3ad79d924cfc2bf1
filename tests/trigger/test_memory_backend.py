from __future__ import annotations

import pytest

from tests.trigger.contract import *  # noqa: F403  # the tests of every backend
from tests.trigger.memory_backend import MemoryBackend, Table


@pytest.fixture
def open_backend():
    table = Table()
    return lambda places: MemoryBackend(places, table)
