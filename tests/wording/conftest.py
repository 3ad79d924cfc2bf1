"""Each test of wording speaks the language it names and leaves none behind."""

from __future__ import annotations

import pytest

from trayapp.wording import language


@pytest.fixture(autouse=True)
def _speechless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_spoken", language._Spoken())


@pytest.fixture
def turkish(_speechless: None) -> None:
    language.speak("tr")


@pytest.fixture
def english(_speechless: None) -> None:
    language.speak("en")
