"""What the check-up, `job add` and `status` say of a list before and after it was worked through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Birkez
from tests.fan_out.yard import Yard
from trayapp.fan_out import findings
from trayapp.fan_out.findings import item_findings
from trayapp.job.cache import load_job


def doctor(yard: Yard) -> list[str]:
    job = load_job(yard.places, "liste")
    return [f"{found.weight} {found.error.code}" for found in item_findings(yard.places, job)]


def test_check_up_tells_of_a_list_what_ails_it(yard: Yard):
    yard.python_job()
    assert doctor(yard) == ["problem items-source-missing"]
    yard.ids(("a", "../b"))
    assert doctor(yard) == ["problem doctor-items-failed"]
    yard.ids(("a",))
    assert doctor(yard) == ["ok doctor-job"]
    assert not yard.out.exists()
    told = yard.birkez("doctor").stdout
    assert "period" not in "\n".join(line for line in told.splitlines() if "liste" in line)


def test_targets_on_the_network_are_told_before_anything_runs(yard: Yard, monkeypatch: pytest.MonkeyPatch):
    yard.ids(("a",))
    yard.python_job()
    monkeypatch.setattr(findings, "network_kind", lambda _path: "nfs4")
    assert doctor(yard) == ["problem targets-on-network"]


def test_adding_a_job_tells_which_lines_cannot_be_used(yard: Yard, run_birkez: Birkez):
    yard.ids(("a", "..", *(f"{n}." for n in range(30))))
    source = yard.folder / "indir.toml"
    source.write_text(
        "[items]\nsource = 'ids.txt'\ntarget = 'out/{item}'\n[effect]\nkind = 'python'\ncallable = 'm.py:make'\n"
    )
    (yard.folder / "m.py").write_text("def make(item, output): open(output, 'w').close()")
    added = run_birkez("job", "add", source, "--no-schedule")
    assert added.returncode == 0, added.stderr
    assert f"works through {yard.list}" in added.stdout
    assert f"{yard.list}:2" in added.stderr
    assert len(added.stderr.splitlines()) == 10
    shown = run_birkez("job", "show", "indir").stdout
    assert str(yard.list) in shown
    assert "at most per run" not in shown
    set_up = json.loads(run_birkez("job", "show", "indir", "--json").stdout)
    assert (set_up["window"], set_up["items"]["workers"]) == (None, 4)
    same = run_birkez("job", "add", source, "--no-schedule")
    assert same.returncode == 2
    assert "indir" in same.stderr


def test_pause_and_failures_are_seen_in_the_status(yard: Yard):
    yard.ids(("a", "b"))
    yard.python_job("def make(item, output):\n    raise ValueError", items="attempts = 1")
    yard.run()
    yard.birkez("pause", "liste")
    told = yard.birkez("status", "liste").stdout
    assert "paused" in told
    assert "0 done, 2 failed, 0 waiting" in told
    assert "birkez items liste --failed" in told


def test_every_reason_of_a_failure_has_its_sentence(yard: Yard):
    yard.ids(("a",))
    yard.python_job("def make(item, output):\n    raise ValueError('boom')", items="attempts = 1")
    yard.run()
    (failure,) = json.loads(yard.birkez("items", "liste", "--json").stdout)["failures"]
    assert failure["message"] == f"{yard.folder / 'make.py'}, line 2: ValueError: boom"


def test_damaged_record_of_failures_is_set_aside(yard: Yard):
    yard.ids(("a",))
    yard.python_job()
    folder = Path(yard.places.items_dir("liste"))
    folder.mkdir(parents=True)
    (folder / "failures.db").write_bytes(b"no database at all, and long enough to be looked at as one" * 50)
    assert yard.run().returncode == 0
    assert yard.targets() == {"a.json": b"made of a"}
    assert [path.name for path in folder.glob("failures.db.aside-*")]


def test_unwritable_folder_stops_the_run_in_words(yard: Yard):
    yard.ids(("a",))
    yard.python_job()
    yard.out.write_text("a file where the folder should be")
    done = yard.run()
    assert done.returncode == 4
    assert str(yard.out) in done.stdout
    assert yard.lines()[-1].fields["sebep"] == "targets-unwritable"
