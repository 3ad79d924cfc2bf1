"""Exit statuses of the runner and the command line; the table of DESIGN §5."""

from __future__ import annotations

DONE = 0  # done, or nothing to do, or skipped
EFFECT_FAILED = 1
USAGE = 2
NO_SUCH_JOB = 3
ENVIRONMENT = 4  # disk, permission, a database that is missing or stays busy
UNCERTAIN = 5  # an uncertain window waits for a person's decision
JOB_FILE_INVALID = 6
BUG = 70  # EX_SOFTWARE of sysexits.h
STOPPED_BY_SIGNAL = 128  # plus the signal's number: 130 Ctrl-C, 143 SIGTERM

MEANING = {
    DONE: "done, nothing to do, or skipped",
    EFFECT_FAILED: "the effect failed",
    USAGE: "wrong usage",
    NO_SUCH_JOB: "no such job",
    ENVIRONMENT: "the environment: disk, permission, database missing or busy",
    UNCERTAIN: "an uncertain period waits for a decision",
    JOB_FILE_INVALID: "the job file is invalid",
    BUG: "a bug of Birkez",
    129: "stopped by hang-up (SIGHUP)",
    130: "stopped by Ctrl-C",
    143: "stopped by SIGTERM",
}
