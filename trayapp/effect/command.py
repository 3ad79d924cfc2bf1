"""The `command` effect: a program of the user's, held until its start is written down.

Nobody can take a sent mail back, so a command runs at most once without a person or the
job saying otherwise. The order that gives this: the child exists and waits; the caller
commits `started` with the child's identity; the gate opens; the end is committed. A runner
that dies before the gate opens takes the child with it; one that dies later leaves a mark
that tells which process to look for.

    held = hold(effect, unit, output_path)
    … commit `started` with held.identity …
    held.open_gate()        # EffectError: nothing began, take the mark back
    end = held.wait(stop)
"""

from __future__ import annotations

import os
import sys

from trayapp.effect.child.environment import command_environment, fill_placeholders, placeholders, tag_of
from trayapp.effect.child.held import CommandEnd, HeldCommand, Start
from trayapp.effect.child.output import KeptOutput

__all__ = ["CommandEnd", "HeldCommand", "hold", "hold_start"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trayapp.effect.unit import Unit
    from trayapp.job.model import CommandEffect


def hold(effect: CommandEffect, unit: Unit, output_path: str) -> HeldCommand:
    """Make the child that will perform *unit*, and keep it from beginning.

    What the command prints is added to the file *output_path*. It runs in `effect.cwd`, or
    in the person's home folder where that is empty; the job file's reader fills in the job
    file's own folder.

    Raises: SetupError when the process or the output file cannot be made; then there is no
    child.
    """
    return hold_start(_start(effect, unit), KeptOutput(output_path, unit.key, effect.encoding))


def hold_start(start: Start, output: KeptOutput) -> HeldCommand:
    """Make the child of *start*, which *output* belongs to from now on.

    Raises: SetupError, as `hold` does.
    """
    try:
        return _hold(start, output)
    except BaseException:
        output.close()
        raise


def _hold(start: Start, output: KeptOutput) -> HeldCommand:
    if sys.platform == "win32":
        from trayapp.effect.child.on_win32 import hold_on_win32 as hold_here  # noqa: PLC0415  # only there
    else:
        from trayapp.effect.child.on_posix import hold_on_posix as hold_here  # noqa: PLC0415  # only there
    return hold_here(start, output)


def _start(effect: CommandEffect, unit: Unit) -> Start:
    environment = command_environment(effect, unit, os.environ)
    values = placeholders(unit)
    argv = [fill_placeholders(word, values) for word in effect.argv]
    shell = fill_placeholders(effect.shell, values)
    if shell and sys.platform != "win32":
        argv = ["/bin/sh", "-c", shell]
    return Start(
        argv=tuple(argv),
        shell=shell,
        folder=effect.cwd or os.path.expanduser("~"),
        environment=environment,
        searched=environment.get("PATH") or os.defpath,
        tag=tag_of(unit),
        timeout_s=effect.timeout_s,
    )
