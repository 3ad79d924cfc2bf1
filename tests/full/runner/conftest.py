from __future__ import annotations

from tests.runner.conftest import in_memory, office

__all__ = ["in_memory", "office"]
