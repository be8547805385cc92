"""A result as plain numbers, text and lists for JSON; docs/json.md describes every key."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.formulas.formula import Formula
from liestonet.inference.adequacy import FitQuality
from liestonet.inference.clock import ClockFound
from liestonet.result.findings import DataFindings, EquationFindings, Measured

if TYPE_CHECKING:
    from liestonet.result.result import Result

SCHEMA = "liestonet.result/1"
# Coefficients of a series below this fraction of its largest count as rounding.
ROUNDING = 1e-13


def dictionary_of(result: Result) -> dict[str, Any]:
    """The result as plain numbers, text and lists, ready for JSON."""
    found, variables = result.findings, ("t", *result.names)
    plain = {
        "schema": SCHEMA,
        "symmetry": result.symmetry,
        "dimension": result.dimension,
        "bound": result.bound,
        "gap": result.gap,
        "equation": str(result.surrogate),
        "names": list(result.names),
        "draws": list(found.draws) if isinstance(found, EquationFindings) else [],
        "domain": {
            "chosen": result.domain.chosen,
            "chosen_for": [variables[i] for i in result.domain.picked],
            "intervals": {name: list(pair) for name, pair in zip(variables, result.domain.intervals, strict=True)},
            "singular": {
                name: [coordinate.below, coordinate.above]
                for name, coordinate in zip(variables, result.domain.coordinates, strict=True)
            },
            "periodic": result.domain.named_periods(result.names),
            "noise_shapes": {
                name: vars(shape)
                for name, shape in zip(variables, result.fields.basis.domain.shapes or (), strict=False)
                if shape is not None
            },
        },
        "ladder": [vars(row) for row in result.ladder],
        "generators": [_generator(result, i) for i in range(result.fields.count)],
        "formulas": [_formula(formula, result.names) for formula in result.closed_forms],
        "algebra": {
            "name": result.algebra.name,
            "structure_constants": result.algebra.structure_constants.tolist(),
            "closure": result.algebra.closure,
            "jacobi": result.algebra.jacobi,
        },
        "flags": [vars(flag) for flag in result.flags],
    }
    if found.discrete is not None:
        plain["discrete"] = found.discrete.to_dictionary()
    return plain_values(plain | _estimated(found) if isinstance(found, DataFindings) else plain)


def _estimated(found: DataFindings) -> dict[str, Any]:
    """The entries that only a result from data has."""
    refit = found.refit
    return {
        "law_dimension": found.law_dimension,
        "standards": vars(found.criteria),
        "refit": None
        if refit is None
        else {
            "deviance": refit.deviance,
            "degrees_of_freedom": refit.degrees_of_freedom,
            "p_value": refit.p_value,
            "converged": refit.converged,
            "held_out": refit.held_out,
            "held_out_error": refit.held_out_error,
        },
        "data": found.data.to_dictionary(),
        "measurement": _measured(found.measured),
        "fit_quality": _fit_quality(found.fit_quality),
    } | ({} if found.training is None else {"training": found.training.to_dictionary()})


def _measured(measured: Measured) -> dict[str, Any]:
    """Errors of the points and exposure, if they were modelled, and the clock."""
    noise, exposure = measured.noise, measured.exposure
    return {
        "noise": None if noise is None else {name: asdict(level) for name, level in noise.items()},
        "exposure": None if exposure is None else asdict(exposure),
        "steps": measured.steps,
        "order": measured.order,
        "clock": _clock(measured.clock),
        "each": [{name: _measured(one)[name] for name in ("noise", "exposure")} for one in measured.each],
    }


def _fit_quality(quality: FitQuality) -> dict[str, Any]:
    """Whether the fit is adequate, and every test."""
    names = ("p_value", "misfit", "offsets", "memory", "resolution", "rejected")
    tests = [{**asdict(test), "rejected": test.rejected} for test in quality.tests]
    return {name: getattr(quality, name) for name in names} | {"tests": tests}


def _clock(clock: ClockFound) -> dict[str, Any]:
    """The clock of the data, and the test whether the law depends on the date."""
    date = clock.date
    return {
        "kind": clock.kind,
        "window": clock.window,
        "relaxation": clock.relaxation,
        "automatic": clock.automatic,
        "p_value": clock.p_value,
        "date": None
        if date is None
        else {
            "rejected": date.rejected,
            "level": date.level,
            "period": date.period,
            "tests": {family.against: family.p_value for family in date.families},
            "dates": date.dates.tolist(),
            "coefficients": {
                label: {"values": date.values[:, k].tolist(), "errors": date.errors[:, k].tolist()}
                for k, label in enumerate(date.labels)
            },
        },
    }


def _formula(formula: Formula, names: tuple[str, ...]) -> dict[str, Any]:
    """One closed form as text and as LaTeX; only the status if there is no formula."""
    from liestonet.formulas.notation import field_latex, field_text

    if formula.status == "numerical":
        return {"status": formula.status}
    return {
        "status": formula.status,
        "error": formula.error,
        "tau": str(formula.tau),
        "xi": [str(component) for component in formula.xi],
        "beta": str(formula.beta),
        "constants": [
            {"symbol": str(row.symbol), "value": row.value, "uncertainty": row.uncertainty} for row in formula.constants
        ],
        "text": field_text(formula, names),
        "latex": field_latex(formula, names),
    }


def _generator(result: Result, i: int) -> dict[str, Any]:
    """One generator as coefficients of basis functions: products of polynomials, or of sines and cosines."""
    fields, basis = result.fields, result.fields.basis
    labels = ["tau", *(f"xi_{name}" for name in result.names), *(["beta"] if fields.has_beta else [])]
    parts: dict[str, Any] = {}
    for unknown, label in enumerate(labels):
        values = fields.coefficients[basis.columns(unknown), i] * basis.scales[unknown]
        kept = np.abs(values) > ROUNDING * max(np.max(np.abs(values), initial=0.0), np.finfo(float).tiny)
        parts[label] = {"degrees": basis.degrees[unknown][kept].tolist(), "coefficients": values[kept].tolist()}
    return parts


def plain_values(value: Any) -> Any:
    """The value in JSON's types at all levels; infinity and not-a-number become text."""
    if isinstance(value, dict):
        return {key: plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
