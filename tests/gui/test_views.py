"""Views in this process, on the sample office: what they say, how they are reached, what they ask for."""

from __future__ import annotations

import gc
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QWidget

from tests.conftest import CHECKOUT
from tests.gui import sample
from tests.gui.conftest import until
from tests.gui.stage import Stage
from trayapp.gui.context import Place
from trayapp.gui.look.icons import SIGN_TONES, Icons
from trayapp.gui.look.theme import Theme
from trayapp.gui.main_view import PAGES, MainView
from trayapp.gui.panel.log_list import LogModel
from trayapp.gui.panel.panel import Panel
from trayapp.gui.panel.place import place_beside
from trayapp.gui.tray_menu import TrayMenu
from trayapp.lock.holder import LockState

FREE = LockState("idle")


def _open_panel(stage: Stage) -> Panel:
    panel = Panel(stage.context)
    panel.open_beside(QRect(700, 560, 22, 22))
    assert QTest.qWaitForWindowActive(panel)
    return panel


def _texts(view: QWidget) -> list[str]:
    """Words that are seen, from the top."""
    seen = [label for label in view.findChildren(QLabel) if label.isVisible() and label.text()]
    return [label.text() for label in sorted(seen, key=lambda label: label.mapTo(view, QPoint(0, 0)).y())]


# ------------------------------------------------------------------------ panel


def test_the_panel_shows_each_job_worst_first_in_groups(stage: Stage):
    texts = _texts(_open_panel(stage))
    wanted = [
        "4 jobs need you",
        "Need you  4",
        "Gece yedeği",
        "Running  1",
        "Cari ekstre PDF indirme",
        "Well  4",
        "Paused  1",
    ]
    assert [text for text in texts if text in wanted] == wanted
    assert "Running 00:16:03 · by hand · pid 4242" in texts


def test_a_change_is_shown_where_the_job_stands(stage: Stage):
    panel = _open_panel(stage)
    before = [row.job.id for row in panel.findChildren(type(next(iter(panel._jobs.rows.values()))))]
    office = sample.snapshot()
    freed = tuple(job._replace(kind="well", lock=FREE) if job.id == "ekstre" else job for job in office.jobs)
    stage.show(office._replace(jobs=freed))
    row = panel._jobs.rows["ekstre"]
    assert "Running" not in row.accessibleName()
    after = [row.job.id for row in panel.findChildren(type(row))]
    assert after == before  # nothing moves under the pointer


def test_run_now_in_the_panel_starts_and_answers_in_its_row(stage: Stage):
    panel = _open_panel(stage)
    row = panel._jobs.rows["satis-ozet"]
    QTest.mouseClick(row._run, Qt.MouseButton.LeftButton)
    assert stage.commands.asked[-1] == ["run", "satis-ozet", "--json"]
    assert "Started" in _texts(row)
    stage.answer("satis-ozet", outcome="done", windows=2, waiting=0, next_at="2026-09-04T10:05:00Z")
    assert "2 periods were processed" in _texts(row)
    assert "The next one can be taken at 10:05." in _texts(row)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert "2 periods were processed" not in _texts(row)
    assert panel.isVisible()
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()


def test_entering_a_row_says_what_a_press_would_do(stage: Stage):
    panel = _open_panel(stage)
    panel.activateWindow()
    panel._jobs.rows["satis-ozet"].setFocus()
    until(lambda: ["run", "satis-ozet", "--dry-run", "--json"] in stage.commands.asked)


def test_the_panel_is_used_by_keys_alone(stage: Stage):
    panel = _open_panel(stage)
    QTest.keyClick(panel._jobs, Qt.Key.Key_Down)
    QTest.keyClick(panel._jobs, Qt.Key.Key_Down)
    row = panel._jobs.rows["e-fatura"]
    assert row.hasFocus()
    QTest.keyClick(row, Qt.Key.Key_R)
    assert stage.commands.asked[-1] == ["run", "e-fatura", "--json"]
    QTest.keyClick(row, Qt.Key.Key_Return)
    assert stage.went == [Place("jobs", "e-fatura")]
    assert not panel.isVisible()


def test_remedies_decide_or_repair(stage: Stage):
    panel = _open_panel(stage)
    QTest.mouseClick(panel._jobs.rows["stok"]._remedy, Qt.MouseButton.LeftButton)
    assert stage.commands.asked[-1] == ["schedule", "check", "stok", "--repair"]
    QTest.mouseClick(panel._jobs.rows["e-fatura"]._remedy, Qt.MouseButton.LeftButton)
    assert stage.went == [Place("jobs", "e-fatura", action="decide")]


@pytest.mark.parametrize("wanted", ["SATIŞ", "satis", "özeti"])
def test_the_search_knows_turkish_letters(stage: Stage, wanted: str):  # P81
    panel = _open_panel(stage)
    panel._search.setText(wanted)
    assert [job for job, row in panel._jobs.rows.items() if row.isVisible()] == ["satis-ozet"]


def test_sixty_jobs_open_and_change_quickly(stage: Stage):
    stage.show(sample.many(60))
    began = time.perf_counter()
    panel = _open_panel(stage)
    opened = time.perf_counter()
    squeezed: list[int] = []
    until(lambda: _note_squeezed(panel, squeezed) == 60, step=0)
    assert not squeezed  # nor is anything moved under the pointer while the rest comes
    assert panel._jobs.verticalScrollBar().value() == 0
    assert len({row.y() for row in panel._jobs.rows.values()}) == 60
    stage.show(sample.many(60)._replace(at=sample.NOW + timedelta(seconds=1)))
    print(f"60 jobs: open {1000 * (opened - began):.0f} ms, change {1000 * (time.perf_counter() - opened):.0f} ms")
    assert panel.height() <= 660


def test_the_log_is_live_filtered_and_a_model_that_keeps_qts_rules(stage: Stage):
    model = LogModel(lambda job: job)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_entries(sample.entries())
    model.add(sample.entries()[:2])
    assert model.rowCount() == 9
    model.choose_job("banka")
    assert model.rowCount() == 2
    model.add(sample.entries())
    assert model.rowCount() == 4


@pytest.mark.parametrize(
    ("icon", "expected"),
    [((1300, 770), (847, 102)), ((1300, 5), (847, 34)), ((5, 770), (8, 102))],
)
def test_the_panel_opens_beside_the_icon_and_whole(icon: tuple[int, int], expected: tuple[int, int]):
    place = place_beside(QRect(*icon, 22, 22), QSize(424, 660), QRect(0, 0, 1280, 800))
    assert (place.x(), place.y()) == expected


# ------------------------------------------------------------------------- menu


def test_the_menu_of_sixty_jobs_keeps_the_rest_below_one_entry(stage: Stage):
    menu = TrayMenu(stage.context)
    menu.show_snapshot(sample.many(60))
    labels = [action.text() for action in menu.actions()]
    assert labels[0] == "24 jobs need you"
    assert labels.count("More jobs") == 1
    assert len(labels) < 24


def test_an_ampersand_in_a_title_is_a_letter(stage: Stage):
    menu = TrayMenu(stage.context)
    job = sample.job("a", "well")
    file = job.file._replace(job=job.file.job._replace(title="Alış & satış"))
    menu.show_snapshot(sample.snapshot()._replace(jobs=(job._replace(file=file),)))
    assert "Alış && satış" in [action.text() for action in menu.actions()]


# -------------------------------------------------------------------- main view


def test_each_page_opens_by_its_key(stage: Stage):
    view = MainView(stage.context, has_tray=True)
    view.show()
    assert QTest.qWaitForWindowActive(view)
    for number, page in enumerate(PAGES, start=1):
        QTest.keyClick(view, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert view.current.name == page.name


def test_the_notice_of_a_desktop_without_tray_is_there_only_then(stage: Stage):  # P75
    view = MainView(stage.context, has_tray=False)
    view.show()
    assert any("no icon of Birkez" in text for text in _texts(view))
    view.set_has_tray(has_tray=True)
    assert not any("no icon of Birkez" in text for text in _texts(view))


def test_the_language_changes_while_everything_is_open(stage: Stage):
    view, panel = MainView(stage.context, has_tray=True), _open_panel(stage)
    view.show()
    assert "4 jobs need you" in _texts(panel)
    stage.context.language.speak("tr", {})
    assert "4 işe bakmanız gerekiyor" in _texts(panel)
    assert "İşler" in [button.text() for button in view.findChildren(QAbstractButton)]
    assert QApplication.translate("QPlatformTheme", "Cancel") == "İptal"  # Qt's own dialogs speak it too
    stage.context.language.speak("en", {})
    assert "4 jobs need you" in _texts(panel)


def test_everything_that_takes_the_focus_has_a_name(stage: Stage):
    for view in (_open_panel(stage), MainView(stage.context, has_tray=False)):
        view.show()
        nameless = [
            type(part).__name__
            for part in view.findChildren(QWidget)
            if part.isVisible() and part.focusPolicy() != Qt.FocusPolicy.NoFocus and not _is_named(part)
        ]
        assert not nameless


def _is_named(part: QWidget) -> bool:
    if isinstance(part, QComboBox):
        return True  # on Linux its name is its text
    found = QAccessible.queryAccessibleInterface(part)
    return found is None or bool(found.text(QAccessible.Text.Name))


# ------------------------------------------------------------------------- look


def test_every_icon_can_be_drawn_in_the_colour_of_its_role(stage: Stage):
    icons = stage.context.icons
    for path in (CHECKOUT / "resources" / "icons").glob("*.svg"):
        image = icons.pixmap(path.stem, stage.context.theme.fill("bad"), 16).toImage()
        assert any(image.pixelColor(x, y).alpha() for x in range(16) for y in range(16)), path.name
    for sign in SIGN_TONES:
        assert not icons.sign(sign).isNull()


def test_the_four_tray_icons_differ_also_without_colour(stage: Stage):
    for on_dark in (False, True):
        for size in (16, 22, 32, 64):
            forms = set()
            for state in ("well", "running", "needs-you", "failed"):
                image = stage.context.icons.tray(state, on_dark=on_dark).pixmap(size, size).toImage()
                forms.add(
                    tuple(
                        image.pixelColor(x, y).alpha() > 127
                        for x in range(image.width())
                        for y in range(image.height())
                    )
                )
            assert len(forms) == 4


def test_light_and_dark_follow_the_choice_and_icons_too(stage: Stage):
    theme: Theme = stage.context.theme
    action = QAction()
    Icons.put(stage.context.icons, action, "play")
    light = action.icon().pixmap(16, 16).toImage()
    theme.choose("dark")
    assert theme.is_dark
    assert action.icon().pixmap(16, 16).toImage() != light
    theme.choose("light")


def test_words_for_a_state_can_be_read(stage: Stage):
    theme = stage.context.theme
    for scheme in ("light", "dark"):
        theme.choose(scheme)
        from PySide6.QtGui import QPalette

        base = theme.color(QPalette.ColorRole.Base)
        for tone in ("ok", "run", "warn", "bad", "idle"):
            assert _contrast(theme.text(tone), base) >= 4.5
            assert _contrast(theme.text(tone), theme.tint(tone)) >= 4.5
            assert _contrast(theme.fill(tone), base) >= 3.0
    theme.choose("light")


def _contrast(one, other) -> float:
    """Ratio of WCAG 2.1."""

    def light(color) -> float:
        parts = [
            channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4
            for channel in (color.redF(), color.greenF(), color.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# -------------------------------------------------------------------------- qt


def test_calls_into_qt_lose_no_reference_to_none_or_true(app: QApplication):
    # PySide6 6.12 on Python before 3.12 does, and aborts after some hundreds of signals.
    class Sender(QObject):
        sent = Signal(bool)

    sender, action = Sender(), QAction()
    gc.collect()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(300):
        sender.sent.emit(True)
        action.trigger()
        app.processEvents()
    lost = before[0] - sys.getrefcount(None), before[1] - sys.getrefcount(True)
    assert max(lost) < 100


def test_a_log_that_is_replaced_is_followed_on(stage: Stage, tmp_path: Path):  # P83
    from trayapp.gui.state.log_feed import LogFeed
    from trayapp.gui.state.watcher import Watcher

    places = stage.places
    places.make_folders()
    log = Path(places.log_file("satis"))
    log.write_text("2026-09-04T09:00:00.000Z ATLANDI is=satis sebep=kilit\n", encoding="utf-8")
    watcher = Watcher(places)
    feed = LogFeed(places, watcher)
    watcher.start()
    feed.start()
    until(lambda: len(feed.entries) == 1)
    for number in range(3):
        os.rename(log, f"{log}.1")
        log.write_text(f"2026-09-04T09:0{number + 1}:00.000Z ISLENDI is=satis\n", encoding="utf-8")
        until(lambda wanted=number + 2: len(feed.entries) == wanted)
    feed.stop()


# ------------------------------------------------------------------------ words


@pytest.fixture
def stretched():
    """Every translated text half as long again, as the longest language would be."""
    from trayapp.wording import language

    class Stretched:
        @staticmethod
        def gettext(text: str) -> str:
            return text + " ömür" * max(1, len(text) // 10)

        def ngettext(self, one: str, many: str, n: int) -> str:
            return self.gettext(one if n == 1 else many)

    before = language._spoken.catalogue
    language._spoken.catalogue = Stretched()
    yield
    language._spoken.catalogue = before


@pytest.mark.parametrize("points", [9.0, 18.0])
def test_longer_words_and_larger_letters_are_not_cut(app: QApplication, stage: Stage, stretched, points: float):
    font = app.font()
    larger = app.font()
    larger.setPointSizeF(points)
    app.setFont(larger)
    try:
        view = MainView(stage.context, has_tray=False)
        stage.answer("satis-ozet", outcome="done", windows=2, waiting=0, next_at="2026-09-04T10:05:00Z")
        for shown in (_open_panel(stage), view):
            shown.show()
            until(shown.isVisible)
            cut = [
                (part.text(), part.width(), part.minimumSizeHint().width())
                for part in (*shown.findChildren(QAbstractButton), *shown.findChildren(QLabel))
                if part.isVisible() and part.text() and part.width() < part.minimumSizeHint().width()
            ]
            assert not cut
    finally:
        app.setFont(font)


def test_a_mistake_in_a_slot_is_told_once_and_kept(app: QApplication, tmp_path: Path, monkeypatch, capsys):
    from trayapp.gui.mistakes import Mistakes

    monkeypatch.setenv("BIRKEZ_HOME", str(tmp_path))
    mistakes, told = Mistakes(), []
    mistakes.told.connect(told.append)
    action = QAction()
    action.triggered.connect(lambda: 1 // 0)
    try:
        for _ in range(9):
            action.trigger()
    finally:
        mistakes.close()
    assert len(told) == 3
    assert "ZeroDivisionError" in told[0]
    kept = list((tmp_path / "state").glob("bug-*.txt"))
    assert len(kept) == 3  # also within one second: none beside the state folder
    assert all("ZeroDivisionError" in file.read_text(encoding="utf-8") for file in kept)
    capsys.readouterr()


def test_what_comes_goes_and_returns_is_noticed_without_asking(stage: Stage):
    import shutil

    from trayapp.gui.state.watcher import Watcher

    places, heard = stage.places, []
    places.make_folders()
    watcher = Watcher(places)
    watcher.jobs_changed.connect(lambda: heard.append("jobs"))
    watcher.locks_changed.connect(lambda: heard.append("locks"))
    watcher.start()
    job, lock = Path(places.job_file("a")), Path(places.lock_file("a"))

    def notices(change, *wanted: str) -> None:
        heard.clear()
        change()
        until(lambda: set(wanted) <= set(heard))

    notices(lambda: job.write_text("1", encoding="utf-8"), "jobs")
    notices(lambda: job.write_text("22", encoding="utf-8"), "jobs")
    replaced = job.with_suffix(".part")
    replaced.write_text("333", encoding="utf-8")
    notices(lambda: os.replace(replaced, job), "jobs")
    notices(lambda: job.write_text("4444", encoding="utf-8"), "jobs")
    notices(lambda: lock.write_text("held", encoding="utf-8"), "locks")
    notices(lambda: lock.write_text("idle", encoding="utf-8"), "locks")
    notices(lambda: shutil.rmtree(places.jobs_dir), "jobs")
    notices(lambda: os.mkdir(places.jobs_dir), "jobs")
    notices(lambda: job.write_text("1", encoding="utf-8"), "jobs")
    notices(job.unlink, "jobs")


def _note_squeezed(panel: Panel, squeezed: list[int]) -> int:
    rows = [row for row in panel._jobs.rows.values() if row.isVisible()]
    squeezed += [row.height() for row in rows if row.height() < row.minimumSizeHint().height()]
    return len(rows)


def test_rows_that_are_not_made_yet_are_found_and_counted(stage: Stage):
    stage.show(sample.many(60))
    panel = Panel(stage.context)
    assert 0 < len(panel._jobs.rows) < 60  # those that are seen when it opens
    panel._search.setText("a")
    assert len(panel._jobs.rows) == 60
    panel._search.clear()
    assert not any(row.isHidden() for row in panel._jobs.rows.values())


def test_no_page_is_marked_as_if_a_key_had_gone_there_when_the_view_opens(stage: Stage):
    view = MainView(stage.context, has_tray=True)
    view.go_to(Place("settings"))
    view.show()
    view.activateWindow()
    assert QTest.qWaitForWindowActive(view)
    assert QApplication.focusWidget() is view
    QTest.keyClick(view, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert view.current.name == "history"
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is not view
