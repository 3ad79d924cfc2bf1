"""A real PostgreSQL server for tests: its own folder, its own port, gone with the tests."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile

_USER = "birkez"


def tool(name: str) -> str | None:
    """Path of one of the server's tools; Debian keeps them out of PATH."""
    return shutil.which(name) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)


def what_is_missing() -> str | None:
    """Say in one sentence why no server can be started here; None when one can."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'psycopg[binary]'"
    for name in ("initdb", "postgres"):
        if tool(name) is None:
            return f"PostgreSQL's {name} is not here: apt-get install postgresql"
    if os.geteuid() == 0 and _account() is None:
        return "PostgreSQL refuses to run as root, and there is no user postgres or nobody"
    return None


class Server:
    """A server that listens on a port of this computer alone."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="birkez-pg-", dir="/tmp")
        if os.geteuid() == 0:
            shutil.chown(self.folder, _account())
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._tool("initdb", "-D", f"{self.folder}/data", "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        # fsync stays on: a restart must find what was told as committed.
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._tool("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self._tool("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", mode, "stop")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}"

    def close(self) -> None:
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _tool(self, name: str, *words: str) -> None:
        extra: dict[str, object] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam(_account())
            extra = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        path = tool(name)
        assert path is not None, name
        with open(os.devnull, "w") as nowhere:  # the server keeps what it inherits open
            subprocess.run([path, *words], check=True, cwd=self.folder, stdout=nowhere, stderr=nowhere, **extra)


def _account() -> str | None:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None
