from __future__ import annotations

import pytest

from tests.fan_out.storm import play
from tests.fan_out.yard import Yard


@pytest.mark.posix
@pytest.mark.timeout(180)
def test_every_document_is_whole_and_delivered_once_though_workers_are_killed(yard: Yard):
    """Three rounds; the whole, thirty with 10,000 documents, is `tests/full/fan_out`."""
    played = play(yard, 1500, 3)
    assert played.kills >= 6
    print(played)
