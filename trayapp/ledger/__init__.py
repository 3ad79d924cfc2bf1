"""Durable record of keys, windows and watermarks, inside the database that holds the effect."""
