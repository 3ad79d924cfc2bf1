"""Tell whether a path lies on another computer.

A lock or a database there proves nothing: the server may drop a lock, keep it after a
crash, or not tell a second computer of it. The answer is about the path as it is now and
costs a few microseconds on a disk of this machine.
"""

from __future__ import annotations

import os
import sys

_MOUNTINFO = "/proc/self/mountinfo"

# As mountinfo names them; `fuse.sshfs` counts as its second part. Other programs behind
# fuse (encryption, NTFS, archives) show what lies on this machine.
_NETWORK_TYPES = frozenset(
    (
        *("9p", "afp", "afpfs", "afs", "beegfs", "ceph", "ceph-fuse", "cephfs", "cifs", "coda", "curlftpfs"),
        *("davfs", "davfs2", "fhgfs", "gcsfuse", "glusterfs", "gpfs", "gvfsd-fuse", "kio-fuse", "lustre"),
        *("ncp", "ncpfs", "nfs", "nfs4", "orangefs", "panfs", "pvfs2", "rclone", "s3fs", "smb", "smb2", "smb3"),
        *("smbfs", "smbnetfs", "sshfs", "webdav"),
    )
)
_DRIVE_REMOTE = 4  # GetDriveTypeW


def network_kind(path: str, *, mountinfo: str | None = None) -> str | None:
    """Kind of the network file system that *path* lies on (`nfs4`, `UNC`), None for a disk of this machine.

    *path* need not exist: what counts is where it would be made. What the system does
    not tell counts as local. *mountinfo* is read instead of the kernel's own table.
    """
    if sys.platform == "win32":
        return _kind_on_win32(path)
    if sys.platform == "linux":
        if mountinfo is None and _is_on_block_device(path):
            return None
        return _kind_by_mountinfo(os.path.realpath(path), mountinfo or _MOUNTINFO)
    return _kind_by_statfs(path)


def _is_on_block_device(path: str) -> bool:
    """Tell whether the path lies on a disk: then nothing else need be read.

    Network file systems, like all that have no block device, get major number 0.
    """
    if sys.platform == "win32":
        raise AssertionError
    try:
        device = os.stat(path).st_dev
    except OSError:
        if os.path.islink(path):  # it may point into another file system
            return False
        try:
            device = os.stat(os.path.dirname(path) or ".").st_dev
        except OSError:
            return False
    return os.major(device) != 0


def _kind_by_mountinfo(real_path: str, mountinfo: str) -> str | None:
    try:
        with open(mountinfo, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    wanted = os.fsencode(real_path)
    found, longest = b"", -1
    for line in lines:
        fields = line.split(b" ")
        point = _unescape(fields[4])
        # Equal length: the later mount covers the earlier one.
        if len(point) >= longest and _lies_under(wanted, point):
            found, longest = fields[fields.index(b"-", 6) + 1], len(point)  # optional fields end with "-" (proc(5))
    kind = _unescape(found).decode("utf-8", "replace")
    return kind if kind.removeprefix("fuse.") in _NETWORK_TYPES else None


def _lies_under(path: bytes, point: bytes) -> bool:
    return path == point or path.startswith(point if point.endswith(b"/") else point + b"/")


def _unescape(field: bytes) -> bytes:
    r"""Undo `\040` and the like, by which the kernel writes blanks and backslashes."""
    if b"\\" not in field:
        return field
    first, *rest = field.split(b"\\")
    return first + b"".join(bytes((int(part[:3], 8),)) + part[3:] for part in rest)


def _kind_on_win32(path: str) -> str | None:
    if sys.platform != "win32":
        raise AssertionError
    import ctypes  # noqa: PLC0415  # only Windows pays

    # Resolves junctions, `subst` and, where the server answers, mapped drives to \\server\share.
    real = os.path.realpath(path)
    for candidate in (path, real):
        if is_unc(os.path.abspath(candidate)):
            return "UNC"
    drive = os.path.splitdrive(os.path.abspath(path))[0]
    is_remote = ctypes.WinDLL("kernel32").GetDriveTypeW(ctypes.c_wchar_p(drive + "\\")) == _DRIVE_REMOTE
    return "mapped drive" if is_remote else None


def is_unc(path: str) -> bool:
    r"""Tell whether a Windows path names a server (`\\server\share`, `\\?\UNC\server\share`), on any system."""
    path = path.replace("/", "\\")
    if path[:8].upper() in ("\\\\?\\UNC\\", "\\\\.\\UNC\\"):
        return True
    return path.startswith("\\\\") and path[2:4] not in ("?\\", ".\\")


def _kind_by_statfs(path: str) -> str | None:
    """Ask macOS: statfs(2) says whether a file system is local, and its type."""
    if sys.platform != "darwin":
        return None
    import ctypes  # noqa: PLC0415  # only macOS pays

    folder = os.path.realpath(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    library = ctypes.CDLL(None)
    # On Intel the plain name is the old layout with 32-bit inodes.
    statfs = getattr(library, "statfs$INODE64", None) or library.statfs
    answer = ctypes.create_string_buffer(4096)
    if statfs(os.fsencode(folder), answer) != 0:
        return None
    return _read_statfs(answer.raw)


def _read_statfs(raw: bytes) -> str | None:
    """Read type and the "local" flag of macOS's `struct statfs` (sys/mount.h, 64-bit inodes)."""
    is_local = int.from_bytes(raw[64:68], "little") & 0x1000  # MNT_LOCAL
    kind = raw[72:88].partition(b"\0")[0].decode("ascii", "replace")
    return None if is_local else kind
