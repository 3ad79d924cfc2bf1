"""`birkez demo`: a job that is started seven times, and does its work once.

The real command, as processes, on a real small database; only the orders are made up. The
table of causes is played in front of the person's eyes: a missed hour caught up, two starts
at once, starts by hand, a period asked for again. Then the totals are compared.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from trayapp import clock, exit_code
from trayapp.cli import demo_shop
from trayapp.cli.arguments import add_command
from trayapp.cli.child import birkez_argv, birkez_environment, exit_status_of
from trayapp.cli.terminal import TOKEN_PAINTS, columns, paint, show, warn
from trayapp.errors import SetupError, UsageError
from trayapp.lock.holder import read_state
from trayapp.places import find_places
from trayapp.runner.follow import Follower
from trayapp.settings import change_settings
from trayapp.wording.instants import show_window
from trayapp.wording.language import spoken_language
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from trayapp.cli.arguments import Subparsers
    from trayapp.cli.demo_shop import Shop
    from trayapp.places import Places

_JOB = "satis-ozet"
_HOURS = 3
_PAUSE_S = 0.9  # between two steps, so that eyes can follow; the whole stays under ten seconds
_LOCK_WAIT_S = 10.0
_LOOK_S = 0.01
_STARTS_BY_HAND = 3


def add_parsers(commands: Subparsers) -> None:
    """Offer `demo`."""
    parser = add_command(commands, "demo", _("See a job that is started seven times and does its work once."), _handle)
    parser.add_argument("--keep", metavar=_("DIR"), help=_("make the demo's files in this folder and leave them there"))
    parser.add_argument("--fast", action="store_true", help=_("do not pause between the steps"))


def _handle(words: argparse.Namespace) -> int:
    with _folder(words.keep) as folder:
        os.environ["BIRKEZ_HOME"] = os.path.join(folder, "birkez")  # of this process and those that it starts
        places = find_places()
        try:
            places.make_folders()
            change_settings(places, language=spoken_language())
            shop = demo_shop.open_shop(folder, _HOURS, spoken_language())
        except OSError as error:
            reason = error.strerror or str(error)
            raise SetupError("demo-folder-unusable", path=folder, reason=reason) from error
        is_right = Stage(places, shop, 0 if words.fast else _PAUSE_S).play()
        if words.keep:
            _tell_kept(folder)
    return exit_code.DONE if is_right else exit_code.EFFECT_FAILED


@contextlib.contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    """Folder of the demo: the one to keep, or a new one that is gone afterwards, however the demo ends."""
    if keep is not None:
        folder = os.path.abspath(keep)
        try:
            os.makedirs(folder, exist_ok=True)
            is_empty = not os.listdir(folder)
        except OSError as error:
            raise SetupError("demo-folder-unusable", path=folder, reason=error.strerror or str(error)) from error
        if not is_empty:
            raise UsageError("demo-folder-not-empty", path=folder)
        yield folder
        return
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    try:
        folder = tempfile.mkdtemp(prefix="birkez-demo-")
    except OSError as error:
        raise SetupError("demo-folder-unusable", path=tempfile.gettempdir(), reason=str(error)) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end(number: int, _frame: object) -> None:
    sys.exit(exit_code.STOPPED_BY_SIGNAL + number)


class Stage:
    """Plays the demo and tells what is seen."""

    def __init__(self, places: Places, shop: Shop, pause_s: float) -> None:
        self._places = places
        self._shop = shop
        self._pause_s = pause_s
        self._log = Follower(places.log_file(_JOB))
        self._starts = 0

    def play(self) -> bool:
        """Play all steps; returns whether the summary agrees with the orders.

        Raises: SetupError `demo-step-failed` when a command did not do what it should.
        """
        try:
            self._set_up()
            self._on_time()
            self._two_at_once()
            self._by_hand()
            self._asked_for_again()
            return self._compare()
        finally:
            self._log.close()

    def _set_up(self) -> None:
        count = demo_shop.order_count(self._shop)
        text = N_(
            "A small shop: {count:number} orders lie in satis.db. The job {job} adds them up, one hour at a time."
        )
        show(say(text, count=count, job=_JOB))
        show(_("Its summary table has no guard of its own: what ran twice would be counted twice."))
        show(_("The lines that end in a run's number are from the job's log; their times are universal time (UTC)."))
        self._command("job", "add", self._shop.job_file, "--id", _JOB, is_shown=False)

    def _on_time(self) -> None:
        self._head(_("1. The scheduler starts the job. So that step 2 finds something, it may take one hour only."))
        show("  " + _("Under a scheduler a run says nothing, but for its lines in the log:"))
        self._run("--trigger", "schedule", "--max-windows", "1")

    def _two_at_once(self) -> None:
        self._head(
            _("2. The computer was off for an hour. Back again, the job has two hours to do, and is started twice.")
        )
        with contextlib.closing(demo_shop.order_in_progress(self._shop)) as till:
            show("  " + _("The till is just saving an order, so the first of the two has to wait for the database."))
            first = self._start("--trigger", "schedule")
            try:
                self._wait_for_lock(first)
                self._run()
                till.execute("COMMIT")
                show("  " + _("The order is saved; the first of the two goes on:"))
                status = exit_status_of(first.wait())
            finally:
                first.kill()
        self._check(status, "run")
        self._show_log()

    def _by_hand(self) -> None:
        self._head(_("3. Somebody is unsure whether that went well, and starts it three more times."))
        for _number in range(_STARTS_BY_HAND):
            self._run()

    def _asked_for_again(self) -> None:
        self._head(_("4. And asks for the first hour once more."))
        self._run("--window", clock.format_instant(self._shop.opened_at))

    def _compare(self) -> bool:
        self._head(_("5. The summary beside the orders themselves:"))
        status = json.loads(self._command("status", _JOB, "--json", is_shown=False))
        until = clock.parse_instant(status["jobs"][0]["preview"]["done_up_to"])
        hours = demo_shop.compare(self._shop, until)
        head = ("", _("orders"), _("sum"), _("in the summary"), _("sum"), "")
        show(*(f"  {line}" for line in columns([head, *map(_row, hours)])))
        is_right = len(hours) >= _HOURS and all(hour.is_right for hour in hours)
        if is_right:
            text = N_(
                "{starts} starts, {hours} hours: each was done exactly once. Nothing is doubled, nothing is missing."
            )
            show("", paint(say(text, starts=self._starts, hours=len(hours)), "ok"))
        else:
            warn(_("The summary does not agree with the orders. That must not be: tell the makers of Birkez."))
        return is_right

    # ------------------------------------------------------------------ commands

    def _head(self, text: str) -> None:
        if self._pause_s:
            time.sleep(self._pause_s)
        show("", paint(text, "strong"))

    def _start(self, *options: str) -> subprocess.Popen[str]:
        self._starts += 1
        show(f"  $ birkez run {_JOB} {' '.join(options)} &")
        return subprocess.Popen(
            birkez_argv("run", _JOB, *options),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def _run(self, *options: str) -> None:
        self._starts += 1
        output = self._command("run", _JOB, *options)
        show(*(f"  {line}" for line in output.splitlines()))
        self._show_log()

    def _command(self, *words: str, is_shown: bool = True) -> str:
        if is_shown:
            show(f"  $ birkez {' '.join(words)}")
        ended = subprocess.run(
            birkez_argv(*words),
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        if ended.returncode:
            show(ended.stdout)
        self._check(exit_status_of(ended.returncode), words[0])
        return ended.stdout

    def _check(self, status: int, command: str) -> None:
        if status != exit_code.DONE:
            raise SetupError("demo-step-failed", command=f"birkez {command}", status=status)

    def _wait_for_lock(self, process: subprocess.Popen[str]) -> None:
        """Wait until *process* holds the job's lock: then it works, and a second start meets it."""
        deadline = time.monotonic() + _LOCK_WAIT_S
        while process.poll() is None and time.monotonic() < deadline:
            if read_state(self._places.lock_file(_JOB)).state == "held":
                return
            time.sleep(_LOOK_S)
        self._check(exit_status_of(process.poll() or exit_code.ENVIRONMENT), "run")

    def _show_log(self) -> None:
        for line in self._log.poll():
            at, token, rest = line.split(" ", 2)
            show(f"    {at} {paint(token, TOKEN_PAINTS.get(token, ''))} {rest}")


def _environment() -> dict[str, str]:
    return birkez_environment({"PYTHONIOENCODING": "utf-8"})  # what we read from the pipe


def _row(hour: demo_shop.Hour) -> tuple[str, ...]:
    ordered, summed = (show_number(kurus / 100, 2) for kurus in (hour.order_sum, hour.summed_sum))
    return (
        show_window(hour.start, hour.start + demo_shop.HOUR, now=clock.now()),
        show_number(hour.order_count),
        ordered,
        show_number(hour.summed_count),
        summed,
        paint(_("equal"), "ok") if hour.is_right else paint(_("NOT EQUAL"), "bad"),
    )


def _tell_kept(folder: str) -> None:
    home = os.path.join(folder, "birkez")
    setting = f'set "BIRKEZ_HOME={home}"' if sys.platform == "win32" else f'export BIRKEZ_HOME="{home}"'
    show("", say("Everything is kept in {path}. To go on with it yourself:", path=folder))
    show(f"  {setting}", f"  birkez run {_JOB}", f"  birkez status {_JOB}")
