"""The page of all runs that history knows."""
