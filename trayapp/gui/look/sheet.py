"""The few rules by which Qt's controls get our edges: flat, rounded, a focus that is seen.

A control says what it is by its property `kind`: a button `primary`, `flat`, `chip`,
`link` or `remedy`, a frame `card`, `line` or `callout` (with its property `tone`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from PySide6.QtGui import QPalette

from trayapp.gui.look import contrast

if TYPE_CHECKING:
    from trayapp.gui.look.theme import Theme

Role = QPalette.ColorRole

_RULES = """
QPushButton, QToolButton {{
    background: {Button}; color: {ButtonText}; border: 1px solid {Mid}; border-radius: 4px;
    padding: 5px 11px; min-height: 20px; }}
QPushButton:hover, QToolButton:hover {{ background: {Midlight}; }}
QPushButton:pressed, QToolButton:pressed, QPushButton:checked {{ background: {Mid}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {WindowText}; padding: 4px 10px; }}
QPushButton:disabled, QToolButton:disabled {{ color: {Dark}; background: {Window}; }}
QToolButton::menu-indicator {{ image: none; }}
QPushButton[kind="primary"] {{
    background: {Highlight}; color: {HighlightedText}; border-color: {Highlight}; font-weight: 600; }}
QPushButton[kind="primary"]:hover {{ background: {hover}; border-color: {hover}; }}
QPushButton[kind="primary"]:pressed {{ background: {press}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {WindowText}; }}
QPushButton[kind="primary"]:disabled {{ background: {Mid}; border-color: {Mid}; color: {PlaceholderText}; }}
QPushButton[kind="flat"], QToolButton[kind="flat"] {{
    background: transparent; border-color: transparent; padding: 5px; }}
QPushButton[kind="flat"]:hover, QToolButton[kind="flat"]:hover {{ background: {Midlight}; }}
QPushButton[kind="flat"]:focus, QToolButton[kind="flat"]:focus {{ border: 2px solid {WindowText}; padding: 4px; }}
QPushButton[kind="chip"] {{ border-radius: 14px; padding: 3px 11px; }}
QPushButton[kind="chip"]:focus {{ padding: 2px 10px; }}
QPushButton[kind="chip"]:checked {{ background: {chosen}; border-color: {run_fill}; font-weight: 600; }}
QPushButton[kind="chip"]:checked:focus {{ border: 2px solid {WindowText}; }}
QPushButton[kind="square"], QPushButton[kind="square"]:focus {{ padding: 0; }}
QPushButton[kind="link"] {{
    background: transparent; border: 1px solid transparent; color: {Link}; padding: 1px 2px; min-height: 0;
    text-align: left; }}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border: 1px solid {WindowText}; }}
QPushButton[kind="remedy"] {{
    background: {warn_tint}; border-color: {warn_fill}; color: {warn_text}; font-weight: 600;
    padding: 3px 10px; }}
QPushButton[kind="remedy"]:hover {{ background: {warn_hover}; }}
QPushButton[kind="remedy"]:focus {{ border: 2px solid {WindowText}; padding: 2px 9px; }}
QPushButton[kind="rail"] {{
    background: transparent; border: 2px solid transparent; border-radius: 4px; text-align: left; padding: 6px 10px; }}
QPushButton[kind="rail"]:hover, QPushButton[kind="rail"]:checked {{ background: {Midlight}; }}
QPushButton[kind="rail"]:checked {{ font-weight: 600; }}
QPushButton[kind="rail"]:focus {{ border: 2px solid {WindowText}; }}
QLineEdit, QComboBox, QSpinBox, QPlainTextEdit, QTextEdit, QDateTimeEdit, QTimeEdit, QDateEdit {{
    background: {Base}; color: {Text}; border: 1px solid {Dark}; border-radius: 4px; padding: 5px 8px;
    placeholder-text-color: {PlaceholderText};
    selection-background-color: {Highlight}; selection-color: {HighlightedText}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus, QDateTimeEdit:focus,
QTimeEdit:focus, QDateEdit:focus {{ border: 2px solid {Highlight}; padding: 4px 7px; }}
QComboBox::drop-down {{ border: 0; width: 24px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {Base}; border: 1px solid {Mid}; selection-background-color: {chosen};
    selection-color: {Text}; }}
QRadioButton, QCheckBox {{ border: 2px solid transparent; border-radius: 4px; padding: 1px 2px; spacing: 7px; }}
QRadioButton:focus, QCheckBox:focus {{ border-color: {WindowText}; }}
QRadioButton::indicator, QCheckBox::indicator {{
    width: 14px; height: 14px; border: 1px solid {Dark}; background: {Base}; }}
QRadioButton::indicator {{ border-radius: 8px; }}
QCheckBox::indicator {{ border-radius: 3px; }}
QRadioButton::indicator:checked {{
    width: 6px; height: 6px; border: 5px solid {Highlight}; background: {HighlightedText}; }}
QCheckBox::indicator:checked {{ border-color: {Highlight}; background: {Highlight}; image: url("{tick}"); }}
QRadioButton::indicator:disabled, QCheckBox::indicator:disabled {{ border-color: {Mid}; }}
QFrame[kind="card"] {{ background: {Base}; border: 1px solid {Mid}; border-radius: 6px; }}
QFrame[kind="line"] {{ background: {Mid}; border: 0; max-height: 1px; min-height: 1px; }}
QFrame[kind="upright-line"] {{ background: {Mid}; border: 0; max-width: 1px; min-width: 1px; }}
QLabel[kind="second"] {{ color: {PlaceholderText}; }}
QListView, QTableView, QTreeView, QScrollArea {{ border: 0; }}
QAbstractScrollArea[kind="ringed"], QAbstractScrollArea[kind="ringed"]:focus {{
    border: 2px solid transparent; border-radius: 0; padding: 0; }}
QAbstractScrollArea[kind="ringed"][is_entered="true"] {{ border: 2px solid {WindowText}; padding: 0; }}
QListView#topics::item {{ padding: 4px 8px; border-radius: 4px; }}
QListView#topics::item:hover {{ background: {Midlight}; }}
QListView#topics::item:selected {{ background: {chosen}; color: {Text}; }}
QHeaderView {{ background: {Window}; }}
QHeaderView::section {{
    background: {Window}; color: {PlaceholderText}; border: 0; border-bottom: 1px solid {Mid}; padding: 5px 8px; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {Mid}; border-radius: 3px; margin: 2px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {Dark}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QToolTip {{ background: {ToolTipBase}; color: {ToolTipText}; border: 1px solid {Mid}; padding: 4px; }}
QMenu {{ background: {Base}; border: 1px solid {Mid}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {Midlight}; }}
QMenu::item:disabled {{ color: {PlaceholderText}; }}
QMenu::separator {{ height: 1px; background: {Mid}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 8px; }}
"""
_CALLOUT = """
QFrame[kind="callout"][tone="{tone}"] {{ background: {tint}; border: 1px solid {edge}; border-radius: 6px; }}
QLabel[tone="{tone}"] {{ color: {text}; }}
"""


def style_sheet(theme: Theme) -> str:
    """Write the rules in the colours of *theme*."""
    from trayapp.gui.look.theme import Tone  # noqa: PLC0415  # which imports this module

    colors = {role.name: theme.color(role).name() for role in Role if role.name in _WANTED}
    accent = theme.color(Role.Highlight)
    rules = _RULES.format(
        **colors,
        hover=accent.lighter(112).name(),
        press=accent.darker(115).name(),
        chosen=theme.tint("run", 0.14).name(),
        run_fill=theme.fill("run").name(),
        warn_tint=theme.tint("warn", 0.12).name(),
        warn_hover=theme.tint("warn", 0.24).name(),
        warn_fill=theme.fill("warn").name(),
        warn_text=theme.text("warn").name(),
        tick="icons:tick-on-light.svg" if theme.is_dark else "icons:tick-on-dark.svg",
        chevron="icons:chevron-down-dark.svg" if theme.is_dark else "icons:chevron-down-light.svg",
    )
    if theme.is_high_contrast:
        rules += contrast.RULES.format(**colors)
    return rules + "".join(
        _CALLOUT.format(
            tone=tone,
            tint=theme.tint(tone).name(),
            edge=theme.tint(tone, 0.55).name(),
            text=theme.text(tone).name(),
        )
        for tone in get_args(Tone)
    )


_WANTED = {
    "Window",
    "Base",
    "WindowText",
    "Text",
    "PlaceholderText",
    "Button",
    "ButtonText",
    "Highlight",
    "HighlightedText",
    "Link",
    "Mid",
    "Midlight",
    "Dark",
    "ToolTipBase",
    "ToolTipText",
}
