"""A first safe job in three steps, from a template; it ends with what Run now answered."""
