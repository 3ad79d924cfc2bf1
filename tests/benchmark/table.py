"""What was measured, as Markdown tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple


class Goal(NamedTuple):
    """Bound of a figure; `stretch` is the better one that is hoped for."""

    kind: Literal["≤", "≥"]
    bound: float
    stretch: float | None = None

    def is_met(self, figure: float) -> bool:
        """Tell whether *figure* keeps the bound."""
        return figure <= self.bound if self.kind == "≤" else figure >= self.bound

    def __str__(self) -> str:
        hoped = "" if self.stretch is None else f" (stretch {self.stretch:g})"
        return f"{self.kind} {self.bound:g}{hoped}"


class Row(NamedTuple):
    """One thing measured beside its peer.

    *figure* is what the goal bounds: their ratio, a count or a time; None says why not in *own*.
    """

    what: str
    own: str
    peer: str
    figure: float | None
    goal: Goal | None = None
    unit: str = "×"

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is met; None where there is none, or nothing was measured."""
        return None if self.goal is None or self.figure is None else self.goal.is_met(self.figure)


class Table(NamedTuple):
    """Rows of one area, and what a reader must know to read them."""

    title: str
    note: str
    rows: Sequence[Row]


def skipped(what: str, reason: str, goal: Goal | None = None) -> Row:
    """Make a row that says why nothing was measured."""
    return Row(what, f"not measured: {reason}", "", None, goal)


def as_markdown(table: Table) -> str:
    """Write a table for people; a row's last column is empty where nothing was promised."""
    lines = [f"### {table.title}", "", table.note, "", "| what | measured | beside | figure | goal | met |"]
    lines.append("|---|--:|---|--:|--:|---|")
    for row in table.rows:
        met = {True: "yes", False: "**no**", None: ""}[row.is_met]
        figure = "" if row.figure is None else f"{_short(row.figure)} {row.unit}".strip()
        lines.append(f"| {row.what} | {row.own} | {row.peer} | {figure} | {row.goal or ''} | {met} |")
    return "\n".join(lines) + "\n"


def as_plain(table: Table) -> dict[str, object]:
    """Turn a table into what JSON can hold."""
    rows = [{**row._asdict(), "goal": row.goal and row.goal._asdict(), "is_met": row.is_met} for row in table.rows]
    return {"title": table.title, "rows": rows}


def ms(seconds: float) -> str:
    """Write a time as milliseconds."""
    return f"{seconds * 1000:.1f} ms"


def per_s(rate: float, unit: str) -> str:
    """Write a rate: `198,000 keys/s`."""
    return f"{_short(rate)} {unit}/s"


def _short(figure: float) -> str:
    """Write three digits; more would claim what a median cannot."""
    if figure >= 100:
        digits = len(str(int(figure))) - 3
        return f"{round(figure, -digits):,.0f}"
    return f"{figure:.3g}"
