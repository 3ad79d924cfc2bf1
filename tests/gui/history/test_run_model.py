from __future__ import annotations

import random
from datetime import timedelta

import pytest

from tests.gui.conftest import until
from tests.history.making import NOON, fill, made_run
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.store import open_history


class Ear:
    """Notes what a model tells views about its rows."""

    def __init__(self, model):
        self.inserted, self.removed, self.resets = [], [], 0
        model.rowsInserted.connect(lambda _parent, first, last: self.inserted.append((first, last)))
        model.rowsRemoved.connect(lambda _parent, first, last: self.removed.append((first, last)))
        model.modelReset.connect(self._on_reset)

    def _on_reset(self):
        self.resets += 1


@pytest.fixture
def history(stage):
    stage.places.make_folders()
    made = open_history(stage.places.history_db)
    yield made
    made.close()


@pytest.fixture
def model(stage):
    from trayapp.gui.history.desk import Desk
    from trayapp.gui.history.run_model import RunModel

    desk = Desk(stage.places, "test")
    made = RunModel(stage.context, desk)
    made.desk_of_test = desk
    yield made
    desk.stop()


def shown(model, wanted=None):
    """Choose and wait for the answer."""
    seen = []
    model.looked.connect(lambda: seen.append(1))
    if wanted is None:
        model.read_again()
    else:
        model.choose(wanted)
    until(lambda: seen)


def search_to_the_end(model):
    until(lambda: model.run_at(model.rowCount() - 1) is not model and not model.is_searching)


def names(model, rows):
    for row in rows:
        model.run_at(row)
    until(lambda: all(model.run_at(row) is not None for row in rows))
    return [model.run_at(row).run.run for row in rows]


def expected(stage, wanted):
    reader = open_for_reading(stage.places.history_db)
    runs, key = [], None
    while True:
        page = reader.runs(wanted, key, 500, 10.0)
        runs += page.runs
        key = page.next_key
        if key is None:
            reader.close()
            return [run.run for run in runs]


@pytest.fixture
def long(history):
    """2,900 runs of nine days, of three jobs."""
    dice = random.Random(7)
    runs = [
        made_run(
            number,
            minutes=number * 4.5,
            job=dice.choice(["satis-ozet", "yedek", "e-fatura"]),
            outcome=dice.choice(["done", "skipped", "skipped", "failed"]),
            trigger=dice.choice(["schedule", "manual"]),
        )
        for number in range(2900)
    ]
    fill(history, runs)
    return history


FILTERS = [
    RunFilter(),
    RunFilter(jobs=["yedek"], outcomes=["failed"]),
    RunFilter(since=NOON + timedelta(hours=30), until=NOON + timedelta(hours=100)),
    RunFilter(text="yedek", text_jobs=["yedek"]),
    RunFilter(text="KILIT", triggers=["manual"]),
]


@pytest.mark.parametrize("wanted", FILTERS)
def test_each_row_is_the_run_that_paging_finds_there(stage, long, model, wanted):
    shown(model, wanted)
    runs = expected(stage, wanted)
    search_to_the_end(model)
    assert model.rowCount() == len(runs)
    rows = sorted(random.Random(1).sample(range(len(runs)), min(40, len(runs))))
    assert names(model, rows) == [runs[row] for row in rows]


def test_a_row_far_away_is_read_without_those_before_it(stage, long, model, monkeypatch):
    from trayapp.gui.history import run_pages

    shown(model, RunFilter())
    read = []
    original = run_pages.read_pages
    monkeypatch.setattr(
        run_pages, "read_pages", lambda *args, **named: read.append(named["pages"]) or original(*args, **named)
    )
    names(model, [2500])
    assert sum(len(pages) for pages in read) == 1


def test_new_runs_come_on_top_and_move_no_page(stage, long, model):
    shown(model, RunFilter())
    before = names(model, [0, 1, 700, 2899])
    ear, came = Ear(model), []
    model.came.connect(came.append)
    newest = 2900 * 4.5
    fill(long, [made_run(9000 + number, minutes=newest + number) for number in range(3)])
    shown(model)
    assert (ear.inserted, ear.removed, ear.resets, came) == ([(0, 2)], [], 0, [3])
    assert names(model, [0, 1, 2]) == ["kosum-9002", "kosum-9001", "kosum-9000"]
    assert names(model, [3, 4, 703, 2902]) == before


def test_a_run_that_ends_is_shown_as_it_ended(stage, history, model):
    running = made_run(1, outcome="running", ended_at=None)
    history.add_run(running)
    shown(model, RunFilter())
    assert model.run_at(0).run.outcome == "running"
    ear = Ear(model)
    history.add_run(running._replace(outcome="failed", ended_at=NOON + timedelta(hours=1)), [(NOON, "HATA", "x")])
    shown(model)
    assert model.run_at(0).run.outcome == "failed"
    assert (ear.inserted, ear.removed, ear.resets) == ([], [], 0)


def test_long_run_that_ends_takes_its_place_among_those_that_ended_before(stage, history, model):
    """It comes among rows that are read already: they stand one row further down then."""
    wanted = RunFilter(outcomes=["done"])
    long_one = made_run(9000, minutes=30, outcome="running", ended_at=None)
    fill(history, [*(made_run(number) for number in range(400)), long_one])
    shown(model, wanted)
    names(model, [0, 399])
    history.add_run(long_one._replace(outcome="done", ended_at=NOON + timedelta(hours=9)))
    shown(model)
    runs = expected(stage, wanted)
    assert len(runs) == 401
    until(lambda: [model.run_at(row).run.run for row in range(401) if model.run_at(row) is not None] == runs)


def test_runs_that_retention_forgets_leave_at_the_old_end(stage, long, model):
    shown(model, RunFilter())
    before = names(model, range(10))
    ear = Ear(model)
    for table, column in (("line", "run"), ("run", "id")):
        sql = f"DELETE FROM {table} WHERE {column} <= 900"
        long.transact(lambda connection, sql=sql: connection.execute(sql))
    shown(model)
    assert model.rowCount() == 2000
    assert ear.resets == 0
    assert names(model, range(10)) == before
    assert names(model, [1999]) == ["kosum-900"]


def test_a_search_notices_new_runs_too(stage, long, model):
    wanted = RunFilter(text="yedek", text_jobs=["yedek"])
    shown(model, wanted)
    search_to_the_end(model)
    first = names(model, [0])
    fill(long, [made_run(9000, minutes=99_999, job="yedek"), made_run(9001, minutes=99_998, job="baska")], text="bos")
    ear = Ear(model)
    shown(model)
    assert (ear.inserted, ear.resets) == ([(0, 0)], 0)
    assert names(model, [0, 1]) == ["kosum-9000", *first]


def test_search_rests_far_behind_what_is_looked_at(stage, history, model, monkeypatch):
    from trayapp.gui.history import run_model

    monkeypatch.setattr(run_model, "_AHEAD_ROWS", 300)
    fill(history, (made_run(number) for number in range(2000)))
    shown(model, RunFilter(text="satis"))
    until(lambda: model.rowCount() > 300)
    settled = model.rowCount()
    assert model.is_searching
    assert settled < 2000
    names(model, [settled - 1])
    until(lambda: model.rowCount() > settled)


def test_memory_holds_a_bounded_number_of_pages(stage, long, model, monkeypatch):
    from trayapp.gui.history import run_pages

    monkeypatch.setattr(run_pages, "_KEPT_PAGES", 4)
    shown(model, RunFilter())
    for row in range(0, 2900, 200):
        names(model, [row])
        assert len(model._pages._pages) <= 4


def test_database_that_cannot_be_read_is_told_and_read_again_later(stage, long, model):
    shown(model, RunFilter())
    said = []
    model.desk_of_test.failed.connect(said.append)
    path = stage.places.history_db
    with open(path, "r+b") as file:
        begin = file.read(16)
        file.seek(0)
        file.write(b"not a database..")
    model.read_again()
    until(lambda: said)
    assert said[0].code == "history-damaged"
    with open(path, "r+b") as file:
        file.write(begin)
    shown(model)
    assert model.rowCount() == 2900


def test_only_the_newest_question_of_a_kind_is_answered(stage, history):
    import threading

    from trayapp.gui.history.desk import Desk

    desk, gate, answers, asked = Desk(stage.places, "test"), threading.Event(), [], []

    def question(number):
        def read(_reader):
            asked.append(number)
            gate.wait(10)
            return number

        return read

    for number in range(5):
        desk.ask("same", question(number), answers.append)
        if number == 0:
            until(lambda: asked)  # it is being read; those behind it wait
    gate.set()
    until(lambda: answers)
    assert (answers, asked) == ([4], [0, 4])
    desk.stop()
