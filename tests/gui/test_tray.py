"""The tray application on a real screen and bus, with real hosts and real runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import CHECKOUT
from tests.gui.conftest import until
from tests.gui.desk import Desk, Witness
from tests.gui.status_host import Item
from trayapp.log.job_log import read_tail

pytestmark = [pytest.mark.linux, pytest.mark.timeout(90)]

FAILED_RED = "#b4261f"  # of tray-failed-on-light.svg


@pytest.fixture
def host(desk: Desk):
    return desk.start_status_host()


def _registered(desk: Desk, host) -> Item:
    name = until(lambda: host.having("registered"))[-1]
    return Item(desk.env["DBUS_SESSION_BUS_ADDRESS"], name)


def test_the_menu_says_the_state_first_and_run_now_runs(desk: Desk, host):
    desk.add_sales_job()
    tray = desk.watched_tray("--hidden")
    tray.wait_for("satis", "well")
    item = _registered(desk, host)
    assert until(lambda: item.labels()[0] == "All is well")
    assert item.labels() == ["All is well", "", "Saatlik satış özeti", "", "Pause all", "", "Open Birkez", "Quit"]
    item.click("Saatlik satış özeti", "Run now")
    answer = tray.wait(lambda record: "answer" in record)["answer"]
    assert (answer["outcome"], answer["windows"]) == ("done", 2)
    lines = read_tail(desk.places.log_file("satis"), 9)
    assert [line.split()[1] for line in lines] == ["ISLENDI", "ISLENDI"]
    tray.wait(lambda record: any("ISLENDI" in line for line in record.get("lines", ())))
    item.click("Saatlik satış özeti", "Run now")  # harmless: nothing is done twice
    second = tray.wait(lambda record: record.get("answer", {}).get("outcome") == "skipped")["answer"]
    assert second["reason"] == "kapanmis pencere yok"
    item.close()


def test_the_menu_pauses_and_resumes_one_job_and_all(desk: Desk, host):
    desk.add_sales_job()
    desk.add_sales_job("ikinci", "İkinci iş")
    tray = desk.watched_tray("--hidden")
    tray.wait_for("satis", "well")
    item = _registered(desk, host)
    item.click("Saatlik satış özeti", "Pause", "For one hour")
    paused = tray.wait_for("satis", "paused")
    assert paused["words"].startswith("Paused until")
    item.click("Pause all", "Until I resume")
    tray.wait_for("ikinci", "paused")
    until(lambda: "Resume all" in item.labels())
    item.click("Resume all")
    tray.wait_for("satis", "well")
    tray.wait_for("ikinci", "well")
    item.close()


def test_a_run_of_another_shows_its_pid_and_its_kill_shows_free(desk: Desk):
    desk.start_trayer()
    desk.add_command_job("uzun", "sleep 60")
    tray = desk.watched_tray("--hidden")
    tray.wait_for("uzun", "well")
    began = time.time()
    runner = desk.start(sys.executable, "-m", "trayapp", "run", "uzun")
    running = tray.wait_for("uzun", "running")
    seen = next(
        record["at"] for record in tray.all() if record.get("jobs", {}).get("uzun", {}).get("kind") == "running"
    )
    lock_written = os.stat(desk.places.lock_file("uzun")).st_mtime
    assert running["pid"] == runner.pid
    assert f"pid {runner.pid}" in running["words"]
    assert "by hand" in running["words"]
    killed = time.time()
    runner.kill()
    runner.wait()
    until(lambda: tray.job("uzun").get("pid") is None)
    freed = next(record["at"] for record in tray.all() if record["at"] > killed and "jobs" in record)
    print(
        f"lock to tray {1000 * (seen - lock_written):.0f} ms (start {1000 * (seen - began):.0f}), "
        f"kill -9 to free {freed - killed:.2f} s"
    )


def test_icons_colour_and_clicks_with_a_real_tray(desk: Desk):
    desk.start_trayer()
    desk.start_notice_sink()  # else Qt shows a balloon of its own
    desk.add_job(
        "kirik",
        'title = "Kırık"\n[window]\nstep = "1h"\n[effect]\nkind = "sql"\ndatabase = "yok.db"\nscript = "y.sql"\n',
    )
    tray = desk.watched_tray("--hidden")
    tray.wait_for("kirik", "failed")
    x, y = desk.icon_place(FAILED_RED)
    assert not desk.views("panel")
    desk.x("mousemove", x, y, "click", 1)
    until(lambda: desk.views("panel"))
    desk.x("key", "Escape")
    until(lambda: not desk.views("panel"))
    desk.x("mousemove", x, y, "click", 3)
    time.sleep(0.5)
    desk.x("key", "Up", "Return")  # from the bottom: Quit
    tray.process.wait(15)
    assert tray.process.returncode == 0


def test_second_start_raises_the_first_and_ends(desk: Desk):
    desk.start_trayer()
    first = desk.watched_tray("--hidden")
    first.wait(lambda record: "icon_after_s" in record)
    until(lambda: os.path.exists(desk.places.tray_socket))
    assert not desk.views("main")
    second = desk.tray()
    assert second.wait(20) == 0
    until(lambda: desk.views("main"))
    assert first.process.poll() is None


def test_after_a_crash_the_next_start_is_the_instance(desk: Desk):  # P79
    desk.start_trayer()
    first = desk.tray("--hidden")
    until(lambda: os.path.exists(desk.places.tray_socket))
    first.kill()
    first.wait()
    second = desk.watched_tray("--hidden")
    second.wait(lambda record: "icon_after_s" in record)
    third = desk.tray()
    assert third.wait(20) == 0
    assert second.process.poll() is None


def test_a_frozen_first_is_told_and_not_waited_for(desk: Desk):
    desk.start_trayer()
    first = desk.watched_tray("--hidden")
    first.wait(lambda record: "icon_after_s" in record)
    until(lambda: os.path.exists(desk.places.tray_socket))
    first.process.send_signal(signal.SIGSTOP)
    second = desk.birkez("tray")
    first.process.send_signal(signal.SIGCONT)
    assert second.returncode == 4
    assert f"pid {first.process.pid}" in second.stderr


def test_host_that_comes_late_gets_the_icon_and_its_menu(desk: Desk):
    desk.add_sales_job()
    tray = desk.watched_tray("--hidden")
    tray.wait_for("satis", "well")
    host = desk.start_status_host()
    item = _registered(desk, host)
    assert item.labels()[0] == "All is well"
    item.close()


def test_host_that_dies_and_returns_gets_the_icon_again(desk: Desk, host):  # P77
    tray = desk.watched_tray("--hidden")
    tray.wait(lambda record: "jobs" in record)
    _registered(desk, host).close()
    host.process.kill()
    host.process.wait()
    desk.add_sales_job()
    tray.wait_for("satis", "well")
    item = _registered(desk, desk.start_status_host())
    assert "Saatlik satış özeti" in item.labels()
    item.close()


def test_without_a_tray_the_main_view_opens_says_so_and_closing_ends(desk: Desk):  # P75
    tray = desk.watched_tray()
    view = until(lambda: desk.views("main"))[0]
    desk.x("windowactivate", "--sync", view)
    desk.x("key", "ctrl+w")
    tray.process.wait(15)
    assert tray.process.returncode == 0


def test_with_a_tray_closing_the_main_view_does_not_end(desk: Desk):
    desk.start_trayer()
    tray = desk.watched_tray()
    view = until(lambda: desk.views("main"))[0]
    desk.x("windowactivate", "--sync", view)
    desk.x("key", "ctrl+w")
    until(lambda: not desk.views("main"))
    assert tray.process.poll() is None


def test_the_end_of_the_tray_ends_no_run(desk: Desk, host):
    marker = desk.folder / "done"
    desk.add_command_job("uzun", f"sleep 2; touch {marker}")
    tray = desk.watched_tray("--hidden")
    tray.wait_for("uzun", "well")
    item = _registered(desk, host)
    item.click("uzun", "Run now")
    tray.wait_for("uzun", "running")
    item.close()
    os.killpg(tray.process.pid, signal.SIGINT)  # Ctrl-C in its terminal
    assert tray.process.wait(15) == 0
    until(marker.exists)
    until(lambda: any("ISLENDI" in line for line in read_tail(desk.places.log_file("uzun"), 5)))


def test_a_notice_for_a_streak_and_one_for_its_end(desk: Desk):  # P87
    desk.start_trayer()
    sink = desk.start_notice_sink("--click")
    fail = desk.folder / "fail"
    fail.touch()
    desk.add_command_job("yedek", f"test ! -e {fail}", "Gece yedeği")
    tray = desk.watched_tray("--hidden")
    tray.wait_for("yedek", "well")
    desk.birkez("run", "yedek")
    tray.wait_for("yedek", "failed")
    until(lambda: sink.having("notice") == ["Gece yedeği: failed"])
    until(lambda: desk.views("main"))  # the click on it opened the place
    desk.birkez("run", "yedek")
    tray.wait(lambda record: "2 times" in record.get("jobs", {}).get("yedek", {}).get("words", ""))
    fail.unlink()
    desk.birkez("run", "yedek")
    tray.wait_for("yedek", "well")
    until(lambda: len(sink.having("notice")) > 1)
    assert sink.having("notice") == ["Gece yedeği: failed", "Gece yedeği: all is well again"]
    assert not sink.having("refused")


def test_at_rest_nothing_wakes_it(desk: Desk):  # P83
    desk.start_trayer()
    for number in range(20):
        text = f'title = "{number}"\n[window]\nstep = "1h"\nstart = 2026-01-01T00:00:00Z\n'
        folder = desk.home / "config" / "jobs"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"is-{number}.toml").write_text(
            text + '[schedule]\nevery = "12h"\n[effect]\nkind = "command"\nshell = "true"\n', encoding="utf-8"
        )
    tray = desk.watched_tray("--hidden")
    tray.wait(lambda record: len(record.get("jobs", ())) == 20)
    until(lambda: _quiet(tray), 40, step=0.5)
    before, cpu = _switches(tray.process.pid), _cpu_s(tray.process.pid)
    time.sleep(6)
    woken, spent = _switches(tray.process.pid) - before, _cpu_s(tray.process.pid) - cpu
    started = next(iter(tray.having("icon_after_s")))
    print(f"{woken / 6:.2f} wake-ups a second, {1000 * spent / 6:.1f} ms CPU a second; icon after {started} s")
    assert woken / 6 < 1


def _quiet(tray: Witness) -> bool:
    before = _switches(tray.process.pid)
    time.sleep(1)
    return _switches(tray.process.pid) - before < 3


def _switches(pid: int) -> int:
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii", errors="replace") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    return total


def _cpu_s(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_what_is_missing_is_told_in_a_sentence(desk: Desk):
    env = {name: value for name, value in desk.env.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    words = [sys.executable, "-m", "trayapp", "tray"]
    done = subprocess.run(words, env=env, cwd=CHECKOUT, capture_output=True, encoding="utf-8", check=False, timeout=30)
    assert done.returncode == 4
    assert "needs a desktop" in done.stderr
    assert "Traceback" not in done.stderr
