"""A block that somebody's editing has damaged: it is seen, mended with every foreign byte kept, and removed whole."""

from __future__ import annotations

import pytest

from tests.trigger.contract import entry_of, job, names
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.job.schedule import Every
from trayapp.places import Places
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.crontab_table import cut, home_mark
from trayapp.trigger.health import _boot_health, _health_of

pytestmark = pytest.mark.posix


@pytest.fixture
def crontab(tmp_path_factory, monkeypatch) -> FakeCrontab:
    fake = FakeCrontab(tmp_path_factory.mktemp("crontab"))
    monkeypatch.setenv("PATH", fake.path)
    return fake


@pytest.fixture
def backend(crontab, tmp_path) -> Crontab:  # which stands on PATH
    home = str(tmp_path / "home")
    return Crontab(Places(f"{home}/config", f"{home}/state"))


def state(backend: Crontab, of=None) -> str:
    wanted = of or job()
    standing = tuple(entry for entry in backend.entries() if entry.job == wanted.id)
    return _health_of(wanted, standing, backend, []).state


def inside(crontab: FakeCrontab, line: bytes) -> None:
    """Put *line* behind the first line of our block."""
    head, end, rest = crontab.table.partition(b"<<<\n")
    crontab.table = head + end + line + rest


@pytest.mark.parametrize("line", [b"SHELL=/bin/false\n", b"CRON_TZ=Asia/Tokyo\n", b'TZ = "UTC"\n'])
def test_variable_inside_our_block_is_an_edit_and_is_put_below(backend, crontab, line):
    crontab.table = b"# mine\n0 5 * * * hers\n"
    backend.install([job()])
    assert state(backend) == "installed"
    inside(crontab, line)
    assert state(backend) == "edited"
    assert "crontab-misleading-variable" in [found.code for found in backend.obstacles()]
    backend.install([job()])
    assert state(backend) == "installed"
    assert crontab.table.endswith(b"\n" + line)
    assert "crontab-misleading-variable" not in [found.code for found in backend.obstacles()]
    backend.remove(["satis"])
    assert crontab.table == b"# mine\n0 5 * * * hers\n" + line


def test_foreign_line_below_such_a_variable_goes_with_it(backend, crontab):
    backend.install([job()])
    inside(crontab, b"TZ=Asia/Tokyo\n0 5 * * * hers\n")
    backend.install([job()])
    assert crontab.table.endswith(b"\nTZ=Asia/Tokyo\n0 5 * * * hers\n")


def test_variable_that_came_above_our_block_is_an_edit_and_the_block_moves_up(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    backend.install([job()])
    crontab.table = b"0 4 * * * first\nSHELL=/bin/false\n" + crontab.table
    assert state(backend) == "edited"
    backend.install([job()])
    assert state(backend) == "installed"
    assert crontab.table.endswith(b"\nSHELL=/bin/false\n0 5 * * * hers\n")
    backend.remove(["satis"])
    assert crontab.table == b"0 4 * * * first\nSHELL=/bin/false\n0 5 * * * hers\n"


@pytest.mark.parametrize("line", [b"MAILTO=ops\n", b"PATH=/bin\n", b"SHELL=/bin/bash\n", b"# a remark\n", b"\n"])
def test_what_misleads_nobody_may_stand_there(backend, crontab, line):
    backend.install([job()])
    inside(crontab, line)
    assert state(backend) == "installed"


def test_lines_that_lost_the_beginning_of_their_block_are_found_and_taken_back(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    backend.install([job(), job("yedek", Every(15))])
    whole = crontab.table
    begin = next(line for line in whole.splitlines(keepends=True) if line.startswith(b"# >>>"))
    crontab.table = whole.replace(begin, b"")
    assert names(backend) == {"satis", "yedek", ALL_JOBS}
    assert state(backend) == "edited"
    backend.install([job()])
    assert crontab.table == whole
    assert state(backend, job("yedek", Every(15))) == "installed"


def test_such_lines_start_nothing_any_more_when_their_job_is_removed(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    backend.install([job()])
    begin = next(line for line in crontab.table.splitlines(keepends=True) if line.startswith(b"# >>>"))
    crontab.table = crontab.table.replace(begin, b"")
    backend.remove(["satis"])
    assert crontab.table == b"0 5 * * * hers\n"


def test_line_beside_a_new_block_does_not_start_the_job_twice(backend, crontab):
    backend.install([job()])
    stray = next(line for line in crontab.table.splitlines(keepends=True) if b" satis " in line)
    crontab.table += stray
    assert state(backend) == "edited"
    backend.install([job()])
    assert crontab.table.count(b" satis ") == 1


def test_lines_of_another_home_and_of_a_person_stay(backend, crontab, tmp_path):
    home = str(tmp_path / "other")
    other = Crontab(Places(f"{home}/config", f"{home}/state"))
    other.install([job()])
    own = b"5 * * * * /opt/birkez run satis --trigger schedule\n"
    crontab.table += own
    before = crontab.table
    backend.install([job()])
    assert own in crontab.table
    assert cut(crontab.table, home_mark(other._places)).lines == cut(before, home_mark(other._places)).lines
    backend.remove(["satis"])
    assert crontab.table == before


def test_undo_puts_no_foreign_line_back_a_second_time(backend, crontab):
    backend.install([job()])
    inside(crontab, b"TZ=UTC\n")
    (change,) = backend.install([job(schedule=Every(30))])
    assert crontab.table.count(b"TZ=UTC") == 1
    backend.undo(change)
    assert crontab.table.count(b"TZ=UTC") == 1


def test_word_added_to_the_command_is_an_edit_and_no_move(backend, crontab):
    backend.install([job()])
    crontab.table = crontab.table.replace(b"satis --trigger schedule", b"satis --trigger schedule --dry-run")
    assert state(backend) == "edited"


def test_other_interpreter_is_a_move(backend, crontab):
    backend.install([job()])
    program = entry_of(backend, "satis").command[0].encode()
    crontab.table = crontab.table.replace(program, b"/opt/old/python")
    assert state(backend) == "moved"


def test_entry_for_all_jobs_with_another_word_is_an_edit(backend, crontab):
    backend.install([job()])
    lines = crontab.table.splitlines(keepends=True)
    crontab.table = b"".join(
        line.rstrip(b"\n") + b" --dry-run\n" if line.startswith(b"@reboot") else line for line in lines
    )
    wanted = backend.entry_for(job())
    health = _health_of(job(), tuple(entry for entry in backend.entries() if entry.job == "satis"), backend, [])
    assert health.wanted == wanted
    assert _boot_health(backend.entries(), [health], []).state == "edited"
