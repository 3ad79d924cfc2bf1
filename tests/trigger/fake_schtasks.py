r"""`schtasks` as a program of its own, for systems that have none: Create, Query and Delete, by XML.

Like Windows' own it speaks the language of Windows in the code page of its console, tells
success by its exit status alone, writes documents out in an order of its own with defaults
added, and loses letters that the code page lacks. FAKE_TASKS is its store, FAKE_TASKS_WAYS
what else it does: a language, an encoding, or one of the lies that people have reported.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

NS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
STORE = Path(os.environ["FAKE_TASKS"])
WAYS = os.environ.get("FAKE_TASKS_WAYS", "").split()
ACCOUNT = "PC\\Ayşe Yılmaz"
SAID = {
    "en": ("cp437", "SUCCESS: The scheduled task was changed.", "ERROR: The system cannot find the file specified."),
    "tr": ("cp857", "BAŞARILI: Zamanlanmış görev değiştirildi.", "HATA: Sistem belirtilen dosyayı bulamıyor."),
    "fr": (
        "cp850",
        "Opération réussie : la tâche planifiée a été modifiée.",
        "ERREUR : Le fichier spécifié est introuvable.",
    ),
}
DENIED = {"en": "ERROR: Access is denied.", "tr": "HATA: Erişim engellendi.", "fr": "ERREUR : Accès refusé."}
LANGUAGE = next((way for way in WAYS if way in SAID), "en")
CODE_PAGE, DONE, MISSING = SAID[LANGUAGE]
FOREIGN = """<Task version="1.6" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><URI>\\Microsoft\\Windows\\Defrag\\ScheduledDefrag</URI></RegistrationInfo>
  <Triggers /><Actions><ComHandler><ClassId>{0}</ClassId></ComHandler></Actions>
</Task>"""


def main(words: list[str]) -> int:
    with (STORE / "calls").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(words) + "\n")
    if "hangs" in WAYS:
        time.sleep(60)
    options = read_options(words)
    if "/query" in options:
        return query(options.get("/tn"))
    path = options["/tn"]
    if "denies" in WAYS or ("denies-yedek" in WAYS and path.endswith("-yedek")):
        return no(DENIED[LANGUAGE])
    if "/change" in options:
        return switch(path, enabled="/enable" in options)
    return create(path, options) if "/create" in options else delete(path)


def read_options(words: list[str]) -> dict[str, str]:
    options, name = {}, ""
    for word in words:
        if word.startswith("/") and not os.path.exists(word):
            name = word.lower()
            options[name] = ""
        else:
            options[name] = word
    return options


def create(path: str, options: dict[str, str]) -> int:
    content = Path(options["/xml"]).read_bytes()
    if not content.startswith(b"\xff\xfe"):
        return no("(1,2)")
    task = ET.fromstring(content.decode("utf-16").partition("?>")[2])
    log_on = task.find(f"{NS}Principals/{NS}Principal/{NS}LogonType")
    if "no-administrator" in WAYS and log_on is not None and log_on.text == "S4U":
        return no(DENIED[LANGUAGE])
    if "forgets-log-on" in WAYS and log_on is not None:
        log_on.text = "InteractiveToken"
    if file_of(path).exists() and "/f" not in options:
        return no(MISSING)
    if "stores-nothing" not in WAYS:
        if "truncates" in WAYS:
            arguments = task.find(f"{NS}Actions/{NS}Exec/{NS}Arguments")
            arguments.text = arguments.text[:253]
        as_windows_keeps_it(task, path)
        ET.register_namespace("", NS[1:-1])
        file_of(path).write_text(ET.tostring(task, "unicode"), encoding="utf-8")
    return yes()


def as_windows_keeps_it(task: ET.Element, path: str) -> None:
    task.find(f"{NS}RegistrationInfo/{NS}URI").text = path
    add(task.find(NS + "RegistrationInfo"), "Author", ACCOUNT)
    order = ["Repetition", "StartBoundary", "EndBoundary", "ExecutionTimeLimit", "Enabled"]
    for trigger in task.find(NS + "Triggers"):
        trigger[:] = sorted(trigger, key=lambda part: [*order, part.tag[len(NS) :]].index(part.tag[len(NS) :]))
        for user in trigger.iterfind(NS + "UserId"):
            user.text = ACCOUNT
        for length in trigger.iterfind(f"{NS}Repetition/{NS}Interval"):
            length.text = length.text.replace("PT1H", "PT60M")
    settings = task.find(NS + "Settings")
    add(add(settings, "IdleSettings", ""), "StopOnIdleEnd", "true")
    add(settings, "UseUnifiedSchedulingEngine", "true")
    add(settings, "Priority", "7")
    defaults = {"Enabled": "true", "Hidden": "false", "AllowStartOnDemand": "true", "WakeToRun": "false"}
    for part in list(settings):
        if "drops-defaults" in WAYS and defaults.get(part.tag[len(NS) :]) == part.text:
            settings.remove(part)


def add(parent: ET.Element, name: str, text: str) -> ET.Element:
    """Add what is not said yet."""
    found = parent.find(NS + name)
    if found is None:
        found = ET.SubElement(parent, NS + name)
        found.text = text
    return found


def switch(path: str, *, enabled: bool) -> int:
    if not file_of(path).exists():
        return no(MISSING)
    if "switches-nothing" not in WAYS:
        task = ET.fromstring(file_of(path).read_text(encoding="utf-8"))
        settings = task.find(NS + "Settings")
        add(settings if settings is not None else ET.SubElement(task, NS + "Settings"), "Enabled", "").text = (
            "true" if enabled else "false"
        )
        ET.register_namespace("", NS[1:-1])
        file_of(path).write_text(ET.tostring(task, "unicode"), encoding="utf-8")
    return yes()


def delete(path: str) -> int:
    if not file_of(path).exists():
        return no(MISSING)
    if "keeps-all" not in WAYS:
        file_of(path).unlink()
    return yes()


def query(path: str | None) -> int:
    if "corrupt" in WAYS and path is None:
        return no(MISSING)
    if path is not None and not path.endswith("\\"):
        if not file_of(path).exists():
            return no(MISSING)
        return show(head() + file_of(path).read_text(encoding="utf-8"))
    tasks = [(name_of(file), file.read_text(encoding="utf-8")) for file in sorted(STORE.glob("*.task"))]
    if path is not None:
        tasks = [(name, text) for name, text in tasks if name.startswith(path)]
        if not tasks or "lists-no-folder" in WAYS:
            return no(MISSING)
    else:
        tasks.insert(0, ("\\Microsoft\\Windows\\Defrag\\ScheduledDefrag", FOREIGN))
        tasks.append(("\\broken", "<Task><not xml</Task>"))
    parts = "\n\n".join(f"<!-- {name} -->\n{text}" for name, text in tasks)
    return show(f"{head()}<Tasks>\n{parts}\n</Tasks>")


def head() -> str:
    return '<?xml version="1.0" encoding="UTF-16"?>\n'


def show(text: str) -> int:
    text = text.replace("\n", "\r\n")
    if "utf-16" in WAYS:
        printed = b"\xff\xfe" + text.encode("utf-16-le")
    elif "utf-16-without-mark" in WAYS:
        printed = text.encode("utf-16-le")
    elif "utf-8" in WAYS:
        printed = text.encode()
    else:
        wide = text.encode("utf-16-le")  # a letter of two units becomes two signs
        units = (wide[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(wide), 2))
        printed = b"".join(unit.encode(CODE_PAGE, "replace") for unit in units)
    sys.stdout.buffer.write(printed)
    return 0


def yes() -> int:
    sys.stdout.buffer.write(DONE.encode(CODE_PAGE, "replace") + b"\r\n")
    return 0


def no(message: str) -> int:
    sys.stderr.buffer.write(message.encode(CODE_PAGE, "replace") + b"\r\n")
    return 1


def file_of(path: str) -> Path:
    return STORE / (path.lower().replace("\\", "+") + ".task")


def name_of(file: Path) -> str:
    return ET.fromstring(file.read_text(encoding="utf-8")).find(f"{NS}RegistrationInfo/{NS}URI").text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
