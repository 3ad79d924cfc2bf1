"""Sentences of the command line, and those of argparse that its users can meet."""

from __future__ import annotations

from trayapp.wording.mark import N_, NN_

SENTENCES = {
    "no-such-job-near": N_(
        "There is no job '{job}'. Did you mean: {near}? 'birkez job list' shows all jobs. Nothing was done."
    ),
    "no-such-job-typed": N_("There is no job '{job}'. 'birkez job list' shows all jobs. Nothing was done."),
    "no-job-at-all": N_(
        "There is no job '{job}', and no other one yet. To add one: birkez job add FILE. "
        "To see one at work: birkez demo"
    ),
    "job-or-all": N_("Name one job, or write --all for all of them. 'birkez job list' shows the jobs."),
    "window-of-all": N_("--window names a period of one job, so it cannot stand beside --all. Name the job."),
    "pause-in-past": N_(
        "{until} is over already, so there is nothing to pause until then. Give a later moment, or leave --until out "
        "to pause until you write birkez resume."
    ),
    "pause-unwritable": N_(
        "The job '{job}' cannot be paused or resumed, since {path} cannot be written: {reason}. "
        "Check whether you may write to that folder and whether the disk is full."
    ),
    "log-unreadable": N_(
        "The log {path} cannot be read: {reason}. Check who owns the file and whether you may read it."
    ),
    "help-unreadable": N_(
        "The help {path} cannot be read: {reason}. Install Birkez again; 'birkez --help' lists the commands."
    ),
    "csv-unwritable": N_(
        "The file {path} cannot be written: {reason}. Close it if it is open in a spreadsheet, "
        "or choose another folder."
    ),
    "no-such-run": N_("History knows no run '{run}'. 'birkez history --long' shows the names of the runs."),
    "no-period": N_(
        "“{given}” names no period: {reason}. Give the moment at which it begins, or its key; "
        "birkez log {job} shows the keys."
    ),
    "output-unwritable": N_(
        "What there is to say cannot be written to where the output goes: {reason}. "
        "What was asked for has been done or has failed all the same; birkez log and birkez status tell which."
    ),
    "reopen-unconfirmed": NN_(
        "Reopened, the period {key} would be done once more as a whole, beside what it did before; "
        "{count:number} record key of it would be released. Nothing was changed. "
        "If that is what you want, write the same command with --yes.",
        "Reopened, the period {key} would be done once more as a whole, beside what it did before; "
        "{count:number} record keys of it would be released. Nothing was changed. "
        "If that is what you want, write the same command with --yes.",
    ),
    "job-same-work": N_(
        "The job '{other}' does the same work already, and two jobs for it would do it twice. Nothing was added. "
        "If you do want both, name this one: {option} {proposal}"
    ),
    "job-import-start": NN_(
        "This computer has no record of what the job '{job}' did elsewhere, and {count:number} period has closed since "
        "its start, {start}. The job was not added. Write --from-start to have it done here, "
        "or --from-now to begin with the period that is open now.",
        "This computer has no record of what the job '{job}' did elsewhere, and {count:number} periods have closed "
        "since its start, {start}. The job was not added. Write --from-start to have them done here, once more if they "
        "were done there, or --from-now to begin with the period that is open now.",
    ),
    "job-known-to-ledger": N_(
        "A job named '{job}' has worked in {path} before and is done up to {watermark} there, so this one was not "
        "added. Write --go-on to go on from there, --forget to begin anew, or take another name for this one: "
        "{option} {proposal}"
    ),
    "forget-unconfirmed": NN_(
        "Forgetting what '{job}' did would let {count:number} period that is done be done a second time. "
        "The job was not added. If that is what you want, write the same command with --yes.",
        "Forgetting what '{job}' did would let {count:number} periods that are done be done a second time. "
        "The job was not added. If that is what you want, write the same command with --yes.",
    ),
    "job-import-several": N_(
        "{path} holds {count} jobs, so --as cannot name them all. Leave it out, or export the one job by itself."
    ),
    "demo-folder-not-empty": N_(
        "The folder {path} is not empty, and the demo writes over nothing. "
        "Name a folder that is empty or not there yet."
    ),
    "demo-folder-unusable": N_(
        "The demo cannot make its files in {path}: {reason}. Name another folder with --keep, or free some space."
    ),
    "demo-step-failed": N_(
        "The demo stopped: “{command}” ended with status {status}. What it said stands above. "
        "'birkez doctor' tells what would stop jobs on this computer."
    ),
}

# argparse looks these up by their English text; from Python 3.11 to 3.14.
ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("%(heading)s:"),
    N_("show this help message and exit"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("unrecognized arguments: %s"),
    N_("not allowed with argument %s"),
    N_("ignored explicit argument %r"),
    N_("the following arguments are required: %s"),
    N_("one of the arguments %s is required"),
    N_("expected one argument"),
    N_("expected at most one argument"),
    N_("expected at least one argument"),
    NN_("expected %s argument", "expected %s arguments"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid choice: %(value)r, maybe you meant %(suggestion)r? (choose from %(choices)s)"),
)
