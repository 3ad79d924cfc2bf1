"""A python effect that forks: the child must neither free the lock nor keep it (P31).

flock belongs to the open file, which a forked child shares with its parent.
"""

from __future__ import annotations

import os
import signal

import pytest

pytestmark = pytest.mark.posix


@pytest.fixture
def pair(start_player, lock_file):
    """A holder that may fork, and another process; children are ended with the test."""
    holder, other = start_player(), start_player()
    holder.take(lock_file)
    children = []
    yield holder, other, children
    for child in children:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("release", [False, True])
def test_parent_keeps_lock_while_forked_child_lives(pair, lock_file, release):
    holder, other, children = pair
    children.append(holder.fork(30, release))
    assert not other.take(lock_file)
    assert other.state(lock_file)[:2] == ["held", holder.pid]


def test_release_frees_while_forked_child_lives(pair, lock_file):
    holder, other, children = pair
    children.append(holder.fork(30, False))
    holder.drop()
    assert other.take(lock_file)


def test_release_frees_what_a_child_of_c_code_inherited(pair, lock_file):
    holder, other, children = pair
    children.append(holder.fork_in_c(30))
    holder.drop()
    assert other.take(lock_file)


def test_killed_parent_leaves_nothing_to_its_forked_child(pair, lock_file):
    holder, other, children = pair
    children.append(holder.fork(30, False))
    holder.kill()
    assert other.take(lock_file)


@pytest.mark.linux
def test_lock_kept_by_child_of_c_code_is_shown_as_held(pair, lock_file):
    """The one way left to keep it: parent killed, child forked past Python; no start gets in, and no one shows idle."""
    holder, other, children = pair
    children.append(holder.fork_in_c(30))
    holder.kill()
    assert not other.take(lock_file)
    assert other.state(lock_file) == ["held"]
