from __future__ import annotations

from tests.runner.conftest import office

__all__ = ["office"]
