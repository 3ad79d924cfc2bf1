from __future__ import annotations

import re
import tomllib

import pytest

from tests.conftest import CHECKOUT

CHAIN = ("requirements.lock", "requirements-tray.lock", "requirements-test.lock")  # each holds those before it
FREEZE = "requirements-freeze.lock"
LOCKS = (*CHAIN, FREEZE)


def _pins(lock: str) -> dict[str, tuple[str, list[str]]]:
    """Each package of *lock* with its version and the hashes of its files."""
    text = (CHECKOUT / "installer" / lock).read_text(encoding="utf-8")
    entries = re.split(r"^(?=\w)", text, flags=re.MULTILINE)
    pins = (re.match(r"([\w.-]+)==(\S+)", entry) for entry in entries)
    return {
        pin[1]: (pin[2], re.findall(r"--hash=sha256:([0-9a-f]{64})\b", pin.string)) for pin in pins if pin is not None
    }


def _names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_with_hashes(lock: str):
    pins = _pins(lock)
    assert pins
    assert not [name for name, (_, hashes) in pins.items() if not hashes]


def test_what_pyproject_asks_for_is_locked():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    runtime, tray, test = (_pins(lock) for lock in CHAIN)
    assert _names(project["project"]["dependencies"]) <= set(runtime)
    assert _names(project["project"]["optional-dependencies"]["tray"]) <= set(tray)
    assert _names(project["dependency-groups"]["dev"]) <= set(test)
    assert _names(project["dependency-groups"]["freeze"]) <= set(_pins(FREEZE))


def test_what_is_frozen_is_what_people_run():
    assert _pins(CHAIN[1]).items() <= _pins(FREEZE).items()


def test_tests_run_with_what_people_run():
    runtime, tray, test = (_pins(lock) for lock in CHAIN)
    assert runtime.items() <= tray.items() <= test.items()


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_a_server(lock: str):
    # Where packages come from is each machine's own setting.
    text = (CHECKOUT / "installer" / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links", text)
