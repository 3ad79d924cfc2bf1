"""How long a pause may be: the choices of the menus and buttons that pause one job or all."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from trayapp import clock
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPushButton

    from trayapp.gui.context import Context

ALL = "--all"
_MORNING = time(8)


def pause_choices(now: datetime) -> list[tuple[str, datetime | None]]:
    """Marked words for how long a pause may be, each with its end; None is until somebody resumes."""
    today = now.astimezone().date()
    tomorrow = datetime.combine(today + timedelta(days=1), _MORNING).astimezone()
    monday = datetime.combine(today + timedelta(days=7 - today.weekday()), _MORNING).astimezone()
    return [
        (N_("For one hour"), now + timedelta(hours=1)),
        (N_("Until tomorrow 08:00"), tomorrow),
        (N_("Until Monday 08:00"), monday),
        (N_("Until I resume"), None),
    ]


def fill_pause_menu(context: Context, menu: QMenu, which: str) -> None:
    """Offer the choices for the job *which*, or for ALL."""
    for text, until in pause_choices(clock.now()):
        words = ["pause", which] + ([] if until is None else ["--until", clock.format_instant(until)])
        menu.addAction(_(text)).triggered.connect(partial(_command, context, words))


def add_resume(context: Context, menu: QMenu, which: str) -> None:
    """Offer to resume the job *which*, or ALL."""
    text = _("Resume all") if which == ALL else _("Resume")
    menu.addAction(text).triggered.connect(partial(_command, context, ["resume", which]))


def add_pause_choices(context: Context, made: QPushButton) -> None:
    """Let *made* open the choices for all jobs."""
    menu = QMenu(made)

    def offer() -> None:
        menu.clear()
        fill_pause_menu(context, menu, ALL)
        if any(job.pause for job in context.store.snapshot.jobs):
            menu.addSeparator()
            add_resume(context, menu, ALL)
        menu.popup(made.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    made.clicked.connect(offer)


def _command(context: Context, words: list[str], _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
    context.commands.do(words)
