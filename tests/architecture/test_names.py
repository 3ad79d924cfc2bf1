from __future__ import annotations

import ast
import sys

from tests.architecture.source import CHECKOUT, modules

# Drawers: what has no idea of its own ends in one, and then everything imports it.
DRAWERS = {"utils", "util", "common", "helpers", "core", "base", "manager", "misc", "tools", "lib"}


def test_no_module_is_a_drawer():
    assert not [module.path for module in modules() if DRAWERS & set(module.name.lower().split("."))]


def test_no_module_says_windows_for_the_system():
    # "windows" is the plural of window here; the system is win32.
    assert not [module.path for module in modules() if "windows" in module.name.split(".")]


def test_no_module_hides_one_of_the_standard_library():
    own = {"platform", "effect"}  # a word that is only ever imported by its full name
    assert not [
        module.path
        for module in modules()
        if module.name.count(".") == 1 and module.name.rpartition(".")[2] in sys.stdlib_module_names - own
    ]


def test_package_files_hold_a_docstring_and_no_code():
    packages = [module for module in modules() if module.path.endswith("__init__.py")]
    assert packages
    assert not [module.path for module in packages if len(module.tree.body) != 1 or not ast.get_docstring(module.tree)]


def test_every_folder_of_the_package_is_a_package():
    folders = {path.parent for path in (CHECKOUT / "trayapp").rglob("*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").exists()]


def test_every_module_says_what_it_is_for():
    assert not [module.path for module in modules() if not ast.get_docstring(module.tree)]


def test_a_module_for_one_system_says_so_to_the_type_checker():
    # mypy then checks it under that platform alone.
    of_win32 = [module for module in modules() if module.name.endswith("on_win32")]
    assert not [module.path for module in of_win32 if 'assert sys.platform == "win32"' not in module.text]
