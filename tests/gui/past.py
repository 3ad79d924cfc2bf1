"""The past of the sample office as a real history: a week of runs, a night with the computer off, and troubles.

The pictures of the design show this morning: times are those of `sample.NOW`, 12:47 in Istanbul.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tests.gui import sample
from trayapp.gui.state.snapshot import JobState, Snapshot, Survey
from trayapp.history.records import RunRecord, WindowRecord, put_line, put_run, put_windows
from trayapp.history.store import open_history
from trayapp.job.model import CommandEffect, Items, WindowRule
from trayapp.job.schedule import Daily, Every, Monthly, fires_between
from trayapp.places import Places
from trayapp.window.grid import Window, grid_of

NOW = sample.NOW
_OFF = datetime(2026, 9, 3, 16, 2, tzinfo=UTC)  # 19:02 in Istanbul
ON = datetime(2026, 9, 4, 5, 52, tzinfo=UTC)  # 08:52
_FIRST = datetime(2026, 8, 28, 0, 0, tzinfo=UTC)
_CAUGHT_UP = ON + timedelta(minutes=2)

_TIMING = {
    "gece-yedegi": ("1d", Daily((150,))),
    "e-fatura": ("30m", Every(30, 2)),
    "stok": ("15m", Every(15, 1)),
    "randevu": ("1d", Daily((540,))),
    "satis-ozet": ("1h", Every(60, 5)),
    "banka": ("30m", Every(30, 1)),
    "doviz": ("1h", Every(60, 10)),
    "kdv": ("1mo", Monthly((1,), (360,))),
    "puantaj": ("1d", Daily((1080,))),
}
_STOPS = {"stok": NOW.replace(hour=6, minute=20), "randevu": _OFF, "puantaj": _OFF - timedelta(days=1)}


def snapshot() -> Snapshot:
    """The sample's jobs, each with the step and the schedule that its name promises."""
    jobs = []
    for state in sample.snapshot().jobs:
        job = state.file.job
        assert job is not None
        if state.id == "ekstre":
            job = job._replace(rule=None, items=Items("liste.txt", "pdf", "{item}.pdf"), schedule=Monthly((4,), (750,)))
        else:
            step, schedule = _TIMING[state.id]
            rule = WindowRule(step, _FIRST, "Europe/Istanbul" if step[-1] in "do" else None, lateness_s=0)
            job = job._replace(rule=rule, schedule=schedule)
        if state.id in ("e-fatura", "gece-yedegi", "randevu"):
            job = job._replace(effect=CommandEffect(("python3", "gonder.py")))
        jobs.append(_with_survey(state._replace(file=state.file._replace(job=job))))
    return Snapshot(NOW, tuple(jobs), is_read=True)


def fill(places: Places) -> None:
    """Write the week into the history of *places*."""
    places.make_folders()
    history = open_history(places.history_db)
    office = snapshot()

    def write(connection: object) -> None:
        for state in office.jobs:
            for run, lines, windows in _runs_of(state):
                run_id = put_run(connection, run)  # type: ignore[arg-type]
                for at, token, text in lines:
                    put_line(connection, run_id, at, token, text)  # type: ignore[arg-type]
                if windows:
                    put_windows(connection, "defter", state.id, windows)  # type: ignore[arg-type]

    history.transact(write)
    history.close()
    _print_output(places)


Past = tuple[RunRecord, list[tuple[datetime, str, str]], list[WindowRecord]]


def _with_survey(state: JobState) -> JobState:
    survey = state.survey or Survey(NOW)
    ends = {
        "gece-yedegi": (datetime(2026, 9, 2, 21, tzinfo=UTC), 1),
        "e-fatura": (NOW.replace(hour=8, minute=30), 1),
        "stok": (NOW.replace(hour=6, minute=15), 14),
        "randevu": (datetime(2026, 9, 2, 21, tzinfo=UTC), 1),
        "satis-ozet": (NOW.replace(hour=9, minute=0), 0),
        "banka": (NOW.replace(hour=9, minute=30), 0),
        "doviz": (NOW.replace(hour=9, minute=0), 0),
        "kdv": (datetime(2026, 8, 31, 21, tzinfo=UTC), 0),
        "puantaj": (datetime(2026, 9, 1, 21, tzinfo=UTC), 2),
    }
    if state.id not in ends:
        return state
    done_up_to, waiting = ends[state.id]
    return state._replace(survey=survey._replace(done_up_to=done_up_to, waiting=waiting, at=NOW))


def _runs_of(state: JobState) -> Iterator[Past]:
    job = state.file.job
    assert job is not None
    if job.rule is None or job.schedule is None:
        started = NOW - timedelta(minutes=16, seconds=3)
        yield _run(state.id, started, "manual", "running", name="run"), [], []
        return
    grid = grid_of(job.rule.step, job.rule.timezone)
    stop = _STOPS.get(state.id, NOW)
    at = grid.line_at_or_before(_FIRST)
    fires = [fire for fire in fires_between(job.schedule, _FIRST, stop) if not _OFF <= fire < _CAUGHT_UP]
    starts = sorted([*((fire, "schedule") for fire in fires), *([(_CAUGHT_UP, "boot")] if stop > _CAUGHT_UP else [])])
    for fire, trigger in starts:
        windows = []
        while (line := grid.line_after(at)) <= fire:
            windows.append(Window(at, line))
            at = line
        past, is_stuck = _come_of(state.id, fire, trigger, windows)
        yield past
        if is_stuck:
            at = windows[0].start
    yield from _by_hand(state.id)


def _come_of(job: str, fire: datetime, trigger: str, windows: list[Window]) -> tuple[Past, bool]:
    """What one start of *job* leaves, and whether it got no further."""
    started = fire + timedelta(seconds=1 + len(job) % 7)
    if not windows:
        return _skipped(job, started, trigger, "kapanmis pencere yok"), False
    if job == "gece-yedegi" and windows[0].start >= datetime(2026, 9, 2, 21, tzinfo=UTC):
        attempt = 2 if trigger == "boot" else 1
        return _failed(job, started, trigger, windows[0], attempt), True
    if job == "e-fatura" and windows[0].start == NOW.replace(hour=8, minute=30):
        return _uncertain(job, started, trigger, windows[0]), False
    if job == "e-fatura" and windows[0].start > NOW.replace(hour=8, minute=30):
        return _skipped(job, started, trigger, "belirsiz", outcome="uncertain"), False
    if job == "doviz" and trigger == "boot":
        return _passed(job, started, trigger, windows), False
    return _done(job, started, trigger, windows), False


def _by_hand(job: str) -> Iterator[Past]:
    if job == "satis-ozet":
        yield _skipped(job, NOW.replace(hour=9, minute=7), "manual", "kapanmis pencere yok")
    if job == "gece-yedegi":
        night = Window(datetime(2026, 9, 2, 21, tzinfo=UTC), datetime(2026, 9, 3, 21, tzinfo=UTC))
        yield _failed(job, NOW.replace(hour=6, minute=40, second=18), "manual", night, 3)


def _run(job: str, started: datetime, trigger: str, outcome: str, **facts: object) -> RunRecord:
    name = str(facts.pop("name", f"{started:%Y%m%d-%H%M%S}-{job[:4]}{trigger[:1]}"))
    took = facts.pop("took", 0.2)
    ended = None if outcome == "running" else started + timedelta(seconds=float(str(took)))
    record = RunRecord(name, job, trigger, 4242, started, ended, outcome)
    return record._replace(**facts)


def _line(
    run: RunRecord, at: datetime, token: str, text: str, window: Window | None = None
) -> tuple[datetime, str, str]:
    period = f"pencere={window.start:%Y-%m-%dT%H:%M:%SZ}/{window.end:%Y-%m-%dT%H:%M:%SZ} " if window else ""
    trigger = {"manual": "elle", "schedule": "zamanli", "boot": "acilis"}[run.trigger]
    return at, token, f"{at:%Y-%m-%dT%H:%M:%S}.000Z {token} is={run.job} {period}{text} tetik={trigger} kosum={run.run}"


def _window(run: RunRecord, window: Window, state: str, at: datetime, **facts: object) -> WindowRecord:
    key = f"{run.job}:{window.start.isoformat()}"
    seq = int(at.timestamp()) * 100 + int(window.start.timestamp() // 900 % 100)
    record = WindowRecord(seq, key, window.start, window.end, state, 1, run.run, run.trigger, at)
    return record._replace(**facts)


def _done(job: str, started: datetime, trigger: str, windows: list[Window]) -> Past:
    run = _run(job, started, trigger, "done", took=0.2 * len(windows), windows=len(windows), exit_status=0)
    rows, lines = [], []
    for number, window in enumerate(windows):
        at = started + timedelta(milliseconds=12 * (number + 1))
        count = int(window.start.timestamp()) // 1800 * 7 % 23 + 1
        rows.append(_window(run, window, "done", at, new_count=count, duration_ms=12))
        lines.append(_line(run, at, "ISLENDI", f"kayit={count} tekrar=0 sure_ms=12", window))
    return run._replace(new_count=sum(row.new_count or 0 for row in rows)), lines, rows


def _skipped(job: str, started: datetime, trigger: str, reason: str, outcome: str = "skipped") -> Past:
    run = _run(job, started, trigger, outcome, took=0.06, reason=reason)
    return run, [_line(run, started, "ATLANDI", f'sebep="{reason}"')], []


def _failed(job: str, started: datetime, trigger: str, window: Window, attempt: int) -> Past:
    run = _run(job, started, trigger, "failed", took=251, reason="command-failed", exit_status=1, waiting=1)
    ended = started + timedelta(seconds=251)
    text = f'sebep=command-failed deneme={attempt} ileti="D: diskinde yer yok"'
    row = _window(run, window, "failed", ended, attempt=attempt, reason="command-failed")
    return run, [_line(run, ended, "HATA", text, window)], [row]


def _uncertain(job: str, started: datetime, trigger: str, window: Window) -> Past:
    run = _run(job, started, trigger, "uncertain", took=37, reason="command-signalled", exit_status=5, waiting=1)
    ended = started + timedelta(seconds=37)
    row = _window(run, window, "uncertain", ended, reason="command-signalled")
    text = 'sebep=command-signalled ileti="program yarıda kesildi"'
    return run, [_line(run, ended, "BELIRSIZ", text, window)], [row]


def _passed(job: str, started: datetime, trigger: str, windows: list[Window]) -> Past:
    run = _run(job, started, trigger, "done", windows=1, exit_status=0)
    span = Window(windows[0].start, windows[-2].end)
    rows = [_window(run, span, "passed", started, reason="telafi politikasi")]
    rows.append(_window(run, windows[-1], "done", started + timedelta(seconds=1), new_count=14, duration_ms=12))
    lines = [
        _line(run, started, "ATLANDI", 'sebep="telafi politikasi"', span),
        _line(run, started + timedelta(seconds=1), "ISLENDI", "kayit=14 tekrar=0 sure_ms=12", windows[-1]),
    ]
    return run, lines, rows


def _print_output(places: Places) -> None:
    started = NOW.replace(hour=9, minute=2, second=0) + timedelta(seconds=1 + len("e-fatura") % 7)
    path = places.output_file("e-fatura", f"{started:%Y%m%d-%H%M%S}-e-fas")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    sent = "".join(f"FTR2026000001{number}  gönderildi\n" for number in range(401, 440))
    text = f"--- e-fatura:2026-09-04T08:30:00+00:00\n42 fatura gönderilecek\n{sent}FTR2026000001440  gönderiliyor\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
