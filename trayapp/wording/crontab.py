"""Sentences about cron and the user's crontab."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "crontab-busy": N_(
        "The crontab is being changed by somebody else all the time, so Birkez left it alone. Close the editor that"
        " has it open (crontab -e) and try again."
    ),
    "crontab-carriage-return": N_(
        "Line {number} of the crontab ends with a line end of Windows (or with the two characters \\r), which crontab"
        " does not hand out as it stands. Writing the table back could break that line, so Birkez left it alone."
        " Remove those characters with crontab -e and try again."
    ),
    "crontab-control-character": N_(
        "A crontab line cannot hold the name {word}: there is a character in it that cannot be printed."
        " Rename that folder, and set the job's schedule up again."
    ),
    "crontab-forbidden": N_(
        "This computer does not let {user} have a crontab: “{reason}”. Its administrator allows it by adding {user} to"
        " /etc/cron.allow, or by taking {user} out of /etc/cron.deny."
    ),
    "crontab-line-too-long": N_(
        "The crontab line of {job} would take {length:number} bytes, and cron may cut lines longer than {limit:number}."
        " Move Birkez, or its folder, to a place with a shorter name."
    ),
    "crontab-misleading-variable": N_(
        "Above Birkez's lines the crontab sets {name} to “{value}”, so jobs may start at other times than they say, or"
        " not at all. Move that line below Birkez's lines with crontab -e."
    ),
    "crontab-missing": N_(
        "There is no crontab program on this computer, so nothing can start jobs by itself."
        " Install cron; on Debian and Ubuntu: sudo apt install cron"
    ),
    "crontab-no-daemon": N_(
        "The crontab is kept, but cron is not running, so no job starts by itself. As administrator:"
        " systemctl enable --now cron (the service is called crond on some systems)."
    ),
    "crontab-not-kept": N_(
        "The crontab was written, and what stands there now is not what was written. Look at it with crontab -l,"
        " then try again."
    ),
    "crontab-refused": N_(
        "crontab did not take the changed table: “{reason}”. The old one still stands. If it names a line that is not"
        " Birkez's, mend that line with crontab -e and try again."
    ),
    "crontab-unanswered": N_(
        "The program crontab gave no answer for {waited_s:duration}, so nothing was changed. Try again later; if it"
        " stays so, ask the administrator whether user accounts can be looked up."
    ),
    "crontab-unreadable": N_(
        "The crontab cannot be read, so nothing was changed: “{reason}” (status {status}). Mend that first;"
        " crontab -l must show the table, or say that there is none."
    ),
    "undo-changed-since": N_(
        "This change cannot be undone: Birkez's entries under {name} have been changed since."
        " Look at them with birkez schedule list, then set them up as you want them."
    ),
}
