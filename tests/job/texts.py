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
