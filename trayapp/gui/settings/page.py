"""What a person sets for Birkez itself. Each choice is saved as it is made, and answered beside it."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFrame,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from trayapp.errors import SetupError
from trayapp.gui.look.callout import Callout
from trayapp.gui.look.widgets import button, card, column, label, row, wrapping
from trayapp.gui.page import Page
from trayapp.gui.settings.log_on import LogOnSwitch
from trayapp.gui.settings.moving import Moving
from trayapp.gui.settings.wishes import wished, wished_scheme
from trayapp.gui.state.reader import Reader
from trayapp.patience import patience_s
from trayapp.settings import Settings, change_settings, read_settings
from trayapp.wording.instants import show_duration
from trayapp.wording.mark import N_
from trayapp.wording.speech import _, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QShowEvent

    from trayapp.gui.context import Context

_LANGUAGES = {"": N_("As the system"), "tr": "Türkçe", "en": "English"}
_COLORS = {"": N_("As the system"), "light": N_("Light"), "dark": N_("Dark")}
_PATIENCE = {
    "": N_("three starts of its schedule"),
    "2h": N_("2 hours"),
    "12h": N_("12 hours"),
    "1d": N_("1 day"),
    "3d": N_("3 days"),
    "7d": N_("7 days"),
    "never": N_("do not tell"),
}
_MOST_WIDTH = 760


class SettingsPage(Page):
    """Language, colours, notifications, how long history is kept."""

    name = "settings"
    title = N_("Settings")
    icon = "nav-settings"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._languages: dict[str, QRadioButton] = {}
        self._colors: dict[str, QRadioButton] = {}
        self.notices = QCheckBox()
        self.patience = QComboBox()
        self.days = QLineEdit()
        self._days_note = wrapping(label(context, size="small"))
        self.trouble = Callout(context)
        self.log_on = LogOnSwitch(context)
        self.moving = Moving(context)
        self._writer = Reader("settings", lambda _names: self._write_down(), self)
        self._wishes: list[dict[str, str | int | bool]] = []
        self._writer.was_read.connect(self._on_written)
        self._writer.start()
        self.destroyed.connect(self._writer.stop)
        self._build()
        self.read_again()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.log_on.read_again()  # the system's own list may have changed it

    def read_again(self) -> None:
        try:
            settings = read_settings(self.context.places)
        except SetupError as error:
            self._tell_trouble(error)
            settings = Settings()
        else:
            self.trouble.hide()
        self._languages[settings.language].setChecked(True)
        self._colors[settings.colors].setChecked(True)
        self.notices.setChecked(settings.notices)
        self._show_patience(settings.warn_after)
        self.days.setText(str(settings.history_days))
        self._say_days("")

    def retranslate(self) -> None:
        self._show_patience(str(self.patience.currentData() or ""))

    def _build(self) -> None:
        context = self.context
        context.language.bind(self.notices, "setText", N_("Tell me when a job fails or needs my decision"))
        self.notices.clicked.connect(lambda is_on: self._change(notices=is_on))
        self.trouble.hide()
        inner = QWidget()
        inner.setLayout(column(*self._sections(), None, gap=12, margins=(24, 16, 24, 20)))
        inner.setMaximumWidth(_MOST_WIDTH)
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        room = QWidget()
        line = row(inner, gap=0)
        line.setStretch(0, 1)
        line.addStretch(0)
        room.setLayout(line)
        room.setBackgroundRole(QPalette.ColorRole.Window)
        room.setAutoFillBackground(True)
        self.setLayout(column(_scrolled(room), gap=0))

    def _sections(self) -> list[QWidget]:
        context = self.context
        return [
            label(context, self.title, "title", 600),
            self.trouble,
            self._section(N_("Language"), self._radios(_LANGUAGES, self._languages, "language")),
            self._section(N_("Colours"), self._radios(_COLORS, self._colors, "colors")),
            self._section(
                N_("Start"), self.log_on, note=N_("Jobs start by their schedules whether the icon is there or not.")
            ),
            self._section(
                N_("Notifications"),
                self.notices,
                self._patience_row(),
                note=N_("Once when it begins, once when all is well again. Never for a start that had nothing to do."),
            ),
            self._section(
                N_("History"),
                self._days_row(),
                self._days_note,
                note=N_("Older runs and log lines are deleted. What was done stays recorded and is never done twice."),
            ),
            self._section(
                N_("Another computer, and help"),
                self.moving,
                note=N_(
                    "Passwords stay on this computer, and so do scripts, databases and the record of what was done."
                ),
            ),
            self._section(N_("Files"), self._file_links()),
        ]

    def _section(self, title: str, *parts: QWidget, note: str = "") -> QFrame:
        made = [label(self.context, title, "head", 600), *parts]
        if note:
            made.append(wrapping(label(self.context, note, "small", is_second=True)))
        return card(column(*made, gap=8, margins=(16, 12, 16, 14)))

    def _radios(self, words: Mapping[str, str], radios: dict[str, QRadioButton], key: str) -> QWidget:
        group = QButtonGroup(self)
        made = QWidget()
        for value, text in words.items():
            radio = radios[value] = QRadioButton()
            if text in ("Türkçe", "English"):  # a language is named in itself
                radio.setText(text)
            else:
                self.context.language.bind(radio, "setText", text)
            radio.clicked.connect(partial(self._choose, key, value))
            group.addButton(radio)
        made.setLayout(row(*radios.values(), None, gap=20))
        return made

    def _patience_row(self) -> QWidget:
        context = self.context
        caption = label(context, N_("Tell me of a job without a success for"))
        caption.setBuddy(self.patience)
        context.language.bind(self.patience, "setAccessibleName", N_("Tell me of a job without a success for"))
        self.patience.activated.connect(lambda _index: self._change(warn_after=str(self.patience.currentData())))
        made = QWidget()
        made.setLayout(row(caption, self.patience, None))
        return made

    def _show_patience(self, wish: str) -> None:
        """Offer the usual lengths of time, and the one that stands in the file."""
        self.patience.clear()
        for value, text in _PATIENCE.items():
            self.patience.addItem(_(text), value)
        if wish not in _PATIENCE:
            self.patience.addItem(show_duration(patience_s(wish) or 0), wish)
        self.patience.setCurrentIndex(self.patience.findData(wish))

    def _days_row(self) -> QWidget:
        context = self.context
        caption, after = label(context, N_("Keep runs and log lines for")), label(context, N_("days"))
        caption.setBuddy(self.days)
        context.language.bind(self.days, "setAccessibleName", N_("Days that history is kept"))
        self.days.setMaximumWidth(self.days.fontMetrics().averageCharWidth() * 8 + 28)
        self.days.editingFinished.connect(self._on_days)
        made = QWidget()
        made.setLayout(row(caption, self.days, after, None))
        return made

    def _file_links(self) -> QWidget:
        places = self.context.places
        links: list[QPushButton] = []
        for text, path in (
            (N_("Folder of the job files"), places.jobs_dir),
            (N_("Logs"), os.path.dirname(places.common_log)),
            (N_("Settings file"), places.settings_file),
        ):
            made = button(self.context, text, kind="link")
            made.setToolTip(path)
            made.clicked.connect(lambda _on=False, path=path: QDesktopServices.openUrl(QUrl.fromLocalFile(path)))
            links.append(made)
        holder = QWidget()
        holder.setLayout(row(*links, None, gap=16))
        return holder

    def _choose(self, key: str, value: str, _checked: bool = False) -> None:  # noqa: FBT001, FBT002  # Qt's signal
        self._change(**{key: value})

    def _on_days(self) -> None:
        text = self.days.text().strip()
        if text == str(wished(self.context.places).history_days):
            self._say_days("")
            return
        self._change(history_days=int(text) if text.isdecimal() and len(text) < 9 else text)  # noqa: PLR2004  # digits

    def _change(self, **changes: str | int | bool) -> None:
        self._wishes.append(changes)
        self._writer.ask()

    def _write_down(self) -> object:
        """In the thread: a disk may be slow."""
        done: dict[str, str | int | bool] = {}
        refused: SetupError | None = None
        while self._wishes:  # one that is refused holds up no other
            changes = self._wishes.pop(0)
            try:
                change_settings(self.context.places, **changes)
            except SetupError as error:
                refused = error
            else:
                refused = None
                done |= changes
        return done, refused

    def _on_written(self, answer: tuple[dict[str, object], SetupError | None]) -> None:
        written, refused = answer
        self.trouble.hide()
        if "warn_after" in written:
            self.context.store.read_again()
        if "language" in written:
            self.context.language.speak(str(written["language"]), dict(os.environ))
        if "colors" in written:
            self.context.theme.choose(wished_scheme(self.context.places))
        if "history_days" in written:
            self._say_days(_("Saved. Older entries are deleted by the next run."))
        if refused is not None and refused.facts.get("key") == "history_days":
            self._say_days(_("Write a whole number of days, from 1 on."), is_wrong=True)
        elif refused is not None:
            self._tell_trouble(refused)

    def _say_days(self, text: str, *, is_wrong: bool = False) -> None:
        self._days_note.set_tone("warn" if is_wrong else "ok")
        self._days_note.setText(text)
        self._days_note.setVisible(bool(text))

    def _tell_trouble(self, error: SetupError) -> None:
        self.trouble.tell("bad", "state-failed", _("The settings cannot be used as they are"), sentence(error))
        self.trouble.show()


def _scrolled(room: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(room)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
