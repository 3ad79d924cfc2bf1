"""What a program or a function does wrong with its file: the target is whole or absent all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fan_out.yard import MAKE, Yard, alive

pytestmark = pytest.mark.timeout(90)


def failure(yard: Yard) -> dict[str, str]:
    (found,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
    return dict(found)


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("os.execv(sys.executable, [sys.executable, '-c', 'pass'])", "item-function-exec"),
        ("os.execlp('true', 'true')", "item-function-exec"),
        ("os._exit(0)", "item-function-left"),
        ("sys.exit(0)", "item-function-left"),
        ("raise KeyboardInterrupt", "item-function-failed"),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 // 0})", "item-function-failed"),
    ],
)
@pytest.mark.parametrize("is_swallowed", [False, True])
def test_function_that_would_leave_or_raises_anything_fails_its_item_and_the_others_go_on(
    yard: Yard, way: str, code: str, *, is_swallowed: bool
):
    if is_swallowed and code != "item-function-exec":
        pytest.skip("a sys.exit that is caught is none")
    way = f"\n        try: {way}\n        except BaseException: pass" if is_swallowed else way
    leaving = MAKE.replace("    with open(output", f"    if item.id == 'b': {way}\n    with open(output", 1)
    yard.ids("abc")
    yard.python_job("import sys\n" + leaving, items="workers = 1\nattempts = 1")
    done = yard.run()
    assert done.returncode == 1, done.stderr
    assert set(yard.targets()) == {"a.json", "c.json"}
    assert failure(yard)["code"] == code


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not tell who writes a file")
def test_file_that_a_function_keeps_open_is_not_published(yard: Yard):
    yard.ids("a")
    keeping = "kept = []\ndef make(item, output):\n    kept.append(open(output, 'w'))\n    kept[-1].write('half')\n"
    yard.python_job(keeping, items="attempts = 1")
    assert yard.run().returncode == 1
    assert failure(yard)["code"] == "item-still-written"
    assert yard.targets() == {}
    assert not (yard.out / ".birkez").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not tell who writes a file")
def test_file_that_a_function_forgets_in_a_ring_of_objects_is_not_published(yard: Yard):
    """Python's collector may close it before it has written what is in memory."""
    yard.ids("a")
    ring = (
        "class Ring: pass\ndef make(item, output):\n    ring = Ring()\n    ring.self = ring\n"
        "    ring.file = open(output, 'w')\n    ring.file.write('whole')\n"
    )
    yard.python_job(ring, items="attempts = 1")
    assert yard.run().returncode == 1
    assert failure(yard)["code"] == "item-still-written"
    assert yard.targets() == {}


@pytest.mark.linux
def test_target_waits_for_what_a_program_left_running_in_its_file(yard: Yard):
    yard.ids("a")
    yard.job("kind = 'command'\nshell = '''{ printf be; (sleep 1; printf gin) & } > {output}'''")
    assert yard.run().returncode == 0
    assert yard.targets() == {"a.json": b"begin"}


@pytest.mark.linux
def test_program_that_leaves_a_writer_for_long_fails_its_item(yard: Yard):
    yard.ids("a")
    script = "echo $$ > pid; exec sleep 300"
    yard.job(
        f"kind = 'command'\nshell = '''sh -c '{script}' > {{output}} &'''\ncwd = '{yard.folder}'", items="attempts = 1"
    )
    try:
        assert yard.run().returncode == 1
        assert failure(yard)["code"] == "item-still-written"
        assert yard.targets() == {}
    finally:
        os.kill(int((yard.folder / "pid").read_text()), signal.SIGKILL)


@pytest.mark.posix
def test_command_that_outlives_its_killed_worker_writes_into_no_target(yard: Yard):
    """Its part has a name of its own, so the next worker's file is whole however long the first one writes."""
    script = yard.folder / "make.py"
    script.write_text(
        "import os, sys, time\nhere = os.path.dirname(os.path.abspath(__file__))\n"
        "is_first = not os.path.exists(here + '/pid')\n"
        "with open(sys.argv[1], 'w') as file:\n"
        "    if is_first:\n"
        "        open(here + '/pid', 'w').write(str(os.getpid()))\n"
        "        while not os.path.exists(here + '/go'): file.write('late\\n'); file.flush(); time.sleep(0.01)\n"
        "    file.write('whole')\n"
        "if is_first: open(sys.argv[1], 'a').write('late again')\n"
    )
    yard.ids("a")
    yard.job(f"kind = 'command'\nargv = ['{sys.executable}', '{script}', '{{output}}']")
    worker = yard.start("work", "liste")
    yard.wait_until(lambda: (yard.folder / "pid").exists() and (yard.folder / "pid").read_text())
    pid = int((yard.folder / "pid").read_text())
    worker.kill()
    worker.communicate()
    assert alive(pid)
    assert yard.birkez("work", "liste").returncode == 0
    assert yard.targets() == {"a.json": b"whole"}
    (yard.folder / "go").touch()
    yard.wait_until(lambda: not alive(pid))
    time.sleep(0.1)
    assert yard.targets() == {"a.json": b"whole"}
    assert yard.run().returncode == 0
    assert not (yard.out / ".birkez").exists()


def test_what_programs_leave_beside_their_file_is_swept(yard: Yard):
    beside = (
        "import os\ndef make(item, output):\n    folder, name = os.path.split(output)\n"
        "    open(output + '.tmp', 'w').close()\n    open(os.path.join(folder, '.' + name + '.Xy'), 'w').close()\n"
        "    os.makedirs(output + '.d/deep')\n    open(output, 'w').close()\n"
    )
    yard.ids("ab")
    yard.python_job(beside)
    assert yard.run().returncode == 0
    assert set(yard.targets()) == {"a.json", "b.json"}
    assert not (yard.out / ".birkez").exists()


def test_folder_in_the_files_place_is_no_file(yard: Yard):
    yard.ids("a")
    yard.python_job(
        "import os\ndef make(item, output):\n    os.makedirs(output + '/deep')\n", items="workers = 1\nattempts = 1"
    )
    assert yard.run().returncode == 1
    assert failure(yard)["code"] == "item-no-output"
    assert not (yard.out / ".birkez").exists()


def test_list_whose_bad_lines_alone_are_left_fails_and_says_that_nothing_new_was_made(yard: Yard):
    yard.ids(("a", "../x"))
    yard.python_job()
    assert yard.run().returncode == 1
    assert not (yard.out / ".birkez").exists()
    again = yard.run()
    assert again.returncode == 1
    assert "No new file was made." in again.stdout
    assert "0 files" not in again.stdout
    assert not (yard.out / ".birkez").exists()
    assert not list(Path(yard.folder).parent.rglob("x.json"))


@pytest.mark.linux
@pytest.mark.parametrize("effect", ["command", "python"])
def test_full_disk_stops_the_run_and_fails_no_item(yard: Yard, effect: str):
    yard.out.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", yard.out], check=False)
    if mounted.returncode:
        pytest.skip("a small disk of our own needs root")
    try:
        yard.ids(range(30))
        if effect == "command":
            yard.job("kind = 'command'\nshell = 'head -c 8000 /dev/zero > {output}'", items="attempts = 1")
        else:
            yard.python_job(
                "import subprocess\ndef make(item, output):\n    with open(output, 'wb') as file:\n"
                "        subprocess.run(['head', '-c', '8000', '/dev/zero'], stdout=file, check=True)\n",
                items="attempts = 1",
            )
        done = yard.run()
        assert done.returncode == 4, done.stdout
        assert json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"] == []
        assert {len(content) for content in yard.targets().values()} == {8000}
        subprocess.run(["mount", "-o", "remount,size=1m", yard.out], check=True)
        assert yard.run().returncode == 0
        assert len(yard.targets()) == 30
    finally:
        subprocess.run(["umount", yard.out], check=False)
