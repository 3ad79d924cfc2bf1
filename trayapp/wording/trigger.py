"""Sentences about schedulers of the operating system, whichever it is."""

from __future__ import annotations

from trayapp.wording.mark import N_, NN_

SENTENCES = {
    "log-on-crontab": N_(
        "cron starts jobs whether or not somebody is logged on, and has no other way. Leave --while out."
    ),
    "log-on-launchd": N_(
        "launchd starts a user's jobs only while that user is logged on at the screen; a locked screen counts. Leave"
        " --while out, and let that account stay logged on."
    ),
    "scheduler-none": N_(
        "BIRKEZ_SCHEDULER is none, so Birkez asks no scheduler of this computer. Leave the variable out to use the"
        " one that it has."
    ),
    "scheduler-unknown": N_(
        "BIRKEZ_SCHEDULER names a scheduler that Birkez does not know: {value}. It may be one of {allowed};"
        " leave it out for the one of this computer."
    ),
    "schedule-not-sayable": N_(
        "{scheduler} cannot say {schedule}: {reason} Nothing was registered."
        " What it can say and lies nearest: {nearest}. Write that below [schedule] in the job file, if it will do."
    ),
    "trigger-busy": N_(
        "Another Birkez has been writing to the scheduler for half a minute, so nothing was changed."
        " Try again; if it stays so, see which program keeps {path} open."
    ),
    "trigger-job-disabled": N_(
        "The job '{job}' is disabled, so no scheduler shall start it. To let it: birkez job enable {job}"
    ),
    "trigger-jobs-missing": N_(
        "The folder of the jobs, {path}, is not there, so nothing was taken out of the scheduler."
        " Connect the drive that it lies on; if the jobs are gone for good, make the folder and try again."
    ),
    "trigger-journal-unreadable": N_(
        "The record of what was written to the scheduler, {path}, cannot be read: {reason}."
        " Nothing was changed. Check who owns the file."
    ),
    "trigger-journal-unwritable": N_(
        "The record of what is written to the scheduler, {path}, cannot be written: {reason}."
        " Without it nothing could be undone. Free some space or mend the rights of the folder, then look with"
        " birkez schedule check."
    ),
    "trigger-no-schedule": N_(
        "The job '{job}' has no schedule, so no scheduler can start it. Add [schedule] to its job file:"
        " birkez help job-file"
    ),
    "trigger-nothing-to-undo": N_("Birkez has written nothing to the scheduler yet, so there is nothing to undo."),
    "trigger-undo-elsewhere": N_(
        "The last write went to {scheduler}, and this computer's scheduler is {here}. Nothing was undone."
    ),
    "trigger-undo-unknown": N_(
        "The last write, begun {at}, was cut off before it could be recorded, so what it changed is not known and"
        " nothing was undone. 'birkez schedule check' shows what stands there, with --repair it mends it."
    ),
    "trigger-undone-already": N_(
        "The last write has been undone already ({at}), and only the last one can be. Nothing was changed."
    ),
    "trigger-boot-broken": N_(
        "The entry by which {scheduler} starts all jobs after the computer was off is missing or changed."
        " Missed periods are then done with each job's next start."
    ),
    "trigger-boot-unwanted": N_(
        "{scheduler} still starts all jobs after the computer was off, though none of them is to be started by it."
    ),
    "trigger-disabled": N_("{job}: its entry in {scheduler} is switched off, so nothing starts it by schedule."),
    "trigger-edited": N_(
        "{job}: its entry in {scheduler} was changed outside of Birkez and does not start it as its job file says."
    ),
    "trigger-missing": N_("{job}: {scheduler} has no entry for it, so nothing starts it by schedule."),
    "trigger-moved": N_("{job}: its entry in {scheduler} starts {program}, and Birkez is installed elsewhere now."),
    "trigger-orphan": N_(
        "{scheduler} still starts a job '{job}' that is not there any more. Nothing is done by it but a line in the"
        " common log."
    ),
    "trigger-twice": N_(
        "{job}: the task {name}, whose work it does, was switched on again, so both do the work. Switch the task off in"
        " Windows' Task Scheduler, or give the job's work back to it: birkez release {job}"
    ),
    "trigger-twice-line": N_(
        "{job}: the line whose work it does stands in the crontab again, so both do the work: {name}. Take that line"
        " out with crontab -e, or give the job's work back to it: birkez release {job}"
    ),
    "trigger-unwanted": N_("{job}: it is disabled or has no schedule, and {scheduler} starts it all the same."),
    "trigger-well": NN_(
        "{scheduler}: {count:number} job has its entry.", "{scheduler}: {count:number} jobs have their entries."
    ),
}
