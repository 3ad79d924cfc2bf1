"""`schtasks`, Windows' own program for tasks: started unseen, with a limit, and judged by its exit status.

What it prints beside documents is in the language of Windows: it is quoted to people and
never read. A document goes to it as a file, since `/TR` cuts a long command without a word.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile

from trayapp.errors import TriggerError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ANSWER_WITHIN_S = 60.0  # a second, or some where hundreds of tasks are listed on a busy computer
_GONE_WITHIN_S = 5.0
_FOLDER = "\\Birkez\\"
if sys.platform == "win32":
    _NO_WINDOW = subprocess.CREATE_NO_WINDOW  # else a console would flash up over the tray
else:
    _NO_WINDOW = 0


class Answer(NamedTuple):
    """What the program answered: its exit status, the document that it printed, and its words for people."""

    status: int
    printed: bytes
    said: str


class TaskProgram:
    """The program at the start of *argv*, whose words are in *code_page*.

    Every method raises TriggerError `schtasks-missing` or `schtasks-unanswered`.
    """

    def __init__(self, argv: Sequence[str], code_page: str) -> None:
        self._argv = tuple(argv)
        self._code_page = code_page

    def query(self, path: str) -> Answer:
        """Ask for the document of one task; any status but 0 is given where there is none."""
        return self._run("/Query", "/TN", path, "/XML")

    def list_folder(self) -> Answer:
        """Ask for the documents of all tasks in our folder; where it is missing the status is not 0."""
        return self._run("/Query", "/TN", _FOLDER, "/XML", "ONE")

    def list_all(self) -> Answer:
        """Ask for the documents of all tasks that this user may see, which takes a second and more."""
        return self._run("/Query", "/XML", "ONE")

    def create(self, path: str, document: bytes) -> Answer:
        """Make or replace the task at *path*.

        Raises: TriggerError `task-file-unwritable` where *document* cannot be handed over.
        """
        try:
            descriptor, file_name = tempfile.mkstemp(prefix="birkez-", suffix=".xml")  # for this user's eyes only
        except OSError as error:
            raise _unwritable(tempfile.gettempdir(), error) from error
        try:
            with open(descriptor, "wb") as file:
                file.write(document)
            return self._run("/Create", "/XML", file_name, "/TN", path, "/F")
        except OSError as error:
            raise _unwritable(file_name, error) from error
        finally:
            with contextlib.suppress(OSError):  # a virus scanner may be reading it; it holds nothing secret
                os.unlink(file_name)

    def delete(self, path: str) -> Answer:
        """Delete the task at *path*, without a question."""
        return self._run("/Delete", "/TN", path, "/F")

    def change(self, path: str, *, enabled: bool) -> Answer:
        """Enable or disable the task at *path*, and leave all else in it."""
        return self._run("/Change", "/TN", path, "/ENABLE" if enabled else "/DISABLE")

    def _run(self, *words: str) -> Answer:
        argv = [*(self._argv or (_own_program(),)), *words]
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
        except OSError as error:
            raise TriggerError("schtasks-missing", path=argv[0], reason=error.strerror or str(error)) from error
        with process:
            try:
                printed, said = process.communicate(timeout=_ANSWER_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):  # a child of its own may hold the pipes
                    process.communicate(timeout=_GONE_WITHIN_S)
                raise TriggerError("schtasks-unanswered", waited_s=_ANSWER_WITHIN_S) from None
        words_said = " ".join((said or printed[:500]).decode(self._code_page, "replace").split())
        return Answer(process.returncode, printed, words_said)


def _own_program() -> str:
    if sys.platform != "win32":
        raise TriggerError("schtasks-missing", path="schtasks.exe", reason=sys.platform)
    # By its full path: a schtasks.exe that lies in the current folder or on PATH is not meant.
    return os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "schtasks.exe")


def _unwritable(path: str, error: OSError) -> TriggerError:
    return TriggerError("task-file-unwritable", path=path, reason=error.strerror or str(error))
