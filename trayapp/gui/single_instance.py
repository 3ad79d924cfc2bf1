"""One tray application a user and home: the second start asks the first to show itself.

The kernel's lock on a file decides who is first, so a crash leaves nothing that has to be
removed by hand; the local socket beside it only carries the wish. A first that hangs does
not answer, and the second says so instead of ending in silence.
"""

from __future__ import annotations

import hashlib
import os
import sys
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
        self._address = _address(places)
        self._lock: JobLock | None = None
        self._server: QLocalServer | None = None

    def try_be_first(self) -> bool:
        """Become the one instance; False when another is.

        Raises: SetupError as `try_acquire`, when the state folder takes no lock.
        """
        self._lock = try_acquire(self._lock_path, own_holder("tray", "manual", clock.now()))
        if self._lock is None:
            return False
        QLocalServer.removeServer(self._address)  # of one that was killed; nobody else can be listening now
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._server.listen(self._address)
        return True

    def ask_first_to_show(self) -> bool:
        """Ask the first instance to come to the front; False when it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._address)
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


def _address(places: Places) -> str:
    """Address of the socket: beside the lock, or where that path is too long, in the user's own runtime folder."""
    path = places.tray_socket
    if sys.platform != "win32" and len(os.fsencode(path)) <= _LONGEST_PATH:
        return path
    digest = hashlib.sha256(os.fsencode(os.path.realpath(places.state))).hexdigest()[:32]
    if sys.platform == "win32":
        return f"birkez-{digest}"  # the state folder is the user's own, so its digest names the user too
    return os.path.join(os.environ.get("XDG_RUNTIME_DIR") or "/tmp", f"birkez-{os.getuid()}-{digest}")  # noqa: S108  # owner-only socket
