"""One text log a job: each fire leaves a line, whole, in order and readable while it is written."""
