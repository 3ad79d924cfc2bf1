"""A worker as a process: one of a run's, or one that a person adds beside them.

A run's worker ends when its run does: its standard input is a pipe from the run, and when
that closes, however the run ended, the worker finishes or releases its item and leaves.
Ctrl-C in a terminal reaches all processes in it, so a run's worker leaves that to its run.
"""

from __future__ import annotations

import os
import signal
import threading

from trayapp.effect.interruption import Interruption
from trayapp.errors import BirkezError
from trayapp.fan_out.hosts import Hosts
from trayapp.fan_out.place import Place
from trayapp.fan_out.progress import Line, tell
from trayapp.fan_out.worker import Worker
from trayapp.job.model import CommandEffect, DownloadEffect, PythonEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.effect.item.unit import ItemUnit, Maker
    from trayapp.errors import EffectError
    from trayapp.fan_out.place import Standing
    from trayapp.fan_out.worker import Ended
    from trayapp.job.model import Job
    from trayapp.places import Places


def work(places: Places, job: Job, run: str, begin: float, stop: Callable[[], bool]) -> tuple[Ended, Standing]:
    """Work in this process until nothing is left to claim, or *stop* says so; *begin* is where, from 0 to 1.

    Also returns how the list stands then.
    Raises: SetupError, StateError: what stops every worker here.
    """
    place = Place(places, job, run)
    try:
        place.join()
        standing = place.standing()
        line = Line(place.folder, standing.total, standing.done, standing.failed)
        maker = _maker(places, place, line)
        per_host = job.effect.per_host if isinstance(job.effect, DownloadEffect) else 0
        try:
            ended = Worker(place, maker, Hosts(place.failures, place.folder, per_host), line, stop).work(begin)
        finally:
            maker.close()
            line.close()
        place.targets.flush()
        return ended, place.standing()
    finally:
        place.close()


def serve(places: Places, job: Job, run: str, number: int, begin: float) -> int:
    """Be the run's worker *number*: end with its standard input, and leave word of what came of it.

    Returns the exit status.
    """
    interruption = Interruption()
    interruption.install()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_has_ended = threading.Event()
    threading.Thread(target=_wait_for_end, args=(run_has_ended,), daemon=True).start()
    told: dict[str, object] = {}
    status = 0
    try:
        ended, _ = work(places, job, run, begin, lambda: run_has_ended.is_set() or interruption.asked())
        told = ended._asdict()
    except BirkezError as error:
        facts = {name: value for name, value in error.facts.items() if isinstance(value, str | int | float)}
        told = {"error": type(error).__name__, "code": error.code, "facts": facts}
        status = error.exit_status
    tell(places.items_dir(job.id), run, number, told)
    return status


def _wait_for_end(ended: threading.Event) -> None:
    try:
        while os.read(0, 1):
            pass
    except OSError:
        pass  # no standard input: then nobody waits for us
    ended.set()


def _maker(places: Places, place: Place, line: Line) -> Maker:
    effect = place.job.effect
    output_path = places.output_file(place.job.id, f"{place.run}.{os.getpid()}")
    # Each of them loads what the others never need: a library for HTTP, processes, the user's code.
    if isinstance(effect, DownloadEffect):
        from trayapp.effect.item.download import Downloader  # noqa: PLC0415

        return Downloader(effect)
    if isinstance(effect, CommandEffect):
        from trayapp.effect.item.command import ItemCommand  # noqa: PLC0415

        return ItemCommand(effect, output_path)
    from trayapp.effect.item.python import ItemFunction  # noqa: PLC0415

    assert isinstance(effect, PythonEffect)  # a script in a database has no items

    def record(unit: ItemUnit, error: EffectError) -> None:
        name = unit.key.partition(":")[2]
        attempt = place.failures.add(name, unit.id, error, is_final=False)
        line.add(failed=attempt >= place.attempts)
        line.write()

    return ItemFunction(effect, output_path, record)
