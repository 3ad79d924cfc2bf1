"""The tray application with a witness beside it: writes what is shown as JSON lines.

usage: python -m tests.gui.watched_tray FILE [--hidden]

It starts what `birkez tray` starts, on the same main function, and listens to the same
signals as the views do. Nothing in the product knows of it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

BEGAN = time.monotonic()

from trayapp.gui import application  # noqa: E402  # the clock began before it is loaded
from trayapp.gui.state.words import headline, status_words, tooltip, tray_state  # noqa: E402
from trayapp.places import find_places  # noqa: E402


class Witness:
    def __init__(self, path: str) -> None:
        self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115  # to the end of this process

    def write(self, **facts: Any) -> None:
        self._file.write(json.dumps({"at": time.time(), **facts}) + "\n")

    def watch(self, watched: application.Application) -> None:
        context = watched.context
        self.write(icon_after_s=round(time.monotonic() - BEGAN, 3))
        context.store.changed.connect(self._on_snapshot)
        context.log_feed.grew.connect(lambda grown: self.write(lines=[entry.raw for entry in grown]))
        context.run_now.answered.connect(lambda answer: self.write(answer=dict(answer.facts)))

    def _on_snapshot(self, snapshot: Any) -> None:
        jobs = {
            job.id: {
                "kind": job.kind,
                "words": status_words(job, snapshot.at),
                "waiting": job.waiting,
                "pid": job.lock.holder.pid if job.lock.holder else None,
            }
            for job in snapshot.jobs
        }
        self.write(jobs=jobs, icon=tray_state(snapshot), headline=headline(snapshot), tip=tooltip(snapshot))


def main(path: str, *words: str) -> int:
    witness = Witness(path)
    begin = application.Application.start

    def start(watched: application.Application, *, is_hidden: bool) -> None:
        witness.watch(watched)
        begin(watched, is_hidden=is_hidden)

    application.Application.start = start
    return application.main(find_places(), is_hidden="--hidden" in words)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
