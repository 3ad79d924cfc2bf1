"""`birkez adopt` and `birkez release`, on a crontab that is a real program."""

from __future__ import annotations

import pytest

from tests.cli.conftest import TURKISH, on_a_terminal
from tests.trigger.crontab_fake import FakeCrontab

pytestmark = pytest.mark.posix
TABLE = """MAILTO=""
# Gece yedeği
30 1 * * * /x/backup.sh
0 2 * * * tar czf x-$(date +%F).tgz /x
@reboot /x/daemon
*/5 * * * * DISPLAY=:0 notify-send hi
""".encode()


@pytest.fixture(autouse=True)
def crontab(tmp_path_factory, monkeypatch) -> FakeCrontab:
    fake = FakeCrontab(tmp_path_factory.mktemp("crontab"))
    fake.table = TABLE
    monkeypatch.setenv("PATH", fake.path)
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    return fake


@pytest.fixture
def names(ask_json) -> dict[int, str]:
    return {entry["number"]: entry["entry"] for entry in ask_json("adopt", "--list")["entries"]}


def test_list_says_what_each_does_whether_it_can_go_and_why_not(birkez):
    said = birkez("adopt", "--list")
    assert said.returncode == 0
    assert "2 entries can be adopted:" in said.stdout
    assert "every day at 01:30" in said.stdout
    assert "line 4: 0 2 * * * tar" in said.stdout
    assert "a bare %" in said.stdout
    assert "desktop" in said.stderr
    assert birkez("adopt").stdout == said.stdout


def test_list_says_which_line_keeps_all_from_being_adopted(birkez, crontab):
    assert "Mend line" not in birkez("adopt", "--list").stderr
    crontab.table = TABLE + b"0 22-2 * * * /x/wrap.sh\n*/5 99 * * * /x/never.sh\n"
    assert "Mend lines 7, 8 first" in birkez("adopt", "--list").stderr
    assert "Önce 7, 8 numaralı satırları" in birkez("adopt", "--list", env=TURKISH).stderr


def test_list_in_turkish(birkez):
    said = birkez("adopt", env=TURKISH)
    assert "her gün 01.30'da" in said.stdout
    assert "can be adopted" not in said.stdout


def test_list_for_a_program(ask_json):
    told = ask_json("adopt", "--list")
    backup, percent, boot, desktop = told["entries"]
    assert backup["entry"].startswith("3-")
    assert (backup["adoptable"], backup["title"], backup["schedule"]) == (True, "Gece yedeği", "every day at 01:30")
    assert (percent["adoptable"], percent["reason"]["code"]) == (False, "adopt-percent")
    assert boot["reason"]["code"] == "adopt-boot"
    assert [caution["code"] for caution in desktop["cautions"]] == ["adopt-desktop"]
    assert told["adopted"] == []
    assert told["trouble"] is None
    assert all(entry["entry"] is None for entry in told["system"])


def test_table_that_cannot_be_read_is_told_in_the_list(ask_json, crontab):
    crontab.let("list-fails", "PAM says no")
    assert ask_json("adopt", "--list", status=4)["trouble"]["code"] == "crontab-unreadable"


def test_adopted_and_released(birkez, ask_json, crontab, names, desk):
    said = birkez("adopt", names[3], "--repeatable", "yes")
    assert said.returncode == 0, said.stderr
    assert "birkez release gece-yedegi" in said.stdout
    assert "repeatable = true" in desk.job_text("gece-yedegi")
    told = ask_json("adopt", "--list")
    assert [entry["number"] for entry in told["entries"] if entry["adoptable"]] == [6]
    assert told["adopted"][0]["job"] == "gece-yedegi"
    assert birkez("schedule", "undo").returncode == 0
    assert crontab.table == TABLE
    assert birkez("adopt", names[3], "--repeatable", "no", "--id", "backup", "--title", "B").returncode == 0
    assert ask_json("release", "backup") == {
        "job": "backup",
        "entry": "30 1 * * * /x/backup.sh",
        "is_at_its_place": True,
    }
    assert crontab.table == TABLE
    assert birkez("release", "backup").returncode == 3


def test_several_at_once_and_one_that_cannot(birkez, ask_json, crontab, names):
    told = ask_json("adopt", names[3], names[4], names[6], "--repeatable", "yes", status=4)["adopted"]
    assert [one["error"] and one["error"]["code"] for one in told] == [None, "adopt-percent", None]
    for one in told:
        if one["job"]:
            assert birkez("release", one["job"]).returncode == 0
    assert crontab.table == TABLE


def test_person_is_asked_whether_it_may_run_twice(birkez, names, desk):
    said, status = on_a_terminal(birkez, "y", "adopt", names[3])
    assert status == 0
    assert "May it run twice?" in said
    assert "repeatable = true" in desk.job_text("gece-yedegi")
    said, status = on_a_terminal(birkez, "", "adopt", names[6])
    assert status == 0
    assert "repeatable = false" in desk.job_text("notify-send-hi")


def test_nobody_to_ask_is_an_error(birkez, crontab, names):
    said = birkez("adopt", names[3])
    assert said.returncode == 2
    assert "--repeatable yes" in said.stderr
    assert crontab.table == TABLE


def test_dry_run_shows_the_job_and_changes_nothing(birkez, ask_json, crontab, names):
    said = birkez("adopt", names[3], "--repeatable", "no", "--dry-run")
    assert 'daily = ["01:30"]' in said.stdout
    (told,) = ask_json("adopt", names[3], "--repeatable", "no", "--dry-run")["adopted"]
    assert told["text"] in said.stdout
    assert "gece-yedegi" in told["scheduler_entry"]
    assert crontab.table == TABLE
    assert ask_json("job", "list")["jobs"] == []


def test_entry_that_changed_since_the_list_is_left_alone(birkez, crontab, names):
    crontab.table = TABLE.replace(b"30 1", b"31 1")
    said = birkez("adopt", names[3], "--repeatable", "no")
    assert said.returncode == 4
    assert "31 1 * * * /x/backup.sh" in said.stderr
    assert crontab.table == TABLE.replace(b"30 1", b"31 1")


def test_name_of_a_job_that_has_worked_is_not_given_again(birkez, ask_json, names, crontab):
    crontab.table = TABLE.replace(b"30 1 * * * /x/backup.sh", b"* * * * * true")
    (entry,) = (one["entry"] for one in ask_json("adopt", "--list")["entries"] if one["number"] == 3)
    assert birkez("adopt", entry, "--repeatable", "no", "--id", "worked").returncode == 0
    assert birkez("run", "worked").returncode == 0
    assert birkez("watermark", "worked", "--set", "2026-01-01T00:00:00Z", "--reason", "x").returncode == 0
    assert birkez("run", "worked").returncode == 0
    assert birkez("release", "worked").returncode == 0
    said = birkez("adopt", entry, "--repeatable", "no", "--id", "worked")
    assert said.returncode == 2
    assert "worked-2" in said.stderr
    assert birkez("adopt", names[6], entry, "--id", "x").returncode == 2


def test_removing_an_adopted_job_tells_the_way_back_and_it_is_one(birkez, crontab, names):
    birkez("adopt", names[3], "--repeatable", "yes", "--id", "yedek")
    said = birkez("job", "remove", "yedek")
    assert said.returncode == 0
    assert "birkez release yedek" in said.stderr
    assert "30 1 * * * /x/backup.sh" in said.stderr
    assert crontab.table != TABLE
    assert birkez("release", "yedek").returncode == 0
    assert crontab.table == TABLE


def test_release_takes_no_other_job_that_has_the_name_since(birkez, crontab, names, desk):
    birkez("adopt", names[3], "--repeatable", "yes", "--id", "yedek")
    birkez("job", "remove", "yedek")
    desk.make_database()
    assert birkez("job", "add", desk.sql_file(), "--id", "yedek").returncode == 0
    text, table = desk.job_text("yedek"), crontab.table
    said = birkez("release", "yedek")
    assert said.returncode == 4
    assert "/x/backup.sh" in said.stderr
    assert (desk.job_text("yedek"), crontab.table) == (text, table)
    birkez("job", "remove", "yedek")
    assert birkez("release", "yedek").returncode == 0
    assert crontab.table == TABLE


def test_doctor_tells_of_a_line_that_somebody_put_back(birkez, crontab, names):
    birkez("adopt", names[3], "--repeatable", "yes", "--id", "yedek")
    assert "birkez release" not in birkez("doctor").stdout
    crontab.table = (crontab.table or b"") + b"30 1 * * * /x/backup.sh\n"
    said = birkez("doctor")
    assert "both do the work: 30 1 * * * /x/backup.sh" in said.stdout
    assert "birkez release yedek" in said.stdout
    assert birkez("release", "yedek").returncode == 0
    assert "both do the work" not in birkez("doctor").stdout
