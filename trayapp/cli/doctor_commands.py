"""`birkez doctor`: what would stop jobs here, in words, with the remedy."""

from __future__ import annotations

import shlex

from trayapp import clock, doctor, exit_code
from trayapp.cli.answers import choice_lines
from trayapp.cli.arguments import add_command, add_json
from trayapp.cli.terminal import paint, say_many, show, show_json
from trayapp.places import find_places
from trayapp.runner.opening import accept_clock
from trayapp.wording.mark import N_, NN_
from trayapp.wording.speech import _, say, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from trayapp.cli.arguments import Subparsers

_UNCERTAIN = "doctor-uncertain"
_LABELS = {"problem": N_("problem"), "warning": N_("notice"), "ok": N_("in order")}
_PAINTS = {"problem": "bad", "warning": "warn", "ok": "ok"}


def add_parsers(commands: Subparsers) -> None:
    """Offer `doctor`."""
    examine = add_command(commands, "doctor", _("Look for what would stop jobs here."), _handle_doctor)
    examine.add_argument(
        "--accept-clock",
        action="store_true",
        help=_("the clock is right as it stands: let jobs run that were stopped because of it"),
    )
    add_json(examine)


def _handle_doctor(words: argparse.Namespace) -> int:
    places = find_places()
    if words.accept_clock:
        places.make_folders()
        accept_clock(places, clock.now())
    findings = doctor.examine(places)
    problems = sum(finding.weight == "problem" for finding in findings)
    if words.json:
        show_json([_as_json(finding) for finding in findings])
        return exit_code.ENVIRONMENT if problems else exit_code.DONE
    for finding in findings:
        show(f"{paint(_(_LABELS[finding.weight]), _PAINTS[finding.weight])}: {sentence(finding.error)}")
        if finding.code == _UNCERTAIN:
            show("  " + _("To do, whichever is true:"), *choice_lines(finding.job, str(finding.error.facts["key"])))
        elif finding.remedy and not _is_said(finding):
            show("  " + say("To do: {command}", command=shlex.join(("birkez", *finding.remedy))))
    if problems:
        show(say_many(NN_("{count} problem found.", "{count} problems found."), problems))
        return exit_code.ENVIRONMENT
    show(_("Nothing stands in the way of the jobs."))
    return exit_code.DONE


def _is_said(finding: doctor.Finding) -> bool:
    """Tell whether the finding's own sentence names the command."""
    words = [word for word in finding.remedy if word != "…"]
    while words and words[-1].startswith("--reason"):
        words.pop()
    return shlex.join(("birkez", *words)) in sentence(finding.error)


def _as_json(finding: doctor.Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "weight": finding.weight,
        "job": finding.job or None,
        "sentence": sentence(finding.error),
        # Which of two is right, only a person can tell: no program may copy one of them.
        "remedy": [] if finding.code == _UNCERTAIN else list(finding.remedy),
    }
