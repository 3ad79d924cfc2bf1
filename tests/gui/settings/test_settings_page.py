"""The Settings page over a real settings file: each choice is saved as it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from tests.gui.conftest import until
from tests.gui.stage import Stage
from trayapp.gui.settings.page import SettingsPage
from trayapp.gui.settings.wishes import wished, wished_scheme
from trayapp.settings import change_settings, read_settings


@pytest.fixture
def page(stage: Stage) -> SettingsPage:
    stage.places.make_folders()
    made = SettingsPage(stage.context)
    made.show()
    return made


def test_the_language_is_saved_and_spoken_at_once(stage: Stage, page: SettingsPage):
    page._languages["tr"].click()
    until(lambda: read_settings(stage.places).language == "tr")
    until(lambda: page.accessibleName() == "Ayarlar")
    page._languages["en"].click()
    until(lambda: page.accessibleName() == "Settings")


def test_colours_are_saved_and_shown_at_once(stage: Stage, page: SettingsPage):
    page._colors["dark"].click()
    until(lambda: stage.context.theme.is_dark)
    assert wished_scheme(stage.places) == "dark"
    page._colors["light"].click()
    until(lambda: not stage.context.theme.is_dark)


def test_notifications_can_be_switched_off(stage: Stage, page: SettingsPage):
    assert page.notices.isChecked()
    page.notices.click()
    until(lambda: not wished(stage.places).notices)


def test_how_long_without_a_success_is_chosen_or_kept_as_it_stands(stage: Stage, page: SettingsPage):
    assert page.patience.currentText() == "three starts of its schedule"
    page.patience.setCurrentIndex(page.patience.findText("1 day"))
    page.patience.activated.emit(page.patience.currentIndex())
    until(lambda: read_settings(stage.places).warn_after == "1d")
    change_settings(stage.places, warn_after="5h")
    page.read_again()
    assert page.patience.currentText() == "5 hours"
    page._languages["tr"].click()
    until(lambda: page.patience.itemText(0) == "zamanlamasının üç başlangıcı")
    assert page.patience.currentData() == "5h"
    page._languages["en"].click()
    until(lambda: page.patience.itemText(0) == "three starts of its schedule")


def test_days_that_are_none_are_refused_beside_the_field_and_nothing_is_saved(stage: Stage, page: SettingsPage):
    for wrong in ("0", "soon", "-1"):
        page.days.setText(wrong)
        page.days.editingFinished.emit()
        until(lambda: page._days_note.text() == "Write a whole number of days, from 1 on.")
        assert read_settings(stage.places).history_days == 400
    page.days.setText("90")
    page.days.editingFinished.emit()
    until(lambda: read_settings(stage.places).history_days == 90)
    until(lambda: page._days_note.text().startswith("Saved"))


def test_comments_of_the_person_stay(stage: Stage, page: SettingsPage):
    path = Path(stage.places.settings_file)
    path.write_text("# mine\nhistory_days = 30   # a month\n", encoding="utf-8")
    page.read_again()
    assert page.days.text() == "30"
    page.notices.click()
    until(lambda: "notices = false" in path.read_text(encoding="utf-8"))
    assert path.read_text(encoding="utf-8").startswith("# mine\nhistory_days = 30   # a month\n")


def test_a_damaged_file_is_told_and_not_written_over(stage: Stage, page: SettingsPage):
    path = Path(stage.places.settings_file)
    path.write_text("language = ", encoding="utf-8")
    page.read_again()
    assert page.trouble.isVisible()
    page.notices.click()
    QTest.qWait(150)
    assert path.read_text(encoding="utf-8") == "language = "
    assert wished(stage.places).notices  # and the tray goes on by the defaults
