"""The contract on PostgreSQL, and what is PostgreSQL's own: the server, the row's lock, lost answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

if sys.platform == "win32":
    pytest.skip("needs POSIX (a server of its own)", allow_module_level=True)

from tests.ledger import contract
from tests.ledger.contract import *  # noqa: F403  # the tests that every ledger passes
from tests.ledger.contract import JOB, NINE, do_hour, hour, key, states, taking
from tests.ledger.postgres_server import Server, what_is_missing
from trayapp.errors import BirkezError
from trayapp.ledger.postgres import PostgresLedger, open_postgres_ledger
from trayapp.ledger.postgres_server import shown

if reason := what_is_missing():
    pytest.skip(reason, allow_module_level=True)

import psycopg

pytestmark = [pytest.mark.posix, pytest.mark.timeout(90)]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def url(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of the test's own."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS satis WITH (FORCE)")
        connection.execute("CREATE DATABASE satis TEMPLATE template0")
    return server.url("satis")


@pytest.fixture
def open_ledger(url: str) -> Iterator[contract.OpenLedger]:
    opened: list[PostgresLedger] = []

    def open_one() -> PostgresLedger:
        opened.append(open_postgres_ledger(url, wait_s=5))
        return opened[-1]

    yield open_one
    for ledger in opened:
        ledger.close()


def code_of(url: str) -> str:
    with pytest.raises(BirkezError) as caught:
        open_postgres_ledger(url).close()
    return caught.value.code


def end_backends(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = 'satis' AND pid <> pg_backend_pid()"
        )


def test_a_job_at_work_in_another_transaction_is_not_waited_for(open_ledger) -> None:
    first, second = open_ledger(), open_ledger()
    assert do_hour(first, 0)
    with first.transaction() as held:
        assert held.take(JOB, hour(1), key(1), taking())
        with second.transaction() as other, pytest.raises(BirkezError, match="job-at-work-elsewhere"):
            other.take(JOB, hour(1), key(1), taking(run="run-2"))
        held.commit()
    assert not do_hour(second, 1, "run-2")


def test_jobs_beside_each_other_do_not_wait(open_ledger) -> None:
    first, second = open_ledger(), open_ledger()
    for ledger, job in ((first, JOB), (second, "baska")):
        with ledger.transaction() as transaction:
            transaction.begin_job(job, NINE)
            transaction.commit()
    with first.transaction() as one, second.transaction() as two:
        assert one.take(JOB, hour(0), key(0), taking())
        assert two.take("baska", hour(0), "baska:1", taking())
        two.commit()
        one.commit()
    assert first.mark().commits == 2


def test_tables_are_made_once_by_first_runs_at_once(open_ledger) -> None:
    ledgers = [open_ledger() for _ in range(4)]
    ready, taken = threading.Barrier(4), []

    def first_run(ledger: PostgresLedger) -> None:
        ready.wait()
        try:
            taken.append(do_hour(ledger, 0))
        except BirkezError as error:
            taken.append(str(error))

    threads = [threading.Thread(target=first_run, args=(ledger,)) for ledger in ledgers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken.count(True) == 1, taken
    assert all(answer in (True, False) or answer.startswith("job-at-work-elsewhere") for answer in taken), taken
    assert states(ledgers[0]) == {key(0): "done"}


def test_connection_cut_before_commit_leaves_nothing(open_ledger, url: str) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    with ledger.transaction() as transaction:
        assert transaction.take(JOB, hour(1), key(1), taking())
        end_backends(url)
        with pytest.raises(BirkezError, match="server-lost"):
            transaction.commit()
    assert states(open_ledger()) == {key(0): "done"}


def test_commit_whose_answer_is_lost_is_found_done(open_ledger, url: str, monkeypatch) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    with ledger.transaction() as transaction:
        assert transaction.take(JOB, hour(1), key(1), taking())
        run = transaction._run

        def commit_and_cut(sql: str, *more):
            rows = run(sql, *more)
            if sql == "COMMIT":
                end_backends(url)
                run("SELECT 1")  # raises what a lost answer does
            return rows

        monkeypatch.setattr(transaction, "_run", commit_and_cut)
        transaction.commit()
    assert states(ledger) == {key(0): "done", key(1): "done"}
    assert do_hour(ledger, 2)


def test_server_that_restarts_keeps_what_was_committed(open_ledger, server: Server) -> None:
    ledger = open_ledger()
    assert do_hour(ledger, 0)
    with ledger.transaction() as transaction:
        assert transaction.take(JOB, hour(1), key(1), taking())
        server.stop("immediate")
        server.start()
        with pytest.raises(BirkezError, match="server-lost"):
            transaction.commit()
    assert states(open_ledger()) == {key(0): "done"}


def test_role_that_may_only_read_is_told_so(open_ledger, url: str) -> None:
    assert do_hour(open_ledger(), 0)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS okur")
        connection.execute("CREATE ROLE okur LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA birkez TO okur")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA birkez TO okur")
    ledger = open_postgres_ledger(url.replace("birkez@", "okur@"))
    with pytest.raises(BirkezError, match="server-no-right"), ledger.transaction() as transaction:
        transaction.begin_job("baska", NINE)
    ledger.close()


def test_what_cannot_be_reached_is_told_without_the_password(server: Server) -> None:
    assert code_of(server.url("yok")) == "server-cannot-open"
    assert code_of("postgresql://birkez@127.0.0.1:1/satis") == "server-cannot-open"
    assert shown("postgresql://ayse:gizli@sunucu:5433/satis?sslmode=require") == "postgresql://ayse@sunucu:5433/satis"
