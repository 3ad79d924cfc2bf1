"""The user's crontab, on a `crontab` that keeps bytes: what stands there stays, whatever Birkez writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.conftest import CHECKOUT
from tests.trigger.contract import *  # noqa: F403  # the tests of every backend
from tests.trigger.contract import entry_of, job, names
from tests.trigger.cron_reading import read_table
from tests.trigger.crontab_fake import FakeCrontab
from trayapp.errors import TriggerError
from trayapp.job.schedule import Daily, Every, Monthly
from trayapp.places import Places
from trayapp.trigger import crontab_program, crontab_table
from trayapp.trigger.backend import ALL_JOBS
from trayapp.trigger.crontab import Crontab
from trayapp.trigger.crontab_table import cut, home_mark, joined, own_line, read_line, settings_of
from trayapp.wording.speech import sentence

pytestmark = pytest.mark.posix

CORPORA = sorted((Path(__file__).parent / "data" / "crontabs").glob("*.crontab"))
AFTERNOON = Daily((840,))


@pytest.fixture
def crontab(tmp_path_factory, monkeypatch) -> FakeCrontab:
    fake = FakeCrontab(tmp_path_factory.mktemp("crontab"))
    monkeypatch.setenv("PATH", fake.path)
    return fake


@pytest.fixture
def open_backend(crontab):
    return Crontab


def odd_forms(table: bytes) -> dict[str, bytes]:
    """A table as it is, and as it comes from other systems and editors."""
    return {
        "as it is": table,
        "DOS": table.replace(b"\n", b"\r\n"),
        "no line end": table.rstrip(b"\n"),
        "bad bytes": table.replace(b"\n", b" # \xfeg\xfcn\x80\n", 1),
        "blank lines": b"\n\n" + table + b"\n \t\n",
    }


# ------------------------------------------------------------- foreign bytes stay


def test_every_corpus_is_there():
    assert len(CORPORA) == 28


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name[:2])
def test_table_is_the_old_one_when_all_jobs_are_removed(backend, crontab, corpus):  # P01
    for form, table in odd_forms(corpus.read_bytes()).items():
        crontab.table = table
        steps = [
            lambda: backend.install([job(), job("yedek", Every(15))]),
            lambda: backend.install([job(schedule=Monthly((1, -1), (480,)))]),
            lambda: backend.remove(["satis"]),
        ]
        for step in steps:
            assert step(), form
            before, lines, after, added, _made = cut(crontab.table, home_mark(backend._places))
            assert lines
            assert before + after == table + (b"\n" if added else b""), form
        backend.remove(["yedek"])
        assert crontab.table == table, form


lines = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b'MAILTO=""',
            b"",
            b" \t",
            b"# saat",
            b"@reboot /x",
            b"0 0 * * * true % x",
            b"CRON_TZ=Asia/Tokyo",
            b"SHELL=/usr/bin/fish",
        ]
    ),
)
tables = st.builds(
    lambda content, end, last: end.join(content) + last,
    st.lists(lines, max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"", b"\n", b"\r\n"]),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables)
@example(b"\r")
@example(b"\n")
@example(b"TZ=x")
def test_any_table_comes_back(birkez_home, table):  # P01
    kept = [table]

    def run(word: str, given: bytes = b"", more: object = None) -> subprocess.CompletedProcess[bytes]:
        kept[0] = given if word == "-" else kept[0]
        return subprocess.CompletedProcess([], 0, kept[0], b"")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crontab_program, "_run", run)
        backend = Crontab(birkez_home)
        if any(line.endswith(b"\\r") for line in table.split(b"\n")):
            with pytest.raises(TriggerError, match="crontab-carriage-return"):
                backend.install([job()])
            return
        backend.install([job()])
        backend.install([job(schedule=AFTERNOON), job("yedek")])
        assert names(backend) == {"satis", "yedek", ALL_JOBS}
        backend.remove(["satis", "yedek"])
    assert kept[0] == table


def test_variables_of_the_neighbours_stay(backend, crontab):  # P01
    table = b'MAILTO=""\nA=1\n0 1 * * * one\n\nB=\t"two"\n#0 2 * * * off\n@reboot three # x\n0 3\t* * *  four\n'
    crontab.table = table
    backend.install([job()])
    assert crontab.table.startswith(table)
    backend.install([job(schedule=AFTERNOON)])
    assert crontab.table.startswith(table)
    backend.remove(["satis"])
    assert crontab.table == table


@pytest.mark.parametrize("table", [None, b"", b"\n"])
def test_no_crontab_and_an_empty_one_are_told_apart_when_all_is_gone(backend, crontab, table):  # P03
    crontab.table = table
    backend.install([job()])
    assert names(backend) == {"satis", ALL_JOBS}
    backend.remove(["satis"])
    assert crontab.table == table


def test_what_a_person_puts_between_our_lines_stays(backend, crontab):
    crontab.table = b"# mine\n"
    backend.install([job(), job("yedek")])
    begin, first, *rest = crontab.table.split(b"\n")[1:]
    crontab.table = b"\n".join([b"# mine", begin, first, b"5 5 * * * hers", b"", *rest]) + b"0 6 * * * below\n"
    backend.install([job(schedule=AFTERNOON)])
    assert b"\n5 5 * * * hers\n\n" in crontab.table
    backend.remove(["satis", "yedek"])
    assert crontab.table == b"# mine\n5 5 * * * hers\n\n0 6 * * * below\n"


def test_block_whose_end_was_deleted_ends_where_our_lines_do(backend, crontab):
    backend.install([job()])
    crontab.table = crontab.table.replace(b"# <<< birkez", b"0 5 * * * hers\n# <<<") + b"0 6 * * * below\n"
    backend.install([job("yedek")])
    assert names(backend) == {"satis", "yedek", ALL_JOBS}
    backend.remove(["satis", "yedek"])
    assert crontab.table.startswith(b"0 5 * * * hers\n# <<<")
    assert crontab.table.endswith(b"\n0 6 * * * below\n")


def test_table_that_was_put_behind_itself_is_put_right(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    backend.install([job()])
    crontab.table += crontab.table
    assert len(entry_of(backend, "satis").times) == 2
    backend.install([job()])
    assert entry_of(backend, "satis") == backend.entry_for(job())
    backend.remove(["satis"])
    assert crontab.table == b"0 5 * * * hers\n" * 2


@pytest.mark.parametrize("table", [None, b"", b"# no line end", b"# line end\n"])
@pytest.mark.parametrize("first", [0, 1])
def test_two_homes_leave_the_table_as_it_was_whoever_goes_first(crontab, tmp_path, table, first):
    crontab.table = table
    homes = [Crontab(Places(f"{tmp_path}/{name}/config", f"{tmp_path}/{name}/state")) for name in "ab"]
    for backend in homes:
        backend.install([job()])
    homes[first].remove(["satis"])
    homes[1 - first].install([job("yedek")])
    homes[1 - first].remove(["satis", "yedek"])
    assert crontab.table == table


# ------------------------------------------------------- reading, and not knowing


@pytest.mark.parametrize(
    "said",
    [
        "Permission denied",
        "You (office) are not allowed to access to (crontab) because of pam configuration.",
        "crontabs/office: Input/output error",
        "",
    ],
)
def test_table_that_cannot_be_read_is_not_written(backend, crontab, said):  # P03
    crontab.table = b"0 5 * * * hers\n"
    crontab.let("list-fails", said)
    for act in (lambda: backend.install([job()]), lambda: backend.remove(["satis"]), backend.entries):
        with pytest.raises(TriggerError, match="crontab-unreadable") as refused:
            act()
        assert said in sentence(refused.value)
    assert (crontab.writes(), crontab.table) == (0, b"0 5 * * * hers\n")


def test_no_crontab_is_understood_whatever_language_the_person_speaks(backend, crontab, monkeypatch):  # P03
    for name in ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.setenv(name, "tr_TR.UTF-8")
    assert backend.install([job()])


def test_who_may_have_no_crontab_is_told_how_to_get_one(backend, crontab):
    crontab.let("list-fails", "You (office) are not allowed to use this program (crontab)\nSee crontab(1)\n")
    with pytest.raises(TriggerError, match="crontab-forbidden") as refused:
        backend.install([job()])
    assert "cron.allow" in sentence(refused.value)
    assert "crontab-forbidden" in [found.code for found in backend.obstacles()]
    assert crontab.writes() == 0


def test_computer_without_crontab_is_told(birkez_home, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TriggerError, match="crontab-missing"):
        Crontab(birkez_home).install([job()])
    assert "crontab-missing" in [found.code for found in Crontab(birkez_home).obstacles()]


@pytest.mark.parametrize("line", [b"0 5 * * * /bin/backup\\r\n", b"# x\\r\n", b"MAILTO=a\\r"])
def test_listing_that_hides_a_line_end_of_dos_is_left_alone(backend, crontab, line):
    crontab.table = b"# first\n" + line  # as Debian's crontab prints a CR
    with pytest.raises(TriggerError, match="crontab-carriage-return") as refused:
        backend.install([job()])
    assert refused.value.facts["number"] == 2
    assert crontab.writes() == 0


def test_bytes_that_are_no_text_go_through(backend, crontab, run_birkez):  # P07
    table = (
        "# g\xfcn ba\u015f\u0131\n".encode("iso8859-9", "replace")
        + "0 5 * * * echo 'şube'\n".encode()
        + b"# \xff\xfe\n"
    )
    crontab.table = table
    code = (
        "from tests.trigger.contract import job\n"
        "from trayapp.places import find_places\nfrom trayapp.trigger.crontab import Crontab\n"
        "backend = Crontab(find_places()); assert backend.install([job()])\n"
        "assert backend.entries()[0] == backend.entry_for(job()); assert backend.remove(['satis'])\n"
    )
    for locale in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LANG": "C", "LC_MESSAGES": None}):
        environment = run_birkez.environment(locale)
        subprocess.run([sys.executable, "-c", code], env=environment, cwd=CHECKOUT, check=True)
        assert crontab.table == table
    assert crontab.writes() == 4


def test_program_gets_no_libraries_of_ours_and_no_language(backend, crontab, monkeypatch):  # P98
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "LANGUAGE", "LC_MESSAGES"):
        monkeypatch.setenv(name, "/nonexistent" if name == "LD_LIBRARY_PATH" else "")
    program = crontab.folder / "crontab"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("case $1 in", 'env > "$here/environment"\ncase $1 in', 1), encoding="utf-8")
    backend.install([job()])
    names_given = {line.partition("=")[0] for line in (crontab.folder / "environment").read_text("utf-8").splitlines()}
    assert not names_given & {"LD_LIBRARY_PATH", "LD_PRELOAD", "LANGUAGE", "LC_MESSAGES", "LANG"}
    assert "LC_ALL=C\n" in (crontab.folder / "environment").read_text("utf-8")


# ------------------------------------------------------------------------ writing


def test_table_that_is_refused_leaves_the_old_one(backend, crontab):  # P09
    crontab.table = b"0 30 * * * hers\n"
    crontab.let("write-fails", '"-":1: bad hour\nerrors in crontab file, can\'t install.\n')
    with pytest.raises(TriggerError, match="crontab-refused") as refused:
        backend.install([job()])
    assert crontab.table == b"0 30 * * * hers\n"
    assert "bad hour" in sentence(refused.value)
    crontab.mend()
    backend.install([job()])
    crontab.let("write-fails", "disk full")
    standing = crontab.table
    for act in (lambda: backend.install([job(schedule=AFTERNOON)]), lambda: backend.remove(["satis"])):
        with pytest.raises(TriggerError, match="crontab-refused"):
            act()
        assert crontab.table == standing


def test_table_that_was_taken_and_not_kept_is_an_error(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    crontab.let("write-lies")
    with pytest.raises(TriggerError, match="crontab-not-kept"):
        backend.install([job()])


def test_block_with_line_ends_of_dos_is_ours_and_is_put_right(backend, crontab):  # P09
    backend.install([job(), job("yedek")])
    crontab.table = b"0 5 * * * hers\r\n" + crontab.table.replace(b"\n", b"\r\n") + b"0 6 * * * below\r\n"
    assert names(backend) == {"satis", "yedek", ALL_JOBS}
    assert entry_of(backend, "satis") != backend.entry_for(job())  # its last word ends with a CR
    backend.install([job(), job("yedek")])
    assert [line for line in crontab.table.split(b"\n") if line.endswith(b"\r")] == [
        b"0 5 * * * hers\r",
        b"0 6 * * * below\r",
    ]
    assert entry_of(backend, "satis") == backend.entry_for(job())
    backend.remove(["satis", "yedek"])
    assert crontab.table == b"0 5 * * * hers\r\n0 6 * * * below\r\n"


def test_program_that_hangs_is_not_waited_for_without_end(backend, crontab, monkeypatch):
    monkeypatch.setattr(crontab_program, "_ANSWER_WITHIN_S", 0.3)
    (crontab.folder / "crontab").write_text("#!/bin/sh\nexec sleep 30\n", encoding="utf-8")
    with pytest.raises(TriggerError, match="crontab-unanswered") as refused:
        backend.install([job()])
    assert "{" not in sentence(refused.value)


def test_line_of_a_job_edited_by_hand_is_seen_and_put_right(backend, crontab):
    backend.install([job(), job("yedek")])
    crontab.table = crontab.table.replace(b"30 2 * * * ", b"#30 2 * * * ", 1)
    assert not entry_of(backend, "satis").is_enabled
    crontab.table = crontab.table.replace(b"#30 2 * * * ", b"0\t4  * * *\t", 1)
    assert entry_of(backend, "satis").times == ("0 4 * * *",)
    assert entry_of(backend, "yedek") == backend.entry_for(job("yedek"))
    backend.install([job()])
    assert entry_of(backend, "satis") == backend.entry_for(job())


def test_undo_keeps_what_others_have_written_since(backend, crontab):
    crontab.table = b"0 5 * * * hers\n"
    (change,) = backend.install([job()])
    crontab.table = b"# new\n" + crontab.table + b"0 7 * * * newer"
    undone = backend.undo(change)
    assert crontab.table == undone.after == b"# new\n0 5 * * * hers\n0 7 * * * newer"


def test_undo_is_the_old_table_byte_for_byte_where_nobody_wrote_since(backend, crontab):
    for table in (None, b"", b"no line end"):
        crontab.table = table
        (change,) = backend.install([job()])
        assert (change.before, change.after) == (table, crontab.table)
        backend.undo(change)
        assert crontab.table == table


# --------------------------------------------------------------------- the lines

NASTY = [
    "%",
    "50%",
    "\\",
    "\\\\",
    "a\\%b",
    "\\%",
    "'",
    "\\'",
    '"',
    "a b",
    "",
    "$HOME",
    "`x`",
    "#",
    "!x",
    "~",
    "a&b;c|d>e",
    "ğüşiöçıİ",
]


def replayed(line: bytes, *, backslash_pairs: bool) -> list[str]:
    """Words that a program gets when cron, read by its manual, and a real shell hand the line on."""
    (found,) = read_table(os.fsdecode(line), backslash_pairs=backslash_pairs)
    assert found.stdin == ""
    show = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    program, _space, words = found.command.partition(" ")
    assert program == "/p"
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -I -S -c "$SHOW" {words}'],
        env={"SHOW": show},
        capture_output=True,
        check=True,
    )
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")]


@pytest.mark.parametrize("backslash_pairs", [False, True])
def test_words_come_through_cron_and_shell(backslash_pairs):  # P05
    assert replayed(own_line("0 5 * * *", ["/p", *NASTY]), backslash_pairs=backslash_pairs) == NASTY


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.sampled_from("\\%'\"a $"), max_size=6), min_size=1, max_size=12), st.booleans())
def test_any_words_come_through_cron_and_shell(words, backslash_pairs):  # P05
    assert replayed(own_line("0 5 * * *", ["/p", *words, "."]), backslash_pairs=backslash_pairs) == [*words, "."]


@given(st.text(st.sampled_from("\\%'\"a $ş"), max_size=12))
def test_line_is_read_as_it_was_written(word):  # P05
    command = (f"/{word}/python", "run", "satis", "--trigger", "schedule", "--home", word)
    line = read_line(own_line("@reboot", command))
    assert line is not None
    assert (line.times, line.command, line.job) == ("@reboot", command, "satis")


@pytest.mark.parametrize("name", NASTY)
def test_home_of_any_name_is_registered_once(crontab, tmp_path, name):  # P05
    home = tmp_path / f"x{name.replace('/', '')}x"
    backend = Crontab(Places(str(home / "config"), str(home / "state")))
    backend.install([job()])
    table = crontab.table
    assert entry_of(backend, "satis") == backend.entry_for(job())
    assert backend.install([job()]) == []
    assert crontab.table == table


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "\x7f", "\t"])
def test_name_that_would_break_the_line_is_refused(crontab, tmp_path, name):  # P05
    backend = Crontab(Places(str(tmp_path / name / "config"), str(tmp_path / name / "state")))
    with pytest.raises(TriggerError, match="crontab-control-character"):
        backend.install([job()])
    assert crontab.writes() == 0


def test_line_longer_than_cron_takes_is_refused(crontab, tmp_path):
    home = "/" + "/".join(["k" * 200] * 5)
    backend = Crontab(Places(f"{home}/config", f"{home}/state"))
    with pytest.raises(TriggerError, match="crontab-line-too-long") as refused:
        backend.install([job()])
    assert refused.value.facts["length"] > 998
    assert crontab.writes() == 0


# ------------------------------------------------------- what stands above our lines


@pytest.mark.parametrize(
    "line", [b"CRON_TZ=Japan\n", b" TZ = 'Asia/Tokyo'\n", b"SHELL=/usr/bin/fish\n", b'"SHELL" = "/bin/csh"\n']
)
def test_new_block_stands_above_a_variable_that_would_mislead_it(backend, crontab, line):
    crontab.table = b"MAILTO=a@example.com\n" + line + b"0 5 * * * hers\n"
    backend.install([job()])
    (change,) = backend.install([job("yedek")])
    assert change.after.index(b"MAILTO") < change.after.index(b"satis") < change.after.index(line)
    assert "crontab-misleading-variable" not in [found.code for found in backend.obstacles()]
    backend.remove(["satis", "yedek"])
    assert crontab.table == b"MAILTO=a@example.com\n" + line + b"0 5 * * * hers\n"


@pytest.mark.parametrize(
    "line", [b"SHELL=/bin/bash\n", b"PATH=/usr/bin\n", b"HOME=/\n", b"# CRON_TZ=Japan\n", b"0 5 * * * TZ=x date\n"]
)
def test_new_block_stands_at_the_end_where_nothing_misleads_it(backend, crontab, line):
    crontab.table = line + b"0 5 * * * hers\n"
    backend.install([job()])
    assert crontab.table.startswith(line + b"0 5 * * * hers\n")


def test_variable_that_came_above_the_block_is_warned_of(backend, crontab):
    backend.install([job()])
    crontab.table = b'SHELL=/bin/bash\nCRON_TZ="Asia/Tokyo"\n' + crontab.table + b"TZ=below\n"
    (found,) = (found for found in backend.obstacles() if found.code == "crontab-misleading-variable")
    assert found.facts == {"name": "CRON_TZ", "value": "Asia/Tokyo"}


def test_settings_are_read_as_cron_reads_them():
    table = b"A=1\r\n  B = 'two words' \nC=\n0 5 * * * D=4 x\n#E=5\nF==6\n"
    assert [(one.name, one.value) for one in settings_of(table)] == [
        ("A", "1"),
        ("B", "two words"),
        ("C", ""),
        ("F", "=6"),
    ]


def test_daemon_that_does_not_run_is_told(backend, monkeypatch):
    monkeypatch.setattr(crontab_program, "_DAEMONS", ("no-such-daemon",))
    if sys.platform == "linux":
        assert "crontab-no-daemon" in [found.code for found in backend.obstacles()]
    monkeypatch.setattr(crontab_program, "_DAEMONS", (Path("/proc/self/comm").read_text(encoding="utf-8").strip(),))
    assert "crontab-no-daemon" not in [found.code for found in backend.obstacles()]


# -------------------------------------------------------------------- the tables


def test_debians_own_lines_are_no_part_of_the_table(backend, crontab, monkeypatch):
    header = b"# DO NOT EDIT THIS FILE - edit the master and reinstall.\n# (x installed on y)\n# (z)\n"
    comments = b"# one\n# two\n# three\n"
    for whole, shown, table in ((header, b"", b""), (comments, b"", comments), (b"", b"", b"")):
        for rest in (b"0 5 * * * hers\n", b""):
            listings = [shown + rest, whole + rest]
            monkeypatch.setattr(crontab_program, "_list", lambda more, found=listings: found[bool(more)])
            assert crontab_program.read_table() == table + rest


def test_cut_and_joined_are_inverse():
    mark = crontab_table.home_mark(Places("/h/config", "/h/state"))
    table = cut(b"x", mark)._replace(lines=(b"y\n",))
    whole = joined(table, mark)
    assert joined(cut(whole, mark), mark) == whole
    assert joined(cut(whole, mark)._replace(lines=None), mark) == b"x"
