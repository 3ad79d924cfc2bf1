"""The page of what would stop jobs on this computer, with remedies."""
