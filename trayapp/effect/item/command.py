"""The `command` effect for items: a program that writes the file `{output}`.

Unlike a window's command it may run again for the same item, until its file stands whole:
the file is what counts, and nobody else can publish it.
"""

from __future__ import annotations

import os
import sys

from trayapp.effect.child.environment import clean_environment
from trayapp.effect.child.held import Start
from trayapp.effect.child.output import KeptOutput
from trayapp.effect.command import hold_start
from trayapp.effect.interruption import Interrupted
from trayapp.effect.item.unit import ItemFailedError, Maker, fill
from trayapp.errors import EffectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trayapp.effect.item.unit import ItemUnit
    from trayapp.job.model import CommandEffect

_MOST_OUTPUT_BYTES = 16 << 20  # of all failed items of a worker: what a person will look into
_CMD_LETTERS = frozenset('&|<>^%!"()\r\n')  # by which cmd would take a value for a command


class ItemCommand(Maker):
    """Starts one job's command for item after item; what it prints is kept where it failed."""

    def __init__(self, effect: CommandEffect, output_path: str) -> None:
        self._effect = effect
        self._output_path = output_path

    def make(self, unit: ItemUnit, stop: Callable[[], bool]) -> bool:
        """Run the command to its end."""
        before = self._output_size()
        held = hold_start(self._start(unit), KeptOutput(self._output_path, unit.key, self._effect.encoding))
        held.open_gate()  # a program that cannot be started cannot for any item: that stops the worker
        end = held.wait(stop)
        if end.kind == "stopped":
            raise Interrupted
        if end.kind == "exited" and end.code == 0:
            self._forget_output(before)
            return False
        if before > _MOST_OUTPUT_BYTES:
            self._forget_output(before)
        if end.kind == "timed-out":
            raise ItemFailedError(EffectError("item-timed-out", seconds=self._effect.timeout_s))
        if end.kind == "signalled":
            raise ItemFailedError(EffectError("item-program-signalled", signal=end.code, output=self._output_path))
        raise ItemFailedError(EffectError("item-program-failed", status=end.code, output=self._output_path))

    def _start(self, unit: ItemUnit) -> Start:
        effect = self._effect
        environment = clean_environment(effect, os.environ)
        environment.update(
            BIRKEZ_ITEM=unit.id,
            BIRKEZ_OUTPUT=unit.output,
            BIRKEZ_INPUT=unit.input,
            BIRKEZ_KEY=unit.key,
            BIRKEZ_JOB=unit.job,
            BIRKEZ_RUN=unit.run,
        )
        columns = {name: f"BIRKEZ_COLUMN_{number}" for number, name in enumerate(unit.fields, 1)}
        environment.update((columns[name], value) for name, value in unit.fields.items())
        values = unit.values()
        shell = self._shell(values, columns)
        argv = [fill(word, values) for word in effect.argv]
        if shell and sys.platform != "win32":
            argv = ["/bin/sh", "-c", shell]
        return Start(
            argv=tuple(argv),
            shell=shell,
            folder=effect.cwd or os.path.expanduser("~"),
            environment=environment,
            searched=environment.get("PATH") or os.defpath,
            tag=(f"BIRKEZ_RUN={unit.run}", f"BIRKEZ_KEY={unit.key}"),
            timeout_s=effect.timeout_s,
        )

    def _shell(self, values: dict[str, str], columns: dict[str, str]) -> str:
        """Text for the shell, in which no value can become a command of its own.

        A POSIX shell gets the variables' names in their place and never sees a value as its
        text; cmd puts values in before it reads, so there what could mislead it is refused.
        """
        shell = self._effect.shell
        if not shell:
            return ""
        if sys.platform == "win32":
            for name, value in values.items():
                if "{" + name + "}" in shell and not _CMD_LETTERS.isdisjoint(value):
                    raise ItemFailedError(EffectError("item-misleads-cmd", item=values["item"], value=value))
            return fill(shell, values)
        own = {name: f"BIRKEZ_{name.upper()}" for name in ("item", "output", "input", "key")}
        variables = {name: f'"${variable}"' for name, variable in {**columns, **own}.items()}
        for name, variable in variables.items():
            shell = shell.replace('"{' + name + '}"', variable)  # quoted already by whoever wrote it
        return fill(shell, variables)

    def _output_size(self) -> int:
        try:
            return os.stat(self._output_path).st_size
        except OSError:
            return 0

    def _forget_output(self, size: int) -> None:
        try:
            if size:
                os.truncate(self._output_path, size)
            else:
                os.unlink(self._output_path)
        except OSError:
            return  # it printed nothing
