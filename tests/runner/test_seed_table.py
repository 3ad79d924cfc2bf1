"""The table of the design's first page, played with the real command under a shifted clock.

clock     10:00        11:00        12:00   12:05   12:07
          |------------|------------|-------|-------|
run       #1 done      (missed)             #2      #3 by hand
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.runner.office import SUMMARY_PY, Office, wait_until

JOB = "satis-ozet"
AT = "2026-09-04T{}:{}Z"
# Waits inside its second window until the file `devam` is there.
WAITING_PY = "import os, select\n" + SUMMARY_PY.replace(
    "    start, end =",
    """    while window.start.hour == 11 and not os.path.exists('devam'):
        open('bekliyor', 'w').close()
        select.select([], [], [], 0.01)
    start, end =""",
)
SENDING = """echo "$BIRKEZ_START" >> gonderilen
while [ "$BIRKEZ_START" = 2026-09-04T11:00:00Z ] && [ ! -e devam ]; do touch bekliyor; sleep 0.02; done"""
WINDOW = 'start = 2026-09-04T09:00:00Z\nlateness = "0s"'

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime; many processes


def line(minute: str, token: str, rest: str) -> str:
    seconds = r":\d\d\.\d{3}Z"
    return f"2026-09-04T{minute}{seconds} {token} is={JOB} {rest}"


def done_line(minute: str, hour: int, trigger: str, counts: str) -> str:
    start, end = f"2026-09-04T{hour:02}:00:00", f"2026-09-04T{hour + 1:02}:00:00"
    which = rf"pencere={start}Z/{end}Z anahtar={JOB}:{start}\+00:00"
    return line(minute, "ISLENDI", rf"{which} tetik={trigger} kosum=\S+ {counts}sure_ms=\d+")


@pytest.mark.parametrize("kind", ["sql", "python", "command"])
def test_each_start_does_what_the_table_says(office: Office, kind: str) -> None:
    _make_job(office, kind)

    # 10:00, #1
    assert office.run(JOB, at=AT.format("10:00", "00")).said == [("ISLENDI", "")]
    assert _totals(office, kind) == ["09"]

    # 12:05, #2: the start at 11:00 was missed, and it still works when at 12:07 somebody starts it by hand
    second = office.start(JOB, at=AT.format("12:05", "01"))
    with _kept_at_work(office, kind):
        by_hand = office.run(JOB, trigger="manual", at=AT.format("12:07", "00"))
        assert (by_hand.status, by_hand.said) == (0, [("ATLANDI", "kilit")])
        assert by_hand.lines[0].fields["pid"] == str(second.pid)
        # The script has not begun; code and command are inside 11:00, which the command has sent already.
        assert _totals(office, kind) == {"sql": ["09"], "python": ["09", "10"], "command": ["09", "10", "11"]}[kind]
    ran = office.finish(second, JOB)
    assert (ran.status, ran.said) == (0, [("ISLENDI", ""), ("ISLENDI", "")])
    assert ran.windows == ["2026-09-04T10:00:00Z", "2026-09-04T11:00:00Z"]
    assert _totals(office, kind) == ["09", "10", "11"]

    # after #2: once more, and the window of 10:00 asked for by hand
    nothing = office.run(JOB, trigger="manual", at=AT.format("12:07", "30"))
    assert (nothing.status, nothing.said) == (0, [("ATLANDI", "kapanmis pencere yok")])
    asked = office.run(JOB, "--window", "2026-09-04T10:00:00Z", trigger="manual", at=AT.format("12:08", "00"))
    assert (asked.status, asked.said) == (0, [("ATLANDI", "anahtar mevcut")])
    assert _totals(office, kind) == ["09", "10", "11"]
    assert office.watermark(JOB) == "2026-09-04T12:00:00Z"

    counts = {"sql": r"kayit=2 ", "python": r"kayit=2 tekrar=0 ", "command": ""}[kind]
    expected = [
        done_line("10:00", 9, "zamanli", counts),
        line("12:07", "ATLANDI", rf"sebep=kilit pid={second.pid} tetik=elle kosum=\S+"),
        done_line("12:05", 10, "zamanli", counts),
        done_line("12:05", 11, "zamanli", counts),
        line("12:07", "ATLANDI", r'sebep="kapanmis pencere yok" tetik=elle kosum=\S+'),
        line(
            "12:08",
            "ATLANDI",
            r'sebep="anahtar mevcut" pencere=2026-09-04T10:00:00Z/2026-09-04T11:00:00Z '
            rf"anahtar={JOB}:2026-09-04T10:00:00\+00:00 tetik=elle kosum=\S+",
        ),
    ]
    written = Path(office.places.log_file(JOB)).read_text(encoding="utf-8").splitlines()
    written.sort(key=lambda text: "kilit" not in text and "09:00:00Z" not in text)  # the loser's line lands between
    expected.sort(key=lambda text: "kilit" not in text and "09:00:00Z" not in text)
    for pattern, text in zip(expected, written, strict=True):
        assert re.fullmatch(pattern, text), f"\n{text}\n{pattern}"
    office.assert_each_fire_is_told(JOB, 5)


def _make_job(office: Office, kind: str) -> None:
    office.open_shop("2026-09-04T09", "2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    if kind == "sql":
        office.sql_job(
            JOB, "INSERT INTO ozet SELECT :start, 1, 12; UPDATE toplam SET tutar = tutar + 12;", window=WINDOW
        )
    elif kind == "python":
        office.python_job(JOB, WAITING_PY, window=WINDOW)
    else:
        office.command_job(JOB, SENDING, window=WINDOW)


@contextmanager
def _kept_at_work(office: Office, kind: str) -> Iterator[None]:
    """Keep the second run inside its work: a script by a busy database, code and a command by a file."""
    lock = Path(office.places.lock_file(JOB))
    if kind == "sql":
        with closing(sqlite3.connect(office.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            wait_until(lambda: lock.read_bytes().startswith(b"held"))
            yield
            other.execute("COMMIT")
    else:
        wait_until((office.folder / "bekliyor").exists)
        yield
        (office.folder / "devam").touch()


def _totals(office: Office, kind: str) -> list[str]:
    """Hours that took effect, each as often as it did."""
    if kind == "command":
        return [line[11:13] for line in (office.folder / "gonderilen").read_text().splitlines()]
    totals = office.totals()
    assert all(amount == 12 for _, amount in totals)
    return [str(hour)[:2] for hour, _ in totals]
