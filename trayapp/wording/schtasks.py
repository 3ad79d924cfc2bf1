"""Sentences about Windows' Task Scheduler."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "schtasks-missing": N_(
        "Tasks of Windows cannot be reached: {path} cannot be started ({reason})."
        " It belongs to Windows; where a rule of your company blocks it, ask for it to be allowed."
    ),
    "schtasks-unanswered": N_(
        "Windows' program for tasks has given no answer for {waited_s:duration}, and was ended."
        " Look whether the service “Task Scheduler” is running, then try again."
    ),
    "task-command-expands": N_(
        "A task of Windows cannot start “{word}”: Windows would put the value of the variable {name} in place of"
        " %{name}%. Rename the folder, or put Birkez and its files into another."
    ),
    "task-file-unwritable": N_(
        "The task could not be handed to Windows: {path} cannot be written ({reason})."
        " Look whether the disk is full, and whether the folder is yours."
    ),
    "task-foreign": N_(
        "The task {name} does not belong to this account's Birkez, so it is left alone."
        " Log on as the user who set it up, or delete it in Windows' Task Scheduler."
    ),
    "task-gone": N_(
        "There is no task {name} any more, and it cannot be made anew: it needs its password. Set it up in Windows'"
        " Task Scheduler; the job goes on until then."
    ),
    "task-log-on-refused": N_(
        "Windows does not let this account's jobs start while nobody is logged on, or change whether they do: {reason}."
        " They are registered as before. It takes an administrator: open a console with “Run as administrator” and give"
        " the command again; where that asks for another account's password, an administrator sets it in Windows' Task"
        " Scheduler (folder Birkez: “Run whether user is logged on or not”, “Do not store password”)."
    ),
    "task-not-kept": N_(
        "Windows said that it took the task {name}, and keeps something else ({difference}), so it was taken back."
        " If that happens again, look in Windows' Task Scheduler, folder Birkez, and at what a virus scanner reports."
    ),
    "task-not-removed": N_(
        "The task {name} is still there: Windows' program for tasks answered {status} “{reason}”."
        " If it was made by an administrator, delete it in Windows' Task Scheduler, started as administrator."
    ),
    "task-not-switched": N_(
        "The task {name} could not be switched on or off: Windows' program for tasks answered {status} “{reason}”."
        " If it was made by an administrator, start Birkez once as administrator. Nothing was changed."
    ),
    "task-program-long": N_(
        "A task of Windows cannot start {path}: its name is longer than {allowed} letters."
        " Put Birkez into a folder with a shorter name."
    ),
    "task-refused": N_(
        "Windows did not take the task {name}: its program for tasks answered {status} “{reason}”."
        " If it says that access is denied: a task of this name was made by an administrator, or this account may make"
        " none. Delete that task in Windows' Task Scheduler as administrator, or ask whoever looks after this computer."
    ),
    "task-user-unknown": N_(
        "Windows does not say which account this is ({reason}), so no task can be set up for it."
        " Log off and on, then try again."
    ),
    "tasks-unreadable": N_(
        "Windows' tasks cannot be read: its program for tasks answered {status} “{reason}”, so none was changed."
        " Look whether the service “Task Scheduler” is running and whether Windows' Task Scheduler opens."
    ),
}
