"""Other processes for the lock's tests: real ones, one call at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SINCE = "2026-09-04T12:05:01.000123+00:00"
TEXT_BYTES = 320
PLAYER = Path(__file__).with_name("player.py")
# On Linux also Windows' code, on fakes of what it asks the kernel for.
SYSTEMS = ["native", "win32"] if sys.platform == "linux" else ["native"]


class LockError(Exception):
    """A BirkezError in a player, with its code and facts."""

    def __init__(self, code, facts):
        super().__init__(code, facts)
        self.code, self.facts = code, facts


class Player:
    """One process; its methods are the functions of `player.py`."""

    def __init__(self, system="native", events=None, prefix=()):
        words = [*prefix, sys.executable, str(PLAYER)]
        if system != "native":
            words += ["--win32", str(events)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    @property
    def pid(self):
        return self.process.pid

    def ask(self, name, *args):
        """Start a call without waiting for its answer; see `answer`."""
        self.process.stdin.write(json.dumps([name, *map(_plain, args)]) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            message = f"player ended with {self.process.wait()}"
            raise AssertionError(message)
        answer = json.loads(line)
        if "error" in answer:
            raise LockError(answer["error"], answer["facts"])
        return answer["value"]

    def __getattr__(self, name):
        def call(*args):
            self.ask(name, *args)
            return self.answer()

        return call

    def kill(self):
        """End it as `kill -9` or a power button does, and wait until the system says that it is gone."""
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


def _plain(value):
    return str(value) if isinstance(value, Path) else value


def run_crowd(players, path, folder, rounds):
    """Let all play `crowd` at once; return how often two were inside, and the increments that were lost."""
    (folder / "counter").write_bytes(b"0")
    for player in players:
        player.ask("crowd", path, folder, rounds)
    answers = [player.answer() for player in players]
    increments = int((folder / "counter").read_bytes())
    return sum(answer["met"] for answer in answers), len(players) * rounds - increments
