"""A bar in the terminal while workers are at work: read like `status` does, so nobody is disturbed."""

from __future__ import annotations

import shutil
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from trayapp.fan_out.progress import Progress
    from trayapp.places import Places

_EVERY_S = 0.5
_BAR_WIDTH = 24


class ProgressBar:
    """Shows the bar while the block lasts, where stdout is a terminal and it is wanted."""

    def __init__(self, places: Places, job_id: str, *, is_wanted: bool) -> None:
        self._places = places
        self._job_id = job_id
        self._is_shown = is_wanted and sys.stdout is not None and sys.stdout.isatty()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._length = 0

    def __enter__(self) -> Self:
        if self._is_shown:
            self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._is_shown:
            self._ended.set()
            self._thread.join()
            if self._length:
                print("\r" + " " * self._length + "\r", end="", flush=True)

    def _draw(self) -> None:
        from trayapp.fan_out.looking import progress_of  # noqa: PLC0415  # only where there is a terminal

        while not self._ended.wait(_EVERY_S):
            progress = progress_of(self._places, self._job_id)
            if progress is None:
                continue
            text = bar_text(progress, shutil.get_terminal_size().columns - 1)
            try:
                print("\r" + text.ljust(self._length), end="", flush=True)
            except (OSError, ValueError):  # the terminal has gone
                return
            self._length = len(text)


def bar_text(progress: Progress, width: int) -> str:
    """The bar and the numbers beside it, cut to *width* letters."""
    from trayapp.cli.item_telling import progress_line  # noqa: PLC0415  # as above

    settled = progress.done + progress.failed
    share = min(1.0, settled / progress.total) if progress.total else 1.0
    filled = int(_BAR_WIDTH * share)
    return f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {progress_line(progress)}"[: max(0, width)]
