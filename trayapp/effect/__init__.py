"""What a job does to the world, one unit at a time, and what happened to it."""
