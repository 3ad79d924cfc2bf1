"""The form's words: the name of each field, and what is wrong with it, for someone who never saw a job file.

What is wrong, the job file's reader says, by its code. For the faults that a form meets
there are shorter sentences here; any other fault is told by the reader's own, without the
place in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp.wording.mark import N_
from trayapp.wording.speech import _, fill, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trayapp.errors import BirkezError

LABELS: Mapping[str, str] = {
    "title": N_("Name of the job"),
    "effect.database": N_("Database"),
    "effect.script": N_("SQL script"),
    "effect.time_format": N_("How the script gets times"),
    "effect.callable": N_("Python file and function"),
    "effect.argv": N_("Program and its arguments"),
    "effect.shell": N_("Command line"),
    "effect.cwd": N_("Folder it starts in"),
    "effect.nothing_done": N_("Exit codes for “nothing done”"),
    "effect.timeout": N_("At most"),
    "effect.url": N_("Address"),
    "effect.per_host": N_("At a time from one server"),
    "items.source": N_("List"),
    "items.column": N_("Column"),
    "items.target": N_("Files to make"),
    "items.workers": N_("Workers"),
    "items.attempts": N_("Attempts"),
    "schedule.every": N_("How often"),
    "schedule.offset": N_("Minutes past"),
    "schedule.days": N_("On these days"),
    "schedule.hours": N_("Between these hours"),
    "schedule.daily": N_("At"),
    "schedule.weekly": N_("On these days"),
    "schedule.monthly": N_("On these days of the month"),
    "schedule.cron": N_("Cron expression"),
    "window.step": N_("Length of a period"),
    "window.start": N_("First period"),
    "window.timezone": N_("Time zone"),
    "window.lateness": N_("Allowance for late records"),
    "window.max_per_run": N_("At most per run"),
    "window.catch_up": N_("Missed periods"),
}
_SHORT: Mapping[str, str] = {
    "job-text-empty": N_("This is needed."),
    "job-title-unusable": N_("A name fits on one line and has at most 200 letters."),
    "job-duration-malformed": N_("Write whole minutes, for example 5; or a length like 90s, 5m or 1h."),
    "job-value-type": N_("Write it like this: {allowed}"),
    "job-value-range": N_("{value} is out of range. Allowed: {allowed}."),
    "job-list-empty": N_("Choose at least one."),
    "job-time-malformed": N_("Write times of the day like 02:30, several with commas between."),
    "job-month-day": N_("Write days from 1 to 31, or “last” for the last day of the month."),
    "job-hours-malformed": N_("The end must lie after the beginning. A range over midnight needs a second job."),
    "job-schedule-never": N_("So the job would never start. Choose other times."),
    "job-cron-fields": N_(
        "A cron expression has five parts: minute, hour, day, month, weekday. For example: 5 * * * *"
    ),
    "job-cron-refused": N_("The part {part} is not understood, or names a day that never comes."),
    "job-callable-malformed": N_("Choose a Python file, and name a function in it."),
    "job-command-missing": N_("Say which program shall be started."),
    "job-timezone-unknown": N_(
        "There is no such time zone. They bear the name of a region and a city: Europe/Istanbul"
    ),
    "job-timezone-missing": N_("Days begin at midnight: say in which time zone."),
    "job-start-range": N_("Choose a day between 1970 and 2099."),
    "job-catch-up-without-schedule": N_("A job that is started by hand alone takes no period at its scheduled time."),
    "job-database-address": N_("A database file is needed, not an address."),
    "job-path-unusable": N_("This cannot be a path: it holds control characters."),
    "job-step-uneven": N_("{value} does not divide an hour or a day evenly."),
    "job-offset-seconds": N_("Write whole minutes."),
    "job-target-without-item": N_("The file's name needs {{item}}, where each entry's own name goes: {allowed}"),
    "job-target-folder": N_("{{item}} may stand in the file's name only, not in the folder."),
    "job-url-malformed": N_("An address begins with http:// or https:// and holds no blanks: {allowed}"),
}


def fault_words(error: BirkezError) -> str:
    """What is wrong, for the place under the field."""
    short = _SHORT.get(error.code)
    if short is not None:
        try:
            return fill(_(short), error.facts)
        except (LookupError, ValueError, TypeError):
            pass  # a fault of that code without the fact: the reader's own sentence tells it
    place = str(error.facts.get("place", ""))
    return sentence(error).removeprefix(f"{place}: ")
