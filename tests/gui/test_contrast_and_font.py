"""What a person set for the whole system is followed while views are open: high contrast and the size of letters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from tests.gui.conftest import until
from tests.gui.screenshots.scenes import SCENES
from tests.gui.stage import Stage
from tests.gui.test_everyone import _faint
from trayapp.gui.look import contrast

Role = QPalette.ColorRole
PLAIN = {Role.Window: "#000000", Role.Base: "#000000", Role.Button: "#000000", Role.WindowText: "#ffffff"}
PLAIN |= {Role.Text: "#ffffff", Role.ButtonText: "#ffffff", Role.Highlight: "#8ee3f0", Role.HighlightedText: "#000000"}
PLAIN |= {Role.Link: "#ffff00", Role.ToolTipBase: "#000000", Role.ToolTipText: "#ffffff"}


@pytest.fixture
def plain(monkeypatch) -> Iterator[None]:
    """A system set to white on black."""
    palette = QPalette()
    for role, value in PLAIN.items():
        palette.setColor(role, QColor(value))

    def colors(_app: QApplication) -> dict[Role, QColor]:
        stands_for = contrast._STAND_INS
        return {role: palette.color(stands_for.get(role, role)) for role in Role if role != Role.NColorRoles}

    with monkeypatch.context() as patched:
        patched.setattr(contrast, "is_wanted", lambda _hints: True)
        patched.setattr(contrast, "system_colors", colors)
        yield


def test_high_contrast_shows_the_systems_colours(stage: Stage, plain):
    theme, heard = stage.context.theme, []
    theme.changed.connect(lambda: heard.append(theme.is_high_contrast))
    theme.choose("light")  # a wish for light does not go before it
    assert heard == [True]
    assert theme.is_dark
    assert theme.color(Role.Window).name() == "#000000"
    for tone in ("ok", "run", "warn", "bad", "idle"):
        assert theme.text(tone).name() == theme.fill(tone).name() == "#ffffff"
        assert theme.tint(tone).name() == "#000000"
    assert theme.tint("run", 0.14).name() not in ("#000000", "#ffffff")  # a chosen row is seen


@pytest.mark.parametrize("name", ["jobs-problem", "panel-answers", "editor-when", "checkup-findings", "history"])
def test_everything_can_be_read_in_high_contrast(stage: Stage, plain, name: str):
    stage.context.theme.choose("system")
    view = SCENES[name](stage)
    view.show()
    QTest.qWait(50)
    assert not _faint(view)


def test_high_contrast_ends_as_it_began(stage: Stage, plain, monkeypatch):
    theme = stage.context.theme
    theme.choose("light")
    with monkeypatch.context() as patched:  # undone before the fixture's own, or that would come back and stay
        patched.setattr(contrast, "is_wanted", lambda _hints: False)
        theme.choose("light")
    assert not theme.is_high_contrast
    assert theme.color(Role.Window).name() == "#f3f4f6"
    assert theme.fill("bad").name() == "#d0392f"


def test_larger_letters_of_the_system_are_followed_at_once(app: QApplication, stage: Stage):
    view = SCENES["jobs-well"](stage)
    view.show()
    before = {part: part.font().pointSizeF() for part in view.findChildren(QLabel) if part.text() and part.isVisible()}
    font = app.font()
    larger = app.font()
    larger.setPointSizeF(font.pointSizeF() * 1.5)
    try:
        app.setFont(larger)
        until(lambda: stage.context.theme.font().pointSizeF() > font.pointSizeF())
        small = [part.text() for part, size in before.items() if part.font().pointSizeF() < size * 1.4]
        assert not small
    finally:
        app.setFont(font)
