"""A page of the main view: what each of them is and may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from trayapp.gui.context import Context, Place
    from trayapp.gui.state.snapshot import Snapshot


class Page(QWidget):
    """One page. A subclass sets the three names, builds itself and fills what it needs below.

    *title* is a marked text (`N_`), *icon* the name of an SVG. A page is made when it is
    opened first; from then on it gets each snapshot, also while it is hidden.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str]

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        context.language.bind(self, "setAccessibleName", self.title)
        context.language.changed.connect(self.retranslate)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show what is known now."""

    def retranslate(self) -> None:
        """Write anew what is put together of several parts; bound texts follow by themselves."""

    def go_to(self, place: Place) -> None:
        """Show that job, run or period, as far as this page knows it."""

    def start_search(self) -> None:
        """Put the cursor into the page's search field (Ctrl+F)."""

    def read_again(self) -> None:
        """Read anew what the page shows (F5); the snapshot is read again anyway."""

    def leave_card(self) -> bool:
        """Close a card or a detail that is open (Esc); False when there was none."""
        return False

    def unsaved(self) -> list[QWidget]:
        """Views of this page in which something was typed that is not saved."""
        return []

    @staticmethod
    def badge(snapshot: Snapshot) -> int:
        """Count beside the page's name in the rail, of what needs a person; 0 shows none."""
        del snapshot
        return 0
