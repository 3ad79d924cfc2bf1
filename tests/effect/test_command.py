"""What holds of a command on every system; real processes."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tests.effect.command_running import (
    KEY,
    RUN,
    SAY_IDENTITY,
    driver,
    identity_from,
    is_gone,
    never,
    output_of,
    perform,
    pid_in,
    python,
    say_of,
    unit,
    wait_for,
    writes_pid,
)
from trayapp.effect.child import held as held_module
from trayapp.effect.command import hold
from trayapp.errors import EffectError, SetupError
from trayapp.job.model import CommandEffect
from trayapp.process_identity import identity_of, is_alive

_TOUCH = "import sys; open(sys.argv[1], 'w').close()"


def test_exit_status_and_output_are_recorded(tmp_path):
    done = perform(CommandEffect(python("print('merhaba'); raise SystemExit(3)")), tmp_path)
    assert done.end == ("exited", 3)
    assert done.output.split() == ["merhaba"]


def test_child_exists_but_has_not_begun_before_the_gate_opens(tmp_path):
    touched = tmp_path / "touched"
    held = hold(CommandEffect(python(_TOUCH, str(touched))), unit(), str(tmp_path / "o.txt"))
    try:
        assert held.identity.start
        assert is_alive(held.identity)
    finally:
        held.abandon()
    assert is_gone(held.identity)
    assert not touched.exists()


def test_identity_stays_the_commands_after_the_gate(tmp_path):
    held = hold(CommandEffect(python(_TOUCH, str(tmp_path / "t"))), unit(), str(tmp_path / "o.txt"))
    held.open_gate()
    assert identity_of(held.identity.pid) in (held.identity, None)  # None: it has ended already
    assert held.wait(never) == ("exited", 0)
    assert is_gone(held.identity)
    assert (tmp_path / "t").exists()


def test_giving_up_twice_or_after_the_gate_does_nothing(tmp_path):
    held = hold(CommandEffect(python("raise SystemExit(4)")), unit(), str(tmp_path / "o.txt"))
    held.open_gate()
    held.abandon()
    assert held.wait(never) == ("exited", 4)
    held.abandon()
    held = hold(CommandEffect(python("")), unit(), str(tmp_path / "o.txt"))
    held.abandon()
    held.abandon()


def test_runner_killed_before_the_gate_takes_the_child_with_it(tmp_path):
    touched = tmp_path / "touched"
    code = f"held = hold(CommandEffect(python({_TOUCH!r}, sys.argv[1])), unit(), sys.argv[2])\n" + SAY_IDENTITY
    with driver(code + "sys.stdin = open(os.pipe()[0]); sys.stdin.read()", str(touched), str(tmp_path / "o")) as runner:
        identity = identity_from(say_of(runner))
        assert is_alive(identity)
        runner.kill()
        runner.wait()
        wait_for(lambda: is_gone(identity), "the held child leaves")
    assert not touched.exists()


def test_runner_killed_after_the_gate_leaves_the_command_alive_and_known(tmp_path):
    go, done = tmp_path / "go", tmp_path / "done"
    command = (
        "import sys, os, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(.01)\nopen(sys.argv[2], 'w').close()"
    )
    code = (
        f"held = hold(CommandEffect(python({command!r}, *sys.argv[1:3])), unit(), sys.argv[3])\nheld.open_gate()\n"
        + SAY_IDENTITY
        + "held.wait(never)"
    )
    with driver(code, str(go), str(done), str(tmp_path / "o")) as runner:
        identity = identity_from(say_of(runner))
        runner.kill()
        runner.wait()
        assert is_alive(identity)
        assert not done.exists()
        go.touch()
        wait_for(done.exists, "the command goes on to its end")
        wait_for(lambda: is_gone(identity), "the command ends")


def test_timeout_ends_the_whole_tree_and_keeps_the_output(tmp_path):
    file = tmp_path / "pid"
    sleep = "; import time; time.sleep(60)"
    code = (
        "import subprocess, sys; print('hi', flush=True);"
        f"subprocess.Popen([sys.executable, '-c', {writes_pid(file) + sleep!r}]){sleep}"
    )
    effect = CommandEffect(python(code), timeout_s=3.0 if sys.platform == "win32" else 1.0)
    done = perform(effect, tmp_path)
    grandchild = identity_of(pid_in(file))
    assert done.end.kind == "timed-out"
    assert effect.timeout_s <= done.seconds < effect.timeout_s + 2.5
    assert grandchild is None
    assert is_gone(done.identity)
    assert done.output.split() == ["hi"]


def test_timeout_counts_from_the_gate_and_not_from_the_wait(tmp_path):
    held = hold(CommandEffect(python("import time; time.sleep(60)"), timeout_s=0.3), unit(), str(tmp_path / "o"))
    held.open_gate()
    time.sleep(0.4)
    before = time.monotonic()
    assert held.wait(never).kind == "timed-out"
    assert time.monotonic() - before < 2.5


def test_stop_ends_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(held_module, "_STOP_GRACE_S", 0.5)
    ready = tmp_path / "ready"
    effect = CommandEffect(python(f"{writes_pid(ready)}; import time; time.sleep(60)"))
    done = perform(effect, tmp_path, stop=ready.exists)
    assert done.end.kind == "stopped"
    assert is_gone(done.identity)


def test_stop_that_comes_after_the_end_changes_nothing(tmp_path):
    held = hold(CommandEffect(python("raise SystemExit(5)")), unit(), str(tmp_path / "o"))
    held.open_gate()
    wait_for(lambda: is_gone(held.identity), "the end")
    assert held.wait(lambda: True) == ("exited", 5)


def test_descendant_that_keeps_the_output_open_keeps_nobody_waiting(tmp_path):
    file, go = tmp_path / "pid", tmp_path / "go"
    daemon = f"{writes_pid(file)}\nimport os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(.01)"
    code = f"import subprocess, sys; print('hi'); subprocess.Popen([sys.executable, '-c', {daemon!r}])"
    done = perform(CommandEffect(python(code)), tmp_path)
    daemon_identity = identity_of(pid_in(file))
    try:
        assert done.end == ("exited", 0)
        assert done.output.split() == ["hi"]
        assert daemon_identity is not None, "an ordinary end leaves what the command left running"
    finally:
        go.touch()
    wait_for(lambda: daemon_identity is None or is_gone(daemon_identity), "the daemon ends by itself")


def test_command_knows_its_period_key_job_and_run(tmp_path):
    names = ["BIRKEZ_START", "BIRKEZ_END", "BIRKEZ_KEY", "BIRKEZ_JOB", "BIRKEZ_RUN"]
    code = "import os, sys; print(*sys.argv[1:], *(os.environ[n] for n in %r), sep='\\n')" % names  # noqa: UP031
    done = perform(CommandEffect(python(code, "--from={start}", "{end}", "{key}")), tmp_path)
    start, end = "2026-09-04T10:00:00Z", "2026-09-04T11:00:00Z"
    assert done.output.split() == [f"--from={start}", end, KEY, start, end, KEY, "satis-ozet", RUN]


def test_words_reach_the_command_unchanged(tmp_path):
    words = ["a b", 'say "hi"', "", "C:\\x\\", "%PATH%", "^&|<>", "ğüşİ", "{print $1}"]
    code = "import sys; sys.stdout.buffer.write(ascii(sys.argv[1:]).encode())"
    done = perform(CommandEffect(python(code, *words)), tmp_path)
    assert done.output.strip() == ascii(words)


def test_shell_text_runs_in_the_systems_shell(tmp_path):
    variable = "%BIRKEZ_JOB%" if sys.platform == "win32" else "$BIRKEZ_JOB"
    done = perform(CommandEffect(shell=f'echo "{variable}" {{start}}&& exit 7'), tmp_path)
    assert done.output.strip().replace('"', "") == "satis-ozet 2026-09-04T10:00:00Z"
    assert done.end == ("exited", 7)


def test_command_runs_in_its_folder_and_reads_nothing_from_standard_input(tmp_path):
    code = "import os, sys; print(os.getcwd(), repr(sys.stdin.read()))"
    done = perform(CommandEffect(python(code), cwd=str(tmp_path)), tmp_path)
    assert done.output.strip() == f"{tmp_path} ''"


def test_command_without_a_folder_runs_in_the_persons_home(tmp_path):
    done = perform(CommandEffect(python("import os; print(os.getcwd())")), tmp_path)
    assert os.path.samefile(done.output.strip(), os.path.expanduser("~"))


def test_job_adds_to_the_environment_and_replaces_the_path(tmp_path):
    effect = CommandEffect(
        python("import os; print(os.environ['RENK'], os.environ['PATH'])"), env=(("RENK", "al"),), path="/a:/b"
    )
    assert perform(effect, tmp_path).output.split() == ["al", "/a:/b"]


@pytest.mark.parametrize(
    ("effect", "code"),
    [
        (CommandEffect(("birkez-no-such-program",)), "command-not-found"),
        (CommandEffect((os.path.join("no", "such", "program"),)), "command-not-found"),
        (CommandEffect((os.path.dirname(__file__),)), "command-is-folder"),
        (CommandEffect(python(""), cwd=os.path.join(os.path.dirname(__file__), "missing")), "command-folder-missing"),
        (CommandEffect(python("", "\0")), "command-not-started"),
        (CommandEffect(python(""), env=(("A=B", "c\0d"),)), "command-not-started"),
    ],
)
def test_command_that_cannot_start_says_why_and_leaves_no_child(tmp_path, effect, code):
    held = hold(effect, unit(), str(tmp_path / "o.txt"))
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == code
    assert is_gone(held.identity)
    held.abandon()


def test_output_that_cannot_be_kept_stops_before_anything_begins(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SetupError) as caught:
        hold(CommandEffect(python("")), unit(), str(tmp_path / "file" / "o.txt"))
    assert caught.value.code == "command-output-unwritable"
    assert caught.value.facts["path"] == str(tmp_path / "file" / "o.txt")


def test_unknown_encoding_stops_before_anything_begins(tmp_path):
    with pytest.raises(SetupError) as caught:
        hold(CommandEffect(python(""), encoding="cp12545"), unit(), str(tmp_path / "o.txt"))
    assert caught.value.code == "command-encoding-unknown"


def test_commands_of_one_run_follow_each_other_in_its_output_under_their_keys(tmp_path):
    perform(CommandEffect(python("print('bir', end='')")), tmp_path)
    perform(CommandEffect(python("")), tmp_path, of=unit(key="silent"))
    perform(CommandEffect(python("print('iki')")), tmp_path, of=unit(key="k2"))
    lines = (tmp_path / "output" / "kosum.txt").read_text(encoding="utf-8").split("\n")
    assert [line.strip() for line in lines] == [f"--- {KEY}", "bir", "--- k2", "iki", ""]


def test_output_tail_is_there_for_messages(tmp_path):
    held = hold(CommandEffect(python("print('x' * 9000 + 'son')")), unit(), str(tmp_path / "o.txt"))
    held.open_gate()
    held.wait(never)
    assert held.output_tail(6).strip() == ("xson" if sys.platform == "win32" else "xxson")
    assert held.output_tail(0) == ""


@pytest.mark.parametrize("encoding", ["cp857", "cp1254", "iso8859-9"])
def test_jobs_encoding_shows_turkish_letters(tmp_path, encoding):
    code = f"import sys; sys.stdout.buffer.write('ğüşıöçĞÜŞİÖÇ'.encode({encoding!r}))"
    assert perform(CommandEffect(python(code), encoding=encoding), tmp_path).output == "ğüşıöçĞÜŞİÖÇ\n"


def test_any_bytes_are_kept_readable_and_never_change_the_result(tmp_path):
    code = (
        "import sys; w = sys.stdout.buffer.write\n"
        "w('ğüş'.encode()); w(b'\\0\\n'); w(b'x' * 1_000_000 + b'\\n'); w(b'[\\x9d]'); sys.exit(9)"
    )
    done = perform(CommandEffect(python(code)), tmp_path)
    first, long, last, _ = done.output.split("\n")
    assert done.end == ("exited", 9)
    assert first == "ğüş\0"
    assert long == "x" * 1_000_000
    console = b"\x9d".decode("oem" if sys.platform == "win32" else "ascii", "backslashreplace")
    assert last == f"[{console}]"


def test_flood_of_output_keeps_beginning_and_end(tmp_path):
    code = "import sys; sys.stdout.write(''.join(f'{n}\\n' for n in range(600_000)))"
    done = perform(CommandEffect(python(code)), tmp_path)
    assert done.end == ("exited", 0)
    size = os.path.getsize(tmp_path / "output" / "kosum.txt")
    assert 2 << 20 <= size <= (2 << 20) + 200
    lines = done.output.split()
    assert lines[0] == "0"
    assert lines[-1] == "599999"
    assert "bytes" in lines


def test_output_of_is_readable_by_its_owner_alone(tmp_path):
    perform(CommandEffect(python("print(1)")), tmp_path)
    file = tmp_path / "output" / "kosum.txt"
    assert output_of(file).strip() == "1"
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
