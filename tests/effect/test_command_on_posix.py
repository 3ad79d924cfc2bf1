"""Sessions, signals, descriptors and refusals of Linux and macOS; real processes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from tests.effect.command_running import (
    CHECKOUT,
    LONG_S,
    SAY_IDENTITY,
    driver,
    identity_from,
    is_gone,
    never,
    perform,
    pid_in,
    python,
    say_of,
    unit,
    wait_for,
    writes_pid,
)
from trayapp.effect.child import held as held_module
from trayapp.effect.child import tree
from trayapp.effect.command import hold
from trayapp.errors import EffectError
from trayapp.job.model import CommandEffect
from trayapp.process_identity import identity_of

pytestmark = pytest.mark.posix


def _alive(pid: int) -> bool:
    return identity_of(pid) is not None


# Refusals, P96


def _script(path, text: bytes, mode: int = 0o755) -> str:
    path.write_bytes(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize(
    ("text", "mode", "code"),
    [
        (b"echo hi\n", 0o755, "command-no-shebang"),
        (b"", 0o755, "command-no-shebang"),
        (b"#!/bin/sh\r\necho hi\r\n", 0o755, "command-windows-line-ends"),
        (b"#!/no/such/interpreter -x\n", 0o755, "command-bad-interpreter"),
        (b"#!\n", 0o755, "command-bad-interpreter"),
        (b"#!/bin/sh\necho hi\n", 0o644, "command-not-executable"),
        (b"MZ\x90\0\x03\0\0\0", 0o755, "command-not-a-program"),
    ],
)
def test_script_that_cannot_start_says_why(tmp_path, text, mode, code):
    path = _script(tmp_path / "betik", text, mode)
    held = hold(CommandEffect((path,)), unit(), str(tmp_path / "o.txt"))
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == code
    assert caught.value.facts["path"] == path
    assert is_gone(held.identity)


def test_folder_that_no_system_can_name_is_no_begun_command(tmp_path):
    held = hold(CommandEffect(("true",), cwd="/tmp\0"), unit(), str(tmp_path / "o.txt"))
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == "command-not-started"


def test_interpreter_that_is_missing_is_named(tmp_path):
    path = _script(tmp_path / "betik", b"#!/bin/yok\r\n")
    held = hold(CommandEffect((path,)), unit(), str(tmp_path / "o.txt"))
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.facts["interpreter"] == "/bin/yok"


def test_path_is_searched_past_what_may_not_run(tmp_path):
    for folder, text, mode in (("a", b"", 0o644), ("b", b"#!/bin/sh\necho found\n", 0o755)):
        (tmp_path / folder).mkdir()
        _script(tmp_path / folder / "betik", text, mode)
    (tmp_path / "c" / "betik").mkdir(parents=True)
    path = os.pathsep.join(str(tmp_path / folder) for folder in "cab")
    assert perform(CommandEffect(("betik",), path=path), tmp_path).output == "found\n"


def test_relative_command_starts_at_the_jobs_folder(tmp_path):
    (tmp_path / "bin").mkdir()
    _script(tmp_path / "bin" / "betik", b"#!/bin/sh\necho here\n")
    assert perform(CommandEffect(("bin/betik",), cwd=str(tmp_path)), tmp_path).output == "here\n"


# Ending a tree, P88 and P90


def test_timeout_ends_what_the_shell_left_in_the_background(tmp_path):
    text = f"sleep 30 & echo $!. > {shlex.quote(str(tmp_path))}/pid; echo hi; sleep 30"
    (tmp_path / "pid").touch()
    done = perform(CommandEffect(shell=text, timeout_s=0.5), tmp_path)
    assert done.end == ("timed-out", signal.SIGTERM)
    assert done.seconds < 2.5
    assert done.output == "hi\n"
    assert not _alive(int((tmp_path / "pid").read_text().strip().rstrip(".")))


def test_command_that_does_not_heed_sigterm_is_killed(tmp_path):
    done = perform(CommandEffect(shell="trap '' TERM; sleep 60", timeout_s=0.3), tmp_path)
    assert done.end == ("timed-out", signal.SIGKILL)
    assert done.seconds < 2.3


def test_timeout_lets_the_command_tidy_up(tmp_path):
    done = perform(CommandEffect(shell="trap 'echo tidy; exit 6' TERM; sleep 60 & wait", timeout_s=0.3), tmp_path)
    assert done.end == ("timed-out", 6)
    assert done.output == "tidy\n"


def test_stop_waits_for_the_command_to_finish_the_mail_at_hand(tmp_path):
    text = f"trap 'sleep 1.2; echo sent; exit 0' TERM; echo > {shlex.quote(str(tmp_path))}/ready; sleep 60 & wait"
    done = perform(CommandEffect(shell=text), tmp_path, stop=(tmp_path / "ready").exists)
    assert done.end == ("stopped", 0)
    assert done.output == "sent\n"


def test_stopped_process_is_ended_too(tmp_path):
    done = perform(CommandEffect(shell="kill -STOP $$; echo went on", timeout_s=0.2), tmp_path)
    assert done.end == ("timed-out", signal.SIGTERM)


# A daemon of a daemon, deaf to SIGTERM: no session, group or parent leads to it.
_DAEMON = """
import os, signal, sys, time
signal.signal(15, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
open(sys.argv[1], 'w').write(str(os.getpid()) + '.')
time.sleep(60)
"""
_START_DAEMON = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_DAEMON!r}, sys.argv[1]])"


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(held_module, "_STOP_GRACE_S", 0.3)


@pytest.mark.parametrize("by", ["proc", "psutil"])
def test_descendant_that_left_session_and_parents_is_found(tmp_path, monkeypatch, short_grace, by):
    monkeypatch.setattr(tree, "_entries_of_proc", getattr(tree, f"_entries_of_{by}"))
    monkeypatch.setattr(tree, "_has_tag_in_proc", tree._has_tag_in_proc if by == "proc" else tree._has_tag_by_psutil)
    pid = tmp_path / "pid"
    perform(CommandEffect(python(_START_DAEMON + "; import time; time.sleep(60)", str(pid))), tmp_path, stop=pid.exists)
    assert not _alive(pid_in(pid))


def test_timeout_spares_the_daemon_of_an_earlier_unit_of_the_same_run(tmp_path):
    perform(CommandEffect(python(_START_DAEMON, str(tmp_path / "pid"))), tmp_path)
    daemon = pid_in(tmp_path / "pid")
    try:
        perform(CommandEffect(shell="sleep 30", timeout_s=0.2), tmp_path, of=unit(key="next"))
        assert _alive(daemon)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_timeout_hits_nobody_else(tmp_path):
    """The runner in its parent's group, a sentinel beside it: only the command's own group is signalled."""
    code = (
        "import subprocess\nsentinel = subprocess.Popen(['sleep', '60'])\n"
        "held = hold(CommandEffect(shell='sleep 60', timeout_s=.2), unit(), sys.argv[1])\n"
        "held.open_gate()\n"
        "assert os.getsid(held.identity.pid) == os.getpgid(held.identity.pid) == held.identity.pid\n"
        "end = held.wait(never)\nsay(end.kind, sentinel.poll())\nsentinel.kill(); sentinel.wait()"
    )
    shell = subprocess.Popen(["sleep", "60"])
    try:
        with driver(code, str(tmp_path / "o")) as runner:
            assert say_of(runner) == ["timed-out", "None"]
            assert runner.wait() == 0
        assert shell.poll() is None
    finally:
        shell.kill()
        shell.wait()


def test_child_that_ended_just_before_the_kill_is_no_error(tmp_path):
    """The pid is held as a zombie, so the signal goes to nobody."""
    held = hold(CommandEffect(shell="exit 3"), unit(), str(tmp_path / "o"))
    held.open_gate()
    wait_for(lambda: is_gone(held.identity), "the end")
    held._ask_tree_to_end()
    held._kill_tree()
    assert held.wait(never) == ("exited", 3)


def test_no_program_is_started_to_end_a_tree(tmp_path, monkeypatch):
    def refuse(*_words, **_more):
        raise AssertionError

    held = hold(CommandEffect(shell="sleep 60", timeout_s=0.2), unit(), str(tmp_path / "o"))
    held.open_gate()
    for name in ("fork", "posix_spawn", "system"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert held.wait(never).kind == "timed-out"


def test_nested_runner_and_its_command_end_with_the_outer_one(tmp_path, short_grace):
    """The inner command has a session, a run and a key of its own, and the runner between does not end it."""
    pid = tmp_path / "pid"
    deaf = f"import signal, time; signal.signal(15, signal.SIG_IGN); {writes_pid(pid)}; time.sleep(60)"
    inner = (
        "from tests.effect.command_running import *\n"
        f"held = hold(CommandEffect(python({deaf!r})), unit('inner', 'inner-key'), {str(tmp_path / 'inner')!r})\n"
        "held.open_gate()\nheld.wait(never)"
    )
    perform(CommandEffect(python(inner), env=(("PYTHONPATH", str(CHECKOUT)),)), tmp_path, stop=pid.exists)
    assert not _alive(pid_in(pid))


# How it ended


def test_signal_that_ended_the_command_is_named(tmp_path):
    assert perform(CommandEffect(shell="kill -USR1 $$"), tmp_path).end == ("signalled", signal.SIGUSR1)


def test_exit_status_is_known_though_the_runner_ignored_sigchld(tmp_path):
    code = (
        "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "held = hold(CommandEffect(shell='exit 7'), unit(), sys.argv[1])\nheld.open_gate()\nsay(*held.wait(never))"
    )
    with driver(code, str(tmp_path / "o")) as runner:
        assert say_of(runner) == ["exited", "7"]


def test_end_that_somebody_else_collected_is_not_taken_for_success(tmp_path):
    held = hold(CommandEffect(shell="exit 0"), unit(), str(tmp_path / "o"))
    held.open_gate()
    os.waitpid(held.identity.pid, 0)
    assert held.wait(never).kind == "signalled"


@pytest.mark.parametrize("missing", ["pidfd_open", "waitid"])
def test_older_systems_serve_too(tmp_path, monkeypatch, missing):
    monkeypatch.delattr(os, missing, raising=False)
    if missing == "pidfd_open":

        def refuse(_pid):
            raise OSError(38, "Function not implemented")

        monkeypatch.setattr(os, missing, refuse, raising=False)
    assert perform(CommandEffect(shell="exit 4"), tmp_path).end == ("exited", 4)
    done = perform(CommandEffect(shell="(trap '' TERM; sleep 30) & sleep 30", timeout_s=0.3), tmp_path)
    assert done.end.kind == "timed-out"
    assert done.seconds < 3.0


# What the child inherits


@pytest.mark.linux
def test_command_inherits_no_descriptor_but_the_three(tmp_path):
    own_stdin = os.dup(0)
    kept = os.open(tmp_path, os.O_RDONLY)
    os.dup2(kept, 0)
    os.set_inheritable(kept, True)
    try:
        done = perform(CommandEffect(shell="ls /proc/self/fd; readlink /proc/self/fd/0"), tmp_path)
    finally:
        os.dup2(own_stdin, 0)
        os.close(own_stdin)
        os.close(kept)
    *listed, null = done.output.split()
    assert listed == ["0", "1", "2", "3"]  # 3 is the listing's own
    assert null == "/dev/null"


def test_daemon_of_a_command_does_not_hold_the_runners_lock(tmp_path):
    """P31: `sleep 30 &` in a command, then the job is started again."""
    import fcntl

    code = (
        "import fcntl, shlex\nlock = open(sys.argv[1], 'w'); os.set_inheritable(lock.fileno(), True)\n"
        "fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "held = hold(CommandEffect(shell='sleep 30 & echo $!. > ' + shlex.quote(sys.argv[3])), unit(), sys.argv[2])\n"
        "held.open_gate()\nsay(*held.wait(never))"
    )
    words = [str(tmp_path / name) for name in ("lock", "o", "pid")]
    with driver(code, *words) as runner:
        assert say_of(runner) == ["exited", "0"]
        runner.wait()
        daemon = int((tmp_path / "pid").read_text().strip().rstrip("."))
        try:
            assert _alive(daemon)
            with open(words[0]) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.kill(daemon, signal.SIGKILL)


@pytest.mark.linux
def test_held_child_does_not_hold_the_runners_lock_before_its_gate(tmp_path):
    lock = tmp_path / "lock"
    with open(lock, "w"):
        held = hold(CommandEffect(shell="true"), unit(), str(tmp_path / "o"))
        folder = f"/proc/{held.identity.pid}/fd"
        wait_for(lambda: len(os.listdir(folder)) == 5, "the child closes all but standard streams, gate and report")
        assert str(lock) not in [os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)]
        held.abandon()


@pytest.mark.linux
def test_command_finds_signals_as_a_login_shell_leaves_them(tmp_path):
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        done = perform(CommandEffect(shell="grep -E '^Sig(Blk|Ign)' /proc/self/status"), tmp_path)
        assert signal.SIGUSR1 in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    found = dict(line.split(":\t") for line in done.output.splitlines())
    assert int(found["SigBlk"], 16) == 0
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
        assert not int(found["SigIgn"], 16) & 1 << number - 1, number


def test_runners_threads_and_their_locks_do_not_matter(tmp_path):
    """Python 3.12 warns when a process with threads forks; a lock one of them holds stays locked in the child."""
    code = (
        "import threading, warnings\nwarnings.simplefilter('error')\n"
        "ready, end = threading.Event(), threading.Event()\n"
        "def hog():\n    with threading.Lock():\n        ready.set(); end.wait()\n"
        "thread = threading.Thread(target=hog); thread.start(); ready.wait()\n"
        "held = hold(CommandEffect(shell='exit 2'), unit(), sys.argv[1])\nheld.open_gate()\nsay(*held.wait(never))\n"
        "end.set(); thread.join()"
    )
    with driver(code, str(tmp_path / "o"), stderr=subprocess.PIPE) as runner:
        assert say_of(runner) == ["exited", "2"]
        assert runner.communicate()[1] == b""
        assert runner.returncode == 0


def test_runner_with_closed_standard_streams_holds_a_command(tmp_path):
    code = (
        "from trayapp.errors import EffectError\nfor fd in (0, 1, 2): os.close(fd)\n"
        "try: hold(CommandEffect(('/no/such',)), unit(), sys.argv[1]).open_gate()\n"
        "except EffectError: pass\n"
        "else: os._exit(9)\n"
        "held = hold(CommandEffect(shell='echo out; echo err >&2; exit 3'), unit(), sys.argv[1])\nheld.open_gate()\n"
        "os._exit(held.wait(never).code)"
    )
    with driver(code, str(tmp_path / "o")) as runner:
        assert runner.wait(LONG_S) == 3
    assert (tmp_path / "o").read_text().splitlines()[1:] == ["out", "err"]


def test_signal_to_the_runner_does_not_run_its_handlers_in_the_child(tmp_path):
    """A handler that raises would unwind into a second copy of the runner."""
    code = (
        "import signal\nclass Ended(Exception): pass\ndef end(*_): raise Ended\nsignal.signal(signal.SIGTERM, end)\n"
        "held = hold(CommandEffect(shell='true'), unit(), sys.argv[1])\nos.kill(held.identity.pid, signal.SIGTERM)\n"
        "pid, status = os.waitpid(held.identity.pid, 0)\nsay(os.waitstatus_to_exitcode(status))\nos._exit(0)"
    )
    with driver(code, str(tmp_path / "o")) as runner:
        assert say_of(runner) == ["-15"]
        assert runner.wait() == 0


def test_held_child_that_was_killed_counts_as_not_begun(tmp_path):
    held = hold(CommandEffect(shell="true"), unit(), str(tmp_path / "o"))
    os.kill(held.identity.pid, signal.SIGKILL)
    wait_for(lambda: is_gone(held.identity), "the child dies")
    with pytest.raises(EffectError) as caught:
        held.open_gate()
    assert caught.value.code == "command-not-started"


def test_stopped_child_can_be_given_up(tmp_path):
    held = hold(CommandEffect(shell="true"), unit(), str(tmp_path / "o"))
    os.kill(held.identity.pid, signal.SIGSTOP)
    held.abandon()
    assert is_gone(held.identity)


@pytest.mark.linux
def test_nothing_is_left_open_or_uncollected(tmp_path):
    def left() -> tuple[list[str], int]:
        return sorted(os.listdir("/proc/self/fd")), _children()

    perform(CommandEffect(shell="exit 0"), tmp_path)
    before = left()
    perform(CommandEffect(shell="exit 0"), tmp_path)
    hold(CommandEffect(shell="exit 0"), unit(), str(tmp_path / "o")).abandon()
    held = hold(CommandEffect(("/no/such",)), unit(), str(tmp_path / "o"))
    with pytest.raises(EffectError):
        held.open_gate()
    perform(CommandEffect(shell="sleep 9", timeout_s=0.1), tmp_path)
    assert left() == before


def _children() -> int:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return len(file.read().split())


@pytest.mark.linux
def test_no_room_for_pipes_is_said_before_anything_begins(tmp_path):
    code = (
        "import resource\nopen_fds = len(os.listdir('/proc/self/fd'))\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (open_fds + 3, 4096))\n"
        "from trayapp.errors import SetupError\nbefore = sorted(os.listdir('/proc/self/fd'))\n"
        "try: hold(CommandEffect(shell='true'), unit(), sys.argv[1])\n"
        "except SetupError as error: say(error.code, before == sorted(os.listdir('/proc/self/fd')))"
    )
    warm_up = "hold(CommandEffect(shell='true'), unit(), sys.argv[1]).abandon()\n"
    with driver(warm_up + code, str(tmp_path / "o")) as runner:
        assert say_of(runner) == ["command-process-refused", "True"]


# Text and locale, P100


def test_turkish_works_under_crons_c_locale(tmp_path):
    folder = tmp_path / "İade"
    folder.mkdir()
    (folder / "ğüş.txt").write_text("şeker", encoding="utf-8")
    code = (
        "read = 'import sys; print(sys.argv[1], open(sys.argv[1], encoding=\"utf-8\").read())'\n"
        "argv = ('./ç', sys.executable, '-c', read, 'ğüş.txt')\n"
        "effect = CommandEffect(argv, cwd=bytes.fromhex(sys.argv[2]).decode())\n"
        "held = hold(effect, unit(), sys.argv[1])\nheld.open_gate()\nsay(*held.wait(never))"
    )
    _script(folder / "ç", b'#!/bin/sh\necho "$LC_ALL"\nexec "$@"\n')
    bare = {"PATH": "/usr/bin:/bin", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = [str(tmp_path / "o"), os.fsencode(folder).hex()]
    begin = "from tests.effect.command_running import *; import os, sys; say = lambda *w: print(*w, flush=True)\n"
    done = subprocess.run(
        [sys.executable, "-c", (begin + code).encode("ascii", "backslashreplace"), *words],
        env={**bare, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.stdout.split() == [b"exited", b"0"], done.stderr
    locale = "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8"
    assert (tmp_path / "o").read_text(encoding="utf-8").splitlines()[1:] == [locale, "ğüş.txt şeker"]


@pytest.mark.linux
def test_full_disk_loses_text_but_not_the_result(tmp_path):
    held = hold(CommandEffect(python("print('x' * 100_000); raise SystemExit(8)")), unit(), "/dev/full")
    held.open_gate()
    assert held.wait(never) == ("exited", 8)
    assert "No space left on device" in held.output_tail(100)


def test_stop_is_noticed_at_once_while_the_command_prints_nothing(tmp_path):
    held = hold(CommandEffect(shell="sleep 30"), unit(), str(tmp_path / "o"))
    held.open_gate()
    before = time.monotonic()
    assert held.wait(lambda: time.monotonic() - before > 0.3) == ("stopped", signal.SIGTERM)
    assert time.monotonic() - before < 1.0


def test_runner_killed_at_the_gate_frees_its_lock_at_once(tmp_path):
    import fcntl

    code = (
        "import fcntl\nlock = open(sys.argv[1], 'w')\nfcntl.flock(lock, fcntl.LOCK_EX)\n"
        "held = hold(CommandEffect(shell='sleep 30'), unit(), sys.argv[2])\n"
        + SAY_IDENTITY
        + "import time; time.sleep(60)"
    )
    with driver(code, str(tmp_path / "lock"), str(tmp_path / "o")) as runner:
        identity = identity_from(say_of(runner))
        runner.kill()
        runner.wait()
        wait_for(lambda: is_gone(identity), "the held child leaves")
        with open(tmp_path / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
