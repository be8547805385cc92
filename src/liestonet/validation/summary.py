"""A validation as text for the terminal and as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np

from liestonet.validation.after_push import Misfit
from liestonet.validation.validate import Validation


def tables(validation: Validation) -> list[str]:
    """All numbers behind the sentences, one line each, in columns."""
    lines = ["check of the data        p-value   size"]
    lines += [f"  {gate.name:<21}  {gate.p_value:7.2g}  {gate.size:6.3f}" for gate in validation.gates.gates]
    if validation.invariance is not None:
        lines += ["", "pushed by   generator     ΔNLL   random pushes        p: ΔNLL    KS  energy"]
        for row in validation.invariance.rows:
            control = np.median(np.abs(row.control)) if row.control else math.nan
            lines.append(
                f"  {row.epsilon:<8g}  {row.generator + 1:>9}  {row.delta_nll:+7.4f}  {control:14.4f}  "
                f"{row.p_delta_nll:12.2f}  {row.p_kolmogorov_smirnov:4.2f}  {row.p_energy:6.2f}"
            )
    if validation.after_push:
        lines += ["", "refit after  generator   drift: pushed   floor  control   diffusion: pushed   floor  control"]
        for row in validation.after_push:
            numbers = [_pair(part) for part in (row.residual, row.floor, row.control)]
            drift, diffusion = ("  ".join(f"{pair[i]:>7}" for pair in numbers) for i in (0, 1))
            lines.append(
                f"  {row.epsilon:<9g}  {row.generator + 1:>9}  {drift:>31}  {diffusion:>35}  {row.note}".rstrip()
            )
    if validation.sensitivity:
        lines += ["", "surrogate changed by        angle   residual  bound"]
        lines += [
            f"  {row.amplitude:<6g} {row.shape:<15} {row.angle:8.2f}°  {row.residual:8.3f}  {row.bound:5.2f}"
            for row in validation.sensitivity
        ]
    if validation.containment is not None:
        angles = ", ".join(f"{angle:.2f}°" for angle in validation.containment.angles)
        lines += ["", f"outside the Fokker–Planck generators by {angles}; lift β = −div ξ: p = "
                      f"{validation.containment.lift_p_value:.2g}"]  # fmt: skip
    return lines


def _pair(misfit: Misfit | None) -> tuple[str, str]:
    return ("–", "–") if misfit is None else (f"{misfit.drift:.1e}", f"{misfit.diffusion:.1e}")


def to_json(validation: Validation) -> str:
    """All numbers of a validation, with the sentences."""
    plain = {"sentences": validation.sentences(), "conditional": validation.conditional, **asdict(validation)}
    return json.dumps(_plain(plain), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """The same in values that JSON has; what is not finite becomes text."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
