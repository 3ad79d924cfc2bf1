"""Sentences about lists of items, their targets and their workers."""

from __future__ import annotations

from trayapp.wording.mark import N_, NN_

_LIST = {
    "items-source-missing": N_(
        "There is no list {path}, so nothing was done. Check its name, and whether the drive is connected."
    ),
    "items-source-unreadable": N_(
        "The list {path} cannot be read: {reason}. Nothing was done. Check whether you may read it."
    ),
    "items-source-broken": N_(
        "The list {path} cannot be read beyond line {line}: {reason}. Nothing was done. Correct or save the file anew."
    ),
    "items-column-missing": N_(
        "The list {path} has no column “{column}” in its first line, so nothing was done. It has: {columns}. "
        "Correct 'column' in the job file, or the list."
    ),
    "items-digest-missing": N_(
        "The list {source} is a folder, so a file that changes must become a new item, but the target “{name}” would "
        "stay the same. Write {{digest}} into 'target' in the job file, as in {{item}}-{{digest}}."
    ),
    "items-digest-unknown": N_(
        "The target “{name}” holds {{digest}}, but the list {source} is no folder of files. "
        "Delete {{digest}} from 'target' in the job file, or name a folder as 'source'."
    ),
    "items-folder-is-target": N_(
        "The folder {path} is both list and target, so each file made would become a new item. "
        "Name another folder in 'target' in the job file."
    ),
    "job-without-items": N_(
        "The job {job} has no list to work through: it works in periods. To run it: birkez run {job}"
    ),
    "job-being-removed": N_(
        "The job {job} is just being removed or tidied up. Nothing was done. Try again in a moment."
    ),
}

_ITEM = {
    "item-empty": N_("{place}: the line has no item, so it was left out. Fill it in, or delete the line."),
    "item-not-utf8": N_("{place}: “{item}” is not saved as UTF-8, so it was left out. Save the list as UTF-8."),
    "item-control-character": N_(
        "{place}: “{item}” holds a line break or another sign that no file's name can have, so it was left out. "
        "Correct it."
    ),
    "item-leaves-folder": N_(
        "{place}: “{item}” would lie outside the targets' folder, so it was left out. An item may hold no / and no \\."
    ),
    "item-dot-at-end": N_(
        "{place}: “{item}” ends with a dot or a blank, which Windows drops from a file's name, so it was left out. "
        "Correct it."
    ),
    "item-device-name": N_(
        "{place}: “{item}” is the name of a device on Windows and of no file, so it was left out. Correct it."
    ),
    "item-forbidden-letter": N_(
        "{place}: “{item}” holds a sign that Windows allows in no file's name (< > : \" | ? *), so it was left out. "
        "Correct it."
    ),
    "item-too-long": N_("{place}: “{item}” makes a file name of more than 255 bytes, so it was left out. Shorten it."),
    "item-own-folder": N_("{place}: “{item}” is the name of Birkez's own folder, so it was left out. Correct it."),
    "item-target-taken": N_(
        "{place}: “{item}” would be the same file, {name}, as the item in line {other}, so it was left out. "
        "Correct one of the two."
    ),
    "item-unreadable": N_(
        "{place}: the file cannot be read: {reason}. It was left out. Check whether you may read it."
    ),
    "item-no-output": N_("the program ended well but did not write the file that it was given as {{output}}"),
    "item-still-written": N_(
        "the file was still open to be written in after it should have been done; close it, and let nothing that "
        "writes it run on"
    ),
    "item-function-exec": N_(
        "{path} would have made another program ({program}) of this one with os.{name}; start it with subprocess.run "
        "instead"
    ),
    "item-changed": N_("the file {path} changed while it was worked on; the next run takes it anew"),
    "item-name-refused": N_("the system takes no file of the name {name}: {reason}"),
    "item-misleads-cmd": N_("“{value}” holds a sign that the command interpreter of Windows would take for its own"),
    "item-timed-out": N_("it was not done within {seconds:duration}"),
    "item-program-failed": N_("the program ended with status {status}; what it printed: {output}"),
    "item-program-signalled": N_("the program was ended by signal {signal}; what it printed: {output}"),
    "item-function-failed": N_("{path}, line {line}: {reason}"),
    "item-function-left": N_(
        "{path}, line {line}: the function ended the program (status {status}) instead of returning"
    ),
    "item-failed": N_("“{item}” could not be made"),
}

_DOWNLOAD = {
    "download-url-malformed": N_("“{url}” is no address that can be downloaded"),
    "download-not-there": N_("{url} is not there: the server answered {status}"),
    "download-please-wait": N_("{url}: the server asked to wait ({status})"),
    "download-refused": N_("{url}: the server answered {status}"),
    "download-unreachable": N_("{url}: the server cannot be reached: {reason}"),
    "download-timed-out": N_("{url}: nothing more came within {seconds:duration}"),
    "download-late": N_("{url}: it was not there within {seconds:duration}"),
    "download-cut-off": N_("{url}: what came was cut off: {reason}"),
    "download-astray": N_("{url}: the server sends from one address to the next: {reason}"),
    "download-not-json": N_("{url}: what came is no JSON; it begins with “{begin}”"),
    "download-failed": N_("{url}: {reason}"),
}

_TARGETS = {
    "targets-on-network": N_(
        "The targets' folder {path} lies on another computer ({kind}), where it cannot be told whether a worker is "
        "alive, so two could do the same. Nothing was done. Name a folder of this computer in 'target', and copy from "
        "there."
    ),
    "targets-unwritable": N_(
        "The targets' folder {path} cannot be written to: {reason}. What was finished before stands there. "
        "Check whether you may write to it and whether the disk is full; the next run goes on."
    ),
    "targets-cannot-publish": N_(
        "The disk of the targets' folder {path} knows no way to give a file a name without replacing another. "
        "Nothing was done. Name a folder on another disk in 'target'."
    ),
    "failures-unusable": N_(
        "What failed cannot be looked up or written down in {path}: {reason}. Check whether you may write there and "
        "whether the disk is full."
    ),
}

_RUN = {
    "items-failed": NN_(
        "{count:number} item of the list could not be made. Which, and why: birkez items {job} --failed",
        "{count:number} items of the list could not be made. Which, and why: birkez items {job} --failed",
    ),
    "doctor-items-failed": NN_(
        "{job}: {count:number} item of the list could not be made. Which, and why: birkez items {job} --failed",
        "{job}: {count:number} items of the list could not be made. Which, and why: birkez items {job} --failed",
    ),
    "hosts-unreachable": NN_(
        "A server does not answer, or asks for a long pause ({hosts}), so it was not asked any more; "
        "{count:number} item waits for the next run. "
        "Check the network and the address in the job file.",
        "A server does not answer, or asks for a long pause ({hosts}), so it was not asked any more; "
        "{count:number} items wait for the next run. "
        "Check the network and the address in the job file.",
    ),
    "workers-die": N_(
        "The workers of {job} end as soon as they begin (status {status}), so the run gave up. "
        "What was finished stands. Look into the log: birkez log {job}; and run birkez doctor."
    ),
    "workers-running": N_(
        "A worker of {job} is at work, so the job was not removed. Wait until it ends, or stop it with Ctrl-C where it "
        "was started, and remove the job then."
    ),
    "workers-not-started": N_(
        "The system starts no worker for {job}: {reason}. What was finished stands; the next run goes on."
    ),
    "workers-lock-unusable": N_(
        "The lock that the workers of {job} share cannot be used: {reason}. Nothing was done. Run birkez doctor."
    ),
}

SENTENCES = {**_LIST, **_ITEM, **_DOWNLOAD, **_TARGETS, **_RUN}
