"""What a python effect imports is looked at when the job comes in, without running any of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Desk
from tests.cli.test_trial import python_file
from trayapp.cli.python_imports import import_concerns


def concerns(folder: Path, code: str) -> list[tuple[str, object, object]]:
    (folder / "work.py").write_text(code, encoding="utf-8")
    return [
        (error.code, error.facts.get("module"), error.facts["line"])
        for error in import_concerns(str(folder / "work.py"))
    ]


def test_what_is_there_is_no_concern(tmp_path: Path):
    (tmp_path / "beside.py").touch()
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    code = "import os, json.decoder\nfrom sqlite3 import connect\nimport beside\n"
    code += "from package.inner import x\nimport pytest\n"
    assert concerns(tmp_path, code) == []


def test_what_is_missing_is_told_once_with_its_line(tmp_path: Path):
    code = "import os\nimport of_nobody.part as p\n"
    code += "def process(window, tx):\n    from of_nobody import x\n    import nor_this\n"
    assert concerns(tmp_path, code) == [
        ("python-import-missing", "of_nobody", 2),
        ("python-import-missing", "nor_this", 5),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import of_nobody\nexcept ImportError:\n    of_nobody = None\n",
        "try:\n    import of_nobody\nexcept (OSError, ModuleNotFoundError):\n    pass\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import of_nobody\n",
        "from . import of_nobody\n",
    ],
)
def test_what_the_code_does_without_is_no_concern(tmp_path: Path, code: str):
    assert concerns(tmp_path, code) == []


def test_the_way_out_of_a_failed_import_is_looked_at(tmp_path: Path):
    code = "try:\n    import of_nobody\nexcept ImportError:\n    import nor_this\n"
    assert concerns(tmp_path, code) == [("python-import-missing", "nor_this", 4)]


def test_the_installed_program_has_the_standard_library_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    # pytest can be imported here; who installs Birkez has no such thing.
    assert concerns(tmp_path, "import decimal\nimport pytest\n") == [("python-import-not-standard", "pytest", 2)]
    (tmp_path / "pytest.py").touch()
    assert concerns(tmp_path, "import pytest\n") == []


def test_a_mistake_in_the_grammar_is_told_with_its_line(tmp_path: Path):
    assert concerns(tmp_path, "import os\ndef process(:\n") == [("python-broken", None, 2)]


def test_adding_and_checking_tell_it_and_run_nothing(desk: Desk, birkez: Callable, ask_json: Callable):
    desk.make_database()
    mark = desk.folder / "was-here"
    path = python_file(desk, f"open({str(mark)!r}, 'w')\nimport of_nobody\ndef process(window, tx): pass\n")
    (concern,) = ask_json("job", "validate", str(path))["concerns"]
    assert concern["code"] == "python-import-missing"
    added = birkez("job", "add", str(path))
    assert added.returncode == 0
    assert "of_nobody" in added.stderr
    assert '"command"' in added.stderr
    assert not mark.exists()
