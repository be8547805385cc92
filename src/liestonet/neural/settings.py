"""Settings of the neural engine: plain frozen values that print, save and load. Nothing here loads JAX."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from liestonet.errors import InputError

Widths = tuple[int, ...]
# Series; networks with our settings; networks with the paper's settings of an example.
SURROGATES = ("spectral", "neural", "paper-1", "paper-2", "paper-3", "paper-4")


@dataclass(frozen=True)
class Architecture:
    """Hidden widths of the networks for τ, ξ and β, `tanh` or `swish`, separate networks or heads on shared layers."""

    tau: Widths = (32, 32)
    xi: Widths = (64, 64)
    beta: Widths = (64, 64)
    activation: str = "tanh"
    shared: bool = True

    def __post_init__(self) -> None:
        _choice("activation", self.activation, ("tanh", "swish"))
        for name in ("tau", "xi", "beta"):
            widths = getattr(self, name)
            if not widths or any(not isinstance(w, int) or w < 1 for w in widths):
                raise InputError(f"The widths of the {name} network are {widths!r}; give at least one positive number.")


@dataclass(frozen=True)
class Cloud:
    """Where the losses are evaluated.

    `source` is "data" (states of the recorded paths) or "simulated" (paths of the surrogate, flattened). `uniform` is
    the part of points drawn uniformly from the box, `points` how many there are (None: all). `reflect` keeps simulated
    paths in the box, `oversample` > 1 simulates so many times more and selects an even cover of `bins` in the first
    coordinate. `floor` is the smallest value of the first coordinate.
    """

    source: str = "data"
    uniform: float = 0.5
    points: int | None = 8192
    trajectories: int = 256
    step: float | None = None
    reflect: bool = False
    oversample: int = 1
    bins: int = 24
    floor: float | None = None

    def __post_init__(self) -> None:
        _choice("source of the cloud", self.source, ("data", "simulated"))
        _between("uniform part of the cloud", self.uniform, 0.0, 1.0)
        _positive("number of trajectories", self.trajectories)
        _positive("oversampling of trajectories", self.oversample)
        if self.points is not None:
            _positive("number of points", self.points)


@dataclass(frozen=True)
class Objective:
    """Weights of L1 … L9 and the forms of the losses that have several.

    `closure` is "global" (one set of structure constants) or "pointwise" (constants at each point, and the penalty
    that they be constant, as the paper writes it). `independence` is "hinge" (singular values below `level`) or
    "determinant" (−log det(G + epsilon)). `flow` is ε of L7 and L9, made in `flow_steps` steps of Heun's method from
    the first `flow_points` of a batch (None: from all); `barrier` the factor of the penalty on pushed time steps that
    turn negative. `pushed_density` is "solution" (the pushed density still solves its equation) or "printed" (L9 as
    the paper prints it, which no symmetry but the trivial one satisfies). `ramp`: from this part of training on the
    weights of L1–L4 rise from zero (None: they are there from the start, and a wrong algebra that closes may hold the
    generators). `decay` is the factor of the parameters' squares. L3 and L4 vanish identically with exact derivatives,
    gradients and all; they are evaluated only with `checks`.
    """

    weights: tuple[float, ...] = (1.0, 0.1, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0)
    closure: str = "global"
    independence: str = "hinge"
    level: float = 0.8
    epsilon: float = 1e-6
    flow: float = 1e-2
    flow_steps: int = 1
    flow_points: int | None = None
    barrier: float = 1.0
    absolute: bool = False
    pushed_density: str = "solution"
    ramp: float | None = 0.4
    decay: float = 0.0
    checks: bool = False

    def __post_init__(self) -> None:
        if len(self.weights) != 9 or any(not isinstance(w, int | float) or w < 0 for w in self.weights):
            raise InputError(f"The weights are {self.weights!r}; give nine numbers, those of L1 to L9, none negative.")
        _choice("form of the closure loss", self.closure, ("global", "pointwise"))
        _choice("form of the independence loss", self.independence, ("hinge", "determinant"))
        _choice("form of L9", self.pushed_density, ("solution", "printed"))
        _positive("number of flow steps", self.flow_steps)
        if self.flow_points is not None:
            _positive("number of points of the flow", self.flow_points)

    def active(self, has_beta: bool) -> tuple[int, ...]:
        """Numbers of the losses with a weight: L6 and L7, or for Fokker–Planck L8 and L9 in their place."""
        mine = (1, 2, 3, 4, 5, 8, 9) if has_beta else (1, 2, 3, 4, 5, 6, 7)
        idle = () if self.checks else (3, 4)
        return tuple(number for number in mine if self.weights[number - 1] > 0 and number not in idle)


@dataclass(frozen=True)
class Optimizer:
    """Adam or AdamW behind a clipped gradient, with a constant, cosine or warm-up–cosine rate."""

    name: str = "adam"
    rate: float = 3e-3
    schedule: str = "cosine"
    warmup: float = 0.05
    final: float = 0.0
    clip: float = 1.0
    batch: int = 256
    steps: int = 3000

    def __post_init__(self) -> None:
        _choice("optimiser", self.name, ("adam", "adamw"))
        _choice("schedule", self.schedule, ("constant", "cosine", "warmup-cosine"))
        for name in ("rate", "clip"):
            if not getattr(self, name) > 0:
                raise InputError(f"The {name} of the optimiser is {getattr(self, name)!r}; give a positive number.")
        _positive("batch size", self.batch)
        _positive("number of steps", self.steps)


@dataclass(frozen=True)
class Running:
    """How a run is watched and kept: steps between looks, folder of checkpoints, file of losses."""

    chunk: int = 250
    checkpoint: str | None = None
    losses: str | None = None

    def __post_init__(self) -> None:
        _positive("number of steps between looks", self.chunk)


@dataclass(frozen=True)
class Neural:
    """The neural engine for `discover`: generators as networks, trained on the losses of the paper.

    `Neural()` is our default for any data, `Neural.paper(…)` what the paper did. `surrogate` is "spectral", "neural",
    or "paper-1" to "paper-4" for networks with the paper's settings. `shifts` takes ∂t and translations that the data
    do not exclude as exact before training, `scaled` trains in units of the box. `sweep` is the largest number of
    generators tried where none is given (None: what noise of full rank allows, one more without it). `polish` solves
    the last layer exactly on the learned features; `refit` imposes the span on the coefficients, where the likelihood
    allows it, and trains on with those; `compare` runs the spectral engine too and reports the angle between
    the two answers. `provenance` says for each setting of a preset whether the paper states it, contradicts itself, or
    leaves it to be inferred.
    """

    architecture: Architecture = field(default_factory=Architecture)
    cloud: Cloud = field(default_factory=Cloud)
    objective: Objective = field(default_factory=Objective)
    optimizer: Optimizer = field(default_factory=Optimizer)
    running: Running = field(default_factory=Running)
    surrogate: str = "spectral"
    shifts: bool = True
    scaled: bool = True
    sweep: int | None = None
    polish: bool = True
    refit: bool = True
    compare: bool = False
    name: str = "Neural()"
    provenance: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self) -> None:
        _choice("surrogate", self.surrogate, SURROGATES)
        if self.sweep is not None:
            _positive("largest number of generators", self.sweep)

    @classmethod
    def paper(cls, example: int | str) -> Neural:
        """The paper's settings of Examples 1 to 4, "fokker-planck" or "brownian-10d", each with where it is from."""
        from liestonet.neural.presets import preset

        return preset(example)

    def with_running(self, **changes: Any) -> Neural:
        """The same with other ways of watching and keeping the run."""
        return replace(self, running=replace(self.running, **changes))

    def discover(self, request: Any) -> Any:
        """What `liestonet.discover` calls: from trajectories to a result."""
        from liestonet.neural.availability import require_jax

        require_jax()
        from liestonet.neural.engine import run

        return run(self, request)

    def to_dictionary(self) -> dict[str, Any]:
        """All settings as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dictionary(cls, values: Mapping[str, Any]) -> Neural:
        """Settings from what `to_dictionary` gave."""
        return _rebuilt(cls, values)

    def save(self, path: str | Path) -> None:
        """Write the settings as JSON."""
        Path(path).write_text(json.dumps(self.to_dictionary(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Neural:
        """Read settings that `save` wrote."""
        try:
            return cls.from_dictionary(json.loads(Path(path).read_text(encoding="utf-8")))
        except (json.JSONDecodeError, TypeError, OSError) as problem:
            raise InputError(f"{str(path)!r} does not hold settings of the neural engine: {problem}.") from problem

    def __str__(self) -> str:
        """Every setting on a line, with where it is from where that is known."""
        known = {name: (status, note) for name, status, note in self.provenance}
        lines = [self.name]
        for name, value in _flat(self.to_dictionary()):
            if name in ("name", "provenance") or value is None:
                continue
            status, note = known.get(name, ("", ""))
            mark = f"  [{status}{': ' + note if note else ''}]" if status else ""
            lines.append(f"  {name} = {value!r}{mark}")
        return "\n".join(lines)


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested settings as dotted names."""
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return rows


def _rebuilt(cls: Any, values: Mapping[str, Any]) -> Any:
    """A settings value from plain ones; lists become tuples and inner groups their own classes."""
    known, hints = {item.name for item in fields(cls)}, get_type_hints(cls)
    unknown = set(values) - known
    if unknown:
        raise InputError(f"{cls.__name__} has no setting {', '.join(sorted(unknown))}; leave it out.")
    inner = {
        name: _rebuilt(hints[name], value)
        if is_dataclass(hints[name]) and isinstance(value, Mapping)
        else _tuples(value)
        for name, value in values.items()
    }
    return cls(**inner)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value


def _choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"The {what} is {value!r}; choose one of {', '.join(choices)}.")


def _positive(what: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"The {what} is {value!r}; give a whole number, at least 1.")


def _between(what: str, value: object, low: float, high: float) -> None:
    if not (isinstance(value, int | float) and low <= value <= high):
        raise InputError(f"The {what} is {value!r}; give a number from {low:g} to {high:g}.")
