"""One connection serves all windows of a run; none may see what another left on it."""

from __future__ import annotations

import pytest

from tests.runner.office import Office

LEAVES_ROWS = """CREATE TEMP TABLE IF NOT EXISTS ara (an);
INSERT INTO ara VALUES (:start);
CREATE TEMP VIEW IF NOT EXISTS bakis AS SELECT an FROM ara;
CREATE TEMP TRIGGER IF NOT EXISTS tetik AFTER INSERT ON iz BEGIN INSERT INTO iz SELECT 'tetik' WHERE 0; END;
INSERT INTO iz SELECT an FROM bakis;
"""
LEAVES_ROWS_PY = """def process(window, tx):
    tx.execute("CREATE TEMP TABLE IF NOT EXISTS ara (an)")
    tx.execute("INSERT INTO ara VALUES (?)", (window.start.isoformat(),))
    tx.execute("INSERT INTO iz SELECT an FROM ara")
"""


@pytest.fixture
def shop(office: Office) -> Office:
    office.open_shop()
    office.change("CREATE TABLE iz (an)")
    return office


@pytest.mark.parametrize("kind", ["sql", "python"])
def test_temp_tables_do_not_outlive_their_window(shop: Office, kind: str) -> None:
    if kind == "sql":
        shop.sql_job("is", LEAVES_ROWS)
    else:
        shop.python_job("is", LEAVES_ROWS_PY)
    _, ran = shop.run_here("is", "2026-09-04T13:05:00Z")
    windows = sum(token == "ISLENDI" for token, _ in ran.said)
    assert windows > 1, "one run must have taken several windows"
    assert shop.ask("SELECT count(*), count(DISTINCT an) FROM iz") == [(windows, windows)]


def test_temp_table_made_anew_in_each_window_is_no_failure(shop: Office) -> None:
    shop.sql_job("is", 'CREATE TEMP TABLE "a""ra" (an); INSERT INTO iz VALUES (:start);')
    answer, _ = shop.run_here("is", "2026-09-04T13:05:00Z")
    assert answer.outcome == "done"
    assert answer.windows > 1
