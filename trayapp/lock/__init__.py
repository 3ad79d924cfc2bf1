"""One process's right to a job now; the kernel frees it however the process ends."""
