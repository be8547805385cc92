"""A validation as text for the terminal and as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from textwrap import wrap
from typing import Any

import numpy as np

from liestonet.core.p_values import p_clause
from liestonet.validation.after_push import AfterPushRow, Misfit
from liestonet.validation.lack_of_fit import Gate
from liestonet.validation.validate import Validation

WIDTH = 80
# The property tested by each check of the data.
CHECKS = {
    "markov": "steps uncorrelated (Markov)",
    "gaussian": "steps Gaussian",
    "halves": "halves of the paths agree",
}
# Explanations of the tables.
PUSHED = (
    "Paths moved along each generator by a fraction of the box: ΔNLL is the change",
    "of the negative log-likelihood per increment (0 for a symmetry), beside that of",
    "random fields; p-values of ΔNLL, of a Kolmogorov–Smirnov (KS) and an energy",
    "distance, and of the three together",
)
REFITTED = (
    "Drift and diffusion fitted to moved paths: mean squared misfit, beside that of",
    "paths that were not moved (floor) and that of a random field (control)",
)
PERTURBED = (
    "Drift and diffusion changed on purpose, by a fraction of their size: angle to",
    "the generators found then, and residual of the present ones, at most the bound",
)


def tables(validation: Validation) -> list[str]:
    """All numbers behind the sentences, as tables with explained columns, line by line."""
    lines = ["Are the data a diffusion?", "check                          p-value   size"]
    lines += [_gate_line(gate) for gate in validation.gates.gates]
    if validation.invariance is not None:
        lines += ["", *PUSHED, "pushed by  generator     ΔNLL  random push   p: ΔNLL    KS  energy  together"]
        for row in validation.invariance.rows:
            control = np.median(np.abs(row.control)) if row.control else math.nan
            lines.append(
                f"  {row.epsilon:<7g}  {row.generator + 1:>9}  {row.delta_nll:+7.4f}  {control:11.4f}  "
                f"{row.p_delta_nll:8.2f}  {row.p_kolmogorov_smirnov:4.2f}  {row.p_energy:6.2f}  {row.p_value:8.2f}"
            )
        for k, p_value in enumerate(validation.invariance.p_values):
            lines.append(f"  all pushes of generator {k + 1} together: {p_clause(p_value)}")
    if validation.after_push:
        lines += ["", *REFITTED, "refit after  generator  misfit of     pushed     floor   control"]
        for row in validation.after_push:
            lines += _refit_lines(row)
    if validation.sensitivity:
        lines += ["", *PERTURBED, "perturbation                angle   residual  bound"]
        lines += [
            f"  {row.amplitude:<6g} {row.shape:<15} {row.angle:8.2f}°  {row.residual:8.3f}  {row.bound:5.2f}"
            for row in validation.sensitivity
        ]
    if validation.containment is not None:
        angles = ", ".join(f"{angle:.2f}°" for angle in validation.containment.angles)
        told = f"angles to the Fokker–Planck span: {angles}; {validation.containment.lift}"
        lines += ["", *wrap(told, WIDTH, subsequent_indent="  ")]
    return lines


def _gate_line(gate: Gate) -> str:
    """A line on one check of the data and its outcome."""
    numbers = f"{gate.p_value:7.2g}  {gate.size:6.3f}" if gate.tested else f"{'–':>7}  {'–':>6}"
    return f"  {CHECKS[gate.name]:<27}  {numbers}  {gate.outcome}"


def _refit_lines(row: AfterPushRow) -> list[str]:
    """Drift and diffusion of one refit, or why there is none."""
    start = f"  {row.epsilon:<9g}  {row.generator + 1:>9}  "
    if row.residual is None:
        return wrap(start + row.note, WIDTH, subsequent_indent=" " * len(start))
    numbers = [_pair(part) for part in (row.residual, row.floor, row.control)]
    return [
        f"{start if i == 0 else ' ' * len(start)}{name:<9}  " + "  ".join(f"{pair[i]:>8}" for pair in numbers)
        for i, name in enumerate(("drift", "diffusion"))
    ]


def _pair(misfit: Misfit | None) -> tuple[str, str]:
    return ("–", "–") if misfit is None else (f"{misfit.drift:.1e}", f"{misfit.diffusion:.1e}")


def to_json(validation: Validation) -> str:
    """All numbers of a validation, with the sentences."""
    plain = {"sentences": validation.sentences(), "conditional": validation.conditional, **asdict(validation)}
    return json.dumps(_plain(plain), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """The value in JSON's types; numbers that are not finite become text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
