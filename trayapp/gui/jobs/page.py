"""All jobs, and one job's page; before the first job, what Birkez is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSplitter, QStackedLayout
from shiboken6 import isValid

from trayapp.gui.jobs.acts import Acts
from trayapp.gui.jobs.first_run import FirstRun
from trayapp.gui.jobs.one.view import JobView
from trayapp.gui.jobs.table.list_side import ListSide
from trayapp.gui.page import Page
from trayapp.gui.state.snapshot import NEEDING
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from trayapp.gui.context import Context, Place
    from trayapp.gui.jobs.editor.window import EditorWindow
    from trayapp.gui.jobs.welcome.window import WelcomeWindow
    from trayapp.gui.state.snapshot import Snapshot

_LIST_WIDTH, _PAGE_WIDTH = 500, 608
_LEAST_LIST, _LEAST_PAGE = 340, 360


class JobsPage(Page):
    """The list answers which, the page why and what now."""

    name = "jobs"
    title = N_("Jobs")
    icon = "nav-jobs"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.list_side, self.view = ListSide(context), JobView(context)
        self.first_run = FirstRun(context)
        self._acts = Acts(context, self)
        self._wanted = ""  # a job that was asked for and is not read yet
        self._editors: list[EditorWindow | WelcomeWindow] = []
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._stack = QStackedLayout()
        self._build()
        self._connect()
        self._add_keys()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        is_empty = snapshot.is_read and not snapshot.jobs and snapshot.trouble is None
        self._stack.setCurrentIndex(1 if is_empty else 0)
        self.list_side.show_snapshot(snapshot)
        if self._wanted and self.list_side.table.choose(self._wanted):
            self._wanted = ""
        shown = self.view.state
        if shown is not None and snapshot.job(shown.id) is None:
            self._choose_first()
        elif shown is not None:
            self._show_job(shown.id)
        else:
            self._choose_first()

    def retranslate(self) -> None:
        self.view.write_again()

    def go_to(self, place: Place) -> None:
        if place.job:
            self._go_to_job(place.job)
        if place.action == "new":
            self._open_editor(lambda window: window.begin_new())
        elif place.action == "template":
            self._open_welcome()
        elif place.action == "edit" and place.job:
            self._edit(place.job)
        elif place.action == "decide" and place.job:
            self.view.decide()

    def start_search(self) -> None:
        self.list_side.search.setFocus()
        self.list_side.search.selectAll()

    def read_again(self) -> None:
        self.list_side.sort_again()

    def leave_card(self) -> bool:
        return self.view.leave_card()

    def unsaved(self) -> list[QWidget]:
        return [editor for editor in self._editors if isValid(editor) and editor.isVisible() and editor.form.is_changed]

    @staticmethod
    def badge(snapshot: Snapshot) -> int:
        return sum(job.kind in NEEDING for job in snapshot.jobs)

    def _build(self) -> None:
        self._splitter.addWidget(self.list_side)
        self._splitter.addWidget(self.view)
        self._splitter.setHandleWidth(1)
        self._splitter.setStyleSheet("QSplitter::handle { background: palette(mid); }")
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes([_LIST_WIDTH, _PAGE_WIDTH])
        self._splitter.setStretchFactor(1, 1)
        self.list_side.setMinimumWidth(_LEAST_LIST)
        self.view.setMinimumWidth(_LEAST_PAGE)
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self.first_run)
        self.setLayout(self._stack)

    def _connect(self) -> None:
        table, context = self.list_side.table, self.context
        table.chosen.connect(self._show_job)
        table.opened.connect(lambda _job: self.view.head.run.setFocus(Qt.FocusReason.TabFocusReason))
        table.run_pressed.connect(self._run)
        table.menu_asked.connect(self._acts.open_menu)
        self.list_side.new_pressed.connect(lambda: self._open_editor(lambda window: window.begin_new()))
        self.first_run.new_pressed.connect(lambda: self._open_editor(lambda window: window.begin_new()))
        for part in (self.list_side, self.first_run):
            part.template_pressed.connect(self._open_welcome)
        self.first_run.made.connect(self._go_to_job)
        self.view.edit_pressed.connect(self._edit)
        self.view.menu_asked.connect(self._acts.open_menu)
        self._acts.edit_pressed.connect(self._edit)
        self._acts.copy_pressed.connect(lambda job: self._open_editor(lambda window: window.begin_copy(job)))
        self._acts.told.connect(self._on_told)
        context.commands.complained.connect(self._on_complaint)

    def _add_keys(self) -> None:
        for keys, act in (
            ("Ctrl+Return", self._run),
            ("Ctrl+Enter", self._run),
            ("Ctrl+E", self._edit),
            ("F2", self._acts.rename),
            ("Del", self._acts.delete),
            ("Ctrl+P", self._pause_or_resume),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda act=act: self.view.state and act(self.view.state.id))

    def _go_to_job(self, job_id: str) -> None:
        if self.list_side.table.choose(job_id):
            return
        self.list_side.show_all()
        if not self.list_side.table.choose(job_id):
            self._wanted = job_id

    def _choose_first(self) -> None:
        first = self.list_side.model.job(0)
        if first is not None:
            self.list_side.table.choose(first.id)
            self._show_job(first.id)

    def _show_job(self, job_id: str) -> None:
        state = self.context.store.snapshot.job(job_id)
        if state is not None:
            self.view.show_job(state)

    def _run(self, job_id: str) -> None:
        self.list_side.table.choose(job_id)
        self.context.run_now.press(job_id)

    def _pause_or_resume(self, job_id: str) -> None:
        state = self.context.store.state_of(job_id)
        if state is not None:
            self.context.commands.do(["resume" if state.pause is not None else "pause", job_id])

    def _on_told(self, job_id: str, words: object) -> None:
        if self.view.state is not None and self.view.state.id == job_id:
            self.view.head.tell(words)  # type: ignore[arg-type]

    def _on_complaint(self, text: str) -> None:
        from trayapp.gui.state.answer_words import Words  # noqa: PLC0415  # rare
        from trayapp.wording.speech import _  # noqa: PLC0415  # rare

        if self.isVisible():
            self.view.head.tell(Words("bad", "state-failed", _("That was not done"), text))

    def _edit(self, job_id: str) -> None:
        self._open_editor(lambda window: window.begin_change(job_id))

    def _open_editor(self, begin: Callable[[EditorWindow], None]) -> None:
        from trayapp.gui.jobs.editor.window import EditorWindow  # noqa: PLC0415  # opened seldom

        window = EditorWindow(self.context, self.window())
        self._editors = [known for known in self._editors if isValid(known)]
        self._editors.append(window)
        window.saved.connect(self._on_saved)
        begin(window)
        window.show()

    def _open_welcome(self) -> None:
        from trayapp.gui.jobs.welcome.window import WelcomeWindow  # noqa: PLC0415  # opened seldom

        window = WelcomeWindow(self.context, self.window())
        self._editors = [known for known in self._editors if isValid(known)]
        self._editors.append(window)
        window.opened.connect(self._go_to_job)
        window.show()

    def _on_saved(self, job_id: str, is_run_wanted: bool) -> None:  # noqa: FBT001  # Qt's signal
        self.context.store.read_again()
        self._go_to_job(job_id)
        if is_run_wanted:
            self.context.run_now.press(job_id)
