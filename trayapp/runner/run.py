"""One run: what it was started for, its record, and its way to hear that it shall stop."""

from __future__ import annotations

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.effect.interruption import Interruption
    from trayapp.places import Places
    from trayapp.runner.decision import Wish
    from trayapp.runner.record import Record


class Run(NamedTuple):
    """One start of the runner for a job."""

    places: Places
    wish: Wish
    record: Record
    stopper: Stopper


class Stopper:
    """Hears signals from the moment when there is something to wait for or to do.

    A run with nothing to do never gets there, and loads none of what it takes.
    """

    def __init__(self) -> None:
        self._interruption: Interruption | None = None

    def interruption(self) -> Interruption:
        """Take over the signals that mean "end", once; returns what notes them."""
        if self._interruption is None:
            from trayapp.effect.interruption import Interruption  # noqa: PLC0415  # see the class

            self._interruption = Interruption()
            self._interruption.install()
        return self._interruption

    def asked(self) -> bool:
        """Tell whether to stop; asked while a database is busy, so signals are heard from then on."""
        return self.interruption().asked()

    def signal_number(self) -> int:
        """Which signal asked; 0 when none did."""
        return self._interruption.signal_number if self._interruption else 0
