from __future__ import annotations

import re

from tests.architecture.source import CHECKOUT
from trayapp import exit_code


def test_every_exit_status_has_a_meaning():
    statuses = {value for name, value in vars(exit_code).items() if name.isupper() and isinstance(value, int)}
    assert statuses - {exit_code.STOPPED_BY_SIGNAL} <= set(exit_code.MEANING)


def test_the_readme_tells_every_exit_status():
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| (.+?) \|$", readme, flags=re.MULTILINE))
    assert rows == {str(status): meaning for status, meaning in exit_code.MEANING.items()}
