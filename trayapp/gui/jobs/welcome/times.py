"""Step 3: when it is started; the simple ways, the others are in the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QLabel

from trayapp.gui.jobs.editor.form.choices import OneOf, SomeOf
from trayapp.gui.jobs.editor.form.field import Field, Line, Pick, words_beside
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.jobs.editor.steps.when import When
from trayapp.gui.look.widgets import card, label, row, wrapping
from trayapp.job.fields import duration_s
from trayapp.job.schedule_words import schedule_words
from trayapp.wording.instants import show_duration
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFrame, QWidget

    from trayapp.gui.jobs.editor.form.form import Form

_TIMINGS = {"every": N_("At intervals"), "daily": N_("Daily"), "weekly": N_("Weekly")}
_DAYS = [N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun")]
_EVERY = ("15m", "30m", "1h", "2h", "4h")
_ROWS_OF = {"every": ("every",), "daily": ("times",), "weekly": ("weekdays", "times")}


class Times(Step):
    """The schedule, in words too."""

    title: ClassVar[str] = N_("When?")
    keys: ClassVar[tuple[str, ...]] = tuple(key for key in When.keys if key.startswith("schedule"))

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("This computer's own scheduler starts it, whether Birkez is open or not."))
        self.adopted_times = ""  # of an entry that becomes a job: it keeps them
        self.timing = OneOf(form, "timing", _TIMINGS, N_("When shall it start?"))
        self._rows = self._make_rows()
        self._words = wrapping(label(form.context, weight=600))
        self._icon = QLabel()
        words = row(self._icon, self._words, gap=10, margins=(12, 8, 12, 8))
        words.setStretch(1, 1)
        self._words_frame: QFrame = card(words, "run")
        self._choice = self.section(N_("When shall it start?"), self.timing, *self._rows.values())
        note = N_("What passes while the computer is off is done when it is on again.")
        self.build(self._choice, self._words_frame, wrapping(label(form.context, note, "small", is_second=True)))
        form.checked.connect(self._write)
        form.context.theme.changed.connect(self._write)

    def summary(self) -> str:
        return self._said()

    def first(self) -> QWidget | None:
        return None if self.adopted_times else self.timing.chip(self.form.draft.timing)

    def retranslate(self) -> None:
        self._write()

    @property
    def is_right(self) -> bool:
        """Tell whether the schedule can be said."""
        return bool(self.adopted_times) or self.form.is_right(self.keys)

    def _make_rows(self) -> dict[str, QWidget]:
        form, context = self.form, self.form.context
        offset = Line(form, "offset", 4)
        context.language.bind(offset, "setAccessibleName", N_("Minutes past the full interval"))
        every = Pick(form, "every", list(_EVERY), lambda length: show_duration(duration_s(length) or 0))
        return {
            "every": Field(
                form,
                ["schedule.every", "schedule.offset"],
                every,
                offset,
                words_beside(context, N_("minutes past")),
            ),
            "weekdays": Field(
                form,
                ["schedule.weekly.days", "schedule.weekly"],
                SomeOf(form, "weekdays", _DAYS, N_("On these days")),
                caption=N_("On these days"),
            ),
            "times": Field(
                form,
                ["schedule.daily", "schedule.weekly.at"],
                Line(form, "times", placeholder="02:30, 14:00"),
                hint=N_("Several with commas between."),
            ),
        }

    def _said(self) -> str:
        if self.adopted_times:
            return self.adopted_times
        job = self.form.job
        return schedule_words(job.schedule) if job is not None and job.schedule is not None else ""

    def _write(self) -> None:
        for name, part in self._rows.items():
            part.setVisible(name in _ROWS_OF.get(self.form.draft.timing, ()))
        self._choice.setVisible(not self.adopted_times)
        said = self._said()
        self._words_frame.setVisible(bool(said))
        self._words.setText(said)
        color = self.form.context.theme.fill("run")
        self._icon.setPixmap(self.form.context.icons.pixmap("calendar", color, 16, self.devicePixelRatioF()))
