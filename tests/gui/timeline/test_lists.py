"""A job with a list has no periods: its row tells how far it is."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from tests.gui.conftest import until
from tests.gui.screenshots.item_scenes import with_list
from trayapp.gui.timeline.page import TimelinePage


def _told(stage, monkeypatch, *, at_work: bool) -> list[str]:
    with_list(stage, at_work=at_work)
    texts: list[str] = []
    draw = QPainter.drawText

    def note(painter: QPainter, *words: object) -> object:
        texts.extend(word for word in words if isinstance(word, str))
        return draw(painter, *words)

    monkeypatch.setattr(QPainter, "drawText", note)
    page = TimelinePage(stage.context)
    page.resize(1108, 960)
    page.show_snapshot(stage.context.store.snapshot)
    page.show()
    until(lambda: page.canvas.scale.width > 0 and not page.canvas.rows._asked)
    page.grab()
    return texts


def test_workers_at_it_are_told_with_how_far_they_are(stage, monkeypatch):
    assert "34%: 3,412 of 10,000, about 2 min left" in _told(stage, monkeypatch, at_work=True)


def test_a_list_at_rest_tells_how_it_stands(stage, monkeypatch):
    told = _told(stage, monkeypatch, at_work=False)
    assert "9,997 of 10,000 done, 2 failed, 1 line cannot be used" in told
