"""Pack the frozen folder for Debian and its kin: `python3 installer/deb.py [FOLDER]`, after `freeze.py [FOLDER]`.

Makes `birkez_VERSION_ARCHITECTURE.deb` in FOLDER (build/frozen unless named). What the folder
does not carry itself is declared, by the packages that own those libraries here: so it is for
this Debian release and newer ones.
"""

from __future__ import annotations

import email.utils
import gzip
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from step import Failure, do, say

CHECKOUT = Path(__file__).resolve().parent.parent
_LINUX = CHECKOUT / "installer" / "linux"
_HOME = "usr/lib/birkez"
# Who publishes a package names themselves, as Debian's tools ask for it.
_MAINTAINER = f"{os.environ.get('DEBFULLNAME', 'Birkez')} <{os.environ.get('DEBEMAIL', 'birkez@localhost')}>"
_PROGRAMS = ("birkez", "birkez-tray")
_CONTROL = """\
Package: birkez
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: cron | cron-daemon
Section: admin
Priority: optional
Description: scheduled jobs that are safe to run twice
 Birkez makes the nightly import, the hourly summary and the e-mail run safe:
 however often a job is started, each period's work takes effect once, and no
 period is left out in silence. The system's own scheduler starts the jobs; an
 icon in the notification area shows how they are.
"""


def main(words: list[str]) -> int:
    """Pack, and tell where; returns the exit status."""
    folder = Path(words[0] if words else CHECKOUT / "build" / "frozen").resolve()
    try:
        package = pack(folder)
    except Failure as failure:
        say(failure.turkish, failure.english, to=sys.stderr)
        return 1
    size = package.stat().st_size / (1 << 20)
    say(f"{package}: {size:.0f} MiB hazır.", f"{package}: {size:.0f} MiB, ready.")
    return 0


def pack(folder: Path) -> Path:
    """Make the package of *folder*'s frozen program; returns its file. Raises: Failure."""
    frozen = folder / "birkez"
    if not (frozen / "birkez").is_file():
        raise Failure(f"Önce: freeze.py {folder}", f"First: freeze.py {folder}")
    architecture = _answer("dpkg", "--print-architecture").strip()
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    version = os.environ.get("BIRKEZ_DEB_VERSION", version)  # an upgrade is tried with a later one
    root = folder / "deb"
    shutil.rmtree(root, ignore_errors=True)
    (root / _HOME).parent.mkdir(parents=True)
    shutil.copytree(frozen, root / _HOME, symlinks=True)
    _fill(root, folder, version)
    _set_modes(root)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink()) // 1024
    control = _CONTROL.format(
        version=version,
        architecture=architecture,
        maintainer=_MAINTAINER,
        size=size,
        depends=", ".join(foreign_packages(frozen)),
    )
    _write(root / "DEBIAN" / "control", control)
    _copy(_LINUX / "prerm", root / "DEBIAN" / "prerm")
    (root / "DEBIAN" / "prerm").chmod(0o755)
    package = folder / f"birkez_{version}_{architecture}.deb"
    words = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z4", "--build", str(root), str(package)]
    do(words, "Paket yapılamadı", "Cannot make the package")
    return package


def foreign_packages(frozen: Path) -> list[str]:
    """Debian packages of the libraries that *frozen* asks for and does not carry, sorted.

    Raises: Failure when one is not on this computer.
    """
    files = [path for path in frozen.rglob("*") if path.is_file() and not path.is_symlink() and _is_elf(path)]
    carried = {path.name for path in frozen.rglob("*")}
    needed: set[str] = set()
    for path in files:
        facts = _answer("objdump", "-p", str(path))
        needed |= {line.split()[1] for line in facts.splitlines() if line.lstrip().startswith("NEEDED")}
    listed = [line for line in _answer("ldconfig", "-p").splitlines() if " => " in line]
    known = {line.split()[0]: line.rpartition("=> ")[2] for line in listed}
    missing = sorted(needed - carried - set(known))
    if missing:
        raise Failure(f"Bu kitaplıklar burada yok: {missing}", f"These libraries are not on this computer: {missing}")
    owners = {_owner(known[name]) for name in needed - carried}
    libc = _answer("dpkg-query", "-W", "-f", "${Version}", "libc6").strip().partition("-")[0]
    return sorted(f"libc6 (>= {libc})" if owner == "libc6" else owner for owner in owners)


def _owner(library: str) -> str:
    for path in (os.path.realpath(library), library, library.removeprefix("/usr"), "/usr" + library):
        done = subprocess.run(["dpkg-query", "-S", path], capture_output=True, encoding="utf-8", check=False)  # noqa: S607
        if done.returncode == 0:
            return done.stdout.partition(":")[0]
    raise Failure(f"{library} hiçbir pakete ait değil.", f"{library} belongs to no package.")


def _fill(root: Path, folder: Path, version: str) -> None:
    for name in _PROGRAMS:
        link = root / "usr" / "bin" / name
        link.parent.mkdir(exist_ok=True, parents=True)
        link.symlink_to(f"../lib/birkez/{name}")
    share = root / "usr" / "share"
    _write(share / "applications" / "birkez.desktop", (_LINUX / "birkez.desktop").read_text(encoding="utf-8"))
    for picture in (folder / "icons").glob("birkez-*.png"):
        size = picture.stem.removeprefix("birkez-")
        _copy(picture, share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "birkez.png")
    _copy(
        CHECKOUT / "resources" / "icons" / "birkez.svg",
        share / "icons" / "hicolor" / "scalable" / "apps" / "birkez.svg",
    )
    python = str(folder / "environment" / "bin" / "python")
    describe = str(_LINUX / "describe.py")
    _write(share / "bash-completion" / "completions" / "birkez", _answer(python, describe, "bash"))
    for language, place in (("C.UTF-8", ""), ("tr_TR.UTF-8", "tr/")):
        pages = share / "man" / f"{place}man1"
        _write_packed(pages / "birkez.1.gz", _answer(python, describe, "man", language=language))
        (pages / "birkez-tray.1.gz").symlink_to("birkez.1.gz")
    _write(share / "lintian" / "overrides" / "birkez", (_LINUX / "lintian-overrides").read_text(encoding="utf-8"))
    documents = share / "doc" / "birkez"
    _write(documents / "copyright", _copyright())
    date = email.utils.formatdate(localtime=False)
    changes = f"birkez ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {_MAINTAINER}  {date}\n"
    _write_packed(documents / "changelog.gz", changes)
    _write_packed(documents / "CHANGELOG.md.gz", (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"))


def _copyright() -> str:
    license_text = (CHECKOUT / "LICENSE").read_text(encoding="utf-8")
    return (
        f"{license_text}\nThe folder /usr/lib/birkez also carries, unchanged, Python (PSF License), Qt and PySide6\n"
        "(LGPL-3, see /usr/share/common-licenses/LGPL-3), and the libraries of this Debian release that they need.\n"
    )


def _set_modes(root: Path) -> None:
    for path in [root, *root.rglob("*")]:
        if path.is_symlink():
            continue
        is_program = path.is_dir() or path.parent == root / _HOME
        path.chmod(0o755 if is_program else 0o644)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _answer(*words: str, language: str = "C.UTF-8") -> str:
    environment = {**os.environ, "LC_ALL": language, "LANGUAGE": language[:2], "BIRKEZ_HOME": "/nonexistent"}
    done = subprocess.run(words, env=environment, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise Failure(f"{words[0]} olmadı: {done.stderr}", f"{words[0]} failed: {done.stderr}")
    return done.stdout


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_packed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
