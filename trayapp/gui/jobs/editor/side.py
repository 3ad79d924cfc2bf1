"""The right side of the editor: what follows from what was chosen. Always there, so that nothing is a surprise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from trayapp.gui.jobs.editor.form.cut_picture import CutPicture
from trayapp.gui.jobs.editor.given import Given
from trayapp.gui.jobs.editor.listing import ListPreview
from trayapp.gui.jobs.editor.side_parts import ByHand, Fires, Starts
from trayapp.gui.look.widgets import column, label, line, row, wrapping
from trayapp.wording.instants import show_duration, show_near
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, say, sentence

if TYPE_CHECKING:
    from trayapp.gui.jobs.editor.form.form import Form
    from trayapp.gui.jobs.editor.outlook import Outlook

WHAT, WHEN, CAREFUL, REVIEW = range(4)
_MOST_BLOCKS = 4
_TITLES = {
    WHAT: N_("What it is given"),
    WHEN: N_("This is how it will work"),
    CAREFUL: N_("This is how it will work"),
    REVIEW: N_("What happens when it is saved?"),
}


class Side(QScrollArea):
    """Shows another part of the outlook with each step."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        context = form.context
        self._step = WHAT
        self._head = wrapping(label(context, size="head", weight=600))
        self._unknown = wrapping(
            label(
                context, N_("As soon as the fields are right, this side shows what follows from them."), is_second=True
            )
        )
        self._given = Given(form)
        self._list = ListPreview(context)
        self._fires = Fires(context)
        self._dots_note = label(context, N_("Each dot is a record"), "small", is_second=True)
        self._picture = CutPicture(context)
        self._sentence = wrapping(label(context, weight=600))
        self._bounds = wrapping(label(context, size="small", is_second=True))
        for part in (self._sentence, self._bounds):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._by_hand = ByHand(context)
        self._starts = Starts(context)
        self._delay = wrapping(label(context, size="small", is_second=True))
        self._promise = wrapping(
            label(
                context,
                N_(
                    "Hours that pass while the computer is off are done when it is on. "
                    "A start by hand or a start too many doubles nothing."
                ),
                "small",
            )
        )
        self._shield = QLabel()
        self._build()
        form.checked.connect(self._write)
        form.looked_ahead.connect(self._write)
        form.listed.connect(self._write)
        context.theme.changed.connect(self._write)

    def show_step(self, step: int) -> None:
        """Show what belongs to that step."""
        self._step = step
        self._write()
        self.verticalScrollBar().setValue(0)

    def retranslate(self) -> None:
        """Write in the language of now."""
        self._write()

    def _build(self) -> None:
        promise = row(self._shield, self._promise, gap=10)
        promise.setStretch(1, 1)
        promise.setAlignment(self._shield, Qt.AlignmentFlag.AlignTop)
        self._promise_row = QWidget()
        self._promise_row.setLayout(column(line(), promise, gap=12))
        inner = QWidget()
        inner.setLayout(
            column(
                self._head,
                self._unknown,
                self._given,
                self._list,
                self._fires,
                self._by_hand,
                self._dots_note,
                self._picture,
                self._sentence,
                self._bounds,
                self._starts,
                self._delay,
                self._promise_row,
                None,
                gap=10,
                margins=(20, 18, 20, 18),
            )
        )
        inner.setBackgroundRole(QPalette.ColorRole.Base)
        inner.setAutoFillBackground(True)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _write(self) -> None:
        step, form = self._step, self._form
        outlook = form.ahead.outlook if form.ahead is not None and form.job is not None else None
        self._head.setText(_(_TITLES[step]))
        of_list = form.ahead.of_list if form.ahead is not None and form.job is not None else None
        self._list.setVisible(form.draft.works == "list")
        self._fires.setVisible(of_list is not None and step != WHAT and bool(of_list.fires))
        is_cut = step in (WHEN, CAREFUL) and outlook is not None
        self._given.setVisible(step == WHAT)
        self._unknown.setVisible(step != WHAT and outlook is None and form.draft.works == "periods")
        error = form.ahead.error if form.ahead is not None else None
        if error is not None:
            self._unknown.setText(sentence(error))
        self._picture.show_outlook(outlook)
        for part in (self._dots_note, self._picture, self._sentence, self._bounds):
            part.setVisible(is_cut)
        has_starts = outlook is not None and step != WHAT
        self._by_hand.setVisible(outlook is not None and step == REVIEW)
        self._starts.setVisible(has_starts)
        self._promise_row.setVisible(has_starts)
        self._delay.setVisible(has_starts and outlook is not None and bool(outlook.delays))
        color = self._form.context.theme.fill("ok")
        self._shield.setPixmap(self._form.context.icons.pixmap("shield", color, 18, self.devicePixelRatioF()))
        if outlook is not None:
            self._write_outlook(outlook)
        if form.draft.works == "list":
            self._list.show_listing(form.listing)
            if of_list is not None:
                self._fires.show_fires(of_list.fires, of_list.now)

    def _write_outlook(self, outlook: Outlook) -> None:
        self._sentence.setText(self._picture.sentence())
        start, end = outlook.following
        # Translators: {start} and {end} come with their Turkish endings: 11:00'de, 12:00'de
        text = N_(
            "A record of exactly {start} belongs to this period, one of exactly {end} to the next. None is taken twice."
        )
        now = outlook.now
        self._bounds.setText(say(text, start=show_near(start, now, "ablative"), end=show_near(end, now, "ablative")))
        self._starts.show_outlook(outlook)
        self._by_hand.show_outlook(outlook)
        self._delay.setText(_delay_words(outlook))


def _delay_words(outlook: Outlook) -> str:
    """The longest wait from a period's end to the start that takes it."""
    waits = sorted({int(delay.total_seconds()) for delay in outlook.delays})
    if not waits:
        return ""
    if len(waits) == 1:
        return say("A period is taken {time} after its end at the latest.", time=show_duration(waits[0]))
    text = N_("A period is taken {short} after its end at the latest, in the other half of the year {long}.")
    return say(text, short=show_duration(waits[0]), long=show_duration(waits[-1]))
