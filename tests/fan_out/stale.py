"""Eight workers that meet one stale claim at the same moment, again and again; two witnesses must agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import CHECKOUT
from trayapp.fan_out.claim import Targets

WORKERS = 8
PLAYER = """
import os, sys, time
from trayapp.fan_out.claim import Targets
out, rounds, me = sys.argv[1], int(sys.argv[2]), sys.argv[3]
targets = Targets(out)
for number in range(rounds):
    line = sys.stdin.readline()
    name = line.strip()
    done = ""
    while not targets.has(name):
        claim = targets.try_claim(name)
        if claim is None:
            continue
        try:
            if claim.is_done():
                continue
            fd = os.open(out + "/../" + name + ".inside", os.O_CREAT | os.O_EXCL)  # one at a time
            part = claim.new_part()
            with open(part, "wb") as file:
                file.write(me.encode())
            done = "won" if claim.publish(at_once=False) else "late"
            os.close(fd)
            os.unlink(out + "/../" + name + ".inside")
        finally:
            claim.release()
    print(done, flush=True)
targets.close()
"""


def play(folder: Path, rounds: int) -> None:
    """Play *rounds*; each has one winner, whose file stands, and nobody was inside beside another."""
    out = folder / "out"
    out.mkdir(parents=True)
    (out / ".birkez").mkdir()
    players = [
        subprocess.Popen(
            [sys.executable, "-c", PLAYER, str(out), str(rounds), str(number)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for number in range(WORKERS)
    ]
    try:
        for number in range(rounds):
            name = f"item-{number}.json"
            leave_stale(out, name)
            for player in players:
                assert player.stdin is not None
                player.stdin.write(name + "\n")
                player.stdin.flush()
            said = [player.stdout.readline().strip() for player in players if player.stdout is not None]
            assert sorted(said) == [""] * (WORKERS - 1) + ["won"], (number, said)
            assert (out / name).read_text() == str(said.index("won")), number
        if sys.platform == "win32":  # who just looks at a claim keeps its owner from removing it
            targets = Targets(str(out))
            targets.sweep()
            targets.close()
        assert os.listdir(out / ".birkez") == []
    finally:
        for player in players:
            player.kill()
            player.communicate()


def leave_stale(out: Path, name: str) -> None:
    """What a worker leaves that was killed half-way: a claim without an owner, and a part."""
    import hashlib

    stem = hashlib.blake2b(name.encode(), digest_size=12).hexdigest()
    (out / ".birkez" / f"{stem}.claim").touch()
    (out / ".birkez" / f"{stem}.1-dead.part").write_bytes(b"hal")
