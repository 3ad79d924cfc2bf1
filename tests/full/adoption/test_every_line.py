"""Every adoptable line of the corpora, in every form, through two years of more zones: too slow for every change."""

from __future__ import annotations

import pytest

from tests.adoption.conftest import (
    CORPORA,
    adopt_entry,
    entries_of,
    in_memory,  # noqa: F401  # a fixture
)
from tests.adoption.test_corpora import compare_fires
from tests.adoption.test_debian import EVERY_LINE, REFUSED
from tests.trigger.own_cron import inside
from tests.trigger.test_crontab import odd_forms
from trayapp.adoption.exchange import release
from trayapp.trigger.crontab import Crontab

pytestmark = [pytest.mark.posix, pytest.mark.timeout(600)]


@pytest.mark.parametrize("zone", ["Europe/Istanbul", "America/Nuuk", "Africa/Cairo", "America/New_York"])
def test_job_fires_when_its_line_did(zone):
    compare_fires(zone, days=60)


def test_each_line_in_each_form_is_given_back_byte_for_byte(birkez_home, in_memory):  # noqa: F811  # as above
    count = 0
    for path in CORPORA.values():
        for form, table in odd_forms(path.read_bytes()).items():
            for entry in [entry for entry in entries_of(table) if entry.refusal is None]:
                in_memory[0] = table
                job_id = adopt_entry(birkez_home, entry)
                assert release(birkez_home, Crontab(birkez_home), job_id).is_at_its_place
                assert in_memory[0] == table, (path.name, form, entry.number)
                count += 1
    # With line ends of DOS only two last lines without one are adopted, and of those that got bytes that are no
    # UTF-8, or a variable with such bytes above them, none.
    assert count == 129 * 3 + 2 + (129 - 9)
    print(f"{count} lines of {len(CORPORA)} tables in five forms: adopted and given back byte for byte")


@pytest.mark.linux
@pytest.mark.root
def test_each_line_goes_through_debians_crontab_and_back(tmp_path, birkez_home):
    fates, wrong = inside(tmp_path, EVERY_LINE, "all", timeout=300)
    assert wrong == []
    assert fates == {"there and back": 120, **REFUSED}
