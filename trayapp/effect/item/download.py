"""The `download` effect: one document is fetched, checked to be complete, and written down flushed.

What a server says about one item (404, 410) is told apart from what says that the server
itself is in trouble, so that a dead one is not asked ten thousand times.
Certificates are the system's own, which a company's network may have added to, and so
are the proxies. One pool of connections serves all items of a worker.
"""

from __future__ import annotations

import urllib.request
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.exceptions import HTTPError, InvalidHeader, ProtocolError, ResponseError

from trayapp.effect.item.download_ask import (
    SILENCE_S,
    Ask,
    asked_at,
    failure_of,
    first_ask,
    is_address,
    proxy_headers,
    without_password,
)
from trayapp.effect.item.download_body import write_body
from trayapp.effect.item.download_watch import DownloadWatch
from trayapp.effect.item.unit import ItemFailedError, Maker, fill
from trayapp.errors import EffectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trayapp.effect.item.unit import ItemUnit
    from trayapp.job.model import DownloadEffect

_CONNECT_S = 10.0
_REDIRECTS = 10
_LITTLE_BYTES = 1 << 16
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_PARTIAL = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.PARTIAL_CONTENT)
_PLEASE_WAIT = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_LONGEST_WAIT_S = 86_400.0
_OWN_HEADERS = {"User-Agent": "birkez", "Accept-Encoding": "gzip"}


class Downloader(Maker):
    """Downloads by one job's settings."""

    is_repeatable = True

    def __init__(self, effect: DownloadEffect) -> None:
        self._effect = effect
        self._headers = {**_OWN_HEADERS, **dict(effect.headers)}
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._proxies = urllib.request.getproxies()
        self._watch = DownloadWatch()

    def host_of(self, values: Mapping[str, str]) -> str:
        """Server and port that are asked for the item with these *values*; "" where the address is none."""
        try:
            return urlsplit(self._url(values)).netloc.rpartition("@")[2].lower()
        except ValueError:
            return ""

    def make(self, unit: ItemUnit, stop: Callable[[], bool]) -> bool:
        """Fetch the item's document into `unit.output`."""
        values = unit.values()
        url = self._url(values)
        if not is_address(url):
            raise ItemFailedError(EffectError("download-url-malformed", url=without_password(url)), is_final=True)
        self._watch.begin(self._effect.timeout_s, stop)
        try:
            self._fetch(self._first_ask(url, values), unit.output)
        except (HTTPError, ValueError) as error:
            if self._watch.has_run_out():
                late = EffectError("download-late", url=without_password(url), seconds=self._effect.timeout_s)
                raise ItemFailedError(late, strikes_host=True) from error
            raise failure_of(error, without_password(url)) from error
        finally:
            self._watch.end()
        if self._effect.expect == "json":
            _refuse_what_is_no_json(unit.output, without_password(url))
        return True

    def close(self) -> None:
        """Close the pools."""
        self._watch.close()
        for pool in self._pools.values():
            pool.clear()

    def _url(self, values: Mapping[str, str]) -> str:
        """Address of the item; a value cannot change it but where it is its very beginning."""
        url, quoted = self._effect.url, {name: quote(value, safe="") for name, value in values.items()}
        if not url.startswith("{"):
            return fill(url, quoted)
        head, brace, rest = url.partition("}")
        return fill(head + brace, values) + fill(rest, quoted)

    def _first_ask(self, url: str, values: Mapping[str, str]) -> Ask:
        headers, body = dict(self._headers), None
        if self._effect.json:
            body = _body(self._effect.json, values)
            headers.setdefault("Content-Type", "application/json")
        headers = {name: fill(value, values) for name, value in headers.items()}
        return first_ask(self._effect.method, url, headers, body)

    def _fetch(self, ask: Ask, path: str) -> None:
        for _ in range(_REDIRECTS):
            response, is_whole = self._send(ask), False
            try:
                location = response.get_redirect_location()
                if location:
                    is_whole = _has_left_little(response)
                else:
                    _refuse_status(response, without_password(ask.url))
                    write_body(response, path)
                    self._watch.check()  # a connection that it shut ends like a whole body of unknown length
                    is_whole = True
                    return
            except ItemFailedError:
                is_whole = _has_left_little(response)
                raise
            finally:
                # What is not read to its end would be taken for the next answer's beginning.
                response.release_conn() if is_whole else response.close()
            ask = asked_at(ask, location, response.status)
        msg = f"{_REDIRECTS} redirects"
        raise ResponseError(msg)

    def _send(self, ask: Ask) -> urllib3.BaseHTTPResponse:
        left_s = self._watch.left_s()
        timeout = urllib3.Timeout(connect=min(_CONNECT_S, left_s), read=min(SILENCE_S, left_s))
        for attempt in (1, 2):
            try:
                return self._pool(ask.url).request(
                    ask.method,
                    ask.url,
                    body=ask.body,
                    headers=ask.headers,
                    preload_content=False,
                    retries=False,
                    redirect=False,
                    timeout=timeout,
                )
            except ProtocolError:
                # A connection that was kept open may have been closed by the server meanwhile.
                if attempt == 2 or ask.method != "GET" or self._watch.has_run_out():  # noqa: PLR2004
                    raise
        raise AssertionError

    def _pool(self, url: str) -> urllib3.PoolManager:
        parts = urlsplit(url)
        proxy = self._proxies.get(parts.scheme.lower(), "")
        if proxy and urllib.request.proxy_bypass(parts.hostname or ""):
            proxy = ""
        if proxy and "://" not in proxy:
            proxy = f"http://{proxy}"
        if proxy not in self._pools:
            made = urllib3.ProxyManager(proxy, proxy_headers=proxy_headers(proxy)) if proxy else urllib3.PoolManager()
            made.pool_classes_by_scheme = self._watch.pools()
            self._pools[proxy] = made
        return self._pools[proxy]


def _refuse_status(response: urllib3.BaseHTTPResponse, url: str) -> None:
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


def _has_left_little(response: urllib3.BaseHTTPResponse) -> bool:
    """Read what is left of an answer that nobody wants, where it is short; false where it may be long."""
    left = getattr(response, "length_remaining", None)
    if left is None or left > _LITTLE_BYTES:
        return False
    try:
        response.drain_conn()
    except HTTPError:
        return False
    return True


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


def _retry_after_s(value: str | None) -> float:
    if not value:
        return 0.0
    try:
        return min(max(urllib3.Retry().parse_retry_after(value), 0.0), _LONGEST_WAIT_S)
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0
