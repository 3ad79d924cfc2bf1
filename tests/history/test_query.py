from __future__ import annotations

import random
import time
from datetime import timedelta

import pytest

from tests.history.making import NOON, fill, made_run, made_window
from trayapp.errors import SetupError
from trayapp.history import query, run_filter
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.store import open_history


def names(page):
    return [run.run for run in page.runs]


def all_pages(reader, wanted, count, budget_s=10.0):
    """Runs of all pages, one after the other."""
    runs, key = [], None
    while True:
        page = reader.runs(wanted, key, count, budget_s)
        assert len(page.runs) <= count
        runs += page.runs
        key = page.next_key
        if key is None:
            return runs


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A reader of 600 mixed runs, some of which began at the same instant, and the runs as a list."""
    path = tmp_path_factory.mktemp("many") / "history.db"
    dice = random.Random(4)
    runs = [
        made_run(
            number,
            minutes=dice.randrange(200) * 60,
            job=dice.choice(["satis-ozet", "yedek", "e-fatura"]),
            trigger=dice.choice(["schedule", "schedule", "manual", "boot"]),
            outcome=dice.choice(["done", "skipped", "skipped", "failed", "uncertain", "stopped", "running"]),
            reason=dice.choice(["", "kilit", "İSTANBUL şubesi kapalı"]),
        )
        for number in range(600)
    ]
    history = open_history(str(path))
    fill(history, runs)
    history.close()
    reader = open_for_reading(str(path))
    yield reader, runs
    reader.close()


FILTERS = [
    RunFilter(),
    RunFilter(jobs=["yedek"]),
    RunFilter(jobs=["yedek", "e-fatura"]),
    RunFilter(outcomes=["failed", "uncertain"]),
    RunFilter(triggers=["manual"]),
    RunFilter(jobs=["satis-ozet"], outcomes=["done"], triggers=["boot", "schedule"]),
    RunFilter(since=NOON + timedelta(hours=20), until=NOON + timedelta(hours=100)),
    RunFilter(since=NOON + timedelta(hours=3), until=NOON + timedelta(hours=4), jobs=["yedek"]),
    RunFilter(since=NOON + timedelta(hours=9)),
    RunFilter(until=NOON + timedelta(hours=9), outcomes=["skipped"]),
    RunFilter(until=NOON),
    RunFilter(jobs=["yok"]),
    RunFilter(outcomes=["yok"]),
    RunFilter(text="istanbul"),
    RunFilter(text="İSTANBUL", jobs=["yedek"], triggers=["schedule"]),
    RunFilter(text="fatura"),
    RunFilter(text="yok", text_jobs=["yedek"]),
    RunFilter(text="yok", text_reasons=["kilit"], triggers=["schedule"]),
]


def matches(run, wanted):
    said = f"{run.job} {run.reason.lower()} satis-ozet"  # the line names that job
    hit = wanted.text.lower().replace("i̇", "i") in said.replace("i̇", "i")
    return (
        (not wanted.jobs or run.job in wanted.jobs)
        and (not wanted.outcomes or run.outcome in wanted.outcomes)
        and (not wanted.triggers or run.trigger in wanted.triggers)
        and (wanted.since is None or run.started_at >= wanted.since)
        and (wanted.until is None or run.started_at < wanted.until)
        and (hit or run.job in wanted.text_jobs or run.reason in wanted.text_reasons)
    )


@pytest.mark.parametrize("wanted", FILTERS)
@pytest.mark.parametrize("count", [1, 7, 200, 1000])
def test_pages_hold_each_matching_run_once_newest_first(many, wanted, count):
    reader, runs = many
    expected = [run for run in runs if matches(run, wanted)]
    found = all_pages(reader, wanted, count)
    assert [run.started_at for run in found] == sorted((run.started_at for run in expected), reverse=True)
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("wanted", FILTERS)
def test_numbers_agree_with_the_pages(many, wanted):
    reader, runs = many
    counts = reader.count_by_outcome(wanted)
    if wanted.text:
        assert counts is None
        return
    expected = {}
    for run in runs:
        if matches(run, wanted):
            expected[run.outcome] = expected.get(run.outcome, 0) + 1
    assert counts == expected


@pytest.mark.parametrize("wanted", FILTERS)
def test_days_agree_with_the_pages(many, wanted):
    reader, runs = many
    stretches = reader.stretches(wanted)
    if wanted.text:
        assert stretches is None
        return
    expected = [run.started_at for run in runs if matches(run, wanted)]
    assert sum(stretch.run_count for stretch in stretches) == len(expected)
    for stretch in stretches:
        assert stretch.run_count == sum(stretch.since <= at < stretch.until for at in expected)
    assert stretches == sorted(stretches, reverse=True)


@pytest.mark.parametrize("wanted", [wanted for wanted in FILTERS if not wanted.text])
def test_page_from_the_middle_is_the_one_that_paging_reaches(many, wanted):
    reader, _ = many
    every = all_pages(reader, wanted, 200)
    for skip in (1, 7, 50, 599):
        assert reader.runs(wanted, count=9, skip=skip).runs == every[skip : skip + 9]
    behind = reader.runs(wanted, count=10).next_key
    if behind is not None:
        assert reader.runs(wanted, behind, 9, skip=5).runs == every[15:24]


def test_marks_tell_the_periods_and_the_last_trouble(history, read):
    failed = made_run(1, outcome="failed")
    history.add_run(failed, [(NOON, "HATA", "ilk"), (NOON, "HATA", "son"), (NOON, "ATLANDI", "sonra")])
    history.add_run(made_run(2))
    history.copy_windows("defter", "satis-ozet", [made_window(1), made_window(2, run="kosum-2"), made_window(3)])
    marks = read.marks_of([failed, made_run(2), made_run(3)])
    hour = timedelta(hours=1)
    assert marks["kosum-1"] == (NOON + hour, NOON + 4 * hour, "son")
    assert marks["kosum-2"] == (NOON + 2 * hour, NOON + 3 * hour, "")
    assert "kosum-3" not in marks


def test_lines_around_a_run_are_of_its_neighbours(history, read):
    for number in range(9):
        outcome = ["done", "skipped", "failed"][number % 3]
        lines = [(NOON + timedelta(minutes=number), "ISLENDI", f"satir {number}")]
        history.add_run(made_run(number, outcome=outcome, trigger=["manual", "schedule"][number % 2]), lines)
        history.add_run(made_run(number + 100, minutes=number, job="yedek"), lines)
    before, after = read.lines_around(made_run(4), 3)
    assert [line.text for line in before] == ["satir 1", "satir 2", "satir 3"]
    assert [line.text for line in after] == ["satir 5", "satir 6", "satir 7"]
    assert [line.text for line in read.lines_around(made_run(0), 3)[0]] == []


def test_search_in_slices_finds_the_same(many, monkeypatch):
    reader, runs = many
    monkeypatch.setattr(query, "_SLICES", (3, 10))
    wanted = RunFilter(text="istanbul")
    for count in (1, 5, 1000):
        assert len(all_pages(reader, wanted, count)) == sum(matches(run, wanted) for run in runs)


def test_search_out_of_time_says_where_to_go_on(many, monkeypatch):
    reader, _ = many
    monkeypatch.setattr(query, "_SLICES", (50, 50))
    page = reader.runs(RunFilter(text="nirgendwo"), budget_s=0)
    assert page.runs == []
    assert page.next_key is not None
    assert all_pages(reader, RunFilter(text="nirgendwo"), 10, budget_s=0) == []


def test_more_jobs_than_have_ranges_of_their_own(many, monkeypatch):
    reader, runs = many
    monkeypatch.setattr(run_filter, "_MOST_JOBS", 1)
    wanted = RunFilter(jobs=["yedek", "e-fatura"])
    assert len(all_pages(reader, wanted, 50)) == sum(matches(run, wanted) for run in runs)


def test_page_is_right_though_runs_come_and_go_between(history, read):
    for number in range(10):
        history.add_run(made_run(number))
    first = read.runs(RunFilter(), count=3)
    history.add_run(made_run(99))
    history.transact(lambda connection: connection.execute("DELETE FROM run WHERE name = 'kosum-6'"))
    assert names(first) == ["kosum-9", "kosum-8", "kosum-7"]
    assert names(read.runs(RunFilter(), first.next_key, 3)) == ["kosum-5", "kosum-4", "kosum-3"]


PAIRS = [
    ("İSTANBUL", "istanbul"),
    ("istanbul", "İSTANBUL"),
    ("İstanbul", "iSTANBUL"),
    ("Istanbul", "ıstanbul"),
    ("ISPARTA", "ısparta"),
    ("ısparta", "ISPARTA"),
    ("Isparta", "ıSPARTA"),
    ("ŞUBE", "şube"),
    ("şube", "ŞUBE"),
    ("S\u0327UBE", "şube"),
    ("şube", "s\u0327ube"),
    ("I\u0307STANBUL", "istanbul"),
    ("çağrı ÖĞÜN", "ÇAĞRI öğün"),
    ("şube", "SUBE"),
    ("ÇAĞRI öğün", "cagri ogun"),
    ("hâlâ açık", "hala acik"),
    ("FILE", "file"),
    ("SQL_SCRIPT", "sql_script"),
    ("%100 dolu", "%100"),
]


@pytest.mark.parametrize("place", ["reason", "line"])
def test_search_knows_turkish_letters_in_any_case(history, read, place):
    for number, (written, _) in enumerate(PAIRS):
        reason, line = (f"a {written} b", "") if place == "reason" else ("", f"a {written} b")
        history.add_run(made_run(number, job=f"is-{number}", reason=reason), [(NOON, "HATA", line)])
        history.add_run(made_run(number + 100, job=f"is-{number}", reason="baska"), [(NOON, "HATA", "hicbiri")])
    for number, (written, sought) in enumerate(PAIRS):
        found = read.runs(RunFilter(jobs=[f"is-{number}"], text=sought))
        assert names(found) == [f"kosum-{number}"], (written, sought)


def test_search_finds_the_job_itself(history, read):
    history.add_run(made_run(1, job="isparta-subesi"))
    history.add_run(made_run(2, job="yedek"))
    assert names(read.runs(RunFilter(text="ISPARTA"))) == ["kosum-1"]


def test_search_tells_letters_apart_that_are_no_pair(history, read):
    history.add_run(made_run(1, reason="sube 100 dolu"))
    for text in ("şube", "%", "_", "sübe"):
        assert names(read.runs(RunFilter(text=text))) == [], text


def test_newest_lines_of_all_jobs_page_back_by_time(history, read):
    for number in range(6):
        at = NOON + timedelta(seconds=number // 2)
        record = made_run(number % 2, job=["satis", "yedek"][number % 2])
        history.add_run(record, [(at, "ISLENDI", f"satir {number}")])
    newest = read.newest_lines(3)
    assert [line.text for line in newest] == ["satir 3", "satir 4", "satir 5"]
    assert (newest[0].run, newest[0].job, newest[0].at) == ("kosum-1", "yedek", NOON + timedelta(seconds=1))
    assert [line.text for line in read.newest_lines(9, newest[0].key)] == ["satir 0", "satir 1", "satir 2"]


def test_latest_run_of_each_job(history, read):
    for number, job in enumerate(["b", "a", "b", "c", "a"]):
        history.add_run(made_run(number, job=job, outcome=["done", "failed"][number % 2]))
    assert [(run.job, run.run) for run in read.latest_runs()] == [("a", "kosum-4"), ("b", "kosum-2"), ("c", "kosum-3")]


def test_windows_of_a_job_for_the_timeline(history, read):
    history.copy_windows("defter", "satis-ozet", [made_window(seq) for seq in range(1, 6)])
    history.copy_windows("defter", "yedek", [made_window(9, 2)])
    found = read.windows_of_job("satis-ozet", NOON + timedelta(hours=2), NOON + timedelta(hours=4))
    assert found == [made_window(1), made_window(2), made_window(3)], "the one before may reach into it"
    assert read.windows_of_job("satis-ozet", NOON, NOON + timedelta(hours=2)) == [made_window(1)]
    assert read.windows_of_job("satis-ozet", NOON + timedelta(days=9), NOON + timedelta(days=10)) == [made_window(5)]


def test_page_of_a_long_history_asks_the_indexes_only(history, read):
    fill(history, (made_run(number, outcome="skipped", minutes=number / 60) for number in range(3000)))
    steps = [0]

    def count_steps():
        steps[0] += 1

    read._connection.set_progress_handler(count_steps, 1)
    page = read.runs(RunFilter(), count=20)
    shallow = steps[0]
    for wanted in (RunFilter(), RunFilter(jobs=["satis-ozet"]), RunFilter(triggers=["schedule"])):
        deep = query.PageKey(page.next_key.started_at - 40 * 60_000_000, 1)
        steps[0] = 0
        assert len(read.runs(wanted, deep, 20).runs) == 20
        assert steps[0] < 2 * shallow, "a deep page walks over those before it"
    steps[0] = 0
    assert read.runs(RunFilter(outcomes=["failed"]), count=20).runs == []
    assert steps[0] < shallow, "what is rare is sought among all"


def test_reading_while_many_write_is_quick(history, read):
    fill(history, (made_run(number) for number in range(2000)))
    began = time.monotonic()
    read.runs(RunFilter())
    assert time.monotonic() - began < 1


def test_bytes_that_are_no_text_can_be_looked_for(tmp_path):
    path = str(tmp_path / "history.db")
    history = open_history(path)
    history.add_run(made_run(1, reason="dosya \udcff"))
    history.close()
    reader = open_for_reading(path)
    assert len(reader.runs(RunFilter(text="\udcff")).runs) == 1
    assert reader.runs(RunFilter(jobs=["\udcff"])).runs == []
    assert reader.run("\udcff") is None
    reader.close()


def test_state_that_is_a_file_is_no_empty_history(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(SetupError, match="state-folder-unusable"):
        open_for_reading(str(tmp_path / "state" / "history.db"))
