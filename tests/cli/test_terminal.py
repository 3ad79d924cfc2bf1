from __future__ import annotations

import pytest

from trayapp.cli import terminal


@pytest.fixture
def colourful(monkeypatch):
    monkeypatch.setattr(terminal, "_takes_colour", lambda *_: True)


def test_columns_stand_below_each_other_though_some_are_painted(colourful):
    lines = terminal.columns([("a", terminal.paint("on", "ok"), "x"), ("bcd", "disabled", "y")])
    assert [line.replace("\x1b[32m", "").replace("\x1b[0m", "") for line in lines] == [
        "a    on        x",
        "bcd  disabled  y",
    ]


@pytest.mark.parametrize(
    ("is_terminal", "environment", "takes"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
@pytest.mark.posix
def test_colour_is_for_a_terminal_that_wants_it(is_terminal, environment, takes):
    class Stream:
        def isatty(self) -> bool:
            return is_terminal

    assert terminal._takes_colour(Stream(), environment) is takes
    assert not terminal._takes_colour(None, environment)
