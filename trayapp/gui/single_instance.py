"""One tray application a user and home: the second start asks the first to show itself.

The kernel's lock on a file decides who is first, so a crash leaves nothing that has to be
removed by hand; the local socket beside it only carries the wish. A first that hangs does
not answer, and the second says so instead of ending in silence.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from trayapp import clock
from trayapp.lock.holder import own_holder, read_state
from trayapp.lock.job_lock import try_acquire

if TYPE_CHECKING:
    from trayapp.lock.holder import Holder
    from trayapp.lock.job_lock import JobLock
    from trayapp.places import Places

_ANSWER_MS = 3000  # a busy machine answers within; a frozen application never does
_LONGEST_PATH = 100  # bytes that the address of a Unix socket takes, with some to spare
_WISH, _ANSWER = b"show\n", b"shown\n"


class SingleInstance(QObject):
    """Finds out who is first; `show_requested` when a second start asks."""

    show_requested = Signal()

    def __init__(self, places: Places, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock_path = places.tray_lock
        self._meeting = _Meeting(places)
        self._lock: JobLock | None = None
        self._server: QLocalServer | None = None

    def try_be_first(self) -> bool:
        """Become the one instance; False when another is.

        Raises: SetupError as `try_acquire`, when the state folder takes no lock.
        """
        self._lock = try_acquire(self._lock_path, own_holder("tray", "manual", clock.now()))
        if self._lock is None:
            return False
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._meeting.listen(self._server)
        return True

    def ask_first_to_show(self) -> bool:
        """Ask the first instance to come to the front; False when it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._meeting.find())
        if not socket.waitForConnected(_ANSWER_MS):
            return False
        socket.write(_WISH)
        return socket.waitForBytesWritten(_ANSWER_MS) and socket.waitForReadyRead(_ANSWER_MS)

    def first(self) -> Holder | None:
        """Process that is the first instance, as far as its lock tells."""
        return read_state(self._lock_path).holder

    def close(self) -> None:
        """Let another be first."""
        if self._server is not None:
            self._server.close()
            self._meeting.leave()
        if self._lock is not None:
            self._lock.release()

    def _on_connection(self) -> None:
        assert self._server is not None
        socket = self._server.nextPendingConnection()
        socket.readyRead.connect(lambda: self._on_wish(socket))
        socket.disconnected.connect(socket.deleteLater)

    def _on_wish(self, socket: QLocalSocket) -> None:
        if socket.canReadLine() and bytes(socket.readLine().data()) == _WISH:
            socket.write(_ANSWER)
            socket.flush()
            self.show_requested.emit()


class _Meeting:
    """Where the socket is: beside the lock, or where that path cannot be used, where a link beside the lock points.

    An address of a Unix socket takes about a hundred bytes. The folder for such a one is made
    anew at each start, for this user alone: in a folder that all users share, any fixed name
    may be somebody else's already.
    """

    def __init__(self, places: Places) -> None:
        self._beside = places.tray_socket
        self._link = f"{places.tray_socket}-at"
        digest = hashlib.sha256(os.fsencode(os.path.realpath(places.state))).hexdigest()[:32]
        self._pipe = f"birkez-{digest}"  # on Windows; the state folder is the user's own, so it names the user too
        self._folder = ""

    def find(self) -> str:
        """Address at which the first instance listens."""
        if sys.platform == "win32":
            return self._pipe
        try:
            return os.readlink(self._link)
        except OSError:
            return self._beside

    def listen(self, server: QLocalServer) -> None:
        """Have *server* listen, whatever a killed instance or somebody else left; called by the first alone."""
        if sys.platform == "win32":
            server.listen(self._pipe)
            return
        self._clear()
        if len(os.fsencode(self._beside)) <= _LONGEST_PATH:
            QLocalServer.removeServer(self._beside)  # of one that was killed; nobody else can be listening now
            if server.listen(self._beside):
                return
        self._folder = tempfile.mkdtemp(prefix="birkez-", dir=os.environ.get("XDG_RUNTIME_DIR"))
        address = os.path.join(self._folder, "tray")
        if server.listen(address):
            os.symlink(address, self._link)

    def leave(self) -> None:
        """Take away what `listen` made, after the server was closed."""
        if self._folder:
            self._clear()

    def _clear(self) -> None:
        """Take away the link, and the folder that it points into where that is ours."""
        if sys.platform == "win32":
            return
        with contextlib.suppress(OSError):  # there is none, or it is not ours to remove
            address = os.readlink(self._link)
            os.unlink(self._link)
            folder = os.path.dirname(address)
            if os.path.basename(folder).startswith("birkez-") and os.lstat(folder).st_uid == os.getuid():
                with contextlib.suppress(FileNotFoundError):  # a server that was closed has removed it
                    os.unlink(address)
                os.rmdir(folder)
