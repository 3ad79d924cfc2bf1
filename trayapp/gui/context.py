"""What every view is given: the parts of the application that it may use, handed in and never looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trayapp.gui.commands import Commands
    from trayapp.gui.language import Language
    from trayapp.gui.look.icons import Icons
    from trayapp.gui.look.theme import Theme
    from trayapp.gui.run_now import RunNow
    from trayapp.gui.state.log_feed import LogFeed
    from trayapp.gui.state.store import Store
    from trayapp.places import Places


class Place(NamedTuple):
    """Somewhere in the main view: a page, and there a job, a run or a period.

    `action` asks the page for more than showing it: "new" or "edit" (the editor), "template",
    "decide" (about the uncertain period of `job`), "find". Of the page "help" it is the place in it.
    """

    page: str
    job: str = ""
    run: str = ""
    start: datetime | None = None
    action: str = ""


class Context(NamedTuple):
    """Everything that views share. `go_to` opens the main view or the help at a place, whoever asks."""

    places: Places
    theme: Theme
    icons: Icons
    language: Language
    store: Store
    log_feed: LogFeed
    commands: Commands
    run_now: RunNow
    go_to: Callable[[Place], None]
