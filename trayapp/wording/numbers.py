"""Numbers as people write and say them in the spoken language."""

from __future__ import annotations

from trayapp.wording.language import spoken_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from trayapp.wording.language import Language

    # Where something is, goes to, comes from: 12:05'te, 12:05'e, 12:05'ten. Of what it is a part: ayın 5'i.
    Case = Literal["", "locative", "dative", "ablative", "possessive"]

# Thousands sign and decimal sign, as the CSV files need them too.
SEPARATORS: dict[Language, tuple[str, str]] = {"tr": (".", ","), "en": (",", ".")}

_ONES = ("", "bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz")
_TENS = ("", "on", "yirmi", "otuz", "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan")
_GROUPS = ((10**3, "yüz"), (10**6, "bin"), (10**9, "milyon"), (10**12, "milyar"))
_BACK_VOWELS = "aıou"
_VOWELS = _BACK_VOWELS + "eiöü"
_CLOSE_VOWELS = {"a": "ı", "ı": "ı", "e": "i", "i": "i", "o": "u", "u": "u", "ö": "ü", "ü": "ü"}  # by the one before
_VOICELESS = "çkşt"  # of all voiceless consonants, those that a number word ends with


def show_number(value: float, decimals: int = 0) -> str:
    """Write *value* with its thousands apart: `336.776` in Turkish, `336,776` in English."""
    text = f"{value:,}" if isinstance(value, int) and not decimals else f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")  # what rounds to nothing is not negative
    thousands, decimal = SEPARATORS[spoken_language()]
    return text.translate({ord(","): thousands, ord("."): decimal})


def show_percent(value: float, decimals: int = 0) -> str:
    """Write a share of 100: `%64` in Turkish, `64%` in English."""
    number = show_number(value, decimals)
    return f"%{number}" if spoken_language() == "tr" else f"{number}%"


def turkish_suffix(number: int, case: Case) -> str:
    """Ending of a number written in digits, with its apostrophe: 5 → `'te`, 9 → `'da`.

    It follows the last word of the number as spoken: vowel harmony, `t` after a voiceless
    consonant, `y` between two vowels (TDK, Yazım Kılavuzu, "Sayıların Yazılışı").
    """
    if not case:
        return ""
    word = _last_spoken_word(abs(number))
    last_vowel = next(letter for letter in reversed(word) if letter in _VOWELS)
    vowel = "a" if last_vowel in _BACK_VOWELS else "e"
    if case == "dative":
        return f"'y{vowel}" if word[-1] in _VOWELS else f"'{vowel}"
    if case == "possessive":
        return f"'s{_CLOSE_VOWELS[last_vowel]}" if word[-1] in _VOWELS else f"'{_CLOSE_VOWELS[last_vowel]}"
    consonant = "t" if word[-1] in _VOICELESS else "d"
    return f"'{consonant}{vowel}" + ("n" if case == "ablative" else "")


def _last_spoken_word(number: int) -> str:
    if not number:
        return "sıfır"
    if number % 10:
        return _ONES[number % 10]
    if number % 100:
        return _TENS[number % 100 // 10]
    return next((word for size, word in _GROUPS if number % size), "trilyon")
