"""A real HTTP server with the faults of real ones, in a thread of the test: slow, failing, cutting off, redirecting.

What it does with an id is told by the id's own number, so that each test knows what must
come of it. `delivered` counts the bodies that went out whole, by id.
"""

from __future__ import annotations

import collections
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple


class Reply(NamedTuple):
    """What to answer: *cut* bytes of the body are held back, though its length was promised."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    cut: int = 0
    wait_s: float = 0.0
    chunked: bool = False
    drop: bool = False


Behaviour = Callable[[str, int], Reply]


def document(item: str) -> bytes:
    return json.dumps({"id": item, "value": "x" * 200}).encode()


class Server:
    """Answers `/doc/ID` as *behaviour* says for the id and how often it was asked."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.asked: collections.Counter[str] = collections.Counter()
        self.delivered: collections.Counter[str] = collections.Counter()
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                server.answer(self)

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                server.bodies.append(self.rfile.read(length))
                server.answer(self)

            def log_message(self, *_args: object) -> None:
                pass

        class Threads(socketserver.ThreadingMixIn, socketserver.TCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

            def handle_error(self, *_args: object) -> None:
                pass  # a client that was killed

        self._threads = Threads(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._threads.server_address[1]}"
        threading.Thread(target=self._threads.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        item = handler.path.rpartition("/")[2]
        with self._lock:
            self.asked[item] += 1
            attempt = self.asked[item]
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.headers.append(dict(handler.headers))
        try:
            self._send(handler, item, self.behaviour(item, attempt))
        finally:
            with self._lock:
                self.at_once -= 1

    def _send(self, handler: BaseHTTPRequestHandler, item: str, reply: Reply) -> None:
        if reply.wait_s:
            time.sleep(reply.wait_s)
        if reply.drop:
            handler.close_connection = True
            return
        body = reply.body
        if body is None:
            body = document(item) if reply.status == 200 else b"no"
        handler.send_response(reply.status)
        for name, value in reply.headers:
            handler.send_header(name, value)
        if reply.chunked:
            handler.send_header("Transfer-Encoding", "chunked")
        else:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        sent = body[: len(body) - reply.cut]
        if reply.chunked:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(body), sent) + (b"" if reply.cut else b"0\r\n\r\n"))
        else:
            handler.wfile.write(sent)
        handler.wfile.flush()
        if reply.cut:
            handler.close_connection = True
        elif reply.status == 200:
            with self._lock:
                self.delivered[item] += 1

    def close(self) -> None:
        self._threads.shutdown()
        self._threads.server_close()


@contextmanager
def serving(behaviour: Behaviour = lambda _item, _attempt: Reply()) -> Iterator[Server]:
    server = Server(behaviour)
    try:
        yield server
    finally:
        server.close()
