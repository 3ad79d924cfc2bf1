"""Jobs leave and arrive from the Settings page, and the support file is made, by the real command."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.gui.conftest import until
from tests.gui.jobs.conftest import Office, office  # noqa: F401  # a fixture
from trayapp.gui.checkup.page import CheckupPage
from trayapp.gui.settings.arrivals import ArrivalsDialog
from trayapp.gui.settings.moving import Moving, make_support_file
from trayapp.job import shelf


@pytest.fixture
def moving(office: Office) -> Moving:  # noqa: F811
    office.add_sql("sales", "Sales")
    office.read()
    made = Moving(office.context)
    made.show()
    return made


def _dialog(moving: Moving) -> ArrivalsDialog:
    found = [dialog for dialog in moving.findChildren(ArrivalsDialog) if dialog.isVisible()]
    return found[0] if found else None


def test_all_jobs_and_settings_are_saved_and_an_older_file_is_replaced(moving: Moving, tmp_path: Path):
    path = tmp_path / "all.zip"
    path.write_text("older", encoding="utf-8")
    moving.save_to(str(path))
    until(lambda: moving.note.text() != "")
    assert "1 job was written" in moving.note.text()
    assert sorted(zipfile.ZipFile(path).namelist()) == ["birkez.json", "sales.toml"]
    assert [one.name for one in tmp_path.iterdir() if "all.zip" in one.name] == ["all.zip"]


def test_an_older_file_stays_where_none_could_be_made(office: Office, tmp_path: Path):  # noqa: F811
    Path(office.places.job_file("broken")).write_text("title = ", encoding="utf-8")
    moving = Moving(office.context)
    path = tmp_path / "all.zip"
    path.write_text("older", encoding="utf-8")
    moving.save_to(str(path))
    until(lambda: moving.note.text() != "")
    assert path.read_text(encoding="utf-8") == "older"


def test_jobs_of_a_file_are_shown_before_anything_is_changed(moving: Moving, office: Office, tmp_path: Path):  # noqa: F811
    moving.save_to(str(tmp_path / "all.zip"))
    until(lambda: moving.note.text() != "")
    shelf.remove(office.places, "sales")
    office.script.unlink()
    moving.look_into(str(tmp_path / "all.zip"))
    until(lambda: _dialog(moving) is not None)
    dialog = _dialog(moving)
    assert not dialog.add.isEnabled()  # where it begins is not said yet
    assert any(
        str(office.script) in frame.accessibleName() for frame in dialog.findChildren(type(dialog.from_now).__base__)
    )
    assert shelf.job_ids(office.places) == []
    dialog.from_now.radio.click()
    assert dialog.words()[3:] == ["--from-now", "--no-schedule", "--no-settings"]
    dialog.add.click()
    until(lambda: shelf.job_ids(office.places) == ["sales"])
    until(lambda: "was added" in moving.note.text())


def test_a_job_that_is_here_already_is_told_and_nothing_can_be_added(moving: Moving, tmp_path: Path):
    moving.save_to(str(tmp_path / "all.zip"))
    until(lambda: moving.note.text() != "")
    moving.look_into(str(tmp_path / "all.zip"))
    until(lambda: _dialog(moving) is not None)
    assert _dialog(moving).coming == []
    assert not _dialog(moving).add.isEnabled()
    _dialog(moving).reject()


def test_a_file_that_holds_no_jobs_is_told(moving: Moving, tmp_path: Path):
    (tmp_path / "a.zip").write_text("none", encoding="utf-8")
    moving.look_into(str(tmp_path / "a.zip"))
    until(lambda: "cannot be opened" in moving.note.text())


def test_the_support_file_is_made_from_the_check_up(office: Office, tmp_path: Path):  # noqa: F811
    page = CheckupPage(office.context)
    page.resize(1000, 700)
    page.show()
    make_support_file(str(tmp_path / "s.zip"), office.context, page.tell_support)
    until(page._support_note.isVisible)
    assert "versions.json" in zipfile.ZipFile(tmp_path / "s.zip").namelist()
