from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.runner.office import Office


def test_run_with_work_forgets_runs_older_than_the_settings_say(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    Path(office.places.settings_file).write_text("history_days = 30\n", encoding="utf-8")
    office.run_here("satis", "2026-09-04T12:05:00Z")
    office.run_here("satis", "2026-09-04T12:06:00Z")
    office.run_here("satis", "2026-12-04T13:05:00Z")
    connection = sqlite3.connect(office.places.history_db)
    runs = connection.execute("SELECT count(*) FROM run").fetchone()[0]
    connection.close()
    assert runs == 1
    assert len(office.ask("SELECT key FROM birkez_window")) > 2, "keys stay, whatever history forgets"
