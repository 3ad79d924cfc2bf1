"""One run in full: its periods, its log lines and its output, and what a person may decide about it."""
