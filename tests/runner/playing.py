"""An admin's weeks with one job, played at random: before each start a preview, at the end the books."""

from __future__ import annotations

import itertools
import random

from tests.runner.office import FAILING_SQL, Office, utc
from trayapp import clock
from trayapp.errors import BirkezError
from trayapp.job.pause import pause, resume
from trayapp.runner.by_hand import reopen, resolve, set_watermark, skip
from trayapp.runner.decision import Wish, key_of
from trayapp.runner.preview import Preview, preview


def play(office: Office, chance: random.Random, steps: int) -> None:
    """Let time pass, a job fail and be mended, a person decide, and the job start, *steps* times."""
    office.open_shop()
    scripts = (FAILING_SQL, FAILING_SQL.replace("'12:00'", "'99:00'"))
    now_s = clock.to_epoch(utc("2026-09-04T10:20:00Z"))
    is_failing = False
    for _ in range(steps):
        now_s += chance.choice((0, 60, 1800, 3600, 3600, 7200, 30_000))
        at = clock.format_instant(clock.from_epoch(now_s))
        is_failing = chance.random() < (0.8 if is_failing else 0.2)
        rule, limit = chance.choice(("all", "all", "latest", "none")), chance.choice((1, 3, 24))
        office.sql_job("satis", scripts[not is_failing], window=f'catch_up = "{rule}"\nmax_per_run = {limit}')
        office.set_clock(at)
        _decide_something(office, chance, now_s)
        trigger = chance.choice(("schedule", "schedule", "manual", "boot"))
        asked = None
        if trigger == "manual" and chance.random() < 0.3:
            asked = clock.from_epoch(now_s // 3600 * 3600 - 3600 * chance.randrange(30))
        _compare(office, Wish("satis", trigger, asked), at)
    _audit(office)


def _decide_something(office: Office, chance: random.Random, now_s: int) -> None:
    settled = "SELECT key FROM birkez_window WHERE state IN ('done', 'passed', 'skipped')"
    rows = [] if office.standing("satis").is_new else office.ask(settled)
    start = clock.from_epoch(now_s // 3600 * 3600 - 3600 * chance.randrange(1, 12))
    choice = chance.random()
    try:
        if choice < 0.1 and rows:
            reopen(office.places, "satis", str(chance.choice(rows)[0]), "deneme")
        elif choice < 0.2:
            skip(office.places, "satis", start, "deneme")
        elif choice < 0.25:
            set_watermark(office.places, "satis", start, "deneme")
        elif choice < 0.3:
            resolve(office.places, "satis", f"satis:{start.isoformat()}", done=True, reason="deneme")
        elif choice < 0.35:
            pause(office.places, "satis", None)
        elif choice < 0.6:
            resume(office.places, "satis")
    except BirkezError:
        return  # refused, with nothing changed: tested elsewhere


def _compare(office: Office, wish: Wish, at: str) -> None:
    seen: Preview | BirkezError
    try:
        seen = preview(office.places, wish)
    except BirkezError as error:
        seen = error
    answer, ran = office.run_here("satis", at, wish.trigger, window=wish.window)
    if isinstance(seen, BirkezError):
        assert answer.reason in (seen.code, "duraklatildi")  # a paused job says what is wrong before it is resumed
        return
    if seen.paused:
        assert answer.reason == "duraklatildi"
        return
    decision = seen.decision
    told = [line.fields["anahtar"] for line in ran.lines if line.token in ("ISLENDI", "HATA")]
    promised = [key_of(offer, "satis") for offer in decision.take]
    assert told == promised[: len(told)]
    assert len(told) == len(promised) or answer.outcome == "failed"
    passed = [line.fields["pencere"] for line in ran.lines if line.fields.get("sebep") == "telafi politikasi"]
    assert passed == ["/".join(map(clock.format_instant, window)) for window in decision.passed]
    if decision.covered:
        assert (answer.reason, answer.key) == ("anahtar mevcut", decision.covered.key)
    if answer.outcome != "failed":
        assert answer.waiting == decision.waiting
        assert answer.next_at in (None, decision.next_at)


def _audit(office: Office) -> None:
    """Compare the books: each done row took effect once, and no two active windows overlap."""
    done = office.ask(
        "SELECT start_s, end_s FROM birkez_window WHERE state = 'done' OR (state = 'superseded' AND"
        " duration_ms IS NOT NULL) ORDER BY start_s, end_s"
    )
    written = office.ask("SELECT CAST(strftime('%s', saat) AS INTEGER) FROM ozet ORDER BY 1")
    assert [start for start, _ in done] == [start for (start,) in written]
    active = office.ask("SELECT start_s, end_s FROM birkez_window WHERE state <> 'superseded' ORDER BY start_s")
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(active))
    standing = office.standing("satis")
    at = clock.to_epoch(standing.origin)
    for start, end in active:
        if at < clock.to_epoch(standing.watermark) and end > at:
            assert start <= at, "nobody settled what lies between"
            at = end
    assert at >= clock.to_epoch(standing.watermark)
