"""Sentences about job files: what is wrong, where, and what may stand there."""

from __future__ import annotations

from trayapp.wording.mark import N_

_READING = {
    "job-file-missing": N_("There is no job file {file}. Check the name, and whether the drive is connected."),
    "job-file-is-folder": N_("{file} is a folder, where a job file is expected. Name the file inside it."),
    "job-file-not-regular": N_(
        "{file} is no ordinary file and cannot hold a job. Write the job into a text file that ends in .toml."
    ),
    "job-file-unreadable": N_(
        "The job file {file} cannot be read: {reason}. The job does not run until it can. "
        "Check who owns the file and whether you may read it."
    ),
    "job-file-unwritable": N_(
        "{path} cannot be saved: {reason}. Check whether you may write to the folder and whether the disk is full."
    ),
    "job-file-large": N_(
        "The job file {file} is larger than {allowed}, so it is hardly a job file and was not read. "
        "Check whether another file was saved under this name."
    ),
    "job-file-empty": N_(
        "The job file {file} is empty; saving it may have been cut off. The job does not run until the file is "
        "complete again. Put it back from a backup, or remove the job and add it anew."
    ),
    "job-file-not-utf8": N_(
        "{place}: the file is not saved as UTF-8 (it holds {value}), so its letters cannot be read for certain. "
        "Save it again with the encoding UTF-8."
    ),
    "job-file-not-toml": N_(
        "{place}: the job file breaks the rules of its format (TOML) here: {reason}. "
        "Correct the line; if the file ends too early, complete it. The job does not run until then."
    ),
    "job-file-backslash": N_(
        "{place}: a \\ between double quotes has a special meaning, which breaks the line: {reason}. "
        "Write paths between single quotes: 'C:\\Users\\office\\sales.db'."
    ),
    "job-file-name": N_(
        'The file {file} is no job yet: its name "{job}" may hold small letters a to z, digits and hyphens only, '
        'at most 63. Rename it, for example to "{proposal}.toml".'
    ),
    "job-folder-unreadable": N_(
        "The folder of the jobs, {path}, cannot be read: {reason}. Nothing was changed, neither jobs nor schedules. "
        "Check who owns the folder and whether the drive is connected."
    ),
}

_KEYS = {
    "job-table-missing": N_(
        "{place}: the section {allowed} is missing. A job needs [effect] and either [window] or [items]; "
        "if the end of the file was lost, complete it."
    ),
    "job-key-missing": N_("{place}: {key} is missing. Write it, for example: {allowed}"),
    "job-key-unknown": N_("{place}: {key} means nothing here. Known are: {allowed}. Correct or delete it."),
    "job-key-misspelt": N_(
        "{place}: {key} means nothing here. Did you mean {suggestion}? Known in this section are: {allowed}."
    ),
    "job-key-of-other-kind": N_(
        '{place}: {key} does not belong to a job of kind "{kind}". It knows: {allowed}. Delete it, or change the kind.'
    ),
    "job-value-type": N_("{place}: {key} = {value} is not of the kind that is needed. Write it like this: {allowed}"),
    "job-value-choice": N_("{place}: {key} = {value} is not offered. Choose from: {allowed}."),
    "job-value-range": N_("{place}: {key} = {value} is out of range. Allowed: {allowed}."),
    "job-text-empty": N_("{place}: {key} is empty. Write something there, for example: {allowed}"),
    "job-text-nul": N_("{place}: {key} holds a NUL character, which no system accepts. Delete it."),
    "job-list-empty": N_("{place}: the list {key} is empty. Name at least one, for example: {allowed}"),
    "job-title-unusable": N_(
        "{place}: the title must fit on one line, without control characters, with {allowed} letters. Shorten it."
    ),
    "job-duration-malformed": N_(
        "{place}: {key} = {value} is no length of time. Write a whole number and s, m or h, as in {allowed}."
    ),
    "job-folder-not-utf8": N_(
        "{place}: the name of the folder {folder} holds letters that are not UTF-8, so no path that starts there can "
        "be written down. Rename the folder, or write {asked} as a whole path that starts elsewhere."
    ),
    "job-path-unusable": N_(
        "{place}: {key} = {value} cannot be a path: it holds control characters. "
        "In a path with \\ put it between single quotes: 'C:\\jobs\\new.sql'."
    ),
}

_SCHEDULE = {
    "job-schedule-empty": N_(
        "{place}: the section [schedule] does not say when the job starts. Write one of: {allowed}. "
        "For a job that is only started by hand, delete the section."
    ),
    "job-schedule-several": N_(
        "{place}: a job has one schedule, but here are several: {given}. Keep one of them; "
        "for a second schedule add a second job."
    ),
    "job-schedule-limit": N_(
        '{place}: {key} only goes with "{allowed}", not with "{given}". Delete it, or put the days and times '
        'into "{given}" itself.'
    ),
    "job-schedule-never": N_("{place}: with {key} = {value} the job would never start. Choose other times."),
    "job-step-uneven": N_(
        "{place}: {key} = {value} does not divide an hour or a day evenly: it would fall at other minutes each hour, "
        "and no system's scheduler starts jobs like that. Choose from: {allowed}."
    ),
    "job-step-seconds": N_(
        "{place}: {key} = {value} is not made of whole minutes, and no scheduler starts by the second. "
        "Choose from: {allowed}."
    ),
    "job-step-long": N_(
        "{place}: {key} = {value} is a day or more, and days are not all equally long: clocks change. "
        "Choose from: {allowed}. For a schedule use daily, weekly or monthly."
    ),
    "job-offset-seconds": N_("{place}: {key} = {value} is not made of whole minutes. Write for example {allowed}."),
    "job-hours-malformed": N_(
        "{place}: {key} = {value} is no range of hours. Write the first hour and the hour at which it ends, "
        "as in {allowed}; a range over midnight needs a second job."
    ),
    "job-time-malformed": N_("{place}: {key} = {value} has something that is no time of day. Allowed: {allowed}."),
    "job-month-day": N_(
        "{place}: {key} = {value} has something that is no day of a month. Allowed: {allowed}. "
        'The last day is "last", whichever it is.'
    ),
    "job-cron-fields": N_(
        "{place}: {key} = {value} must have five parts: minute, hour, day, month, weekday. For example {allowed}."
    ),
    "job-cron-refused": N_(
        "{place}: in {key} = {value} the part {part} is not understood, or names a day that never comes. "
        "Correct it, or use every, daily, weekly or monthly instead."
    ),
}

_WINDOW = {
    "job-timezone-missing": N_(
        "{place}: with {key} = {value} a period is a day or longer and begins at midnight, but the file does not say "
        "in which time zone. Add for example: timezone = {allowed}"
    ),
    "job-timezone-unneeded": N_(
        '{place}: {key} = {value} has no effect on periods of "{step}", which are the same everywhere. '
        "Delete it; only the steps {allowed} need a time zone."
    ),
    "job-timezone-unknown": N_(
        "{place}: there is no time zone {value}. Time zones bear the name of a region and a city, for example "
        "{allowed}; capital letters count."
    ),
    "job-zone-data-missing": N_(
        "{place}: the time zone {value} cannot be checked, because this computer has no time zone data. "
        "Install Birkez again, or add the Python package 'tzdata' to it."
    ),
    "job-start-missing": N_(
        "{place}: {key} is missing: from when on the job has data to process. "
        "'birkez job add' fills it in; by hand, add for example: start = {allowed}"
    ),
    "job-start-without-zone": N_(
        "{place}: {key} = {value} does not say of which time zone it is, so the first period could begin hours too "
        "early or too late. Write the time in UTC with a Z, for example {allowed}"
    ),
    "job-start-range": N_("{place}: {key} = {value} cannot be the beginning. Write a whole second between {allowed}."),
    "job-catch-up-without-schedule": N_(
        "{place}: {key} = {value} takes only periods at their scheduled time, but the job has no [schedule], "
        "so it would never do anything. Add a schedule, or choose {allowed}."
    ),
}

_EFFECT = {
    "job-callable-malformed": N_(
        "{place}: {key} = {value} does not name a file and a function in it. Write it like this: {allowed}"
    ),
    "job-command-twice": N_(
        "{place}: the job has both argv and shell, and it would not be clear which to start. Keep one of them."
    ),
    "job-command-missing": N_("{place}: the job does not say which program to start. Add one of: {allowed}"),
    "job-env-name": N_(
        '{place}: "{name}" cannot be the name of an environment variable of the job: names are not empty, hold no =, '
        "and those that begin with BIRKEZ_ are set by Birkez. Choose another name, as in {allowed}."
    ),
    "job-encoding-unknown": N_(
        "{place}: {key} = {value} is no text encoding that is known here. Common ones are {allowed}."
    ),
    "job-source-name": N_(
        '{place}: "{name}" cannot be the name of a source: it becomes a table for the script. Use letters a to z, '
        "digits and _, not beginning with a digit, birkez_ or sqlite_, and no name twice."
    ),
    "job-database-address": N_(
        "{place}: {key} = {value} is an address, but the job needs a database file that stays, since the record of "
        "what was done is kept in it. Write a path, for example {allowed}."
    ),
    "job-postgresql-later": N_(
        "{place}: {key} = {value}: this version of Birkez cannot work with PostgreSQL yet. "
        "Use a SQLite file, for example {allowed}, or wait for a later version."
    ),
    "job-download-without-items": N_(
        "{place}: {key} = {value} needs a list of what to download. Add a section {allowed} instead of [window]."
    ),
    "job-ledger-unneeded": N_(
        "{place}: the section [{key}] is only for jobs that start a program. "
        "A job of this kind keeps its record in its own database. Delete the section [ledger]."
    ),
}

_ITEMS = {
    "job-items-and-window": N_(
        "{place}: a job works either through periods, [window], or through a list, [items]. Delete one of the two "
        "sections; for both kinds of work make two jobs."
    ),
    "job-target-without-item": N_(
        "{place}: {key} = {value} would be one file for all, since {{item}} is missing in its name. "
        "Write it like this: {allowed}"
    ),
    "job-target-folder": N_(
        "{place}: in {key} = {value} the name of a folder changes from item to item. All targets of a job lie in one "
        "folder; put {{item}} behind the last slash, as in {allowed}."
    ),
    "job-sql-with-items": N_(
        "{place}: {key} = {value} makes no files, but a job with [items] does. Choose from: {allowed}. "
        "For a script in a database use [window]."
    ),
    "job-url-malformed": N_(
        "{place}: {key} = {value} is no address that can be downloaded. Write it without blanks, like this: {allowed}"
    ),
    "job-json-with-get": N_(
        "{place}: {key} is sent along with the request, which the method GET does not do. "
        "Write {allowed}, or delete it."
    ),
    "job-json-date": N_(
        "{place}: {key} = {value} holds a date without quotes, and JSON knows none. Write it as text, like {allowed}."
    ),
    "job-header-name": N_(
        '{place}: "{name}" cannot be the name of a header of the job: it is no such name, or Birkez writes it itself. '
        "Write {key} like this: {allowed}"
    ),
    "job-header-value": N_(
        '{place}: the header "{name}" needs a text on one line as its value. Write {key} like this: {allowed}'
    ),
    "job-without-periods": N_(
        "The job {job} works through a list and has no periods, so there is nothing to choose or decide by a time. "
        "What is done and what failed: birkez items {job}"
    ),
}

_SHELF = {
    "no-such-job": N_(
        "There is no job '{job}', so nothing was done. 'birkez job list' shows the jobs. Where it was removed and "
        "a schedule of your own still starts it, take it out there."
    ),
    "job-id-malformed": N_(
        "'{job}' cannot be the short name of a job: it may hold small letters a to z, digits and hyphens only, "
        "at most 63, and no name that Windows keeps for devices. A free one is '{proposal}'."
    ),
    "job-id-taken": N_(
        "There is already a job '{job}', and a job's short name stays its own for ever. Nothing was written over it. "
        "A free one is '{proposal}'."
    ),
    "job-export-format": N_(
        "Cannot export {count} jobs to {path}: one job goes into a file that ends in .toml, several into one that "
        "ends in .zip. Choose another name."
    ),
    "job-export-exists": N_(
        "The file {path} exists already and was not written over. Choose another name, or delete the file first."
    ),
    "job-import-folder": N_(
        "{word} does not say which folder lies where now. Write the old folder, =, and the new one: "
        "--folder /home/ali/jobs=/srv/jobs"
    ),
    "job-import-foreign-path": N_(
        "The job {job} comes from a computer of another kind: {path} is no path here. It was not added. Copy its "
        "files, and say where they lie now: --folder OLD=NEW, with the folder that {path} begins with as OLD."
    ),
    "job-import-json": N_(
        "Only a look can be answered as JSON, and nothing was imported. Add --check, or leave --json out."
    ),
    "job-import-newer": N_(
        "The file {path} was made by a newer Birkez (format {found}, this one knows {known}). Nothing was imported. "
        "Update Birkez, then import it."
    ),
    "job-source-missing": N_(
        "The database {path} of the source {name} is not there. Copy it, connect the drive that it lies on, or "
        "correct database under sources in the job."
    ),
    "job-command-path-missing": N_(
        "The command names {path}, which is not there. If it reads that file, copy it or correct the path in the "
        "job; if it makes it, all is well."
    ),
    "job-secrets-missing": N_(
        "Passwords and the like of the job {job} stayed on the other computer, so it is disabled. Enter them in its "
        "file where *** stands ({keys}), then: birkez job enable {job}"
    ),
    "job-import-unreadable": N_(
        "The file {path} cannot be opened as a collection of jobs: {reason}. Nothing was imported. "
        "Export the jobs once more and copy the file again."
    ),
    "job-import-empty": N_(
        "The file {path} holds no jobs: nothing in it ends in .toml. Nothing was imported. "
        "Choose a file that 'birkez job export' made."
    ),
}

SENTENCES = {**_READING, **_KEYS, **_SCHEDULE, **_WINDOW, **_EFFECT, **_ITEMS, **_SHELF}
