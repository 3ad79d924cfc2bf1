"""Many documents from a server with faults, six workers, and kills at random moments.

In the end every file is whole, nothing lies beside them, and the server has delivered each
document once, but for those whose delivery a kill, or the server itself, made vain.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from tests.fan_out.server import Reply, Server, document, serving
from tests.fan_out.yard import Yard

RUN_WORKERS, HAND_WORKERS, KILLED_AT_ONCE = 4, 2, 3


class Storm(NamedTuple):
    """What was counted."""

    items: int
    rounds: int
    kills: int
    repeated: int
    asked: int


def behave(item: str, attempt: int) -> Reply:
    """Slow now and then; the first time an error, a cut-off body or a redirect for every seventh or so."""
    if item.startswith("moved-"):
        return Reply(body=document(item.removeprefix("moved-")))
    number = int(item)
    wait_s = 0.02 if number % 50 == 0 else 0.0
    faults = {37: Reply(500, wait_s=wait_s), 41: Reply(cut=30), 43: Reply(cut=30, chunked=True), 47: Reply(drop=True)}
    for divisor, fault in faults.items():
        if attempt == 1 and number % divisor == 0:
            return fault
    if number % 31 == 0:
        return Reply(302, (("Location", f"/doc/moved-{item}"),))
    return Reply(wait_s=wait_s, chunked=number % 2 == 0)


def play(yard: Yard, items: int, rounds: int) -> Storm:
    """Run with four workers and two by hand, three of them killed in each of *rounds*; returns the counts."""
    with serving(behave) as server:
        yard.ids(range(items))
        yard.download_job(server, items=f"workers = {RUN_WORKERS}\nattempts = 9", more="expect = 'json'")
        kills = _storm(yard, items, rounds)
        _finish(yard)
        return _judge(yard, server, items, rounds, kills)


def _storm(yard: Yard, items: int, rounds: int) -> int:
    kills = 0
    run, hands = None, list[subprocess.Popen[str]]()
    for number in range(rounds):
        goal = items * (number + 1) // (rounds + 1)
        while len(os.listdir(yard.out)) < goal if yard.out.exists() else True:
            if run is None or run.poll() is not None:
                run = yard.start("run", "liste")
            hands = [hand for hand in hands if hand.poll() is None]
            while len(hands) < HAND_WORKERS:
                hands.append(yard.start("work", "liste"))
            time.sleep(0.02)
        time.sleep(random.random() * 0.2)
        for pid in random.sample(pids := _workers(yard), min(KILLED_AT_ONCE, len(pids))):
            try:
                os.kill(pid, signal.SIGKILL)
                kills += 1
            except ProcessLookupError:
                continue
    for process in (run, *hands):
        if process is not None:
            process.communicate(timeout=300)
    return kills


def _workers(yard: Yard) -> list[int]:
    from trayapp.process_identity import ProcessIdentity, is_alive

    found = []
    for path in Path(yard.places.items_dir("liste")).glob("*.progress"):
        try:
            facts = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if facts["worker"] and is_alive(ProcessIdentity(*facts["who"])):
            found.append(facts["who"][1])
    return found


def _finish(yard: Yard) -> None:
    """What the kills left is done by the next start, as every night."""
    for _ in range(3):
        if yard.run(timeout=300).returncode == 0:
            return


def _judge(yard: Yard, server: Server, items: int, rounds: int, kills: int) -> Storm:
    targets = yard.targets()
    assert len(targets) == items
    assert all(content == document(name.removesuffix(".json")) for name, content in targets.items())
    assert not (yard.out / ".birkez").exists(), yard.litter()
    delivered = {item: server.delivered[item] + server.delivered[f"moved-{item}"] for item in map(str, range(items))}
    assert min(delivered.values()) >= 1
    # A killed worker had at most one document that was delivered and not published yet, or just being asked for.
    repeated = sum(count - 1 for count in delivered.values())
    assert repeated <= kills, (repeated, kills)
    last = yard.lines()[-1]
    assert last.fields["hatali"] == last.fields["atlanan"] == "0", last
    return Storm(items, rounds, kills, repeated, sum(server.asked.values()))
