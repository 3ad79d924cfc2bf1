"""Where a job's workers meet: its list, its targets, what failed so far, and the lock that they share."""

from __future__ import annotations

import time

from trayapp.effect.item.unit import ItemUnit
from trayapp.errors import SetupError, StateError
from trayapp.fan_out import progress
from trayapp.fan_out.claim import Targets
from trayapp.fan_out.failures import Failures
from trayapp.fan_out.items import read_items
from trayapp.lock.shared_lock import SharedLock
from trayapp.network_folder import network_kind
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.fan_out.items import Item
    from trayapp.job.model import Job
    from trayapp.places import Places


class Standing(NamedTuple):
    """How the items of a list stand: `waiting` are neither done nor failed, `refused` are lines that are none."""

    total: int
    done: int
    failed: int
    waiting: int
    refused: int


class Place:
    """One process's place among a job's workers, from `open_place` to `close`."""

    def __init__(self, places: Places, job: Job, run: str) -> None:
        assert job.items is not None  # a caller's bug
        self.job = job
        self.run = run
        self.attempts = job.items.attempts
        self.folder = places.items_dir(job.id)
        self.targets = Targets(job.items.folder)
        self.items = read_items(job.items, folds_case=self.targets.folds_case)
        self.failures = Failures(self.folder)
        self._lock = SharedLock(places.workers_file(job.id))

    def join(self) -> None:
        """Take the lock that workers share; who finds nobody else there tidies up first.

        Raises: StateError `job-being-removed`; SetupError `lock-on-network`, `workers-lock-unusable`.
        """
        kind = network_kind(self._lock.path)
        if kind is not None:
            raise SetupError("lock-on-network", path=self._lock.path, kind=kind)
        try:
            if self._lock.take_alone():
                self.targets.sweep()
                progress.begin(self.folder)
                self.failures.forget_hosts()
                self._lock.release()
            if not self._lock.share():
                raise StateError("job-being-removed", job=self.job.id)
        except OSError as error:
            raise SetupError("workers-lock-unusable", job=self.job.id, reason=error.strerror or str(error)) from error

    def close(self) -> None:
        """Let go of everything, whatever has happened; the last one here tidies up."""
        self.failures.close()
        try:
            self.targets.close()
        finally:
            self._leave()

    def _leave(self) -> None:
        self._lock.release()
        try:
            if self._lock.take_alone():
                self.targets.sweep()
                self.targets.remove_own_folder()
        except OSError:
            return  # what lies there is swept next time
        finally:
            self._lock.release()

    def unit(self, item: Item, output: str) -> ItemUnit:
        """*item* as an effect gets it."""
        key = f"{self.job.id}:{item.name}"
        return ItemUnit(self.job.id, self.run, item.id, key, output, item.fields, item.input)

    def standing(self) -> Standing:
        """Count the items as they stand now."""
        return count_standing(self.items.names, self.targets.names(), self._failed(), len(self.items.refused))

    def open_indices(self) -> list[int]:
        """Items that are neither done nor failed."""
        have, failed = self.targets.names(), self._failed()
        return [index for index, name in enumerate(self.items.names) if name not in have and name not in failed]

    def is_due_within(self, index: int, seconds: float) -> bool:
        """Tell whether an item that failed may be tried again by then."""
        failure = self.failures.get(self.items.names[index])
        return failure is None or failure.wait_s(time.time()) <= seconds

    def _failed(self) -> set[str]:
        return {name for name, failure in self.failures.all().items() if failure.has_failed(self.attempts)}


def count_standing(names: list[str], have: set[str], failed: set[str], refused: int) -> Standing:
    """Count a list whose targets *have* been made and *failed*, by their names."""
    done = sum(name in have for name in names)
    lost = sum(name in failed and name not in have for name in names)
    return Standing(len(names), done, lost, len(names) - done - lost, refused)
