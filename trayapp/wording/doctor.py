"""Sentences of the check-up: what was looked at, and what to do about it."""

from __future__ import annotations

from trayapp.wording.mark import N_, NN_

SENTENCES = {
    "doctor-backlog": NN_(
        "{job}: {count:number} closed period waits. Runs take the oldest first; start one by hand to be done sooner.",
        "{job}: {count:number} closed periods wait. Runs take the oldest first; start some by hand to be done sooner.",
    ),
    "doctor-no-success": N_(
        "{job}: no run has succeeded since {since:ablative}. Look at its last runs: one hangs, is stopped each time, or"
        " no start comes. How long is too long, warn_after in the job file says."
    ),
    "doctor-no-success-yet": N_(
        "{job}: no run has succeeded since its file was written {since}. Look whether something starts it, and what its"
        " runs say. How long is too long, warn_after in the job file says."
    ),
    "doctor-clock": N_("The clock shows {now}."),
    "doctor-clock-early": N_(
        "The clock shows {now}, which cannot be. Jobs would wait for periods that never close;"
        " set date and time, and let a time service keep them."
    ),
    "doctor-clock-unsynchronised": N_(
        "The clock shows {now}, and the time service has not set it yet."
        " If it stays so, check the network or the service's settings."
    ),
    "doctor-command-alive": N_(
        "{job}: the command started {at} (pid {pid}) is still at work, though its run was ended. The job waits for it."
        " If it hangs, end it; the next run then asks what became of its period."
    ),
    "doctor-cut-off": NN_(
        "{job}: the newest run that worked was cut off before it could say anything: killed, switched off, by a full"
        " disk, or by its own code. Nothing of its period took effect. Look at its output.",
        "{job}: the {count:number} newest runs that worked were cut off before they could say anything: killed,"
        " switched off, by a full disk, or by their own code. Nothing of their periods took effect. Look at their"
        " output.",
    ),
    "doctor-cut-off-midway": NN_(
        "{job}: the newest run that worked was cut off before it could say anything: killed, switched off, or by a full"
        " disk. What it had done by then stays done. Look at its output; birkez status {job} tells what waits.",
        "{job}: the {count:number} newest runs that worked were cut off before they could say anything: killed,"
        " switched off, or by a full disk. What they had done by then stays done. Look at their output;"
        " birkez status {job} tells what waits.",
    ),
    "doctor-disk-nearly-full": N_(
        "Only {mebibytes:number} MB are free for {path}. Free some room: a full disk stops every job."
    ),
    "doctor-failing": NN_(
        "{job}: the period {window} has failed {count:number} time. Nothing of it took effect; later periods wait."
        " Look at the job's log for the reason, or leave the period out with birkez skip.",
        "{job}: the period {window} has failed {count:number} times. Nothing of it took effect; later periods wait."
        " Look at the job's log for the reason, or leave the period out with birkez skip.",
    ),
    "doctor-file-missing": N_(
        "{job}: {path} is not there. The job fails until it is back; check the name and whether the drive is connected."
    ),
    "doctor-history-set-aside": N_(
        "The history was damaged and begun anew; the damaged file is kept: {paths}."
        " No job was concerned. Delete it when you do not need it."
    ),
    "doctor-job": N_("{job}: file, database and ledger are in order."),
    "doctor-locale": N_(
        "Python uses {encoding} for file names here, so names with Turkish letters may not be found."
        " Set a UTF-8 locale, such as LANG=C.UTF-8."
    ),
    "doctor-log-unwritable": N_(
        "The log {path} cannot be written: {reason}. Jobs run all the same, but nobody sees what they did;"
        " mend the rights of that file and its folder."
    ),
    "doctor-no-zones": N_(
        "There is no time zone data on this computer, so jobs by local days cannot run. Install the tzdata package."
    ),
    "doctor-sqlite": N_("SQLite {found} is new enough."),
    "doctor-state-folder": N_("The state folder {path} is on this computer and can be written."),
    "doctor-two-accounts": N_(
        "{job}: others run the same job on the same database: {others}. Nothing is done twice,"
        " but each sees only its own runs. If that is not meant, remove the job from one of them. Here: {here}."
    ),
    "doctor-uncertain": N_(
        "{job}: the period {window} began, and nobody knows whether it finished. Look whether its work was done, then "
        "decide."
    ),
    "doctor-zones": N_("Time zone data is there."),
}
