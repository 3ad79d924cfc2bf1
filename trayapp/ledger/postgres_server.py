"""A connection to the PostgreSQL server that holds a ledger, and what its errors mean.

The one module of the ledger that loads psycopg, inside its functions: whoever keeps to
SQLite neither needs nor loads it.
"""

from __future__ import annotations

from trayapp.errors import BirkezError, SetupError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import psycopg

OLDEST = 130_000  # older ones get no corrections any more
_CONNECT_S = 10
_READ_ONLY = "25006"
_LOCKED = "55P03"
_NO_RIGHT = "42501"


def connect(url: str) -> psycopg.Connection:
    """Connect to *url*; transactions are begun and ended by nobody but the ledger.

    Raises: SetupError `psycopg-missing`, `server-cannot-open` or `server-too-old`.
    """
    try:
        import psycopg  # noqa: PLC0415  # 60 ms, and not installed with most
    except ImportError as error:
        raise SetupError("psycopg-missing", path=shown(url)) from error
    try:
        connection = psycopg.connect(
            url,
            autocommit=True,  # BEGIN and COMMIT are the ledger's own words
            prepare_threshold=None,  # a pooler may give each transaction another session
            connect_timeout=_CONNECT_S,
            client_encoding="UTF8",
            application_name="birkez",
            # A server that vanished is noticed within two minutes, also while we wait for its answer.
            keepalives=1,
            keepalives_idle=30,
            keepalives_interval=30,
            keepalives_count=3,
        )
    except psycopg.Error as error:
        raise SetupError("server-cannot-open", path=shown(url), reason=one_line(error)) from error
    if connection.info.server_version < OLDEST:
        found = connection.info.server_version // 10_000
        connection.close()
        raise SetupError("server-too-old", path=shown(url), found=found, needed=OLDEST // 10_000)
    return connection


def meaning(error: psycopg.Error, url: str, *, lost: bool) -> BirkezError:
    """Say what *error* means for the job; *lost* tells that the connection is gone."""
    path, reason = shown(url), one_line(error)
    if lost:
        return SetupError("server-lost", path=path, reason=reason)
    if error.sqlstate == _LOCKED:
        return SetupError("database-busy", path=path)
    if error.sqlstate == _READ_ONLY:
        return SetupError("server-read-only", path=path)
    if error.sqlstate == _NO_RIGHT:
        return SetupError("server-no-right", path=path, reason=reason)
    return StateError("ledger-damaged", path=path, reason=reason)


def shown(url: str) -> str:
    """Write *url* for people: server, port, database and user, never a password."""
    from urllib.parse import urlsplit  # noqa: PLC0415  # for messages and errors alone

    parts = urlsplit(url)
    user, _, server = parts.netloc.rpartition("@")
    user = user.partition(":")[0]
    return f"postgresql://{user}{'@' if user else ''}{server}{parts.path}"


def one_line(error: BaseException) -> str:
    """First line of what the server said, without white space around it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].strip()
