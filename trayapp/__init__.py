"""Birkez: scheduled jobs that are safe to run twice.

Each run goes through a lock, an idempotency key in the effect's own transaction, and
closed UTC windows from a stored watermark; see `runner/pipeline.py`, the product on
one page.
"""
