"""One instance a home, whatever a killed one or somebody else left where its socket belongs."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from tests.gui.conftest import until
from tests.gui.desk import Desk, Witness
from trayapp.places import Places

pytestmark = [pytest.mark.linux, pytest.mark.timeout(90)]


def _started(desk: Desk) -> Witness:
    tray = desk.watched_tray("--hidden")
    tray.wait(lambda record: "icon_after_s" in record)
    return tray


def _second_raises(desk: Desk) -> None:
    second = desk.tray()
    assert second.wait(20) == 0
    until(lambda: desk.views("main"))


def _links(desk: Desk) -> list[Path]:
    return list(Path(desk.places.state).rglob("*-at"))


def test_socket_of_a_killed_one_is_taken_over(desk: Desk):  # P79
    desk.start_trayer()
    first = desk.tray("--hidden")
    until(lambda: os.path.exists(desk.places.tray_socket))
    first.kill()
    first.wait()
    assert stat.S_ISSOCK(os.stat(desk.places.tray_socket).st_mode)  # it lies there still
    _started(desk)
    _second_raises(desk)


@pytest.mark.root
def test_socket_that_another_user_left_is_taken_over(desk: Desk):
    desk.start_trayer()
    desk.places.make_folders()
    left = socket.socket(socket.AF_UNIX)
    left.bind(desk.places.tray_socket)
    os.chown(desk.places.tray_socket, 65534, 65534)
    os.chmod(desk.places.tray_socket, 0o600)
    _started(desk)
    _second_raises(desk)
    left.close()
    assert os.stat(desk.places.tray_socket).st_uid == os.getuid()


def test_what_cannot_be_removed_does_not_keep_the_second_from_raising_the_first(desk: Desk):
    desk.start_trayer()
    desk.places.make_folders()
    Path(desk.places.tray_socket, "in-the-way").mkdir(parents=True)
    first = _started(desk)
    _second_raises(desk)
    (link,) = _links(desk)
    folder = Path(os.readlink(link)).parent
    assert folder.stat().st_mode & 0o077 == 0
    first.process.terminate()
    assert first.process.wait(15) == 0
    assert not _links(desk)
    assert not folder.exists()


def test_home_whose_path_is_too_long_for_a_socket(desk: Desk):
    desk.start_trayer()
    home = desk.folder / ("uzun-bir-klasor-adi-" * 6)
    desk.env["BIRKEZ_HOME"] = str(home)
    desk.places = Places(str(home / "config"), str(home / "state"))
    first = _started(desk)
    assert len(os.fsencode(desk.places.tray_socket)) > 108
    (link,) = _links(desk)
    old = Path(os.readlink(link))
    first.process.kill()
    first.process.wait()
    _started(desk)
    (link,) = _links(desk)
    assert Path(os.readlink(link)) != old
    assert not old.parent.exists()  # what the killed one left
    _second_raises(desk)
