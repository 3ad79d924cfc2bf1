"""What a command finds in its environment, and what is put into its words."""

from __future__ import annotations

import os
import sys

import pytest

from tests.effect.command_running import KEY, unit
from trayapp.effect.child.environment import command_environment, fill_placeholders, placeholders
from trayapp.job.model import CommandEffect

_VALUES = {"start": "S", "end": "E", "key": "K"}


def _environment(inherited: dict[str, str], **effect: object) -> dict[str, str]:
    return command_environment(CommandEffect(("true",), **effect), unit(), inherited)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{start}/{end} {key}{key}", "S/E KK"),
        ("{print $1} {} {{}} {startx} {Start} { start }", "{print $1} {} {{}} {startx} {Start} { start }"),
        ("{{start}}", "{start}"),
        ("{{start}", "{S"),
        ("{start}}", "S}"),
        ("x{{end}}y{end}z", "x{end}yEz"),
        ("start=1; echo ${start} {start}", "start=1; echo ${start} S"),
        ("", ""),
    ],
)
def test_only_the_three_placeholders_are_filled(text, filled):
    assert fill_placeholders(text, _VALUES) == filled


def test_value_that_looks_like_a_placeholder_is_not_filled_again():
    assert fill_placeholders("{start}-{key}", {"start": "S", "key": "{start}"}) == "S-{start}"


def test_instants_are_utc_with_their_suffix():
    assert placeholders(unit()) == {"start": "2026-09-04T10:00:00Z", "end": "2026-09-04T11:00:00Z", "key": KEY}


def test_packaged_applications_variables_do_not_reach_a_command():
    """P98: a command that loads our libraries fails with 127 and looks like the person's fault."""
    found = _environment(
        {
            "LD_LIBRARY_PATH": f"/tmp/_MEIx{os.pathsep}/opt/lib",
            "LD_LIBRARY_PATH_ORIG": "/opt/lib",
            "DYLD_LIBRARY_PATH": "/tmp/_MEIx",
            "PYTHONHOME": "/tmp/_MEIx",
            "PYTHONPATH": "/tmp/.mount_birkez/lib",
            "QT_PLUGIN_PATH": "/tmp/_MEIx/plugins",
            "APPDIR": "/tmp/.mount_birkez",
            "APPIMAGE": "/home/a/Birkez.AppImage",
            "_MEIPASS2": "/tmp/_MEIx",
            "_PYI_ARCHIVE_FILE": "/opt/birkez/birkez",
            "EDITOR": "vi",
            "LC_ALL": "tr_TR.UTF-8",
        }
    )
    own = {name: value for name, value in found.items() if not name.startswith(("BIRKEZ_", "PYTHONIO"))}
    assert own == {"LD_LIBRARY_PATH": "/opt/lib", "EDITOR": "vi", "LC_ALL": "tr_TR.UTF-8"}
    assert found["BIRKEZ_KEY"] == KEY


def test_library_path_without_an_original_loses_the_applications_folders_alone():
    folders = os.pathsep.join(["/app/lib", "/usr/local/lib", "/opt/oracle"])
    assert _environment({"LD_LIBRARY_PATH": folders, "APPDIR": "/app"})["LD_LIBRARY_PATH"] == os.pathsep.join(
        ["/usr/local/lib", "/opt/oracle"]
    )
    assert "LD_LIBRARY_PATH" not in _environment({"LD_LIBRARY_PATH": "/app/lib", "APPDIR": "/app"})


def test_persons_own_library_and_module_paths_stay():
    own = {"LD_LIBRARY_PATH": "/opt/oracle", "PYTHONPATH": "/home/a/lib"}
    assert own.items() <= _environment(own).items()


def test_what_the_job_sets_counts_also_where_it_was_cleaned():
    found = _environment({"PYTHONHOME": "/tmp/_MEIx"}, env=(("PYTHONHOME", "/opt/py"), ("BIRKEZ_KEY", "forged")))
    assert found["PYTHONHOME"] == "/opt/py"
    assert found["BIRKEZ_KEY"] == KEY


def test_path_of_the_job_replaces_the_inherited_one():
    assert _environment({"PATH": "/usr/bin"}, path="/opt/bin")["PATH"] == "/opt/bin"
    assert _environment({"PATH": "/usr/bin"})["PATH"] == "/usr/bin"


@pytest.mark.posix
@pytest.mark.parametrize(
    ("inherited", "expected"),
    [
        ({}, {"LC_CTYPE": "C.UTF-8"}),
        ({"LANG": "C"}, {"LANG": "C", "LC_CTYPE": "C.UTF-8"}),
        ({"LC_ALL": "POSIX", "LANG": "tr_TR.UTF-8"}, {"LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8"}),
        ({"LC_CTYPE": "C", "LANG": "tr_TR.UTF-8"}, {"LC_CTYPE": "C.UTF-8", "LANG": "tr_TR.UTF-8"}),
        ({"LC_ALL": "", "LANG": "tr_TR.UTF-8"}, {"LC_ALL": "", "LANG": "tr_TR.UTF-8"}),
        ({"LANG": "tr_TR.ISO-8859-9"}, {"LANG": "tr_TR.ISO-8859-9"}),
    ],
)
def test_c_locale_of_a_scheduler_becomes_utf8(inherited, expected):
    """P100: under cron's C locale programs die when they print or read other letters than ASCII."""
    found = _environment(inherited)
    assert {name: found[name] for name in found if name.startswith(("LC_", "LANG"))} == {
        name: value.replace("C.UTF-8", "UTF-8" if name == "LC_CTYPE" else "en_US.UTF-8")
        if sys.platform == "darwin"
        else value
        for name, value in expected.items()
    }


def test_locale_that_the_job_sets_is_left_alone():
    found = _environment({}, env=(("LC_ALL", "C"),))
    assert found["LC_ALL"] == "C"
    assert "LC_CTYPE" not in found


@pytest.mark.win32
def test_python_programs_print_utf8_on_windows_unless_told_otherwise():
    assert _environment({})["PYTHONIOENCODING"] == "utf-8"
    assert _environment({"PYTHONIOENCODING": "cp857"})["PYTHONIOENCODING"] == "cp857"
    assert "PYTHONIOENCODING" not in _environment({}, encoding="cp1254")
