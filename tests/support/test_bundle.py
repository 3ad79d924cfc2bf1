"""The file for a helper says how Birkez stands, and no secret, no name and no foreign entry."""

from __future__ import annotations

import getpass
import json
import os
import socket
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trigger.crontab_fake import FakeCrontab
from trayapp.errors import SetupError
from trayapp.history.records import RunRecord
from trayapp.history.store import open_history
from trayapp.support.anonymous import Anonymous
from trayapp.support.bundle import PARTS, make_bundle
from trayapp.support.job_facts import job_facts

# Each marked word is planted below and must be nowhere in the file.
SECRET_JOB = """# parola: {gizli0}
# ali, 0532 111 22 33
title = "Rapor"
[schedule]
every = "1h"
[window]
step = "1h"
start = 2026-09-04T10:00:00Z
[effect]
kind = "command"
argv = ["/usr/bin/curl", "-u", "ali:{gizli1}", "--token", "{gizli2}", "-d", "{gizli3}",
  "{gizli4}", "--from", "{{start}}"]
env = {{ SMTP_PASS = "{gizli5}", NEUTRAL = "{gizli6}", LANG = "tr_TR.UTF-8" }}
"""
SHELL_JOB = """title = "Yedek"
[window]
step = "1h"
start = 2026-09-04T10:00:00Z
[effect]
kind = "command"
shell = "PGPASSWORD={gizli7} pg_dump {gizli8} | gpg --passphrase {gizli9}"
"""
DOWNLOAD_JOB = """title = "Belgeler"
[items]
source = "/veri/liste.txt"
target = "/veri/in/{{item}}.json"
[effect]
kind = "download"
method = "POST"
url = "https://ali:{gizli10}@example.com/{{item}}?imza={gizli11}"
headers = {{ X-Mine = "{gizli12}", Accept = "text/html" }}
json = '{{"user": "a", "password": "{gizli13}"}}'
"""
BROKEN_JOB = 'title = "x"\npassword = {gizli14}\n'
LOG = (
    '2026-09-04T12:05:01.123Z HATA is=rapor hata="401: {gizli6} reddedildi" adres=https://a:{gizli15}@x.y\n'
    '2026-09-04T12:05:02.123Z HATA is=rapor said="Authorization: Bearer {gizli16}" {gizli17} {home}/a {user}\n'
)
BUG = "words: ['--password', '{gizli18}']\npassword={gizli18}\n{gizli6}\n{gizli17}\n{home}/x.py\n"
WORDS = [f"gizli{number}" for number in range(19)]


def planted(text: str, words: dict[str, str]) -> str:
    return text.format_map(words)


def everything(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return "\n".join([name + "\n" + archive.read(name).decode("utf-8") for name in archive.namelist()])


def plant(places, words: dict[str, str]) -> None:
    places.make_folders()
    for name, text in (("rapor", SECRET_JOB), ("yedek", SHELL_JOB), ("belgeler", DOWNLOAD_JOB), ("bozuk", BROKEN_JOB)):
        Path(places.job_file(name)).write_text(planted(text, words), encoding="utf-8")
    Path(places.log_file("rapor")).write_text(planted(LOG, words), encoding="utf-8")
    Path(places.state, "bug-20260904-120501-1.txt").write_text(planted(BUG, words), encoding="utf-8")
    history = open_history(places.history_db)
    at = datetime(2026, 9, 4, 12, tzinfo=UTC)
    reason = planted("could not log in: password={gizli18}", words)
    history.add_run(RunRecord(f"r-{words['gizli0']}"[:2], "rapor", "schedule", 4242, at, at, "failed", reason))
    history.close()


SECRETS = st.lists(
    st.text("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789ğşı!*+._~", min_size=5, max_size=24),
    min_size=len(WORDS),
    max_size=len(WORDS),
    unique=True,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SECRETS)
def test_no_planted_secret_is_in_it(birkez_home, tmp_path, monkeypatch, secrets: list[str]):
    words = {name: f"Zq{secret}7x" for name, secret in zip(WORDS, secrets, strict=True)}
    monkeypatch.setenv("MY_API_TOKEN", words["gizli17"])
    people = {"home": os.path.expanduser("~"), "user": "ayseyilmaz"}
    monkeypatch.setenv("USERNAME", people["user"])
    plant(birkez_home, words | people)
    path = tmp_path / "destek.zip"
    path.unlink(missing_ok=True)

    make_bundle(birkez_home, str(path), "1.2.3")

    found = everything(path)
    assert not [name for name, word in words.items() if word in found]
    assert "ayseyilmaz" not in found
    assert people["home"] not in found
    assert "0532" not in found


def test_it_says_what_a_helper_asks_for(birkez_home, tmp_path):
    plant(birkez_home, dict.fromkeys(WORDS, "Gizli-sözcük7") | {"home": "/h", "user": "u"})
    bundle = make_bundle(birkez_home, str(tmp_path / "a.zip"), "1.2.3")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        texts = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    assert json.loads(texts["versions.json"])["birkez"] == "1.2.3"
    assert json.loads(texts["runs.json"])[0]["outcome"] == "failed"
    assert json.loads(texts["settings.json"])["history_days"] == 400
    assert "[job-" in texts["doctor.txt"]  # the broken job
    assert "HATA is=rapor" in texts["logs/rapor.log"]
    job = tomllib.loads(texts["jobs/rapor.toml"])
    assert job["schedule"] == {"every": "1h"}
    assert job["effect"]["argv"] == ["/usr/bin/curl", *["***"] * 2, "--token", *["***"] * 4, "--from", "{start}"]
    assert list(job["effect"]["env"]) == ["SMTP_PASS", "NEUTRAL", "LANG"]
    assert "no TOML" in texts["jobs/bozuk.toml"]
    assert set(bundle.names) | {"README.txt"} == set(texts)
    for name in set(texts) - {"README.txt"}:
        assert name.partition("/")[0] in texts["README.txt"], name
        assert any(name.startswith(part) for part in PARTS)


@pytest.mark.posix
def test_of_the_crontab_only_our_lines_are_in_it(birkez_home, tmp_path, monkeypatch, run_birkez):
    crontab = FakeCrontab(tmp_path / "crontab")
    monkeypatch.setenv("PATH", crontab.path)
    monkeypatch.setenv("BIRKEZ_SCHEDULER", "crontab")
    crontab.table = b"SECRET=foreign1\n0 3 * * * /opt/foreign2 --password foreign3\n"
    plant(birkez_home, dict.fromkeys(WORDS, "w") | {"home": "/h", "user": "u"})
    run_birkez("schedule", "install", "rapor")
    assert b"--trigger" in crontab.table
    make_bundle(birkez_home, str(tmp_path / "a.zip"), "1")
    found = everything(tmp_path / "a.zip")
    assert "foreign" not in found
    assert "--trigger schedule" in found


def test_a_part_that_cannot_be_read_keeps_no_other_out(birkez_home, tmp_path):
    birkez_home.make_folders()
    Path(birkez_home.settings_file).write_text("history_days = ", encoding="utf-8")
    bundle = make_bundle(birkez_home, str(tmp_path / "a.zip"), "1")
    assert [trouble.code for trouble in bundle.troubles] == ["settings-malformed"]
    assert {"versions.json", "doctor.txt", "troubles.txt"} <= set(bundle.names)


def test_it_is_never_written_over_a_file(birkez_home, tmp_path):
    (tmp_path / "a.zip").write_text("mine", encoding="utf-8")
    with pytest.raises(SetupError, match="support-exists"):
        make_bundle(birkez_home, str(tmp_path / "a.zip"), "1")
    assert (tmp_path / "a.zip").read_text(encoding="utf-8") == "mine"
    with pytest.raises(SetupError, match="support-unwritable"):
        make_bundle(birkez_home, str(tmp_path / "no" / "a.zip"), "1")


def test_command_says_what_is_in_it(birkez_home, tmp_path, run_birkez):
    plant(birkez_home, dict.fromkeys(WORDS, "w") | {"home": "/h", "user": "u"})
    told = run_birkez("support", tmp_path / "a.zip", env={"LC_MESSAGES": "en_US.UTF-8"})
    assert told.returncode == 0, told.stderr
    assert all(part in told.stdout for part in ("versions.json", "logs/", "jobs/", "passwords"))
    assert run_birkez("support", tmp_path / "a.zip").returncode == 4


def test_people_and_computers_have_no_names():
    host = socket.gethostname().partition(".")[0]
    text = Anonymous((), {"USERNAME": "ayseyilmaz"})(
        f"{os.path.expanduser('~')}/işler/a.db {host} AyseYilmaz ayseyilmazlar S-1-5-21-1-2-3-1001 a.b@example.com"
    )
    assert text.startswith("~/işler/a.db ")
    assert "ayseyilmazlar <sid> <mail>" in text
    assert "AyseYilmaz" not in text
    assert len(host) < 3 or host.lower() in ("localhost", "birkez") or "<computer>" in text


def test_everyday_account_takes_no_word_out():
    assert Anonymous((), {"USERNAME": "root"})("run as root") == "run as root"
    assert getpass.getuser() is not None


def test_unknown_keys_of_a_job_do_not_come_along():
    facts = tomllib.loads(job_facts('title = "a"\nmine = "x"\n[effect]\nkind = "sql"\nother = "y"\n', str))
    assert facts == {"title": "a", "effect": {"kind": "sql"}}
