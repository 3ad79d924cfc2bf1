"""The table `[items]` of a job file, and `[effect]` of a job that has it: many small pieces of work.

Whether the list and the folder are there is not asked, as with databases; nor is what the
list holds, since it may be another one at each run.
"""

from __future__ import annotations

import os

from trayapp.job.effect_fields import take_callable, take_command, take_kind, take_path, take_timeout
from trayapp.job.fields import KEYS
from trayapp.job.model import DownloadEffect, Items, PythonEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.job.fields import Table
    from trayapp.job.model import Effect, Method

_KEYS_OF_KIND = {
    "download": ("url", "method", "json", "headers", "expect", "per_host", "timeout"),
    "command": ("argv", "shell", "cwd", "env", "path", "encoding", "timeout"),
    "python": ("callable", "timeout"),
}
_MOST_WORKERS = 64  # processes; beyond it a computer does nothing but change between them
_MOST_ATTEMPTS = 100
_TARGET = "documents/{item}.json"
_URL = "https://example.com/documents/{item}"
_HEADERS = '{ Accept = "application/json" }'
_HEADER_LETTERS = frozenset("!#$%&'*+-.^_`|~abcdefghijklmnopqrstuvwxyz0123456789")  # RFC 9110, "token"
_OWN_HEADERS = ("content-length", "host", "transfer-encoding", "connection")


def take_items(job: Table) -> Items:
    """Where the items stand, where their targets go, and how many workers share them."""
    if "window" in job:
        raise job.fault("job-items-and-window", "window")
    table = job.table("items", KEYS["items"])
    target = take_path(table, "target", _TARGET)
    # As it is written here, since the job file's own folder may be called anything.
    folder, name = os.path.split(os.path.normpath(str(table.value("target"))))
    if "{item}" not in name:
        raise table.fault("job-target-without-item", "target", allowed=f'"{_TARGET}"')
    if "{item}" in folder or "{digest}" in folder:
        raise table.fault("job-target-folder", "target", allowed=f'"{_TARGET}"')
    return Items(
        take_path(table, "source", "ids.txt"),
        os.path.dirname(target),
        name,
        table.optional_text("column", "id"),
        table.whole("workers", Items._field_defaults["workers"], 1, _MOST_WORKERS),
        table.whole("attempts", Items._field_defaults["attempts"], 1, _MOST_ATTEMPTS),
    )


def take_item_effect(job: Table) -> Effect:
    """Effect that makes one item's target: it has no database."""
    table = job.table("effect", None)
    if table.value("kind") == "sql":
        raise table.fault("job-sql-with-items", "kind", allowed=", ".join(f'"{kind}"' for kind in _KEYS_OF_KIND))
    kind = take_kind(table, _KEYS_OF_KIND)
    if kind == "command":
        return take_command(table)
    if kind == "python":
        return PythonEffect("", *take_callable(table), take_timeout(table))
    return _take_download(table)


def _take_download(table: Table) -> DownloadEffect:
    url = table.text("url", _URL)
    is_address = url.lower().startswith(("http://", "https://", "{"))  # a column may hold the whole address
    if not is_address or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise table.fault("job-url-malformed", "url", allowed=f'"{_URL}"')
    body = _take_json(table) if "json" in table else ""
    methods: tuple[Method, ...] = ("GET", "POST")
    word = table.choice("method", methods, default="POST" if body else "GET")
    if body and word == "GET":
        raise table.fault("job-json-with-get", "json", allowed='method = "POST"')
    return DownloadEffect(
        url,
        next(known for known in methods if known == word),
        body,
        _take_headers(table) if "headers" in table else (),
        table.choice("expect", ("json",), default="json") if "expect" in table else "",
        table.whole("per_host", 0, 1, _MOST_WORKERS),
        take_timeout(table),
    )


def _take_json(table: Table) -> str:
    """Body as JSON text; its placeholders are filled when an item is asked for."""
    import json  # noqa: PLC0415  # few jobs send one

    try:
        return json.dumps(table.value("json"), ensure_ascii=False)
    except TypeError as error:  # TOML's dates have no like in JSON
        raise table.fault("job-json-date", "json", allowed='"2026-09-04"') from error


def _take_headers(table: Table) -> tuple[tuple[str, str], ...]:
    headers: list[tuple[str, str]] = []
    for name, value in table.required("headers", dict, _HEADERS).items():
        if not name or not _HEADER_LETTERS.issuperset(name.lower()) or name.lower() in _OWN_HEADERS:
            raise table.fault("job-header-name", "headers", name=name, allowed=_HEADERS)
        if type(value) is not str or not value.isprintable():
            raise table.fault("job-header-value", "headers", name=name, allowed=_HEADERS)
        headers.append((name, value))
    return tuple(headers)
