from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Birkez
from tests.fan_out.yard import Yard
from trayapp.places import Places


@pytest.fixture
def yard(tmp_path: Path, birkez_home: Places, run_birkez: Birkez, monkeypatch: pytest.MonkeyPatch) -> Iterator[Yard]:
    """A list, a folder for targets and a job; workers that a test leaves behind are ended."""
    monkeypatch.setenv("BIRKEZ_LANGUAGE", "en")
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = Yard(tmp_path / "work", birkez_home, run_birkez)
    yield made
    made.close()
