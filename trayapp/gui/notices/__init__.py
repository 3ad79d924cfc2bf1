"""Notifications: what is worth one, and how this desktop shows it."""
