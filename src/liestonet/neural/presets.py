"""The paper's settings for each example, with the source and the reason of each setting.

*stated*: the paper states it without contradiction. *conflicting*: it states two values; both are named, and which was
taken. *unstated*: it gives no value, and this one was taken. Choices follow from the text alone, not from results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from liestonet.core.numbers import is_whole
from liestonet.errors import InputError
from liestonet.neural.coefficients.settings import PAPER
from liestonet.neural.settings import Architecture, Cloud, Neural, Objective, Optimizer

STATED, CONFLICTING, UNSTATED = "stated", "conflicting", "unstated"
READINGS = ("global", "pointwise")
Provenance = dict[str, tuple[str, str]]

_SMALL = {"tau": (32, 32), "xi": (64, 64), "beta": (64, 64), "activation": "tanh", "shared": False}
_DEEP = {"tau": (64, 64, 64), "xi": (64, 64, 64), "beta": (64, 64, 64), "activation": "swish", "shared": False}
_FIXED = {"name": "adam", "rate": 1e-4, "schedule": "constant", "clip": 1.0, "steps": 3000}
_FORMS: dict[str, Any] = {
    "independence": "hinge", "level": 0.8, "flow": 1e-2, "flow_steps": 1, "flow_points": 256,
    "pushed_density": "printed", "decay": 1e-6,
}  # fmt: skip
_DENSITY = (1.0, 0.1)  # weights of L8 and L9: those of L6 and L7, whose places they take

_NOTHING = "nothing like it is mentioned"
_NETWORKS = "table of architectures"
_OPTIMISATION = "table of stage-2 optimisation"
_LOSSES = "list of stage-2 loss terms"

_CLOSURE = {
    "global": (
        CONFLICTING,
        "for constants fitted once to all points: the heading (closure + constancy, fixed), L2, which uses the same c "
        "without a mean over points, the cost O(B(m D1 + m²)) without second derivatives, which a gradient of c needs, "
        "and a time between those of L3 and L6; for constants at each point: c(t, x) and its gradient, as printed",
    ),
    "pointwise": (
        CONFLICTING,
        "for constants at each point: c(t, x) and its gradient, as printed; for one fit to all points: the heading "
        "(closure + constancy, fixed), the form of L2, the stated cost, and the time",
    ),
}

# Settings common to all presets.
_COMMON: Provenance = {
    "surrogate": (STATED, "setting by setting below"),
    "shifts": (UNSTATED, _NOTHING),
    "scaled": (UNSTATED, "no scaling of the generators' inputs is mentioned; that of the surrogate's is"),
    "polish": (UNSTATED, _NOTHING),
    "refit": (UNSTATED, _NOTHING),
    "sweep": (STATED, "m = 1, 2, … within the bound n + 2 of noise of full rank"),
    "start": (STATED, "the overview: increase m and repeat generator learning"),
    "selection": (
        CONFLICTING,
        "overview and prices: the first (non-trivial) minimum of L1; text and figure: its minimum. L1 of one generator "
        "is an empty sum, so that m = 1 is the trivial one",
    ),
    "architecture.tau": (STATED, _NETWORKS),
    "architecture.xi": (STATED, _NETWORKS),
    "architecture.activation": (STATED, _NETWORKS),
    "architecture.shared": (
        CONFLICTING,
        "appendix: each generator uses separate networks, in code; text: multi-head networks",
    ),
    "architecture.beta": (UNSTATED, "the β network is mentioned without a size; as ξ"),
    "architecture.initial": (
        UNSTATED,
        "no initialisation is mentioned; weights are drawn with variance 1/inputs, biases with variance 1/4",
    ),
    "cloud.source": (STATED, "training point cloud for stage 2"),
    "cloud.uniform": (STATED, "training point cloud for stage 2"),
    "cloud.points": (STATED, "all points are kept"),
    "cloud.trajectories": (STATED, _NETWORKS),
    "cloud.step": (UNSTATED, "the data's own step; the number of points agrees"),
    "cloud.reflect": (STATED, _OPTIMISATION),
    "cloud.oversample": (STATED, _OPTIMISATION),
    "cloud.bins": (UNSTATED, "the number of bins has no value, and without oversampling none is needed"),
    "cloud.floor": (STATED, "none is mentioned except for Example 4"),
    "cloud.starts": (UNSTATED, "where simulated paths begin; here at the data's earliest states"),
    "cloud.clip": (STATED, "training point cloud for stage 2: where there is reflection, and nowhere else"),
    "objective.weights": (STATED, f"{_OPTIMISATION}; w8 and w9 are those of L6 and L7, whose places they take"),
    "objective.independence": (
        CONFLICTING,
        "text: −log det(G + ε); appendix: mode sigma with tau = 0.8, taken as a hinge on the singular values",
    ),
    "objective.level": (STATED, "s5_tau"),
    "objective.epsilon": (UNSTATED, "ε of the determinant has no value; the hinge does without"),
    "objective.flow": (STATED, "s7_eps"),
    "objective.flow_steps": (STATED, "s7_steps"),
    "objective.flow_points": (UNSTATED, "subsampled trajectory points without a number; chosen for cost"),
    "objective.barrier": (UNSTATED, "λ_Δt has no value"),
    "objective.absolute": (STATED, "squared residuals"),
    "objective.pushed_density": (STATED, "L9 as printed, though true symmetries do not satisfy it"),
    "objective.ramp": (STATED, _LOSSES),
    "objective.decay": (STATED, "weight_decay of the generators"),
    "objective.checks": (UNSTATED, "L3 and L4 vanish identically with exact derivatives and are not evaluated"),
    "objective.ridge": (UNSTATED, "how the fit is kept solvable is not mentioned"),
    "optimizer.name": (STATED, _OPTIMISATION),
    "optimizer.rate": (STATED, _OPTIMISATION),
    "optimizer.schedule": (STATED, _OPTIMISATION),
    "optimizer.warmup": (STATED, "no schedule except in Example 4"),
    "optimizer.final": (STATED, "no schedule except in Example 4"),
    "optimizer.clip": (STATED, _OPTIMISATION),
    "optimizer.batch": (STATED, _OPTIMISATION),
    "optimizer.steps": (STATED, _OPTIMISATION),
}
_SUMMARY, _STAGE_1 = "summary of surrogates", "table of stage-1 optimisation"
_SURROGATE: Provenance = {
    "structure": (STATED, _SUMMARY),
    "widths": (STATED, _SUMMARY),
    "activation": (STATED, _SUMMARY),
    "time_dependent": (STATED, "inputs of the increment dataset"),
    "skip": (STATED, _SUMMARY),
    "scale_outputs": (STATED, "inputs are z-scored, outputs are not"),
    "floor": (STATED, _SUMMARY),
    "steps": (STATED, _STAGE_1),
    "batch": (STATED, _STAGE_1),
    "schedule": (STATED, _STAGE_1),
    "clip": (STATED, "none is mentioned except for Example 4"),
    "weight_decay": (STATED, _STAGE_1),
    "held_out": (UNSTATED, f"{_NOTHING}: the last weights are taken"),
    "check_every": (UNSTATED, "steps between two looks; without early stopping it decides nothing"),
    "patience": (UNSTATED, f"early stopping: {_NOTHING}"),
    "polish": (UNSTATED, _NOTHING),
    "start": (UNSTATED, "no initialisation is mentioned; all weights are drawn, so that no coefficient is suggested"),
    "every_noise": (STATED, "one σ for each coordinate"),
    "inside": (STATED, "all increments of the full trajectory bank"),
}


@dataclass(frozen=True)
class _Experiment:
    """The settings in which the paper's experiments differ, with the marks that differ from the common ones."""

    name: int | str
    surrogate: int
    architecture: dict[str, Any]
    cloud: Cloud
    weights: tuple[float, ...]
    optimizer: dict[str, Any]
    marks: Provenance = field(default_factory=dict)
    ramp: float | None = None
    flow_points: int | None = None
    left_out: str = ""  # the reason why the paper states none of this

    def settings(self, reading: str) -> Neural:
        """All settings with their sources."""
        forms: dict[str, Any] = _FORMS | ({} if self.flow_points is None else {"flow_points": self.flow_points})
        pointwise = reading == "pointwise"
        # the fit at each point is singular at some points, and only a ridge bounds it
        objective = Objective(
            weights=(*self.weights, *_DENSITY),
            ramp=self.ramp,
            closure=reading,
            ridge=1e-3 if pointwise else 1e-10,
            **forms,
        )
        given = [repr(self.name)] if self.name else []
        given += [f"reading={reading!r}"] if pointwise else []
        made = Neural(
            architecture=Architecture(**self.architecture),
            cloud=self.cloud,
            objective=objective,
            optimizer=Optimizer(**self.optimizer),
            surrogate=f"paper-{self.surrogate}",
            shifts=False,
            scaled=False,
            start="cold",
            selection="paper",
            polish=False,
            refit=False,
            name=f"Neural.paper({', '.join(given)})",
        )
        return replace(made, provenance=tuple((name, *self._mark(name, reading)) for name in _names(made)))

    def _mark(self, name: str, reading: str) -> tuple[str, str]:
        group, _, setting = name.partition(".")
        known = {f"{group}.{key}": mark for key, mark in _SURROGATE.items()} if group == "surrogate" and setting else {}
        known |= _COMMON | {"objective.closure": _CLOSURE[reading]} | self.marks
        mark, reason = known[name]
        if self.left_out and mark == STATED:
            return UNSTATED, f"{self.left_out}; taken from: {reason}"
        return mark, reason


def _names(settings: Any, prefix: str = "") -> list[str]:
    """Dotted names of all settings that the paper could mention, those of the surrogate after its name."""
    rows: list[str] = []
    for item in fields(settings):
        value = getattr(settings, item.name)
        if is_dataclass(value) and item.name != "running":
            rows += _names(value, f"{item.name}.")
        elif prefix or item.name in ("surrogate", "shifts", "scaled", "polish", "refit", "sweep", "start", "selection"):
            rows.append(prefix + item.name)
        if not prefix and item.name == "surrogate":
            rows += [f"surrogate.{inner.name}" for inner in fields(PAPER[1])]
    return rows


_EXAMPLE_1 = _Experiment(
    1,
    1,
    _SMALL,
    Cloud(source="simulated", uniform=0.0, points=None, trajectories=256, clip=False),
    (1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1),
    _FIXED | {"batch": 2048},
)

_SWAPPED = (
    "both tables give {} to Example 2, the text to Example 3; the 128,256 points that are kept are 256 paths of "
    "Example 2's 501 times, and the domain is controlled in x alone, where Example 2 has its data (x from −2 to 2)"
)
_CLOUDS, _DEEPER = (
    _SWAPPED.format("reflection, balancing and uniform points"),
    _SWAPPED.format("the deeper networks"),
)
_OTHERWISE: Provenance = {
    **dict.fromkeys(("architecture.tau", "architecture.xi", "architecture.activation"), (CONFLICTING, _DEEPER)),
    **dict.fromkeys(("cloud.reflect", "cloud.uniform", "cloud.oversample", "cloud.clip"), (CONFLICTING, _CLOUDS)),
}
_EXAMPLE_2 = _Experiment(
    2,
    2,
    _DEEP,
    Cloud(source="simulated", uniform=0.7, points=None, trajectories=256, reflect=True, oversample=12),
    (1.0, 0.1, 0.1, 0.1, 0.5, 1.0, 0.1),
    _FIXED | {"batch": 1024},
    _OTHERWISE | {"surrogate.floor": (UNSTATED, "stated for Example 1 alone")},
)
_EXAMPLE_3 = _Experiment(
    3,
    3,
    _SMALL,
    Cloud(source="simulated", uniform=0.0, points=None, trajectories=256, clip=False),
    (1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1),
    _FIXED | {"batch": 1024},
    _OTHERWISE
    | {
        "surrogate.floor": (
            UNSTATED,
            "stated for Example 1 alone; it is what is left of the noise of x, which has none",
        ),
        "surrogate.structure": (STATED, "diagonal σ in R², also of the coordinate without noise"),
    },
)
_EXAMPLE_4 = _Experiment(
    4,
    4,
    _SMALL,
    Cloud(source="data", uniform=0.5, points=None, trajectories=2048, floor=0.05),
    (1.0, 0.1, 0.1, 0.1, 2.0, 10.0, 2.0),
    {
        "name": "adamw",
        "rate": 2e-4,
        "schedule": "warmup-cosine",
        "warmup": 0.05,
        "final": 0.1,
        "clip": 1.0,
        "batch": 256,
        "steps": 6000,
    },
    {
        "optimizer.rate": (CONFLICTING, "table: 2e-4; text: 1e-4"),
        "optimizer.warmup": (STATED, "5 % linear warm-up"),
        "optimizer.final": (STATED, "cosine decay down to alpha = 0.1"),
        "optimizer.clip": (STATED, f"{_OPTIMISATION}; the text gives no value"),
        "cloud.floor": (UNSTATED, "an x-floor without a value; that of the data"),
        "cloud.points": (CONFLICTING, "table: all data points; text: each batch half data, half uniform"),
        "cloud.uniform": (STATED, "half empirical points, half uniform in bounds inferred from them: here the box"),
        "objective.weights": (UNSTATED, "w5 = 2, w6 = 10, w7 = 2 are stated; w1 to w4 rise to those of the others"),
        "objective.ramp": (STATED, "ramped on after 60 % progress, piecewise linearly"),
        "objective.decay": (UNSTATED, "the decay of AdamW has no value: optax's 1e-4 acts beside this one"),
        "surrogate.widths": (UNSTATED, "as in the other examples"),
        "surrogate.floor": (UNSTATED, "stated for Example 1 alone"),
        "surrogate.clip": (UNSTATED, "global-norm clipping without a value; that of stage 2"),
        "surrogate.every_noise": (STATED, "a whole Cholesky factor"),
    },
    ramp=0.6,
)
_LEFT_OUT = "the appendix leaves this experiment out"
_FOKKER_PLANCK = replace(
    _EXAMPLE_1,
    name="fokker-planck",
    left_out=_LEFT_OUT,
    marks={"objective.pushed_density": (STATED, "L9 as printed, though true symmetries do not satisfy it")},
)
_TEN_DIMENSIONAL = replace(
    _EXAMPLE_1,
    name="brownian-10d",
    surrogate=3,
    left_out=f"{_LEFT_OUT}, an analogue of Example 1",
    # memory limits the cloud: a hundred noise entries with gradients and second derivatives for each point
    cloud=replace(_EXAMPLE_1.cloud, points=4096),
    optimizer=_FIXED | {"batch": 512},
    flow_points=16,
    marks={
        "cloud.points": (UNSTATED, f"{_LEFT_OUT}; a part of the 256 paths, for memory"),
        "optimizer.batch": (UNSTATED, f"{_LEFT_OUT}; between those of Examples 1 and 4, for cost"),
        "surrogate.structure": (UNSTATED, f"{_LEFT_OUT}; σ of every coordinate, as in Example 3"),
    },
)
_EXPERIMENTS = {
    1: _EXAMPLE_1,
    2: _EXAMPLE_2,
    3: _EXAMPLE_3,
    4: _EXAMPLE_4,
    "fokker-planck": _FOKKER_PLANCK,
    "brownian-10d": _TEN_DIMENSIONAL,
}


def preset(example: int | str | Any, reading: str = "global") -> Neural:
    """The settings of one of the paper's experiments, in one of the two readings of L1."""
    key = str(example).lower().replace("_", "-") if isinstance(example, str) else example
    key = int(key) if isinstance(key, str) and key.isdigit() else key
    if not (is_whole(key) or isinstance(key, str)) or key not in _EXPERIMENTS:
        raise InputError(
            f"The paper has no experiment {example!r}; choose 1, 2, 3, 4, 'fokker-planck' or 'brownian-10d', or none, "
            "and the data decide."
        )
    if reading not in READINGS:
        raise InputError(f"The reading of L1 is {reading!r}; choose one of {', '.join(READINGS)}.")
    return _EXPERIMENTS[key].settings(reading)
