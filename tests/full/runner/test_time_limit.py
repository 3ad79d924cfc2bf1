"""Every way to hang that `tests/runner/hanging.py` knows, in each place where a job's code runs."""

from __future__ import annotations

import time

import pytest

from tests.runner.hanging import AT_11, AT_12, HANGS, HEAD, WORK, assert_timed_out, process
from tests.runner.office import Office
from trayapp.lock.holder import read_state

pytestmark = [pytest.mark.linux, pytest.mark.timeout(120)]  # faketime


@pytest.fixture
def shop(office: Office):
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    return office


@pytest.mark.parametrize("hang", HANGS)
def test_function_that_does_not_return(shop: Office, hang: str) -> None:
    shop.python_job("satis", process(WORK + HANGS[hang]), effect='timeout = "1s"')
    assert_timed_out(shop)
    assert_timed_out(shop, attempt=2)
    shop.python_job("satis")
    assert shop.run("satis", at=AT_12).status == 0
    assert shop.totals() == [("10:00", 12), ("11:00", 12)]


@pytest.mark.parametrize("hang", [name for name in HANGS if "tx." not in HANGS[name]])
@pytest.mark.parametrize("place", ["prepare", "load"])
def test_other_code_that_does_not_return(shop: Office, hang: str, place: str) -> None:
    body = HANGS[hang]
    if place == "prepare":
        code = f"{HEAD}def prepare(window):\n{body}\ndef process(window, tx, data):\n    pass\n"
    else:
        code = f"{HEAD}def load():\n{body}\nload()\ndef process(window, tx):\n    pass\n"
    shop.python_job("satis", code, effect='timeout = "1s"')
    assert_timed_out(shop)


def test_code_that_holds_the_interpreter_itself_is_ended_all_the_same(shop: Office) -> None:
    # Nothing of ours can run beside it, so nothing can be told; the next start finds all as it was.
    code = process(WORK + "    sum(range(10**13))\n")
    shop.python_job("satis", code, effect='timeout = "1s"')
    began = time.monotonic()
    ran = shop.run("satis", at=AT_11, recorded=False)
    assert ran.status == 1
    assert time.monotonic() - began < 20
    assert shop.ask("SELECT * FROM ozet") == []
    assert read_state(shop.places.lock_file("satis")).state == "idle"
    shop.python_job("satis")
    assert shop.run("satis", at=AT_12).status == 0
    assert [run.outcome for run in shop.history("satis")] == ["stopped", "done"]
