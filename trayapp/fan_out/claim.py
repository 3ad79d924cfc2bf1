"""One worker's right to one item: a file beside the targets, made exclusively and held by an OS lock.

Who makes the file is first; who holds its lock is alive. The kernel frees the lock however
a worker ends, so the claim of a dead one is taken over at once, and a living one is never
robbed, however slow it is.

The order that keeps an item from being done twice: take the claim, *then* look whether its
target stands; write a part under a name of this attempt's own; flush it; publish it
without replacing anything; take part and claim away. A worker killed anywhere leaves the
target whole or absent, and at most a claim and a part, which the next to come removes.

Why a part has a name of its own for each attempt: a command may outlive the worker that
started it, and must not write into what another attempt publishes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import time

from trayapp.errors import SetupError
from trayapp.fan_out.names import OWN_FOLDER, fold, folds_case
from trayapp.fan_out.publishing import PROBE, find_publish, unwritable
from trayapp.network_folder import network_kind

if sys.platform == "win32":
    from trayapp.fan_out import lock_on_win32 as system
else:
    from trayapp.fan_out import lock_on_posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CLAIM, _PART = ".claim", ".part"
_STEM_LETTERS = 24
_TRIES = 20  # a claim that vanishes that often between opening and locking is a fault, not luck
_FLUSH_AFTER_S = 0.2
_FLUSH_AFTER_COUNT = 64
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class Targets:
    """The folder of a job's targets, ready to be worked in.

    `folds_case`: it takes `A` and `a` for one file. Not for threads.
    """

    def __init__(self, folder: str) -> None:
        """Make the folder ready.

        Raises: SetupError `targets-on-network`, `targets-unwritable`, `targets-cannot-publish`.
        """
        self.folder = folder
        self.own_folder = os.path.join(folder, OWN_FOLDER)
        kind = network_kind(folder)
        if kind is not None:
            raise SetupError("targets-on-network", path=folder, kind=kind)
        try:
            os.makedirs(folder, exist_ok=True)
            self._make_own_folder()
            self.publish = find_publish(self.own_folder)
        except FileExistsError as error:  # something else has the folder's name
            raise unwritable(folder, OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))) from error
        except OSError as error:
            raise unwritable(folder, error) from error
        self.folds_case = folds_case(folder)
        self._descriptor = -1 if sys.platform == "win32" else os.open(folder, _FOLDER_FLAGS)
        self._unflushed = 0
        self._unflushed_since = 0.0

    def names(self) -> set[str]:
        """Names that stand in the folder now."""
        with os.scandir(self.folder) as entries:
            return {entry.name for entry in entries}

    def has(self, name: str) -> bool:
        """Tell whether something stands at the target *name*: then the item is done."""
        return os.path.lexists(os.path.join(self.folder, name))

    def try_claim(self, name: str) -> Claim | None:
        """Claim the target *name*; None when a living worker has it.

        Raises: SetupError `targets-unwritable`.
        """
        # Folded, so that two ids whose targets are one file on some system share a claim.
        return self._try_claim(hashlib.blake2b(fold(name).encode(), digest_size=_STEM_LETTERS // 2).hexdigest(), name)

    def sweep(self) -> int:
        """Remove what dead workers left; returns how many claims are held by living ones.

        Each claim is taken before its parts are touched, so a living worker loses nothing.
        """
        held = 0
        for stem in set(self._litter().values()):
            claim = self._try_claim(stem, "")
            if claim is None:
                held += 1
            else:
                claim.release()
        return held

    def remove_own_folder(self) -> None:
        """Leave the folder to its targets, where no claim stands in it."""
        try:
            os.rmdir(self.own_folder)
        except OSError:
            return  # somebody is at work in it

    def flush(self, *, at_once: bool = True) -> None:
        """Make published names survive a power cut.

        Not *at_once*, some of them wait for the next: a target that a power cut takes is
        made once more, and was never half.
        """
        if self._descriptor < 0 or not self._unflushed:
            return
        if not at_once and self._unflushed < _FLUSH_AFTER_COUNT:
            now = time.monotonic()
            self._unflushed_since = self._unflushed_since or now
            if now - self._unflushed_since < _FLUSH_AFTER_S:
                return
        os.fsync(self._descriptor)
        self._unflushed, self._unflushed_since = 0, 0.0

    def note_published(self) -> None:
        """Count a name that is not flushed yet."""
        self._unflushed += 1

    def close(self) -> None:
        """Flush, and let the folder go."""
        self.flush()
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def parts(self, stem: str) -> Iterator[str]:
        """Paths of the parts that attempts at one target have left, and of what programs left beside those."""
        for name, its_stem in self._litter().items():
            if its_stem == stem and name != stem + _CLAIM:
                yield os.path.join(self.own_folder, name)

    def _try_claim(self, stem: str, name: str) -> Claim | None:
        path = os.path.join(self.own_folder, stem + _CLAIM)
        for _ in range(_TRIES):
            try:
                taken = system.take(path)
            except FileNotFoundError:
                self._make_own_folder()  # a run that had ended has just removed it
                continue
            except OSError as error:
                if error.errno == errno.ELOOP:  # a link where a claim should be: not ours, and not followed
                    os.unlink(path)
                    continue
                raise unwritable(self.own_folder, error) from error
            if taken is None:
                return None
            descriptor, is_new = taken
            return Claim(self, stem, name, descriptor, is_new=is_new)
        return None

    def _make_own_folder(self) -> None:
        try:
            os.mkdir(self.own_folder)
        except FileExistsError:
            return
        if sys.platform == "win32":
            _hide_on_win32(self.own_folder)

    def _litter(self) -> dict[str, str]:
        """Names of claims, parts and what programs made beside their part, each with its target's stem."""
        try:
            names = os.listdir(self.own_folder)
        except FileNotFoundError:
            return {}
        found = ((name, name.lstrip(".").partition(".")[0]) for name in names)
        return {name: stem for name, stem in found if len(stem) == _STEM_LETTERS or stem.startswith(PROBE)}


class Claim:
    """A claim that is held, until `release` or the end of this process."""

    def __init__(self, targets: Targets, stem: str, name: str, descriptor: int, *, is_new: bool) -> None:
        self._targets = targets
        self._stem = stem
        self._descriptor = descriptor
        self._part = ""
        self.name = name
        self.target = os.path.join(targets.folder, name)
        _held.add(self)
        if not is_new:
            self._remove_parts()  # of a worker that died

    def is_done(self) -> bool:
        """Look at the target once more, now that nobody else can make it."""
        return os.path.lexists(self.target)

    def new_part(self) -> str:
        """Path for this attempt's content, which does not exist yet."""
        name = f"{self._stem}.{os.getpid()}-{os.urandom(4).hex()}{_PART}"
        self._part = os.path.join(self._targets.own_folder, name)
        return self._part

    def publish(self, *, at_once: bool) -> bool:
        """Give the part, which is flushed, its target's name; false when something stands there already.

        *at_once* says whether the name has to survive a power cut from now on, or soon.
        Raises: OSError.
        """
        is_published = self._targets.publish(self._part, self.target)
        if is_published:
            self._part = ""
            self._targets.note_published()
            self._targets.flush(at_once=at_once)
        return is_published

    def release(self) -> None:
        """Take part and claim away. Again, or in a forked child, it does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        _held.discard(self)
        if not self.name:
            self._remove_parts()
        elif self._part:
            _remove(self._part)
        system.give_back(descriptor, os.path.join(self._targets.own_folder, self._stem + _CLAIM))

    def leave_to_parent(self) -> None:
        """Close a forked child's copy: the lock belongs to the open file and would live on in it."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _remove_parts(self) -> None:
        for path in self._targets.parts(self._stem):
            _remove(path)


_held: set[Claim] = set()


def flush_part(path: str) -> bool:
    """Flush a file that somebody else wrote; false when none was written, or none that can be published.

    Raises: OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP or os.path.isdir(path):
            return False
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # noqa: PLC0415  # a program that makes a folder of its output is rare

            shutil.rmtree(path, ignore_errors=True)
        return  # moved to its target, or kept open by a command that outlived its worker: swept later


def _hide_on_win32(folder: str) -> None:
    if sys.platform != "win32":
        raise AssertionError
    import ctypes  # noqa: PLC0415  # only Windows pays

    hidden = 2  # FILE_ATTRIBUTE_HIDDEN
    ctypes.WinDLL("kernel32").SetFileAttributesW(ctypes.c_wchar_p(folder), hidden)


if sys.platform != "win32":

    def _leave_all_to_parent() -> None:
        for claim in tuple(_held):
            claim.leave_to_parent()
        _held.clear()

    os.register_at_fork(after_in_child=_leave_all_to_parent)
