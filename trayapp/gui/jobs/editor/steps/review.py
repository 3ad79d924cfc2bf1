"""Step 4: what will be saved, in sentences, and the entry in the scheduler as it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QLabel, QPlainTextEdit, QWidget

from trayapp.gui.jobs.editor.form.choices import checked_chip
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.jobs.editor.trial import TrialCard
from trayapp.gui.jobs.words import catch_up_words, database_words, step_words, what_words
from trayapp.gui.look.widgets import button, column, label, line, row, wrapping
from trayapp.gui.state.words import many
from trayapp.job.model import CommandEffect
from trayapp.job.schedule_words import schedule_words
from trayapp.trigger.findings import scheduler_words
from trayapp.wording.instants import show_duration, show_instant
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say, sentence

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form
    from trayapp.job.model import Job

_LINES = 9  # of the native entry that are seen at once


class Review(Step):
    """Nothing is saved yet; each part can be gone back to."""

    title: ClassVar[str] = N_("Review")
    step_wanted = Signal(int)

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("Nothing is saved yet."))
        self._parts = [
            _Part(form, "database", N_("What it does")),
            _Part(form, "calendar", N_("When")),
            _Part(form, "nav-timeline", N_("Which data")),
            _Part(form, "shield", N_("How careful")),
        ]
        places = (0, 1, 1, 2)
        rows: list[QWidget] = []
        for number, part in enumerate(self._parts):
            part.change.clicked.connect(partial(self._want, places[number]))
            rows += [part] if number == 0 else [line(), part]
        self.entry = _Entry(form)
        self.trial = TrialCard(form)
        self.build(self.section("", *rows), self.entry, self.trial)
        form.checked.connect(self._write)
        form.looked_ahead.connect(self._write)

    def summary(self) -> str:
        return _("save and start")

    def retranslate(self) -> None:
        self._write()

    def first(self) -> QWidget | None:
        return self._parts[0].change

    def _want(self, number: int, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self.step_wanted.emit(number)

    def _write(self) -> None:
        job = self.form.job
        if job is not None:
            what, when, _data, careful = self._parts
            what.tell(what_words(job), database_words(job))
            when.tell(schedule_words(job.schedule) if job.schedule else _("only by hand"))
            careful.tell(*_careful_words(job))
            self._write_data(job)
        self.entry.show_ahead()

    def _write_data(self, job: Job) -> None:
        data = self._parts[2]
        if job.items is not None:
            forms = NN_("{count:number} entry at a time, {target}", "{count:number} entries at a time, {target}")
            data.tell(job.items.source, many(forms, job.items.workers, target=job.items.name))
        elif job.rule is not None:
            text = say(
                "{periods}, from {start} on",
                periods=step_words(job.rule.step),
                start=show_instant(job.rule.start, case="ablative"),
            )
            most = say(
                "{catch_up}, at most {count} per run", catch_up=catch_up_words(job.rule), count=job.rule.max_per_run
            )
            data.tell(text, most)


def _careful_words(job: Job) -> tuple[str, str]:
    effect = job.effect
    if job.items is not None:
        forms = NN_("{count:number} attempt for each entry", "{count:number} attempts for each entry")
        return many(forms, job.items.attempts), _("a file that is there is never made again")
    most = say("at most {time} for one period", time=show_duration(effect.timeout_s))
    if not isinstance(effect, CommandEffect):
        return most, _("each period exactly once: work and record are written together")
    return most, _("may be repeated") if effect.repeatable else _("never twice without you")


class _Part(QWidget):
    def __init__(self, form: Form, icon: str, caption: str) -> None:
        super().__init__()
        context = self._context = form.context
        self._icon, self._picture = icon, QLabel()
        self._value = wrapping(label(context, weight=600))
        self._second = wrapping(label(context, size="small", is_second=True))
        self.change = button(context, N_("Change"), kind="link")
        self._caption = caption
        words = column(label(context, caption, "small", is_second=True), self._value, self._second, gap=1)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.addWidget(self._picture, 0, 0)
        grid.addLayout(words, 0, 1)
        grid.addWidget(self.change, 0, 2)
        grid.setColumnStretch(1, 1)
        self.setLayout(grid)
        self._draw()
        context.theme.changed.connect(self._draw)  # a method: it is let go of with this part

    def _draw(self) -> None:
        color = self._context.theme.fill("idle")
        self._picture.setPixmap(self._context.icons.pixmap(self._icon, color, 16, self.devicePixelRatioF()))

    def tell(self, value: str, second: str = "") -> None:
        self._value.setText(value)
        self._second.setText(second)
        self._second.setVisible(bool(second))
        self.change.setAccessibleName(f"{_(self._caption)}: {_('Change')}")


class _Entry(QFrame):
    """The scheduler's entry: in words, or as it is."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        context = form.context
        self.setProperty("kind", "card")
        self._head = wrapping(label(context, weight=600))
        self._plain = checked_chip(form, N_("In words"))
        self._native = checked_chip(form, N_("As it is"))
        self._copy = button(context, "", "copy", "flat", name=N_("Copy the entry"))
        self._words = wrapping(label(context, is_second=True))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(context.theme.font("small", monospace=True))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.text.setTabChangesFocus(True)
        context.language.bind(self.text, "setAccessibleName", N_("Entry as the scheduler has it"))
        group = QButtonGroup(self)
        for chip in (self._plain, self._native):
            group.addButton(chip)
            chip.clicked.connect(self._choose)
        self._plain.setChecked(True)
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        head = row(self._head, self._plain, self._native, self._copy, gap=6)
        head.setStretch(0, 1)
        self.setLayout(column(head, self._words, self.text, gap=8, margins=(16, 12, 12, 14)))
        self._choose()

    def show_ahead(self) -> None:
        """Show the entry that the outlook tells."""
        ahead = self._form.ahead
        outlook = (ahead.outlook or ahead.of_list) if ahead is not None else None
        self.setVisible(outlook is not None)
        if outlook is None:
            return
        name = scheduler_words(outlook.scheduler) if outlook.scheduler else ""
        self._head.setText(say("Entry for {scheduler}", scheduler=name) if name else _("No entry in a scheduler"))
        has_entry = bool(outlook.entry)
        for part in (self._plain, self._native, self._copy):
            part.setVisible(has_entry)
        self.text.setPlainText(outlook.entry)
        lines = min(max(outlook.entry.count("\n") + 2, 3), _LINES)
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + 20)
        self._words.set_tone("warn" if outlook.refusal is not None else None)
        if outlook.refusal is not None:
            self._words.setText(sentence(outlook.refusal))
        elif outlook.job.schedule is None:
            self._words.setText(_("It is started by hand only, so nothing is registered."))
        elif has_entry:
            schedule = schedule_words(outlook.job.schedule)
            text = N_(
                "{scheduler} starts it: {schedule}. The entry is read back after it was written, and can be taken back."
            )
            self._words.setText(say(text, scheduler=name, schedule=schedule))
        else:
            self._words.setText(_("No scheduler is used here: whatever starts the job has to be set up elsewhere."))
        self._choose()

    def _choose(self) -> None:
        is_native = self._native.isChecked() and bool(self.text.toPlainText())
        self.text.setVisible(is_native)
        self._words.setVisible(not is_native)
