"""10,000 documents, four workers by `run` and two by `work`, three of them killed thirty times: counts are printed."""

from __future__ import annotations

import pytest

from tests.fan_out.conftest import yard  # noqa: F401  # the fixture
from tests.fan_out.storm import play
from tests.fan_out.yard import Yard


@pytest.mark.posix
@pytest.mark.timeout(0)
def test_every_document_is_whole_and_delivered_once_though_workers_are_killed(yard: Yard):  # noqa: F811  # as above
    print("\n", play(yard, 10_000, 30))
