"""Sentences for the codes of `trayapp.effect.command` and its held child."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "command-not-found": N_(
        "The command {command} cannot be started: there is no such program. Looked in: {searched}. Write its full "
        "path into the job, or name its folder under path."
    ),
    "command-not-executable": N_(
        "The command {path} cannot be started: it is not allowed to run. Allow it in the file's properties "
        "(on Linux and macOS: chmod +x), or put the program that reads it before it, such as sh or python3."
    ),
    "command-is-folder": N_(
        "The command {path} cannot be started: it is a folder. Write the path of a program inside it."
    ),
    "command-no-shebang": N_(
        "The command {path} cannot be started: its first line does not say which program reads it. Make "
        "#!/bin/sh (or the program that it is for) its first line, or put that program before it in the job."
    ),
    "command-windows-line-ends": N_(
        "The command {path} cannot be started: its lines end as Windows writes them, so the system looks for a "
        "program named {interpreter} with an invisible sign at its end. Save the file with Unix line ends (LF)."
    ),
    "command-bad-interpreter": N_(
        "The command {path} cannot be started: its first line asks for the program {interpreter}, which is not "
        "there or may not run. Install that program, or correct the first line."
    ),
    "command-not-a-program": N_(
        "The command {path} cannot be started: it is no program for this system. If it is a script, put the "
        "program that reads it before it in the job, such as python or powershell."
    ),
    "command-folder-missing": N_(
        "The command cannot be started in the folder {folder}: {reason}. Correct cwd in the job, or make the "
        "folder reachable, for example by connecting its drive."
    ),
    "command-not-started": N_(
        "The command {command} cannot be started: the system answered “{reason}”. Nothing more was done. Try the same "
        "command by hand on this computer; if it works there, run the job again."
    ),
    "command-process-refused": N_(
        "The command cannot be started: the system makes no new process (“{reason}”). Nothing more was done. Close "
        "other programs or restart the computer, then run the job again."
    ),
    "command-output-unwritable": N_(
        "The command was not started, since its output cannot be kept in {path}: {reason}. Make room on the disk "
        "or correct the rights of that folder, then run the job again."
    ),
    "command-encoding-unknown": N_(
        "The command was not started: there is no text encoding named {encoding}. Correct encoding in the job, "
        "for example to cp1254 or cp857, or leave it out for UTF-8."
    ),
}
