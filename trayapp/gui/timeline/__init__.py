"""The page that draws each job's periods along the clock."""
