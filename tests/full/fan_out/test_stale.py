from __future__ import annotations

from pathlib import Path

import pytest

from tests.fan_out.stale import play


@pytest.mark.timeout(0)
def test_of_eight_workers_on_a_stale_claim_one_does_the_item_500_times(tmp_path: Path):
    play(tmp_path, 500)
