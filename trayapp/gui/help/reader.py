"""Shows one topic: Markdown in our type and colours, with the icon set's pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import (
    QPalette,
    QPixmap,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from trayapp.gui.look.icons import SIGN_TONES
from trayapp.gui.look.widgets import ringed
from trayapp.help_text import split_name
from trayapp.history.records import fold, unmarked
from trayapp.wording.mark import N_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trayapp.gui.context import Context
    from trayapp.gui.help.book import Topic

_MARGIN, _CELL = 24, 7
_PICTURE = 16


class Reader(QTextBrowser):
    """Text of one topic; `followed` with the target of a link that was pressed."""

    followed = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._places: dict[str, int] = {}
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        ringed(self)
        self.anchorClicked.connect(lambda url: self.followed.emit(url.toString()))
        context.language.bind(self, "setAccessibleName", N_("Text of the topic"))

    def show_topic(self, topic: Topic, name: str = "", sought: str = "") -> None:
        """Show *topic* from the place *name* on, with the words *sought* marked."""
        document = self.document()
        document.setDefaultFont(self._context.theme.font())
        document.setDocumentMargin(_MARGIN)
        document.setDefaultStyleSheet("")
        text = topic.text.replace("![](", "![.](")  # Qt leaves out a picture without a name
        self.setMarkdown(f"# {topic.title}\n\n{text}")
        self._places = dict(self._take_names())
        self._dress()
        self._mark(sought)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        if name in self._places:
            self._scroll_to(self._places[name])

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        text = name.toString() if isinstance(name, QUrl) else name
        if kind == QTextDocument.ResourceType.ImageResource.value:
            return self._picture(text)
        return None

    def _picture(self, name: str) -> QPixmap:
        ratio, icons, theme = self.devicePixelRatioF(), self._context.icons, self._context.theme
        if name.startswith("tray-"):
            name += "-on-dark" if theme.is_dark else "-on-light"
            return icons.pixmap(name, theme.color(QPalette.ColorRole.WindowText), 18, ratio)
        sign = next((sign for sign in SIGN_TONES if name == f"state-{sign}"), None)
        if sign is not None:
            return icons.sign(sign, _PICTURE, ratio)
        return icons.pixmap(name, theme.color(QPalette.ColorRole.WindowText), _PICTURE, ratio)

    def _take_names(self) -> Iterator[tuple[str, int]]:
        for block in _blocks(self.document()):
            words, name = split_name(block.text())
            if block.blockFormat().headingLevel() and name:
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + len(words))
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
                yield name, block.position()

    def _dress(self) -> None:
        for block in _blocks(self.document()):
            cursor = QTextCursor(block)
            level = block.blockFormat().headingLevel()
            table = cursor.currentTable()
            if level:
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                heading = QTextCharFormat()
                heading.setFont(self._context.theme.font("title" if level == 1 else "head", 600))
                cursor.setCharFormat(heading)  # not merged: Qt's own is an adjustment that would win
            made = block.blockFormat()
            made.setLineHeight(118, 1)  # per cent, proportional
            if table is None and block.textList() is None:
                made.setTopMargin(14 if level > 1 else 2)
                made.setBottomMargin(14 if level == 1 else 10)
            elif table is None:
                made.setBottomMargin(4)
            cursor.setBlockFormat(made)
            self._dress_parts(block)
            if table is not None:
                self._dress_table(table)

    def _dress_parts(self, block: QTextBlock) -> None:
        ground = self._context.theme.color(QPalette.ColorRole.AlternateBase)
        for start, length, found in list(_parts(block)):
            made = QTextCharFormat()
            if found.isImageFormat():
                made = QTextImageFormat(found.toImageFormat())
                made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
            elif found.fontFixedPitch():
                made.setFont(self._context.theme.font("small", monospace=True))
                made.setBackground(ground)
            elif found.isAnchor():
                made.setForeground(self._context.theme.color(QPalette.ColorRole.Link))
            else:
                continue
            cursor = QTextCursor(block)
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(made)

    def _dress_table(self, table: QTextTable) -> None:
        made = table.format()
        made.setBorderCollapse(True)
        made.setBorder(1)
        made.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setBorderBrush(self._context.theme.color(QPalette.ColorRole.Mid))
        made.setCellPadding(_CELL)
        made.setCellSpacing(0)
        made.setBottomMargin(12)
        made.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(made)
        for column in range(table.columns()):
            head = table.cellAt(0, column)
            ground = head.format()
            ground.setBackground(self._context.theme.color(QPalette.ColorRole.AlternateBase))
            head.setFormat(ground)

    def _mark(self, sought: str) -> None:
        marks = []
        text = unmarked(fold(self.toPlainText()))
        if len(text) == len(self.toPlainText()):  # else letters would stand elsewhere than they are found
            for word in {unmarked(fold(word)) for word in sought.split()}:
                at = text.find(word)
                while at >= 0:
                    mark = QTextEdit.ExtraSelection()
                    cursor = QTextCursor(self.document())
                    cursor.setPosition(at)
                    cursor.setPosition(at + len(word), QTextCursor.MoveMode.KeepAnchor)
                    mark.cursor = cursor
                    mark.format.setBackground(self._context.theme.tint("warn", 0.35))
                    marks.append(mark)
                    at = text.find(word, at + len(word))
        self.setExtraSelections(marks)

    def _scroll_to(self, position: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + self.cursorRect(cursor).top() - _MARGIN)

    def place_at_top(self) -> str:
        """Name of the place that is read: the last one that stands above the upper edge."""
        read = self.cursorForPosition(self.viewport().rect().topLeft()).position() + 1
        passed = [name for name, position in self._places.items() if position <= read]
        return passed[-1] if passed else ""


def _parts(block: QTextBlock) -> Iterator[tuple[int, int, QTextCharFormat]]:
    at = block.begin()
    while not at.atEnd():
        part = at.fragment()
        yield part.position(), part.length(), part.charFormat()
        at += 1


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()
