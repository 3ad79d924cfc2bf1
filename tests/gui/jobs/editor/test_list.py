"""Jobs with a list in the editor: made, looked at as one types, changed with all else kept."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from shiboken6 import isValid

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from tests.gui.stage import Stage
from trayapp.gui.commands import Done
from trayapp.gui.jobs.editor.draft import Draft, draft_of, values_of
from trayapp.gui.jobs.editor.form.field import Field
from trayapp.gui.jobs.editor.text import changed_text, new_text
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.job import shelf
from trayapp.job.file import parse_job

URL = "https://x.example/{item}"
DOWNLOAD = """# Statements of the bank
title = "Statements"   # in lists
[schedule]
every = "1h"
[items]
target = "/data/statements/{item}.pdf"
source = "/data/ids.csv"     # from the till
column = "no"
[effect]
kind = "download"
method = "POST"
json = { id = "{item}" }
headers = { Accept = "application/json" }
url = "https://bank.example/{branch}/{item}"
per_host = 2
"""


def parsed(text: str):
    return parse_job(text, "/jobs/statements.toml", "statements")


@pytest.fixture
def editor(office: Office) -> Iterator[EditorWindow]:
    made = EditorWindow(office.context, None)
    made.begin_new()
    made.show()
    yield made
    if isValid(made):
        made.form.begin_saved()
        made.close()


def test_a_draft_says_what_the_job_says():
    job = parsed(DOWNLOAD)
    draft = draft_of(job, "UTC")
    assert (draft.works, draft.kind, draft.column, draft.per_host) == ("list", "download", "no", "2")
    again = parsed(new_text(values_of(draft)))
    assert again.items == job.items
    assert again.schedule == job.schedule
    assert again.effect.url == job.effect.url


def test_what_the_form_has_no_field_for_stays_in_the_file():
    job = parsed(DOWNLOAD)
    draft = draft_of(job, "UTC")
    before = values_of(draft)
    draft.workers, draft.column, draft.timing = "8", "", "hand"
    text = changed_text(DOWNLOAD, before, values_of(draft))
    told = tomllib.loads(text)
    assert told["items"] == {
        "target": "/data/statements/{item}.pdf", "source": "/data/ids.csv", "workers": 8,
    }  # fmt: skip
    assert "schedule" not in told
    assert told["effect"]["headers"] == {"Accept": "application/json"}
    assert told["effect"]["json"] == {"id": "{item}"}
    assert "# from the till" in text
    assert "# Statements of the bank" in text


@pytest.mark.parametrize(
    ("kind", "facts", "effect"),
    [
        ("download", {"url": URL, "expects_json": True}, {"url": URL, "expect": "json"}),
        ("command", {"command": "make {item} {output}"}, {"argv": ["make", "{item}", "{output}"]}),
        ("python", {"file": "/data/make.py"}, {"callable": "/data/make.py:process"}),
    ],
)  # fmt: skip
def test_each_kind_of_work_makes_a_job_file_of_its_own_keys(kind: str, facts: dict, effect: dict):
    # What was typed for another kind before must not come along.
    draft = Draft("Papers", "list", kind, "/old.db", True, "/old.sql", repeatable=True, nothing_done="75", **facts)
    draft.source, draft.target = "/data/ids.txt", "/data/out/{item}.txt"
    told = tomllib.loads(new_text(values_of(draft)))
    assert told["effect"] == {"kind": kind, **effect, "timeout": "10m"}
    assert "window" not in told
    assert parsed(new_text(values_of(draft))).items is not None


def test_what_a_job_goes_through_decides_the_kinds_that_are_offered(editor: EditorWindow):
    kinds = editor.steps[0]._kind
    assert kinds.chip("sql").isVisible()
    assert not kinds.chip("download").isVisible()
    editor.steps[0]._works.chip("list").click()
    assert editor.form.draft.kind == "download"
    assert kinds.chip("download").isVisible()
    assert not kinds.chip("sql").isVisible()
    assert editor.steps[0]._rows["url"].isVisible()
    editor.steps[0]._works.chip("periods").click()
    assert editor.form.draft.kind == "sql"


def test_the_list_is_read_as_one_types_and_told_with_what_cannot_be_used(office: Office, editor: EditorWindow):
    ids = office.folder / "ids.txt"
    ids.write_text("\n".join([*(f"c-{number}" for number in range(1, 41)), "../x", "CON"]), encoding="utf-8")
    folder = (office.folder / "papers").as_posix()
    editor.form.set(title="Papers", works="list", kind="download", url="https://x.example/{item}")
    editor.form.set(source=str(ids), target=f"{folder}/{{item}}.json")
    editor.go(1)
    preview = editor.side._list
    until(lambda: preview.title.text() == "40 entries in the list")
    assert preview.rows[0] == ("c-1", "c-1.json")
    assert "../x" in preview.trouble.text()
    assert "CON" in preview.trouble.text()
    editor.form.set(target=f"{folder}/doc-{{item}}.json")
    until(lambda: preview.rows[0] == ("c-1", "doc-c-1.json"))
    editor.form.set(source=str(office.folder / "none.txt"))
    until(lambda: preview.title.text() == "The list cannot be read")
    assert "none.txt" in preview.trouble.text()


def test_a_column_that_is_not_there_is_told_with_those_that_are(office: Office, editor: EditorWindow):
    csv = office.folder / "till.csv"
    csv.write_text("no;branch\n17;izmir\n18;bursa\n", encoding="utf-8")
    editor.form.set(title="Papers", works="list", kind="download", url="https://x.example/{branch}/{item}")
    editor.form.set(source=str(csv), column="number", target=f"{office.folder.as_posix()}/p/{{item}}.json")
    trouble = editor.side._list.trouble
    until(lambda: "branch" in trouble.text())
    editor.form.set(column="no")
    until(lambda: editor.side._list.rows == [("17", "17.json"), ("18", "18.json")])


def test_faults_stand_under_their_fields(office: Office, editor: EditorWindow):
    editor.form.set(title="Papers", works="list", kind="download", url="bank.example", source="x")
    editor.form.set(target="papers/all.json", workers="0", attempts="x")
    editor.form.is_all_shown = True
    editor.form.check_again()
    faults = editor.form.state.faults
    assert set(faults) == {"effect.url", "items.target", "items.workers", "items.attempts"}
    editor.go(3)
    assert editor.current == 0  # the address is the first that is wrong
    editor.form.set(url="https://bank.example/{item}")
    editor.go(3)
    assert editor.current == 1
    texts = {field.fault.text() for field in editor.steps[1].findChildren(Field)}
    assert any("{item}" in text for text in texts)
    assert not any("{{" in text for text in texts)


def test_made_in_the_editor_run_and_changed_in_it(office: Office, editor: EditorWindow):
    ids = office.folder / "ids.txt"
    ids.write_text("1\n2\n3\n", encoding="utf-8")
    make = office.folder / "make.py"
    make.write_text("def process(item, output):\n    open(output, 'w').write(item.id)\n", encoding="utf-8")
    editor.form.set(title="Papers", works="list", kind="python", file=str(make), timing="hand")
    editor.form.set(source=str(ids), target=f"{(office.folder / 'out').as_posix()}/{{item}}.txt", workers="2")
    told = []
    editor.saved.connect(lambda job, run: told.append((job, run)))
    editor.go(3)
    assert editor.current == 3  # nobody is asked whether it may run twice
    until(editor.steps[3].entry.isVisible)
    editor.save_and_run.click()
    until(lambda: told)
    assert told == [("papers", True)]
    office.read()
    office.context.run_now.press("papers")
    until(lambda: office.context.run_now.answer("papers"))
    assert {path.name for path in (office.folder / "out").iterdir() if path.suffix} >= {"1.txt", "2.txt", "3.txt"}
    change = EditorWindow(office.context, None)
    change.begin_change("papers")
    change.show()
    assert not change.steps[0]._works.isEnabled()
    assert change.form.draft.source == str(ids)
    change.form.set(workers="6")
    saved = []
    change.saved.connect(lambda *what: saved.append(what))
    change.save.click()
    until(lambda: saved)
    assert tomllib.loads(Path(office.places.job_file("papers")).read_text())["items"]["workers"] == 6
    QTest.qWait(1)


def test_relative_paths_begin_where_the_job_lies(office: Office, editor: EditorWindow):
    folder = Path(office.places.jobs_dir)
    (folder / "ids.txt").write_text("1\n", encoding="utf-8")
    editor.form.set(title="Papers", works="list", kind="download", url="https://x.example/{item}", timing="hand")
    editor.form.set(source="ids.txt", target="out/{item}.txt")
    until(lambda: editor.side._list.rows == [("1", "1.txt")])
    told = []
    editor.saved.connect(lambda *what: told.append(what))
    editor.go(3)
    editor.save.click()
    until(lambda: told)
    items = tomllib.loads(Path(office.places.job_file("papers")).read_text())["items"]
    assert Path(items["source"]) == folder / "ids.txt"
    assert Path(items["target"]) == folder / "out" / "{item}.txt"


def test_what_stays_in_the_file_is_told(office: Office):
    text = DOWNLOAD.replace("/data/", f"{office.folder.as_posix()}/")
    shelf.add(office.places, "statements", text, str(office.folder / "job.toml"))
    office.read()
    change = EditorWindow(office.context, None)
    change.begin_change("statements")
    change.show()
    assert "method, json, headers" in change.steps[0]._kept.text()
    assert change.steps[0]._kept.isVisible()
    change.form.begin_saved()
    change.close()


def test_a_list_is_read_once_at_a_time_and_again_after_a_fault(stage: Stage):
    editor = EditorWindow(stage.context, None)
    editor.begin_new()
    editor.show()
    asked = stage.commands.asked
    editor.form.set(title="Papers", works="list", kind="download", url="https://x.example/{item}")
    editor.form.set(source="/d/ids.txt", target="/d/p/{item}.json")
    until(lambda: len(asked) == 1)
    for name in ("a", "ab", "abc"):  # a folder of large files: the first question is not answered yet
        editor.form.set(source=f"/d/{name}.txt")
        QTest.qWait(300)
    assert len(asked) == 1
    looker, told = editor.form._list_looker, Done(0, json.dumps({"concerns": [], "list": None}), "")
    looker._on_told(asked[0][2], told)
    until(lambda: len(asked) == 2)
    assert "/d/abc.txt" in Path(asked[1][2]).read_text(encoding="utf-8")
    looker._on_told(asked[1][2], told)
    assert editor.form.listing is not None
    editor.form.set(workers="x")
    assert editor.form.listing is None
    editor.form.set(workers="4")
    until(lambda: len(asked) == 3)
    editor.form.set(title="Other papers")  # says nothing about the list
    QTest.qWait(300)
    assert len(asked) == 3
    looker._on_told(asked[2][2], told)
    editor.form.begin_saved()
    editor.close()
