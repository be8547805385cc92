"""The classes that a file may hold: a fixed list, each under a name that stays the same when the class moves.

A class is a frozen dataclass or a named tuple. A new field with a default is stored without a change here; a new class
needs a line in `HOMES`.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

from liestonet.errors import InputError

HOMES = {
    "AfterPushRow": "liestonet.validation.after_push",
    "Algebra": "liestonet.algebra.structure",
    "Architecture": "liestonet.neural.settings",
    "Basis": "liestonet.symmetry.determining.basis",
    "Block": "liestonet.core.uncertainty",
    "Centre": "liestonet.validation.maps.discrete",
    "ChebyshevCoefficients": "liestonet.sde.chebyshev",
    "Cholesky": "liestonet.neural.coefficients.settings",
    "ClockFound": "liestonet.inference.clock",
    "CoefficientLayer": "liestonet.neural.coefficients.neural_surrogate:HiddenLayer",
    "CoefficientSettings": "liestonet.neural.coefficients.settings",
    "Constant": "liestonet.formulas.formula",
    "ConstantRate": "liestonet.neural.coefficients.settings:Constant",
    "Containment": "liestonet.validation.validate",
    "Coordinate": "liestonet.trajectories.summary:CoordinateSummary",
    "Cosine": "liestonet.neural.coefficients.settings",
    "DataFindings": "liestonet.result.findings",
    "DataRecord": "liestonet.trajectories.record",
    "DateFamily": "liestonet.inference.date_test",
    "DateTest": "liestonet.inference.date_test",
    "Diagonal": "liestonet.neural.coefficients.settings",
    "Discrete": "liestonet.validation.maps.discrete",
    "DiscreteRow": "liestonet.validation.maps.discrete",
    "Domain": "liestonet.core.domain",
    "EquationFindings": "liestonet.result.findings",
    "Errors": "liestonet.core.uncertainty",
    "Estimate": "liestonet.surrogate.regression",
    "Expansion": "liestonet.sde.polynomial",
    "Features": "liestonet.surrogate.features",
    "Fields": "liestonet.symmetry.determining.fields",
    "FitTest": "liestonet.inference.adequacy",
    "Flag": "liestonet.core.flags",
    "Form": "liestonet.neural.coefficients.coefficient_networks",
    "Formula": "liestonet.formulas.formula",
    "Frame": "liestonet.neural.frame:TrainingFrame",
    "Gaps": "liestonet.trajectories.gaps",
    "Gate": "liestonet.validation.lack_of_fit",
    "GeneratorRow": "liestonet.validation.ratio_test",
    "Group": "liestonet.validation.maps.groups",
    "History": "liestonet.neural.training",
    "Increments": "liestonet.trajectories.increments",
    "Invariance": "liestonet.validation.push_test",
    "InvarianceRow": "liestonet.validation.push_test",
    "LackOfFit": "liestonet.validation.lack_of_fit",
    "LadderRow": "liestonet.core.ladder",
    "Layer": "liestonet.neural.channels",
    "Level": "liestonet.surrogate.recording_errors",
    "Measurement": "liestonet.trajectories.measurement",
    "Misfit": "liestonet.validation.after_push",
    "Networks": "liestonet.neural.generator_networks",
    "Neural": "liestonet.neural.settings",
    "NeuralSurrogate": "liestonet.neural.coefficients.neural_surrogate",
    "NoiseShape": "liestonet.core.noise_shape",
    "Objective": "liestonet.neural.settings",
    "Optimizer": "liestonet.neural.settings",
    "Outlier": "liestonet.surrogate.outliers",
    "Overview": "liestonet.surrogate.overview",
    "Provenance": "liestonet.core.provenance",
    "RecordingErrors": "liestonet.surrogate.recording_errors",
    "Refit": "liestonet.inference.refit",
    "Result": "liestonet.result.result",
    "Rung": "liestonet.neural.sweep",
    "Running": "liestonet.neural.settings",
    "SensitivityRow": "liestonet.validation.sensitivity",
    "Standards": "liestonet.symmetry.statistical.verdicts:Criteria",
    "StoredEquation": "liestonet.storage.equation",
    "Summary": "liestonet.trajectories.summary",
    "Surrogate": "liestonet.surrogate.surrogate",
    "SymbolicCoefficients": "liestonet.sde.symbolic",
    "SymmetryTest": "liestonet.validation.ratio_test",
    "TrainingCloud": "liestonet.neural.settings:Cloud",
    "TrainingRecord": "liestonet.neural.training_record",
    "Validation": "liestonet.validation.validate",
}
# Of two classes with the same name, the second is stored under another name, and its home is "module:Class".
PLACES = {name: (home.partition(":")[0], home.partition(":")[2] or name) for name, home in HOMES.items()}
NAMES = {place: name for name, place in PLACES.items()}
# Fields with intermediate values that a stored result does not need.
LEFT_OUT = {"Block": {"folds"}, "Estimate": {"folds"}}


@dataclass(frozen=True)
class Stored:
    """A class that files may hold: its stored fields with their types, and which of them are required."""

    name: str
    made: Any
    types: dict[str, Any]
    required: frozenset[str]


class _ForTypeCheckers(dict[str, Any]):
    """Names that modules import only for type checking: SymPy, which is loaded if a field is an expression."""

    def __missing__(self, name: str) -> Any:
        if name != "sympy":
            raise KeyError(name)
        return import_module(name)


@cache
def stored_class(name: str) -> Stored | None:
    """The class stored under a name; None if a file may not hold it."""
    if name not in PLACES:
        return None
    module, kind = PLACES[name]
    made = getattr(_imported(module), kind)
    hints = get_type_hints(made, localns=_ForTypeCheckers(), include_extras=True)
    left = LEFT_OUT.get(name, set())
    if is_dataclass(made):
        kept = [field for field in fields(made) if not field.name.startswith("_") and field.name not in left]
        needed = [f.name for f in kept if f.default is MISSING and f.default_factory is MISSING]
        return Stored(name, made, {field.name: hints[field.name] for field in kept}, frozenset(needed))
    types = {field: hints[field] for field in made._fields}
    return Stored(name, made, types, frozenset(types.keys() - made._field_defaults.keys()))


def _imported(module: str) -> Any:
    """Import a module; if a package it needs is not installed, the error is one sentence."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if not module.startswith("liestonet.neural"):
            raise
        raise InputError(
            f"The file holds a result of the neural engine, which needs {missing.name}; install it with "
            "pip install 'liestonet[neural]'."
        ) from missing


def stored_class_of(value: Any) -> Stored | None:
    """The entry for a value's class; None if a file may not hold it."""
    name = NAMES.get((type(value).__module__, type(value).__name__))
    return None if name is None else stored_class(name)
