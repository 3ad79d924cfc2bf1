"""Sentences for the errors of the ledger and of the database that holds it."""

from __future__ import annotations

from trayapp.wording.mark import N_

_DATABASE = {
    "database-missing": N_(
        "The database {path} is not there, so nothing more was done. Birkez never makes one by itself, since a drive "
        "may only be missing: connect it, or correct database in the job. For a new one, add the job with "
        "--create-database."
    ),
    "database-exists": N_(
        "The database {path} exists already and was not touched. Leave --create-database out to use it as it is."
    ),
    "database-folder-missing": N_(
        "The database {path} cannot be made, since the folder {folder} is not there. Make the folder or connect its "
        "drive first."
    ),
    "database-is-folder": N_(
        "{path} is a folder, where the job expects a database. Nothing more was done. "
        "Write the path of the file into the job."
    ),
    "database-not-regular": N_(
        "{path} is no ordinary file (a pipe or a device), where the job expects a database. Nothing more was done. "
        "Correct database in the job."
    ),
    "database-on-network": N_(
        "The database {path} lies on a network folder ({kind}), where locks prove nothing and two writers can ruin "
        "it. Nothing more was done. Move it to a disk of this computer."
    ),
    "database-unreadable": N_(
        "The database {path} may not be read by this user, so nothing more was done. Start the job as the user who "
        "owns the file, or give this user the right to read and write it."
    ),
    "database-read-only": N_(
        "The database {path} may not be written, so nothing more was done. Check whether the file or its folder is "
        "write-protected, and give this user the right to write to both."
    ),
    "database-busy": N_(
        "The database {path} is kept busy by another program, so nothing was done for this period. "
        "The next run tries again. If it happens often, find the program that keeps the database open."
    ),
    "database-disk-full": N_(
        "The disk of the database {path} is full. What was begun was taken back. Free some space; "
        "the next run tries again."
    ),
    "database-disk-error": N_(
        "The disk of the database {path} answered with an error: {reason}. What was begun was taken back. "
        "Have the disk and its cable checked, and make a backup soon."
    ),
    "database-corrupt": N_(
        "The database {path} is damaged: {reason}. Nothing more was done. Keep a copy of the file as it is, "
        "then put the database back from a backup."
    ),
    "database-not-sqlite": N_(
        "{path} is no SQLite database (or it is encrypted). Nothing more was done. Correct database in the job, "
        "or put the right file back."
    ),
    "database-cannot-open": N_(
        "The database {path} cannot be opened: {reason}. Nothing more was done. Check whether this user may write to "
        "the folder that it lies in, since SQLite keeps files beside it."
    ),
    "sqlite-too-old": N_(
        "This Python brings SQLite {found}, and Birkez needs {needed} or newer. Nothing was done. "
        "Install a newer Python, or Birkez with its own one."
    ),
}

_SERVER = {
    "psycopg-missing": N_(
        "The ledger in {path} needs the Python package psycopg, which is not installed here, so nothing was done. "
        "Install it beside Birkez: pip install 'psycopg[binary]'"
    ),
    "server-cannot-open": N_(
        "The database {path} cannot be opened, so nothing was done: {reason}. Check whether the server is running, "
        "and server, port, database, user and password. The next run tries again."
    ),
    "server-too-old": N_(
        "The server of {path} is PostgreSQL {found}, so nothing was done. Birkez needs {needed} or newer: "
        "have the server upgraded."
    ),
    "server-lost": N_(
        "The connection to {path} was cut: {reason}. What was begun was taken back. The next run tries again."
    ),
    "server-commit-unknown": N_(
        "The connection to {path} was cut while the work was being completed, and the server could not be asked since. "
        "Nobody is harmed: the next run sees in the ledger whether it was done, and never does it twice."
    ),
    "server-read-only": N_(
        "The database {path} only lets itself be read, as a standby server does, so nothing was done. "
        "Write the address of the main server into the job."
    ),
    "server-no-right": N_(
        "The user of {path} may not do what the job needs, so nothing was done: {reason}. "
        "Have the database's owner give that user the right."
    ),
    "job-at-work-elsewhere": N_(
        "The job is at work already for the ledger in {path}, perhaps on another computer, so nothing was done here. "
        "There is nothing to do: the other run takes what has closed."
    ),
}

SENTENCES = {
    **_DATABASE,
    **_SERVER,
    "ledger-damaged": N_(
        "The ledger's tables (birkez_*) in {path} are not as Birkez made them: {reason}. Nothing more was done. "
        "Bring the database back from a backup, or ask who changed them."
    ),
    "ledger-rows-missing": N_(
        "The ledger in {path} holds periods of a job that its table birkez_job does not name: rows were deleted there. "
        "Nothing more was done, since periods could be done twice. Bring the database back from a backup, or ask who "
        "changed it."
    ),
    "ledger-newer": N_(
        "The ledger in {path} was written by a newer Birkez (format {found}, this one knows up to {known}), "
        "so nothing was done. Install the newer Birkez again."
    ),
    "ledger-other": N_(
        "The ledger in {path} is not the one that the job '{job}' used before: another database, or a new one. "
        "Nothing was done, since periods could be done twice. If this is as you want it: "
        "birkez ledger accept {job} --reason TEXT"
    ),
    "ledger-older": N_(
        "The ledger in {path} knows less than the last run of the job '{job}' did (changes missing there: {missing}), "
        "as after restoring a backup. Nothing was done, since periods could be done twice. Look at what the restored "
        "database holds, then: birkez ledger accept {job} --reason TEXT"
    ),
    "ledger-missing": N_(
        "The ledger {path} is gone though the job '{job}' has run before, so nothing was done: the work could be "
        "done twice. Put the file back from a backup. If it cannot be had any more: "
        "birkez ledger accept {job} --reason TEXT"
    ),
    "ledger-unremembered": N_(
        "{path} could not be written: {reason}. The run went on, but as long as this lasts nobody notices when the "
        "database of the job '{job}' is exchanged for an older one, and periods could be done twice. Free some room, "
        "or mend the rights of that folder."
    ),
    "ledger-knows-no-job": N_(
        "The ledger in {path} knows nothing of the job '{job}' yet, so there is nothing to decide about. "
        "Run the job first."
    ),
}
