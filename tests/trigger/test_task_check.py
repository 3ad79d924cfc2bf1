from __future__ import annotations

from pathlib import Path

import pytest

from trayapp.trigger.task_check import name_faults, task_faults

TASKS = Path(__file__).parent / "data" / "tasks"
GOOD = """<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <CalendarTrigger id="t">
      <Enabled>true</Enabled>
      <StartBoundary>2024-01-01T02:30:00</StartBoundary>
      <Repetition><Interval>PT15M</Interval><Duration>PT2H</Duration></Repetition>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>Parallel</MultipleInstancesPolicy>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>7</Priority>
    <Enabled>true</Enabled>
  </Settings>
  <Principals>
    <Principal id="Author">
      <UserId>S-1-5-21-1-2-3-1001</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Actions Context="Author"><Exec><Command>a.exe</Command><Arguments>b</Arguments></Exec></Actions>
</Task>
"""


def exported(text: str) -> bytes:
    return b"\xff\xfe" + text.replace("\n", "\r\n").encode("utf-16-le")


def faults(text: str) -> list[str]:
    return task_faults(exported(text))


def with_change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_a_right_document_has_no_faults():
    assert faults(GOOD) == []


# ------------------------------------------------------------- other people's tasks

# What they break, where they do; the others are valid.
BROKEN = {
    "07": "Principals/Principal/UserId: “S-0-0-00-",
    "19": "Triggers/EventTrigger/Subscription: “$subscription” is not a query",
    "23": "Triggers/CalendarTrigger/StartBoundary: “$((Get-Date)",
}
IN_WINDOWS_OWN_ORDER = {"01", "05", "11"}
FILES = sorted(TASKS.glob("*.xml"))


def test_all_tasks_are_there():
    assert len(FILES) == 13


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_export_is_accepted_where_it_is_valid(path: Path):
    found = task_faults(exported(path.read_text(encoding="utf-8").replace("ISO-8859-8", "UTF-16")), is_export=True)
    expected = BROKEN.get(path.stem[:2])
    assert any(fault.startswith(expected) for fault in found) if expected else found == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_windows_own_order_is_told_where_a_document_is_to_be_sent(path: Path):
    found = task_faults(exported(path.read_text(encoding="utf-8").replace("ISO-8859-8", "UTF-16")))
    order = "Triggers/CalendarTrigger: Enabled stands behind StartBoundary, and belongs before it"
    assert (order in found) == (path.stem[:2] in IN_WINDOWS_OWN_ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_text_that_only_says_that_it_were_utf_16_is_refused(path: Path):
    found = task_faults(path.read_bytes(), is_export=True)
    assert found == (
        [] if path.stem.startswith("13") else ["says that it were UTF-16 and is not, or has no byte order mark"]
    )


# --------------------------------------- what a careless scheduler accepts and Windows does not


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("CalendarTrigger", "WhenIFeelLikeIt", "Triggers/WhenIFeelLikeIt: not allowed here"),
        ("<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>", "", "0 schedules, and it must have one"),
        ("</ScheduleByDay>", "</ScheduleByDay><ScheduleByWeek/>", "2 schedules, and it must have one"),
        ("2024-01-01T02:30:00", "yesterday", "StartBoundary: “yesterday” is not a date and time"),
        ("2024-01-01T02:30:00", "2024-02-30T02:30:00", "StartBoundary: “2024-02-30T02:30:00” is not a date and time"),
        ("2024-01-01T02:30:00", "01.01.2024 02:30", "is not a date and time"),
        ("<StartBoundary>2024-01-01T02:30:00</StartBoundary>", "", "CalendarTrigger: StartBoundary is missing"),
        ("PT15M", "15min", "Repetition/Interval: “15min” is not a duration"),
        ("PT15M", "PT30S", "Repetition/Interval: “PT30S” is not a duration"),
        ("PT15M", "P32D", "Repetition/Interval: “P32D” is not a duration"),
        ("PT15M", "P", "Repetition/Interval: “P” is not a duration"),
        ("PT15M", "PT", "Repetition/Interval: “PT” is not a duration"),
        ("<Interval>PT15M</Interval>", "", "Repetition: Interval is missing"),
        ("<DaysInterval>1<", "<DaysInterval>0<", "DaysInterval: “0” is not 1 to 365"),
        ("<DaysInterval>1<", "<DaysInterval>٣<", "DaysInterval: “٣” is not 1 to 365"),
        ("InteractiveToken", "Bogus", "LogonType: “Bogus” is not S4U"),
        ("LeastPrivilege", "Bogus", "RunLevel: “Bogus” is not LeastPrivilege"),
        (">Parallel<", ">Bogus<", "MultipleInstancesPolicy: “Bogus” is not Parallel"),
        ("PT0S", "forever", "ExecutionTimeLimit: “forever” is not a duration"),
        (">7<", ">99<", "Priority: “99” is not 1 to 10"),
        ("<Priority>", "<Kindness>1</Kindness><Priority>", "Settings/Kindness: not allowed here"),
        ("<Priority>", "<Priority>7</Priority><Priority>", "Settings/Priority: stands there 2 times"),
        ("<Priority>", "<Volatile>true</Volatile><Priority>", "Settings/Volatile: not before version 1.4"),
        ("<Priority>7</Priority>", "<Priority><x/></Priority>", "Settings/Priority: elements where text belongs"),
        ("<Settings>\n", "<Settings>much\n", "Settings: text between its elements"),
        ('version="1.2"', 'version="1.6"', "version 1.6 is none of 1.0"),
        ('version="1.2"', 'version="9.9"', "version 9.9 is none of 1.0"),
        ("<Exec><Command>a.exe</Command><Arguments>b</Arguments></Exec>", "", "Actions: holds 0, and 1 to 32"),
        (
            '<Actions Context="Author"><Exec><Command>a.exe</Command><Arguments>b</Arguments></Exec></Actions>',
            "",
            "Task: Actions is missing",
        ),
        ("<Command>a.exe</Command>", "", "Exec: Command is missing"),
        ("a.exe", "", "Exec/Command: “” is not 1 to 260 letters"),
        ("a.exe", "a" * 261, "is not 1 to 260 letters"),
        ('Context="Author"', 'Context="Nobody"', "Actions: its Context “Nobody” is no principal's id"),
        ('id="t"', 'id="Author"', "the id “Author” stands there twice"),
        ("S-1-5-21-1-2-3-1001", "S-0-0", "UserId: “S-0-0” is not an account"),
        ("S-1-5-21-1-2-3-1001", "", "UserId: “” is not an account"),
        (">b<", ">a & b<", "no XML document"),
        ("</Task>", "</Task>more", "no XML document"),
        ("</Task>", "", "no XML document"),
        (' xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task"', "", "the root is Task"),
        ("2004/02", "2005/02", "the root is"),
        ("<Task ", "<!DOCTYPE x [<!ENTITY a 'b'>]><Task ", "has a document type"),
    ],
)
def test_a_wrong_document_is_refused_with_the_reason(old: str, new: str, reason: str):
    found = faults(with_change(old, new))
    assert any(reason in fault for fault in found), found


def test_a_trigger_out_of_order_is_refused():
    start = "<StartBoundary>2024-01-01T02:30:00</StartBoundary>"
    text = with_change(start, "").replace("</CalendarTrigger>", start + "</CalendarTrigger>")
    assert faults(text) == [
        "Triggers/CalendarTrigger: StartBoundary stands behind ScheduleByDay, and belongs before it"
    ]


def test_48_triggers_have_room_and_49_have_none():
    trigger = GOOD[GOOD.index("<CalendarTrigger") : GOOD.index("</Triggers>")]
    without_id = trigger.replace(' id="t"', "")
    assert faults(GOOD.replace(trigger, without_id * 48)) == []
    assert any("holds 49" in fault for fault in faults(GOOD.replace(trigger, without_id * 49)))


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (GOOD.encode(), "says that it were UTF-16 and is not"),
        (GOOD.encode("utf-16-le"), "has no byte order mark"),
        (b"\xfe\xff" + GOOD.encode("utf-16-be"), "a byte order mark that is not UTF-16LE's"),
        (b"\xef\xbb\xbf" + GOOD.replace("UTF-16", "UTF-8").encode(), "a byte order mark that is not UTF-16LE's"),
        (exported(GOOD.replace("UTF-16", "UTF-8")), "says that it were utf-8 and is UTF-16"),
        (GOOD.replace("UTF-16", "UTF-8").replace(">b<", ">ş<").encode("cp1254"), "codec can't decode"),
        (exported(GOOD)[:-1], "codec can't decode"),
        (b"", "no XML document"),
    ],
)
def test_bytes_that_windows_reads_otherwise_are_refused(document: bytes, reason: str):
    assert reason in task_faults(document)[0]


def test_bytes_that_are_what_they_say_are_accepted():
    assert task_faults(GOOD.replace("UTF-16", "UTF-8").replace(">b<", ">ş<").encode()) == []
    assert task_faults(exported(GOOD.partition("?>")[2].lstrip())) == []


# P27
@pytest.mark.parametrize("name", ["\\Birkez\\ayse-0123456789-rapor", "\\a", "\\Birkez\\Rapor _son_", "\\" + "a" * 237])
def test_a_name_that_windows_takes_is_accepted(name: str):
    assert name_faults(name) == []


@pytest.mark.parametrize(
    "name",
    [
        "rapor",
        "\\",
        "\\Rapor: 2026",
        "\\Rapor/03",
        "\\*son*",
        "\\wer?",
        '\\"x"',
        "\\<x>",
        "\\a|b",
        "\\ends with a dot.",
        "\\ends with a space ",
        "\\ begins with one",
        "\\a\\\\b",
        "\\a\tb",
        "\\" + "a" * 238,
    ],
)
def test_a_name_that_windows_refuses_or_misreads_is_refused(name: str):
    assert name_faults(name)
