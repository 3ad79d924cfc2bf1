"""A command's process: held behind a gate, watched, ended with all its descendants.

Why an own gate and not a suspended process or `subprocess`: a child that is started
suspended stays for ever when its runner dies, and one that `subprocess` starts has begun
before its identity could be written down. A child that waits on a pipe leaves by itself
as soon as the runner is gone, since the kernel closes the pipe.
"""
