"""Eight starts at once for 300 rounds, and what happens when the lock does not hold."""

from __future__ import annotations

import contextlib
import os
import time

import pytest

from tests.runner.crowd import Homes, assert_one_at_a_time, begin_on_one_job, storm
from tests.runner.office import Office

ROUNDS = 300

pytestmark = [pytest.mark.posix, pytest.mark.timeout(0)]


def test_of_eight_at_once_one_is_at_work_at_a_time(office: Office) -> None:
    begin_on_one_job(office, ROUNDS)
    storm(office, ROUNDS)
    done = assert_one_at_a_time(office, ROUNDS)
    print(f"\n{ROUNDS} rounds of 8: {done} windows, never two at once")


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_with_a_lock_folder_each_the_ledger_alone_lets_each_effect_stand_once(office: Office, kind: str) -> None:
    homes = Homes(office, rounds=100, kind=kind)
    rounds = homes.storm(most=2_000)
    print(f"\n{kind}: {homes.windows} windows in {rounds} rounds of 8 homes, {dict(homes.assert_each_once(rounds))}")


def test_lock_file_that_is_deleted_while_held_costs_no_window(office: Office) -> None:
    # A clean-up program takes the lock file away while it is held: then two hold a lock, and the ledger decides.
    begin_on_one_job(office, ROUNDS, kind="sql")

    def delete() -> None:
        for _ in range(20):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(office.places.lock_file("is"))
            time.sleep(0.005)

    storm(office, ROUNDS, between=delete)
    done = office.ask("SELECT count(*), count(DISTINCT key) FROM birkez_window WHERE state = 'done'")
    written = office.ask("SELECT count(*), count(DISTINCT saat) FROM ozet")
    assert done == written
    assert done[0][0] == done[0][1] >= ROUNDS
    office.assert_each_fire_is_told("is", ROUNDS * 8)
    print(f"\n{ROUNDS} rounds of 8 with a vanishing lock file: {done[0][0]} windows, each once")
