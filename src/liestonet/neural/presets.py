"""The paper's settings, example by example, each with where it is from. Settings only: no answers.

*stated*: the paper says so once, or everywhere the same. *conflicting*: it says two things, and both are named.
*inferred*: it says nothing, and this is what was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from liestonet.core.numbers import is_whole
from liestonet.errors import InputError
from liestonet.neural.settings import Architecture, Cloud, Neural, Objective, Optimizer

STATED, CONFLICTING, INFERRED = "stated", "conflicting", "inferred"
Provenance = dict[str, tuple[str, str]]

_SMALL = {"tau": (32, 32), "xi": (64, 64), "beta": (64, 64), "activation": "tanh", "shared": False}
_DEEP = {"tau": (64, 64, 64), "xi": (64, 64, 64), "beta": (64, 64, 64), "activation": "swish", "shared": False}
_FIXED = {"name": "adam", "rate": 1e-4, "schedule": "constant", "clip": 1.0, "steps": 3000}
_FORMS = {
    "closure": "pointwise", "independence": "hinge", "level": 0.8, "flow": 1e-2, "flow_steps": 1,
    "flow_points": 512, "decay": 1e-6,
}  # fmt: skip
_HEADS = "text: multi-head networks; appendix: separate networks for each generator"
_DENSITY = (1.0, 0.1)  # weights of L8 and L9

# What holds for all presets.
_COMMON: Provenance = {
    "surrogate": (STATED, "the floors of Examples 2 to 4 and the widths and clip of Example 4 are inferred"),
    "shifts": (INFERRED, "nothing of the kind is mentioned"),
    "scaled": (INFERRED, "no scaling of the generators' inputs is mentioned"),
    "polish": (INFERRED, "nothing of the kind is mentioned"),
    "refit": (INFERRED, "nothing of the kind is mentioned"),
    "sweep": (STATED, "within the bound n + 2 of noise of full rank"),
    "architecture.shared": (CONFLICTING, _HEADS),
    "architecture.beta": (INFERRED, "the β network is mentioned without a size"),
    "objective.closure": (STATED, ""),
    "objective.independence": (
        CONFLICTING,
        "text: −log det(G + ε); tables: mode sigma with tau = 0.8, taken as a hinge",
    ),
    "objective.level": (STATED, "s5_tau"),
    "objective.epsilon": (INFERRED, "ε of the determinant has no value"),
    "objective.flow": (STATED, "s7_eps"),
    "objective.flow_steps": (STATED, "s7_steps"),
    "objective.flow_points": (INFERRED, "subsampled trajectory points without a number"),
    "objective.barrier": (INFERRED, "λ_Δt has no value"),
    "objective.absolute": (STATED, "squared residuals"),
    "objective.pushed_density": (INFERRED, "the printed form penalises true symmetries"),
    "objective.checks": (INFERRED, "L3 and L4 vanish identically and are not evaluated"),
    "objective.decay": (STATED, ""),
    "optimizer.clip": (STATED, ""),
    "cloud.step": (INFERRED, "the data's own step"),
    "cloud.bins": (INFERRED, "the number of bins has no value"),
}


def preset(example: int | str | Any) -> Neural:
    """The settings of one of the paper's experiments."""
    makers: dict[Any, Callable[[], Neural]] = {
        1: _example_1,
        2: _example_2,
        3: _example_3,
        4: _example_4,
        "fokker-planck": _fokker_planck,
        "brownian-10d": _ten_dimensional,
    }
    key = str(example).lower().replace("_", "-") if isinstance(example, str) else example
    key = int(key) if isinstance(key, str) and key.isdigit() else key
    if not (is_whole(key) or isinstance(key, str)) or key not in makers:
        raise InputError(
            f"The paper has no experiment {example!r}; choose 1, 2, 3, 4, 'fokker-planck' or 'brownian-10d'."
        )
    return makers[key]()


@dataclass(frozen=True)
class _Experiment:
    """The parts in which the paper's experiments differ; everything that is not said to be otherwise is stated."""

    name: int | str
    surrogate: int
    architecture: dict[str, Any]
    cloud: Cloud
    weights: tuple[float, ...]
    optimizer: dict[str, Any]
    provenance: Provenance = field(default_factory=dict)
    ramp: float | None = None

    def settings(self) -> Neural:
        """All settings, each with where it is from."""
        made = Neural(
            architecture=Architecture(**self.architecture),
            cloud=self.cloud,
            objective=Objective(weights=(*self.weights, *_DENSITY), ramp=self.ramp, **_FORMS),
            optimizer=Optimizer(**self.optimizer),
            surrogate=f"paper-{self.surrogate}",
            shifts=False,
            scaled=False,
            polish=False,
            refit=False,
            name=f"Neural.paper({self.name!r})",
        )
        known = _COMMON | self.provenance
        return replace(made, provenance=tuple((name, *known.get(name, (STATED, ""))) for name in _names(made)))


def _names(settings: Any, prefix: str = "") -> list[str]:
    """Dotted names of all settings that the paper could mention."""
    rows: list[str] = []
    for item in fields(settings):
        value = getattr(settings, item.name)
        if is_dataclass(value) and item.name != "running":
            rows += _names(value, f"{item.name}.")
        elif prefix or item.name in ("surrogate", "shifts", "scaled", "polish", "refit", "sweep"):
            rows.append(prefix + item.name)
    return rows


def _example_1() -> Neural:
    cloud = Cloud(source="simulated", uniform=0.0, points=None, trajectories=256)
    weights = (1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1)
    return _Experiment(1, 1, _SMALL, cloud, weights, _FIXED | {"batch": 2048}).settings()


def _example_2() -> Neural:
    cloud = Cloud(source="simulated", uniform=0.7, points=None, trajectories=256, reflect=True, oversample=12)
    swapped = "table: Example 2; text: Example 3 (Examples 1 and 2 are said to simulate and flatten)"
    networks = "table: depth 3, width 64, swish; text: tanh with widths 32, 32 and 64, 64, and swish for Example 3"
    known: Provenance = {
        **dict.fromkeys(("architecture.tau", "architecture.xi", "architecture.activation"), (CONFLICTING, networks)),
        **dict.fromkeys(("cloud.reflect", "cloud.uniform", "cloud.oversample"), (CONFLICTING, swapped)),
    }
    return _Experiment(
        2, 2, _DEEP, cloud, (1.0, 0.1, 0.1, 0.1, 0.5, 1.0, 0.1), _FIXED | {"batch": 1024}, known
    ).settings()


def _example_3() -> Neural:
    cloud = Cloud(source="simulated", uniform=0.0, points=None, trajectories=256)
    networks = "table: tanh with widths 32, 32 and 64, 64; text: swish, depth 3, width 64"
    swapped = "table: simulate and flatten; text: reflection, balancing and 70 % uniform points"
    known: Provenance = {
        **dict.fromkeys(("architecture.tau", "architecture.xi", "architecture.activation"), (CONFLICTING, networks)),
        **dict.fromkeys(("cloud.reflect", "cloud.uniform", "cloud.oversample"), (CONFLICTING, swapped)),
    }
    return _Experiment(
        3, 3, _SMALL, cloud, (1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1), _FIXED | {"batch": 1024}, known
    ).settings()


def _example_4() -> Neural:
    cloud = Cloud(source="data", uniform=0.5, points=None, trajectories=2048, floor=0.05)
    optimizer = {
        "name": "adamw", "rate": 2e-4, "schedule": "warmup-cosine", "warmup": 0.05, "final": 0.1, "clip": 1.0,
        "batch": 256, "steps": 6000,
    }  # fmt: skip
    known: Provenance = {
        "optimizer.rate": (CONFLICTING, "table: 2e-4; text: 1e-4"),
        "cloud.floor": (INFERRED, "the floor has no value"),
        "cloud.points": (CONFLICTING, "table: all data points; text: each batch half data, half uniform"),
        "objective.weights": (INFERRED, "w5 = 2, w6 = 10, w7 = 2 are stated; what w1 to w4 rise to is not"),
        "objective.decay": (INFERRED, "AdamW's own decay has no value: optax's 1e-4 acts beside this one"),
    }
    return _Experiment(4, 4, _SMALL, cloud, (1.0, 0.1, 0.1, 0.1, 2.0, 10.0, 2.0), optimizer, known, ramp=0.6).settings()


def _all_inferred(name: str, cloud: Cloud, surrogate: int, batch: int, flow_points: int) -> Neural:
    """An experiment that the appendix leaves out: generators as in Example 1 in smaller batches, all of it inferred."""
    weights = (1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1)
    made = _Experiment(name, surrogate, _SMALL, cloud, weights, _FIXED | {"batch": batch}).settings()
    made = replace(made, objective=replace(made.objective, flow_points=flow_points))
    marks = tuple((field, INFERRED, "the appendix leaves this experiment out") for field, _, _ in made.provenance)
    return replace(made, provenance=marks)


def _fokker_planck() -> Neural:
    cloud = Cloud(source="simulated", uniform=0.0, points=None, trajectories=256)
    return _all_inferred("fokker-planck", cloud, 1, batch=512, flow_points=128)


def _ten_dimensional() -> Neural:
    # tables of a hundred noise entries with gradients and second derivatives for each point bound the cloud
    cloud = Cloud(source="simulated", uniform=0.0, points=2048, trajectories=256)
    # and all second derivatives of twelve networks of eleven variables the batch: 3 s of a processor a step with 512
    return _all_inferred("brownian-10d", cloud, 3, batch=64, flow_points=64)
