"""The whole of what tests/lock samples."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.lock.players import ALL_SYSTEMS, PLAYER, Player, run_crowd

ROUNDS = 300
STARTS = 2000
KILLS = 200


@pytest.fixture
def start_player(tmp_path):
    started = []

    def start(system):
        started.append(Player(system, tmp_path / "events"))
        return started[-1]

    yield start
    for player in started:
        player.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("system", ALL_SYSTEMS)
def test_eight_processes_for_300_rounds_are_never_two_inside(system, start_player, tmp_path):
    """P29, with two witnesses: a marker that is made exclusively, and a counter that loses what two add at once."""
    players = [start_player(system) for _ in range(8)]
    assert run_crowd(players, tmp_path / "gece.lock", tmp_path, ROUNDS) == (0, 0)


@pytest.mark.timeout(600)
def test_holder_that_is_killed_anywhere_leaves_the_lock_to_exactly_one(start_player, tmp_path):
    """Kills fall into taking, holding, naming and releasing, some thousand rounds of it each."""
    lock_file = tmp_path / "gece.lock"
    survivors = [start_player("native") for _ in range(2)]
    for number in range(KILLS):
        victim = start_player("native")
        victim.state(lock_file)  # has started
        victim.ask("cycle", lock_file, 10**9)
        time.sleep(0.0001 * number)
        victim.kill()
        assert survivors[number % 2].take(lock_file)
        assert not survivors[1 - number % 2].take(lock_file)
        survivors[number % 2].drop()


@pytest.mark.timeout(600)
def test_2000_starts_beside_a_reader_at_top_speed_all_get_the_lock(start_player, tmp_path):
    """P35, with whole processes."""
    lock_file = tmp_path / "gece.lock"
    script = (
        f"import sys; sys.path.insert(0, {str(PLAYER.parents[2])!r})\n"
        "from datetime import UTC, datetime\n"
        "from trayapp.lock.holder import own_holder\n"
        "from trayapp.lock.job_lock import try_acquire\n"
        f"sys.exit(try_acquire({str(lock_file)!r}, own_holder('r', 'manual', datetime.now(UTC))) is None)\n"
    )
    reader = start_player("native")
    reader.ask("watch", lock_file, 10**6)
    lost = sum(subprocess.run([sys.executable, "-c", script], check=False).returncode for _ in range(STARTS))
    reader.kill()
    assert lost == 0
