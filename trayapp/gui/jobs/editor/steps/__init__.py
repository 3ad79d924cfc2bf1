"""The four steps: what, when and which data, how careful, review."""
