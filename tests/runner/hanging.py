"""What a function can do instead of returning, and what must come of it."""

from __future__ import annotations

import time

from tests.runner.office import Office
from trayapp.lock.holder import read_state

AT_11, AT_12 = "2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z"
HEAD = "import os, re, select, threading, time\n\ndef nap():\n    select.select([], [], [], 0.05)\n\n"
WORK = "    tx.execute(\"INSERT INTO ozet VALUES ('yarim', 1, 1)\")\n"
SWALLOW = """    while True:
        try:
            {body}
        except BaseException:
            pass
"""
# What a function can do instead of returning.
HANGS = {
    "sleeps": "    select.select([], [], [], 60)\n",
    "loops": "    while True: pass\n",
    "waits for a lock": "    lock = threading.Lock(); lock.acquire(); lock.acquire()\n",
    "waits for a thread": "    t = threading.Thread(target=lambda: select.select([], [], [], 60), daemon=True)\n"
    "    t.start(); t.join()\n",
    "reads a pipe": "    os.read(os.pipe()[0], 1)\n",
    "searches in C": "    re.match(r'(a|a)*$', 'a' * 60 + 'b')\n",
    "works in the database": "    tx.execute('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
    " SELECT max(x) FROM n').fetchall()\n",
    "swallows all and naps": SWALLOW.format(body="nap()"),
    "swallows all and writes": SWALLOW.format(body="tx.execute(\"INSERT INTO ozet VALUES ('yarim', 1, 1)\")"),
    "swallows all and claims": SWALLOW.format(body="tx.first_time('a')"),
}


def process(body: str) -> str:
    """Code of a job's function with this *body*."""
    return f"{HEAD}def process(window, tx):\n{body}"


def assert_timed_out(office: Office, *, attempt: int = 1, at: str = AT_11) -> None:
    """The run ends in time, takes all back, counts the attempt, tells it and frees the lock."""
    began = time.monotonic()
    ran = office.run("satis", at=at)
    assert time.monotonic() - began < 12
    assert (ran.status, ran.said[-1:]) == (1, [("HATA", "effect-timed-out")])
    assert ran.lines[-1].fields["deneme"] == str(attempt)
    assert ran.row is not None
    assert (ran.row.outcome, ran.row.reason) == ("failed", "effect-timed-out")
    assert office.ask("SELECT * FROM ozet") == []
    assert office.states("satis") == [("10:00", "failed", attempt)]
    assert read_state(office.places.lock_file("satis")).state == "idle"
