"""Effects that make one item's file: they write a part, and whoever asked for it publishes that."""
