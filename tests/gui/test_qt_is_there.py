from __future__ import annotations

import pytest

from tests.gui.conftest import why_no_qt


def test_qt_is_there_for_the_tests_beside_this_one():
    reason = why_no_qt()
    if reason:
        pytest.skip(f"all of tests/gui: {reason}")
