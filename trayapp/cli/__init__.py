"""The `birkez` command: words in, exit status out."""
