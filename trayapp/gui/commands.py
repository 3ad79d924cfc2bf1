"""Starting `birkez` as a process of its own: whatever does something is done there.

The processes belong to nobody: they are in a session of their own, write into files and
not into our pipes, and go on when the tray ends, is killed or is closed with its terminal.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from typing import IO, TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from trayapp.exit_code import DONE
from trayapp.own_command import own_argv, own_environment
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_S = 0.1  # while somebody waits for it and may stop it
_STOP_PATIENCE_S = 20.0  # a program that it started has ten seconds to finish
_MOST_OUTPUT = 16 << 20  # bytes that are read of what a command wrote


class Done(NamedTuple):
    """A command that has ended. `status` is None when it could not be started or took too long."""

    status: int | None
    output: str
    errors: str

    @property
    def is_good(self) -> bool:
        """Tell whether it did what it was asked for."""
        return self.status == DONE

    @property
    def complaint(self) -> str:
        """What it said on its error output, without the name in front."""
        return "\n".join(line.removeprefix("birkez: ") for line in self.errors.strip().splitlines())

    def json(self) -> dict[str, Any]:
        """What it told a program (`--json`); empty when it told nothing that can be read."""
        try:
            value = json.loads(self.output)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


class Commands(QObject):
    """Starts commands and brings their ends to the GUI thread."""

    complained = Signal(str)  # of a command that nobody waits for: what it could not do, and why
    _ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ended.connect(_hand_over)

    def ask(
        self,
        words: list[str],
        then: Callable[[Done], None],
        timeout_s: float | None = 120,
        stop: threading.Event | None = None,
    ) -> None:
        """Start `birkez` *words*; *then* is called here, in the GUI thread, when it has ended.

        After *timeout_s* it is ended and told as such; None waits as long as it takes,
        and never ends it: a run. One that *stop* is given for is asked to end once that is set.
        """
        threading.Thread(target=self._follow, args=(words, then, timeout_s, stop), daemon=True).start()

    def do(self, words: list[str], then: Callable[[], object] | None = None) -> None:
        """Start `birkez` *words*; what it complains of is told by `complained`, then *then* is called."""
        self.ask(words, lambda done: self._on_done(done, then))

    def _on_done(self, done: Done, then: Callable[[], object] | None) -> None:
        if not done.is_good:
            self.complained.emit(done.complaint or done.output.strip())
        if then is not None:
            then()

    def _follow(
        self,
        words: list[str],
        then: Callable[[Done], None],
        timeout_s: float | None,
        stop: threading.Event | None = None,
    ) -> None:
        done = run_birkez(words, timeout_s, stop)
        try:
            self._ended.emit(then, done)
        except RuntimeError:
            return  # the application has ended meanwhile


def run_birkez(words: list[str], timeout_s: float | None = None, stop: threading.Event | None = None) -> Done:
    """Run `birkez` *words* to its end; blocks, so not for the GUI thread. Never raises."""
    try:
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = _start(words, output, errors)
            try:
                if stop is not None:
                    _wait_or_stop(process, stop)
                status: int | None = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = None
            return Done(status, _text_of(output), _text_of(errors))
    except OSError as error:
        return Done(None, "", error.strerror or str(error))


def _wait_or_stop(process: subprocess.Popen[bytes], stop: threading.Event) -> None:
    """Wait until the process has ended, or *stop* is set: then ask it to end, and in the end make it."""
    while process.poll() is None:
        if stop.wait(_LOOK_S):
            process.terminate()
            try:
                process.wait(_STOP_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
            return


def _start(words: list[str], output: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        own_argv(*words),
        env={**own_environment(), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        creationflags=flags,
        start_new_session=sys.platform != "win32",
    )


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_OUTPUT).decode("utf-8", "backslashreplace").replace("\r\n", "\n")


def _hand_over(then: Callable[[Done], None], done: Done) -> None:
    then(done)
