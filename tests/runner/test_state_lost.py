"""The state folder is lost, or replaced by an older copy, while the jobs stay: nothing is sent a second time."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.runner.office import Office, wait_until
from trayapp import doctor
from trayapp.runner.by_hand import accept_ledger

AT_11, AT_12, AT_13 = "2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z", "2026-09-04T13:00:00Z"
SEND = 'echo "$BIRKEZ_KEY" >> gonderilen'

pytestmark = [pytest.mark.linux, pytest.mark.timeout(60)]  # faketime


@pytest.fixture
def post(office: Office) -> Office:
    office.command_job("posta", SEND)
    return office


def sent(office: Office) -> int:
    path = office.folder / "gonderilen"
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.parametrize("trigger", ["schedule", "manual"])
def test_deleted_state_folder_stops_a_command_until_it_is_accepted(post: Office, trigger: str) -> None:
    post.run("posta", at=AT_12)
    assert sent(post) == 2
    shutil.rmtree(post.places.state)
    ran = post.run("posta", trigger=trigger, at=AT_13)
    assert (ran.status, ran.said) == (4, [("HATA", "ledger-missing")])
    assert sent(post) == 2
    accept_ledger(post.places, "posta", "bilgisayar yenilendi")
    assert post.run("posta", at=AT_12).status == 0
    assert sent(post) == 4, "a person has said so"


def test_older_copy_of_the_state_folder_stops_a_command(post: Office) -> None:
    post.run("posta", at=AT_11)
    shutil.copytree(post.places.state, post.folder / "dünkü")
    post.run("posta", at=AT_12)
    shutil.rmtree(post.places.state)
    shutil.copytree(post.folder / "dünkü", post.places.state)
    ran = post.run("posta", at=AT_13)
    assert (ran.status, ran.said) == (4, [("HATA", "ledger-older")])
    assert sent(post) == 2


def test_copy_from_before_a_run_that_was_killed_counts_as_older(post: Office) -> None:
    post.run("posta", at=AT_11)
    shutil.copytree(post.places.state, post.folder / "dünkü")
    post.command_job("posta", f"{SEND}; while [ ! -e dur ]; do sleep 0.02; done")
    runner = post.start("posta", at=AT_12)
    wait_until(lambda: sent(post) == 2)
    runner.kill()
    runner.wait()
    (post.folder / "dur").touch()
    shutil.rmtree(post.places.state)
    shutil.copytree(post.folder / "dünkü", post.places.state)
    ran = post.run("posta", at=AT_13)
    assert (ran.status, ran.said) == (4, [("HATA", "ledger-older")])
    assert sent(post) == 2


def test_ledger_that_another_job_made_anew_is_not_taken_for_the_old_one(post: Office) -> None:
    post.run("posta", at=AT_11)
    shutil.rmtree(post.places.state)
    post.command_job("rapor", "true")
    assert post.run("rapor", at=AT_11).status == 0
    ran = post.run("posta", at=AT_12)
    assert (ran.status, ran.said) == (4, [("HATA", "ledger-other")])
    assert sent(post) == 1


def test_database_of_a_sql_job_needs_nothing_of_the_state_folder(office: Office) -> None:
    office.open_shop("2026-09-04T10", "2026-09-04T11")
    office.sql_job("satis")
    office.run("satis", at=AT_11)
    shutil.rmtree(office.places.state)
    ran = office.run("satis", at=AT_12)
    assert (ran.status, ran.said) == (0, [("ISLENDI", "")])
    assert office.totals() == [("10:00", 12), ("11:00", 12)]


def test_damaged_remembrance_still_says_that_the_command_has_run(post: Office) -> None:
    post.run("posta", at=AT_11)
    Path(post.places.seen_file("posta")).write_bytes(b"")  # as a full disk leaves it
    shutil.rmtree(post.places.state)
    assert post.run("posta", at=AT_12).said == [("HATA", "ledger-missing")]


# --------------------------------------------- a remembrance that cannot be written


@pytest.fixture
def forgetful(office: Office) -> Iterator[Office]:
    """A shop whose ledger cannot be remembered."""
    office.open_shop("2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    office.sql_job("satis")
    office.run("satis", at=AT_11)
    seen = Path(office.places.seen_dir)
    seen.chmod(0o500)
    yield office
    seen.chmod(0o700)


def test_run_that_could_not_remember_its_ledger_says_so(forgetful: Office, powerless: Sequence[str]) -> None:
    by_schedule = forgetful.run("satis", at=AT_12, prefix=powerless)
    assert (by_schedule.status, by_schedule.printed) == (0, "")
    assert by_schedule.said == [("ISLENDI", ""), ("HATA", "ledger-unremembered")]
    assert forgetful.places.seen_dir in by_schedule.lines[-1].fields["ileti"]
    idle = forgetful.run("satis", at=AT_12, prefix=powerless)
    assert idle.said == [("ATLANDI", "kapanmis pencere yok")], "not at each start"
    by_hand = forgetful.run("satis", trigger="manual", at=AT_13, prefix=powerless)
    assert by_hand.status == 0
    assert forgetful.places.seen_file("satis") in by_hand.printed


def test_adoption_that_cannot_be_remembered_is_not_told_at_each_start(
    forgetful: Office, powerless: Sequence[str]
) -> None:
    seen = Path(forgetful.places.seen_dir)
    seen.chmod(0o700)
    Path(forgetful.places.seen_file("satis")).unlink()
    seen.chmod(0o500)
    for _ in range(2):
        ran = forgetful.run("satis", at=AT_11, prefix=powerless)
        assert ran.said == [("ATLANDI", "kapanmis pencere yok")]


def test_acceptance_that_cannot_be_remembered_is_refused(forgetful: Office) -> None:
    seen = Path(forgetful.places.seen_dir)
    seen.chmod(0o700)
    Path(forgetful.places.seen_file("satis")).write_text("another 7\n", encoding="utf-8")
    seen.chmod(0o500)
    ended = forgetful.birkez("ledger", "accept", "satis", "--reason", "olsun", powerless=True)
    assert ended.returncode == 4
    assert forgetful.places.seen_file("satis") in ended.stderr


@pytest.mark.parametrize("name", ["config", "jobs", "seen", "state", "locks", "logs", "output", "paused", "cache"])
def test_doctor_tries_every_folder(office: Office, name: str) -> None:
    office.places.make_folders()
    folders = {Path(folder).name: Path(folder) for folder in (*office.places.folders, office.places.config)}
    folder = {**folders, "state": Path(office.places.state)}[name]
    folder.chmod(0o500)
    try:
        ended = office.birkez("doctor", "--json", powerless=True)
    finally:
        folder.chmod(0o700)
    assert ended.returncode == 4
    assert ended.stdout.count('"state-folder-unusable"') == 1
    assert str(folder) in ended.stdout
    assert not list(folder.rglob(".doctor-*"))


def test_doctor_leaves_nothing_in_the_folders(office: Office) -> None:
    doctor.examine(office.places)
    assert not list(office.folder.rglob(".doctor-*"))


# ------------------------------------------------------------- rights of what we make


@pytest.mark.parametrize("words", [("doctor",), ("language", "tr")], ids=lambda words: words[0])
def test_each_level_is_made_for_this_user_alone(
    office: Office, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
) -> None:
    home = office.folder / "ev" / "daha" / "derin"
    monkeypatch.setenv("BIRKEZ_HOME", str(home))
    before = os.umask(0)
    try:
        office.birkez(*words)
    finally:
        os.umask(before)
    made = [office.folder / "ev", *(path for path in (office.folder / "ev").rglob("*") if path.is_dir())]
    assert len(made) > 3
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {"0o700"}


def test_ledger_of_commands_is_this_users_alone(post: Office) -> None:
    before = os.umask(0)
    try:
        post.run("posta", at=AT_11)
    finally:
        os.umask(before)
    files = [Path(post.places.ledger_db), Path(post.places.history_db), Path(post.places.seen_file("posta"))]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * 3
