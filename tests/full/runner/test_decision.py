"""A job's weeks played at random, two hundred times: previews, runs and books must agree."""

from __future__ import annotations

import random

import pytest

from tests.runner.office import Office
from tests.runner.playing import play

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("seed", range(1_000, 1_200))
def test_preview_says_what_the_run_then_does_in_whatever_state_a_job_gets(office: Office, seed: int) -> None:
    play(office, random.Random(seed), steps=80)
