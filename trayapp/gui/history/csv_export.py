"""The command that writes what the filters show into a file: the one that a terminal would use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp import clock

if TYPE_CHECKING:
    from trayapp.history.query import RunFilter


def export_words(wanted: RunFilter, path: str) -> list[str]:
    """Words of `birkez history --csv` for the runs that *wanted* lets through."""
    words = ["history", *wanted.jobs, f"--csv={path}"]
    words += [f"--outcome={outcome}" for outcome in wanted.outcomes]
    words += [f"--trigger={trigger}" for trigger in wanted.triggers]
    if wanted.since is not None:
        words.append(f"--since={clock.format_instant(wanted.since)}")
    if wanted.until is not None:
        words.append(f"--until={clock.format_instant(wanted.until)}")
    return [*words, f"--text={wanted.text}"] if wanted.text else words
