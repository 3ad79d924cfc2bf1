"""What a run costs in counts, which hardly differ between machines and under no load.

A bound lies a little above what was counted when it was set (how deep a folder lies and how
SQLite was built make a few calls); whoever passes it has added a cost to every start of
every job, and should know.
"""

from __future__ import annotations

import shutil

import pytest

from tests.benchmark.counts import (
    WINDOWS,
    calls_of,
    count_flushes,
    idle_words,
    is_reading_wal,
    loop_flushes,
    modules_of,
)
from tests.benchmark.home import Home

pytestmark = [
    pytest.mark.linux,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("bench") / "home")
    home.make_idle_job("idle")
    return home


def test_a_start_with_nothing_to_do_loads_few_modules(home):
    more = modules_of(idle_words("idle"), home.env) - modules_of(["-c", "pass"], home.env)
    assert len(more) <= 70, sorted(more)


def test_a_start_with_nothing_to_do_flushes_nothing_and_makes_few_system_calls(home):
    home.run("idle")  # the first after a run with work begins history's WAL, and flushes its head
    calls = calls_of(home.argv("idle"), home.env, home.folder)
    assert home.last_line("idle").split()[1] == "ATLANDI"
    assert count_flushes(calls) == 0
    assert len([call for call in calls if not is_reading_wal(call)]) <= 265


def test_a_window_is_flushed_once_where_its_effect_lies(home):
    home.make_hourly_job("many", WINDOWS)
    calls = calls_of(home.argv("many"), home.env, home.folder)
    assert home.last_line("many").split()[1] == "ISLENDI"
    assert WINDOWS <= count_flushes(calls, home.database) <= 1.1 * WINDOWS
    assert count_flushes(calls) <= 1.1 * WINDOWS, "history flushes too, but not for each window"
    assert len(calls) <= 45 * WINDOWS


def test_flushes_are_counted(tmp_path):
    assert 4 * WINDOWS <= loop_flushes(tmp_path, WINDOWS) <= 4.1 * WINDOWS, "as the loop is known to do"
