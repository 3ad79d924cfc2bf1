"""Sentences about launchd, the scheduler of macOS."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "launchd-job-running": N_(
        "launchd's agent of '{job}' was left as it is: the job is at work, and launchd would end it."
        " Do the same again when the job has ended."
    ),
    "launchd-missing": N_(
        "There is no launchctl on this computer, so launchd cannot be asked to start jobs. It belongs to macOS only."
    ),
    "launchd-no-session": N_(
        "Nobody is logged on at the screen ({domain}), and launchd starts agents only then."
        " Log on at the computer itself; over the network alone jobs do not start."
    ),
    "launchd-not-kept": N_(
        "launchd took the agent {name} and did not keep it, so all is as it was before."
        " Look in System Settings, General, Login Items, whether Birkez may run in the background."
    ),
    "launchd-refused": N_(
        "{command} ended with status {status}: “{said}”. All is as it was before. Log on at the computer itself,"
        " and look in System Settings, General, Login Items, whether Birkez may run in the background."
    ),
    "launchd-unreadable": N_(
        "{path} cannot be read: {reason}. What launchd starts is therefore unknown, and nothing was changed."
        " Check who owns it."
    ),
    "launchd-unwritable": N_(
        "{path} cannot be written: {reason}. Check who owns the folder and whether the disk is full."
    ),
}
