"""The page of all jobs, and of one job: what it does, when, what waits, what ails it."""
