"""Run now: starts the runner, follows it and keeps its answer where the button was pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from trayapp import clock
from trayapp.value import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from trayapp.gui.commands import Commands, Done


class Answer(NamedTuple):
    """What a run answered: *facts* as `birkez run --json` writes them, or none and a *complaint*."""

    job: str
    facts: Mapping[str, Any]
    complaint: str = ""

    def at(self, name: str) -> datetime | None:
        """Instant of that fact."""
        text = self.facts.get(name)
        return clock.parse_instant(text) if text else None


class RunNow(QObject):
    """Starts runs by hand. They are processes of their own and outlive the tray."""

    started = Signal(str)
    answered = Signal(object)  # Answer

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._answers: dict[str, Answer] = {}
        self._under_way: set[str] = set()

    def press(self, job_id: str, start: datetime | None = None) -> None:
        """Start a run of *job_id*, of the period that begins at *start* where that is given."""
        self._answers.pop(job_id, None)
        self._under_way.add(job_id)
        window = ["--window", clock.format_instant(start)] if start is not None else []
        self.started.emit(job_id)
        self._commands.ask(["run", job_id, *window, "--json"], lambda done: self._on_done(job_id, done), None)

    def is_under_way(self, job_id: str) -> bool:
        """Tell whether a run that was started here has not answered yet."""
        return job_id in self._under_way

    def answer(self, job_id: str) -> Answer | None:
        """Answer of the last run started here; None before, and after `dismiss`."""
        return self._answers.get(job_id)

    def dismiss(self, job_id: str) -> None:
        """Forget the answer (Esc)."""
        self._answers.pop(job_id, None)

    def preview(self, job_id: str, then: Callable[[Answer], None]) -> None:
        """Ask the runner what a run would do now; nothing is done."""
        self._commands.ask(["run", job_id, "--dry-run", "--json"], lambda done: then(_answer_of(job_id, done)))

    def _on_done(self, job_id: str, done: Done) -> None:
        self._under_way.discard(job_id)
        self._answers[job_id] = answer = _answer_of(job_id, done)
        self.answered.emit(answer)


def _answer_of(job_id: str, done: Done) -> Answer:
    facts = done.json()
    return Answer(job_id, facts, "" if facts else done.complaint)
