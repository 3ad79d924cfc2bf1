"""The editor as an admin uses it: typed and chosen, by keys alone too, saved by the real command."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from trayapp.gui.jobs.editor.past_dialog import PastDialog
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.job import shelf
from trayapp.job.file import read_job


@pytest.fixture
def editor(office: Office) -> EditorWindow:
    return _open(office)


def _open(office: Office) -> EditorWindow:
    made = EditorWindow(office.context, None)
    made.begin_new()
    made.resize(1200, 740)
    made.show()
    made.activateWindow()
    assert QTest.qWaitForWindowActive(made)
    return made


def _saved(editor: EditorWindow) -> list[tuple[str, bool]]:
    told: list[tuple[str, bool]] = []
    editor.saved.connect(lambda job, run: told.append((job, run)))
    return told


def _type(text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget(), text)


def _tab(count: int = 1) -> None:
    for _ in range(count):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)


def _tab_to(part: QWidget) -> None:
    for _ in range(60):
        if QApplication.focusWidget() is part:
            return
        _tab()
    msg = f"Tab never reaches {part.accessibleName()}"
    raise AssertionError(msg)


def test_a_job_is_made_by_keys_alone(office: Office, editor: EditorWindow):
    told = _saved(editor)
    what = editor.steps[0]
    assert QApplication.focusWidget() is what.name
    _type("Hourly sales")
    _tab_to(what._rows["database"].findChild(QWidget, "", Qt.FindChildOption.FindChildrenRecursively)._parts[0].line)
    _type(str(office.database))
    _tab_to(what._rows["script"]._parts[0].line)
    _type(str(office.script))
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert editor.current == 1
    assert QApplication.focusWidget().text() == "At intervals"
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert editor.current == 3
    _tab_to(editor.save)
    QTest.keyClick(editor.save, Qt.Key.Key_Space)
    until(lambda: told)
    assert told == [("hourly-sales", False)]
    job = read_job(office.places.job_file("hourly-sales"), "hourly-sales")
    assert job.title == "Hourly sales"
    assert (job.effect.database, job.effect.script) == (str(office.database), str(office.script))
    assert (job.schedule.minutes, job.schedule.offset_minutes) == (60, 5)


def test_nothing_is_scolded_before_it_was_left_and_then_at_its_field(editor: EditorWindow):
    field = editor.steps[0]._rows["script"]
    assert field.fault.isHidden()
    editor.next.click()
    assert editor.current == 0
    assert field.fault.text() == "This is needed."
    assert QApplication.focusWidget() is editor.steps[0].name  # the first that is wrong
    editor.form.set(title="x")
    editor.next.click()
    assert QApplication.focusWidget().accessibleName() == "Database"
    editor.form.set(title="x", database="/d/x.db", script="/d/x.sql")
    assert field.fault.isHidden()
    editor.next.click()
    assert editor.current == 1


def test_a_fault_stands_under_its_field_while_it_is_typed(editor: EditorWindow):
    editor.form.set(title="x", database="/d/x.db", script="/d/x.sql", timing="daily")
    editor.go(1)
    times = editor.steps[1]._schedule_rows["times"]
    line = times._parts[0]
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "2")
    assert "02:30" in times.fault.text()
    assert times.fault.isVisible()
    assert line.accessibleDescription() == times.fault.text()  # a screen reader says it too
    line.selectAll()
    QTest.keyClicks(line, "07:15")
    assert times.fault.isHidden()
    assert editor.steps[1].summary() == "every day at 07:15"


def test_a_command_is_not_saved_before_it_was_said_whether_it_may_run_twice(office: Office, editor: EditorWindow):
    told = _saved(editor)
    careful = editor.steps[2]
    editor.form.set(title="Mails", kind="command", command="python3 send.py")
    assert not careful.once.radio.isChecked()
    assert not careful.repeatable.radio.isChecked()
    editor.go(3)
    assert editor.current == 2
    assert careful._unanswered.isVisible()
    assert not editor.save.isEnabled()
    careful.once.radio.click()
    editor.go(3)
    assert editor.current == 3
    editor.save.click()
    until(lambda: told)
    assert read_job(office.places.job_file("mails"), "mails").effect.repeatable is False


def test_the_side_says_what_each_start_takes_and_what_run_now_would_do(office: Office, editor: EditorWindow):
    editor.form.set(title="x", database=str(office.database), script=str(office.script))
    editor.go(3)
    until(lambda: editor.side._starts.rows)
    assert len(editor.side._starts.rows) == 4
    assert editor.side._by_hand.isVisible()
    assert editor.side._by_hand._text.text() == "Nothing is done: no period has closed yet."
    assert "still open; it can be taken" in editor.side._by_hand._second.text()


def test_a_missing_database_can_be_made_and_only_on_request(office: Office, editor: EditorWindow):
    path = office.folder / "new.db"
    told = _saved(editor)
    editor.form.set(title="x", database=str(path), script=str(office.script))
    create = editor.steps[0]._create
    until(create.isVisible)
    assert not create.isChecked()
    create.click()
    editor.go(3)
    editor.save.click()
    until(lambda: told)
    assert path.is_file()


def test_changing_a_job_keeps_the_owners_words_and_order(office: Office):
    path = office.add_sql("sales", "Sales")
    before = path.read_text(encoding="utf-8")
    office.read()
    editor = EditorWindow(office.context, None)
    editor.begin_change("sales")
    editor.show()
    told = _saved(editor)
    assert not editor.steps[0]._kind.isEnabled()  # what was done is recorded where this kind records it
    assert not editor.save.isEnabled()
    editor.form.set(title="Satışlar", lateness="7")
    editor.save.click()
    until(lambda: told)
    after = path.read_text(encoding="utf-8")
    assert after == before.replace('"Sales"', '"Satışlar"').replace('"0s"', '"7m"')
    assert "# The owner's own words." in after


def test_a_file_that_somebody_changed_meanwhile_is_not_written_over(office: Office):
    path = office.add_sql("sales", "Sales")
    office.read()
    editor = EditorWindow(office.context, None)
    editor.begin_change("sales")
    editor.show()
    editor.form.set(title="Mine")
    theirs = path.read_text(encoding="utf-8").replace("Sales", "Theirs")
    path.write_text(theirs, encoding="utf-8")
    editor.save.click()
    until(editor._refusal.isVisible)
    assert "changed by somebody else" in editor._refusal.text.text()
    assert path.read_text(encoding="utf-8") == theirs
    editor.form.begin_saved()
    editor.close()


@pytest.mark.parametrize(("choice", "rows"), [("go_on", 3), ("forget", 6)])
def test_a_short_name_with_a_past_asks_and_nothing_is_chosen_beforehand(office: Office, choice: str, rows: int):
    office.add_sql("sales", "Sales", hours=3, schedule="")
    _run(office, "sales")
    assert len(office.rows()) == 3
    shelf.remove(office.places, "sales")
    editor = _open(office)
    told = _saved(editor)
    start = min(hour for hour, _count in office.rows())
    editor.form.set(
        title="Sales",
        timing="hand",
        lateness="0",
        database=str(office.database),
        script=str(office.script),
        start=_at(start),
    )
    editor.go(3)
    editor.save.click()
    until(lambda: editor.findChildren(PastDialog))
    dialog = editor.findChildren(PastDialog)[0]
    assert not dialog.save.isEnabled()
    assert not dialog.go_on.radio.isChecked()
    assert not dialog.forget.radio.isChecked()
    getattr(dialog, choice).radio.click()
    dialog.save.click()
    until(lambda: told)
    _run(office, "sales")
    assert len(office.rows()) == rows


def test_what_was_typed_is_not_thrown_away_unasked(editor: EditorWindow, monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(editor, "_may_discard", lambda: asked.append(1) or False)
    editor.form.set(title="x")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    editor.cancel.click()
    assert len(asked) == 2
    assert editor.isVisible()
    editor.close()  # as the application's end does: no question may keep it
    assert len(asked) == 2
    assert not editor.isVisible()


def test_a_script_that_only_adds_is_warned_of(office: Office, editor: EditorWindow):
    adds = editor.steps[0]._adds
    editor.form.set(title="x", database=str(office.database), script=str(office.script))
    until(adds.isVisible)
    office.script.write_text("DELETE FROM summary WHERE hour = :start; INSERT INTO summary SELECT :start, 1;")
    editor.form.set(title="xy")
    until(adds.isHidden)


def test_a_copy_is_a_new_job_that_begins_now(office: Office):
    office.add_sql("sales", "Sales", hours=9)
    office.read()
    editor = EditorWindow(office.context, None)
    editor.begin_copy("sales")
    editor.show()
    told = _saved(editor)
    assert editor.form.draft.title == "Sales (copy)"
    editor.go(3)
    editor.save.click()
    until(lambda: told)
    copy, old = (tomllib.loads(Path(office.places.job_file(name)).read_text()) for name in ("sales-copy", "sales"))
    assert copy["window"]["start"] > old["window"]["start"]
    assert copy["effect"]["script"] == old["effect"]["script"]


def test_the_whole_editor_speaks_the_other_language_at_once(office: Office, editor: EditorWindow):
    editor.form.set(title="x", database=str(office.database), script=str(office.script))
    editor.go(3)
    until(lambda: editor.side._starts.rows)
    office.context.language.speak("tr", {})
    texts = {part.text() for part in editor.findChildren(QPushButton) if part.isVisible()}
    office.context.language.speak("en", {})
    assert {"Vazgeç", "Kaydet"} <= texts


def _run(office: Office, job_id: str) -> None:
    done = []
    office.commands.ask(["run", job_id, "--json"], done.append)
    until(lambda: done)
    assert done[0].is_good, done[0].errors


def _at(text: str):
    from datetime import UTC, datetime

    return datetime.fromisoformat(text).replace(tzinfo=UTC)
