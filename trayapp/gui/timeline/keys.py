"""Walking through the timeline by keys: period by period, job by job, problem by problem."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from trayapp import clock
from trayapp.gui.timeline.rows import Spot

if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.gui.timeline.canvas import Canvas

_ZOOM = 1.6
_PAGE = 0.8


def act_on_key(canvas: Canvas, key: Qt.Key) -> bool:
    """Do what *key* means in the timeline; False for a key that means nothing there."""
    action = _ACTIONS.get(key)
    if action is None:
        return False
    action(canvas)
    return True


def step(canvas: Canvas, by: int) -> None:
    """Choose the next period of the job, or the one before; begin with the newest in sight."""
    chosen = canvas.chosen
    row = chosen.row if chosen is not None else next(iter(canvas.rows_in_sight()), -1)
    if not 0 <= row < len(canvas.rows.jobs):
        return
    strip = canvas.rows.strip(canvas.rows.jobs[row].id)
    if strip is None or not strip.periods:
        return
    starts = [period.start_s for period in strip.periods]
    if chosen is None or chosen.period is None:
        at_s = chosen.mark.at_s if chosen is not None and chosen.mark is not None else clock.now().timestamp()
        place = bisect_right(starts, min(at_s, canvas.scale.until_s)) - 1
    else:
        place = bisect_left(starts, chosen.period.start_s) + by
    if 0 <= place < len(starts):
        canvas.choose(_spot(row, canvas, place))


def change_row(canvas: Canvas, by: int) -> None:
    """Choose the period of the next job at the same time."""
    chosen = canvas.chosen
    if chosen is None:
        step(canvas, 0)
        return
    row = chosen.row + by
    if not 0 <= row < len(canvas.rows.jobs):
        return
    at_s = (
        (chosen.period.start_s + chosen.period.end_s) / 2
        if chosen.period is not None
        else (chosen.mark.at_s if chosen.mark is not None else clock.now().timestamp())
    )
    strip = canvas.rows.strip(canvas.rows.jobs[row].id)
    if strip is None or not strip.periods:
        canvas.choose(Spot(row))
        canvas.refresh()
        return
    place = max(bisect_right([period.start_s for period in strip.periods], at_s) - 1, 0)
    canvas.choose(_spot(row, canvas, place))


def go_to_end(canvas: Canvas, *, first: bool) -> None:
    """Choose the first period in sight, from there on a page further back; or go to now."""
    if not first:
        canvas.follows_now = True
        canvas.follow()
        canvas.choose(Spot(canvas.chosen.row if canvas.chosen is not None else 0))
        step(canvas, 0)
        return
    row = canvas.chosen.row if canvas.chosen is not None else next(iter(canvas.rows_in_sight()), -1)
    if not 0 <= row < len(canvas.rows.jobs):
        return
    strip = canvas.rows.strip(canvas.rows.jobs[row].id)
    periods = strip.periods if strip is not None else []
    place = bisect_right([period.start_s for period in periods], canvas.scale.since_s)
    found = _spot(row, canvas, place) if place < len(periods) else None
    if found is None or (canvas.chosen is not None and canvas.chosen.period == found.period):
        canvas.pan(-_PAGE)
        return
    canvas.choose(found)


def go_to_next_problem(canvas: Canvas) -> None:
    """Choose the next period that needs a person, after the last of them the first again."""
    problems = canvas.rows.problems()
    if not problems:
        return
    order = {job.id: row for row, job in enumerate(canvas.rows.jobs)}
    here = (-1, 0.0)
    if canvas.chosen is not None:
        period = canvas.chosen.period
        here = (canvas.chosen.row, period.start_s if period is not None else 0.0)
    ahead = [problem for problem in problems if (order[problem.job], problem.start_s) > here]
    problem = (ahead or problems)[0]
    row = order[problem.job]
    canvas.look_at(row, (problem.start_s + problem.end_s) / 2)
    found = canvas.period_at(row, problem.start_s)
    canvas.choose(Spot(row)._replace(period=found))
    if found is None:
        canvas.choose_when_read(row, problem.start_s)


def _spot(row: int, canvas: Canvas, place: int) -> Spot:
    strip = canvas.rows.strip(canvas.rows.jobs[row].id)
    assert strip is not None
    return Spot(row)._replace(period=strip.periods[place])


def _open(canvas: Canvas) -> None:
    if canvas.chosen is not None:
        canvas.opened.emit(canvas.chosen)


_ACTIONS: dict[Qt.Key, Callable[[Canvas], None]] = {
    Qt.Key.Key_Left: lambda canvas: step(canvas, -1),
    Qt.Key.Key_Right: lambda canvas: step(canvas, 1),
    Qt.Key.Key_Up: lambda canvas: change_row(canvas, -1),
    Qt.Key.Key_Down: lambda canvas: change_row(canvas, 1),
    Qt.Key.Key_Plus: lambda canvas: canvas.zoom(1 / _ZOOM),
    Qt.Key.Key_Equal: lambda canvas: canvas.zoom(1 / _ZOOM),
    Qt.Key.Key_Minus: lambda canvas: canvas.zoom(_ZOOM),
    Qt.Key.Key_Home: lambda canvas: go_to_end(canvas, first=True),
    Qt.Key.Key_End: lambda canvas: go_to_end(canvas, first=False),
    Qt.Key.Key_PageUp: lambda canvas: canvas.pan(-_PAGE),
    Qt.Key.Key_PageDown: lambda canvas: canvas.pan(_PAGE),
    Qt.Key.Key_N: go_to_next_problem,
    Qt.Key.Key_Space: lambda canvas: canvas.choose(canvas.chosen or canvas.pointed_at),
    Qt.Key.Key_Return: _open,
    Qt.Key.Key_Enter: _open,
}
