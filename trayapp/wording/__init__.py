"""Codes to sentences: what people read, in Turkish and English."""
