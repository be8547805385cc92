"""Settings of the neural engine: plain frozen values that print, save and load. Nothing here loads JAX."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liestonet.errors import InputError
from liestonet.neural.setting_checks import (
    ACTIVATIONS,
    as_tuple,
    is_finite,
    make_plain,
    require_between,
    require_choice,
    require_number,
    require_positive,
    require_truths,
    require_widths,
)

if TYPE_CHECKING:
    from liestonet.inference.engine import Discovered, Request

    Widths = tuple[int, ...]
    Whole = int
    Truth = bool
    Place = str | os.PathLike[str] | None
else:  # NumPy's numbers are accepted as well, and wrong values get this package's own message
    Widths = Whole = Truth = Place = object

# Series; networks with LieStoNet's settings; networks with the paper's, for an example or for the one that suits the
# data.
SURROGATES = ("spectral", "neural", "paper", "paper-1", "paper-2", "paper-3", "paper-4")


@dataclass(frozen=True)
class Architecture:
    """Hidden widths of the networks for τ, ξ and β, `tanh` or `swish`, separate networks or heads on shared layers.

    Initial weights are Gaussian with variance 1/inputs; `initial` is the law of the biases of hidden units: "scattered"
    (Gaussian, of size one half, so that units are nonlinear in different places) or "zero".
    """

    tau: Widths = (32, 32)
    xi: Widths = (64, 64)
    beta: Widths = (64, 64)
    activation: str = "tanh"
    shared: Truth = True
    initial: str = "scattered"

    def __post_init__(self) -> None:
        make_plain(self)
        require_choice("activation", self.activation, ACTIVATIONS)
        require_choice("initial law of biases", self.initial, ("scattered", "zero"))
        require_truths(self, "shared")
        for name in ("tau", "xi", "beta"):
            require_widths(self, name, f"widths of the {name} network")


@dataclass(frozen=True)
class Cloud:
    """Where the losses are evaluated.

    `source` is "data" (states of the recorded paths) or "simulated" (paths of the surrogate, flattened). `uniform` is
    the fraction of points drawn uniformly from the box, `points` the number of points (None: all). Simulated paths
    begin at states of the data in the first fraction `starts` of the time; with `clip` paths outside the box use the
    coefficients at its nearest point, `reflect` keeps them inside. With `oversample` > 1 as many times more paths are
    simulated, and a subset with even cover of `bins` in the first coordinate is selected. `floor` is the smallest value
    of the first coordinate.
    """

    source: str = "data"
    uniform: float = 0.5
    points: Whole | None = 8192
    trajectories: Whole = 256
    step: float | None = None
    reflect: Truth = False
    oversample: Whole = 1
    bins: Whole = 24
    floor: float | None = None
    starts: float = 0.02
    clip: Truth = True

    def __post_init__(self) -> None:
        make_plain(self)
        require_choice("source of the cloud", self.source, ("data", "simulated"))
        require_between("uniform part of the cloud", self.uniform, 0.0, 1.0)
        require_positive("number of trajectories", self.trajectories)
        require_positive("oversampling of trajectories", self.oversample)
        require_positive("number of bins", self.bins)
        require_between("part of time in which simulated paths begin", self.starts, 0.0, 1.0)
        require_truths(self, "reflect", "clip")
        if self.step is not None:
            require_number("step of simulated paths", self.step, above=0.0)
        if self.floor is not None:
            require_number("floor of the cloud", self.floor)
        if self.points is not None:
            require_positive("number of points", self.points)


@dataclass(frozen=True)
class Objective:
    """Weights of L1 … L9 and the forms of the losses that have several.

    `closure` is "global" (one set of structure constants) or "pointwise" (constants at each point with a penalty on
    their gradient, as the paper writes it). `independence` is "hinge" (singular values below `level`) or "determinant"
    (−log det(G + epsilon)). `flow` is ε of L7 and L9, integrated in `flow_steps` steps of Heun's method from the first
    `flow_points` of a batch (None: from all); `barrier` is the factor of the penalty on pushed time steps that are
    negative. `pushed_density` is "solution" (the pushed density still solves its equation) or "printed" (L9 as the
    paper prints it, which no symmetry but the trivial one satisfies). `ramp` is the fraction of training from which the
    weights of L1–L4 rise from zero (None: they are constant from the start, and the generators may be trapped in a
    wrong closed algebra). `decay` is the factor of the parameters' squares. L3 and L4, and their gradients, vanish
    identically with exact derivatives; they are evaluated only with `checks`. `ridge`, in units of the generators' mean
    squared length, keeps the fit of structure constants solvable while generators are dependent.
    """

    weights: tuple[float, ...] | Any = (1.0, 0.1, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0)
    closure: str = "global"
    independence: str = "hinge"
    level: float | Any = 0.8
    epsilon: float = 1e-6
    flow: float = 1e-2
    flow_steps: Whole = 1
    flow_points: Whole | None = None
    barrier: float = 1.0
    absolute: Truth = False
    pushed_density: str = "solution"
    ramp: float | None = 0.4
    decay: float = 0.0
    checks: Truth = False
    ridge: float = 1e-10

    def __post_init__(self) -> None:
        make_plain(self)
        weights = as_tuple(self, "weights", "weights", "nine of them, those of L1 to L9")
        if len(weights) != 9 or not all(is_finite(weight) and weight >= 0 for weight in weights):
            raise InputError(f"The weights are {weights!r}; give nine numbers, those of L1 to L9, none negative.")
        require_choice("form of the closure loss", self.closure, ("global", "pointwise"))
        require_choice("form of the independence loss", self.independence, ("hinge", "determinant"))
        require_choice("form of L9", self.pushed_density, ("solution", "printed"))
        require_positive("number of flow steps", self.flow_steps)
        for name in ("level", "epsilon", "flow"):
            require_number(f"{name} of the objective", getattr(self, name), above=0.0)
        for name in ("barrier", "decay", "ridge"):
            require_number(f"{name} of the objective", getattr(self, name), least=0.0)
        require_truths(self, "absolute", "checks")
        if self.ramp is not None:
            require_between("beginning of the ramp, a part of training,", self.ramp, 0.0, math.nextafter(1.0, 0.0))
        if self.flow_points is not None:
            require_positive("number of points of the flow", self.flow_points)

    def active(self, has_beta: bool) -> tuple[int, ...]:
        """Numbers of the losses with a weight: L6 and L7, or for Fokker–Planck L8 and L9 in their place."""
        mine = (1, 2, 3, 4, 5, 8, 9) if has_beta else (1, 2, 3, 4, 5, 6, 7)
        idle = () if self.checks else (3, 4)
        return tuple(number for number in mine if self.weights[number - 1] > 0 and number not in idle)


@dataclass(frozen=True)
class Optimizer:
    """Adam or AdamW with gradient clipping and a constant, cosine or warm-up–cosine rate."""

    name: str = "adam"
    rate: float | Any = 3e-3
    schedule: str = "cosine"
    warmup: float = 0.05
    final: float = 0.0
    clip: float = 1.0
    batch: Whole = 256
    steps: Whole = 3000

    def __post_init__(self) -> None:
        make_plain(self)
        require_choice("optimiser", self.name, ("adam", "adamw"))
        require_choice("schedule", self.schedule, ("constant", "cosine", "warmup-cosine"))
        require_number("rate of the optimiser", self.rate, above=0.0)
        if self.clip != math.inf:  # which clips nothing
            require_number("clip of the optimiser", self.clip, above=0.0)
        for name in ("warmup", "final"):
            require_between(f"{name} of the optimiser", getattr(self, name), 0.0, 1.0)
        require_positive("batch size", self.batch)
        require_positive("number of steps", self.steps)


@dataclass(frozen=True)
class Running:
    """How a run is monitored and stored: steps between reports, folder of checkpoints, file of losses.

    Learned coefficients are kept in the folder `surrogates`, which runs on the same data may share, by default in that
    of the checkpoints.
    """

    chunk: Whole = 250
    checkpoint: Place = None
    losses: Place = None
    surrogates: Place = None

    def __post_init__(self) -> None:
        make_plain(self)
        require_positive("number of steps between looks", self.chunk)
        for name in ("checkpoint", "losses", "surrogates"):
            place = getattr(self, name)
            if place is not None and (not isinstance(place, str | os.PathLike) or not str(place)):
                raise InputError(f"The place of {name} is {place!r}; give a path.")
            object.__setattr__(self, name, None if place is None else os.fspath(place))


GROUPS = {
    "architecture": Architecture,
    "cloud": Cloud,
    "objective": Objective,
    "optimizer": Optimizer,
    "running": Running,
}


@dataclass(frozen=True)
class Neural:
    """The neural engine for `discover`: generators as networks, trained on the losses of the paper.

    `Neural()` is the default for any data, `Neural.paper(…)` has the settings of the paper. `surrogate` is "spectral",
    "neural", or "paper-1" to "paper-4" for networks with the paper's settings. `shifts` takes ∂t and translations that
    the tests do not reject as exact before training, `scaled` trains in units of the box. `sweep` is the largest number
    of generators tried if the dimension is not given (None: the bound for noise of full rank, one more without it),
    `start` whether each training starts from the networks of the one before ("warm") or from new weights ("cold").
    `selection` chooses the number from the sweep: "jump" (the largest before the determining equations jump; verdicts
    on its directions then decide) or "paper" (the first non-trivial minimum of the closure loss L1, whatever the
    verdicts are). `polish` solves the last layer exactly on the learned features; `refit` imposes the span on the
    coefficients, if the likelihood does not reject it, and trains again with those; `compare` runs the spectral engine
    too and reports the angle between the two answers. `provenance` says for each setting of a preset whether the paper
    states it, contradicts itself, or gives no value.
    """

    architecture: Architecture | Any = field(default_factory=Architecture)
    cloud: Cloud | Any = field(default_factory=Cloud)
    objective: Objective | Any = field(default_factory=Objective)
    optimizer: Optimizer | Any = field(default_factory=Optimizer)
    running: Running | Any = field(default_factory=Running)
    surrogate: str = "spectral"
    shifts: Truth = True
    scaled: Truth = True
    sweep: Whole | None = None
    start: str = "warm"
    selection: str = "jump"
    polish: Truth = True
    refit: Truth = True
    compare: Truth = False
    name: str = "Neural()"
    provenance: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self) -> None:
        make_plain(self)
        for name, group in GROUPS.items():
            if not isinstance(getattr(self, name), group):
                raise InputError(f"The setting {name} is {getattr(self, name)!r}; give {group.__name__}(…).")
        require_truths(self, "shifts", "scaled", "polish", "refit", "compare")
        require_choice("surrogate", self.surrogate, SURROGATES)
        require_choice("start of a sweep", self.start, ("warm", "cold"))
        require_choice("selection of the number of generators", self.selection, ("jump", "paper"))
        if self.sweep is not None:
            require_positive("largest number of generators", self.sweep)

    @classmethod
    def paper(cls, example: int | str | Any = None, reading: str = "global") -> Neural:
        """The paper's settings with their sources: for Examples 1 to 4, "fokker-planck" or "brownian-10d".

        Without an example it is chosen for the data, by the number of coordinates and the noise. `reading` is the form
        of the closure loss L1, for which the paper has two: "global" (structure constants fitted once to all points) or
        "pointwise" (at each point, with a penalty on their gradient).
        """
        from liestonet.neural.presets import preset

        if example is not None:
            return preset(example, reading)
        like = preset(1, reading)
        given = "" if reading == "global" else f"reading={reading!r}"
        return replace(like, surrogate="paper", name=f"Neural.paper({given})", provenance=())

    def with_running(self, **changes: Any) -> Neural:
        """The settings with other options of `Running`."""
        return replace(self, running=replace(self.running, **changes))

    def discover(self, request: Request) -> Discovered:
        """Run the engine for `liestonet.discover`: from trajectories to directions with verdicts."""
        from liestonet.neural.availability import require_jax

        if angles := tuple(getattr(request.source, "periodic", ())):
            raise InputError(
                f"The neural engine has no periodic functions, and {', '.join(angles)} is periodic; use the spectral "
                "engine, or data without `periodic`."
            )
        require_jax()
        from liestonet.neural.engine import run
        from liestonet.neural.paper_choice import choose_preset

        if self.surrogate != "paper":
            return run(self, request)
        chosen, flag = choose_preset(self, request)
        found = run(chosen, request)
        return replace(found, notes=(*found.notes, flag))

    def to_dictionary(self) -> dict[str, Any]:
        """All settings as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dictionary(cls, values: Mapping[str, Any]) -> Neural:
        """Settings from the plain values of `to_dictionary`."""
        return _rebuilt(cls, values)

    def save(self, path: str | Path) -> None:
        """Write the settings as JSON."""
        try:
            Path(path).write_text(json.dumps(self.to_dictionary(), indent=2) + "\n", encoding="utf-8")
        except OSError as problem:
            raise InputError(f"The settings cannot be written to {str(path)!r}: {problem.strerror}.") from problem

    @classmethod
    def load(cls, path: str | Path) -> Neural:
        """Read settings that `save` wrote."""
        try:
            return cls.from_dictionary(json.loads(Path(path).read_text(encoding="utf-8")))
        except InputError:
            raise
        except (ValueError, TypeError, AttributeError, OSError) as problem:
            raise InputError(f"{str(path)!r} does not hold settings of the neural engine: {problem}.") from problem

    def __str__(self) -> str:
        """Every setting on a line, with its source if known; those of the surrogate follow its name."""
        if self.surrogate == "paper":
            return f"{self.name}: the paper's settings of the example that suits the data, known when they are given"
        known = {name: (status, note) for name, status, note in self.provenance}
        lines = [self.name]
        for name, value in _flat(self.to_dictionary()):
            if name in ("name", "provenance"):
                continue
            lines.append(_line(name, value, known))
            if name == "surrogate":
                lines += [_line(f"surrogate.{key}", value, known) for key, value in self._learning()]
        return "\n".join(lines)

    def _learning(self) -> list[tuple[str, Any]]:
        """Settings of the surrogate, if it is one of the paper's."""
        example = self.surrogate.removeprefix("paper-")
        if not example.isdigit():
            return []
        from liestonet.neural.coefficients.settings import PAPER

        learnt = PAPER[int(example)]
        return [(item.name, getattr(learnt, item.name)) for item in fields(learnt)]


def _line(name: str, value: Any, known: Mapping[str, tuple[str, str]]) -> str:
    """The line of one setting with its mark."""
    status, note = known.get(name, ("", ""))
    mark = f"  [{status}{': ' + note if note else ''}]" if status else ""
    return f"  {name} = {value!r}{mark}"


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested settings as dotted names."""
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return rows


def _rebuilt(cls: Any, values: Mapping[str, Any]) -> Any:
    """A settings value from plain ones; lists become tuples and inner groups their own classes."""
    unknown = set(values) - {item.name for item in fields(cls)}
    if unknown:
        raise InputError(f"{cls.__name__} has no setting {', '.join(sorted(unknown))}; leave it out.")
    inner = {
        name: _rebuilt(GROUPS[name], value) if name in GROUPS and isinstance(value, Mapping) else _tuples(value)
        for name, value in values.items()
    }
    return cls(**inner)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value
