"""What a server is asked, what of it may go along to another server, and what an error of the library's means."""

from __future__ import annotations

import base64
from http import HTTPStatus
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from urllib3.exceptions import (
    DecodeError,
    LocationValueError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    ResponseError,
    SSLError,
    TimeoutError,  # noqa: A004  # urllib3's own
)

from trayapp.effect.item.unit import ItemFailedError
from trayapp.errors import EffectError
from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

SILENCE_S = 30.0  # without a byte, whatever the time limit is
_QUOTED_REASON = 200  # letters of what a library says
_PORTS = {"http": 80, "https": 443}
# Headers that hold no secret; every other one stays with the server that it was written for.
_HARMLESS = frozenset(("accept", "accept-encoding", "accept-language", "user-agent", "content-type"))


class Ask(NamedTuple):
    """One request."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None


def is_address(url: str) -> bool:
    """Tell whether *url* names a server that can be asked."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in _PORTS and bool(parts.hostname) and _port(parts) > 0
    except ValueError:
        return False


def first_ask(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Ask:
    """Request for *url*, whose name and password go where they belong."""
    authorization = _basic(url)
    if authorization and not any(name.lower() == "authorization" for name in headers):
        headers = {**headers, "Authorization": authorization}
    return Ask(method, without_password(url), headers, body)


def asked_at(ask: Ask, location: str, status: int) -> Ask:
    """Request that follows from *ask* where its server leads to *location*.

    Raises: ResponseError where that is no server, or another that would get what was posted.
    """
    url = urljoin(ask.url, location)
    if not is_address(url):
        raise ResponseError(url[:_QUOTED_REASON])
    method, body, headers = ask.method, ask.body, ask.headers
    if status == HTTPStatus.SEE_OTHER:
        method, body = "GET", None
    if not _is_same_server(ask.url, url):
        if body is not None:
            raise ResponseError(url[:_QUOTED_REASON])
        headers = {name: value for name, value in headers.items() if name.lower() in _HARMLESS}
    return Ask(method, without_password(url), headers, body)


def proxy_headers(proxy: str) -> Mapping[str, str]:
    """What a proxy wants to be told by whoever has a name and a password in its address."""
    authorization = _basic(proxy)
    return {"Proxy-Authorization": authorization} if authorization else {}


def without_password(url: str) -> str:
    """Same address without a name and password in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def _basic(url: str) -> str:
    name, has_name, _ = urlsplit(url).netloc.rpartition("@")
    return "Basic " + base64.b64encode(unquote(name).encode()).decode() if has_name else ""


def _is_same_server(one: str, other: str) -> bool:
    first, second = urlsplit(one), urlsplit(other)
    if first.hostname != second.hostname:
        return False
    ways = (first.scheme, _port(first)), (second.scheme, _port(second))
    return ways[0] == ways[1] or ways == (("http", 80), ("https", 443))


def _port(parts: SplitResult) -> int:
    return parts.port if parts.port is not None else _PORTS[parts.scheme.lower()]


def failure_of(error: Exception, url: str) -> ItemFailedError:
    """What came of a request that ended in an *error* of the library's."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        error = error.reason
    if isinstance(error, (NewConnectionError, ProxyError, SSLError)) or (
        isinstance(error, TimeoutError) and not isinstance(error, ReadTimeoutError)
    ):
        unreached = EffectError("download-unreachable", url=url, reason=_reason(error))
        return ItemFailedError(unreached, strikes_host=True, counts=False)
    if isinstance(error, ReadTimeoutError):
        return ItemFailedError(EffectError("download-timed-out", url=url, seconds=SILENCE_S), strikes_host=True)
    if isinstance(error, (ProtocolError, DecodeError)):
        return ItemFailedError(EffectError("download-cut-off", url=url, reason=_reason(error)))
    if isinstance(error, (ResponseError, LocationValueError)):
        return ItemFailedError(EffectError("download-astray", url=url, reason=_reason(error)))
    return ItemFailedError(EffectError("download-failed", url=url, reason=_reason(error)))


def _reason(error: Exception) -> str:
    """What the library says, without the Python object that it names first."""
    text = str(error)
    return (text.rpartition(">: ")[2] or text)[:_QUOTED_REASON]
