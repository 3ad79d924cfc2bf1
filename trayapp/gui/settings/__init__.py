"""The page of what a person sets for Birkez itself."""
