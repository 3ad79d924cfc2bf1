"""A folder whose files change while its list is worked through: a target never has other content than its name says."""

from __future__ import annotations

import hashlib

import pytest

from tests.fan_out.yard import Yard

pytestmark = pytest.mark.timeout(90)

# Called for the first file, it changes another one that the list has already.
COPIES = """
import pathlib
def make(item, output):
    inbox = pathlib.Path(item.input).parent
    if not (inbox / ".changed").exists():
        (inbox / ".changed").touch()
        for name in ("a", "b", "c"):
            if name != item.id:
                (inbox / name).write_text("new " + name)
    pathlib.Path(output).write_bytes(pathlib.Path(item.input).read_bytes())
"""


def test_target_is_named_after_the_content_that_was_worked_on(yard: Yard):
    inbox = yard.folder / "in"
    inbox.mkdir()
    for name in "abc":
        (inbox / name).write_text("old " + name, encoding="utf-8")
    yard.python_job(COPIES, items="workers = 1", target="{item}.{digest}", source="in")
    yard.run(timeout=60)  # it ends: what is gone from the list is not waited for
    yard.run(timeout=60)
    made = yard.targets()
    assert len(made) == 3
    for name, content in made.items():
        assert name.partition(".")[2] == hashlib.sha256(content).hexdigest()[:16]
