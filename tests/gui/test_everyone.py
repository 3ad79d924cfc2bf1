"""For everyone: in each view, all that can be pressed has a name, is reached by Tab, shows that it has the focus,
and what is written can be read. Looked at in the pixels that are painted, in Turkish, light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from tests.gui.screenshots.scenes import SCENES
from tests.gui.stage import Stage
from trayapp.wording import language
from trayapp.wording.language import _, speak

RATIO = 3  # so large that a stroke has a pixel of its full colour
LEAST = 4.5
LEAST_RING = 20  # pixels that change when a control gets the focus

pytestmark = pytest.mark.timeout(90)  # a main view or an editor is dear to make


@pytest.fixture(params=["light", "dark"])
def turkish(app: QApplication, tmp_path, request) -> Iterator[Stage]:
    made = Stage(app, str(tmp_path), "tr", request.param)
    yield made
    made.close()
    speak("en")
    for view in app.topLevelWidgets():
        view.close()
        view.deleteLater()


def _focusable(view: QWidget) -> list[QWidget]:
    return [
        part
        for part in view.findChildren(QWidget)
        if part.isVisible()
        and part.isEnabled()
        and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and part.focusProxy() is None
        and part.window() is view
        and not part.parentWidget().inherits("QAbstractSpinBox")
    ]


def _name(part: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(part)
    name = interface.text(QAccessible.Text.Name)
    if isinstance(part, QComboBox):  # the system's bridge tells its choice as its name
        name = part.accessibleName() or name
    return name.strip()


def _told(part: QWidget) -> str:
    return f"{type(part).__name__} {part.objectName()} {_name(part)!r} in {type(part.parentWidget()).__name__}"


@pytest.mark.parametrize("name", SCENES)
def test_view_is_for_everyone(turkish: Stage, name: str):
    view = SCENES[name](turkish)
    view.show()
    view.activateWindow()
    QTest.qWait(60)
    if turkish.context.theme.is_dark:  # all else is the same
        assert not _faint(view)
        return
    parts = _focusable(view)
    found = {
        "no name": [_told(part) for part in parts if not _name(part)],
        "not in Turkish": [_told(part) for part in parts if _name(part) in _foreign()],
        "Tab misses": [_told(part) for part in _missed_by_tab(view, parts)],
        "focus not seen": [_told(part) for part in parts if part.isVisible() and not _is_focus_seen(part)],
        "faint": _faint(view),
    }
    assert not {what: parts for what, parts in found.items() if parts}


def test_what_the_audit_looks_for_it_finds(turkish: Stage):
    """An audit that finds nothing anywhere would pass as well."""
    view = QWidget()
    bad = QPushButton("", view)
    bad.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    bad.setStyleSheet("QPushButton, QPushButton:focus { border: 0; background: #888888; }")
    bad.resize(80, 30)
    words = QLabel("Soluk", view)
    words.setStyleSheet("color: #b0b0b0; background: white;")
    words.setGeometry(0, 40, 80, 20)
    view.show()
    view.activateWindow()
    assert QTest.qWaitForWindowActive(view)
    assert not _name(bad)
    assert not _is_focus_seen(bad)
    assert _faint(view)


def _foreign() -> set[str]:
    texts = language._catalogue()._catalog  # type: ignore[attr-defined]  # gettext's own
    return {text for text in texts if isinstance(text, str) and text and _(text) != text}


def _missed_by_tab(view: QWidget, wanted: list[QWidget]) -> list[QWidget]:
    """Controls that Tab never comes to; of a group of which one is chosen it comes to one, and arrows go on."""
    groups = {part: part.group() for part in wanted if isinstance(part, QAbstractButton) and part.group()}
    reached: set[QWidget] = set()
    for _number in range(2 * len(wanted) + 10):
        QTest.keyClick(QApplication.focusWidget() or view, Qt.Key.Key_Tab)
        if (part := QApplication.focusWidget()) is not None:
            reached.add(part)
    met = {groups[part] for part in reached if part in groups}
    return [part for part in wanted if part not in reached and part.isVisible() and groups.get(part) not in met]


def _is_focus_seen(part: QWidget) -> bool:
    view = part.window()
    _scroll_to(part)
    part.clearFocus()
    place = QRect(part.mapTo(view, QPoint(0, 0)), part.size()).adjusted(-4, -4, 4, 4)
    before = view.grab(place).toImage()
    part.setFocus(Qt.FocusReason.TabFocusReason)
    return _differing(before, view.grab(place).toImage()) >= LEAST_RING


def _faint(view: QWidget) -> list[str]:
    parts = [part for part in view.findChildren(QWidget) if part.isVisible() and part.isEnabled() and _words(part)]
    found = ((_contrast(part), _words(part)) for part in parts)
    return [f"{contrast:.1f} {words[:40]!r}" for contrast, words in found if contrast and contrast < LEAST]


def _words(part: QWidget) -> str:
    if isinstance(part, QLabel | QAbstractButton):
        return part.text().strip()
    if isinstance(part, QLineEdit):
        return part.text() or part.placeholderText()
    return ""


def _scroll_to(part: QWidget) -> None:
    above = part.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(part)
        above = above.parentWidget()


def _contrast(part: QWidget) -> float:
    """Largest contrast of a pixel to the ground, which is the colour that most pixels have; 0 where nothing shows."""
    window = part.window()
    place = part.visibleRegion().boundingRect()
    if place.width() < 8 or place.height() < min(part.height(), 40):  # of one that is scrolled away half, only its edge
        return 0
    image = QImage(place.size() * RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(RATIO)
    painter = QPainter(image)
    origin = part.mapTo(window, place.topLeft())
    window.render(painter, QPoint(0, 0), QRect(origin, place.size()))
    painter.end()
    counted: Counter[int] = Counter(memoryview(image.constBits()).cast("I"))  # type: ignore[arg-type]
    ground = QColor.fromRgb(counted.most_common(1)[0][0])
    return max(_ratio(QColor.fromRgb(color), ground) for color, count in counted.items() if count >= RATIO)


def _ratio(one: QColor, other: QColor) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: QColor) -> float:
    parts = (value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in color.getRgbF()[:3])
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _differing(one: QImage, other: QImage) -> int:
    pairs = zip(memoryview(one.constBits()).cast("I"), memoryview(other.constBits()).cast("I"), strict=True)
    return sum(before != after for before, after in pairs)
