"""A command that began: done, nothing done, or uncertain; and what the next start may do about it."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import sys
from pathlib import Path

import pytest

from tests.runner.office import Office, utc, wait_until
from trayapp.errors import StateError
from trayapp.runner.by_hand import resolve, set_watermark, skip

AT_11, AT_12 = "2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z"
KEY = "posta:2026-09-04T10:00:00+00:00"
SEND = 'echo "$BIRKEZ_KEY" >> gonderilen'
# Sends, then waits until somebody makes `dur`; tells its pid.
SEND_AND_WAIT = f"{SEND}; echo $$ > canli; while [ ! -e dur ]; do sleep 0.02; done"

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime; many processes


def sent(office: Office) -> list[str]:
    path = office.folder / "gonderilen"
    return path.read_text().splitlines() if path.exists() else []


def kill_runner_of_living_command(office: Office, effect: str = "") -> int:
    """Kill the runner the moment its command is at work; returns the command's pid."""
    office.command_job("posta", SEND_AND_WAIT, effect=effect)
    runner = office.start("posta", at=AT_11)
    pid_file = office.folder / "canli"
    wait_until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"))
    runner.kill()
    runner.wait()
    return int(pid_file.read_text())


def wait_for_end(pid: int) -> None:
    def has_ended() -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    wait_until(has_ended)


# ------------------------------------------------------------- how it can end


@pytest.mark.parametrize(
    ("shell", "effect", "code", "word"),
    [
        (f"{SEND}; exit 3", "", "command-failed", "3"),
        (f"{SEND}; kill -9 $$", "", "command-signalled", "9"),
        (f"{SEND}; sleep 30", 'timeout = "1s"', "command-timed-out", "1"),
        (f"{SEND}; exit 75", "nothing_done = [76]", "command-failed", "75"),
    ],
)
def test_end_that_tells_nothing_is_uncertain_and_is_not_tried_again(
    office: Office, shell: str, effect: str, code: str, word: str
) -> None:
    office.command_job("posta", shell, effect=effect)
    ran = office.run("posta", at=AT_12)
    assert (ran.status, ran.said) == (5, [("BELIRSIZ", code)])
    line = ran.lines[0]
    assert line.fields["anahtar"] == KEY
    assert word in line.fields["ileti"]
    assert "resolve posta" in ran.printed
    assert ran.row is not None
    assert (ran.row.outcome, ran.row.waiting) == ("uncertain", 2)

    again = office.run("posta", at=AT_12)
    assert (again.status, again.said, again.printed) == (5, [("ATLANDI", "belirsiz")], "")
    assert sent(office) == [KEY]
    assert office.watermark("posta") == "2026-09-04T10:00:00Z"


def test_end_with_zero_is_done(office: Office) -> None:
    office.command_job("posta", SEND)
    ran = office.run("posta", at=AT_12)
    assert (ran.status, ran.said) == (0, [("ISLENDI", "")] * 2)
    assert sent(office) == [KEY, KEY.replace("T10", "T11")]


@pytest.mark.parametrize(
    ("effect", "code"), [("repeatable = true", "command-failed"), ("nothing_done = [75]", "command-nothing-done")]
)
def test_repeatable_command_is_tried_again_under_the_same_key_until_it_succeeds(
    office: Office, effect: str, code: str
) -> None:
    office.command_job("posta", f"{SEND}; [ -e tamir ] || exit 75", effect=effect)
    for attempt in ("1", "2", "3"):
        ran = office.run("posta", at=AT_11)
        assert (ran.status, ran.said) == (1, [("HATA", code)])
        assert ran.lines[0].fields["deneme"] == attempt
        assert bool(ran.printed) == (attempt == "1"), "only the first failure of a streak is told"
    (office.folder / "tamir").touch()
    ran = office.run("posta", at=AT_11)
    assert (ran.status, ran.said) == (0, [("ISLENDI", "")])
    assert sent(office) == [KEY] * 4


def test_codes_of_nothing_done_leave_others_uncertain(office: Office) -> None:
    office.command_job("posta", f"{SEND}; exit $(cat kod)", effect="nothing_done = [75]")
    (office.folder / "kod").write_text("75")
    assert office.run("posta", at=AT_11).status == 1
    (office.folder / "kod").write_text("76")
    assert office.run("posta", at=AT_11).status == 5
    assert sent(office) == [KEY] * 2


def test_what_a_command_printed_is_kept_with_its_key(office: Office) -> None:
    office.command_job("posta", "echo 'gönderildi: 3 ileti'; exit 1")
    ran = office.run("posta", at=AT_11)
    assert ran.row is not None
    output = Path(office.places.output_file("posta", ran.row.run)).read_text(encoding="utf-8")
    assert output == f"--- {KEY}\ngönderildi: 3 ileti\n"


# --------------------------------------------------------- exec never happened


def _not_executable(script: Path) -> None:
    script.write_text("#!/bin/sh\n", encoding="utf-8")


def _without_first_line(script: Path) -> None:
    script.write_text("echo merhaba\n", encoding="utf-8")
    script.chmod(0o700)


def _with_windows_line_ends(script: Path) -> None:
    script.write_bytes(b"#!/bin/sh\r\nexit 0\r\n")
    script.chmod(0o700)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (Path.exists, "command-not-found"),
        (Path.mkdir, "command-is-folder"),
        (_not_executable, "command-not-executable"),
        (_without_first_line, "command-no-shebang"),
        (_with_windows_line_ends, "command-windows-line-ends"),
    ],
)
def test_command_that_cannot_be_started_leaves_no_mark_and_is_tried_again(office: Office, make, code: str) -> None:
    script = office.folder / "gonder"
    make(script)
    office.job("posta", f'kind = "command"\nargv = ["{script}"]\ncwd = "{office.folder}"')
    for attempt in ("1", "2"):
        ran = office.run("posta", at=AT_11)
        assert (ran.status, ran.said) == (1, [("HATA", code)])
        assert ran.lines[0].fields["deneme"] == attempt
        assert office.states("posta") == [("10:00", "failed", int(attempt))]
        assert bool(ran.printed) == (attempt == "1")
    if script.is_dir():
        script.rmdir()
    script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(office.folder))}\n{SEND}\n", encoding="utf-8")
    script.chmod(stat.S_IRWXU)
    assert office.run("posta", at=AT_11).said == [("ISLENDI", "")]
    assert sent(office) == [KEY]


# ----------------------------------------------------- the runner was killed


def test_command_that_outlives_its_runner_is_waited_for_and_then_uncertain(office: Office) -> None:
    pid = kill_runner_of_living_command(office)
    for trigger in ("schedule", "manual"):
        ran = office.run("posta", trigger=trigger, at=AT_12)
        assert ran.status == 0
        assert len(ran.lines) == 1, "the ledger is the one that its runner noted before the command began"
        assert ran.lines[-1].fields["sebep"] == "kilit"
        assert ran.lines[-1].fields["pid"] == str(pid)
    (office.folder / "dur").touch()
    wait_for_end(pid)
    ran = office.run("posta", at=AT_12)
    assert (ran.status, ran.said) == (5, [("BELIRSIZ", "command-died"), ("ATLANDI", "belirsiz")])
    assert "resolve posta" in ran.printed
    assert sent(office) == [KEY]


def test_killed_between_the_effect_and_its_mark(office: Office) -> None:
    # P66: the mail is out, then runner and command are killed. Next the scheduler, then a person, then a decision.
    pid = kill_runner_of_living_command(office)
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    assert office.states("posta") == [("10:00", "started", 1)]
    assert office.run("posta", at=AT_12).status == 5
    assert office.run("posta", trigger="manual", at=AT_12).status == 5
    asked = office.run("posta", "--window", "2026-09-04T10:00:00Z", trigger="manual", at=AT_12)
    assert asked.said == [("ATLANDI", "belirsiz")]
    assert sent(office) == [KEY]

    (office.folder / "dur").touch()
    resolve(office.places, "posta", KEY, done=False, reason="karşı tarafta yok")
    assert office.run("posta", at=AT_11).said == [("HATA", "yarida kesildi"), ("ISLENDI", "")]
    assert sent(office) == [KEY, KEY], "the same key again, by which the service can tell"


def test_repeatable_command_whose_runner_was_killed_is_done_again_by_itself(office: Office) -> None:
    pid = kill_runner_of_living_command(office, "repeatable = true")
    assert office.run("posta", at=AT_11).lines[-1].fields["sebep"] == "kilit", "not while it lives"
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    (office.folder / "dur").touch()
    ran = office.run("posta", at=AT_11)
    assert ran.status == 0
    assert ran.said == [("HATA", "command-died"), ("HATA", "yarida kesildi"), ("ISLENDI", "")]
    assert sent(office) == [KEY, KEY]
    assert office.standing("posta").rows == ()


# The shell waits for what it has started, which sends and then waits until somebody makes `dur`.
SHELL_AND_CHILD = (
    f"({SEND}; sh -c 'echo $PPID' > canli; while [ ! -e dur ]; do sleep 0.02; done) & echo $$ > kabuk; wait"
)


@pytest.mark.parametrize("killed", ["runner and shell", "shell alone"])
@pytest.mark.parametrize("effect", ["", "repeatable = true"])
def test_what_the_killed_shell_had_started_is_waited_for(office: Office, effect: str, killed: str) -> None:
    office.command_job("posta", SHELL_AND_CHILD, effect=effect)
    runner = office.start("posta", at=AT_11)
    pid_file, shell_file = office.folder / "canli", office.folder / "kabuk"
    wait_until(lambda: all(path.exists() and path.read_text().endswith("\n") for path in (pid_file, shell_file)))
    shell, child = int(shell_file.read_text()), int(pid_file.read_text())
    assert shell != child
    if killed == "runner and shell":
        runner.kill()
    os.kill(shell, signal.SIGKILL)
    wait_for_end(shell)
    runner.wait()
    ran = office.run("posta", at=AT_12)
    assert (ran.status, ran.lines[-1].fields["sebep"]) == (0, "kilit")
    if not effect:
        with pytest.raises(StateError, match="command-still-running"):
            resolve(office.places, "posta", KEY, done=True, reason="bekleyemem")
    assert sent(office) == [KEY]
    (office.folder / "dur").touch()
    wait_for_end(child)
    wait_until(lambda: office.run("posta", at=AT_11).said[-1] != ("ATLANDI", "kilit"))  # its last `sleep`
    assert sent(office) == [KEY] * (2 if effect else 1)
    assert [state for _, state, _ in office.states("posta")] == ([] if effect else ["uncertain"])


def test_killed_run_is_shown_as_cut_off_once_the_next_one_works(office: Office) -> None:
    pid = kill_runner_of_living_command(office, "repeatable = true")
    assert [run.outcome for run in office.history("posta")] == ["running"]
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    (office.folder / "dur").touch()
    office.run("posta", at="2026-09-04T11:10:00Z")
    assert [(run.outcome, run.reason) for run in office.history("posta")] == [
        ("stopped", "yarida kesildi"),
        ("done", ""),
    ]


# ------------------------------------------------------------------ the order


def test_windows_before_the_uncertain_one_are_done_first(office: Office) -> None:
    office.command_job("posta", f'{SEND}; case "$BIRKEZ_START" in *T12:*) exit 1;; esac')
    office.run_here("posta", "2026-09-04T15:00:00Z", "manual", window=utc("2026-09-04T12:00:00Z"))
    answer, ran = office.run_here("posta", "2026-09-04T15:00:00Z")
    assert (answer.exit_status, answer.windows, answer.waiting) == (5, 2, 3)
    assert ran.said == [("ISLENDI", ""), ("ISLENDI", ""), ("ATLANDI", "belirsiz")]
    resolve(office.places, "posta", KEY.replace("T10", "T12"), done=True, reason="gitmiş")
    answer, ran = office.run_here("posta", "2026-09-04T15:00:00Z")
    assert (answer.exit_status, answer.windows) == (0, 2)
    assert [key[17:19] for key in sent(office)] == ["12", "10", "11", "13", "14"]


def test_nobody_settles_a_window_while_its_command_is_at_work(office: Office) -> None:
    pid = kill_runner_of_living_command(office)
    office.set_clock(AT_12)
    try:
        with pytest.raises(StateError, match="command-still-running"):
            skip(office.places, "posta", utc("2026-09-04T10:00:00Z"), "bekleyemem")
        with pytest.raises(StateError, match="command-still-running"):
            set_watermark(office.places, "posta", utc("2026-09-04T12:00:00Z"), "bekleyemem")
    finally:
        os.kill(pid, signal.SIGKILL)
        wait_for_end(pid)
    assert office.states("posta") == [("10:00", "started", 1)]


def test_command_whose_end_cannot_be_recorded_is_uncertain_at_once(office: Office) -> None:
    code = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]);"
        ' c.execute("BEGIN IMMEDIATE"); open("tutuldu", "w").close(); time.sleep(8)'
    )
    words = ["env", "-u", "LD_PRELOAD", sys.executable, "-c", code, os.fspath(office.places.ledger_db)]
    lock_ledger = f"{shlex.join(words)} > tut.txt 2>&1 &"
    wait = "while [ ! -e tutuldu ]; do sleep 0.05; done"
    office.command_job("posta", f"{lock_ledger}\n{wait}\n{SEND}", effect='timeout = "2s"')
    ran = office.run("posta", at=AT_11)
    assert (ran.status, ran.said) == (5, [("BELIRSIZ", "command-unrecorded")])
    assert sent(office) == [KEY]
