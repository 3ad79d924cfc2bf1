"""The `download` effect: one document is fetched, checked to be complete, and written down flushed.

What a server says about one item (404, 410) is told apart from what says that the server
itself is in trouble, so that a dead one is not asked ten thousand times.
Certificates are the system's own, which a company's network may have added to, and so
are the proxies. One pool of connections serves all items of a worker.
"""

from __future__ import annotations

import os
import time
import urllib.request
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.exceptions import (
    DecodeError,
    HTTPError,
    InvalidHeader,
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

from trayapp.effect.interruption import Interrupted
from trayapp.effect.item.unit import ItemFailedError, Maker, fill
from trayapp.errors import EffectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trayapp.effect.item.unit import ItemUnit
    from trayapp.job.model import DownloadEffect

_CONNECT_S = 10.0
_SILENCE_S = 30.0  # without a byte, whatever the time limit is
_CHUNK_BYTES = 1 << 16
_REDIRECTS = 10
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_PARTIAL = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.PARTIAL_CONTENT)
_PLEASE_WAIT = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_LONGEST_WAIT_S = 86_400.0
_QUOTED_REASON = 200  # letters of what a library says
_OWN_HEADERS = {"User-Agent": "birkez", "Accept-Encoding": "gzip"}
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Downloader(Maker):
    """Downloads by one job's settings."""

    is_repeatable = True

    def __init__(self, effect: DownloadEffect) -> None:
        self._effect = effect
        self._headers = {**_OWN_HEADERS, **dict(effect.headers)}
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._proxies = urllib.request.getproxies()
        # Errors of a connection come up as they are; only redirects are followed on the way.
        self._retries = urllib3.Retry(total=None, connect=False, read=False, redirect=_REDIRECTS, status=0, other=0)

    def host_of(self, values: Mapping[str, str]) -> str:
        """Server and port that are asked for the item with these *values*."""
        return urlsplit(self._url(values)).netloc.rpartition("@")[2].lower()

    def make(self, unit: ItemUnit, stop: Callable[[], bool]) -> bool:
        """Fetch the item's document into `unit.output`."""
        values = unit.values()
        url = self._url(values)
        if urlsplit(url).scheme.lower() not in ("http", "https") or not urlsplit(url).hostname:
            raise ItemFailedError(EffectError("download-url-malformed", url=url), is_final=True)
        deadline = time.monotonic() + self._effect.timeout_s
        response = self._ask(url, values)
        try:
            self._refuse_status(response, url)
            self._write(response, unit.output, deadline, stop, url)
        finally:
            response.close() if _is_torn(response) else response.release_conn()
        if self._effect.expect == "json":
            _refuse_what_is_no_json(unit.output, url)
        return True

    def close(self) -> None:
        """Close the pools."""
        for pool in self._pools.values():
            pool.clear()

    def _url(self, values: Mapping[str, str]) -> str:
        """Address of the item; a value cannot change it but where it is its very beginning."""
        url, quoted = self._effect.url, {name: quote(value, safe="") for name, value in values.items()}
        if not url.startswith("{"):
            return fill(url, quoted)
        head, brace, rest = url.partition("}")
        return fill(head + brace, values) + fill(rest, quoted)

    def _ask(self, url: str, values: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        headers, body = dict(self._headers), None
        if self._effect.json:
            body = _body(self._effect.json, values)
            headers.setdefault("Content-Type", "application/json")
        headers = {name: fill(value, values) for name, value in headers.items()}
        timeout = urllib3.Timeout(
            connect=min(_CONNECT_S, self._effect.timeout_s), read=min(_SILENCE_S, self._effect.timeout_s)
        )
        for attempt in (1, 2):
            try:
                return self._pool(url).request(
                    self._effect.method,
                    url,
                    body=body,
                    headers=headers,
                    preload_content=False,
                    retries=self._retries,
                    timeout=timeout,
                )
            except ProtocolError as error:
                # A connection that was kept open may have been closed by the server meanwhile.
                if attempt == 2 or self._effect.method != "GET":  # noqa: PLR2004  # the last of the two
                    raise _failed(error, url) from error
            except (HTTPError, ValueError) as error:
                raise _failed(error, url) from error
        raise AssertionError

    def _pool(self, url: str) -> urllib3.PoolManager:
        parts = urlsplit(url)
        proxy = self._proxies.get(parts.scheme.lower(), "")
        if proxy and urllib.request.proxy_bypass(parts.hostname or ""):
            proxy = ""
        if proxy and "://" not in proxy:
            proxy = f"http://{proxy}"
        if proxy not in self._pools:
            self._pools[proxy] = urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager()
        return self._pools[proxy]

    def _refuse_status(self, response: urllib3.BaseHTTPResponse, url: str) -> None:
        status = response.status
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES and status not in _PARTIAL:
            return
        if status in _GONE:
            raise ItemFailedError(EffectError("download-not-there", url=url, status=status), is_final=True)
        wait_s = _retry_after_s(response.headers.get("Retry-After"))
        if status == HTTPStatus.TOO_MANY_REQUESTS or (status in _PLEASE_WAIT and wait_s):
            error = EffectError("download-please-wait", url=url, status=status)
            raise ItemFailedError(error, strikes_host=True, counts=False, wait_s=max(wait_s, 1.0))
        error = EffectError("download-refused", url=url, status=status)
        raise ItemFailedError(error, strikes_host=True, wait_s=wait_s)

    def _write(
        self, response: urllib3.BaseHTTPResponse, path: str, deadline: float, stop: Callable[[], bool], url: str
    ) -> None:
        descriptor = os.open(path, _FLAGS, 0o666)
        try:
            for chunk in response.stream(_CHUNK_BYTES, decode_content=True):
                if stop():
                    raise Interrupted
                if time.monotonic() > deadline:
                    error = EffectError("download-timed-out", url=url, seconds=self._effect.timeout_s)
                    raise ItemFailedError(error, strikes_host=True)
                view = memoryview(chunk)
                while view:
                    view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        except (HTTPError, ValueError) as error:
            raise _failed(error, url) from error
        finally:
            os.close(descriptor)


def _body(template: str, values: Mapping[str, str]) -> bytes:
    import json  # noqa: PLC0415  # few jobs send one

    def filled(value: object) -> object:
        if isinstance(value, str):
            return fill(value, values)
        if isinstance(value, list):
            return [filled(inner) for inner in value]
        return {name: filled(inner) for name, inner in value.items()} if isinstance(value, dict) else value

    return json.dumps(filled(json.loads(template)), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _refuse_what_is_no_json(path: str, url: str) -> None:
    import json  # noqa: PLC0415  # only where JSON is expected

    with open(path, "rb") as file:
        content = file.read()
    try:
        json.loads(content)
    except (ValueError, RecursionError) as error:
        begin = content[:40].decode("utf-8", "backslashreplace")
        raise ItemFailedError(EffectError("download-not-json", url=url, begin=begin)) from error


def _failed(error: Exception, url: str) -> ItemFailedError:
    """What came of a request that ended in an *error* of the library's."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        error = error.reason
    if isinstance(error, (NewConnectionError, ProxyError, SSLError)) or (
        isinstance(error, TimeoutError) and not isinstance(error, ReadTimeoutError)
    ):
        unreached = EffectError("download-unreachable", url=url, reason=_reason(error))
        return ItemFailedError(unreached, strikes_host=True, counts=False)
    if isinstance(error, ReadTimeoutError):
        return ItemFailedError(EffectError("download-timed-out", url=url, seconds=_SILENCE_S), strikes_host=True)
    if isinstance(error, (ProtocolError, DecodeError)):
        return ItemFailedError(EffectError("download-cut-off", url=url, reason=_reason(error)))
    if isinstance(error, (ResponseError, LocationValueError)):
        return ItemFailedError(EffectError("download-astray", url=url, reason=_reason(error)))
    return ItemFailedError(EffectError("download-failed", url=url, reason=_reason(error)))


def _reason(error: Exception) -> str:
    """What the library says, without the Python object that it names first."""
    text = str(error)
    return (text.rpartition(">: ")[2] or text)[:_QUOTED_REASON]


def _retry_after_s(value: str | None) -> float:
    if not value:
        return 0.0
    try:
        return min(max(urllib3.Retry().parse_retry_after(value), 0.0), _LONGEST_WAIT_S)
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0


def _is_torn(response: urllib3.BaseHTTPResponse) -> bool:
    """Tell whether something of the body was not read: the connection is of no more use then."""
    left = getattr(response, "length_remaining", None)
    return left != 0
