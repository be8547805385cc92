"""The suggested command after a test, a validation, a density, a price, a classification, groups or a full report."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from liestonet.groups.comparison import GroupComparison
from liestonet.render.next_step import SHOWN, NextStep, Typed, next_step, unsettled
from liestonet.result import Result
from liestonet.result.classification import Classification

# Options of `test`, `reversible` and `validate` that `discover` does not have.
CLAIMS = ("--generator", "--map", "--odd", "--draws", "--symmetry")
OF_A_DENSITY = ("--boundary", "--domain")


def after_test(words: Sequence[str], mapped: bool, rejected: bool) -> NextStep:
    """The command after a test of a generator or a map on recorded paths."""
    if mapped:
        return _search(words, "also tests mirrors, rotations by fixed angles and permutations", True)
    if rejected:
        return _search(words, "finds the symmetries that these data have instead")
    return _search(words, "finds all symmetries of these data; one that is not rejected need not be the only one")


def after_reversal(words: Sequence[str], of_equation: bool) -> NextStep | None:
    """The command after a test of detailed balance."""
    if not of_equation:
        return _search(words, "finds the symmetries and mirrors of the same paths", True)
    if Typed(words).subject == "-":
        return None
    return NextStep(Typed(words).of_equation("solve", "--periodic"), "finds the symmetries of the same equation")


def after_validation(words: Sequence[str], result: Result, contradicted: bool, kept: bool) -> NextStep | None:
    """The command after a validation; `result` contains its outcome, `kept` means that it was written to a file."""
    typed = Typed(words)
    if contradicted:
        return NextStep(
            shlex.join(["liestonet", "open", typed.subject]),
            "shows the residual of each direction again, and the flags about the data",
        )
    if not kept:
        report = typed.with_option("--report", "report.html")
        return NextStep(report, "writes these checks to a page, with plots")
    return next_step(result)


def after_density(words: Sequence[str], parameters: Collection[str]) -> NextStep | None:
    """The command after a density, for an equation with free parameters or without."""
    typed = Typed(words)
    if typed.subject == "-":
        return None
    if parameters:
        return NextStep(typed.of_equation("classify"), "finds the parameters for which there is a density or more")
    why = "shows the symmetries that give this density"
    return NextStep(Typed(shlex.split(typed.of_equation("solve"))).with_option("--symmetry", "fokker-planck"), why)


def after_price(words: Sequence[str], of_the_payoff: Collection[str]) -> NextStep | None:
    """The command after a price, without the parameters of the payoff."""
    typed = Typed(words)
    if typed.subject == "-":
        return None
    kept = shlex.split(typed.of_equation("density", *OF_A_DENSITY))
    for name in of_the_payoff:
        kept = _without_value(kept, name)
    return NextStep(shlex.join(kept), "prints the density that was integrated")


def after_classification(words: Sequence[str], found: Classification) -> NextStep | None:
    """The command after `classify`: solve the most symmetric special case, or the generic one if there is none."""
    typed = Typed(words)
    if typed.subject == "-":
        return None
    if not found.rows:
        return NextStep(typed.of_equation("solve"), "finds the symmetries, which are the same for all parameters")
    best = max(found.rows, key=lambda row: row.dimension)
    command = ["liestonet", "solve", str(best.sde), "--symmetry", best.kind]
    if (killing := typed.value("--killing")) is not None:
        command += ["--killing", killing]
    return NextStep(shlex.join(command), f"finds the symmetries where {best.condition}")


def after_full_report(result: Result, folder: Path) -> NextStep:
    """The command after a full report: one for what is undecided, else to print the evidence."""
    shown = shlex.join(["liestonet", "open", str(folder / "ito.lsn")])
    return unsettled(result) or NextStep(shown, "prints the evidence of the first of these answers")


def after_groups(words: Sequence[str], found: GroupComparison) -> NextStep | None:
    """The command after a comparison: the evidence of the least decided group, if results were saved."""
    known = [group for group in found.groups if not group.problem]
    if not known:
        return None
    if found.folder is None:
        return NextStep(Typed(words).with_option("--out", "study"), "keeps a result for each group, and writes a page")
    least = max(known, key=lambda group: sum(row.verdict == "undecided" for row in group.ladder))
    kept = str(found.folder / least.folder / "run.lsn")
    return NextStep(shlex.join(["liestonet", "open", kept]), f"shows the evidence of group {least.label}")


def _search(words: Sequence[str], why: str, maps: bool = False) -> NextStep:
    """`discover` for the same paths with the same options for reading."""
    kept = Typed(words).without(*SHOWN, *CLAIMS, "--discrete")
    kept[1] = "discover"
    return NextStep(shlex.join([*kept, "--discrete"] if maps else kept), why)


def _without_value(words: list[str], name: str) -> list[str]:
    """The words of a command without `--param NAME=…`."""
    kept: list[str] = []
    for word in words:
        if word.startswith(f"{name}=") and kept and kept[-1] == "--param":
            kept.pop()
        elif not word.startswith(f"--param={name}="):
            kept.append(word)
    return kept
