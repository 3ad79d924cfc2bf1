"""All jobs as a table with a search and chips: which of them needs a person."""
