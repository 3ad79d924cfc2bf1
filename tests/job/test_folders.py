"""Paths of a job that comes from elsewhere: where they lie here, and which no computer of this kind has."""

from __future__ import annotations

import sys

import pytest

from tests.job.texts import HOURLY
from trayapp.job.file import parse_job
from trayapp.job.folders import foreign_path, with_folders

AT_HOME = HOURLY.replace("satis.db", "/home/ali/işler/satis.db").replace("ozet.sql", "/home/ali/işler/sql/ozet.sql")


def test_paths_below_a_folder_follow_it_and_others_stay():
    text = AT_HOME.replace("/home/ali/işler/satis.db", "/home/ali/işlerim/satis.db")
    moved = with_folders(text, [("/home/ali/işler/", "/srv/iş")])
    assert "/srv/iş/sql/ozet.sql" in moved
    assert "/home/ali/işlerim/satis.db" in moved


def test_several_folders_move_each():
    moved = with_folders(AT_HOME, [("/home/ali/işler/sql", "/srv/sql"), ("/home/ali/işler", "/srv/db")])
    assert "/srv/sql/ozet.sql" in moved
    assert "/srv/db/satis.db" in moved


def test_path_of_windows_is_written_anew():
    text = HOURLY.replace('"satis.db"', r"'C:\İşler\satis.db'").replace('"ozet.sql"', "'C:/İşler/sql/ozet.sql'")
    moved = with_folders(text, [(r"C:\İşler", "/srv/iş")])
    assert "/srv/iş/satis.db" in moved
    assert "/srv/iş/sql/ozet.sql" in moved
    back = with_folders(moved, [("/srv/iş", r"D:\iş")])
    assert parse_job(back, "/x/a.toml", "a").effect.script.endswith(r"D:\iş\sql\ozet.sql")


def test_words_of_a_command_move_too():
    text = """title = "x"
[window]
step = "1h"
start = 2026-09-04T10:00:00Z
[effect]
kind = "command"
cwd = "/home/ali"
argv = ["python3", "/home/ali/gonder.py", "--log=/home/ali/x"]
"""
    moved = with_folders(text, [("/home/ali", "/srv")])
    assert 'argv = ["python3", "/srv/gonder.py", "--log=/home/ali/x"]' in moved
    assert 'cwd = "/srv"' in moved


@pytest.mark.parametrize("text", ["title = ", HOURLY])
def test_nothing_to_move_changes_nothing(text: str):
    assert with_folders(text, [("/nowhere", "/srv")]) == text


@pytest.mark.skipif(sys.platform == "win32", reason="its own paths")
def test_path_of_windows_is_known_as_foreign():
    assert foreign_path(HOURLY) == foreign_path(AT_HOME) == ""
    assert foreign_path(HOURLY.replace('"satis.db"', r"'C:\İşler\satis.db'")) == r"C:\İşler\satis.db"
    assert foreign_path(HOURLY.replace('"ozet.sql"', r"'\\sunucu\ozet.sql'")) == r"\\sunucu\ozet.sql"
