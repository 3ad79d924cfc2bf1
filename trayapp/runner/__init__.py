"""The headless process that performs a job; begins at `pipeline.py`."""
