"""The help: topics at the left, found by words; the chosen one at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from trayapp.errors import BirkezError
from trayapp.gui.context import Place
from trayapp.gui.help.book import Topic, read_book, search
from trayapp.gui.help.reader import Reader
from trayapp.gui.look.widgets import button, column, held, label, line, ringed, row, wrapping
from trayapp.wording.language import spoken_language
from trayapp.wording.mark import N_
from trayapp.wording.speech import sentence

if TYPE_CHECKING:
    from trayapp.gui.context import Context

_WIDTH, _HEIGHT, _LIST = 980, 700, 264
_NAME = Qt.ItemDataRole.UserRole
_FIRST = "start"


class HelpView(QWidget):
    """A view of its own, so that it can be read beside what it is about."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._book: tuple[Topic, ...] = ()
        self._passed: list[str] = []
        self.name = ""
        self.search = QLineEdit()
        self.topics = QListWidget()
        self.reader = Reader(context)
        self.back = button(context, N_("Back"), "chevron-left")
        self._none = wrapping(label(context, N_("No topic has these words."), is_second=True))
        self._build()
        self.search.textChanged.connect(self._on_search)
        self.topics.currentItemChanged.connect(self._on_chosen)
        self.reader.followed.connect(self._on_followed)
        self.back.clicked.connect(self._go_back)
        context.language.changed.connect(self._read_again)
        context.theme.changed.connect(self._show_again)
        self._read_again()

    def open_at(self, name: str) -> None:
        """Come to the front at the place *name*; at the beginning where there is none of that name."""
        self.search.clear()
        self._go(name or _FIRST)
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()
        self.reader.setFocus()

    def topic_of(self, name: str) -> Topic | None:
        """Topic that holds the place *name*."""
        return next((topic for topic in self._book if name in topic.names), None)

    def _build(self) -> None:
        context = self._context
        self.search.setClearButtonEnabled(True)
        context.language.bind(self.search, "setPlaceholderText", N_("Find in help"))
        context.language.bind(self.search, "setAccessibleName", N_("Find in help"))
        context.language.bind(self.topics, "setAccessibleName", N_("Topics"))
        context.language.bind(self, "setWindowTitle", N_("Birkez help"))
        self.topics.setFrameShape(QFrame.Shape.NoFrame)
        ringed(self.topics)
        self.topics.setWordWrap(True)
        self.topics.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.topics.setObjectName("topics")
        self.topics.viewport().setAutoFillBackground(False)
        self.reader.setFrameShape(QFrame.Shape.NoFrame)
        self._none.hide()
        left = held(
            column(
                row(self.back, None, margins=(12, 12, 12, 0)),
                row(self.search, margins=(12, 0, 12, 4)),
                row(self._none, margins=(16, 4, 12, 4)),
                self.topics,
            )
        )
        left.layout().setStretchFactor(self.topics, 1)  # type: ignore[union-attr]  # `held` has given it one
        left.setFixedWidth(_LIST)
        layout = row(left, line(upright=True), self.reader, gap=0)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self.setAutoFillBackground(True)
        self.setWindowIcon(context.icons.application())
        self.resize(_WIDTH, _HEIGHT)
        for keys, action in (
            (QKeySequence("Ctrl+F"), self.search.setFocus),
            (QKeySequence("Alt+Left"), self._go_back),
            (QKeySequence("Esc"), self._on_escape),
            (QKeySequence("Ctrl+W"), self.close),
        ):
            QShortcut(keys, self).activated.connect(action)

    def _read_again(self) -> None:
        try:
            self._book = read_book(spoken_language())
        except BirkezError as error:
            self._book = ()
            self.reader.setPlainText(sentence(error))
            return
        self._list(self._book)
        self._open(self.name)

    def _show_again(self) -> None:
        if self._book:
            self._list(search(self._book, self.search.text()) if self.search.text() else self._book)
            self._open(self.name)

    def _list(self, topics: tuple[Topic, ...]) -> None:
        quiet = QSignalBlocker(self.topics)
        self.topics.clear()
        chapter = ""
        for topic in topics:
            if topic.chapter != chapter and not self.search.text():
                chapter = topic.chapter
                head = QListWidgetItem(chapter)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
                head.setFont(self._context.theme.font("small", 650))
                self.topics.addItem(head)
            item = QListWidgetItem(topic.title)
            item.setData(_NAME, topic.name)
            item.setFont(self._context.theme.font())
            self.topics.addItem(item)
        quiet.unblock()
        self._none.setVisible(not topics)

    def _on_search(self, words: str) -> None:
        found = search(self._book, words) if words.strip() else self._book
        self._list(found)
        if found and words.strip():
            self._go(found[0].name)
        elif self.name:
            self._open(self.name)

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(_NAME):
            self._go(item.data(_NAME))

    def _on_followed(self, target: str) -> None:
        kind, _mark, name = target.partition("page:")
        if not kind and name:
            self._context.go_to(Place(name))
        elif target.startswith("#"):
            self._go(target[1:])

    def _go(self, name: str) -> None:
        if self.name and self.name != name:
            self._passed.append(self.name)
        self._open(name)

    def _go_back(self) -> None:
        if self._passed:
            self._open(self._passed.pop())

    def _open(self, name: str) -> None:
        topic = self.topic_of(name) or self.topic_of(_FIRST)
        if topic is None:
            return
        self.name = name if name in topic.names else topic.name
        self.reader.show_topic(topic, "" if self.name == topic.name else self.name, self.search.text())
        self.back.setEnabled(bool(self._passed))
        quiet = QSignalBlocker(self.topics)
        self.topics.setCurrentRow(-1)
        for number in range(self.topics.count()):
            if self.topics.item(number).data(_NAME) == topic.name:
                self.topics.setCurrentRow(number)
        quiet.unblock()

    def _on_escape(self) -> None:
        if self.search.text():
            self.search.clear()
        else:
            self.close()
