"""Eight starts of one job at once; 300 rounds of it are `tests/full/runner`."""

from __future__ import annotations

import pytest

from tests.runner.crowd import Homes, assert_one_at_a_time, begin_on_one_job, storm
from tests.runner.office import Office

pytestmark = [pytest.mark.posix, pytest.mark.timeout(180)]


def test_of_eight_at_once_one_is_at_work_at_a_time(office: Office) -> None:
    begin_on_one_job(office, rounds=20)
    storm(office, rounds=20)
    assert_one_at_a_time(office, rounds=20)


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_with_a_lock_folder_each_the_ledger_alone_lets_each_effect_stand_once(office: Office, kind: str) -> None:
    homes = Homes(office, rounds=5, kind=kind)
    homes.assert_each_once(homes.storm(most=50))
