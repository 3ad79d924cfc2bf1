"""The play of `birkez demo`: its steps, the real commands behind them, and what is seen."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time

from trayapp import clock, exit_code
from trayapp.cli.child import exit_status_of, start_birkez
from trayapp.cli.demo_shop import HOUR, JOB, compare, order_count, order_in_progress
from trayapp.cli.terminal import TOKEN_PAINTS, columns, paint, show, warn
from trayapp.errors import SetupError
from trayapp.lock.holder import read_state
from trayapp.log.follow import Follower
from trayapp.wording.instants import show_window
from trayapp.wording.mark import N_
from trayapp.wording.numbers import show_number
from trayapp.wording.speech import _, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

    from trayapp.cli.demo_shop import Hour, Shop
    from trayapp.places import Places

HOURS = 3
_LOCK_WAIT_S = 30.0  # a busy computer needs seconds to start a process
_LOOK_S = 0.01
_STARTS_BY_HAND = 3


class Ending:
    """Notes the wish to end (Ctrl-C, log-off), which is then followed between two commands.

    An exception out of the handler could leave a command behind that nobody knows of, and
    that would write into a folder which is being removed.
    """

    def __init__(self) -> None:
        self._number = 0

    def install(self) -> None:
        """Take over the signals that mean "end"."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._note)

    def check(self) -> None:
        """End the demo when that is wished.

        Raises: SystemExit with the status that tells of the signal.
        """
        if self._number:
            raise SystemExit(exit_code.STOPPED_BY_SIGNAL + self._number)

    def rest(self, seconds: float) -> None:
        """Do nothing for *seconds*, or until the end is wished; raises as `check`."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.check()
            threading.Event().wait(min(left, 0.05))

    def _note(self, number: int, _frame: object) -> None:
        self._number = self._number or number


class Stage:
    """Plays the demo and tells what is seen."""

    def __init__(self, places: Places, shop: Shop, ending: Ending, pause_s: float) -> None:
        self._places = places
        self._shop = shop
        self._ending = ending
        self._pause_s = pause_s
        self._log = Follower(places.log_file(JOB))
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
        count = order_count(self._shop)
        text = N_(
            "A small shop: {count:number} orders lie in satis.db. The job {job} adds them up, one hour at a time."
        )
        show(say(text, count=count, job=JOB))
        show(_("Its summary table has no guard of its own: what ran twice would be counted twice."))
        show(_("The lines that begin with a date are from the job's log; their times are universal time (UTC)."))
        self._command("job", "add", self._shop.job_file, "--id", JOB, is_shown=False)

    def _on_time(self) -> None:
        self._head(_("1. The scheduler starts the job. So that step 2 finds something, it may take one hour only."))
        show("  " + _("Under a scheduler a run says nothing, but for its lines in the log:"))
        self._run("--trigger", "schedule", "--max-windows", "1")

    def _two_at_once(self) -> None:
        self._head(
            _("2. The computer was off for an hour. Back again, the job has two hours to do, and is started twice.")
        )
        with contextlib.closing(order_in_progress(self._shop)) as till:
            show("  " + _("The till is just saving an order, so the first of the two has to wait for the database."))
            first = self._start("--trigger", "schedule")
            try:
                self._wait_for_lock(first)
                self._run()
                till.execute("COMMIT")
                show("  " + _("The order is saved; the first of the two goes on:"))
                status = exit_status_of(first.wait())
            finally:
                first.kill()  # if a step before its end went wrong
                first.wait()
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
        status = json.loads(self._command("status", JOB, "--json", is_shown=False))
        until = clock.parse_instant(status["jobs"][0]["preview"]["done_up_to"])
        hours = compare(self._shop, until)
        head = ("", _("orders"), _("sum"), _("in the summary"), _("sum"), "")
        show(*(f"  {line}" for line in columns([head, *map(_row, hours)])))
        is_right = len(hours) >= HOURS and all(hour.is_right for hour in hours)
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
        self._ending.rest(self._pause_s)
        show("", paint(text, "strong"))

    def _start(self, *options: str) -> subprocess.Popen[str]:
        self._starts += 1
        show(f"  $ birkez run {JOB} {' '.join(options)} &")
        return start_birkez("run", JOB, *options, keeps_output=False)

    def _run(self, *options: str) -> None:
        self._starts += 1
        output = self._command("run", JOB, *options)
        show(*(f"  {line}" for line in output.splitlines()))
        self._show_log()

    def _command(self, *words: str, is_shown: bool = True) -> str:
        if is_shown:
            show(f"  $ birkez {' '.join(words)}")
        process = start_birkez(*words, keeps_output=True)
        output, _nothing = process.communicate()
        if process.returncode:
            show(output)
        self._check(exit_status_of(process.returncode), words[0])
        return output

    def _check(self, status: int, command: str) -> None:
        self._ending.check()
        if status != exit_code.DONE:
            raise SetupError("demo-step-failed", command=f"birkez {command}", status=status)

    def _wait_for_lock(self, process: subprocess.Popen[str]) -> None:
        """Wait until *process* holds the job's lock: then it works, and a second start meets it."""
        deadline = time.monotonic() + _LOCK_WAIT_S
        while process.poll() is None and time.monotonic() < deadline:
            if read_state(self._places.lock_file(JOB)).state == "held":
                return
            self._ending.rest(_LOOK_S)
        self._check(exit_status_of(process.poll() or exit_code.ENVIRONMENT), "run")

    def _show_log(self) -> None:
        for line in self._log.poll():
            at, token, rest = line.split(" ", 2)
            show(f"    {at} {paint(token, TOKEN_PAINTS.get(token, ''))} {rest}")


def _row(hour: Hour) -> tuple[str, ...]:
    ordered, summed = (show_number(kurus / 100, 2) for kurus in (hour.order_sum, hour.summed_sum))
    return (
        show_window(hour.start, hour.start + HOUR, now=clock.now()),
        show_number(hour.order_count),
        ordered,
        show_number(hour.summed_count),
        summed,
        paint(_("equal"), "ok") if hour.is_right else paint(_("NOT EQUAL"), "bad"),
    )
