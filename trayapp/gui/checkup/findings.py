"""What `birkez doctor` found, as values: what it says, whom it concerns, and what to press."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trayapp.value import NamedTuple
from trayapp.wording.mark import N_
from trayapp.wording.speech import _

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNCERTAIN = "doctor-uncertain"
# Instead of commands to type, where a button or a page does it.
_TEXTS: Mapping[str, str] = {
    _UNCERTAIN: N_("Look whether its work was done, then decide. Nothing is done twice until then."),
    "doctor-failing": N_("Nothing of it took effect, and later periods wait. The job's page says why."),
}


class Finding(NamedTuple):
    """One thing that was looked at; *weight* is problem, warning or ok, *remedy* are words behind `birkez`."""

    code: str
    weight: str
    job: str
    sentence: str
    remedy: tuple[str, ...] = ()

    def words(self, job_title: str) -> tuple[str, str]:
        """What is, and what follows from it, for people who press buttons and type no commands."""
        if not self.job and self.code.startswith("job-"):
            return _("A job file has a mistake"), self.sentence
        end = self.sentence.find(". ")
        title, text = (self.sentence, "") if end < 0 else (self.sentence[:end], self.sentence[end + 2 :])
        title = title.rstrip(".")
        if self.job and title.startswith(f"{self.job}: "):
            title = f"{job_title}: {title.removeprefix(f'{self.job}: ')}"
        return title, _(_TEXTS[self.code]) if self.code in _TEXTS else text

    @property
    def needs_decision(self) -> bool:
        """Tell whether an uncertain period waits."""
        return self.code == _UNCERTAIN

    @property
    def needs_reason(self) -> bool:
        """Tell whether the remedy is a person's decision, with a reason."""
        return "--reason" in self.remedy

    @property
    def is_guarded(self) -> bool:
        """Tell whether its consequences have to be read first."""
        return self.needs_reason or self.remedy[:1] in (("doctor",), ("ledger",))


def read_findings(output: str) -> tuple[Finding, ...] | None:
    """Take apart what `birkez doctor --json` wrote; None where it cannot be read."""
    try:
        told = json.loads(output)
        return tuple(_finding_of(one) for one in told)
    except (ValueError, LookupError, TypeError):
        return None


def remedy_words(finding: Finding) -> str:
    """What the button that mends it says, marked; empty where there is none."""
    remedy = finding.remedy
    if finding.needs_decision:
        return N_("Decide…")
    if not remedy:
        return ""
    if remedy[0] == "schedule":
        return N_("Repair") if "--repair" in remedy else N_("Take the entry out")
    if remedy[0] == "run":
        return N_("Run now")
    if remedy[0] == "doctor":
        return N_("The clock is right…")
    return N_("Accept it…") if remedy[0] == "ledger" else N_("Mend it")


def consequence_words(finding: Finding) -> str:
    """What follows from a guarded remedy, marked."""
    if finding.remedy[0] == "ledger":
        return N_(
            "The job goes on with the record as it stands now. If it is an older one, from a backup, periods that were "
            "done since then are done a second time."
        )
    return N_(
        "Jobs that were stopped because of the clock run again by it. If the clock is wrong after all, periods of the "
        "future may be taken that have no data yet."
    )


def _finding_of(one: Mapping[str, object]) -> Finding:
    remedy = one.get("remedy") or ()
    assert isinstance(remedy, list | tuple)
    return Finding(
        str(one["code"]),
        str(one["weight"]),
        str(one.get("job") or ""),
        str(one["sentence"]),
        tuple(map(str, remedy)),
    )
