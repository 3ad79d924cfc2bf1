from __future__ import annotations

import os
import tracemalloc

import pytest

from trayapp.log import reading
from trayapp.log.job_log import read_tail


def test_missing_log_has_no_lines(tmp_path):
    assert read_tail(str(tmp_path / "is.log"), 10) == []
    assert read_tail(str(tmp_path / "yok" / "is.log"), 10) == []


def test_tail_goes_on_in_the_rotated_logs_in_their_order(tmp_path):
    for name, text in (("is.log", "5\n"), ("is.log.1", "3\n4\n"), ("is.log.2", "1\n2\n"), ("is.log.10", "0\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "is.log.lock").write_text("not a log\n")
    (tmp_path / "is.log.1.gz").write_text("not ours\n")
    path = str(tmp_path / "is.log")
    assert read_tail(path, 4) == ["2", "3", "4", "5"]
    assert read_tail(path, 100) == ["0", "1", "2", "3", "4", "5"]
    assert read_tail(path, 0) == []


def test_gap_of_a_failed_rotation_hides_nothing(tmp_path):
    (tmp_path / "is.log").write_text("2\n")
    (tmp_path / "is.log.2").write_text("1\n")
    assert read_tail(str(tmp_path / "is.log"), 9) == ["1", "2"]


def test_unfinished_line_waits_until_it_is_whole(tmp_path):
    (tmp_path / "is.log").write_bytes("bir\niki\nüç yar".encode())
    assert read_tail(str(tmp_path / "is.log"), 9) == ["bir", "iki"]


@pytest.mark.parametrize("block", [1, 2, 3, 7, 64])
def test_lines_and_letters_across_block_borders_are_whole(tmp_path, monkeypatch, block):
    monkeypatch.setattr(reading, "_BLOCK", block)
    lines = ["ş", "ığüşöç İSTANBUL", "x" * 100, "y"]
    (tmp_path / "is.log").write_text("\n".join(lines) + "\n", "utf-8", newline="")
    for count in range(1, 5):
        assert read_tail(str(tmp_path / "is.log"), count) == lines[-count:]


def test_foreign_bytes_and_line_ends_stay_readable(tmp_path):
    (tmp_path / "is.log").write_bytes(b"\xfe kaba\r\n\nson\n")
    assert read_tail(str(tmp_path / "is.log"), 9) == ["\\xfe kaba", "son"]


def test_large_log_costs_no_more_memory(tmp_path):
    path = tmp_path / "is.log"
    with path.open("wb") as file:
        file.truncate(300 << 20)  # a hole: one line of 300 MB
        file.seek(0, os.SEEK_END)
        file.write(b"\nson satir\n")
    tracemalloc.start()
    lines = read_tail(str(path), 10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines[-1] == "son satir"
    assert len(lines[0]) <= 64 * 1024
    assert peak < 2 << 20


def test_rotation_while_the_files_are_opened_neither_doubles_nor_drops(tmp_path, monkeypatch):
    for name, text in (("is.log", "3\n"), ("is.log.1", "2\n"), ("is.log.2", "1\n")):
        (tmp_path / name).write_text(text)
    old_logs = reading.old_logs

    def rotate_behind_the_look(path):
        names = old_logs(path)
        for number in (2, 1):
            os.rename(f"{path}.{number}", f"{path}.{number + 1}")
        os.rename(path, f"{path}.1")
        return names

    monkeypatch.setattr(reading, "old_logs", rotate_behind_the_look)
    assert read_tail(str(tmp_path / "is.log"), 9) == ["1", "2", "3"]
