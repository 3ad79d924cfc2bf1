"""Single lines: what of them a job can do, and as which command."""

from __future__ import annotations

import os
import shlex
import subprocess
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adoption.conftest import code_of, entries_of, only_entry
from trayapp.adoption.cron_command import command_effect
from trayapp.adoption.entry import named
from trayapp.effect.child.environment import command_environment, fill_placeholders
from trayapp.effect.unit import Unit
from trayapp.errors import TriggerError
from trayapp.job.schedule import Cron, Daily, Every, Monthly, Weekly
from trayapp.window.grid import Window

pytestmark = pytest.mark.posix

UNIT = Unit(
    job="j", run="r", window=Window(datetime(2026, 9, 4, tzinfo=UTC), datetime(2026, 9, 5, tzinfo=UTC)), key="j:k"
)


def effect_of(line: str, above: str = ""):
    entry = only_entry(line, above)
    assert entry.refusal is None, entry.refusal
    return entry.effect


# ------------------------------------------------------------------------ times


@pytest.mark.parametrize(
    ("times", "schedule"),
    [
        ("05 18 * * *", Daily((1085,))),
        ("35 18 * * FRI", Weekly((4,), (1115,))),
        ("0 9 * * MON-FRI", Weekly((0, 1, 2, 3, 4), (540,))),
        ("0 9 * JAN-mar *", Cron("0 9 * JAN-mar *")),
        ("@weekly", Weekly((6,), (0,))),
        ("@monthly", Monthly((1,), (0,))),
        ("@yearly", Cron("0 0 1 1 *")),
        ("@annually", Cron("0 0 1 1 *")),
        ("@midnight", Daily((0,))),
        ("@HOURLY", Every(60)),
        ("0 * * * *", Every(60)),
        ("0 0-23 * * *", Every(60, hours=(0, 24))),  # without a star: once for each wall clock time
        ("*/15 8-18 * * *", Every(15, hours=(8, 19))),  # by day both kinds are one
        ("*/15 2-5 * * *", Cron("*/15 2-5 * * *")),
        ("0 */6 * * *", Cron("0 */6 * * *")),  # with a star it follows the clock, and `every` of six hours does not
        ("*/45 * * * *", Cron("*/45 * * * *")),
        ("*/6 * * * *", Cron("*/6 * * * *")),
    ],
)
def test_times_are_a_plain_timetable_where_it_says_just_the_same(times, schedule):
    assert only_entry(f"{times} true").schedule == schedule


@pytest.mark.parametrize(
    "line",
    [
        "60 * * * * x", "0 24 * * * x", "0 0 0 * * x", "0 0 * 13 * x", "0 0 * * 8 x", "5/15 * * * * x", "*/0 * * * * x",
        "0 0 * * 5#2 x", "0 0 L * * x", "20-10 * * * * x", "0 0 * * x", "nonsense", "0 0 * * fri-mon x", "@often x",
        "-*/5 * * * * x", "0~9 * * * * x",
    ],
)  # fmt: skip
def test_line_that_cron_does_not_take_is_none(line):
    assert code_of(line) == "adopt-invalid-line"


def test_day_that_never_comes_is_told():
    assert code_of("0 0 31 2 * x") == code_of("0 0 30 feb * x") == "adopt-never"


# ---------------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("tar czf b-$(date +%F).tgz x", "adopt-percent"),
        ("mail -s x a@b.example%Hello", "adopt-percent"),
        ("sed 's/\\\\/x/' y", "adopt-backslashes"),
        ("x\r", "adopt-carriage-return"),
        ("/usr/bin/flock -n /tmp/x.lock /x.sh", "adopt-locked"),
        ("cd /x && flock -n l ./x.sh", "adopt-locked"),
        ("LANG=C sudo -n flock -w 3 l x", "adopt-locked"),
        ("run-one x", "adopt-locked"),
        ("/usr/bin/birkez run satis", "adopt-own"),
        ("cd /x && BIRKEZ_HOME=/y birkez --home /y run satis", "adopt-own"),
        ("/opt/b/bin/python -m trayapp run satis", "adopt-own"),
        ("/opt/b/bin/python -I -S /opt/b/trayapp/__main__.py run satis", "adopt-own"),
        ("sleep 60 &", "adopt-background"),
        ("(/x.sh; /y.sh &)", "adopt-background"),
        ("/x.sh > /dev/null 2>&1 &  # later", "adopt-background"),
        ("php /a/artisan schedule:run >> /dev/null 2>&1", "adopt-framework"),
        ("php bin/magento cron:run", "adopt-framework"),
        ("run-parts /etc/cron.daily", "adopt-maintenance"),
        ("test -x /usr/sbin/anacron || x", "adopt-maintenance"),
        ("reboot", "adopt-restart"),
        ("/sbin/shutdown -r now", "adopt-restart"),
        ("x && systemctl reboot", "adopt-restart"),
        ("sleep 5; init 6", "adopt-restart"),
        ("root /usr/bin/php x.php", "adopt-user-column"),
    ],
)
def test_command_that_stays_where_it_is(command, code):
    assert code_of(f"0 1 * * * {command}") == code


@pytest.mark.parametrize(
    "command",
    ["/x/reboot-log.sh", "echo reboot", "/x/flock.sh", "cat /etc/crontab", "rsync -a /etc/cron.d /b", "init-db.sh x"],
)
def test_command_that_only_looks_like_one_can_be_adopted(command):
    assert code_of(f"0 1 * * * {command}") == ""


def test_variable_that_cron_does_not_expand_is_told_where_the_command_asks_for_it():
    above = "HOME_OF=$HOME/x\n"
    assert code_of("0 1 * * * $HOME_OF/run", above) == code_of("0 1 * * * ${HOME_OF}/run", above) == "adopt-unexpanded"
    assert code_of("0 1 * * * /x/run", above) == ""
    assert code_of("0 1 * * * /x/run", "PATH=$PATH:/opt/bin\n") == "adopt-unexpanded"  # each command asks for it
    assert code_of("0 1 * * * $LATER/x\nLATER=$HOME") == ""


def test_cron_tz_counts_where_the_cron_here_heeds_it():
    table = b"CRON_TZ=Japan\n0 1 * * * x\n"
    assert entries_of(table, heeds_cron_tz=False)[0].refusal is None
    assert entries_of(table, heeds_cron_tz=True)[0].refusal.code == "adopt-cron-tz"


def test_desktop_is_a_caution():
    assert [caution.code for caution in only_entry("0 1 * * * DISPLAY=:0 x").cautions] == ["adopt-desktop"]


def test_letters_that_are_no_utf8_are_told():
    (entry,) = entries_of(b"0 1 * * * x \xfd\n")
    assert entry.refusal.code == "adopt-not-utf8"
    assert code_of("0 1 * * * x", "BIRKEZ_KEY=1\n") == "adopt-own-variable"
    assert code_of("0 1 * * * x", "HOME=here\n") == "adopt-home"


def test_effect_says_all_that_cron_adds():
    effect = effect_of("0 1 * * * /x/a.sh 'b c' \"d\"")
    assert (effect.argv, effect.shell) == (("/x/a.sh", "b c", "d"), "")
    assert (effect.cwd, effect.path, effect.env) == ("/home/office", "/usr/bin:/bin", ())
    above = 'MAILTO="a@b.example"\nPATH=/opt/x:/bin\nLANG = "tr_TR.UTF-8"\nHOME=/srv\nLANG=C\n'
    effect = effect_of("0 1 * * * a | b", above)
    assert (effect.cwd, effect.path) == ("/srv", "/opt/x:/bin")
    assert dict(effect.env) == {"LANG": "C", "HOME": "/srv"}  # the last one above counts
    assert effect.shell == "a | b"


def test_variables_from_further_down_do_not_reach_the_command():
    (entry, _second) = entries_of(b"0 1 * * * x\nPYTHONPATH=/y\nMAILTO=z\n0 2 * * * y\n")
    assert entry.effect.env == (("PYTHONPATH", ""),)


@pytest.mark.parametrize(
    "command",
    [
        "a > b", "a | b", "a; b", "a && b", "$A b", "~/x", "ls *.x", "A=1 b", "cd /x", ". x", "(a)", "a `b`", 'a "$b"',
        "a # b", "if true; then a; fi", "a {b,c}", "test -x y", "a 'b", "a \\ b",
    ],
)  # fmt: skip
def test_shell_comes_in_where_the_command_needs_one(command):
    assert effect_of(f"0 1 * * * {command}").shell == command
    assert effect_of(f"0 1 * * * {command}", "SHELL=/bin/bash\n").argv == ("/bin/bash", "-c", command)


def test_plain_command_needs_no_shell_whichever_it_is():
    assert effect_of("0 1 * * * a b", "SHELL=/bin/bash\n").argv == ("a", "b")
    assert effect_of("0 1 * * * a b", "SHELL=/usr/bin/fish\n").argv == ("/usr/bin/fish", "-c", "a b")


def test_script_without_a_first_line_gets_the_shell_that_alone_starts_it(tmp_path):
    script = tmp_path / "x.sh"
    script.write_text("echo done\n", encoding="utf-8")
    assert effect_of(f"0 1 * * * {script} y").shell == f"{script} y"
    script.write_text("#!/bin/sh\necho done\n", encoding="utf-8")
    assert effect_of(f"0 1 * * * {script} y").argv == (str(script), "y")


def test_escaped_percent_is_one():
    assert effect_of("0 1 * * * tar czf b-$(date +\\%F).tgz x").shell == "tar czf b-$(date +%F).tgz x"
    assert effect_of("0 1 * * * x 10\\%").argv == ("x", "10%")


plain = st.text("ab/.-=@,:%'\" \t{}$startendky", min_size=1, max_size=24)


@given(plain)
def test_words_reach_the_program_as_a_shell_would_hand_them_on(text):
    command = "/bin/echo " + text
    effect = command_effect(command, (), (), "/")
    if effect.argv:
        assert [fill_placeholders(word, {"start": "S", "end": "E", "key": "K"}) for word in effect.argv] == shlex.split(
            command
        )
        words = subprocess.run(
            ["sh", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True
        ).stdout
        assert words.splitlines() == (shlex.split(text) or [""])
    else:
        assert fill_placeholders(effect.shell, {"start": "S", "end": "E", "key": "K"}) == command


def test_placeholders_of_ours_are_the_commands_own():
    for text in ("{start}", "{{key}}", "${end}", "x{end}y", "'{key}'", "${{start}}"):
        effect = effect_of(f"0 1 * * * echo {text} | cat")
        assert fill_placeholders(effect.shell, {"start": "S", "end": "E", "key": "K"}) == f"echo {text} | cat"


def test_environment_is_the_tables_whoever_starts_the_job():
    effect = effect_of("0 1 * * * a", "A=1\n")
    environment = command_environment(effect, UNIT, {**os.environ, "PATH": "/my/own", "A": "2"})
    assert (environment["PATH"], environment["A"]) == ("/usr/bin:/bin", "1")


# ------------------------------------------------------------------------- names


def test_name_holds_as_long_as_nothing_changes_and_finds_a_line_that_has_moved():
    table = b"0 1 * * * a\n0 2 * * * b\n"
    first, second = entries_of(table)
    assert named([first, second], second.name) == second
    moved = entries_of(b"# new\n" + table)
    assert named(moved, second.name).raw == second.raw
    changed = entries_of(table.replace(b"b", b"c"))
    with pytest.raises(TriggerError) as refused:
        named(changed, second.name)
    assert refused.value.facts["near"] == changed[1].name
    with pytest.raises(TriggerError, match="adopt-no-entry"):
        named(changed, "9-abcd")


def test_name_changes_with_the_variables_above():
    assert only_entry("0 1 * * * a").name != only_entry("0 1 * * * a", "PATH=/x\n").name.replace("2-", "1-")


def test_lines_with_the_same_bytes_are_told_apart_by_their_number():
    first, second = entries_of(b"0 1 * * * a\n0 1 * * * a\n")
    assert first.check == second.check
    assert named([first, second], second.name).occurrence == 1


def test_birkez_own_lines_are_no_entries():
    line = b"5 2 * * * /usr/bin/python3 -I -S /x/__main__.py run sales --trigger schedule --home /h\n"
    assert entries_of(line + b"# 0 1 * * * off\nA=1\n\n") == []


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("# Gece yedeği\n", "Gece yedeği"),
        ("# ----- 2) Backup! -----\n", "2) Backup!"),
        ("# */5 * * * * /x/old.sh\n", "new.sh a"),
        ("# m h  dom mon dow   command\n", "new.sh a"),
        ("# one\n# two\n# three\n", "new.sh a"),
        ("# birkez 0123456789 starts this as x: 0 1 * * * y\n", "new.sh a"),
        ("# Gece yedeği\n\n", "new.sh a"),
        ("#\n", "new.sh a"),
    ],
)
def test_title_is_what_somebody_wrote_above_or_the_program(above, title):
    assert only_entry("0 1 * * * /bin/bash /x/new.sh a >> /y.log 2>&1", above).title == title
