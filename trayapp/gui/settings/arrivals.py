"""What a file from another computer would bring, job by job, before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QDialog, QFrame, QScrollArea, QWidget

from trayapp.gui.help.asking import answer_f1
from trayapp.gui.jobs.table.flow import Flow
from trayapp.gui.look.way import Way
from trayapp.gui.look.widgets import button, card, column, label, ringed, wrapping
from trayapp.gui.state.words import many
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from trayapp.gui.commands import Done
    from trayapp.gui.context import Context

_WIDTH, _HEIGHT = 640, 560


class ArrivalsDialog(QDialog):
    """Each job with what it misses here; where it begins, and whether the scheduler starts it, the person says.

    *found* is the answer of `job import --check --json` about the file at *path*.
    """

    told = Signal(str, bool)  # what came of it, and whether all went well

    def __init__(self, context: Context, path: str, found: dict[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._path = context, path
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answer_f1(self, context, "settings")
        self.setWindowTitle(_("Bring jobs from a file"))
        jobs: list[dict[str, Any]] = found["jobs"]
        self.coming = [job for job in jobs if job["error"] is None]
        count = max((int(job["closed_periods"]) for job in self.coming), default=0)
        self.asks_begin = count > 1
        self.from_now = Way(
            context,
            N_("Begin now"),
            N_("What was missed on the other computer is not made up for here. Right for mails and the like."),
        )
        self.from_start = Way(
            context,
            N_("Do all periods since their start here"),
            N_("Also what the other computer has done already: its record of that is not in the file."),
        )
        self.with_schedule = QCheckBox(_("This computer's scheduler shall start them from now on"))
        self.with_settings = QCheckBox(_("Take over the settings, too"))
        self.with_settings.setToolTip(", ".join(f"{name} = {value}" for name, value in found["settings"].items()))
        self._has_settings = bool(found["settings"])
        self.add = button(context, N_("Add the jobs"), kind="primary")
        self._build(jobs)

    def _build(self, jobs: list[dict[str, Any]]) -> None:
        forms = NN_("{count:number} job can come in", "{count:number} jobs can come in")
        head = wrapping(label(self._context, size="head", weight=600))
        head.setText(many(forms, len(self.coming)))
        note = wrapping(
            label(self._context, N_("Nothing is changed, registered or run before you agree."), is_second=True)
        )
        parts: list[QWidget] = [head, note, _scrolled(column(*(self._job(job) for job in jobs), None, gap=8))]
        self._group = QButtonGroup(self)
        if self.asks_begin:
            caption = wrapping(
                label(self._context, N_("Some have periods behind them. Where do they begin?"), weight=500)
            )
            parts += [caption, self.from_now, self.from_start]
            for way in (self.from_now, self.from_start):
                self._group.addButton(way.radio)
                way.radio.toggled.connect(lambda _on: self._allow())
        parts += [self.with_schedule, *([self.with_settings] if self._has_settings else [])]
        cancel = button(self._context, N_("Cancel"))
        cancel.clicked.connect(self.reject)
        self.add.clicked.connect(self._on_add)
        layout = column(*parts, Flow([cancel, self.add]), gap=8, margins=(20, 16, 20, 16))
        layout.setStretch(2, 1)
        self.setLayout(layout)
        self.resize(_WIDTH, _HEIGHT)
        self._allow()
        cancel.setFocus()

    def _job(self, job: dict[str, Any]) -> QFrame:
        title = wrapping(label(self._context, weight=600))
        title.setText(job["title"] or job["id"])
        made = [title]
        error = job["error"]
        for found, tone in ((error, "bad"),) if error else [(concern, "warn") for concern in job["concerns"]]:
            text = wrapping(label(self._context, size="small"))
            text.set_tone("bad" if tone == "bad" else "warn")
            text.setText(found["message"])
            made.append(text)
        if len(made) == 1:
            text = wrapping(label(self._context, size="small", is_second=True))
            text.setText(_("Everything that it needs is here."))
            made.append(text)
        frame = card(column(*made, gap=4, margins=(12, 8, 12, 8)))
        frame.setAccessibleName(". ".join(one.text() for one in made))
        return frame

    def _allow(self) -> None:
        has_chosen = not self.asks_begin or self.from_now.radio.isChecked() or self.from_start.radio.isChecked()
        self.add.setEnabled(bool(self.coming) and has_chosen)

    def words(self) -> list[str]:
        """Words of the command that does what is chosen."""
        return [
            *("job", "import", self._path),
            "--from-start" if self.from_start.radio.isChecked() else "--from-now",
            "--schedule" if self.with_schedule.isChecked() else "--no-schedule",
            "--settings" if self.with_settings.isChecked() else "--no-settings",
        ]

    def _on_add(self) -> None:
        self.add.setEnabled(False)
        self._context.commands.ask(self.words(), self._on_done)

    def _on_done(self, done: Done) -> None:
        self._context.store.read_again()
        self.told.emit("\n".join(text for text in (done.output.strip(), done.complaint) if text), done.is_good)
        self.accept()


def _scrolled(layout: Any) -> QScrollArea:  # noqa: ANN401  # one of Qt's layouts
    inner = QWidget()
    inner.setLayout(layout)
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    ringed(area)  # it is scrolled by keys, too
    area.setAccessibleName(_("Jobs"))
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
