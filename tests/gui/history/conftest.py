from __future__ import annotations

from collections.abc import Iterator

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
    """The history page, read and shown."""
    from trayapp.gui.history.page import HistoryPage

    made = HistoryPage(past_stage.context)
    made.resize(1108, 760)
    made.show_snapshot(past_stage.context.store.snapshot)
    made.show()
    until(lambda: made.model.run_at(0) is not None and made.detail._details is not None)
    return made


@pytest.fixture
def live(app, birkez_home) -> Iterator[object]:
    """Real parts over this test's home."""
    from tests.gui.live import Live

    made = Live(app, birkez_home)
    yield made
    made.close()
    for view in app.topLevelWidgets():
        view.close()
        view.deleteLater()
