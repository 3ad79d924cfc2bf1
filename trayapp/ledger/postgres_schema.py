"""Schema steps of the ledger's tables in a PostgreSQL database.

They live in a schema of their own, `birkez`, so that no `search_path` decides which tables
are meant. Names and units are those of the SQLite ledger, and so is a window's `id`: the
number of its last change. A sequence gives it, for jobs beside each other; of one job's rows
the later change has the larger number, since its transactions follow one another.
"""

from __future__ import annotations

NEWEST = 1

# The steps, oldest first; a step that has been released is never edited.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE birkez.birkez_ledger (
             one integer PRIMARY KEY CHECK (one = 1),
             identity text NOT NULL,
             commits bigint NOT NULL,
             last_commit_s bigint NOT NULL)""",
        "CREATE SEQUENCE birkez.birkez_change",
        """CREATE TABLE birkez.birkez_job (
             number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             job text COLLATE "C" NOT NULL UNIQUE,
             origin_s bigint NOT NULL,
             watermark_s bigint NOT NULL)""",
        """CREATE TABLE birkez.birkez_owner (
             job integer NOT NULL,
             owner text COLLATE "C" NOT NULL,
             seen_s bigint NOT NULL,
             token text NOT NULL,
             PRIMARY KEY (job, owner))""",
        """CREATE TABLE birkez.birkez_window (
             id bigint PRIMARY KEY,
             job integer NOT NULL,
             key text COLLATE "C" NOT NULL,
             start_s bigint NOT NULL,
             end_s bigint NOT NULL,
             state text NOT NULL,
             attempt integer NOT NULL,
             run text NOT NULL,
             trigger text NOT NULL,
             at_ms bigint NOT NULL,
             reason text NOT NULL DEFAULT '',
             new_count bigint,
             repeated_count bigint,
             duration_ms bigint,
             process text,
             runner text,
             CHECK (start_s < end_s),
             CHECK (state IN ('done', 'skipped', 'passed', 'started', 'failed', 'uncertain', 'again', 'superseded')),
             UNIQUE (job, key))""",
        "CREATE INDEX birkez_window_by_end ON birkez.birkez_window (job, end_s)",
        """CREATE INDEX birkez_window_unsettled ON birkez.birkez_window (job)
             WHERE state IN ('started', 'failed', 'uncertain', 'again')""",
        """CREATE TABLE birkez.birkez_key (
             job integer NOT NULL,
             key text COLLATE "C" NOT NULL,
             window_id bigint NOT NULL,
             PRIMARY KEY (job, key))""",
        "CREATE INDEX birkez_key_by_window ON birkez.birkez_key (job, window_id)",
    ),
)
