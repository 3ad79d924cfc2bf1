"""Worker processes that a job's own Python code starts, as `multiprocessing` does."""

from __future__ import annotations

import pytest

from tests.runner.office import Office

AT_11 = "2026-09-04T11:00:00Z"
CODE = """
import multiprocessing
def square(number):
    return number * number
def process(window, tx):
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        for number in pool.map(square, range(4)):
            tx.execute("INSERT INTO ozet VALUES (?, 1, 1)", (number,))
"""

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime


@pytest.mark.parametrize("trigger", ["schedule", "manual"])
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_workers_find_the_functions_of_the_jobs_file(office: Office, method: str, trigger: str) -> None:
    office.open_shop("2026-09-04T10")
    office.python_job("satis", CODE.format(method=method), effect='timeout = "20s"')
    ran = office.run("satis", trigger=trigger, at=AT_11)
    assert (ran.status, ran.said) == (0, [("ISLENDI", "")])
    assert "Traceback" not in ran.printed
    assert office.ask("SELECT saat FROM ozet") == [("0",), ("1",), ("4",), ("9",)]
