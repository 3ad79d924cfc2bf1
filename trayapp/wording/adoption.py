"""Sentences about entries of the scheduler that are adopted, or left where they are."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "adopt-backslashes": N_(
        "Its command holds two backslashes in a row, of which some crons make one and others do not. Put the command"
        " into a script and let the line start that."
    ),
    "adopt-bounded": N_(
        "Its start, or its end, is set for a date that has not come. Adopt it when it has begun and has no end."
    ),
    "adopt-boot": N_(
        "It starts with the computer and at no time of the clock, so it has no periods that could be done once."
        " Leave it as it is."
    ),
    "adopt-carriage-return": N_(
        "Its command ends with a line end of Windows, which cron hands on as part of it. Remove that with crontab -e."
    ),
    "adopt-changed": N_(
        "The entry “{entry}” does not stand in the scheduler any more as it was, so nothing was changed."
        " See what stands there: birkez adopt --list"
    ),
    "adopt-cron-tz": N_(
        "The table sets CRON_TZ to {zone}, so this cron may read its times by another clock than Birkez would."
        " Write the times of this computer's clock and take CRON_TZ out, if that will do."
    ),
    "adopt-conditions": N_(
        "It starts when Windows finds the moment right (idle, maintenance), and at no time of the clock."
    ),
    "adopt-disabled": N_("It is switched off. Switch it on in Windows' Task Scheduler and adopt it then."),
    "adopt-desktop": N_(
        "It needs somebody's desktop: while nobody is logged on there, it fails, and as a job that is told."
    ),
    "adopt-elsewhere": N_(
        "The job '{job}' was adopted from {scheduler}, and this computer's scheduler is {here}. Nothing was changed."
    ),
    "adopt-entry-changed": N_(
        "The entry {entry} was changed since it was listed, so nothing was done. In its place there is {near} now:"
        " {text}"
    ),
    "adopt-event": N_("It starts upon an event and at no time of the clock. Leave it as it is."),
    "adopt-fixed-clock": N_(
        "Its times are fixed in universal time (“Synchronize across time zones”), and a job's are those of this"
        " computer's clock. Take that mark off in Windows' Task Scheduler, if that will do."
    ),
    "adopt-framework": N_(
        "It is a framework's own tick: it starts what is due by the minute, and keeps doubles apart itself."
        " Leave it as it is; what it starts can be made jobs one by one."
    ),
    "adopt-home": N_("Above it the table sets HOME to “{value}”, which is no whole path. Write the whole one."),
    "adopt-id-known": N_(
        "A job named '{job}' has worked here before, and its records stand. Choose another name with --id, such as"
        " {proposal}; or leave --id out."
    ),
    "adopt-id-several": N_(
        "--id and --title name one job, and several entries were given. Adopt them one by one, or leave both out."
    ),
    "adopt-invalid-line": N_("“{part}” is none that cron starts, or not as it is written. Mend it with crontab -e."),
    "adopt-letters": N_(
        "The letters of its command may be others than shown: Windows prints those that this console lacks as others."
        " Compare the job's command with the task's, and mend it in the job file where they differ."
    ),
    "adopt-background": N_(
        "Its command goes on in the background (it ends in “&”), so a job would count as done while it is still at"
        " work, and the next copy would start beside it. Take the “&” out of the line and adopt it then."
    ),
    "adopt-locked": N_(
        "It keeps a second copy away itself (flock or the like). Leave it as it is, or take that out of the line"
        " and adopt it then: Birkez does the same, and more."
    ),
    "adopt-log-on": N_("It starts when somebody logs on and at no time of the clock. Leave it as it is."),
    "adopt-logged-on-only": N_(
        "It has been started while nobody is logged on, too; the job's own task is not, unless you then give, as"
        " administrator: birkez schedule install JOB --while always"
    ),
    "adopt-maintenance": N_("It is the system's own maintenance, and stays where the system looks for it."),
    "adopt-own": N_("It starts a job of Birkez already. Give that job a schedule, and remove this line then."),
    "adopt-needs-admin": N_(
        "It runs with the highest privileges, which no job gets. Leave it as it is, or take that mark off if its"
        " command does without."
    ),
    "adopt-name-reused": N_(
        "The job that did the work of “{entry}” was removed, and another job is called {job} now, so nothing was done:"
        " giving the entry back would have taken that job away. Export it, remove it, release the entry, and add the"
        " job again under another name."
    ),
    "adopt-network": N_(
        "It has been started only while there was a network. The job starts without one, too; what fails then is done"
        " at a later start, if its command says by its exit status that it failed."
    ),
    "adopt-never": N_("No day has the times {times}, so cron never starts it. Mend them with crontab -e."),
    "adopt-no-entry": N_("There is no entry {entry} that could be adopted. All of them: birkez adopt --list"),
    "adopt-no-keeper": N_("Entries of {scheduler} are programs' own and are not adopted."),
    "adopt-no-variable": N_(
        "Its command asks for the variable {name}, which has no value for this account. Write the value itself."
    ),
    "adopt-not-adopted": N_("The job '{job}' was not adopted from the scheduler, so there is nothing to give back."),
    "adopt-not-utf8": N_(
        "It holds letters that are no UTF-8, and a job file is. Write the line anew in an editor that writes UTF-8."
    ),
    "adopt-on-demand": N_("Nothing starts it but a person, so it has no times. Leave it as it is."),
    "adopt-once": N_("It starts once, or for some hours of one day. Leave it as it is."),
    "adopt-other-account": N_("It runs as {account}, and jobs run as you. Adopt it there, or leave it as it is."),
    "adopt-own-variable": N_(
        "Above it the table sets {name}, which Birkez sets itself for each command. Name that variable otherwise."
    ),
    "adopt-percent": N_(
        "Its command holds a bare %: cron ends the command there and hands the rest to it as input."
        " Where a percent sign was meant, write \\% and adopt it then."
    ),
    "adopt-read-only": N_("It belongs to the system ({place}); only its administrator changes it there."),
    "adopt-record-unreadable": N_(
        "What was adopted cannot be looked up in {path}: {reason}. Nothing was changed. Check who owns it."
    ),
    "adopt-record-unwritable": N_(
        "What is adopted cannot be noted in {path}: {reason}. Without that there would be no way back."
        " Free some space, or mend the rights of the folder, and try again."
    ),
    "adopt-repeatable": N_(
        "Say whether a command may run twice for one period, since nobody can be asked here: --repeatable yes for one"
        " that only repeats itself (a backup, a clean-up), --repeatable no for one that sends, books or adds."
    ),
    "adopt-restart": N_("It switches the computer off or restarts it, and a job could never note that it was done."),
    "adopt-several-actions": N_(
        "It starts several programs, or does something else than starting one. Put them into one script, and let the"
        " task start that."
    ),
    "adopt-task-command": N_(
        "Its arguments would reach the program otherwise than they do now. Put the command into a script (.bat), and"
        " let the task start that."
    ),
    "adopt-task-times": N_(
        "No schedule of a job says just what its triggers do. Set it to daily, weekly or monthly times, or to a"
        " repetition that divides an hour, and adopt it then."
    ),
    "adopt-unexpanded": N_(
        "Above it the table sets {name} to “{value}”, and cron puts no value in the place of a variable there: the"
        " command gets these very letters. It does not do what it seems to; write the whole value."
    ),
    "adopt-unfound": N_(
        "Windows finds no task by the name {entry}: it was deleted, or its name has letters that are shown as others"
        " here. See what stands there: birkez adopt --list; a name without such letters can be given in Windows' Task"
        " Scheduler (export, import)."
    ),
    "adopt-user-column": N_(
        "Its command begins with “{user}”, the name of an account: the line was written for /etc/crontab, and here cron"
        " would look for a program of that name. Take the word out with crontab -e."
    ),
    "adopt-wakes": N_(
        "It wakes the computer when it is due, and the job's own task does not: what was missed is done when the"
        " computer is awake again."
    ),
    "trigger-undo-adoption": N_(
        "The last change gave an entry back to the scheduler, or adopted one ({jobs}). To have it the other way:"
        " birkez adopt or birkez release"
    ),
}
