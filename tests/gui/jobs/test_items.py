"""A job with a list on the screen: its progress while workers are at it, what failed, and another try."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from trayapp import clock
from trayapp.gui.jobs.one.view import JobView
from trayapp.gui.panel.job_row import JobRow
from trayapp.gui.state.snapshot import JobState
from trayapp.gui.state.words import status_words, tooltip

COUNT = 8
# Waits for `go`, then copies the item's name; `bad` fails as long as there is a file `broken`.
CODE = """import os, sys, time
item, output = sys.argv[1:]
while not os.path.exists("go"): time.sleep(0.01)
if item == "bad" and os.path.exists("broken"): sys.exit("the till is closed")
open(output, "w").write(item)
"""


def add_list(office: Office, *, attempts: int = 1, workers: int = 2) -> None:
    folder = office.folder
    (folder / "make.py").write_text(CODE, encoding="utf-8")
    (folder / "ids.txt").write_text("\n".join([*map(str, range(COUNT)), "bad", "../x"]), encoding="utf-8")
    (folder / "broken").touch()
    python, make = Path(sys.executable).as_posix(), (folder / "make.py").as_posix()
    office._add(
        "papers",
        f"""title = "Papers"
[items]
source = "{(folder / "ids.txt").as_posix()}"
target = "{(folder / "papers").as_posix()}/{{item}}.txt"
workers = {workers}
attempts = {attempts}
[effect]
kind = "command"
argv = ["{python}", "{make}", "{{item}}", "{{output}}"]
cwd = "{folder.as_posix()}"
""",
    )


def _state(office: Office) -> JobState:
    state = office.context.store.state_of("papers")
    assert state is not None
    return state


@pytest.fixture
def view(office: Office) -> Iterator[JobView]:
    add_list(office)
    office.read()
    made = JobView(office.context)

    def show(_snapshot: object) -> None:
        made.show_job(_state(office))

    office.context.store.changed.connect(show)
    made.show_job(_state(office))
    made.resize(700, 700)
    made.show()
    yield made
    office.context.store.changed.disconnect(show)


def test_before_the_first_run_the_list_is_counted(office: Office, view: JobView):
    until(lambda: "0 of 9 done" in view.items.line.text())
    assert "9 waiting" in view.items.line.text()
    assert "1 line cannot be used" in view.items.line.text()
    assert not view.items.bar.isVisible()
    until(lambda: "9 files are made" in view.head._line.text())


def test_progress_is_shown_while_a_run_is_at_work_and_goes_with_it(office: Office, view: JobView):
    office.context.run_now.press("papers")
    until(lambda: _state(office).progress is not None)
    until(view.items.bar.isVisible)
    assert "0%: 0 of 9" in view.items.line.text()
    until(lambda: "2 workers" in view.items.pace.text())
    row = JobRow(office.context, _state(office), clock.now())
    assert row.accessibleName() == "Papers: 0%: 0 of 9"
    assert not row._bar.isHidden()
    assert "Papers: 0%" in tooltip(office.context.store.snapshot)
    (office.folder / "go").touch()
    until(lambda: _state(office).kind == "failed")
    assert view.items.bar.isHidden()
    until(lambda: status_words(_state(office), clock.now()).endswith("2 files could not be made"))
    row.show_job(_state(office), clock.now())
    assert row._bar.isHidden()


def test_a_worker_by_hand_alone_is_seen_too(office: Office, view: JobView):
    view.items.join.click()
    until(lambda: _state(office).progress is not None)
    assert _state(office).lock.state == "idle"
    assert _state(office).kind == "running"
    view.items.join.click()
    until(lambda: _state(office).progress is not None and _state(office).progress.workers == 2)
    (office.folder / "go").touch()
    until(lambda: _state(office).progress is None)
    until(lambda: view.head.answer.title.text() == "2 files could not be made")


def test_what_failed_is_listed_with_its_reason_and_tried_again_at_a_press(office: Office, view: JobView):
    (office.folder / "go").touch()
    office.context.run_now.press("papers")
    until(lambda: len(view.items.table.lost) == 2)
    until(lambda: view.head.answer.title.text() == "2 files could not be made")
    bad, outside = view.items.table.lost
    assert bad.item == "bad"
    assert "status 1" in bad.reason
    assert outside.is_refused
    assert view.items.retry.isVisible()
    (office.folder / "broken").unlink()
    view.items.retry.click()
    until((office.folder / "papers" / "bad.txt").exists)
    until(lambda: [one.item for one in view.items.table.lost] == ["../x"])
    assert view.items.retry.isHidden()  # another try cannot mend a line that is no item


def test_the_facts_of_a_list_name_no_periods(office: Office, view: JobView):
    assert view._facts._done.isHidden()
    assert not view._facts._links["targets"].isHidden()
    assert view._facts._links["database"].isHidden()
