"""Errors that a person can act on. A bug is a plain exception and is never wrapped.

Each error carries a stable `code`, its facts and an exit status; `wording` owns the
sentence for a code, so a message exists once and in two languages.
Contention is not an error: who loses a lock gets a value.
"""

from __future__ import annotations

from trayapp import exit_code


class BirkezError(Exception):
    """What a person can mend, as a stable *code* and the facts its sentence needs.

    Facts are plain values (text, numbers, instants), so that the error can be pickled
    and shown elsewhere.
    """

    exit_status = exit_code.ENVIRONMENT

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.code, self.facts)

    def __str__(self) -> str:
        facts = " ".join(f"{name}={value!r}" for name, value in self.facts.items())
        return f"{self.code} {facts}".rstrip()


class SetupError(BirkezError):
    """The environment stops the job: path, permission, disk, a missing tool."""


class StateError(BirkezError):
    """Stored data that must not be guessed at: newer schema, restored ledger, bad clock."""


class JobFileError(BirkezError):
    """A job file is missing parts, malformed, or asks for what cannot be."""

    exit_status = exit_code.JOB_FILE_INVALID


class UsageError(BirkezError):
    """The words given on the command line, or a wish that makes no sense here."""

    exit_status = exit_code.USAGE


class TriggerError(BirkezError):
    """The scheduler of the operating system says no, or cannot say what the schedule says."""


class NoSuchJobError(BirkezError):
    """There is no job with this id."""

    exit_status = exit_code.NO_SUCH_JOB


class EffectError(BirkezError):
    """The effect failed and nothing of it took place."""

    exit_status = exit_code.EFFECT_FAILED


def _rebuild(kind: type[BirkezError], code: str, facts: dict[str, object]) -> BirkezError:
    return kind(code, **facts)
