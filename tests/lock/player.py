"""A process that takes and drops locks as a test tells it: one JSON list a line in, one answer a line out.

Started by `tests.lock.players`; `--win32 FOLDER` makes it play Windows on Linux.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

if sys.argv[1:2] == ["--win32"]:
    from tests.fakes import pretend_win32

    pretend_win32(sys.argv[2])

from trayapp.errors import BirkezError
from trayapp.lock.holder import own_holder, read_state
from trayapp.lock.job_lock import JobLock, acquire, try_acquire

SINCE = "2026-09-04T12:05:01.000123+00:00"
locks: list[JobLock] = []


def take(path, run="run-1", trigger="manual"):
    lock = try_acquire(path, own_holder(run, trigger, datetime.fromisoformat(SINCE)))
    if lock is not None:
        locks.append(lock)
    return lock is not None


def must_take(path):
    locks.append(acquire(path, own_holder("run-1", "manual", datetime.fromisoformat(SINCE))))
    return True


def drop():
    while locks:
        locks.pop().release()


def drop_twice_around_open(path):
    """Release, let another file get the same descriptor, release again: is that file still open?"""
    lock = locks.pop()
    lock.release()
    with open(path, "w+b") as file:
        lock.release()
        os.fstat(file.fileno())
    return True


def state(path):
    seen = read_state(path)
    if seen.holder is None:
        return [seen.state]
    holder = seen.holder
    return [seen.state, holder.pid, holder.run, holder.trigger, holder.since.isoformat()]


def read_and_close(path):
    """Open and close the lock file beside its lock, as a helper that reads the holder's name does."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(fd, 4096))
    finally:
        os.close(fd)


def cycle(path, count):
    """Take and drop *count* times and return how often that failed."""
    holder = own_holder("run-1", "schedule", datetime.now(UTC))
    lost = 0
    for _ in range(count):
        lock = try_acquire(path, holder)
        if lock is None:
            lost += 1
        else:
            lock.release()
    return lost


def watch(path, seconds):
    """Look at top speed and count what was seen."""
    seen: dict[str, int] = {}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        name = read_state(path).state
        seen[name] = seen.get(name, 0) + 1
    return seen


def crowd(path, folder, rounds):
    """Hold the lock *rounds* times; two witnesses tell whether another holder was inside meanwhile."""
    holder = own_holder("run-1", "schedule", datetime.now(UTC))
    marker, counter = os.path.join(folder, "occupied"), os.path.join(folder, "counter")
    met, done, lost = 0, 0, 0
    while done < rounds:
        lock = try_acquire(path, holder)
        if lock is None:
            lost += 1
            time.sleep(0.0002)
            continue
        with lock:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                met += 1
            with open(counter, "r+b", buffering=0) as file:
                count = int(file.read())
                if done % 8 == 0:
                    time.sleep(0.0005)
                file.seek(0)
                file.write(b"%d" % (count + 1))
            if not met:
                os.unlink(marker)
        done += 1
    return {"met": met, "lost": lost}


def leave_command(seconds):
    """Start a command that lives on, as a script that leaves a daemon behind does."""
    import subprocess

    words = [sys.executable, "-c", f"import time; time.sleep({seconds})"]
    left = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    left.returncode = 0  # nobody waits for it
    return left.pid


def fork(seconds, release):
    """Fork as a python effect may; the child lives on for a while, having released what it believes to hold."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        if release:
            drop()
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.write(write_end, b"x")
        time.sleep(seconds)
        os._exit(0)
    os.read(read_end, 1)
    return child


def fork_in_c(seconds):
    """Fork as a C library may: Python's own handlers do not run in the child."""
    import ctypes

    library = ctypes.PyDLL(None)
    child = library.fork()
    if child == 0:
        library.sleep(seconds)
        library._exit(0)
    return child


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def answer(line):
    name, *args = json.loads(line)
    try:
        return {"value": globals()[name](*args)}
    except BirkezError as error:
        return {"error": error.code, "facts": error.facts}


for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(line), default=str) + "\n")
    sys.stdout.flush()
