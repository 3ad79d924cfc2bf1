"""Job files as an admin writes them, to be cut and spoiled by the tests."""

from __future__ import annotations

import textwrap

WINDOW = """\
[window]
step = "1h"
start = 2026-09-04T10:00:00Z
"""
SQL = """\
[effect]
kind = "sql"
database = "satis.db"
script = "ozet.sql"
"""
PYTHON = """\
[effect]
kind = "python"
database = "satis.db"
callable = "ozet.py:process"
"""
COMMAND = """\
[effect]
kind = "command"
argv = ["python3", "gonder.py", "--from", "{start}"]
"""
ITEMS = """\
[items]
source = "ids.txt"
target = "in/{item}.json"
"""
DOWNLOAD = """\
[effect]
kind = "download"
url = "https://x/{item}"
"""
EVERY = """\
[schedule]
every = "1h"
"""
HOURLY = f"""\
title = "Saatlik satış özeti"   # shown in the list

{EVERY}offset = "5m"

# which data
{WINDOW}lateness = "5m"

{SQL}"""


def job_text(*, schedule: str = "", window: str = "", effect: str = "", top: str = "") -> str:
    """Valid job file whose tables are replaced where given."""
    parts = (top, schedule, window or WINDOW, effect or SQL)
    return "\n".join(textwrap.dedent(part) for part in parts if part)


def items_text(*, items: str = "", effect: str = "", top: str = "", schedule: str = "") -> str:
    """Valid job file with `[items]`, whose tables are replaced where given."""
    return "\n".join(part for part in (top, schedule, items or ITEMS, effect or DOWNLOAD) if part)
