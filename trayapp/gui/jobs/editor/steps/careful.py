"""Step 3: how careful: how long it may take, and whether it may be done twice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from trayapp.errors import BirkezError
from trayapp.gui.jobs.editor.form.field import Field, Line, words_beside
from trayapp.gui.jobs.editor.steps.step import Step
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import label, wrapping
from trayapp.trigger.here import backend_here
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form

_LOGGED_OFF = {
    "crontab": N_("cron starts it whenever the computer is on, also while nobody is logged on."),
    "schtasks": N_(
        "Windows Task Scheduler starts it while you are logged on, on battery too. "
        "What it misses is done at the next start."
    ),
    "launchd": N_("launchd starts it while you are logged on. What it misses is done at the next start."),
}


_TWICE = N_("May it run twice for the same period?")
_PROMISE = N_(
    "It cannot: the work and its record are written together, or neither is. "
    "After a crash, a power cut or a full disk the next start does the period anew."
)
_LIST_TWICE = N_("May an entry be done twice?")
_LIST_PROMISE = N_(
    "A file that is there is never made again, and each stands there whole or not at all. "
    "Where a crash or a power cut comes in the middle of one, the next start begins with that entry anew."
)


class Careful(Step):
    """The time limit, the question whether it may run twice, and when it is started."""

    title: ClassVar[str] = N_("How careful?")
    keys: ClassVar[tuple[str, ...]] = (
        "effect.timeout",
        "effect.nothing_done",
        "effect.repeatable",
        "effect.encoding",
        "effect.env",
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, N_("What shall happen when something goes wrong half way."))
        context = form.context
        self.once, self.repeatable = self._choices()
        self._question, self._exactly = self._make_question(), self._make_promise()
        self._logged_off = wrapping(label(context))
        self._per = words_beside(context, N_("minutes for one period"))
        timeout = Field(
            form,
            ["effect.timeout"],
            Line(form, "timeout", 6),
            self._per,
            hint=N_("Then it is ended, and told as failed. Others are not kept waiting for ever."),
        )
        self.build(
            self._question,
            self._exactly,
            self.section(N_("How long may it take?"), timeout),
            self.section(N_("Who starts it?"), self._logged_off),
        )
        form.checked.connect(self._on_checked)

    def _choices(self) -> tuple[Way, Way]:
        context = self.form.context
        once = Way(
            context,
            N_("No: never twice without asking me"),
            N_(
                "For mails, invoices, transfers. If it is cut off half way, the period waits "
                "until you have looked and decided."
            ),
        )
        repeatable = Way(
            context,
            N_("Yes: doing it again does no harm"),
            N_("For backups, copies, downloads. If it fails, the next start tries the same period again."),
        )
        return once, repeatable

    def _make_question(self) -> QFrame:
        form, context = self.form, self.form.context
        group = QButtonGroup(self)
        for choice, value in ((self.once, False), (self.repeatable, True)):
            group.addButton(choice.radio)
            choice.radio.toggled.connect(partial(self._on_answer, value=value))
        self._unanswered = wrapping(
            label(context, N_("This needs your answer: nobody else can know it."), "small", 500)
        )
        self._unanswered.set_tone("warn")
        self._nothing = Field(
            form,
            ["effect.nothing_done"],
            Line(form, "nothing_done", 14),
            hint=N_(
                "Codes by which the program says that it has not begun, for example 75. "
                "Others than 0 mean: it failed, or half of it is done."
            ),
        )
        return self.section(_TWICE, self.once, self.repeatable, self._unanswered, self._nothing)

    def _make_promise(self) -> QFrame:
        context = self.form.context
        self._promise = wrapping(label(context, _PROMISE))
        self._promise_title = label(context, _TWICE, "head", 600)
        return self.section("", self._promise_title, self._promise)

    @property
    def is_answered(self) -> bool:
        """Tell whether the question that only a person can answer is answered."""
        draft = self.form.draft
        return not self._asks or draft.repeatable is not None

    @property
    def _asks(self) -> bool:
        """Tell whether it may run twice is a question: a file of a list is its own record."""
        return self.form.draft.kind == "command" and self.form.draft.works == "periods"

    def summary(self) -> str:
        draft = self.form.draft
        if not self._asks:
            return _("exactly once") if draft.works == "periods" else _("each file once")
        return {None: "", True: _("may be repeated"), False: _("never twice without you")}[draft.repeatable]

    def retranslate(self) -> None:
        self._on_checked()

    def first(self) -> QWidget | None:
        return self.once.radio if self._asks else None

    def _on_answer(self, is_on: bool, *, value: bool) -> None:  # noqa: FBT001  # Qt's signal
        if is_on:
            self.form.set(repeatable=value)

    def _on_checked(self) -> None:
        draft = self.form.draft
        self._question.setVisible(self._asks)
        self._exactly.setVisible(not self._asks)
        bind, is_list = self.form.context.language.bind, draft.works == "list"
        bind(self._promise, "setText", _LIST_PROMISE if is_list else _PROMISE)
        bind(self._promise_title, "setText", _LIST_TWICE if is_list else _TWICE)
        bind(self._per, "setText", N_("minutes for one entry") if is_list else N_("minutes for one period"))
        if draft.repeatable is not None:
            (self.repeatable if draft.repeatable else self.once).radio.setChecked(True)
        self._unanswered.setVisible(not self.is_answered and self.form.is_all_shown)
        self._logged_off.setText(self._who_starts())

    def _who_starts(self) -> str:
        if self.form.draft.timing == "hand":
            return _("Nobody but you: Run now, whenever you like.")
        try:
            backend = backend_here(self.form.context.places)
        except BirkezError:
            backend = None
        return _(_LOGGED_OFF[backend.name]) if backend is not None else _("No scheduler is used here.")
