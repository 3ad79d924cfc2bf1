"""What stands where no job is yet: Birkez explained by one strip, the sample job, and the first own one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from trayapp.gui.jobs.sample_maker import SampleMaker
from trayapp.gui.look.widgets import button, card, column, label, row, wrapping
from trayapp.gui.timeline.strip.blocks import draw_block
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from trayapp.gui.context import Context
    from trayapp.gui.timeline.strip.blocks import Kind

_CARDS = (
    (
        "state-running",
        N_("One copy at a time"),
        N_("When a job is started a second time while it runs, the second one leaves at once and says so."),
    ),
    ("check", N_("Each period once"), N_("Started by hand or twice: rows and totals do not double.")),
    (
        "nav-history",
        N_("What was missed is done later"),
        N_("Hours that passed while the computer was off are done, in order, when it is on again."),
    ),
)
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_HOURS: tuple[Kind, ...] = ("done", "late", "done", "open")
_CARD_WIDTH, _PICTURE_WIDTH = 244, 640


class FirstRun(QScrollArea):
    """Emits `template_pressed`, `new_pressed`, or `made` with the sample job's id when it is there and running."""

    template_pressed = Signal()
    new_pressed = Signal()
    made = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._sample = SampleMaker(context, self)
        self._sample.made.connect(self._on_made)
        self._sample.refused.connect(self._refuse)
        self.begin = button(context, N_("My first job, in three steps"), "plus", "primary")
        self.try_sample = button(context, N_("Try the sample job"), "play")
        self._refusal = wrapping(label(context))
        self._refusal.set_tone("bad")
        self._refusal.hide()
        self._build()

    def _build(self) -> None:
        context = self._context
        adding = button(context, N_("Begin with an empty form"), kind="link")
        self.begin.clicked.connect(self.template_pressed)
        self.try_sample.clicked.connect(self._on_try)
        adding.clicked.connect(self.new_pressed)
        title = label(context, N_("No jobs yet"), "title", 600)
        text = wrapping(
            label(context, N_("Birkez does your scheduled jobs once, even when they are started twice."), "head")
        )
        note = N_("The sample takes a few seconds, writes into a small database of its own alone, and can be deleted.")
        small = wrapping(label(context, note, "small", is_second=True))
        for part in (title, text, small, self._refusal):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        cards = [self._make_card(*texts) for texts in _CARDS]
        self._cards_room = QWidget()
        self._cards = row(*cards, gap=12)
        self._cards_room.setLayout(self._cards)
        inner = QWidget()
        inner.setLayout(
            column(
                None,
                row(None, _Picture(context), None),
                title,
                text,
                row(None, self.begin, self.try_sample, None),
                small,
                row(None, adding, None),
                self._refusal,
                row(None, self._cards_room, None),
                None,
                gap=14,
                margins=(24, 24, 24, 24),
            )
        )
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _make_card(self, icon: str, title: str, text: str) -> QFrame:
        picture = QLabel()

        def draw() -> None:
            color = self._context.theme.color(QPalette.ColorRole.Highlight)
            picture.setPixmap(self._context.icons.pixmap(icon, color, 18, self.devicePixelRatioF()))

        draw()
        self._context.theme.changed.connect(draw)
        words = (
            wrapping(label(self._context, title, weight=600)),
            wrapping(label(self._context, text, "small", is_second=True)),
        )
        made = card(column(picture, *words, None, gap=4, margins=(16, 12, 16, 12)))
        unit = max(1.0, QFontMetrics(self._context.theme.font()).height() / 16)
        made.setFixedWidth(int(_CARD_WIDTH * unit))
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wanted = sum(part.width() + 12 for part in self._cards_room.findChildren(QFrame, "", _DIRECT)) + 48
        is_narrow = wanted > self.viewport().width()
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._cards.setDirection(direction)

    def _on_try(self) -> None:
        self.try_sample.setEnabled(False)
        self._refusal.hide()
        self._sample.make()

    def _on_made(self, job_id: str) -> None:
        self.try_sample.setEnabled(True)
        self.made.emit(job_id)

    def _refuse(self, text: str) -> None:
        self.try_sample.setEnabled(True)
        self._refusal.setText(text)
        self._refusal.show()


class _Picture(QWidget):
    """Three hours, each done once: in time, after the computer was off, and pressed once more without harm."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        context.theme.changed.connect(self.update)
        context.language.bind(
            self,
            "setAccessibleName",
            N_("An hour done in time, an hour done later as the computer was off, and a start too many: each once."),
        )
        context.language.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        line = QFontMetrics(self._context.theme.font("tiny")).height()
        return QSize(int(_PICTURE_WIDTH * max(1.0, line / 13)), 3 * line + 74)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._context.theme
        tiny = theme.font("tiny")
        metrics = QFontMetrics(tiny)
        side = metrics.horizontalAdvance("00:00") / 2 + 2
        width = (self.width() - 2 * side - side) / 4
        top = metrics.height() + 6.0
        painter.setFont(tiny)
        for number in range(5):
            x = side + number * width
            painter.setFont(tiny)
            painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
            text = f"{9 + number:02}:00"
            painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2, float(metrics.ascent())), text)
            if number < len(_HOURS):
                self._paint_hour(painter, QRectF(x + 1, top, width - 3, 38), number)
        self._paint_runs(painter, side, width, top + 38)

    def _paint_hour(self, painter: QPainter, rect: QRectF, number: int) -> None:
        theme = self._context.theme
        draw_block(painter, rect, _HOURS[number], theme)
        if _HOURS[number] == "open":
            return
        is_later = _HOURS[number] == "late"
        place = QRectF(rect)
        if is_later:
            place.setHeight(rect.height() / 2)
        painter.setFont(theme.font("small", 600))
        painter.setPen(theme.text("ok") if is_later else theme.color(QPalette.ColorRole.Base))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), _("once"))

    def _paint_runs(self, painter: QPainter, left: float, width: float, top: float) -> None:
        theme = self._context.theme
        font = theme.font("tiny", 600)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        runs = (
            (1.08, _("10:05 · 1 period done"), True),
            (3.08, _("12:05 · 2 periods, with the missed one"), True),
            (3.5, _("12:30 · pressed again: harmless"), False),
        )
        free_from = 0.0
        for number, (place, text, is_full) in enumerate(runs):
            x = left + place * width
            painter.setPen(QPen(theme.fill("ok" if is_full else "idle"), 1.2))
            painter.setBrush(theme.fill("ok") if is_full else Qt.BrushStyle.NoBrush)
            form = [QPointF(x, top + 6), QPointF(x + 5, top + 15), QPointF(x - 5, top + 15)]
            if not is_full:
                form = [QPointF(x, top + 5), QPointF(x + 5, top + 10), QPointF(x, top + 15), QPointF(x - 5, top + 10)]
            painter.drawPolygon(QPolygonF(form))
            advance = metrics.horizontalAdvance(text)
            at = min(max(x - advance / 2, 0), self.width() - advance)
            line = top + 20 + metrics.ascent()
            if number and at < free_from + 10:
                line += metrics.height() + 1
            painter.setPen(theme.color(QPalette.ColorRole.Text))
            painter.drawText(QPointF(at, line), text)
            free_from = at + advance
        painter.setPen(theme.color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(theme.font("tiny"))
        text = _("computer off")
        middle = left + 2.08 * width
        painter.drawText(
            QPointF(middle - QFontMetrics(theme.font("tiny")).horizontalAdvance(text) / 2, top + 3 + metrics.ascent()),
            text,
        )
