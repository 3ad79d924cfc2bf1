"""Sentences about the tray application: what keeps it from showing itself."""

from __future__ import annotations

from trayapp.wording.mark import N_

SENTENCES = {
    "tray-needs-qt": N_(
        "The tray application needs Qt (the package PySide6-Essentials), and this installation has none. "
        "Jobs run without it. To have it: pip install 'birkez[tray]', or start 'python3 installer/bootstrap.py tray'."
    ),
    "tray-no-display": N_(
        "The tray application needs a desktop, and there is none here (DISPLAY and WAYLAND_DISPLAY are empty). "
        "Jobs run without it; start it in the session of a person who is logged on."
    ),
    "tray-library-missing": N_(
        "The tray application cannot start: a library of the system is missing ({reason}). Jobs run without it. "
        "On Debian and Ubuntu: sudo apt-get install libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 "
        "libxcb-shape0 libegl1 libgl1"
    ),
    "tray-frozen": N_(
        "Birkez is in the notification area already (pid {pid}) but does not answer. "
        "End that process, then start Birkez again; jobs are not touched by that."
    ),
}
