"""`N_` and `NN_`: mark a sentence for the catalogue where it stands; it is translated where it is shown."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802  # the name that gettext's tools look for
    """Mark *text* for extraction and leave it as it is."""
    return text


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802  # N_ of a sentence with a number
    """Mark both forms of a sentence; the fact `count` decides which of them is shown."""
    return one, many
