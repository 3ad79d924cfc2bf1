"""The help as a person uses it: F1 opens the right place, links lead on, words are found and marked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from tests.gui.conftest import until
from tests.gui.stage import Stage
from trayapp.gui.context import Place
from trayapp.gui.help.book import read_book
from trayapp.gui.help.view import HelpView
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.gui.main_view import PAGES, MainView
from trayapp.gui.panel.panel import Panel
from trayapp.wording.language import speak


def press_f1(view: QWidget) -> None:
    view.show()
    view.activateWindow()
    assert QTest.qWaitForWindowActive(view)
    QTest.keyClick(view, Qt.Key.Key_F1)


def opened(stage: Stage) -> HelpView:
    view = HelpView(stage.context)
    view.open_at("")
    return view


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_f1_on_a_page_opens_the_help_about_it(stage: Stage, page: str):
    view = MainView(stage.context, has_tray=True)
    view.go_to(Place(page))
    press_f1(view)
    assert stage.went == [Place("help", action=page)]
    assert opened(stage).topic_of(page) is not None


def test_f1_in_the_panel_is_about_the_panel(stage: Stage):
    press_f1(Panel(stage.context))
    assert stage.went == [Place("help", action="panel")]


def test_f1_in_each_step_of_the_editor_is_about_that_step(stage: Stage):
    editor = EditorWindow(stage.context, MainView(stage.context, has_tray=True))
    editor.begin_change("satis-ozet")
    for number, name in enumerate(("editor-what", "editor-when", "editor-careful")):
        editor.go(number)
        press_f1(editor)
        assert stage.went[-1] == Place("help", action=name)
    names = [name for topic in read_book("en") for name in topic.names]
    assert {"editor-what", "editor-when", "editor-careful", "editor-review", "trial", "lists", "decide"} <= set(names)


def test_the_rail_leads_to_the_help_of_the_page_that_is_open(stage: Stage):
    view = MainView(stage.context, has_tray=True)
    view.go_to(Place("timeline"))
    view._rail.help.click()
    assert stage.went == [Place("help", action="timeline")]


def test_a_place_inside_a_topic_is_scrolled_to(stage: Stage):
    view = opened(stage)
    view.open_at("failed")
    assert view.topics.currentItem().text() == "Lines of the log"
    until(lambda: view.reader.place_at_top() == "failed")


def test_links_lead_to_topics_and_pages_and_back(stage: Stage):
    view = opened(stage)
    view.reader.anchorClicked.emit(QUrl("#panel"))
    assert view.name == "panel"
    view.reader.anchorClicked.emit(QUrl("page:settings"))
    assert stage.went == [Place("settings")]
    view.back.click()
    assert view.name == "start"
    assert not view.back.isEnabled()


def test_what_is_sought_is_listed_and_marked(stage: Stage):
    view = opened(stage)
    assert QTest.qWaitForWindowActive(view)
    view.search.setFocus()
    QTest.keyClicks(view.search, "support file")
    assert view.topics.count() == 1
    assert view.name == "settings"
    marked = {mark.cursor.selectedText().lower() for mark in view.reader.extraSelections()}
    assert marked == {"support", "file"}
    view.search.setText("zeppelin")
    assert view.topics.count() == 0
    assert view._none.isVisible()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.topics.count() > 20
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not view.isVisible()


def test_a_topic_is_chosen_by_keyboard(stage: Stage):
    view = opened(stage)
    view.topics.setFocus()
    QTest.keyClick(view.topics, Qt.Key.Key_Down)
    assert view.name == "first-job"


def test_the_view_follows_the_language_and_stays_where_it_was(stage: Stage):
    view = opened(stage)
    view.open_at("decide")
    speak("tr")
    stage.context.language.changed.emit()
    assert view.name == "decide"
    assert "Karar ver" in view.reader.toPlainText()


def test_headings_show_no_names_of_places(stage: Stage):
    view = opened(stage)
    for topic in read_book("en"):
        view.open_at(topic.name)
        assert "{#" not in view.reader.toPlainText()


def test_the_find_field_is_a_key_away(stage: Stage):
    view = opened(stage)
    assert QTest.qWaitForWindowActive(view)
    QTest.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert isinstance(view.focusWidget(), QLineEdit)
    assert view.search.mapTo(view, QPoint(0, 0)).x() >= 0
