"""What is known of the jobs now: read in threads, put together as values, told when it changes."""
