"""One item as an effect gets it, and how an effect says that it did not make it."""

from __future__ import annotations

import re

from trayapp.value import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trayapp.errors import EffectError

_PLACEHOLDER = re.compile(r"([{$]?)\{([^{}]+)\}(\}?)")


class ItemUnit(NamedTuple):
    """What is made once: the file *output*, for the item *id*, named for ever by *key*.

    *fields* are a CSV row's other columns, *input* the item's own file where it is one.
    """

    job: str
    run: str
    id: str
    key: str
    output: str
    fields: Mapping[str, str]
    input: str = ""

    def values(self) -> dict[str, str]:
        """What may be filled in, by the names of the placeholders."""
        own = {"item": self.id, "key": self.key, "output": self.output, "input": self.input}
        return {**self.fields, **own}


class ItemFailedError(Exception):
    """The item was not made, and nothing stands at its target.

    *is_final*: trying again is useless. *strikes_host*: the server may be gone, by what it
    answered or did not. Not *counts*: it is no fault of the item's, whose attempts stay as
    they are. *wait_s*: how long it, or the server, asks to be left alone.
    """

    def __init__(
        self,
        error: EffectError,
        *,
        is_final: bool = False,
        strikes_host: bool = False,
        counts: bool = True,
        wait_s: float = 0.0,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.is_final = is_final
        self.strikes_host = strikes_host
        self.counts = counts
        self.wait_s = wait_s


class Maker:
    """Makes one item after the other in this process."""

    is_repeatable = False
    """Whether an item may be made again after a power cut without a word."""

    closing_s = 5.0
    """How long what a program left running may still write its file."""

    def host_of(self, values: Mapping[str, str]) -> str:  # noqa: ARG002  # only downloads have one
        """Server that is asked for the item with these *values*, "" where none is."""
        return ""

    def make(self, unit: ItemUnit, stop: Callable[[], bool]) -> bool:
        """Write the file `unit.output`; returns whether it is flushed already.

        Raises: ItemFailedError; Interrupted, once *stop* says true.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections and files."""


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put *values* in the place of `{name}`, each where it stands and none inside another.

    Other braces stay, and so does a shell's `${name}`; `{{name}}` writes `{name}` itself.
    """

    def put(found: re.Match[str]) -> str:
        before, name, after = found.groups()
        if name not in values or before == "$":
            return found[0]
        if before and after:
            return "{" + name + "}"
        return before + values[name] + after

    return _PLACEHOLDER.sub(put, text)
