"""Step 2: when it starts, and which data each start takes: one page, since they explain each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QLabel, QRadioButton, QSizePolicy, QWidget

from trayapp.gui.help.asking import is_about
from trayapp.gui.jobs.editor.draft import CALENDAR_STEPS
from trayapp.gui.jobs.editor.form.choices import OneOf, SomeOf
from trayapp.gui.jobs.editor.form.field import Field, Line, Pick, words_beside
from trayapp.gui.jobs.editor.form.start_edit import StartEdit
from trayapp.gui.jobs.editor.steps.list_card import KEYS, list_rows
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.look.widgets import card, column, label, row, wrapping
from trayapp.job.fields import duration_s
from trayapp.job.schedule_words import schedule_words
from trayapp.job.timing_fields import STEPS
from trayapp.wording.instants import show_duration, show_near
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

_TIMINGS = {
    "every": N_("At intervals"),
    "daily": N_("Daily"),
    "weekly": N_("Weekly"),
    "monthly": N_("Monthly"),
    "cron": N_("Cron expression"),
    "hand": N_("By hand only"),
}
_DAYS = [N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun")]
_CATCH_UP = {
    "all": (N_("Do them all, in order"), N_("recommended")),
    "latest": (N_("Do the newest alone"), N_("older ones are recorded as “passed over”")),
    "none": (N_("Do none of them"), N_("what is not done at its time is passed over")),
}
_CALENDAR = {"1d": N_("1 day"), "1w": N_("1 week"), "1mo": N_("1 month")}
_ROWS_OF = {
    "every": ("every", "days", "hours"),
    "daily": ("times",),
    "weekly": ("weekdays", "times"),
    "monthly": ("month_days", "times"),
    "cron": ("cron",),
    "hand": (),
}
_HOURS = 24


class When(Step):
    """The schedule above, the periods below."""

    title: ClassVar[str] = N_("When, and which data?")
    keys: ClassVar[tuple[str, ...]] = (
        "schedule",
        "schedule.every",
        "schedule.offset",
        "schedule.days",
        "schedule.hours",
        "schedule.daily",
        "schedule.weekly",
        "schedule.weekly.days",
        "schedule.weekly.at",
        "schedule.monthly",
        "schedule.monthly.days",
        "schedule.monthly.at",
        "schedule.cron",
        "window.step",
        "window.start",
        "window.timezone",
        "window.lateness",
        "window.max_per_run",
        "window.catch_up",
        *KEYS,
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("The time and the data explain each other, so they are on one page."))
        self.timing = OneOf(form, "timing", _TIMINGS, N_("When shall it start?"))
        self._schedule_rows: dict[str, QWidget] = {}
        self._make_schedule_rows()
        self._only = QCheckBox()
        form.context.language.bind(self._only, "setText", N_("Only on certain days or between certain hours"))
        self._only.clicked.connect(self._on_only)
        self._words = label(form.context, weight=600)
        self._words_icon = QLabel()
        self._words_frame = card(row(self._words_icon, wrapping(self._words), gap=10, margins=(12, 8, 12, 8)), "run")
        self.start = StartEdit(form)
        self._zone = Field(form, ["window.timezone"], Line(form, "timezone", 24), hint=N_("Whose midnight it is."))
        self._late_hint = wrapping(label(form.context, size="small", is_second=True))
        self._bridge = wrapping(label(form.context, size="small"))
        self._periods = self.section(
            N_("Which data shall it take?"),
            *self._data_rows(),
            note=N_("Each run takes the periods that have closed, from the oldest on."),
        )
        self._list = self.section(
            N_("Which list shall it go through?"),
            *list_rows(form),
            note=N_("Each run makes the files that are missing; those that are there are left alone."),
        )
        schedule = self.section(N_("When shall it start?"), self.timing, *self._rows_and_choice(), self._words_frame)
        is_about(self._list, "lists")
        self.build(schedule, self._periods, self._list)
        form.checked.connect(self._on_checked)
        form.looked_ahead.connect(self._on_looked)
        form.context.theme.changed.connect(self._on_checked)

    def summary(self) -> str:
        job = self.form.job
        if job is None:
            return ""
        return schedule_words(job.schedule) if job.schedule is not None else _("by hand only")

    def retranslate(self) -> None:
        self._on_checked()
        self._on_looked()

    def first(self) -> QWidget:
        return self.timing.chip(self.form.draft.timing)

    def _make_schedule_rows(self) -> None:
        form, context = self.form, self.form.context
        every = Pick(form, "every", list(STEPS.values()), _length_words)
        offset = Line(form, "offset", 4)
        context.language.bind(offset, "setAccessibleName", N_("Minutes past the full interval"))
        first = Pick(form, "first_hour", range(_HOURS), "{:02}:00".format)
        end = Pick(form, "end_hour", range(1, _HOURS + 1), "{:02}:00".format)
        context.language.bind(end, "setAccessibleName", N_("End of these hours"))
        times = Line(form, "times", placeholder="02:30, 14:00")
        self._schedule_rows = {
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
            "month_days": Field(
                form,
                ["schedule.monthly.days", "schedule.monthly"],
                Line(form, "month_days", placeholder="1, 15, last"),
                caption=N_("Days of the month"),
                hint=N_("Numbers with commas between; “last” is the last day, whichever it is."),
            ),
            "times": Field(
                form,
                ["schedule.daily", "schedule.weekly.at", "schedule.monthly.at"],
                times,
                hint=N_("Several with commas between."),
            ),
            "cron": Field(form, ["schedule.cron"], Line(form, "cron"), hint=N_("Minute, hour, day, month, weekday.")),
            "days": Field(form, ["schedule.days"], SomeOf(form, "days", _DAYS, N_("On these days"), none_is_all=True)),
            "hours": Field(form, ["schedule.hours"], first, words_beside(context, "–"), end),
        }

    def _rows_and_choice(self) -> list[QWidget]:
        """Rows of the schedule, with the choice that shows its days and hours above these."""
        rows = list(self._schedule_rows.values())
        return [*rows[:-2], self._only, *rows[-2:]]

    def _on_only(self, is_on: bool) -> None:  # noqa: FBT001  # Qt's signal
        if not is_on:
            self.form.set(days=frozenset(), first_hour=0, end_hour=_HOURS)
        self._on_checked()

    def _data_rows(self) -> list[QWidget]:
        form, context = self.form, self.form.context
        steps = [*STEPS.values(), *CALENDAR_STEPS]
        late = Field(form, ["window.lateness"], Line(form, "lateness", 5), words_beside(context, N_("minutes")))
        most = Field(
            form,
            ["window.max_per_run"],
            Line(form, "max_per_run", 6),
            words_beside(context, N_("periods; the rest stays for the next run")),
        )
        self._start_field = Field(form, ["window.start"], self.start)
        return [
            Field(form, ["window.step"], Pick(form, "step", steps, _step_words)),
            self._zone,
            self._start_field,
            self._bridge,
            late,
            self._late_hint,
            self._catch_up(),
            most,
        ]

    def _catch_up(self) -> QWidget:
        form = self.form
        group = QButtonGroup(self)
        lines = []
        for value, (text, note) in _CATCH_UP.items():
            radio = QRadioButton()
            form.context.language.bind(radio, "setText", text)
            form.context.language.bind(radio, "setAccessibleDescription", note)
            group.addButton(radio)
            radio.clicked.connect(lambda _on=False, value=value: form.set(catch_up=value))
            form.checked.connect(lambda radio=radio, value=value: radio.setChecked(form.draft.catch_up == value))
            second = wrapping(label(form.context, note, "small", is_second=True))
            line = row(radio, second, gap=8)
            line.setStretch(1, 1)
            lines.append(line)
        made = QWidget()
        made.setLayout(column(*lines, gap=2))
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        return Field(form, ["window.catch_up"], made, is_wide=True)

    def _on_checked(self) -> None:
        draft, job = self.form.draft, self.form.job
        is_limited = bool(draft.days) or (draft.first_hour, draft.end_hour) != (0, _HOURS)
        if is_limited:
            self._only.setChecked(True)
        self._only.setVisible(draft.timing == "every")
        shown = _ROWS_OF[draft.timing]
        if draft.timing == "every" and not self._only.isChecked():
            shown = ("every",)
        for name, part in self._schedule_rows.items():
            part.setVisible(name in shown)
        self._zone.setVisible(draft.step in CALENDAR_STEPS)
        self._periods.setVisible(draft.works == "periods")
        self._list.setVisible(draft.works == "list")
        schedule = job.schedule if job is not None else None
        self._words_frame.setVisible(schedule is not None)
        if schedule is not None:
            self._words.setText(schedule_words(schedule))
            color = self.form.context.theme.fill("run")
            self._words_icon.setPixmap(self.form.context.icons.pixmap("calendar", color, 16, self.devicePixelRatioF()))

    def _on_looked(self) -> None:
        ahead = self.form.ahead
        outlook = ahead.outlook if ahead is not None and self.form.draft.works == "periods" else None
        self._late_hint.setVisible(outlook is not None)
        if outlook is None:
            self._bridge.hide()
            return
        now = outlook.now
        # Translators: {end} and {until} come with their Turkish endings: 12:00'de, 12:05'e
        text = N_("The period that closes {end} is left alone until {until}, for records that come late.")
        if not outlook.job.window.lateness_s:
            text = N_("The period that closes {end} can be taken at once.")
        end, until = outlook.following.end, outlook.takeable_at
        self._late_hint.setText(say(text, end=show_near(end, now, "locative"), until=show_near(until, now, "dative")))
        self._write_bridge()

    def _write_bridge(self) -> None:
        """Say of a job that has run what a change here does and does not do."""
        form = self.form
        self._bridge.setVisible(form.standing is not None)
        if form.standing is None or form.ahead is None or form.ahead.outlook is None:
            return
        up_to = show_near(form.standing.done_up_to, form.ahead.outlook.now, "dative")
        # Translators: {at} comes with its Turkish ending, to which "kadar" fits: 12:00'ye
        text = N_("Everything up to {at} is done and is not done again; the periods go on from there, without a gap.")
        self._bridge.setText(say(text, at=up_to))


def _length_words(length: str) -> str:
    return show_duration(duration_s(length) or 0)


def _step_words(step: str) -> str:
    if step in _CALENDAR:
        return _(_CALENDAR[step])
    return show_duration(duration_s(step) or 0)
