from __future__ import annotations

import pytest

from tests.lock.players import SYSTEMS, Player


@pytest.fixture(params=SYSTEMS)
def system(request):
    """This system, and on Linux also a played Windows."""
    return request.param


@pytest.fixture
def start_player(tmp_path):
    """Start a process to play with, of a kind from `SYSTEMS`; all are gone when the test ends."""
    started = []

    def start(system="native", prefix=()):
        player = Player(system, tmp_path / "events", prefix)
        started.append(player)
        return player

    yield start
    for player in started:
        player.close()


@pytest.fixture
def lock_file(tmp_path):
    folder = tmp_path / "locks"
    folder.mkdir()
    return folder / "gece.lock"
