from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from tests.gui import past, sample
from tests.gui.conftest import until
from tests.gui.timeline.conftest import read_all
from trayapp.gui.context import Place


def row_of(page, job):
    return [state.id for state in page.canvas.rows.jobs].index(job)


def press(page, *keys):
    for key in keys:
        QTest.keyClick(page.canvas, key)
        QApplication.processEvents()


def chosen(page):
    spot = page.canvas.chosen
    return page.canvas.rows.jobs[spot.row].id, spot.period


def start(page):
    return chosen(page)[1].window.start if chosen(page)[1].window else None


def choose_at(page, job, hour, minute=30):
    from trayapp.gui.timeline.rows import Spot

    row = row_of(page, job)
    period = page.canvas.period_at(row, past.NOW.replace(hour=hour, minute=minute).timestamp())
    page.canvas.choose(Spot(row, period))


def test_jobs_that_need_a_person_stand_first_and_stay_there(page, past_stage):
    order = [state.id for state in page.canvas.rows.jobs]
    assert order[:3] == ["gece-yedegi", "e-fatura", "stok"]
    snapshot = past_stage.context.store.snapshot
    worse = tuple(job._replace(kind="failed") if job.id == "doviz" else job for job in snapshot.jobs)
    page.show_snapshot(snapshot._replace(jobs=worse))
    assert [state.id for state in page.canvas.rows.jobs] == order, "nothing moves under the pointer"


def test_gaps_are_named_above_the_strips(page):
    assert page._gaps.text() == ("Periods have piled up in 2 jobs: Stok eşitleme (14), Personel puantaj aktarımı (2).")


def test_arrows_walk_through_periods_and_jobs(page):
    choose_at(page, "satis-ozet", 8)
    first = start(page)
    press(page, Qt.Key.Key_Left)
    assert (first - start(page)).total_seconds() == 3600
    press(page, Qt.Key.Key_Right)
    assert start(page) == first
    press(page, Qt.Key.Key_Up)
    job, period = chosen(page)
    assert job != "satis-ozet"
    assert period.start_s <= first.timestamp() + 1800 < period.end_s


def test_card_says_what_when_and_by_which_run(page):
    choose_at(page, "satis-ozet", 0)
    card = page.card
    assert card.isVisible()
    assert card._title.text() == "Today 00:00–01:00"
    assert card._state.text() == "Done later (catch-up)"
    assert "It was not processed at its own time, but later: 05:54." in card._lines.text()
    assert "A further run skips it" in card._lines.text()
    assert card._key.text() == "satis-ozet:2026-09-04T00:00:00+00:00"
    place = page.canvas.place_of(page.canvas.chosen)
    assert not card.geometry().intersects(place), "what it is about is seen"
    assert page.canvas.accessibleDescription().startswith("Saatlik satış özeti. Today 00:00–01:00")
    assert page.leave_card()
    assert not card.isVisible()
    assert not page.leave_card()


def test_enter_opens_the_run_of_the_period(page, past_stage):
    choose_at(page, "e-fatura", 8, 45)
    press(page, Qt.Key.Key_Return)
    window = chosen(page)[1].window
    assert past_stage.went == [Place("history", "e-fatura", window.run, window.start)]
    assert window.state == "uncertain"


def test_n_leads_from_problem_to_problem_and_round(page):
    seen = []
    for _ in range(6):
        press(page, Qt.Key.Key_N)
        read_all(page)
        until(lambda: page.canvas.chosen is not None and page.canvas.chosen.period is not None)
        seen.append((chosen(page)[0], chosen(page)[1].kind))
    assert seen[0][0] == "gece-yedegi"
    assert ("e-fatura", "uncertain") in seen
    assert ("stok", "waiting") in seen
    assert len(set(seen)) < len(seen), "after the last comes the first"


def test_wheel_zooms_around_the_pointer_and_drag_pans(page):
    canvas = page.canvas
    at = QPoint(canvas.name_width + 300, 200)
    before = canvas.scale
    under = before.at(300)
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent

    event = QWheelEvent(
        QPointF(at),
        QPointF(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)
    assert canvas.scale.span_s < before.span_s
    assert abs(canvas.scale.at(300) - under) <= canvas.scale.second_per_px
    origin = canvas.scale.origin_px
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(canvas.viewport(), at + QPoint(100, 0))
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at + QPoint(100, 0))
    assert canvas.scale.origin_px == origin - 100
    assert canvas.chosen is None, "a drag chooses nothing"


def test_click_chooses_the_period_that_is_there(page):
    canvas = page.canvas
    row = row_of(page, "satis-ozet")
    canvas._scroll_to_row(row)
    at_s = past.NOW.replace(hour=7, minute=30).timestamp()
    x = canvas.name_width + canvas.scale.x_of(at_s)
    y = canvas.row_top(row) + canvas.shape.block_top + 8
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    assert start(page).hour == 7
    mark_y = canvas.row_top(row) + canvas.shape.mark_y
    x = canvas.name_width + canvas.scale.x_of(past.NOW.replace(hour=8, minute=5).timestamp())
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, mark_y))
    assert canvas.chosen.mark.run.started_at.hour == 8


def test_scrolling_and_panning_paint_no_tile_twice(past_stage):
    from trayapp.gui.timeline.page import TimelinePage

    past_stage.show(sample.many(60))
    page = TimelinePage(past_stage.context)
    page.resize(1108, 760)
    page.show()
    read_all(page)
    canvas = page.canvas
    bar = canvas.verticalScrollBar()

    for value in range(0, 700, 100):
        bar.setValue(value)
        read_all(page)
        canvas.viewport().repaint()
    before = canvas.tiles.painted
    assert before >= len(canvas.rows_in_sight())
    for value in range(0, 600, 7):
        bar.setValue(value)
        canvas.viewport().repaint()
    canvas.pan(-0.02)
    canvas.pan(0.02)
    canvas.viewport().repaint()
    assert canvas.tiles.painted == before


def test_reading_further_repaints_nothing_that_stays_the_same(page):
    canvas = page.canvas
    canvas.viewport().repaint()
    canvas.pan(-0.02)
    canvas.viewport().repaint()
    before = canvas.tiles.painted
    page.read_again()
    read_all(page)
    canvas.viewport().repaint()
    assert canvas.tiles.painted == before


def test_only_rows_in_sight_are_read(past_stage):
    from trayapp.gui.timeline.page import TimelinePage

    past_stage.show(sample.many(60))
    page = TimelinePage(past_stage.context)
    page.resize(1108, 500)
    page.show()
    read_all(page)
    known = sum(page.canvas.rows.strip(job.id) is not None for job in page.canvas.rows.jobs)
    assert known == len(page.canvas.rows_in_sight()) < 12


def test_new_windows_in_history_are_painted(page, past_stage):
    from tests.history.making import made_window
    from trayapp.history.store import open_history

    row = row_of(page, "stok")
    period = page.canvas.period_at(row, past.NOW.replace(hour=7, minute=5).timestamp())
    assert period.kind == "waiting"
    start = past.NOW.replace(hour=7, minute=0)
    history = open_history(past_stage.places.history_db)
    window = made_window(10**12, 1, start=start, end=start.replace(minute=15), key="x", at=past.NOW)
    history.copy_windows("defter", "stok", [window])
    history.close()
    past_stage.context.store.history_read.emit()
    until(lambda: page.canvas.period_at(row, start.timestamp() + 1).kind == "late")


@pytest.mark.parametrize("width", [4, 6, 9, 14, 24, 40])
def test_all_kinds_of_blocks_differ_without_colour(stage, width):
    from trayapp.gui.timeline.strip.blocks import KINDS, draw_block

    shapes = {}
    for kind in KINDS:
        if kind == "running":
            continue  # stands below the strip, or where there is none
        picture = QImage(width * 3, 40, QImage.Format.Format_Grayscale8)
        picture.fill(QColor("white"))
        painter = QPainter(picture)
        for place in range(3):
            draw_block(painter, QRectF(place * width, 8, width - 1, 24), kind, stage.context.theme)
        painter.end()
        shapes[kind] = [picture.pixelColor(x, y).value() < 200 for y in range(40) for x in range(width * 3)]
    for kind, shape in shapes.items():
        for other, its in shapes.items():
            if kind < other:
                differing = sum(one != two for one, two in zip(shape, its, strict=True)) / 3
                assert differing >= 8, (kind, other, width)  # pixels a block


def test_timeline_without_jobs_says_what_will_be_here(stage):
    from trayapp.gui.timeline.page import TimelinePage

    stage.show(sample.snapshot()._replace(jobs=()))
    page = TimelinePage(stage.context)
    page.show_snapshot(stage.context.store.snapshot)
    page.show()
    step = next(each for each in page._stack.currentWidget().findChildren(QPushButton))
    step.click()
    assert stage.went == [Place("jobs", action="new")]


def test_history_leads_here_to_the_period(page):
    start = past.NOW.replace(hour=5, minute=0)
    page.go_to(Place("timeline", "satis-ozet", start=start))
    read_all(page)
    until(lambda: page.canvas.chosen is not None and page.canvas.chosen.period is not None)
    assert chosen(page)[0] == "satis-ozet"
    assert start_of(page) == start


def start_of(page):
    return chosen(page)[1].window.start


@pytest.mark.parametrize("language", ["tr", "en"])
def test_everything_that_takes_the_focus_has_a_name(page, past_stage, language):
    past_stage.context.language.speak(language, {})
    nameless = []
    for widget in page.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            face = QAccessible.queryAccessibleInterface(widget)
            if face is not None and not face.text(QAccessible.Text.Name).strip():
                nameless.append(widget)
    assert nameless == []
