"""Quit with something typed and not saved: nobody loses it by a slip of a key."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from tests.gui.conftest import until
from tests.gui.desk import Desk
from tests.gui.stage import Stage
from trayapp.gui.context import Place
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.gui.main_view import MainView
from trayapp.gui.quitting import Quitting
from trayapp.wording.language import speak

pytestmark = pytest.mark.timeout(90)  # a main view or an editor is dear to make


class Quitter:
    """A main view, and a count of how often it ended."""

    def __init__(self, stage: Stage, *, has_tray: bool = True) -> None:
        self.view = MainView(stage.context, has_tray=has_tray)
        self.ended = 0
        self.quitting = Quitting(self.view.unsaved, self._end)
        self.view.quit_requested.connect(self.quitting.ask)
        self.view.show()

    def _end(self) -> None:
        self.ended += 1

    def type_into_a_new_job(self) -> EditorWindow:
        self.view.go_to(Place("jobs", action="new"))
        editor = self.view.findChildren(EditorWindow)[-1]
        until(editor.isVisible)
        QTest.keyClicks(editor.steps[0].name, "Half a job")
        return editor

    def questions(self) -> list[QMessageBox]:
        return [view for view in QApplication.topLevelWidgets() if isinstance(view, QMessageBox) and view.isVisible()]

    def press(self, text: str) -> None:
        (question,) = self.questions()
        next(button for button in question.findChildren(QPushButton) if button.text() == text).click()


@pytest.fixture
def quitter(stage: Stage) -> Iterator[Quitter]:
    made = Quitter(stage)
    yield made
    made.quitting.end()


def test_nothing_typed_nothing_asked(quitter: Quitter):
    quitter.quitting.ask()
    assert quitter.ended == 1
    assert not quitter.questions()


def test_an_editor_that_was_only_opened_asks_nothing(quitter: Quitter):
    quitter.view.go_to(Place("jobs", action="new"))
    quitter.quitting.ask()
    assert quitter.ended == 1


def test_what_was_typed_stays_when_one_goes_on_editing(quitter: Quitter):
    editor = quitter.type_into_a_new_job()
    quitter.quitting.ask()
    (question,) = quitter.questions()
    assert question.text() == "What you typed is not saved."
    assert question.defaultButton().text() == "Go on editing"
    quitter.press("Go on editing")
    assert quitter.ended == 0
    assert editor.isVisible()
    assert editor.form.draft.title == "Half a job"
    quitter.quitting.ask()  # and it is asked anew the next time
    assert len(quitter.questions()) == 1


def test_discard_ends(quitter: Quitter):
    quitter.type_into_a_new_job()
    quitter.quitting.ask()
    quitter.press("Discard and quit")
    assert quitter.ended == 1
    assert not quitter.view.unsaved()


def test_asked_twice_it_is_one_question(quitter: Quitter):
    quitter.type_into_a_new_job()
    quitter.quitting.ask()
    quitter.quitting.ask()
    assert len(quitter.questions()) == 1
    assert quitter.ended == 0


def test_two_editors_are_both_named(quitter: Quitter):
    first, second = quitter.type_into_a_new_job(), quitter.type_into_a_new_job()
    second.setWindowTitle("Second")
    quitter.quitting.ask()
    (question,) = quitter.questions()
    assert first.windowTitle() in question.informativeText()
    assert "Second" in question.informativeText()


def test_the_question_is_asked_in_turkish_too(quitter: Quitter):
    quitter.type_into_a_new_job()
    speak("tr")
    quitter.quitting.ask()
    (question,) = quitter.questions()
    texts = {button.text() for button in question.findChildren(QPushButton)}
    assert texts == {"Kaydetmeden çık", "Düzenlemeyi sürdür"}
    assert question.text() == "Yazdıklarınız kaydedilmedi."


def test_closing_the_main_view_where_no_tray_is_asks_and_keeps_it(stage: Stage):
    quitter = Quitter(stage, has_tray=False)
    quitter.type_into_a_new_job()
    quitter.view.close()
    assert quitter.view.isVisible()
    assert quitter.ended == 0
    quitter.press("Go on editing")
    quitter.quitting.end()
    assert quitter.ended == 1
    quitter.view.close()
    assert not quitter.view.isVisible()


class Session:
    """A desktop that is about to log off."""

    def __init__(self, *, waits: bool) -> None:
        self._waits = waits
        self.done: list[str] = []

    def allowsInteraction(self) -> bool:  # noqa: N802  # Qt's
        return self._waits

    def cancel(self) -> None:
        self.done.append("cancel")

    def release(self) -> None:
        self.done.append("release")


@pytest.mark.parametrize(
    ("pressed", "done"), [("Go on editing", ["cancel", "release"]), ("Discard and quit", ["release"])]
)
def test_a_log_off_asks_and_can_be_stopped(quitter: Quitter, monkeypatch, pressed: str, done: list[str]):
    quitter.type_into_a_new_job()

    def answer(question: QMessageBox) -> int:
        next(button for button in question.buttons() if button.text() == pressed).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    session = Session(waits=True)
    quitter.quitting.ask_at_log_off(session)
    assert session.done == done


def test_a_log_off_that_does_not_wait_is_not_kept(quitter: Quitter):
    quitter.type_into_a_new_job()
    session = Session(waits=False)
    quitter.quitting.ask_at_log_off(session)
    assert session.done == []
    assert not quitter.questions()


def _editor_view(desk: Desk) -> str:
    found = desk.x("search", "--onlyvisible", "--name", "^New job$")
    return found.split()[0] if found else ""


@pytest.mark.linux
@pytest.mark.timeout(90)
def test_ctrl_q_with_a_real_editor_asks_and_sigterm_does_not(desk: Desk):
    desk.start_trayer()
    tray = desk.watched_tray()
    main = until(lambda: desk.views("main"))[0]
    desk.x("windowactivate", "--sync", main)
    desk.x("key", "ctrl+n")
    editor = until(lambda: _editor_view(desk))
    desk.x("windowactivate", "--sync", editor)
    desk.x("type", "yarim")
    desk.x("windowactivate", "--sync", main)
    desk.x("key", "ctrl+q")
    until(lambda: desk.x("search", "--onlyvisible", "--name", "^Birkez$"))
    desk.x("key", "Escape")
    until(lambda: not desk.x("search", "--onlyvisible", "--name", "^Birkez$"))
    assert tray.process.poll() is None
    assert _editor_view(desk)
    tray.process.send_signal(signal.SIGTERM)
    assert tray.process.wait(15) == 0
