"""Trying a job from the editor: the real command's answer in words, asked about where it cannot be taken back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office
from trayapp.cli.job_adding import grid_line_now
from trayapp.gui.jobs.editor.trial import TrialCard
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.job import shelf


@pytest.fixture
def editor(office: Office) -> Iterator[EditorWindow]:
    made = EditorWindow(office.context, None)
    made.begin_new()
    made.show()
    yield made
    until(lambda: not _card(made)._is_under_way)
    made.form.begin_saved()
    made.close()


def _card(editor: EditorWindow) -> TrialCard:
    return editor.steps[0].trial


def _try(editor: EditorWindow) -> TrialCard:
    card = _card(editor)
    assert card.press.isEnabled()
    card.press.click()
    until(lambda: card._told is not None)
    return card


def test_a_script_is_tried_as_it_stands_and_nothing_of_it_stays(office: Office, editor: EditorWindow):
    assert not _card(editor).press.isEnabled()  # nothing is there to try yet
    editor.form.set(title="Sales", database=str(office.database), script=str(office.script))
    assert _card(editor).choice.isHidden()
    card = _try(editor)
    assert card.answer.title.text() == "It works"
    assert "taken back" in card.answer.text.text()
    assert card.details.toPlainText().startswith("summary: 1 row written\n  hour")
    assert office.rows() == []
    assert shelf.job_ids(office.places) == []
    # What was told is about what stood there; a change takes it away.
    editor.form.set(timeout="11")
    assert card.answer.isHidden()
    assert card.details.isHidden()


def test_a_script_that_fails_says_where(office: Office, editor: EditorWindow):
    office.script.write_text("SELECT 1;\nINSERT INTO gone VALUES (1);\n", encoding="utf-8")
    editor.form.set(title="Sales", database=str(office.database), script=str(office.script))
    card = _try(editor)
    assert card.answer.title.text() == "It does not work yet"
    assert "line 2" in card.answer.text.text()
    editor.form.set(database=str(office.folder / "none.db"))
    card = _try(editor)
    assert card.answer.title.text() == "It could not be tried"
    assert "none.db" in card.answer.text.text()


def test_a_program_is_started_only_after_a_clear_choice(office: Office, editor: EditorWindow):
    mark = office.folder / "was-here"
    code = f"open({str(mark)!r}, 'a').write('x'); print('sent')"
    (office.folder / "send.py").write_text(code, encoding="utf-8")
    python, send = Path(sys.executable).as_posix(), (office.folder / "send.py").as_posix()
    editor.form.set(title="Mails", kind="command", command=f"{python} {send}", repeatable=False)
    card = _card(editor)
    assert card.choice.isVisible()
    assert not card.choice.isChecked()
    assert not card.press.isEnabled()
    card.choice.click()
    _try(editor)
    assert card.answer.title.text() == "It works"
    assert "sent" in card.details.toPlainText()
    assert mark.read_text() == "x"
    # The choice was about this kind of work.
    editor.form.set(kind="python")
    assert not card.choice.isChecked()
    editor.form.set(kind="command")
    assert not card.choice.isChecked()


def test_a_list_is_tried_in_the_review(office: Office, editor: EditorWindow):
    (office.folder / "ids.txt").write_text("one\ntwo\n", encoding="utf-8")
    (office.folder / "make.py").write_text(
        "def process(item, output):\n    open(output, 'w').write('<' + item.id + '>')\n"
    )
    editor.form.set(title="Papers", works="list", kind="python", file=str(office.folder / "make.py"), timing="hand")
    editor.form.set(source=str(office.folder / "ids.txt"), target=f"{office.folder.as_posix()}/out/{{item}}.txt")
    assert _card(editor).isHidden()
    editor.go(3)
    card = editor.steps[3].trial
    card.choice.click()
    card.press.click()
    until(lambda: card._told is not None)
    assert "one.txt would have 5 bytes" in card.answer.text.text()
    assert card.details.toPlainText() == "<one>"
    assert not (office.folder / "out").exists()


def test_a_changed_function_is_looked_at_as_a_new_one_is(office: Office):
    good, bad = office.folder / "good.py", office.folder / "bad.py"
    good.write_text("def process(window, tx): pass\n", encoding="utf-8")
    bad.write_text("import of_nobody\ndef process(window, tx): pass\n", encoding="utf-8")
    text = f"""title = "Py"
[window]
step = "1h"
[effect]
kind = "python"
database = "{office.database.as_posix()}"
callable = "{good.as_posix()}:process"
"""
    shelf.add(office.places, "py", text, str(office.folder / "job.toml"), grid_line_now)
    office.read()
    told: list[str] = []
    office.commands.complained.connect(told.append)
    change = EditorWindow(office.context, None)
    change.begin_change("py")
    change.show()
    change.form.set(file=str(bad))
    change.save.click()
    until(lambda: told)
    assert "of_nobody" in told[0]
    assert bad.as_posix() in Path(office.places.job_file("py")).read_text()


@pytest.mark.posix
def test_a_trial_can_be_stopped(office: Office, editor: EditorWindow):
    mark = office.folder / "began"
    code = f"import time; open({str(mark)!r}, 'w'); time.sleep(60)"
    (office.folder / "long.py").write_text(code, encoding="utf-8")
    python, program = Path(sys.executable).as_posix(), (office.folder / "long.py").as_posix()
    editor.form.set(title="Mails", kind="command", command=f"{python} {program}", repeatable=False)
    card = _card(editor)
    card.choice.click()
    assert card.stop.isHidden()
    card.press.click()
    assert card.stop.isVisible()
    assert card.press.isHidden()
    until(mark.exists)
    card.stop.click()
    until(lambda: card._told is not None)
    assert card.answer.title.text() == "It could not be tried"
    assert "stopped" in card.answer.text.text()
    assert card.press.isVisible()
    assert card.stop.isHidden()
