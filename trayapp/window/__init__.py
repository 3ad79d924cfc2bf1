"""Half-open UTC intervals: the grid that cuts them and the closed ones after a watermark."""
