"""An editor that is closed is gone: what turns afterwards reaches none of its parts."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.gui.stage import Stage
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.gui.jobs.welcome.window import WelcomeWindow


@pytest.mark.parametrize("kind", [EditorWindow, WelcomeWindow])
def test_colours_and_language_turn_after_it_was_closed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, kind: type[QWidget]
):
    told: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _traceback: told.append(error))
    owner = QWidget()
    editor = kind(stage.context, owner)
    if isinstance(editor, EditorWindow):
        editor.begin_new()
    editor.show()
    QTest.qWait(10)
    editor.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    stage.context.theme.choose("dark")
    stage.context.language.changed.emit()
    stage.context.theme.choose("light")
    assert told == []
