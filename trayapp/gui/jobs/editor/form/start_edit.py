"""The field for the beginning of the first period."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QTimeZone
from PySide6.QtWidgets import QDateTimeEdit

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from trayapp.gui.jobs.editor.form.form import Form


class StartEdit(QDateTimeEdit):
    """Where the first period begins, on this computer's clock; of a job that has run it has no effect any more."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        self.setDisplayFormat("dd.MM.yyyy HH:mm")
        self.setCalendarPopup(True)
        self.setMinimumHeight(32)
        self._style()
        form.context.theme.changed.connect(self._style)
        self.setTimeZone(QTimeZone(QTimeZone.Initialization.LocalTime))
        self._is_showing = False
        self.dateTimeChanged.connect(self._on_changed)
        form.checked.connect(self._show)

    def _style(self) -> None:
        chevron = "icons:chevron-down-dark.svg" if self._form.context.theme.is_dark else "icons:chevron-down-light.svg"
        self.setStyleSheet(
            "QDateTimeEdit::drop-down { border: 0; width: 24px; }"
            f'QDateTimeEdit::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}'
        )

    def _show(self) -> None:
        draft, job = self._form.draft, self._form.job
        at = draft.start or (job.rule.start if job is not None and job.rule is not None else None)
        self.setEnabled(self._form.standing is None)
        if at is None or self.hasFocus():
            return
        self._is_showing = True
        self.setDateTime(QDateTime.fromSecsSinceEpoch(int(at.timestamp())))
        self._is_showing = False

    def _on_changed(self, value: QDateTime) -> None:
        if not self._is_showing:
            self._form.set(start=datetime.fromtimestamp(value.toSecsSinceEpoch(), UTC))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel that scrolls the page changes no value."""
        event.ignore()
