"""`birkez history`: the runs, newest first, for people, for programs and for a spreadsheet."""

from __future__ import annotations

import contextlib
import os
import sys
from functools import partial

from trayapp import clock, exit_code
from trayapp.cli.answers import TRIGGERS, instant
from trayapp.cli.arguments import no_such_job
from trayapp.cli.status_command import OUTCOME_PAINTS, run_json
from trayapp.cli.terminal import columns, paint, plain, say_many, show, show_json
from trayapp.errors import SetupError, UsageError
from trayapp.history.export import write_csv
from trayapp.history.query import RunFilter, open_for_reading
from trayapp.history.records import is_found
from trayapp.job.model import Job
from trayapp.job.shelf import job_ids, read_all
from trayapp.places import find_places
from trayapp.wording.instants import show_duration, show_instant, show_window
from trayapp.wording.language import spoken_language
from trayapp.wording.mark import N_, NN_
from trayapp.wording.numbers import show_number
from trayapp.wording.reasons import ending_words, reasons_said
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from trayapp.history.query import HistoryReader
    from trayapp.history.records import RunRecord, WindowRecord
    from trayapp.places import Places

_RUNS = 20
_PAGE = 500  # runs read at once
_STATES = {
    "done": N_("done"),
    "skipped": N_("left out by hand"),
    "passed": N_("passed over"),
    "started": N_("not finished"),
    "failed": N_("failed"),
    "uncertain": N_("uncertain"),
    "again": N_("to be done again"),
    "superseded": N_("reopened"),
}


def handle(words: argparse.Namespace) -> int:
    """Show what *words* ask for; returns the exit status."""
    places = find_places()
    reader = open_for_reading(places.history_db)
    try:
        if words.run is not None:
            return _show_run(places, reader, words)
        if words.csv is not None:
            return _write_csv(places, reader, words)
        return _show_runs(reader, _filter_of(places, reader, words), words)
    finally:
        reader.close()


def _filter_of(places: Places, reader: HistoryReader, words: argparse.Namespace) -> RunFilter:
    """Filter that *words* describe; a text is looked for in titles too.

    Raises: NoSuchJobError for a job that neither exists nor ever ran.
    """
    is_known = words.job is None or words.job in job_ids(places)
    if not is_known and not reader.runs(RunFilter(jobs=(words.job,)), count=1).runs:
        raise no_such_job(places, words.job)
    titles: list[str] = []
    if words.text:
        jobs = (job for job in read_all(places) if isinstance(job, Job))
        titles = [job.id for job in jobs if is_found(words.text, job.title)]
    return RunFilter(
        jobs=(words.job,) if words.job else (),
        outcomes=words.outcome,
        triggers=words.trigger,
        since=words.since,
        until=words.until,
        text=words.text,
        text_jobs=titles,
        text_reasons=reasons_said(partial(is_found, words.text)) if words.text else (),
    )


def _show_runs(reader: HistoryReader, wanted: RunFilter, words: argparse.Namespace) -> int:
    count = words.n or _RUNS
    runs = list(_runs_matching(reader, wanted, count + 1))  # one more, to know whether there is more
    if words.json:
        show_json({"runs": [run_json(run) for run in runs[:count]], "more": len(runs) > count})
    elif runs:
        table = [(_heads(), _("run")), *((_row(run), run.run) for run in runs[:count])]
        show(*columns([(*row, name) if words.long else row for row, name in table]))
    else:
        show(_("No run matches. Without a filter: birkez history"))
    return exit_code.DONE


def _runs_matching(reader: HistoryReader, wanted: RunFilter, count: int | None) -> Iterator[RunRecord]:
    """Yield runs, newest first, at most *count*, however many pages that takes."""
    page = reader.runs(wanted, count=min(count or _PAGE, _PAGE))
    left = count
    while True:
        runs = page.runs if left is None else page.runs[:left]
        yield from runs
        left = None if left is None else left - len(runs)
        if page.next_key is None or left == 0:
            return
        page = reader.runs(wanted, after=page.next_key, count=min(left or _PAGE, _PAGE))


def _heads() -> tuple[str, ...]:
    return (_("started"), _("job"), _("by"), _("periods"), _("new"), _("result"))


def _row(run: RunRecord) -> tuple[str, ...]:
    return (
        show_instant(run.started_at, now=clock.now()),
        run.job,
        _(TRIGGERS.get(run.trigger, run.trigger)),
        show_number(run.windows) if run.windows else "",
        show_number(run.new_count) if run.new_count else "",
        paint(_result_of(run), OUTCOME_PAINTS.get(run.outcome, "")),
    )


def _result_of(run: RunRecord) -> str:
    return plain(ending_words(run.outcome, run.reason))


# ---------------------------------------------------------------------- one run


def _show_run(places: Places, reader: HistoryReader, words: argparse.Namespace) -> int:
    run = reader.run(words.run)
    if run is None:
        raise UsageError("no-such-run", run=words.run)
    windows, lines = reader.windows_of_run(run.run), reader.lines_of_run(run.run)
    output = places.output_file(run.job, run.run)
    output_path = output if os.path.exists(output) else None
    if words.json:
        show_json(
            {
                "run": run_json(run),
                "windows": [_window_json(window) for window in windows],
                "lines": [line.text for line in lines],
                "output": output_path,
            }
        )
        return exit_code.DONE
    show(*columns([(*_heads(), _("run")), (*_row(run), run.run)]))
    for window in windows:
        took = show_duration(window.duration_ms / 1000) if window.duration_ms is not None else ""
        state = _(_STATES.get(window.state, window.state))
        show(f"  {show_window(window.start, window.end)}  {state}  {took}".rstrip())
    show(*(f"  {plain(line.text)}" for line in lines))
    if output_path is not None:
        show(say("What it printed: {path}", path=output_path))
    return exit_code.DONE


def _window_json(window: WindowRecord) -> dict[str, object]:
    times = {"start": instant(window.start), "end": instant(window.end), "at": instant(window.at)}
    return {**window._asdict(), **times}


# ------------------------------------------------------------------ spreadsheet


def _write_csv(places: Places, reader: HistoryReader, words: argparse.Namespace) -> int:
    """Write all runs that match into the file, which is replaced only when it is whole; `-` is stdout."""
    runs = _runs_matching(reader, _filter_of(places, reader, words), words.n)
    if words.csv == "-":
        if sys.stdout is not None:
            write_csv(sys.stdout.buffer, runs, spoken_language())
        return exit_code.DONE
    part = f"{words.csv}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
            count = write_csv(file, runs, spoken_language())
        os.replace(part, words.csv)
    except OSError as error:
        with contextlib.suppress(OSError):  # it was never made, or its folder is gone
            os.unlink(part)
        raise SetupError("csv-unwritable", path=words.csv, reason=error.strerror or str(error)) from error
    forms = NN_("{count:number} run was written to {path}.", "{count:number} runs were written to {path}.")
    show(say_many(forms, count, path=words.csv))
    return exit_code.DONE
