"""A schedule in words, as an office would say it: `hafta içi 08.30'da`, `on weekdays at 08:30`.

The words tell all that a schedule says, or name it as what it is: a cron expression that
is no plain timetable stays an expression. Turkish endings follow the spoken number.
"""

from __future__ import annotations

from itertools import pairwise

from trayapp.job.cron_fields import timetable_of
from trayapp.job.schedule import LAST_DAY, Cron, Daily, Every, Monthly, Weekly, wall_times
from trayapp.wording.language import _, spoken_language
from trayapp.wording.mark import N_
from trayapp.wording.numbers import turkish_suffix
from trayapp.wording.speech import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trayapp.job.schedule import Schedule
    from trayapp.wording.numbers import Case

_HOUR = 60  # minutes
_WHOLE_WEEK = tuple(range(7))
_WORKDAYS, _WEEKEND = (0, 1, 2, 3, 4), (5, 6)
_ALL_BUT_ONE = 6  # days
_MOST_TIMES = 6  # of a day: more are not named one by one where they lie evenly
# Translators: names inside a sentence
_DAYS = (
    N_("Monday"),
    N_("Tuesday"),
    N_("Wednesday"),
    N_("Thursday"),
    N_("Friday"),
    N_("Saturday"),
    N_("Sunday"),
)
# Translators: they become the {days} of "on {days}"
_DAYS_EACH_WEEK = (
    N_("Mondays"),
    N_("Tuesdays"),
    N_("Wednesdays"),
    N_("Thursdays"),
    N_("Fridays"),
    N_("Saturdays"),
    N_("Sundays"),
)


def schedule_words(schedule: Schedule) -> str:
    """Say *schedule* in the spoken language, as part of a sentence: it begins with a small letter."""
    if isinstance(schedule, Cron):
        timetable = timetable_of(schedule.expression)
        if timetable is None:
            return say("cron expression “{expression}”", expression=schedule.expression)
        return schedule_words(timetable)
    if isinstance(schedule, Every):
        return _every_words(schedule)
    if isinstance(schedule, Monthly):
        return _at_times(_month_days_words(schedule.days), schedule.at, N_("{days}, at {times}"))
    days = _week_days_words(schedule.days) if isinstance(schedule, Weekly) else ""
    return _at_times(days or _("every day"), schedule.at, N_("{days} at {times}"))


# ------------------------------------------------------------------------ every


def _every_words(schedule: Every) -> str:
    times = wall_times(schedule)
    days = () if len(schedule.days) == len(_WHOLE_WEEK) else schedule.days
    if len(times) == 1:
        return schedule_words(Weekly(days, times) if days else Daily(times))
    words = _interval_words(schedule)
    if days:
        # Translators: Turkish puts the days first: "hafta içi her 15 dakikada bir"
        words = say("{interval}, {days}", interval=words, days=_several_days_words(days))
    if schedule.minutes > _HOUR:
        return _with_bounds(words, schedule, times)
    if schedule.hours not in (None, (0, 24)):
        first, end = schedule.hours or (0, 24)
        return say(
            "{interval}, between {first} and {end}", interval=words, first=_time(first * _HOUR), end=_time(end * _HOUR)
        )
    return words


def _interval_words(schedule: Every) -> str:
    minutes, offset = schedule.minutes, schedule.offset_minutes
    if minutes > _HOUR:
        return say("every {number} hours", number=minutes // _HOUR)
    if minutes == _HOUR:
        return say("every hour at {minute} past", minute=offset) if offset else _("every hour on the hour")
    if minutes == 1:
        return _("every minute")
    words = say("every {number} minutes", number=minutes)
    # Translators: a minute of the hour: "ilki saat başını 5 geçe"
    return say("{interval}, the first at {minute} past the hour", interval=words, minute=offset) if offset else words


def _with_bounds(words: str, schedule: Every, times: tuple[int, ...]) -> str:
    """Say also when it begins: of hours it could be any."""
    if schedule.hours not in (None, (0, 24)):
        # Translators: the times come with their Turkish endings: "09.00'dan 15.00'e kadar"
        text = N_("{interval}, from {first} to {last}")
        return say(text, interval=words, first=_time(times[0], "ablative"), last=_time(times[-1], "dative"))
    if not times[0]:
        return words
    # Translators: the time comes with its Turkish ending: "ilki 00.05'te"
    return say("{interval}, the first at {time}", interval=words, time=_time(times[0], "locative"))


# ------------------------------------------------------------------ days and times


def _week_days_words(days: tuple[int, ...]) -> str:
    """Say on which days of the week, as a time of the day follows; nothing for all of them."""
    if days == _WHOLE_WEEK:
        return ""
    return say("every {day}", day=_(_DAYS[days[0]])) if len(days) == 1 else _several_days_words(days)


def _several_days_words(days: tuple[int, ...]) -> str:
    if days == _WORKDAYS:
        return _("on weekdays")
    if days == _WEEKEND:
        return _("at weekends")
    if len(days) == _ALL_BUT_ONE:
        (left_out,) = set(_WHOLE_WEEK) - set(days)
        return say("every day but {day}", day=_(_DAYS[left_out]))
    # Translators: Turkish says "günleri" once, behind them all
    return say("on {days}", days=_joined([_(_DAYS_EACH_WEEK[day]) for day in days]))


def _month_days_words(days: tuple[int, ...]) -> str:
    # Translators: days come as "1'i", "15'i", "son günü": "her ayın 1'i, 15'i ve son günü"
    return say("on the {days} of each month", days=_joined([_month_day(day) for day in days]))


def _month_day(day: int) -> str:
    if day == LAST_DAY:
        return _("last day")
    return f"{day}{turkish_suffix(day, 'possessive') if spoken_language() == 'tr' else _english_ordinal(day)}"


def _english_ordinal(day: int) -> str:
    is_teen = day // 10 == 1
    return "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _at_times(days: str, at: tuple[int, ...], text: str) -> str:
    if len(at) > _MOST_TIMES and len({later - earlier for earlier, later in pairwise(at)}) == 1:
        # Translators: the times come with their Turkish endings: "06.00'dan 17.00'ye kadar"
        text = N_("{days} {count} times, from {first} to {last}")
        first, last = _time(at[0], "ablative"), _time(at[-1], "dative")
        return say(text, days=days, count=len(at), first=first, last=last)
    return say(text, days=days, times=_joined([*map(_time, at[:-1]), _time(at[-1], "locative")]))


def _joined(parts: Sequence[str]) -> str:
    *others, last = parts
    return say("{others} and {last}", others=", ".join(others), last=last) if others else last


def _time(minute: int, case: Case = "") -> str:
    """Write a minute of the day: `08:30`, in Turkish `08.30` with the ending that *case* asks for."""
    hour, rest = divmod(minute, _HOUR)
    if spoken_language() != "tr":
        return f"{hour:02}:{rest:02}"
    return f"{hour:02}.{rest:02}{turkish_suffix(rest or hour, case)}"
