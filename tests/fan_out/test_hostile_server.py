"""Servers that lie, drip, never end, or lead elsewhere: the document is whole or the item fails, in time."""

from __future__ import annotations

import base64
import gc
import gzip
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fan_out.server import Reply, document, serving
from tests.fan_out.test_download import failure, fetch, no_proxy, unit
from trayapp.effect.interruption import Interrupted
from trayapp.effect.item.download import Downloader
from trayapp.effect.item.unit import ItemFailedError
from trayapp.job.model import DownloadEffect

pytestmark = pytest.mark.timeout(60)
__all__ = ["no_proxy"]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


@contextmanager
def raw_server(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """Let *talk* answer each connection, after its first request has been read."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve_one(connection: socket.socket) -> None:
        try:
            with connection:
                asked = b""
                while b"\r\n\r\n" not in asked and (data := connection.recv(65536)):
                    asked += data
                talk(connection)
        except OSError:
            pass  # the client has had enough

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve_one, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        # A thread that waits in accept() holds the socket: wake it.
        closing = socket.create_connection(listening.getsockname())
        listening.close()
        closing.close()


def drip(begin: bytes, letter: bytes) -> Callable[[socket.socket], None]:
    def talk(connection: socket.socket) -> None:
        connection.sendall(begin)
        for _ in range(600):
            connection.sendall(letter)
            time.sleep(0.05)

    return talk


def pour(begin: bytes) -> Callable[[socket.socket], None]:
    def talk(connection: socket.socket) -> None:
        connection.sendall(begin)
        for _ in itertools.repeat(None, 100_000):
            connection.sendall(b"x" * 1000)
            time.sleep(0.001)

    return talk


SLOW = {
    "body": drip(HEAD, b"x"),
    "status line": drip(b"", b"H"),
    "headers": drip(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
    "chunk": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFF\r\n", b"x"),
    "chunk's size": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    "endless": pour(b"HTTP/1.1 200 OK\r\n\r\n"),
    "silence": lambda _connection: time.sleep(20),
}


@pytest.mark.parametrize("talk", SLOW.values(), ids=SLOW)
def test_time_limit_holds_however_slowly_a_server_talks(tmp_path: Path, talk: Callable[[socket.socket], None]):
    with raw_server(talk) as address:
        began = time.monotonic()
        failed = failure(DownloadEffect(f"{address}/{{item}}", timeout_s=1.0), unit(tmp_path))
    assert failed.error.code == "download-late", failed.error.facts
    assert failed.strikes_host
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("talk", SLOW.values(), ids=SLOW)
def test_worker_that_shall_end_waits_for_no_server(tmp_path: Path, talk: Callable[[socket.socket], None]):
    began = time.monotonic()
    with raw_server(talk) as address:
        downloader = Downloader(DownloadEffect(f"{address}/{{item}}", timeout_s=60.0))
        with pytest.raises(Interrupted):
            downloader.make(unit(tmp_path), lambda: time.monotonic() - began > 0.5)
        downloader.close()
    assert time.monotonic() - began < 10


def cut_gzip(where: int) -> bytes:
    return gzip.compress(document("7") * 50, mtime=0)[:where]


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("left", [-1, -8, -20, 12, 5, 0])
def test_packed_document_that_was_cut_before_it_was_sent_is_not_whole(tmp_path: Path, left: int, *, chunked: bool):
    reply = Reply(body=cut_gzip(left), headers=(("Content-Encoding", "gzip"),), chunked=chunked)
    with serving(lambda _item, _attempt: reply) as server:
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path))
    assert failed.error.code == "download-cut-off"


def test_packed_in_several_pieces_is_whole(tmp_path: Path):
    body = gzip.compress(b"first ") + gzip.compress(b"second")
    with serving(lambda _item, _attempt: Reply(body=body, headers=(("Content-Encoding", "x-gzip"),))) as server:
        assert fetch(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path)) == b"first second"


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, br"])
def test_packing_that_nobody_asked_for_is_refused_and_not_written(tmp_path: Path, encoding: str):
    reply = Reply(body=b"\x0b\x02\x80packed\x03", headers=(("Content-Encoding", encoding),))
    with serving(lambda _item, _attempt: reply) as server:
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path))
    assert failed.error.code in ("download-failed", "download-cut-off")


def test_unpacked_is_taken_whatever_the_encoding_is_called(tmp_path: Path):
    with serving(lambda _item, _attempt: Reply(body=b"plain", headers=(("Content-Encoding", "identity"),))) as server:
        assert fetch(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path)) == b"plain"


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the library drops its answer open
@pytest.mark.parametrize("length", ["-5", "7, 9", "many", "99999999999999999999999"])
def test_impossible_length_fails_the_item(tmp_path: Path, length: str):
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\nabcdefg" % length.encode())

    with raw_server(talk) as address:
        failed = failure(DownloadEffect(f"{address}/{{item}}", timeout_s=5.0), unit(tmp_path))
    assert not failed.is_final
    del failed
    gc.collect()


def test_more_than_was_promised_does_not_become_the_next_document(tmp_path: Path):
    body = document("7")
    more = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
    reply = Reply(body=body + more, headers=(("X-A", "b"),))

    def talk(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + (reply.body or b""))
        time.sleep(0.5)

    with raw_server(talk) as address:
        downloader = Downloader(DownloadEffect(f"{address}/{{item}}"))
        for _ in range(2):
            what = unit(tmp_path)
            assert downloader.make(what, lambda: False)
            assert Path(what.output).read_bytes() == body
            time.sleep(0.2)
        downloader.close()


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://localhost/x", "javascript:1", "http://", "http://[x"]
)
def test_redirect_to_what_is_no_server_fails_the_item(tmp_path: Path, location: str):
    with serving(lambda _item, _attempt: Reply(302, (("Location", location),))) as server:
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}", timeout_s=5.0), unit(tmp_path))
    assert failed.error.code in ("download-astray", "download-failed", "download-refused"), failed.error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_secrets_of_the_job_do_not_go_along_to_another_server(tmp_path: Path, status: int):
    headers = (("Authorization", "Bearer s3cret"), ("X-Api-Key", "s3cret"), ("Cookie", "s3cret"), ("Accept", "a/b"))
    with serving() as other:
        target = other.address.replace("127.0.0.1", "localhost") + "/doc/7"
        with serving(lambda _item, _attempt: Reply(status, (("Location", target),))) as server:
            effect = DownloadEffect(f"{server.address}/doc/{{item}}", headers=headers)
            assert fetch(effect, unit(tmp_path)) == document("7")
            assert server.headers[0]["X-Api-Key"] == "s3cret"
        (got,) = other.headers
    assert "s3cret" not in str(got)
    assert got["Accept"] == "a/b"


def test_secrets_stay_with_a_server_that_leads_on_to_itself(tmp_path: Path):
    def behave(item: str, _attempt: int) -> Reply:
        return Reply(302, (("Location", "/doc/there"),)) if item == "7" else Reply()

    with serving(behave) as server:
        effect = DownloadEffect(f"{server.address}/doc/{{item}}", headers=(("X-Api-Key", "s3cret"),))
        assert fetch(effect, unit(tmp_path)) == document("there")
        assert server.headers[1]["X-Api-Key"] == "s3cret"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_what_is_posted_is_not_passed_on_to_another_server(tmp_path: Path, status: int):
    with serving() as other:
        target = other.address.replace("127.0.0.1", "localhost") + "/doc/7"
        with serving(lambda _item, _attempt: Reply(status, (("Location", target),))) as server:
            effect = DownloadEffect(f"{server.address}/doc/{{item}}", method="POST", json='{"key": "s3cret"}')
            failed = failure(effect, unit(tmp_path))
        assert failed.error.code == "download-astray"
        assert other.bodies == []


@pytest.mark.parametrize(
    "after", ["99999999999999999999", "-5", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "1e400", "nan"]
)
@pytest.mark.parametrize("status", [429, 503, 500])
def test_pause_that_a_server_asks_for_has_bounds(tmp_path: Path, status: int, after: str):
    with serving(lambda _item, _attempt: Reply(status, (("Retry-After", after),))) as server:
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path))
    assert 0 <= failed.wait_s <= 86_400


@pytest.mark.parametrize(
    "address",
    ["http://[x/{item}", "http://a:99999999/{item}", "http://a b/{item}", "http:///{item}", "http://a:0/{item}"],
)
def test_address_that_is_none_fails_its_item_alone(tmp_path: Path, address: str):
    downloader = Downloader(DownloadEffect(address, timeout_s=2.0))
    downloader.host_of({"item": "7"})
    with pytest.raises(ItemFailedError):
        downloader.make(unit(tmp_path), lambda: False)
    downloader.close()


def test_name_and_password_of_a_proxy_are_given_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def talk(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")

    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            asked.append(connection.recv(65536))
            talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    port = listening.getsockname()[1]
    monkeypatch.setenv("http_proxy", f"http://ay%C5%9Fe:g%40zli@127.0.0.1:{port}")
    monkeypatch.delenv("no_proxy", raising=False)
    try:
        assert fetch(DownloadEffect("http://example.invalid/{item}"), unit(tmp_path)) == b"proxy"
    finally:
        listening.close()
    assert b"Proxy-Authorization: Basic " + base64.b64encode("ayşe:g@zli".encode()) in asked[0]


@pytest.mark.parametrize("kind", ["talks no TLS", "says nothing"])
def test_server_without_tls_where_it_was_promised_is_unreachable(tmp_path: Path, kind: str):
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            if kind == "talks no TLS":
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 3)
            time.sleep(3)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    effect = DownloadEffect(f"https://127.0.0.1:{listening.getsockname()[1]}/{{item}}", timeout_s=2.0)
    failed = failure(effect, unit(tmp_path))
    thread.join()
    listening.close()
    assert failed.error.code == ("download-late" if kind == "says nothing" else "download-unreachable")
    assert failed.strikes_host


def test_name_and_password_in_the_address_are_given_and_not_told(tmp_path: Path):
    def behave(item: str, _attempt: int) -> Reply:
        return Reply(404) if item == "8" else Reply()

    with serving(behave) as server:
        effect = DownloadEffect(server.address.replace("//", "//ay%C5%9Fe:g%40zli@") + "/doc/{item}")
        assert fetch(effect, unit(tmp_path)) == document("7")
        assert server.headers[0]["Authorization"] == "Basic " + base64.b64encode("ayşe:g@zli".encode()).decode()
        failed = failure(effect, unit(tmp_path, "8"))
    assert "zli" not in str(failed.error.facts)


def test_short_bodies_that_nobody_wants_and_chunks_keep_the_connection(tmp_path: Path):
    def behave(item: str, _attempt: int) -> Reply:
        return Reply(404) if item == "8" else Reply(chunked=True)

    with serving(behave) as server:
        downloader = Downloader(DownloadEffect(f"{server.address}/doc/{{item}}"))
        for item in ("7", "9"):
            assert downloader.make(unit(tmp_path, item), lambda: False)
            with pytest.raises(ItemFailedError):
                downloader.make(unit(tmp_path, "8"), lambda: False)
        pool = downloader._pools[""].connection_from_url(server.address)
        assert (pool.num_requests, pool.num_connections) == (4, 1)
        downloader.close()
