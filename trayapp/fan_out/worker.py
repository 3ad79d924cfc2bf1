"""One worker: walks the list from its own place and makes what nobody has made or is making.

Each worker begins elsewhere, so that they seldom meet. What others did is learnt by one
look at the whole folder at the start, and again after some dozens of items in a row that
others had; a look costs less than asking for each.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import time

from trayapp.effect.interruption import Interrupted
from trayapp.effect.item.unit import ItemFailedError, ItemUnit
from trayapp.errors import EffectError
from trayapp.fan_out.claim import flush_part
from trayapp.fan_out.items import digest_of
from trayapp.fan_out.publishing import is_in_use, unwritable
from trayapp.fan_out.writers import is_closed
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.effect.item.unit import Maker
    from trayapp.fan_out.claim import Claim
    from trayapp.fan_out.hosts import Hosts
    from trayapp.fan_out.items import Item
    from trayapp.fan_out.place import Place
    from trayapp.fan_out.progress import Line

_LOOK_AFTER = 64  # items in a row that others had
_LONGEST_WAIT_S = 300.0  # what is not due by then waits for the next run
_TICK_S = 0.2
_FULL_BYTES = 1 << 16
_BUSY_S = 0.1  # until a place at a server may be free
_BAD_NAME = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)

_MADE, _THERE, _HELD, _GONE = -1.0, -2.0, -3.0, -4.0  # instead of the seconds to wait


class Ended(NamedTuple):
    """What came of one worker: items made and finally failed by it, and why it left others, where it did."""

    made: int
    failed: int
    is_stopped: bool = False
    unreachable: tuple[str, ...] = ()


class Worker:
    """One process's work on a list. *stop* tells whether to end soon."""

    def __init__(self, place: Place, maker: Maker, hosts: Hosts, line: Line, stop: Callable[[], bool]) -> None:
        self._place = place
        self._maker = maker
        self._hosts = hosts
        self._line = line
        self._stop = stop
        self._misses = 0
        self._look_after = _LOOK_AFTER
        self._unreachable: set[str] = set()

    def work(self, begin: float) -> Ended:
        """Work until nothing is left to claim; *begin* is where in the list, from 0 to 1.

        Raises: SetupError when the environment stops all, such as a full disk.
        """
        items = self._place.items
        first = int(len(items) * begin) % max(1, len(items))
        have = self._place.targets.names()
        todo = [index for index in (*range(first, len(items)), *range(first)) if items.names[index] not in have]
        try:
            while todo and not self._stop():
                todo, wait_s = self._walk(todo)
                if wait_s > _LONGEST_WAIT_S:
                    break  # others have what is left, or it is not for this run
                self._wait(wait_s)
        except Interrupted:
            pass
        finally:
            self._hosts.leave_slot()
        return Ended(self._line.done, self._line.failed, self._stop(), tuple(sorted(self._unreachable)))

    def _walk(self, todo: list[int]) -> tuple[list[int], float]:
        """Go through *todo* once; returns what is left, and after how long to go through that."""
        names, kept, have = self._place.items.names, list[int](), set[str]()
        shortest_s, has_made = math.inf, False
        for index in todo:
            if self._stop():
                break
            if names[index] in have:
                continue
            answer = self._try(index)
            if answer in (_THERE, _HELD):
                self._misses += 1
                if self._misses >= self._look_after:
                    have = self._place.targets.names()
                    self._misses, self._look_after = 0, self._look_after * 2
            elif answer == _MADE:
                self._misses, has_made = 0, True
            if answer == _HELD or answer >= 0:
                kept.append(index)
            if answer >= 0:
                shortest_s = min(shortest_s, answer)
        # Who held an item may have died since: one more look, at least after work of our own.
        return kept, 0.0 if has_made and kept else shortest_s

    def _try(self, index: int) -> float:
        """Make one item if it can be made now; else say why not, or in how many seconds it can."""
        name = self._place.items.names[index]
        if self._place.targets.has(name):
            return _THERE
        item = self._place.items.item(index)
        host = self._maker.host_of({**item.fields, "item": item.id})
        if host:
            wait_s = self._hosts.wait_s(host)
            if wait_s > 0:
                if wait_s > _LONGEST_WAIT_S:
                    self._unreachable.add(host)
                return wait_s
            if not self._hosts.try_slot(host):
                return _BUSY_S
        claim = self._place.targets.try_claim(name)
        if claim is None:
            return _HELD
        try:
            return self._make(item, claim, host)
        finally:
            claim.release()

    def _make(self, item: Item, claim: Claim, host: str) -> float:
        if claim.is_done():
            return _THERE
        failures = self._place.failures
        failure = failures.get(item.name)
        if failure is not None and failure.has_failed(self._place.attempts):
            return _GONE
        if failure is not None and failure.wait_s(time.time()):
            return failure.wait_s(time.time())
        unit = self._place.unit(item, claim.new_part())
        try:
            if not self._publish(unit, claim):
                return _THERE
        except ItemFailedError as failed:
            self._refuse_full_disk(failed)
            return self._note(item, failed, host)
        if host:
            self._hosts.note_answer(host)
        if failure is not None:
            failures.clear(item.name)
        self._line.add(done=1)
        return _MADE

    def _publish(self, unit: ItemUnit, claim: Claim) -> bool:
        before = _identity(unit.input)
        try:
            is_flushed = self._maker.make(unit, self._stop)
            if not is_flushed:
                self._refuse_unwhole(unit)
            if _identity(unit.input) != before or not _is_as_listed(unit, claim):
                raise ItemFailedError(EffectError("item-changed", item=unit.id, path=unit.input), counts=False)
            return claim.publish(at_once=not self._maker.is_repeatable)
        except OSError as error:
            if is_in_use(error):
                raise ItemFailedError(EffectError("item-still-written", item=unit.id)) from error
            if error.errno in _BAD_NAME:
                reason = error.strerror or str(error)
                bad = EffectError("item-name-refused", item=unit.id, name=claim.name, reason=reason)
                raise ItemFailedError(bad, is_final=True) from error
            raise unwritable(self._place.targets.folder, error) from error

    def _refuse_unwhole(self, unit: ItemUnit) -> None:
        if not is_closed(unit.output, self._maker.closing_s, self._stop):
            if self._stop():
                raise Interrupted
            raise ItemFailedError(EffectError("item-still-written", item=unit.id))
        if not flush_part(unit.output):
            raise ItemFailedError(EffectError("item-no-output", item=unit.id, output=unit.output))

    def _refuse_full_disk(self, failed: ItemFailedError) -> None:
        """A program seldom says why it failed: what a full disk fails is no fault of the item's."""
        folder = self._place.targets.folder
        if failed.counts and not failed.is_final and shutil.disk_usage(folder).free < _FULL_BYTES:
            raise unwritable(folder, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) from failed

    def _note(self, item: Item, failed: ItemFailedError, host: str) -> float:
        if host:
            self._hosts.note_failure(host, failed)
        if not failed.counts:
            return self._hosts.wait_s(host) if host and failed.strikes_host else math.inf
        attempt = self._place.failures.add(
            item.name, item.id, failed.error, is_final=failed.is_final, wait_s=failed.wait_s
        )
        if failed.is_final or attempt >= self._place.attempts:
            self._line.add(failed=1)
            return _GONE
        failure = self._place.failures.get(item.name)
        return failure.wait_s(time.time()) if failure is not None else 0.0

    def _wait(self, seconds: float) -> None:
        if seconds > _BUSY_S:
            self._hosts.leave_slot()
            self._place.targets.flush()
        deadline = time.monotonic() + seconds
        while (left_s := deadline - time.monotonic()) > 0 and not self._stop():
            self._line.add()
            time.sleep(min(left_s, _TICK_S))


def _is_as_listed(unit: ItemUnit, claim: Claim) -> bool:
    """Tell whether the file that was worked on has the content after which its target is named: the list is older."""
    try:
        return not unit.input or digest_of(unit.input) in claim.name
    except OSError:
        return False


def _identity(path: str) -> tuple[int, ...] | None:
    if not path:
        return None
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
