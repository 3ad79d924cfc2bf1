"""Jobs that the system's scheduler starts already, taken over into Birkez and given back.

A foreign entry becomes a `command` job that does the very same at the very same times, or it
is left alone with the reason. At every moment one of the two does the work, never both and
never none; `trigger.adopted` says how.
"""
