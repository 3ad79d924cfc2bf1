"""Step 2: which data it takes, from where on, and whether it may be done twice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QButtonGroup

from trayapp.gui.jobs.editor.draft import CALENDAR_STEPS
from trayapp.gui.jobs.editor.form.choices import checked_chip
from trayapp.gui.jobs.editor.form.field import Field, Line, Pick, words_beside
from trayapp.gui.jobs.editor.form.start_edit import StartEdit
from trayapp.gui.jobs.editor.steps.list_card import KEYS, SourceLine, TargetLine
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.jobs.welcome.templates import start_of_last
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import label, wrapping
from trayapp.job.fields import duration_s
from trayapp.wording.instants import show_duration
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFrame, QWidget

    from trayapp.gui.jobs.editor.form.form import Form

_STEPS = ("15m", "30m", "1h", "2h", "4h", *CALENDAR_STEPS)
_CALENDAR = {"1d": N_("1 day"), "1w": N_("1 week"), "1mo": N_("1 month")}
_BEGIN = {1: N_("The last one that is over"), 7: N_("The last seven"), 24: N_("The last 24")}
_OF_PERIODS = N_("Each period of time is done once, whoever starts the job and however often.")
_OF_LIST = N_("Each entry makes one file, once, whoever starts the job and however often.")


class Data(Step):
    """The period of a job that works through time, the list of one that works through a list."""

    title: ClassVar[str] = N_("Which data?")
    keys: ClassVar[tuple[str, ...]] = (
        "window.step",
        "window.start",
        "window.timezone",
        "window.lateness",
        "window.max_per_run",
        "window.catch_up",
        "effect.repeatable",
        *KEYS,
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, _OF_PERIODS)
        self.is_adopting = False
        self._is_begun = False  # before a template is chosen nothing is proposed
        self._last = 1  # periods that the first run shall find; 0 for a moment that was typed
        self._periods = self._make_periods()
        self._list = self._make_list()
        self._adopted = self._make_adopted()
        self._question = self._make_question()
        self.build(self._periods, self._list, self._adopted, self._question)
        form.checked.connect(self._write)

    def summary(self) -> str:
        draft = self.form.draft
        if self.is_adopting:
            return ""
        return draft.source if draft.works == "list" else _step_words(draft.step)

    def first(self) -> QWidget:
        if self.is_adopting or self._asks:
            return self.once.radio
        return self.source.line if self.form.draft.works == "list" else self.step

    def retranslate(self) -> None:
        self._write()

    @property
    def is_right(self) -> bool:
        """Tell whether all is answered."""
        answered = not self._asks or self.form.draft.repeatable is not None
        return answered and (self.is_adopting or self.form.is_right(self.keys))

    def begin(self, *, is_adopting: bool) -> None:
        """Begin anew for another template."""
        self.is_adopting, self._last, self._is_begun = is_adopting, 1, True
        self._group.setExclusive(False)
        for way in (self.once, self.repeatable):
            way.radio.setChecked(False)
        self._group.setExclusive(True)
        self._write()

    @property
    def _asks(self) -> bool:
        return self.is_adopting or (self.form.draft.kind == "command" and self.form.draft.works == "periods")

    def _make_periods(self) -> QFrame:
        form, context = self.form, self.form.context
        self.step = Pick(form, "step", list(_STEPS), _step_words)
        self.chips = {count: checked_chip(form, text) for count, text in _BEGIN.items()}
        self.chips[0] = checked_chip(form, N_("From another moment on"))
        group = QButtonGroup(self)
        for count, chip in self.chips.items():
            group.addButton(chip)
            chip.clicked.connect(partial(self._on_begin, count))
        begin = Flow(list(self.chips.values()))
        context.language.bind(begin, "setAccessibleName", N_("Begin with"))
        self._start = Field(form, ["window.start"], StartEdit(form))
        self._late = Field(
            form,
            ["window.lateness"],
            Line(form, "lateness", 5),
            words_beside(context, N_("minutes")),
            hint=N_("A period is taken that much after its end, so that none of its records is missed."),
        )
        return self.section(
            N_("Which piece of time does one run take?"),
            Field(form, ["window.step"], self.step),
            Field(form, ["window.start-"], begin, caption=N_("Begin with")),
            self._start,
            self._late,
            note=N_("An hourly job takes whole hours, a nightly one whole days."),
        )

    def _make_list(self) -> QFrame:
        form = self.form
        self.source = SourceLine(form)
        self.target = TargetLine(form)
        column = Field(
            form,
            ["items.column"],
            Line(form, "column", 18),
            hint=N_("Of a CSV file: the column that holds the entry. Left empty: the list is no CSV file."),
        )
        return self.section(
            N_("Which list shall it go through?"),
            Field(
                form,
                ["items.source"],
                self.source,
                hint=N_("A text file with one entry a line, a CSV file, or a folder whose files are the entries."),
            ),
            column,
            Field(
                form,
                ["items.target", "items"],
                self.target,
                hint=N_("{item} stands for the entry. All files lie in one folder of this computer."),
            ),
        )

    def _make_adopted(self) -> QFrame:
        text = N_(
            "It takes the time from one of its starts to the next, beginning now. "
            "What was done before Birkez is not done again."
        )
        return self.section(N_("From now on"), wrapping(label(self.form.context, text)))

    def _make_question(self) -> QFrame:
        context = self.form.context
        self.once = Way(
            context,
            N_("No: never twice without asking me"),
            N_(
                "For mails, invoices, transfers. If it is cut off half way, the period waits "
                "until you have looked and decided."
            ),
        )
        self.repeatable = Way(
            context,
            N_("Yes: doing it again does no harm"),
            N_("For backups, copies, downloads. If it fails, the next start tries the same period again."),
        )
        self._group = QButtonGroup(self)
        for way, value in ((self.once, False), (self.repeatable, True)):
            self._group.addButton(way.radio)
            way.radio.toggled.connect(partial(self._on_answer, value))
        self._unanswered = wrapping(
            label(context, N_("This needs your answer: nobody else can know it."), "small", 500)
        )
        self._unanswered.set_tone("warn")
        return self.section(N_("May it run twice for the same period?"), self.once, self.repeatable, self._unanswered)

    def _on_answer(self, value: bool, is_on: bool) -> None:  # noqa: FBT001  # Qt's signal
        if is_on:
            self.form.set(repeatable=value)

    def _on_begin(self, count: int, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self._last = count
        self._write()
        if count == 0:
            self._start.control.setFocus()

    def _write(self) -> None:
        draft = self.form.draft
        is_list = draft.works == "list"
        self.form.context.language.bind(self.subtitle, "setText", _OF_LIST if is_list else _OF_PERIODS)
        self._periods.setVisible(not is_list and not self.is_adopting)
        self._list.setVisible(is_list and not self.is_adopting)
        self._adopted.setVisible(self.is_adopting)
        self._question.setVisible(self._asks)
        self._unanswered.setVisible(draft.repeatable is None)
        self.chips[self._last].setChecked(True)
        self._start.setVisible(self._last == 0)
        self._late.setVisible(draft.kind != "command")
        if (
            self._is_begun and self._last and not is_list and not self.is_adopting
        ):  # another length, another allowance: the last ones are others
            self.form.set(start=start_of_last(draft, self._last))


def _step_words(step: str) -> str:
    return _(_CALENDAR[step]) if step in _CALENDAR else show_duration(duration_s(step) or 0)
