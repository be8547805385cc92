"""Settings of the surrogates: frozen values of plain numbers and words. No JAX here, so that presets load quickly."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from liestonet.errors import InputError

ACTIVATIONS = ("tanh", "swish")


@dataclass(frozen=True)
class Constant:
    """The same learning rate at every step."""

    rate: float = 3e-3


@dataclass(frozen=True)
class Cosine:
    """A learning rate that falls to zero along half a cosine; noise in the gradients is averaged out at the end."""

    rate: float = 1e-2


Schedule = Constant | Cosine


@dataclass(frozen=True)
class Diagonal:
    """One network for the drift and for one positive σ_i per coordinate; in one dimension this is f and σ."""


@dataclass(frozen=True)
class Cholesky:
    """A drift network and one for the lower triangular σ, trained in turn, with penalties on σ.

    `smoothness` weighs squared derivatives of σ along random directions, `variance` the scatter of its diagonal over a
    minibatch, `whitening` the distance of the whitened increments' mean and covariance from 0 and 1.
    """

    drift_steps: int = 1
    diffusion_steps: int = 1
    diffusion_schedule: Schedule | None = None
    smoothness: float = 0.0
    variance: float = 0.0
    whitening: float = 0.0


@dataclass(frozen=True)
class CoefficientSettings:
    """How drift and diffusion are learnt. The defaults are ours.

    `structure` None takes `Diagonal` where one coordinate is noisy and `Cholesky` elsewhere: correlated noise must not
    be excluded by construction. `skip` lets the last layer see the inputs too, `scale_outputs` gives outputs the data's
    units, `floor` is the least σ in these units. Every `check_every` steps the loss on the held-out part of the paths
    is looked at; training ends when it has not fallen for `patience` steps, and the best weights are taken. With
    `held_out` 0 the last ones are. `polish` solves the last layer exactly on all increments once the rest is learnt,
    with as much shrinkage as the marginal likelihood asks for. `time_dependent` False makes ∂t a symmetry by
    construction: only for systems that are known to be autonomous.
    """

    structure: Diagonal | Cholesky | None = None
    widths: tuple[int, ...] | Any = (64, 64)
    activation: str = "tanh"
    time_dependent: bool = True
    skip: bool = True
    scale_outputs: bool = True
    floor: float = 1e-3
    steps: int = 2000
    batch: int = 4096
    schedule: Schedule | Any = Cosine()
    clip: float | None = None
    weight_decay: float = 1e-6
    held_out: float = 0.1
    check_every: int = 100
    patience: int | None = 1000
    polish: bool = True

    def __post_init__(self) -> None:
        _require_positive(self, ("steps", "batch", "check_every"), whole=True)
        _require_positive(self, ("floor",))
        _require_layers(self.widths, self.activation)
        _require_rate(self.schedule)
        if not 0 <= self.held_out < 1:
            raise InputError(
                f"held_out must be a part of the paths, from 0 up to but not including 1, not {self.held_out!r}."
            )
        if isinstance(self.structure, Cholesky):
            _require_positive(self.structure, ("drift_steps", "diffusion_steps"), whole=True)


@dataclass(frozen=True)
class DensitySettings:
    """How the density û(t, x) is learnt: noise-contrastive estimation against a Gaussian that moves with time.

    `contrast` noise points are drawn for every data point, from a Gaussian `width` times as wide as the data, whose
    means and logarithmic widths are polynomials of `degree` in time. Where coefficients are known, `equation` weighs
    the squared residual of the Fokker–Planck equation at `collocation` data points a step.
    """

    widths: tuple[int, ...] | Any = (32, 32)
    activation: str = "tanh"
    degree: int = 4
    width: float = 1.3
    contrast: int = 2
    equation: float = 0.03
    collocation: int = 256
    steps: int = 1500
    batch: int = 2048
    schedule: Schedule | Any = Cosine()
    weight_decay: float = 1e-6
    held_out: float = 0.1
    check_every: int = 100
    patience: int | None = None

    def __post_init__(self) -> None:
        _require_positive(self, ("steps", "batch", "check_every", "contrast", "collocation"), whole=True)
        _require_positive(self, ("width",))
        _require_layers(self.widths, self.activation)
        _require_rate(self.schedule)


def _require_positive(settings: Any, names: tuple[str, ...], whole: bool = False) -> None:
    for name in names:
        value = getattr(settings, name)
        right = isinstance(value, int) and not isinstance(value, bool) if whole else isinstance(value, int | float)
        if not (right and math.isfinite(value) and value > 0):
            kind = "whole number" if whole else "number"
            raise InputError(f"{name} of {type(settings).__name__} must be a positive {kind}, not {value!r}.")


def _require_layers(widths: Any, activation: Any) -> None:
    if not (isinstance(widths, tuple) and widths and all(isinstance(w, int) and w > 0 for w in widths)):
        raise InputError(f"widths must be a tuple of positive whole numbers such as (64, 64), not {widths!r}.")
    if activation not in ACTIVATIONS:
        raise InputError(f"The activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}.")


def _require_rate(schedule: Any) -> None:
    if not isinstance(schedule, Constant | Cosine):
        raise InputError(f"The schedule must be Constant(rate) or Cosine(rate), not {schedule!r}.")
    _require_positive(schedule, tuple(field.name for field in fields(schedule)))


# The paper's stage-1 settings (appendix, the summary of surrogates and the table of their optimisation). Stated nowhere
# and inferred: early stopping (none), widths of Example 4, the limit of its gradients, floors but that of Example 1.
_PAPER_NETWORK: dict[str, Any] = {
    "skip": False, "scale_outputs": False, "held_out": 0.0, "patience": None, "polish": False,
}  # fmt: skip
PAPER = {
    1: CoefficientSettings(Diagonal(), steps=10_000, schedule=Constant(3e-3), **_PAPER_NETWORK),
    2: CoefficientSettings(Diagonal(), steps=2_000, schedule=Constant(3e-3), **_PAPER_NETWORK),
    3: CoefficientSettings(Diagonal(), steps=10_000, schedule=Constant(3e-3), **_PAPER_NETWORK),
    4: CoefficientSettings(
        Cholesky(3, 1, Constant(1e-3), smoothness=1e-3, variance=5e-4, whitening=5e-3),
        activation="swish",
        time_dependent=False,
        steps=20_000,
        batch=8192,
        schedule=Constant(2e-3),
        clip=1.0,
        weight_decay=0.0,
        **_PAPER_NETWORK,
    ),
}
