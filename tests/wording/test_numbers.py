from __future__ import annotations

import pytest

from trayapp.wording.numbers import show_number, show_percent, turkish_suffix


@pytest.mark.parametrize(
    ("number", "locative", "dative", "ablative"),
    [
        (0, "'da", "'a", "'dan"),
        (1, "'de", "'e", "'den"),
        (2, "'de", "'ye", "'den"),
        (3, "'te", "'e", "'ten"),
        (4, "'te", "'e", "'ten"),
        (5, "'te", "'e", "'ten"),
        (6, "'da", "'ya", "'dan"),
        (7, "'de", "'ye", "'den"),
        (8, "'de", "'e", "'den"),
        (9, "'da", "'a", "'dan"),
        (10, "'da", "'a", "'dan"),
        (20, "'de", "'ye", "'den"),
        (30, "'da", "'a", "'dan"),
        (40, "'ta", "'a", "'tan"),
        (50, "'de", "'ye", "'den"),
        (60, "'ta", "'a", "'tan"),
        (70, "'te", "'e", "'ten"),
        (80, "'de", "'e", "'den"),
        (90, "'da", "'a", "'dan"),
        (100, "'de", "'e", "'den"),
        (1_000, "'de", "'e", "'den"),
        (1_000_000, "'da", "'a", "'dan"),
        (1_000_000_000, "'da", "'a", "'dan"),
        (2_000, "'de", "'e", "'den"),
        (2_026, "'da", "'ya", "'dan"),
        (31, "'de", "'e", "'den"),
        (300, "'de", "'e", "'den"),
        (-3, "'te", "'e", "'ten"),
    ],
)
def test_suffix_follows_the_spoken_number(number: int, locative: str, dative: str, ablative: str) -> None:
    assert [turkish_suffix(number, case) for case in ("locative", "dative", "ablative")] == [locative, dative, ablative]


def test_no_case_means_no_suffix() -> None:
    assert turkish_suffix(5, "") == ""


@pytest.mark.parametrize(
    ("value", "decimals", "in_turkish", "in_english"),
    [
        (0, 0, "0", "0"),
        (999, 0, "999", "999"),
        (336_776, 0, "336.776", "336,776"),
        (-1_234, 0, "-1.234", "-1,234"),
        (12_345.678, 2, "12.345,68", "12,345.68"),
        (5, 1, "5,0", "5.0"),
        (0.4, 1, "0,4", "0.4"),
        (-0.04, 1, "0,0", "0.0"),
        (10**18 + 1, 0, "1.000.000.000.000.000.001", "1,000,000,000,000,000,001"),
    ],
)
def test_numbers_have_the_signs_of_their_language(
    value: float, decimals: int, in_turkish: str, in_english: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("turkish")
    assert show_number(value, decimals) == in_turkish
    request.getfixturevalue("english")
    assert show_number(value, decimals) == in_english


def test_percent_sign_stands_before_in_turkish(turkish: None) -> None:
    assert show_percent(64) == "%64"
    assert show_percent(99.5, 1) == "%99,5"


def test_percent_sign_stands_behind_in_english(english: None) -> None:
    assert show_percent(64) == "64%"
