"""What the admin configured: values, the job file, its schedule."""
