"""The suggested next command after a result, complete and ready to run, in Python or on the command line."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.render.clock_text import changes_with_date
from liestonet.render.limits import FINEST_THINNING, LARGEST_TOLERANCE_ASKED, MOST_MAPPED
from liestonet.render.numbers import number
from liestonet.result.findings import DataFindings, EquationFindings
from liestonet.surrogate.unusable_columns import independent_columns
from liestonet.trajectories.unwrapping import Winding, winding

if TYPE_CHECKING:
    from liestonet.result import Result

FLAGS_ALONE = {
    "--json", "--latex", "--quiet", "-q", "--discrete", "--no-formulas", "--no-proof", "--sort", "--restart-clock",
    "--reduce", "--stratonovich", "--all",
}  # fmt: skip
# How a result is shown is no part of a search; where files go is no part of another one.
SHOWN = ("--json", "--latex", "--quiet", "-q", "--all", "--save", "--report", "--out")
KEPT_OF_AN_EQUATION = ("--param", "--stratonovich", "--killing")
CORRELATED = {"measurement-noise", "blur", "coloured-noise"}


@dataclass(frozen=True)
class NextStep:
    """A command and its purpose."""

    command: str
    why: str


def next_step(result: Result) -> NextStep | None:
    """The next command; None if the result has no record of how it was made."""
    typed = "" if result.provenance is None else result.provenance.command
    words = shlex.split(typed) if typed.startswith("liestonet ") else []
    found = result.findings
    if words[1:2] == ["discover"] and isinstance(found, DataFindings):
        return _after_discover(result, found, Typed(words))
    if words[1:2] == ["solve"] and isinstance(found, EquationFindings) and Typed(words).subject != "-":
        return _after_solve(result, found, Typed(words))
    if typed.startswith("liestonet.discover("):
        if not result.dimension:
            return NextStep("liestonet.discrete(data)", "looks for mirrors and other discrete symmetries")
        return NextStep(
            "liestonet.validate(result, data)", "tests the generators: likelihood, paths moved along them, new fits"
        )
    if typed.startswith("liestonet.solve("):
        return NextStep(
            "liestonet.reduce(result)", "uses the symmetries: new coordinates, and the solution if there is one"
        )
    return None


def unsettled(result: Result) -> NextStep | None:
    """The command for doubtful data or undecided directions, after `discover` in a terminal; else None."""
    typed = "" if result.provenance is None else result.provenance.command
    found = result.findings
    if not typed.startswith("liestonet discover ") or not isinstance(found, DataFindings):
        return None
    words = Typed(shlex.split(typed))
    return _doubtful(result, found, words) or _undecided(result, found, words)


@dataclass(frozen=True)
class Typed:
    """A command line that can be changed and run again."""

    words: Sequence[str]

    def value(self, option: str) -> str | None:
        """The value of an option, None if it was not given."""
        for position, word in enumerate(self.words):
            if word == option and position + 1 < len(self.words):
                return self.words[position + 1]
            if word.startswith(option + "="):
                return word.partition("=")[2]
        return None

    def has(self, option: str) -> bool:
        return any(word == option or word.startswith(option + "=") for word in self.words)

    def without(self, *options: str) -> list[str]:
        """The words of the command without these options and their values."""
        kept: list[str] = []
        skipping = False
        for word in self.words:
            name = word.partition("=")[0]
            if skipping:
                skipping = False
            elif name in options:
                skipping = name not in FLAGS_ALONE and "=" not in word
            else:
                kept.append(word)
        return kept

    def with_option(self, *words: str) -> str:
        """The command with an additional option, or a new value of it."""
        return shlex.join([*self.without(*SHOWN, words[0]), *words])

    @property
    def subject(self) -> str:
        """The first argument of the command: an equation or a file, which may follow options."""
        skipping = False
        for word in self.words[2:]:
            if skipping or (word.startswith("-") and word != "-"):
                skipping = not skipping and word not in FLAGS_ALONE and "=" not in word
            else:
                return word
        return "-"

    def of_equation(self, command: str, *kept: str, equation: str = "") -> str:
        """Another command for the same or a given equation, with the options of the equation and those in `kept`."""
        words = [equation or self.subject]
        for position, word in enumerate(self.words):
            if word.partition("=")[0] in (*KEPT_OF_AN_EQUATION, *kept):
                words += (
                    [word] if word in FLAGS_ALONE or "=" in word else [word, *self.words[position + 1 : position + 2]]
                )
        return shlex.join(["liestonet", command, *words])


def _after_discover(result: Result, found: DataFindings, typed: Typed) -> NextStep:
    """The next command: for doubtful data, else for undecided directions, else for symmetries not yet tested."""
    return (
        _doubtful(result, found, typed)
        or _undecided(result, found, typed)
        or _unasked(result, typed)
        or NextStep(typed.with_option("--symmetry", "fokker-planck"), "looks for symmetries of the density's equation")
    )


def _doubtful(result: Result, found: DataFindings, typed: Typed) -> NextStep | None:
    """The command for data that are not a diffusion on this clock or at this resolution."""
    codes = {flag.code for flag in result.flags}
    if "dependent" in codes:
        overview = found.surrogate.overview
        kept = independent_columns(overview.sample, overview.names)
        if kept and len(kept) < len(overview.names):
            return NextStep(typed.with_option("--state", ",".join(kept)), "leaves out functions of other coordinates")
    if changes_with_date(found) and not typed.has("--clock"):
        return _another_clock(found, typed)
    summary = found.data.summary
    if any(test.rejected for test in found.tests) and not typed.has("--periodic"):
        for name, turn in _driven_round(found):
            why = f"takes {name}, which winds through {number(turn.turns)} turns, as an angle"
            return NextStep(typed.with_option("--periodic", f"{name}={turn.text}"), why)
    if "positions-only" in codes and not typed.has("--order"):
        return NextStep(typed.with_option("--order", "2"), "treats the data as positions, and estimates velocities")
    memory = next((test.time for test in found.tests if test.rejected and test.time), None)
    if summary is not None and (memory or codes & CORRELATED):
        step, before = summary.step[1], int(typed.value("--thin") or 1)
        factor = max(2, math.ceil(memory / step)) if memory else FINEST_THINNING
        if summary.path_points[0] >= 20 * factor:
            why = "uses longer steps, whose errors are not correlated"
            return NextStep(typed.with_option("--thin", str(before * factor)), why)
    if any(test.rejected for test in found.tests):
        return NextStep(_look(typed), "shows the paths: no other tolerance or kind of symmetry makes this fit adequate")
    return None


def _driven_round(found: DataFindings) -> Iterator[tuple[str, Winding]]:
    """Coordinates that go round and round and are called like an angle, but were not taken as one."""
    overview = found.surrogate.overview
    for i, name in enumerate(overview.names):
        paths = [states[:, i] for _, states in found.data.paths]
        turn = winding(name, found.data.units.get(name), paths, np.abs(overview.sample.dx[:, i]))
        if turn is not None and 1 + i not in overview.domain.periodic:
            yield name, turn


def _another_clock(found: DataFindings, typed: Typed) -> NextStep:
    """The command for a law that depends on the date: its period as clock, or a report of how it changes."""
    period = None if found.clock is None or found.clock.date is None else found.clock.date.period
    if period is not None:
        return NextStep(typed.with_option("--clock", f"{period:.6g}"), "takes the phase of this period as the time")
    if typed.value("--out") is None and not typed.has("--report"):
        return NextStep(typed.with_option("--out", "run"), "writes a report that shows drift and noise by date")
    return NextStep(typed.with_option("--clock", "recorded"), "takes the date as the time, on which the law may depend")


def _undecided(result: Result, found: DataFindings, typed: Typed) -> NextStep | None:
    """The command for undecided directions: a tolerance at which the data decide, or else a look at the data."""
    open_ = [row for row in result.ladder if row.verdict == "undecided"]
    if not open_:
        return None
    upper = 1.05 * max(row.upper for row in open_)
    if upper <= LARGEST_TOLERANCE_ASKED:
        rounded = math.ceil(100 * upper) / 100
        why = (
            f"tests symmetry to within {number(100 * rounded)} %, which these data can decide; four times as many data "
            "would halve the intervals"
        )
        return NextStep(typed.with_option("--tolerance", number(rounded)), why)
    if typed.value("--symmetry") in (None, "ito") and found.surrogate.noise > 1:
        return NextStep(
            typed.with_option("--symmetry", "law"),
            "finds symmetries of the law, which do not depend on the choice of σ",
        )
    return NextStep(_look(typed), "shows what was recorded; four times as many data would halve the intervals")


def _look(typed: Typed) -> str:
    """The command that shows the recorded data."""
    words = typed.without(*SHOWN, "--symmetry", "--tolerance", "--error-rate", "--engine", "--dimension", "--discrete")
    words = Typed(words).without("--no-formulas", "--out", "--clock", "--noise", "--exposure", "--steps", "--order")
    words = Typed(words).without("--thin")
    words = Typed(words).without("--window", "--stride", "--restart-clock", "--log", "--periodic", "--all")
    words = Typed(words).without("--workers", "--scheduler")
    words[1] = "look"
    return shlex.join(words)


def _unasked(result: Result, typed: Typed) -> NextStep | None:
    """The command for another kind of symmetry, for maps, or for a validation."""
    n, noises = result.surrogate.dimension, result.surrogate.noise
    if result.symmetry == "ito" and n > 1 and noises > 1:
        return NextStep(typed.with_option("--symmetry", "law"), "also finds symmetries that rotate the noise")
    few = result.dimension < n + 2 and result.symmetry != "fokker-planck"
    if (
        few
        and n <= MOST_MAPPED
        and result.discrete is None
        and not (typed.has("--workers") or typed.has("--scheduler"))
    ):
        return NextStep(typed.with_option("--discrete"), "looks for mirrors and other discrete symmetries")
    if result.dimension and result.validation is None:
        folder = typed.value("--out")
        if folder is None:
            return NextStep(typed.with_option("--out", "run"), "writes a report, and a file for liestonet validate")
        run = f"{folder.rstrip('/')}/run.lsn"
        return NextStep(
            shlex.join(["liestonet", "validate", run]),
            "tests the generators: likelihood, paths moved along them, new fits",
        )
    return None


def _after_solve(result: Result, found: EquationFindings, typed: Typed) -> NextStep | None:
    """The command that uses the symmetries, or searches for others."""
    n, sde = result.surrogate.dimension, found.equation
    turning = _turning_coordinate(result, found)
    if turning and not typed.has("--periodic"):
        return NextStep(typed.with_option("--periodic", f"{turning}=2pi"), f"treats {turning} as an angle")
    if result.draw:
        return NextStep(typed.of_equation("classify"), "finds the parameters for which there are more symmetries")
    scalar = n == 1 and sde.noise == 1 and not sde.parameters
    if result.symmetry == "fokker-planck":
        known = scalar and result.dimension in (4, 6)
        why = "prints the transition density"
        return (
            NextStep(typed.of_equation("density"), why)
            if known
            else _another(typed, "ito", "finds the symmetries of the paths")
        )
    if result.symmetry == "random":
        return _another(typed, "ito", "finds the symmetries that do not depend on the noise")
    simple = any(row.status == "proved" and row.tau == 0 for row in result.closed_forms)
    if simple and not typed.has("--reduce") and result.symmetry == "ito":
        return NextStep(typed.with_option("--reduce"), "uses the symmetries: new coordinates, solution, martingales")
    if scalar and result.dimension in (2, 3):
        return NextStep(typed.of_equation("density"), "prints the transition density")
    if result.symmetry == "ito" and sde.noise > 1:
        return _another(typed, "law", "also finds symmetries that rotate the noise")
    if scalar and result.symmetry == "ito":
        return _another(typed, "random", "finds symmetries that depend on the noise itself")
    return _another(typed, "fokker-planck", "finds symmetries of the density's equation")


def _another(typed: Typed, kind: str, why: str) -> NextStep:
    return NextStep(Typed(typed.without("--reduce")).with_option("--symmetry", kind), why)


def _turning_coordinate(result: Result, found: EquationFindings) -> str:
    """A coordinate that occurs only in functions of period 2π and is not declared periodic; empty if there is none."""
    import sympy

    symbolic = found.equation.symbolic
    if symbolic is None or found.equation.periodic:
        return ""
    whole: list[Any] = [*sympy.Matrix(symbolic.drift), *sympy.Matrix(symbolic.diffusion)]
    for x in symbolic.state:
        parts = [part for part in whole if part.has(x)]
        turned = (sympy.expand(part.xreplace({x: x + 2 * sympy.pi}) - part) for part in parts)
        waves = any(part.atoms(sympy.sin, sympy.cos) for part in parts)
        if waves and all(difference == 0 for difference in turned):
            return str(x.name)
    return ""
