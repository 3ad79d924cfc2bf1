"""A database that knows less than the last run did, or is another one: the job stops until a person accepts it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.runner.office import Office
from trayapp.errors import StateError
from trayapp.ledger.ledger import Mark
from trayapp.ledger.sqlite import SqliteLedger
from trayapp.runner.by_hand import accept_ledger, set_watermark
from trayapp.runner.decision import Wish
from trayapp.runner.preview import preview


@pytest.fixture
def shop(office: Office):
    """Two hours done; `yedek.db` is the database as it was after the first."""
    office.open_shop("2026-09-04T10", "2026-09-04T11", "2026-09-04T12")
    office.sql_job("satis")
    office.run_here("satis", "2026-09-04T11:00:00Z")
    copy(office.database, office.folder / "yedek.db")
    office.run_here("satis", "2026-09-04T12:00:00Z")
    return office


def copy(source: Path, target: Path) -> None:
    """Copy a database as a backup program that knows SQLite does."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def restore(office: Office, backup: Path) -> None:
    for leftover in office.folder.glob("satis.db*"):
        leftover.unlink()
    shutil.copyfile(backup, office.database)


@pytest.mark.parametrize("trigger", ["schedule", "boot", "manual"])
def test_restored_backup_stops_the_job_until_it_is_accepted(shop: Office, trigger: str) -> None:
    restore(shop, shop.folder / "yedek.db")
    for _ in range(2):
        answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z", trigger)
        assert (answer.exit_status, ran.said) == (4, [("HATA", "ledger-older")])
        assert str(shop.database) in ran.lines[0].fields["ileti"]
        assert "ledger accept satis" in ran.lines[0].fields["ileti"]
    assert shop.totals() == [("10:00", 12)]

    accept_ledger(shop.places, "satis", "disk değişti, sabahki yedek")
    line = shop.log("satis")[-1]
    assert (line.fields["sebep"], line.fields["neden"]) == ("defter kabul edildi", "disk değişti, sabahki yedek")
    _, ran = shop.run_here("satis", "2026-09-04T13:00:00Z", trigger)
    assert ran.windows == ["2026-09-04T11:00:00Z", "2026-09-04T12:00:00Z"]
    assert shop.totals() == [("10:00", 12), ("11:00", 12), ("12:00", 12)]


def test_restored_effect_and_ledger_agree_because_they_are_one_file(shop: Office) -> None:
    restore(shop, shop.folder / "yedek.db")
    accept_ledger(shop.places, "satis", "yedek")
    shop.run_here("satis", "2026-09-04T12:00:00Z")
    assert shop.totals() == [("10:00", 12), ("11:00", 12)]


def test_backup_of_this_very_moment_goes_on_without_a_word(shop: Office) -> None:
    copy(shop.database, shop.folder / "simdi.db")
    restore(shop, shop.folder / "simdi.db")
    answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert (answer.exit_status, ran.windows) == (0, ["2026-09-04T12:00:00Z"])


def test_ledger_that_other_jobs_have_moved_on_is_no_surprise(shop: Office) -> None:
    shop.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
    shop.run_here("stok", "2026-09-04T13:00:00Z")
    assert shop.run_here("satis", "2026-09-04T13:00:00Z")[0].exit_status == 0
    # The restored ledger is older for each of them, and each is accepted for itself.
    restore(shop, shop.folder / "yedek.db")
    for job in ("satis", "stok"):
        assert shop.run_here(job, "2026-09-04T14:00:00Z")[0].reason == "ledger-older"
    accept_ledger(shop.places, "satis", "yedek")
    assert shop.run_here("satis", "2026-09-04T14:00:00Z")[0].exit_status == 0
    assert shop.run_here("stok", "2026-09-04T14:00:00Z")[0].exit_status == 4


@pytest.mark.parametrize("kind", ["new", "other", "empty"])
def test_another_database_stops_the_job_until_it_is_accepted(shop: Office, kind: str) -> None:
    for leftover in shop.folder.glob("satis.db*"):
        leftover.unlink()
    if kind == "empty":
        shop.database.touch()  # cut to nothing, as after a full disk
        shop.database.write_bytes(b"")
    else:
        shop.open_shop("2026-09-04T10")
    if kind == "other":
        shop.sql_job("stok", "UPDATE toplam SET tutar = tutar + 0")
        shop.run_here("stok", "2026-09-04T13:00:00Z")
    answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert (answer.exit_status, ran.said) == (4, [("HATA", "ledger-other")])
    assert shop.ask("SELECT count(*) FROM sqlite_schema WHERE name = 'ozet'") == [(kind != "empty",)]
    if kind == "new":
        with pytest.raises(StateError, match="ledger-other"):
            preview(shop.places, Wish("satis"))
        accept_ledger(shop.places, "satis", "yeni yıl, yeni dosya")
        answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
        assert (answer.exit_status, len(ran.windows)) == (0, 3)


def test_decisions_stop_at_a_restored_ledger_too(shop: Office) -> None:
    restore(shop, shop.folder / "yedek.db")
    with pytest.raises(StateError, match="ledger-older"):
        set_watermark(shop.places, "satis", shop.standing("satis").watermark, "deneme")


@pytest.mark.parametrize("content", [None, "", "abc", "abc def", "\x00\xff"])
def test_remembrance_that_is_lost_or_damaged_is_made_anew_and_told(shop: Office, content: str | None) -> None:
    # A new computer, or a state folder that was cleaned: nothing is known, so the ledger is adopted.
    seen = Path(shop.places.seen_file("satis"))
    seen.unlink()
    if content is not None:
        seen.write_text(content, encoding="latin-1")
    answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert (answer.exit_status, answer.windows) == (0, 1)
    assert ran.said == [("ATLANDI", "defter benimsendi"), ("ISLENDI", "")]
    assert ran.lines[0].fields["defter"] == str(shop.database)
    _, ran = shop.run_here("satis", "2026-09-04T14:00:00Z")
    assert ran.said == [("ISLENDI", "")]


def test_first_run_of_all_adopts_nothing(office: Office) -> None:
    office.open_shop()
    office.sql_job("satis")
    assert office.run_here("satis", "2026-09-04T11:00:00Z")[1].said == [("ISLENDI", "")]


def test_own_ledger_that_is_gone_can_be_accepted_and_begins_at_the_start(office: Office) -> None:
    office.command_job("posta", "exit 0")
    office.run_here("posta", "2026-09-04T11:00:00Z")
    for leftover in Path(office.places.state).glob("ledger.db*"):
        leftover.unlink()
    assert office.run_here("posta", "2026-09-04T11:00:00Z")[0].reason == "ledger-missing"
    accept_ledger(office.places, "posta", "diskle birlikte gitti")
    answer, _ = office.run_here("posta", "2026-09-04T11:00:00Z")
    assert answer.windows == 1, "this is what the person accepted"


def test_moved_database_is_the_same_ledger(shop: Office) -> None:
    moved = shop.folder / "tasindi" / "satis.db"
    moved.parent.mkdir()
    copy(shop.database, moved)
    os.replace(shop.database, shop.folder / "eski.db")
    shop.database = moved
    shop.sql_job("satis")
    answer, ran = shop.run_here("satis", "2026-09-04T13:00:00Z")
    assert (answer.exit_status, ran.said) == (0, [("ISLENDI", "")])


def test_run_that_commits_while_somebody_looks_is_no_restored_backup(
    shop: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = SqliteLedger.mark

    def read_slowly(ledger: SqliteLedger) -> Mark | None:
        mark = read(ledger)
        monkeypatch.setattr(SqliteLedger, "mark", read)  # the run reads as ever
        shop.run_here("satis", "2026-09-04T13:00:00Z")
        return mark

    shop.set_clock("2026-09-04T13:00:00Z")
    monkeypatch.setattr(SqliteLedger, "mark", read_slowly)
    preview(shop.places, Wish("satis"))
    assert shop.watermark("satis") == "2026-09-04T13:00:00Z"
