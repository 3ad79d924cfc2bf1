"""A trial of a job with a list: one entry is made into a folder of the trial's own, looked at, and thrown away.

Nothing is claimed, nothing stands at the target, no failure is counted.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from trayapp.effect.item.unit import ItemFailedError, ItemUnit
from trayapp.errors import EffectError, SetupError, UsageError
from trayapp.fan_out.items import read_items
from trayapp.fan_out.names import folds_case
from trayapp.job.model import CommandEffect, DownloadEffect, PythonEffect
from trayapp.runner.trial import RUN, be_bare, read_output
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.effect.item.unit import Maker
    from trayapp.errors import BirkezError
    from trayapp.fan_out.items import Item
    from trayapp.job.model import Job

_HEAD_BYTES = 400


class ItemTrial(NamedTuple):
    """What came of it: `size` bytes were made, of which `head` are the first as text; "" for what is no text."""

    item: str
    target: str
    size: int = 0
    head: str = ""
    output: str = ""
    duration_ms: int = 0
    error: BirkezError | None = None


def try_item(job: Job, stop: Callable[[], bool], leave: Callable[[EffectError], None]) -> ItemTrial:
    """Make the first entry that is not done yet, or else the first of all.

    This process's own environment becomes as bare as the scheduler's: it is to be one of
    the trial's own. *leave* is called from another thread when Python code hangs.
    Raises: SetupError for a list that cannot be read, UsageError `trial-list-empty`, Interrupted.
    """
    item = _first_item(job)
    folder = tempfile.mkdtemp(prefix="birkez-")
    output_path = os.path.join(folder, "output")
    file = os.path.join(folder, "made" + os.path.splitext(item.name)[1])
    trial = ItemTrial(item.id, item.name)
    be_bare()
    maker = _maker(job, output_path, lambda _unit, error: leave(error))
    began_s = time.monotonic()
    try:
        maker.make(ItemUnit(job.id, RUN, item.id, f"{RUN}:{item.name}", file, item.fields, item.input), stop)
        trial = _with_file(trial, file)
    except ItemFailedError as failed:
        trial = trial._replace(error=failed.error)
    except EffectError as error:
        trial = trial._replace(error=error)
    finally:
        maker.close()
        output = read_output(output_path)
        shutil.rmtree(folder, ignore_errors=True)
    return trial._replace(output=output, duration_ms=int((time.monotonic() - began_s) * 1000))


def _first_item(job: Job) -> Item:
    assert job.items is not None  # a caller's bug
    found = read_items(job.items, folds_case=folds_case(job.items.folder))
    if not found.ids:
        raise UsageError("trial-list-empty", source=job.items.source)
    try:
        have = set(os.listdir(job.items.folder))
    except OSError:
        have = set()  # the first run will make it, or tell what ails it
    index = next((index for index, name in enumerate(found.names) if name not in have), 0)
    return found.item(index)


def _maker(job: Job, output_path: str, hung: Callable[[ItemUnit, EffectError], None]) -> Maker:
    effect = job.effect
    if isinstance(effect, DownloadEffect):
        from trayapp.effect.item.download import Downloader  # noqa: PLC0415  # loads a library

        return Downloader(effect)
    if isinstance(effect, CommandEffect):
        from trayapp.effect.item.command import ItemCommand  # noqa: PLC0415  # processes

        return ItemCommand(effect, output_path)
    from trayapp.effect.item.python import ItemFunction  # noqa: PLC0415  # the user's code

    assert isinstance(effect, PythonEffect)  # a script in a database has no items
    return ItemFunction(effect, output_path, hung)


def _with_file(trial: ItemTrial, file: str) -> ItemTrial:
    try:
        with open(file, "rb") as made:
            data = made.read(_HEAD_BYTES)
        size = os.stat(file).st_size
    except FileNotFoundError:
        return trial._replace(error=EffectError("trial-nothing-made", item=trial.item))
    except OSError as error:
        raise SetupError("trial-unreadable", path=file, reason=error.strerror or str(error)) from error
    text = data.decode("utf-8", "ignore")
    is_text = all(letter.isprintable() or letter in "\r\n\t" for letter in text) and bool(text)
    return trial._replace(size=size, head=text if is_text else "")
