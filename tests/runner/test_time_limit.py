"""Work that does not end: asked first, then left hard; the lock is free, nothing stands, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.hanging import AT_11, AT_12, HANGS, HEAD, WORK, assert_timed_out, process
from tests.runner.office import Office, hasty_clock, utc

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime


@pytest.fixture
def shop(office: Office):
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    return office


@pytest.mark.parametrize("hang", ["sleeps", "waits for a lock", "searches in C", "swallows all and writes"])
def test_function_that_does_not_return(shop: Office, hang: str) -> None:
    shop.python_job("satis", process(WORK + HANGS[hang]), effect='timeout = "1s"')
    assert_timed_out(shop)
    shop.python_job("satis")
    assert shop.run("satis", at=AT_12).status == 0
    assert shop.totals() == [("10:00", 12), ("11:00", 12)]


def test_each_attempt_that_timed_out_is_counted(shop: Office) -> None:
    shop.python_job("satis", process(HANGS["sleeps"]), effect='timeout = "1s"')
    for attempt in (1, 2):
        assert_timed_out(shop, attempt=attempt)


def test_hang_is_told_once_a_streak_and_keeps_the_periods_done_before_it(shop: Office) -> None:
    hang = HANGS["swallows all and naps"].replace("\n", "\n    ")
    code = process(f"{WORK}    if window.start.hour == 10:\n    {hang}")
    shop.python_job("satis", code, effect='timeout = "1s"', window="start = 2026-09-04T08:00:00Z")
    first, second = shop.run("satis", at=AT_11), shop.run("satis", at=AT_11)
    assert first.windows == ["2026-09-04T08:00:00Z", "2026-09-04T09:00:00Z"]
    assert first.row is not None
    assert (first.row.windows, first.row.outcome, first.row.exit_status) == (2, "failed", 1)
    assert first.printed.startswith("birkez: satis: ")
    assert (second.status, second.printed) == (1, "")
    assert shop.states("satis")[-1] == ("10:00", "failed", 2)


@pytest.mark.parametrize("hang", ["sleeps", "searches in C"])
def test_preparation_that_does_not_return(shop: Office, hang: str) -> None:
    code = f"{HEAD}def prepare(window):\n{HANGS[hang]}\ndef process(window, tx, data):\n    pass\n"
    shop.python_job("satis", code, effect='timeout = "1s"')
    assert_timed_out(shop)


def test_file_that_does_not_finish_loading(shop: Office) -> None:
    code = f"{HEAD}def load():\n{HANGS['sleeps']}\nload()\n\ndef process(window, tx):\n    pass\n"
    shop.python_job("satis", code, effect='timeout = "1s"')
    assert_timed_out(shop)


@pytest.mark.parametrize("where", ["statement", "loop of statements", "source"])
def test_script_that_does_not_end(shop: Office, where: str) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS enb FROM n"
    effect, script = 'timeout = "1s"', "INSERT INTO ozet VALUES ('yarim', 1, 1);"
    if where == "statement":
        script += f"INSERT INTO ozet SELECT enb, 1, 1 FROM ({endless});"
    elif where == "loop of statements":
        script += endless + ";" + endless
    else:
        effect += f'\n[effect.sources.kaynak]\ndatabase = "{shop.database}"\nquery = "{endless}"'
    shop.sql_job("satis", script, effect=effect)
    assert_timed_out(shop)
    shop.sql_job("satis")
    assert shop.run("satis", at=AT_12).status == 0
    assert shop.totals() == [("10:00", 12), ("11:00", 12)]


def test_time_limit_is_each_windows_own(shop: Office) -> None:
    code = process("    select.select([], [], [], 0.8)\n")
    shop.python_job("satis", code, effect='timeout = "3s"', window="start = 2026-09-04T06:00:00Z")
    assert len(shop.run("satis", at=AT_11).windows) == 5


def test_slow_machine_is_not_a_hang(shop: Office) -> None:
    # A clock that jumps by hours within the run: the limit is measured on the clock that never does.
    code = process("    select.select([], [], [], 0.3)\n" + WORK)
    shop.python_job("satis", code, effect='timeout = "5s"')
    ran = shop.run("satis", at=AT_11, prefix=hasty_clock(10_000))
    assert ran.status == 0, ran
    assert ran.lines[0].at > utc("2026-09-04T11:05:00Z")


def test_what_a_function_printed_before_it_hung_is_kept(shop: Office) -> None:
    code = process("    print('üçüncü adım')\n" + HANGS["swallows all and naps"])
    shop.python_job("satis", code, effect='timeout = "1s"')
    ran = shop.run("satis", at=AT_11)
    assert ran.row is not None
    printed = Path(shop.places.output_file("satis", ran.row.run)).read_text(encoding="utf-8")
    assert printed.startswith("üçüncü adım\n")


def test_limits_of_many_windows_leave_no_file_open(shop: Office) -> None:
    code = f"{HEAD}def prepare(window):\n    pass\n\ndef process(window, tx, data):\n    pass\n"
    shop.python_job("satis", code, window="start = 2026-01-01T00:00:00Z\nmax_per_run = 150")
    ran = shop.run("satis", at=None, prefix=("prlimit", "--nofile=60"))  # libfaketime makes each limit slow
    assert (ran.status, len(ran.windows)) == (0, 150)
