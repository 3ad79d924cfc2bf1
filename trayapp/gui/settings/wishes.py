"""What the tray does as a person wished it; where the settings cannot be read, as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trayapp.errors import SetupError
from trayapp.settings import Settings, read_settings

if TYPE_CHECKING:
    from trayapp.gui.look.theme import Scheme
    from trayapp.places import Places

_SCHEMES: dict[str, Scheme] = {"light": "light", "dark": "dark"}


def wished(places: Places) -> Settings:
    """Settings; the defaults where the file is damaged, which the Settings page and the check-up tell."""
    try:
        return read_settings(places)
    except SetupError:
        return Settings()


def wished_scheme(places: Places) -> Scheme:
    """Light, dark, or as the system."""
    return _SCHEMES.get(wished(places).colors, "system")
