"""One unit of work: the window that an effect is asked to perform, and under which key."""

from __future__ import annotations

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.window.grid import Window


class Unit(NamedTuple):
    """What one effect performs once: *window* of *job*, named for ever by *key*, in this *run*."""

    job: str
    run: str
    window: Window
    key: str
