"""The tray application: the only package that imports PySide6.

It looks and it asks: lock states, history and logs are read here, by threads that hinder
no run; whatever does something (a run, a pause, a decision, a job added) is the `birkez`
command, started as a process of its own. A job therefore never runs inside the tray, and
ending the tray ends no job. No database of the user's is opened here.
"""
