"""The file that keeps what a command printed."""

from __future__ import annotations

import sys

import pytest

from trayapp.effect.child import output as output_module
from trayapp.effect.child.output import KeptOutput
from trayapp.errors import SetupError


@pytest.fixture
def small(monkeypatch):
    """Limits that a test can print in full."""
    monkeypatch.setattr(output_module, "_HEAD_BYTES", 10)
    monkeypatch.setattr(output_module, "_TAIL_BYTES", 10)


def _kept(tmp_path, *parts: bytes, encoding: str = "") -> str:
    file = tmp_path / "o.txt"
    output = KeptOutput(str(file), "k", encoding)
    for part in parts:
        output.feed(part)
    output.close()
    output.close()
    data = file.read_bytes()
    return data.decode("utf-8")


def test_silent_command_leaves_an_empty_file(tmp_path):
    assert _kept(tmp_path) == ""


def test_part_begins_with_its_key_and_ends_with_its_line(tmp_path):
    assert _kept(tmp_path, b"a\n") == "--- k\na\n"
    assert _kept(tmp_path, b"b") == "--- k\na\n--- k\nb\n"


@pytest.mark.parametrize("parts", [[b"0123456789abcdefghij"], [b"01", b"23456789ab", b"cdefghij"], [b"x"] * 20])
def test_what_fits_into_head_and_tail_is_whole(tmp_path, small, parts):
    assert _kept(tmp_path, *parts) == "--- k\n" + b"".join(parts).decode() + "\n"


@pytest.mark.parametrize("size", [1, 3, 7, 26])
def test_middle_is_cut_and_its_size_told(tmp_path, small, size):
    data = b"abcdefghijklmnopqrstuvwxyz"
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    assert _kept(tmp_path, *parts) == "--- k\nabcdefghij\n[... 6 bytes ...]\nqrstuvwxyz\n"


@pytest.mark.parametrize("shift", range(4))
def test_no_letter_is_torn_at_a_cut(tmp_path, small, shift):
    text = "x" * shift + "ğ€🙂" * 20
    kept = _kept(tmp_path, text.encode())
    head, mark, tail = kept.removeprefix("--- k\n").split("\n")[:3]
    assert text.startswith(head)
    assert text.endswith(tail)
    left_out = int(mark.split()[1])
    assert left_out + len((head + tail).encode()) == len(text.encode())


def test_letters_that_arrive_in_pieces_are_whole(tmp_path):
    assert _kept(tmp_path, *(bytes([byte]) for byte in "ğüşİ€🙂".encode())) == "--- k\nğüşİ€🙂\n"


def test_letter_that_never_arrives_whole_is_kept_readable(tmp_path):
    kept = _kept(tmp_path, "ş".encode()[:1])
    assert kept == ("--- k\n" + b"\xc5".decode("oem") + "\n" if sys.platform == "win32" else "--- k\n\\xc5\n")


def test_console_page_serves_for_what_is_not_utf8(tmp_path):
    if sys.platform != "win32":
        pytest.skip("only Windows has one")
    assert _kept(tmp_path, "ğ".encode() + b"\x81") == "--- k\nğ" + b"\x81".decode("oem") + "\n"


def test_bytes_that_an_encoding_does_not_know_are_kept_readable(tmp_path):
    assert _kept(tmp_path, b"\xf0 \x8d\x9e", encoding="cp1254") == "--- k\nğ \\x8d\\x9e\n"


def test_wide_encoding_is_understood(tmp_path):
    assert _kept(tmp_path, *("ğü\n".encode("utf-16")[at : at + 1] for at in range(8)), encoding="utf-16") == (
        "--- k\nğü\n"
    )


def test_lone_surrogate_does_not_lose_the_rest(tmp_path):
    assert _kept(tmp_path, b"a+2AA-b", encoding="utf-7") == "--- k\na\\ud800b\n"


def test_tail_ends_with_the_last_that_was_printed(tmp_path):
    output = KeptOutput(str(tmp_path / "o.txt"), "k", "")
    for number in range(3000):
        output.feed(b"%d\n" % number)
    assert output.tail(10) == "2998\n2999\n"
    assert len(output.tail(10_000)) == 4000
    output.close()


@pytest.mark.parametrize("encoding", ["cp12545", "hex", "rot13"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path, encoding):
    with pytest.raises(SetupError) as caught:
        KeptOutput(str(tmp_path / "o.txt"), "k", encoding)
    assert caught.value.code == "command-encoding-unknown"
    assert caught.value.facts == {"encoding": encoding}
