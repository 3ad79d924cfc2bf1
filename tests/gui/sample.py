"""A small office as a Snapshot: one job in each state, as the pictures of the design have it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from trayapp.gui.state.log_feed import LogEntry
from trayapp.gui.state.snapshot import JobFile, JobState, Kind, Snapshot, Survey, TriggerHealth, Unsettled
from trayapp.history.records import RunRecord
from trayapp.job.model import Job, SqlEffect, WindowRule
from trayapp.job.pause import Pause
from trayapp.job.schedule import Every
from trayapp.lock.holder import Holder, LockState
from trayapp.log.job_log import parse_line

NOW = datetime(2026, 9, 4, 9, 47, tzinfo=UTC)  # 12:47 in Istanbul
_IDLE = LockState("idle")

_TITLES = {
    "gece-yedegi": "Gece yedeği",
    "e-fatura": "E-fatura gönderimi",
    "stok": "Stok eşitleme",
    "randevu": "Randevu hatırlatma SMS",
    "ekstre": "Cari ekstre PDF indirme",
    "satis-ozet": "Saatlik satış özeti",
    "banka": "Banka hareketleri aktarımı",
    "doviz": "Döviz kuru güncelleme",
    "kdv": "Aylık KDV raporu",
    "puantaj": "Personel puantaj aktarımı",
}


def snapshot() -> Snapshot:
    return Snapshot(NOW, tuple(_jobs()), is_read=True, is_surveyed=True)


def many(count: int) -> Snapshot:
    """So many jobs, in turn in each state."""
    ten = tuple(_jobs())
    jobs = []
    for number in range(count):
        job = ten[number % len(ten)]
        file = job.file._replace(id=f"{job.id}-{number}", job=job.file.job and job.file.job._replace(title=job.title))
        jobs.append(job._replace(file=file))
    return Snapshot(NOW, tuple(jobs), is_read=True)


def entries() -> list[LogEntry]:
    lines = (
        ("satis-ozet", '09:07:00.456Z ATLANDI is=satis-ozet sebep="kapanmis pencere yok" tetik=elle kosum=a'),
        ("doviz", "09:10:02.123Z ISLENDI is=doviz pencere=2026-09-04T08:00:00Z/2026-09-04T09:00:00Z kosum=b kayit=14"),
        ("banka", "09:31:11.900Z ISLENDI is=banka pencere=2026-09-04T08:30:00Z/2026-09-04T09:00:00Z kosum=c kayit=3"),
        ("banka", "09:31:12.100Z ISLENDI is=banka pencere=2026-09-04T09:00:00Z/2026-09-04T09:30:00Z kosum=c kayit=8"),
        ("e-fatura", "09:32:04.000Z ATLANDI is=e-fatura sebep=belirsiz tetik=zamanli kosum=d"),
        ("gece-yedegi", '09:40:18.000Z HATA is=gece-yedegi sebep=disk kosum=e ileti="D: diskinde yer yok"'),
        ("e-fatura", "09:41:00.000Z BELIRSIZ is=e-fatura pencere=2026-09-04T08:30:00Z/2026-09-04T09:00:00Z kosum=f"),
    )
    found = []
    for job, text in lines:
        raw = "2026-09-04T" + text
        line = parse_line(raw)
        assert line is not None
        found.append(LogEntry(job, line, raw))
    return found


def job(
    job_id: str,
    kind: Kind,
    *,
    outcome: str = "done",
    minutes: float = 40,
    next_minutes: float | None = 18,
    **facts: object,
) -> JobState:
    """Job of the sample; times are minutes before and after NOW."""
    windows = int(facts.pop("windows", 1))  # type: ignore[call-overload]
    made = Job(
        job_id,
        _TITLES.get(job_id, job_id),
        f"/jobs/{job_id}.toml",
        WindowRule("1h", NOW - timedelta(days=1)),
        SqlEffect("/data/satis.db", "/data/ozet.sql"),
        Every(60, 5),
    )
    started = NOW - timedelta(minutes=minutes)
    last = RunRecord(f"run-{job_id}", job_id, "schedule", 99, started, started, outcome, windows=windows)
    state = JobState(JobFile(job_id, made, None, NOW - timedelta(days=9)), kind, _IDLE, last=last)
    next_at = None if next_minutes is None else NOW + timedelta(minutes=next_minutes)
    return state._replace(next_at=next_at, **facts)


def _jobs() -> list[JobState]:
    uncertain = Unsettled(
        "e-fatura:2026-09-04T08:30:00+00:00",
        NOW.replace(hour=8, minute=30),
        NOW.replace(hour=9, minute=0),
        "uncertain",
        1,
        "durdu",
    )
    holder = Holder(4242, "1", "boot", "run", "manual", NOW - timedelta(minutes=16, seconds=3))
    entry = TriggerHealth("missing", "", "crontab", ("schedule", "check", "stok", "--repair"))
    missing = Survey(waiting=14, trigger=entry)
    return [
        job("gece-yedegi", "failed", outcome="failed", next_minutes=823, streak=3, failure="D: diskinde yer yok"),
        job("e-fatura", "uncertain", outcome="uncertain", survey=Survey(waiting=1, unsettled=(uncertain,))),
        job("stok", "trigger", next_minutes=None, survey=missing),
        job("randevu", "late", next_minutes=1213, late_since=NOW.replace(hour=6, minute=0)),
        job("ekstre", "running", lock=LockState("held", holder), next_minutes=43_000),
        job("satis-ozet", "well", minutes=42),
        job("banka", "well", minutes=16, windows=2, next_minutes=14),
        job("doviz", "well", minutes=37, next_minutes=23),
        job("kdv", "well", minutes=5000, next_minutes=38_000),
        job("puantaj", "paused", pause=Pause(NOW.replace(hour=5, minute=0) + timedelta(days=3)), next_minutes=None),
    ]
