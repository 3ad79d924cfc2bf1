"""What a worker process of a job's own finds by the name of the job's module; no part of the runner imports it."""
