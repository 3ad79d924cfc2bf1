"""Windows' tasks made schedules, fired by Task Scheduler's own rules over two years and in many zones."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from tests.adoption.test_tasks import DAILY, document, entry_of
from tests.job.clock_reading import DAY, machine_in, stretches
from tests.trigger.task_scheduler import task_fires
from trayapp.job.schedule import fires_between

pytestmark = [pytest.mark.posix, pytest.mark.timeout(300)]

ZONES = (
    "Europe/Istanbul",
    "Europe/Berlin",
    "America/New_York",
    "America/Santiago",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Antarctica/Troll",
)
BEGUN = datetime(2023, 12, 1, tzinfo=UTC)
START, END = datetime(2027, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)
DAYS = "<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>"
TIME = "<TimeTrigger><StartBoundary>2024-01-01T{at}:00</StartBoundary>{more}</TimeTrigger>"
WEEKLY = (
    "<CalendarTrigger><StartBoundary>2024-01-01T{at}:00</StartBoundary><ScheduleByWeek><WeeksInterval>1</WeeksInterval>"
    "<DaysOfWeek><Sunday /><Monday /></DaysOfWeek></ScheduleByWeek></CalendarTrigger>"
)
MONTHLY = (
    "<CalendarTrigger><StartBoundary>2024-01-01T{at}:00</StartBoundary><ScheduleByMonth><DaysOfMonth><Day>1</Day>"
    "<Day>30</Day><Day>Last</Day></DaysOfMonth><Months>"
    + "".join(
        f"<{name} />"
        for name in (
            "January February March April May June July August September October November December".split()  # noqa: SIM905
        )
    )
    + "</Months></ScheduleByMonth></CalendarTrigger>"
)


def daily(at: str, more: str = "") -> str:
    return DAILY.format(at=at, more=more).replace("<ScheduleByDay />", DAYS)


def repeated(interval: str, duration: str = "") -> str:
    lasting = f"<Duration>{duration}</Duration>" if duration else ""
    return f"<Repetition><Interval>{interval}</Interval>{lasting}</Repetition>"


TRIGGERS = (
    daily("00:00"),
    daily("02:30"),
    daily("02:30") + daily("14:00") + daily("23:59"),
    daily("08:05", repeated("PT1H", "PT12H")),
    daily("09:00", repeated("PT15M", "PT8H")),
    daily("07:10", repeated("PT90M", "PT9H")),
    WEEKLY.format(at="02:30"),
    WEEKLY.format(at="02:30") + WEEKLY.format(at="18:00"),
    MONTHLY.format(at="01:00"),
    TIME.format(at="00:05", more=repeated("PT15M")),
    TIME.format(at="00:20", more=repeated("PT30M")),
    TIME.format(at="00:05", more=repeated("PT1H")),
)


@pytest.mark.parametrize("zone", ZONES)
def test_job_starts_when_the_task_did(zone):
    told: Counter[str] = Counter()
    with machine_in(zone):
        over = stretches(zone, BEGUN, END + 5 * DAY)
        for triggers in TRIGGERS:
            entry = entry_of(document(triggers))
            if entry.refusal is not None:
                assert entry.refusal.code == "adopt-task-times"
                told["refused"] += 1
                continue
            task = ('<?xml version="1.0" encoding="UTF-16"?>' + document(triggers)).encode("utf-16-le")
            fires = task_fires(b"\xff\xfe" + task, over, START, END)
            assert list(fires_between(entry.schedule, START, END)) == fires, triggers
            told["equal"] += 1
            told["fires"] += len(fires)
    print(zone, dict(told))
    assert told["equal"] >= len(TRIGGERS) - 2
