"""Downloads against a real server with real faults."""

from __future__ import annotations

import gzip
import itertools
import json
import time
from pathlib import Path

import pytest

from tests.fan_out.server import Reply, document, serving
from tests.fan_out.yard import Yard
from trayapp.effect.item.download import Downloader
from trayapp.effect.item.unit import ItemFailedError, ItemUnit
from trayapp.job.model import DownloadEffect

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def unit(folder: Path, item: str = "7", **fields: str) -> ItemUnit:
    return ItemUnit("liste", "run", item, f"liste:{item}", str(folder / f"part-{time.monotonic_ns()}"), fields)


def fetch(effect: DownloadEffect, what: ItemUnit) -> bytes:
    downloader = Downloader(effect)
    try:
        assert downloader.make(what, lambda: False)
        return Path(what.output).read_bytes()
    finally:
        downloader.close()


def failure(effect: DownloadEffect, what: ItemUnit) -> ItemFailedError:
    with pytest.raises(ItemFailedError) as caught:
        fetch(effect, what)
    return caught.value


@pytest.mark.parametrize(
    "reply",
    [
        Reply(),
        Reply(chunked=True),
        Reply(body=gzip.compress(document("7")), headers=(("Content-Encoding", "gzip"),)),
        Reply(status=201, body=document("7")),
    ],
    ids=["length", "chunked", "gzip", "created"],
)
def test_whole_document_is_written(tmp_path: Path, reply: Reply):
    with serving(lambda _item, _attempt: reply) as server:
        effect = DownloadEffect(f"{server.address}/doc/{{item}}", expect="json")
        assert fetch(effect, unit(tmp_path)) == document("7")


def test_redirect_is_followed(tmp_path: Path):
    def behave(item: str, _attempt: int) -> Reply:
        return Reply(302, (("Location", "/doc/there"),)) if item == "7" else Reply()

    with serving(behave) as server:
        assert fetch(DownloadEffect(f"{server.address}/doc/{{item}}"), unit(tmp_path)) == document("there")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(404), ("download-not-there", True, False, True)),
        (Reply(410), ("download-not-there", True, False, True)),
        (Reply(500), ("download-refused", False, True, True)),
        (Reply(403), ("download-refused", False, True, True)),
        (Reply(204, body=b""), ("download-refused", False, True, True)),
        (Reply(429), ("download-please-wait", False, True, False)),
        (Reply(503, (("Retry-After", "7"),)), ("download-please-wait", False, True, False)),
        (Reply(503), ("download-refused", False, True, True)),
        (Reply(cut=50), ("download-cut-off", False, False, True)),
        (Reply(cut=50, chunked=True), ("download-cut-off", False, False, True)),
        (Reply(drop=True), ("download-cut-off", False, False, True)),
        (Reply(body=b"gz", headers=(("Content-Encoding", "gzip"),)), ("download-cut-off", False, False, True)),
        (Reply(body=b"<html>"), ("download-not-json", False, False, True)),
        (Reply(body=b""), ("download-not-json", False, False, True)),
        (Reply(302, (("Location", "/doc/7"),)), ("download-astray", False, False, True)),
    ],
)
def test_what_is_not_whole_is_told_apart(tmp_path: Path, reply: Reply, told: tuple[str, bool, bool, bool]):
    """*told*: the code, whether it is final, speaks against the server, and counts as an attempt."""
    with serving(lambda _item, _attempt: reply) as server:
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}", expect="json"), unit(tmp_path))
    assert (failed.error.code, failed.is_final, failed.strikes_host, failed.counts) == told
    assert failed.wait_s == (7 if reply.headers[:1] == (("Retry-After", "7"),) else 1 if reply.status == 429 else 0)


def test_server_that_is_not_there_is_no_fault_of_the_items(tmp_path: Path):
    with serving() as server:
        address = server.address
    failed = failure(DownloadEffect(f"{address}/doc/{{item}}"), unit(tmp_path))
    assert (failed.error.code, failed.strikes_host, failed.counts) == ("download-unreachable", True, False)


def test_time_limit_holds_for_a_server_that_trickles(tmp_path: Path):
    with serving(lambda _item, _attempt: Reply(wait_s=3)) as server:
        began = time.monotonic()
        failed = failure(DownloadEffect(f"{server.address}/doc/{{item}}", timeout_s=1.0), unit(tmp_path))
    assert failed.error.code == "download-late"
    assert failed.strikes_host
    assert time.monotonic() - began < 3


def test_connection_that_the_server_closed_meanwhile_is_opened_anew(tmp_path: Path):
    with serving(lambda item, attempt: Reply(drop=item == "b" and attempt == 1)) as server:
        downloader = Downloader(DownloadEffect(f"{server.address}/doc/{{item}}"))
        for item in ("a", "b"):
            assert downloader.make(unit(tmp_path, item), lambda: False)
        downloader.close()
        assert server.asked == {"a": 1, "b": 2}


def test_one_connection_serves_many_items(tmp_path: Path):
    with serving() as server:
        downloader = Downloader(DownloadEffect(f"{server.address}/doc/{{item}}"))
        for number in range(5):
            downloader.make(unit(tmp_path, str(number)), lambda: False)
        (pool,) = downloader._pools[""].pools._container.values()
        assert pool.num_connections == 1
        downloader.close()


def test_item_cannot_change_the_address_but_a_column_can_be_one(tmp_path: Path):
    with serving() as server:
        hostile = unit(tmp_path, "../admin?x=1#y")
        fetch(DownloadEffect(f"{server.address}/doc/{{item}}"), hostile)
        assert dict(server.asked) == {"..%2Fadmin%3Fx%3D1%23y": 1}
        fetch(DownloadEffect("{adres}/doc/{item}"), unit(tmp_path, "9", adres=server.address))
        assert server.asked["9"] == 1
    failed = failure(DownloadEffect("{adres}/{item}"), unit(tmp_path, "9", adres="file:///etc"))
    assert (failed.error.code, failed.is_final) == ("download-url-malformed", True)


def test_body_and_headers_are_filled_in(tmp_path: Path):
    template = json.dumps({"id": "{item}", "deep": ["{town}", 1], "n": None})
    with serving() as server:
        effect = DownloadEffect(
            f"{server.address}/doc/x", "POST", template, (("Authorization", "Bearer {town}"), ("User-Agent", "office"))
        )
        fetch(effect, unit(tmp_path, 'a"b', town="Bursa"))
        assert json.loads(server.bodies[0]) == {"id": 'a"b', "deep": ["Bursa", 1], "n": None}
        assert server.headers[0]["Authorization"] == "Bearer Bursa"
        assert server.headers[0]["User-Agent"] == "office"
        assert server.headers[0]["Content-Type"] == "application/json"


def test_header_cannot_be_smuggled_in(tmp_path: Path):
    with serving() as server:
        effect = DownloadEffect(f"{server.address}/doc/x", headers=(("X-Town", "{town}"),))
        failed = failure(effect, unit(tmp_path, town="a\r\nX-Admin: 1"))
        assert failed.error.code == "download-failed"
        assert not server.headers


# ---------------------------------------------------------------- a whole job


def test_faults_of_a_server_are_got_over_and_what_is_gone_is_told(yard: Yard):
    def behave(item: str, attempt: int) -> Reply:
        if item == "5":
            return Reply(404)
        if int(item) % 4 == 1 and attempt == 1:
            return (Reply(500), Reply(cut=20), Reply(drop=True), Reply(body=b"<html>"))[int(item) // 4 % 4]
        return Reply()

    with serving(behave) as server:
        yard.ids(range(24))
        yard.download_job(server, more="expect = 'json'", items="attempts = 4")
        done = yard.run()
        assert done.returncode == 1, done.stderr
        assert set(yard.targets()) == {f"{n}.json" for n in range(24) if n != 5}
        assert all(content == document(name[:-5]) for name, content in yard.targets().items())
        assert server.asked["5"] == 1  # 404 is final
        (failed,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
        assert failed["code"] == "download-not-there"
        assert set(server.delivered.values()) <= {1, 2}


def test_pause_that_a_server_asks_for_is_kept_and_costs_no_attempt(yard: Yard):
    began: list[float] = []

    def behave(_item: str, attempt: int) -> Reply:
        began.append(time.monotonic())
        return Reply(429, (("Retry-After", "1"),)) if attempt <= 2 else Reply()

    with serving(behave) as server:
        yard.ids(("a",))
        yard.download_job(server, items="attempts = 1\nworkers = 1")
        assert yard.run().returncode == 0
    assert len(began) == 3
    assert min(later - before for before, later in itertools.pairwise(began)) >= 0.9


def test_dead_server_is_given_up_soon_and_its_items_stay_for_the_next_run(yard: Yard, monkeypatch):
    with serving() as server:
        address = server.address
    monkeypatch.setenv("BIRKEZ_LANGUAGE", "en")
    yard.ids(range(1000))
    yard.job(f"kind = 'download'\nurl = '{address}/doc/{{item}}'")
    began = time.monotonic()
    done = yard.run(timeout=85)
    assert done.returncode == 1
    assert "1,000 items wait for the next run" in done.stdout
    assert time.monotonic() - began < 80
    told = json.loads(yard.birkez("items", "liste", "--json").stdout)
    assert (told["waiting"], told["failures"]) == (1000, [])


def test_other_servers_go_on_beside_a_dead_one(yard: Yard):
    with serving() as dead:
        gone = dead.address
    with serving() as server:
        rows = [f"{n},{gone if n % 2 else server.address}" for n in range(40)]
        yard.list.write_text("id,adres\n" + "\n".join(rows) + "\n")
        yard.job("kind = 'download'\nurl = '{adres}/doc/{item}'", items="column = 'id'\nworkers = 2")
        run = yard.start("run", "liste")
        yard.wait_until(lambda: len(yard.targets()) == 20)
        run.terminate()
        run.communicate(timeout=30)
        assert set(yard.targets()) == {f"{n}.json" for n in range(0, 40, 2)}


def test_no_more_requests_at_once_than_a_server_may_get(yard: Yard):
    with serving(lambda _item, _attempt: Reply(wait_s=0.05)) as server:
        yard.ids(range(30))
        yard.download_job(server, items="workers = 4", more="per_host = 1")
        assert yard.run().returncode == 0
        assert server.most_at_once == 1
        yard.ids(range(30, 60))
        yard.download_job(server, items="workers = 4")
        assert yard.run().returncode == 0
        assert server.most_at_once > 1
