"""What the command line says whatever the command: its help, its languages, its bugs."""

from __future__ import annotations

import argparse
import gettext
import importlib
import os
import re
import subprocess
import sys

import pytest

from tests.cli.conftest import TURKISH
from trayapp import places
from trayapp.cli.main import MODULES
from trayapp.help_text import plain
from trayapp.wording.cli import ARGPARSE

EVERY_HELP = """
import argparse, sys
from trayapp.cli.main import make_parser
def walk(parser):
    print(parser.format_help())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                walk(child)
walk(make_parser(sys.argv[1:]))
"""


def every_help(language: str, run_birkez) -> str:
    environment = run_birkez.environment({"LC_MESSAGES": language})
    return subprocess.run(
        [sys.executable, "-c", EVERY_HELP], env=environment, capture_output=True, encoding="utf-8", check=True
    ).stdout


def test_every_command_has_help_in_both_languages(run_birkez):
    turkish, english = every_help("tr_TR.UTF-8", run_birkez), every_help("en_US.UTF-8", run_birkez)
    commands = {name for names in MODULES.values() for name in names}
    for text in (turkish, english):
        assert {name for name in commands if f" {name} " in text} == commands
    catalogue = gettext.translation("birkez", os.path.join(places.resources_dir(), "locale"), languages=["tr"])
    assert turkish.startswith(catalogue.gettext("usage: ") + "birkez")
    assert english.startswith("usage: birkez")
    assert catalogue.gettext("write JSON, for programs") in turkish


def test_sentences_of_argparse_that_we_translate_are_its_own():
    # Of those that this interpreter knows: a sentence that argparse rewords must be marked anew.
    source = importlib.import_module("inspect").getsource(argparse)
    known = set(re.findall(r"_\(\s*'((?:[^'\\]|\\.)*)'", source)) | set(
        re.findall(r"'(expected %s arguments?)'", source)
    )
    of_newer = {"%(heading)s:", "invalid choice: %(value)r, maybe you meant %(suggestion)r? (choose from %(choices)s)"}
    ours = {text for entry in ARGPARSE for text in ([entry] if isinstance(entry, str) else entry)}
    assert ours - known <= of_newer


@pytest.mark.parametrize("words", [["statsu"], [], ["run", "x", "--bogus"], ["job", "delete"], ["language", "de"]])
def test_wrong_words_are_met_with_usage_in_both_languages(run_birkez, words):
    for environment in ({}, TURKISH):
        told = run_birkez(*words, env=environment)
        assert told.returncode == 2
        assert "birkez" in told.stderr
        assert "--help" in told.stderr
        assert "Traceback" not in told.stderr


def test_options_are_not_guessed_from_their_beginning(run_birkez):
    assert run_birkez("run", "--al").returncode == 2


def test_version_is_that_of_the_project(run_birkez):
    assert re.fullmatch(r"birkez \d+\.\d+\.\d+\n", run_birkez("--version").stdout)


def test_chosen_language_stays(run_birkez):
    assert run_birkez("language", "tr").returncode == 0
    assert "DOSYA" in run_birkez("job", "list").stdout
    assert run_birkez("language").stdout == run_birkez("language", env=TURKISH).stdout
    assert run_birkez("language", "en").stdout == "Birkez speaks English.\n"


HELP = [((), "{}.md"), (("general",), "{}.md"), (("job-file",), "job-file.{}.md"), (("app",), "app.{}.md")]


@pytest.mark.parametrize(("topic", "name"), HELP)
def test_help_is_shown_in_the_spoken_language(run_birkez, topic, name):
    for language, environment in (("en", {}), ("tr", TURKISH)):
        told = run_birkez("help", *topic, env=environment)
        with open(os.path.join(places.resources_dir(), "help", name.format(language)), encoding="utf-8") as file:
            assert (told.returncode, told.stdout) == (0, plain(file.read()))


@pytest.mark.posix
def test_c_locale_is_no_trouble(run_birkez, desk):
    desk.add_sql("satis", title="ğüşİöçı")
    plain = {"LC_ALL": "C", "LC_MESSAGES": None, "LANG": None, "PYTHONIOENCODING": None}
    hard = plain | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (["status"], ["job", "list"], ["run", "satis"], ["run", "nobody"], ["--help"]):
        told = run_birkez(*words, env=hard)
        assert told.returncode in (0, 3)
        assert "Traceback" not in told.stderr
    assert "ğüşİöçı" in run_birkez("job", "list", env=hard).stdout


def test_bug_is_told_in_one_sentence_with_its_details_in_a_file(run_birkez, birkez_home, tmp_path):
    broken = "import sys, trayapp.cli.language_command as m; m._handle = lambda words: 1 / 0\n"
    broken += "from trayapp.cli.main import main; sys.exit(main(['language']))"
    told = subprocess.run(
        [sys.executable, "-c", broken],
        env=run_birkez.environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert told.returncode == 70
    assert len(told.stderr.splitlines()) == 1
    (path,) = (name for name in os.listdir(birkez_home.state) if name.startswith("bug-"))
    assert path in told.stderr
    with open(os.path.join(birkez_home.state, path), encoding="utf-8") as file:
        assert "ZeroDivisionError" in file.read()


@pytest.mark.posix
def test_ctrl_c_ends_without_a_word(run_birkez, desk):
    import signal

    desk.add_sql()
    run_birkez("run", "sales")
    process = run_birkez.start("log", "sales", "-f")
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _said, trouble = process.communicate(timeout=15)
    assert (process.returncode, trouble) == (130, "")


def test_every_module_of_the_command_line_is_there():
    there = {name[:-3] for name in os.listdir(os.path.dirname(importlib.import_module("trayapp.cli").__file__))}
    assert set(MODULES) <= there
