"""The right to one item: who is first has it, who is alive keeps it, who is dead loses it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from trayapp.errors import SetupError
from trayapp.fan_out import publishing
from trayapp.fan_out.claim import Claim, Targets, flush_part


@pytest.fixture
def targets(tmp_path: Path) -> Iterator[Targets]:
    made = Targets(str(tmp_path / "out"))
    yield made
    made.close()


def write(claim: Claim, content: bytes = b"whole") -> None:
    with open(claim.new_part(), "wb") as file:
        file.write(content)


def litter(targets: Targets) -> list[str]:
    return os.listdir(targets.own_folder)


HOLD = """
import sys, time
from trayapp.fan_out.claim import Targets
targets = Targets(sys.argv[1])
claim = targets.try_claim(sys.argv[2])
assert claim is not None
open(claim.new_part(), "wb").write(b"ha")
print("held", flush=True)
sys.stdin.read()
if len(sys.argv) > 3:
    claim.release()
    print("released", flush=True)
"""


@pytest.fixture
def holder(targets: Targets) -> Iterator[subprocess.Popen[str]]:
    """Another process that has claimed `a.json` and half written it."""
    with holding(targets, "a.json") as process:
        yield process


def holding(targets: Targets, name: str, *more: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, targets.folder, name, *more],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_claimed_item_is_published_whole_and_leaves_nothing_behind(targets: Targets, tmp_path: Path):
    claim = targets.try_claim("a.json")
    assert claim is not None
    assert not claim.is_done()
    write(claim)
    assert (tmp_path / "out").exists()
    assert not targets.has("a.json")
    assert claim.publish(at_once=True)
    assert targets.has("a.json")
    assert claim.is_done()
    claim.release()
    claim.release()

    assert (tmp_path / "out" / "a.json").read_bytes() == b"whole"
    assert litter(targets) == []
    assert targets.names() == {".birkez", "a.json"}


def test_published_name_is_never_written_over(targets: Targets, tmp_path: Path):
    claim = targets.try_claim("a.json")
    assert claim is not None
    write(claim, b"second")
    (tmp_path / "out" / "a.json").write_bytes(b"first")
    assert not claim.publish(at_once=True)
    claim.release()

    assert (tmp_path / "out" / "a.json").read_bytes() == b"first"
    assert litter(targets) == []


def test_released_item_can_be_claimed_again_and_its_part_is_gone(targets: Targets):
    claim = targets.try_claim("a.json")
    assert claim is not None
    write(claim)
    claim.release()
    assert litter(targets) == []
    again = targets.try_claim("a.json")
    assert again is not None
    again.release()


def test_living_owner_is_never_robbed_and_others_take_other_items(targets: Targets, holder: subprocess.Popen[str]):
    assert targets.try_claim("a.json") is None
    assert targets.sweep() == 1
    assert len(litter(targets)) == 2
    other = targets.try_claim("b.json")
    assert other is not None
    other.release()
    assert holder.poll() is None


def test_claim_of_a_killed_owner_is_taken_over_at_once_with_its_part(targets: Targets, holder: subprocess.Popen[str]):
    """P70: an exclusive create that dies early leaves something that nobody repairs."""
    holder.kill()
    holder.wait()
    began = time.monotonic()
    claim = None
    while claim is None and time.monotonic() - began < 10:  # Windows frees a dead process's lock a little later
        claim = targets.try_claim("a.json")
    assert claim is not None
    assert litter(targets) == [os.path.basename(path) for path in [claim_path(targets)]]
    write(claim)
    claim.publish(at_once=True)
    claim.release()
    assert litter(targets) == []


def claim_path(targets: Targets) -> str:
    (name,) = (name for name in os.listdir(targets.own_folder) if name.endswith(".claim"))
    return os.path.join(targets.own_folder, name)


def test_empty_claim_without_owner_is_taken_over(targets: Targets):
    """P70: 0 bytes, killed before anything was written."""
    claim = targets.try_claim("a.json")
    assert claim is not None
    path = claim_path(targets)
    claim.release()
    Path(path).touch()
    again = targets.try_claim("a.json")
    assert again is not None
    again.release()
    assert litter(targets) == []


def test_owner_that_dies_between_publishing_and_tidying_leaves_the_item_done(targets: Targets, tmp_path: Path):
    claim = targets.try_claim("a.json")
    assert claim is not None
    path = Path(claim_path(targets))
    claim.release()
    path.touch()
    (tmp_path / "out" / "a.json").write_bytes(b"whole")

    again = targets.try_claim("a.json")
    assert again is not None
    assert again.is_done()
    again.release()
    assert (tmp_path / "out" / "a.json").read_bytes() == b"whole"


def test_sweep_takes_away_what_the_dead_left_and_nothing_else(targets: Targets, tmp_path: Path):
    own = Path(targets.own_folder)
    first, second = "a" * 24, "b" * 24
    probes = "probe-1-a.a.part", "probe-1-a.b.part"
    for name in (f"{first}.claim", f"{first}.1-ff.part", f"{second}.2-ee.part", f".{second}.2-ee.part.tmp", *probes):
        (own / name).write_bytes(b"x")
    (own / "note.txt").write_text("a person's")
    assert targets.sweep() == 0
    assert litter(targets) == ["note.txt"]
    targets.remove_own_folder()
    assert own.exists()


def test_folder_that_a_run_has_just_removed_is_made_again(targets: Targets):
    targets.remove_own_folder()
    assert not os.path.exists(targets.own_folder)
    claim = targets.try_claim("a.json")
    assert claim is not None
    claim.release()


@pytest.mark.posix
def test_link_where_a_claim_should_be_is_not_followed(targets: Targets, tmp_path: Path):
    claim = targets.try_claim("a.json")
    assert claim is not None
    path = claim_path(targets)
    claim.release()
    (tmp_path / "precious").write_bytes(b"precious")
    os.symlink(tmp_path / "precious", path)
    again = targets.try_claim("a.json")
    assert again is not None
    again.release()
    assert (tmp_path / "precious").read_bytes() == b"precious"


@pytest.mark.posix
def test_forked_child_neither_keeps_nor_frees_the_claim(targets: Targets):
    claim = targets.try_claim("a.json")
    assert claim is not None
    read, write_ = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(write_)
        os.read(read, 1)  # lives until the parent closes
        os._exit(0)
    os.close(read)
    assert targets.try_claim("a.json") is None
    claim.release()
    again = targets.try_claim("a.json")
    assert again is not None, "the child holds it"
    again.release()
    os.close(write_)
    os.waitpid(pid, 0)


FORK_AND_DIE = """
import os, sys, time
from trayapp.fan_out.claim import Targets
targets = Targets(sys.argv[1])
assert targets.try_claim("a.json") is not None
if os.fork() == 0:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print("held", flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.posix
def test_child_that_outlives_its_killed_worker_does_not_keep_the_claim(targets: Targets):
    """P31: a child that inherits the descriptor keeps the lock for ever."""
    words = [sys.executable, "-c", FORK_AND_DIE, targets.folder]
    with subprocess.Popen(words, cwd=CHECKOUT, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert process.communicate()[0] == b"held\n"
            claim = targets.try_claim("a.json")
            assert claim is not None
            claim.release()
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.posix
def test_claim_that_is_replaced_between_opening_and_locking_is_the_newcomers(targets: Targets, monkeypatch):
    """P29: who locks a file that was removed meanwhile owns nothing."""
    import fcntl

    from trayapp.fan_out import lock_on_posix

    real, newcomer = fcntl.flock, []

    def replace_then_lock(descriptor: int, how: int) -> None:
        if not newcomer:
            path = claim_path(targets)
            os.unlink(path)  # its owner has finished
            newcomer.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
            real(newcomer[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        real(descriptor, how)

    monkeypatch.setattr(lock_on_posix.fcntl, "flock", replace_then_lock)
    assert targets.try_claim("a.json") is None
    os.close(newcomer[0])


def test_claim_goes_on_to_whoever_waits(targets: Targets):
    with holding(targets, "a.json", "release") as process:
        assert targets.try_claim("a.json") is None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        assert process.stdout.readline() == "released\n"
        claim = targets.try_claim("a.json")
        assert claim is not None
        claim.release()


def test_only_a_file_is_published(targets: Targets, tmp_path: Path):
    assert not flush_part(str(tmp_path / "missing"))
    (tmp_path / "folder").mkdir()
    assert not flush_part(str(tmp_path / "folder"))
    (tmp_path / "file").write_bytes(b"x")
    assert flush_part(str(tmp_path / "file"))
    if sys.platform != "win32":
        os.symlink(tmp_path / "file", tmp_path / "link")
        assert not flush_part(str(tmp_path / "link"))


@pytest.mark.posix
def test_disk_without_links_publishes_by_a_rename_that_replaces_nothing(tmp_path: Path, monkeypatch):
    def refuse(*_names: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    targets = Targets(str(tmp_path / "out"))
    assert targets.publish is publishing._rename
    for content, is_first in ((b"first", True), (b"second", False)):
        claim = targets.try_claim("a.json")
        assert claim is not None
        write(claim, content)
        assert claim.publish(at_once=True) is is_first
        claim.release()
    assert (tmp_path / "out" / "a.json").read_bytes() == b"first"
    assert litter(targets) == []
    targets.close()


@pytest.mark.posix
def test_disk_with_neither_is_refused_before_anything_is_done(tmp_path: Path, monkeypatch):
    def refuse(*_names: object) -> bool:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(publishing, "_link", refuse)
    monkeypatch.setattr(publishing, "_rename", refuse)
    with pytest.raises(SetupError, match="targets-cannot-publish"):
        Targets(str(tmp_path / "out"))
    assert list((tmp_path / "out" / ".birkez").iterdir()) == []


@pytest.mark.posix
def test_folder_on_the_network_is_refused(tmp_path: Path, monkeypatch):
    from trayapp.fan_out import claim

    monkeypatch.setattr(claim, "network_kind", lambda path: "nfs4" if path == str(tmp_path / "out") else None)
    with pytest.raises(SetupError, match="targets-on-network"):
        Targets(str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_file_where_the_folder_should_be_is_told(tmp_path: Path):
    (tmp_path / "out").touch()
    with pytest.raises(SetupError) as caught:
        Targets(str(tmp_path / "out"))
    assert caught.value.code == "targets-unwritable"
    assert caught.value.facts["reason"] == "Not a directory"


@pytest.mark.posix
def test_folder_behind_a_link_is_worked_in(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    targets = Targets(str(tmp_path / "out"))
    claim = targets.try_claim("a.json")
    assert claim is not None
    write(claim)
    assert claim.publish(at_once=True)
    claim.release()
    targets.close()
    assert (tmp_path / "real" / "a.json").read_bytes() == b"whole"
