"""Where everything lies. No other module builds a path of Birkez's own.

All of it moves under `$BIRKEZ_HOME` when that is set: tests, a portable stick.
Paths are text, not `pathlib`: its import costs the runner more than its work.
"""

from __future__ import annotations

import os
import sys

from trayapp.errors import SetupError
from trayapp.value import NamedTuple

APPLICATION = "birkez"


class Places(NamedTuple):
    """The two folders that all other paths start from: *config* is the person's, *state* ours."""

    config: str
    state: str

    @property
    def jobs_dir(self) -> str:
        """Folder of the job files."""
        return os.path.join(self.config, "jobs")

    @property
    def settings_file(self) -> str:
        """Language and the like, as the person set them."""
        return os.path.join(self.config, "settings.toml")

    @property
    def ledger_db(self) -> str:
        """Ledger of the jobs that have no database of their own."""
        return os.path.join(self.state, "ledger.db")

    @property
    def history_db(self) -> str:
        """Runs and events, for people."""
        return os.path.join(self.state, "history.db")

    @property
    def common_log(self) -> str:
        """Lines that belong to no job, such as an orphan trigger's; no id can be `_common`."""
        return os.path.join(self.state, "logs", "_common.log")

    def job_file(self, job_id: str) -> str:
        """File of one job."""
        return os.path.join(self.jobs_dir, job_id + ".toml")

    def cache_file(self, job_id: str) -> str:
        """A parsed job file, kept beside its identity."""
        return os.path.join(self.state, "cache", job_id)

    def lock_file(self, job_id: str) -> str:
        """Lock of one job; its text tells who holds it."""
        return os.path.join(self.state, "locks", job_id + ".lock")

    def log_file(self, job_id: str) -> str:
        """Text log of one job."""
        return os.path.join(self.state, "logs", job_id + ".log")

    def output_file(self, job_id: str, run_id: str) -> str:
        """What a command printed during one run."""
        return os.path.join(self.state, "output", job_id, run_id + ".txt")

    def pause_file(self, job_id: str) -> str:
        """Exists while a job is paused; holds until when."""
        return os.path.join(self.state, "paused", job_id)

    @property
    def seen_dir(self) -> str:
        """What is remembered of the jobs' ledgers: beside the jobs, since a lost state folder must be noticed."""
        return os.path.join(self.config, "seen")

    def seen_file(self, job_id: str) -> str:
        """The identity and commit counter of the ledger that the job's last run saw."""
        return os.path.join(self.seen_dir, job_id)

    def workers_file(self, job_id: str) -> str:
        """Lock that each worker of a job with items shares."""
        return os.path.join(self.state, "locks", job_id + ".workers")

    def items_dir(self, job_id: str) -> str:
        """What is remembered of a job's items, and how far its workers are; made with the first run."""
        return os.path.join(self.state, "items", job_id)

    @property
    def adopted_dir(self) -> str:
        """What was taken over from the scheduler, a file a job; made with the first."""
        return os.path.join(self.state, "adopted")

    def adopted_file(self, job_id: str) -> str:
        """The foreign entry whose work a job does."""
        return os.path.join(self.state, "adopted", job_id + ".json")

    @property
    def trigger_journal(self) -> str:
        """What was written to the system's scheduler; its folder is made with the first entry."""
        return os.path.join(self.state, "triggers", "journal.json")

    @property
    def tray_lock(self) -> str:
        """Lock of the tray application: whoever holds it is the one instance."""
        return os.path.join(self.state, "tray.lock")

    @property
    def tray_socket(self) -> str:
        """Where a second start asks the first to show itself."""
        return os.path.join(self.state, "tray.socket")

    @property
    def tray_told(self) -> str:
        """What the tray has notified of."""
        return os.path.join(self.state, "tray-told.json")

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders that every run needs."""
        return (self.jobs_dir, self.seen_dir, *(os.path.join(self.state, name) for name in _STATE_FOLDERS))

    def make_folders(self) -> None:
        """Create what is missing of the folders, each readable by this user alone.

        Raises: SetupError `state-folder-unusable` when one cannot be made.
        """
        for folder in self.folders:
            if os.path.isdir(folder):
                continue
            try:
                make_folder(folder)
            except OSError as error:
                raise SetupError("state-folder-unusable", path=folder, reason=os.strerror(error.errno or 0)) from error


_STATE_FOLDERS = ("cache", "locks", "logs", "output", "paused")


def make_folder(folder: str) -> None:
    """Create *folder* and what is missing above it, each level for this user alone whatever the umask.

    `os.makedirs` gives its mode to the last level only. Raises: OSError.
    """
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        make_folder(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def find_places() -> Places:
    """Places of this user on this system, under `$BIRKEZ_HOME` when that is set."""
    home = os.environ.get("BIRKEZ_HOME")
    if home:
        home = os.path.abspath(home)
        return Places(os.path.join(home, "config"), os.path.join(home, "state"))
    return user_places()


def user_places() -> Places:
    """Places of this user on this system, where no `BIRKEZ_HOME` says otherwise."""
    if sys.platform == "linux":
        return _by_xdg()
    import platformdirs  # noqa: PLC0415  # its import costs 26 ms; Linux asks the same variables itself

    return Places(
        platformdirs.user_config_dir(APPLICATION, appauthor=False, roaming=False),
        platformdirs.user_state_dir(APPLICATION, appauthor=False),
    )


def _by_xdg() -> Places:
    # XDG Base Directory Specification: a relative path is invalid and ignored. A test
    # holds these to platformdirs' answers.
    def base(variable: str, default: str) -> str:
        path = os.environ.get(variable, "")
        return path if os.path.isabs(path) else os.path.join(os.path.expanduser("~"), *default.split("/"))

    return Places(
        os.path.join(base("XDG_CONFIG_HOME", ".config"), APPLICATION),
        os.path.join(base("XDG_STATE_HOME", ".local/state"), APPLICATION),
    )


def resources_dir() -> str:
    """Folder of the catalogues, icons and the demo: inside the package, or beside it in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(package, "resources")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "resources")
