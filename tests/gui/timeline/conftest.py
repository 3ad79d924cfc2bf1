from __future__ import annotations

import pytest

from tests.gui.conftest import until


@pytest.fixture
def past_stage(stage):
    """The sample office with a week of history."""
    from tests.gui import past

    past.fill(stage.places)
    stage.show(past.snapshot())
    return stage


@pytest.fixture
def page(past_stage):
    """The timeline, shown, with its strips read."""
    from trayapp.gui.timeline.page import TimelinePage

    made = TimelinePage(past_stage.context)
    made.resize(1108, 960)
    made.show_snapshot(past_stage.context.store.snapshot)
    made.show()
    read_all(made)
    return made


def read_all(page) -> None:
    """Wait until what is in sight is read."""
    canvas = page.canvas
    until(
        lambda: (
            canvas.scale.width > 0
            and not canvas.rows._asked
            and all(canvas.rows.strip(canvas.rows.jobs[row].id) for row in canvas.rows_in_sight())
        )
    )
