"""Many items, several workers side by side: each item's target file appears whole, once, whoever is killed."""
