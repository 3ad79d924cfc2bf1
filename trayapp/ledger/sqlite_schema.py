"""Schema steps of the ledger's tables in an SQLite database.

Each step and its record stand in one transaction, so a crash leaves the step done and
recorded, or neither. The tables live among the user's own: only names that begin with
`birkez_` are ours, and `PRAGMA user_version` is the user's.
Instants are whole seconds since 1970-01-01T00:00Z, `at_ms` milliseconds.

A window's `id` is the number of its last change, larger than all before: a row that
changes gets a new one. So the rows in their order are what history copies, and the commit
counter is the largest of them; `birkez_ledger` counts what leaves no row, or none with its
instant. A column and a counter of their own would cost each commit two pages more.
"""

from __future__ import annotations

NEWEST = 1

# The steps, oldest first; a step that has been released is never edited.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE birkez_ledger (
             one INTEGER PRIMARY KEY CHECK (one = 1),
             identity TEXT NOT NULL,
             commits INTEGER NOT NULL,
             last_commit_s INTEGER NOT NULL)""",
        """CREATE TABLE birkez_job (
             number INTEGER PRIMARY KEY,
             job TEXT NOT NULL UNIQUE,
             origin_s INTEGER NOT NULL,
             watermark_s INTEGER NOT NULL)""",
        """CREATE TABLE birkez_owner (
             job INTEGER NOT NULL,
             owner TEXT NOT NULL,
             seen_s INTEGER NOT NULL,
             PRIMARY KEY (job, owner)) WITHOUT ROWID""",
        """CREATE TABLE birkez_window (
             id INTEGER PRIMARY KEY,
             job INTEGER NOT NULL,
             key TEXT NOT NULL,
             start_s INTEGER NOT NULL,
             end_s INTEGER NOT NULL,
             state TEXT NOT NULL,
             attempt INTEGER NOT NULL,
             run TEXT NOT NULL,
             trigger TEXT NOT NULL,
             at_ms INTEGER NOT NULL,
             reason TEXT NOT NULL DEFAULT '',
             new_count INTEGER,
             repeated_count INTEGER,
             duration_ms INTEGER,
             process TEXT,
             runner TEXT,
             CHECK (start_s < end_s),
             CHECK (state IN ('done', 'skipped', 'passed', 'started', 'failed', 'uncertain', 'again', 'superseded')),
             UNIQUE (job, key))""",
        "CREATE INDEX birkez_window_by_end ON birkez_window (job, end_s)",
        """CREATE INDEX birkez_window_unsettled ON birkez_window (job)
             WHERE state IN ('started', 'failed', 'uncertain', 'again')""",
        """CREATE TABLE birkez_key (
             job INTEGER NOT NULL,
             key TEXT NOT NULL,
             window INTEGER NOT NULL,
             PRIMARY KEY (job, key)) WITHOUT ROWID""",
    ),
)
