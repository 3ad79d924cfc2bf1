"""One job's strip: what is read for it, where it stands on the clock, and how its periods and runs look."""
