"""Sentences for the errors of SQL and Python effects."""

from __future__ import annotations

from trayapp.wording.mark import N_

_SQL = {
    "script-missing": N_(
        "The script {path} is not there, so nothing more was done. Put it back, connect the drive that it lies on, "
        "or correct script in the job."
    ),
    "script-unreadable": N_(
        "The script {path} cannot be read: {reason}. Nothing more was done. Check who owns the file and whether it may "
        "be read."
    ),
    "script-not-utf8": N_(
        "The script {path} is not saved as UTF-8 (byte {position} is the first that does not fit), so nothing was "
        "done. Save it again with the encoding UTF-8."
    ),
    "script-not-regular": N_(
        "The script {path} is no ordinary file (a folder, a pipe or a device), so nothing was done. "
        "Correct script in the job."
    ),
    "script-large": N_(
        "The script {path} is larger than {limit_mib} MB, so it was not read and nothing was done. "
        "Correct script in the job, or let several jobs share the work."
    ),
    "script-nul": N_(
        "The script {path} holds a NUL byte in line {line}, so nothing was done: SQLite would end the script there. "
        "Delete it, or save the file again as UTF-8."
    ),
    "script-empty": N_(
        "The script {path} holds no statement, so nothing was done. Put the script back from a backup, or write it."
    ),
    "sql-failed": N_(
        "The script {path} failed at line {line}: {reason}. All that it had done for this period was taken back. "
        "Correct the script; the next run tries the same period again."
    ),
    "sql-ended-transaction": N_(
        "The script {path}, line {line}, made the database take everything back in the middle "
        "(such as OR ROLLBACK or RAISE(ROLLBACK)), so nothing of this period took effect. "
        "Use OR ABORT, OR IGNORE or RAISE(ABORT) there."
    ),
    "sql-refused-transaction": N_(
        "{path}, line {line}: BEGIN, COMMIT, ROLLBACK and SAVEPOINT may not stand here, since Birkez itself "
        "ends the transaction when the whole period is done. Nothing of this period took effect. Delete that statement."
    ),
    "sql-refused-attach": N_(
        "{path}, line {line}: ATTACH and DETACH may not stand here, since two databases cannot be changed as one. "
        "Nothing of this period took effect. Read the other database through [effect.sources] of the job file."
    ),
    "sql-refused-pragma": N_(
        "{path}, line {line}: this PRAGMA may not stand here, since it would change the database file or how safely "
        "it is written. Nothing of this period took effect. Delete that statement, or set it once by hand."
    ),
    "sql-refused-ledger-table": N_(
        "{path}, line {line}: the tables birkez_… may be read but not changed, since they record what was done. "
        "Nothing of this period took effect. To change what is recorded, use birkez resolve, skip, reopen or watermark."
    ),
    "source-failed": N_(
        "The query of the source {source} on {path} failed: {reason}. Nothing more was done. "
        "Correct the query under [effect.sources.{source}] in the job file."
    ),
}

_PYTHON = {
    "python-missing": N_(
        "The Python file {path} is not there, so nothing was done. Put it back, connect the drive that it lies on, "
        "or correct callable in the job."
    ),
    "python-import-missing": N_(
        "{path}, line {line}: the Python that runs Birkez ({python}) has no module “{module}”, so the job would fail. "
        'Install it there, put it beside the file, or let your own Python do the work, with kind = "command".'
    ),
    "python-import-not-standard": N_(
        "{path}, line {line}: Birkez brings the standard library of Python {version}, and “{module}” is no part of it, "
        "so the job would fail. Put the module beside the file, or let your own Python do the work, with "
        'kind = "command".'
    ),
    "python-not-regular": N_(
        "The Python file {path} is no ordinary file (a folder, a pipe or a device), so nothing was done. "
        "Correct callable in the job."
    ),
    "python-large": N_(
        "The Python file {path} is larger than {limit_mib} MB, so it was not loaded and nothing was done. "
        "Correct callable in the job."
    ),
    "python-closed-files": N_(
        "{path} closed files that are not its own, the database's among them (such as by os.closerange), so nothing "
        "of this period took effect. Close only what the function itself has opened."
    ),
    "python-file-limit": N_(
        "{path} forbade the program to open files (RLIMIT_NOFILE), so nothing of this period took effect. "
        "Leave that limit as it is, or set it in a process of its own."
    ),
    "python-broken": N_(
        "The Python file {path} cannot be loaded, line {line}: {reason}. Nothing was done. Correct the file."
    ),
    "python-no-function": N_(
        "The Python file {path} has no function named {function}, so nothing was done. Correct callable in the job, "
        "or write the function."
    ),
    "python-is-coroutine": N_(
        "The function {function} in {path} is “async”, so calling it does nothing yet, and nothing took effect. "
        "Write it as an ordinary function; call asyncio.run inside it where needed."
    ),
    "python-is-generator": N_(
        "The function {function} in {path} contains “yield”, so calling it does nothing yet, and nothing took effect. "
        "Write it so that it does its work and then returns."
    ),
    "python-exited": N_(
        "{path}, line {line}, ended the program with sys.exit({status}), so nothing of this period took effect. "
        "Let the function return when all is well, and raise an error when not."
    ),
    "python-ended-transaction": N_(
        "{path} ended Birkez's transaction by itself (such as by OR ROLLBACK), so nothing of this period took "
        "effect. Leave COMMIT and ROLLBACK to Birkez: a normal return commits."
    ),
    "python-other-thread": N_(
        "{path} used tx, or a cursor of it, in another thread or process than the one that calls the function (such as "
        "in a ThreadPoolExecutor), so nothing of this period took effect. Let the threads return what they have found, "
        "and write it with tx in the function itself."
    ),
    "python-used-late": N_(
        "{path} kept tx, or a cursor of it, and used it after the function had returned, so nothing of this period "
        "took effect. Each call gets a tx of its own: use that one, and read all rows before the function returns."
    ),
    "python-closed-connection": N_(
        "{path} closed the connection to the database, which is Birkez's, so nothing of this period took effect. "
        "Leave it open: Birkez commits and closes it."
    ),
    "python-exec": N_(
        "{path} would have made another program ({program}) of this one with os.{name}, so nothing of this period took "
        "effect: nobody would know how that ended. Start it with subprocess.run instead."
    ),
    "python-second-connection": N_(
        "{path}, line {line}, opened the database {database} a second time and found it busy with Birkez's own "
        "transaction. Nothing of this period took effect. Write through tx.execute instead of a connection of its own."
    ),
    "python-failed": N_(
        "{path}, line {line}, failed: {reason}. All that it had done for this period was taken back. "
        "Correct the cause; the next run tries the same period again."
    ),
    "record-key-invalid": N_(
        "The function gave {value} as the key of a record. A key is text that is not empty and holds no NUL. "
        "Nothing of this period took effect. Use what names the record for ever, such as its number: str(order_id)."
    ),
}

SENTENCES = {
    **_SQL,
    **_PYTHON,
    "effect-timed-out": N_(
        "The job did not finish within {seconds:duration}, so it was ended and all that it had done for this period "
        "was taken back. If it needs longer, raise timeout under [effect] in the job file."
    ),
}
