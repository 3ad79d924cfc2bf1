"""A job with items from its list to the closing line, by the real command and real workers."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.fan_out.yard import IS_WIN32, MAKE, Yard
from trayapp.history.query import open_for_reading

pytestmark = pytest.mark.timeout(90)

# Waits where a test can see it, so that it can be interrupted there.
SLOW = """
import os, time
def make(item, output):
    here = os.path.dirname(__file__)
    with open(output, "w") as file:
        file.write("half")
        file.flush()
        open(os.path.join(here, "begun-" + item.id), "w").close()
        while not os.path.exists(os.path.join(here, "go")):
            time.sleep(0.02)
        file.seek(0)
        file.write("whole")
"""

SLEEPY = MAKE.replace("    with open(output", "    import time; time.sleep(0.05)\n    with open(output", 1)


def counts(yard: Yard) -> dict[str, str]:
    return {name: yard.lines()[-1].fields[name] for name in ("adet", "hatali", "atlanan", "onceden")}


def test_run_works_through_the_list_and_leaves_one_line_and_one_row(yard: Yard):
    yard.ids(range(60))
    yard.python_job()
    done = yard.run()

    assert done.returncode == 0, done.stderr
    assert "60 files were made." in done.stdout
    assert yard.targets() == {f"{n}.json": b"made of %d" % n for n in range(60)}
    assert sorted(yard.made(), key=int) == [str(n) for n in range(60)]
    assert yard.litter() == []
    assert not (yard.out / ".birkez").exists()
    (line,) = yard.lines()
    assert line.token == "ISLENDI"
    assert counts(yard) == {"adet": "60", "hatali": "0", "atlanan": "0", "onceden": "0"}
    with closing(open_for_reading(yard.places.history_db)) as reader:
        (run,) = reader.latest_runs()
    assert (run.outcome, run.new_count, run.repeated_count, run.exit_status) == ("done", 60, 0, 0)


def test_second_run_does_nothing_and_a_longer_list_only_what_is_new(yard: Yard):
    yard.ids(range(5))
    yard.python_job()
    assert yard.run().returncode == 0
    again = yard.run()
    assert again.returncode == 0
    assert "all 5 files are there" in again.stdout
    assert yard.lines()[-1].token == "ATLANDI"
    assert yard.lines()[-1].fields["sebep"] == "bekleyen dosya yok"

    yard.ids((*range(3), 7, 8))
    assert yard.run().returncode == 0
    assert sorted(yard.made()) == ["0", "1", "2", "3", "4", "7", "8"]
    assert counts(yard) == {"adet": "2", "hatali": "0", "atlanan": "0", "onceden": "3"}


def test_bad_line_is_left_out_with_its_number_and_the_rest_is_done(yard: Yard):
    yard.ids(("one", "../two", "CON", "four"))
    yard.python_job()
    done = yard.run()

    assert done.returncode == 1
    assert set(yard.targets()) == {"one.json", "four.json"}
    assert counts(yard) == {"adet": "2", "hatali": "0", "atlanan": "2", "onceden": "0"}
    told = yard.birkez("items", "liste", "--failed").stdout
    assert f"{yard.list}:2: “../two”" in told
    assert f"{yard.list}:3: “CON”" in told
    assert not list(yard.folder.parent.rglob("two*"))


def test_other_case_is_told_where_the_folder_takes_both_for_one_file(yard: Yard):
    """On Windows, also Wine's; elsewhere the two are two files."""
    yard.ids(("Satis", "satis", "stok"))
    yard.python_job()
    done = yard.run()
    if done.returncode == 0:
        assert set(yard.targets()) == {"Satis.json", "satis.json", "stok.json"}
        return
    assert set(yard.targets()) == {"Satis.json", "stok.json"}
    assert yard.targets()["Satis.json"] == b"made of Satis"
    assert f"{yard.list}:2" in yard.birkez("items", "liste").stdout


def test_bad_item_is_tried_with_pauses_then_listed_and_the_others_go_on(yard: Yard):
    yard.ids((1, 2, 3))
    fails = MAKE.replace(
        "    with open(output", "    if item.id == '2': note(); raise ValueError('no two')\n    with open(output", 1
    )
    fails += "def note():\n    open(os.path.join(os.path.dirname(__file__), 'tried.txt'), 'a').write('x')\n"
    yard.python_job(fails, items="attempts = 2")
    began = time.monotonic()
    done = yard.run()

    assert done.returncode == 1, done.stderr
    assert time.monotonic() - began > 2  # the first pause
    assert set(yard.targets()) == {"1.json", "3.json"}
    assert (yard.folder / "tried.txt").read_text() == "xx"
    assert counts(yard) == {"adet": "2", "hatali": "1", "atlanan": "0", "onceden": "0"}
    told = json.loads(yard.birkez("items", "liste", "--json").stdout)
    (failure,) = told["failures"]
    assert (failure["item"], failure["attempts"], failure["code"]) == ("2", 2, "item-function-failed")
    assert "ValueError: no two" in failure["message"]
    assert (told["total"], told["done"], told["failed"], told["waiting"]) == (3, 2, 1, 0)

    assert yard.run().returncode == 1  # known as failed, not tried again
    assert (yard.folder / "tried.txt").read_text() == "xx"

    (yard.folder / "make.py").write_text(MAKE)
    assert "1 item will be tried again" in yard.birkez("items", "liste", "--retry").stdout
    assert yard.run().returncode == 0
    assert set(yard.targets()) == {"1.json", "2.json", "3.json"}


def test_command_writes_the_file_and_what_it_printed_is_kept_where_it_failed(yard: Yard):
    script = yard.folder / "make.py"
    script.write_text(
        "import os, sys\nprint('at', sys.argv[2])\n"
        "sys.exit(3) if sys.argv[2] == 'bad' else open(sys.argv[1], 'w').write(os.environ['BIRKEZ_ITEM'])\n"
    )
    yard.ids(("a b", "bad", "$(x)"))
    yard.job(
        f"kind = 'command'\nargv = ['{sys.executable}', '{script}', '{{output}}', '{{item}}']", items="attempts = 1"
    )
    done = yard.run()

    assert done.returncode == 1, done.stderr
    assert yard.targets() == {"a b.json": b"a b", "$(x).json": b"$(x)"}
    (failure,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
    assert failure["code"] == "item-program-failed"
    printed = Path(failure["message"].rpartition(": ")[2])
    assert "at bad" in printed.read_text()
    assert "at a b" not in printed.read_text()


@pytest.mark.posix
@pytest.mark.parametrize("quoted", ["{item}", '"{item}"', "'{item}'"])
def test_item_cannot_become_a_command_of_the_shell(yard: Yard, quoted: str):
    hostile = "x; touch hacked #", "$(touch hacked)", "`touch hacked`", '"; touch hacked; "', "'; touch hacked; '"
    yard.ids(hostile)
    yard.job(
        f"""kind = 'command'\nshell = '''printf %s {quoted} > {{output}}'''\ncwd = '{yard.folder}'""", target="{item}"
    )
    assert yard.run().returncode == 0
    assert not list(yard.folder.parent.rglob("hacked"))
    if quoted != "'{item}'":
        assert {name: content.decode() for name, content in yard.targets().items()} == {item: item for item in hostile}


def test_program_that_is_not_there_stops_the_run_instead_of_failing_each_item(yard: Yard):
    yard.ids(range(50))
    yard.job("kind = 'command'\nargv = ['birkez-no-such-program', '{output}']")
    done = yard.run()
    assert done.returncode == 1
    assert "birkez-no-such-program" in done.stdout
    assert json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"] == []


def test_program_that_writes_nothing_has_made_nothing(yard: Yard):
    yard.ids("a")
    yard.job(f"kind = 'command'\nargv = ['{sys.executable}', '-c', 'pass']", items="attempts = 1")
    assert yard.run().returncode == 1
    (failure,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
    assert failure["code"] == "item-no-output"
    assert yard.targets() == {}


def test_files_of_a_folder_are_worked_on_and_a_changed_one_anew(yard: Yard):
    inbox = yard.folder / "in"
    inbox.mkdir()
    (inbox / "a.txt").write_text("1")
    code = "import shutil\ndef make(item, output):\n    shutil.copy(item.input, output)\n"
    yard.python_job(code, source="in", target="{item}-{digest}.out")
    assert yard.run().returncode == 0
    (inbox / "a.txt").write_text("22")
    assert yard.run().returncode == 0
    assert sorted(yard.targets().values()) == [b"1", b"22"]


def test_missing_list_is_told_and_is_the_environments_fault(yard: Yard):
    yard.python_job()
    done = yard.run()
    assert done.returncode == 4
    assert str(yard.list) in done.stdout
    assert yard.lines()[-1].fields["sebep"] == "items-source-missing"


def test_period_cannot_be_asked_of_a_list(yard: Yard):
    yard.ids("a")
    yard.python_job()
    assert yard.run("--window", "2026-09-04T10:00:00Z").returncode == 2
    assert yard.birkez("watermark", "liste", "--set", "2026-09-04T10:00:00Z", "--reason", "x").returncode == 2
    assert yard.birkez("skip", "liste", "2026-09-04T10:00:00Z", "--reason", "x").returncode == 2
    assert yard.targets() == {}


def test_looking_makes_nothing(yard: Yard):
    yard.ids(("a", "b"))
    yard.python_job()
    assert "0 done, 0 failed, 2 waiting" in yard.birkez("items", "liste").stdout
    assert "2 waiting" in yard.birkez("status", "liste").stdout
    assert "2 waiting" in yard.run("--dry-run").stdout
    assert not yard.out.exists()
    assert json.loads(yard.birkez("status", "--json").stdout)["jobs"][0]["items"]["waiting"] == 2
    assert yard.birkez("doctor").returncode in (0, 4)


def test_worker_by_hand_works_beside_a_run_and_both_end(yard: Yard):
    yard.ids(range(30))
    yard.python_job(
        MAKE.replace("    with open(output", "    import time; time.sleep(0.05)\n    with open(output", 1),
        items="workers = 2",
    )
    run = yard.start("run", "liste")
    yard.wait_until(yard.made)
    beside = yard.start("work", "liste")
    assert run.communicate(timeout=60)[0]
    out, _ = beside.communicate(timeout=60)
    assert (run.returncode, beside.returncode) == (0, 0), out
    assert sorted(yard.made(), key=int) == [str(n) for n in range(30)]  # each once
    by_hand = next(line for line in yard.lines() if line.fields["kosum"] != yard.lines()[0].fields["kosum"])
    assert by_hand.token in ("ISLENDI", "ATLANDI")
    assert yard.litter() == []


def test_workers_by_hand_need_no_run(yard: Yard):
    yard.ids(range(40))
    yard.python_job(MAKE.replace("    with open(output", "    import time; time.sleep(0.02)\n    with open(output", 1))
    workers = [yard.start("work", "liste") for _ in range(3)]
    for worker in workers:
        worker.communicate(timeout=60)
        assert worker.returncode == 0
    assert sorted(yard.made(), key=int) == [str(n) for n in range(40)]
    assert not (yard.out / ".birkez").exists()


def test_second_run_loses_the_lock_and_says_so(yard: Yard):
    yard.ids("a")
    yard.python_job(SLOW)
    run = yard.start("run", "liste")
    yard.wait_until((yard.folder / "begun-a").exists)
    second = yard.run()
    assert second.returncode == 0
    assert yard.lines()[-1].fields["sebep"] == "kilit"
    (yard.folder / "go").touch()
    run.communicate(timeout=30)
    assert yard.targets() == {"a.json": b"whole"}


def test_progress_is_seen_while_workers_work(yard: Yard):
    yard.ids(("a", "b", "c"))
    yard.python_job(SLOW.replace('"go")', '"go-" + item.id)'), items="workers = 1")
    run = yard.start("run", "liste")
    yard.wait_until((yard.folder / "begun-a").exists)
    (yard.folder / "go-a").touch()
    yard.wait_until((yard.folder / "begun-b").exists)

    def progress() -> dict[str, float]:
        (job,) = json.loads(yard.birkez("status", "liste", "--json").stdout)["jobs"]
        found: dict[str, float] = job["items"]["progress"] or {}
        return found

    yard.wait_until(lambda: progress().get("done") == 1)
    seen = progress()
    assert (seen["total"], seen["workers"], seen["failed"]) == (3, 1, 0)
    assert "1 of 3" in yard.birkez("status", "liste").stdout
    for name in ("go-b", "go-c"):
        (yard.folder / name).touch()
    run.communicate(timeout=30)
    assert progress() == {}


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_run_ends_in_order_and_the_next_goes_on(yard: Yard, number: int):
    yard.ids(range(200))
    yard.python_job(
        MAKE.replace("    with open(output", "    import time; time.sleep(0.05)\n    with open(output", 1),
        items="workers = 2",
    )
    run = yard.start("run", "liste")
    yard.wait_until(lambda: len(yard.made()) >= 4)
    run.send_signal(number)
    out, _ = run.communicate(timeout=30)

    assert run.returncode == 128 + number
    assert "The run was stopped." in out
    made = yard.made()
    assert len(made) < 200
    assert set(yard.targets()) == {f"{item}.json" for item in made}
    assert yard.litter() == []
    assert [line.token for line in yard.lines()] == ["ISLENDI", "HATA"]
    assert yard.run().returncode == 0
    assert len(yard.targets()) == 200


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_worker_by_hand_finishes_what_it_has_at_hand(yard: Yard, number: int):
    yard.ids(range(200))
    yard.python_job(SLEEPY)
    worker = yard.start("work", "liste")
    yard.wait_until(lambda: len(yard.made()) >= 3)
    worker.send_signal(number)
    worker.communicate(timeout=30)
    assert worker.returncode == 128 + number
    assert set(yard.targets()) == {f"{item}.json" for item in yard.made()}
    assert yard.litter() == []


@pytest.mark.posix
def test_state_on_the_network_lets_no_worker_in(yard: Yard, monkeypatch: pytest.MonkeyPatch):
    from trayapp.errors import SetupError
    from trayapp.fan_out import place as place_module
    from trayapp.job.cache import load_job

    yard.ids("a")
    yard.python_job()
    yard.places.make_folders()
    monkeypatch.setattr(place_module, "network_kind", lambda _path: "cifs")
    place = place_module.Place(yard.places, load_job(yard.places, "liste"), "run")
    with pytest.raises(SetupError, match="lock-on-network"):
        place.join()
    place.close()


@pytest.mark.posix
def test_killed_run_takes_its_workers_with_it(yard: Yard):
    yard.ids(range(500))
    yard.python_job(
        MAKE.replace("    with open(output", "    import time; time.sleep(0.05)\n    with open(output", 1),
        items="workers = 2",
    )
    run = yard.start("run", "liste")
    yard.wait_until(lambda: len(yard.made()) >= 4)
    run.kill()
    run.wait()
    folder = Path(yard.places.items_dir("liste"))

    def all_gone() -> bool:
        from trayapp.fan_out.progress import read_progress

        return read_progress(str(folder)) is None

    yard.wait_until(all_gone)
    made = len(yard.made())
    time.sleep(0.3)
    assert len(yard.made()) == made < 500


@pytest.mark.posix
def test_killed_worker_is_replaced_and_its_item_done(yard: Yard):
    yard.ids(range(40))
    yard.python_job(
        MAKE.replace("    with open(output", "    import time; time.sleep(0.1)\n    with open(output", 1),
        items="workers = 2",
    )
    run = yard.start("run", "liste")
    yard.wait_until(lambda: len(yard.made()) >= 4)
    for path in Path(yard.places.items_dir("liste")).glob("*.progress"):
        facts = json.loads(path.read_bytes())
        if facts["worker"]:
            os.kill(facts["who"][1], signal.SIGKILL)
    run.communicate(timeout=60)
    assert run.returncode == 0
    assert len(yard.targets()) == 40
    assert not (yard.out / ".birkez").exists()


def test_function_that_hangs_is_ended_and_the_others_go_on(yard: Yard):
    yard.ids(("a", "hang", "c"))
    hangs = MAKE.replace(
        "    with open(output",
        "    import time\n    time.sleep(600 if item.id == 'hang' else 0)\n    with open(output",
        1,
    )
    yard.python_job(hangs, items="attempts = 1", more="timeout = '1s'")
    done = yard.run()
    assert done.returncode == 1
    assert set(yard.targets()) == {"a.json", "c.json"}
    (failure,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
    assert failure["code"] == "item-timed-out"


def test_job_whose_workers_live_is_not_removed(yard: Yard):
    yard.ids("a")
    yard.python_job(SLOW)
    worker = yard.start("work", "liste")
    yard.wait_until((yard.folder / "begun-a").exists)
    removed = yard.birkez("job", "remove", "liste")
    assert removed.returncode == 4
    assert "worker" in removed.stderr
    (yard.folder / "go").touch()
    worker.communicate(timeout=30)
    removed = yard.birkez("job", "remove", "liste", "--forget")
    assert removed.returncode == 0, removed.stderr
    assert yard.targets() == {"a.json": b"whole"}
    assert not Path(yard.places.items_dir("liste")).exists()


def test_paused_job_works_neither_by_run_nor_by_hand(yard: Yard):
    yard.ids("a")
    yard.python_job()
    assert yard.birkez("pause", "liste").returncode == 0
    assert yard.run().returncode == 0
    assert yard.birkez("work", "liste").returncode == 0
    assert [line.fields["sebep"] for line in yard.lines()] == ["duraklatildi", "duraklatildi"]
    assert yard.targets() == {}


def test_words_for_a_list_are_refused_where_there_is_none(yard: Yard):
    (yard.folder / "x.sql").write_text("SELECT 1;")
    Path(yard.places.job_file("saatlik")).write_text(
        "[window]\nstep = '1h'\nstart = 2026-09-04T10:00:00Z\n[effect]\nkind = 'command'\nargv = ['true']\n"
    )
    for word in ("work", "items"):
        done = yard.birkez(word, "saatlik")
        assert done.returncode == 2
        assert "saatlik" in done.stderr


@pytest.mark.skipif(IS_WIN32, reason="a terminal of our own is POSIX'")
def test_bar_is_drawn_in_a_terminal_and_nowhere_else(yard: Yard):
    import pty

    yard.ids(range(40))
    yard.python_job(
        MAKE.replace("    with open(output", "    import time; time.sleep(0.1)\n    with open(output", 1),
        items="workers = 1",
    )
    ours, theirs = pty.openpty()
    import subprocess

    process = subprocess.Popen(
        yard.birkez.argv("run", "liste"), env=yard.birkez.environment(), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(60) == 0
    text = shown.decode()
    assert "[" in text
    assert " of 40" in text
    assert "40 files were made." in text.rpartition("\r")[2] or "40 files were made." in text
