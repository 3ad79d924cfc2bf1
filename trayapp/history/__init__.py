"""Runs and events, for people; nothing decides from it."""
