"""For everyone: no word is cut in a longer language or with large letters, and all that takes the focus has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QScrollArea, QWidget

from tests.gui.conftest import until
from tests.gui.screenshots.item_scenes import LOST, TOLD, with_list
from tests.gui.stage import Stage
from trayapp.gui.checkup.findings import Finding
from trayapp.gui.checkup.page import CheckupPage
from trayapp.gui.context import Place
from trayapp.gui.jobs.dialogs import DeleteDialog, RenameDialog
from trayapp.gui.jobs.editor.listing import Listing
from trayapp.gui.jobs.editor.past_dialog import PastDialog
from trayapp.gui.jobs.editor.window import EditorWindow
from trayapp.gui.jobs.page import JobsPage
from trayapp.gui.settings.page import SettingsPage


def _jobs(job: str) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        page = JobsPage(stage.context)
        page.resize(1108, 760)
        page.show_snapshot(stage.context.store.snapshot)
        page.show()
        page.go_to(Place("jobs", job, action="decide"))
        return page

    return made


def _first_run(stage: Stage) -> QWidget:
    stage.show(stage.context.store.snapshot._replace(jobs=()))
    return _jobs("")(stage)


def _editor(step: int, kind: str) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        window = EditorWindow(stage.context, None)
        window.begin_new()
        window.form.set(title="x", kind=kind, database="/d/x.db", script="/d/x.sql", file="/d/x.py", command="x")
        if step > 2:
            window.form.set(repeatable=True)
        window.resize(1326, 700)  # the smallest screen that is still common, less its panels
        window.show()
        window.go(step)
        window.form.begin_saved()
        return window

    return made


def _list_editor(step: int) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        window = _editor(step, "download")(stage)
        window.form.set(works="list", kind="download", url="https://x.example/{item}", timing="hand")
        window.form.set(source="/d/ids.txt", target="/d/papers/{item}.json")
        window.go(step)
        window.form._on_listed(Listing(12_000, (("one", "one.json"),), 3, ("ids.txt:3: “../x” leads out of it",)))
        window.form.begin_saved()
        return window

    return made


def _list(*, at_work: bool) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        with_list(stage, at_work=at_work)
        page = _jobs("ekstre")(stage)
        if not at_work:
            page.view.items.show_lost(LOST)
        return page

    return made


def _trial(kind: str) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        window = _editor(0, kind)(stage)
        card = window.steps[0].trial
        card._told, card._tried = {**TOLD, "kind": kind}, window.form.text()
        card._write()
        return window

    return made


def _checkup(stage: Stage) -> QWidget:
    page = CheckupPage(stage.context)
    page.resize(1108, 760)
    page.show()
    page.show_findings(
        (
            Finding(
                "trigger-missing",
                "problem",
                "stok",
                "stok: no entry. So it rests.",
                ("schedule", "check", "stok", "--repair"),
            ),
            Finding(
                "ledger-older", "problem", "banka", "An older one.", ("ledger", "accept", "banka", "--reason", "…")
            ),
            Finding("doctor-clock", "ok", "", "The clock is right."),
        )
    )
    page.cards[1].remedy.click()
    return page


def _settings(stage: Stage) -> QWidget:
    page = SettingsPage(stage.context)
    page.resize(1108, 760)
    page.show()
    return page


def _dialog(kind: type) -> Callable[[Stage], QWidget]:
    def made(stage: Stage) -> QWidget:
        job = stage.context.store.snapshot.jobs[0]
        dialog = PastDialog(stage.context, "x", None) if kind is PastDialog else kind(stage.context, job, None)
        dialog.show()
        return dialog

    return made


VIEWS = {
    "uncertain": _jobs("e-fatura"),
    "failed": _jobs("gece-yedegi"),
    "well": _jobs("banka"),
    "first-run": _first_run,
    "what-sql": _editor(0, "sql"),
    "what-command": _editor(0, "command"),
    "when": _editor(1, "sql"),
    "careful": _editor(2, "command"),
    "review": _editor(3, "python"),
    "what-list": _list_editor(0),
    "when-list": _list_editor(1),
    "careful-list": _list_editor(2),
    "review-list": _list_editor(3),
    "list-at-work": _list(at_work=True),
    "list-failed": _list(at_work=False),
    "trial": _trial("sql"),
    "trial-command": _trial("command"),
    "checkup": _checkup,
    "settings": _settings,
    "delete": _dialog(DeleteDialog),
    "rename": _dialog(RenameDialog),
    "past": _dialog(PastDialog),
}


@pytest.fixture
def stretched() -> Iterator[None]:
    """Every translated text half as long again, as the longest language would be."""
    from trayapp.wording import language

    class Stretched:
        @staticmethod
        def gettext(text: str) -> str:
            return text + " ömür" * max(1, len(text) // 10)

        def ngettext(self, one: str, many: str, n: int) -> str:
            return self.gettext(one if n == 1 else many)

    before = language._spoken.catalogue
    language._spoken.catalogue = Stretched()
    yield
    language._spoken.catalogue = before


@pytest.fixture
def large(app: QApplication) -> Iterator[None]:
    before, larger = app.font(), app.font()
    larger.setPointSizeF(18.0)
    app.setFont(larger)
    yield
    app.setFont(before)


def _seen(view: QWidget) -> list[QAbstractButton | QLabel]:
    parts = (*view.findChildren(QAbstractButton), *view.findChildren(QLabel))
    return [part for part in parts if part.isVisible() and part.text()]


def _cut(view: QWidget) -> list[tuple[str, int, int]]:
    return [
        (part.text(), part.width(), part.minimumSizeHint().width())
        for part in _seen(view)
        if part.width() < part.minimumSizeHint().width()
    ]


@pytest.mark.parametrize("name", VIEWS)
def test_the_longest_words_are_not_cut(stage: Stage, stretched, name: str):
    view = VIEWS[name](stage)
    until(view.isVisible)
    QTest.qWait(20)
    assert _seen(view)
    assert not _cut(view)


@pytest.mark.parametrize("name", VIEWS)
def test_letters_of_200_percent_are_not_cut(stage: Stage, large, name: str):
    view = VIEWS[name](stage)
    until(view.isVisible)
    QTest.qWait(20)
    assert not _cut(view)
    for area in view.findChildren(QScrollArea):
        if area.isVisible() and area.widget() is not None:
            assert area.widget().width() <= area.viewport().width() + 1
    # Nothing lies beyond the right edge, where it could not be reached.
    for part in _seen(view):
        area = part.parentWidget()
        assert part.geometry().right() <= area.width() + 1, part.text()


@pytest.mark.parametrize("name", VIEWS)
def test_everything_that_takes_the_focus_has_a_name(stage: Stage, name: str):
    view = VIEWS[name](stage)
    until(view.isVisible)
    nameless = [
        f"{type(part).__name__} {part.objectName()}"
        for part in view.findChildren(QWidget)
        if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus and not _is_named(part)
    ]
    assert not nameless


def _is_named(part: QWidget) -> bool:
    if isinstance(part, QComboBox):
        return bool(part.accessibleName())  # on Linux its name is its text; other systems say this
    if part.objectName().startswith("qt_"):
        return True  # Qt's own, within a named one
    found = QAccessible.queryAccessibleInterface(part)
    return found is None or bool(found.text(QAccessible.Text.Name))
