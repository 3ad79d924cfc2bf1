"""What starts jobs: one entry a job in the scheduler of the operating system, never one we did not write."""
