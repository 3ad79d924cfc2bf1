from __future__ import annotations

import os
import sys

import pytest

from trayapp import network_folder
from trayapp.network_folder import is_unc, network_kind

ROOT = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw"


def in_table(folder):
    """The folder as the kernel writes it into its table."""
    return str(folder).replace("\\", "\\134").replace(" ", "\\040")


@pytest.fixture
def kind_by(tmp_path):
    """Kind of a path by a mount table of the test's own; `@` in it stands for the test's folder."""

    def kind(path, *mounts):
        table = tmp_path / "mountinfo"
        table.write_bytes(
            b"".join(os.fsencode(line.replace("@", in_table(tmp_path))) + b"\n" for line in (ROOT, *mounts))
        )
        return network_kind(str(tmp_path / path), mountinfo=str(table))

    return kind


def test_folder_of_this_machine_is_local(tmp_path):
    assert network_kind(str(tmp_path / "a.lock")) is None
    assert network_kind(str(tmp_path / "missing" / "folder" / "a.lock")) is None


@pytest.mark.linux
def test_memory_file_system_is_local():
    assert network_kind("/dev/shm/a.lock") is None


@pytest.mark.linux
@pytest.mark.parametrize(
    "kind",
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb3",
        "sshfs",
        "fuse.sshfs",
        "9p",
        "afs",
        "ceph",
        "fuse.rclone",
        "fuse.gvfsd-fuse",
    ],
)
def test_network_file_systems_are_named(kind_by, kind):
    assert kind_by("a.lock", f"30 22 0:44 / @ rw - {kind} server:/export rw") == kind


@pytest.mark.linux
@pytest.mark.parametrize("kind", ["ext4", "btrfs", "overlay", "tmpfs", "zfs", "fuseblk", "fuse.gocryptfs", "autofs"])
def test_other_file_systems_are_local(kind_by, kind):
    assert kind_by("a.lock", f"30 22 0:44 / @ rw - {kind} x rw") is None


@pytest.mark.linux
def test_deepest_mount_decides(kind_by):
    mounts = ("30 22 0:44 / @ rw - nfs server:/ rw", "31 30 254:1 / @/disk rw - ext4 /dev/vdb rw")
    assert kind_by("disk/a.lock", *mounts) is None
    assert kind_by("disk/a.lock", *reversed(mounts)) is None
    assert kind_by("disk2/a.lock", *mounts) == "nfs"


@pytest.mark.linux
def test_later_mount_covers_the_earlier_one(kind_by):
    assert kind_by("a", "30 22 254:1 / @ rw - ext4 /dev/vdb rw", "31 30 0:44 / @ rw - cifs //server/x rw") == "cifs"


@pytest.mark.linux
def test_optional_fields_stand_before_the_type(kind_by):
    assert kind_by("a", "30 22 0:44 / @ rw shared:1 master:2 - nfs4 server:/ rw") == "nfs4"
    assert kind_by("a", "30 22 0:44 / @ rw shared:1 - ext4 nfs rw") is None


@pytest.mark.linux
def test_blanks_and_backslashes_of_a_mount_point_are_read(kind_by, tmp_path):
    (tmp_path / "ortak klasör\\x").mkdir()
    mounts = ("30 22 0:44 / @/ortak\\040klasör\\134x rw - cifs //server/ortak rw",)
    assert kind_by("ortak klasör\\x/a.lock", *mounts) == "cifs"
    assert kind_by("ortak", *mounts) is None


@pytest.mark.linux
def test_link_is_followed_to_where_the_file_would_be(kind_by, tmp_path):
    (tmp_path / "link").symlink_to("share/a.lock")
    assert kind_by("link", "30 22 0:44 / @/share rw - nfs4 server:/ rw") == "nfs4"


@pytest.mark.linux
def test_link_to_nowhere_is_not_taken_for_its_folder(tmp_path, monkeypatch):
    table = tmp_path / "mountinfo"
    table.write_text(f"{ROOT}\n30 22 0:44 / {in_table(tmp_path)}/share rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(network_folder, "_MOUNTINFO", str(table))
    (tmp_path / "link").symlink_to("share/a.lock")
    assert network_kind(str(tmp_path / "link")) == "nfs4"


@pytest.mark.linux
def test_missing_table_is_no_reason_to_refuse(tmp_path):
    assert network_kind(str(tmp_path / "a"), mountinfo=str(tmp_path / "none")) is None


# ----------------------------------------------------------- other systems


@pytest.mark.parametrize(
    "path",
    [
        r"\\server\share\a.lock",
        "//server/share/a.lock",
        r"\\?\UNC\server\share\a",
        r"\\.\unc\server\share",
        r"\\wsl$\x",
    ],
)
def test_path_that_names_a_server_is_unc(path):
    assert is_unc(path)


@pytest.mark.parametrize(
    "path", [r"C:\birkez\a.lock", r"\\?\C:\birkez", r"\\.\C:\birkez", r"\birkez", "birkez", "C:/x"]
)
def test_path_on_a_drive_is_not_unc(path):
    assert not is_unc(path)


@pytest.mark.win32
def test_server_in_the_path_is_refused():
    assert network_kind(r"\\server\share\a.lock") == "UNC"


@pytest.mark.win32
def test_mapped_drive_is_refused(monkeypatch):
    import ctypes

    class Kernel32:
        @staticmethod
        def GetDriveTypeW(root):  # noqa: N802  # the system's name
            assert root.value == "C:\\"
            return 4  # DRIVE_REMOTE

    monkeypatch.setattr(ctypes, "WinDLL", lambda _name: Kernel32)
    assert network_kind(r"C:\birkez\a.lock") == "mapped drive"


def statfs(kind, flags):
    """`struct statfs` of macOS: flags at 64, the type's name at 72."""
    return bytes(64) + flags.to_bytes(4, "little") + bytes(4) + kind.ljust(16, b"\0") + bytes(2048)


def test_macos_tells_local_from_remote_by_its_flag():
    assert network_folder._read_statfs(statfs(b"apfs", 0x1000)) is None
    assert network_folder._read_statfs(statfs(b"smbfs", 0)) == "smbfs"


@pytest.mark.skipif(sys.platform != "darwin", reason="needs macOS")
def test_macos_home_is_local():
    assert network_kind(os.path.expanduser("~/a.lock")) is None
