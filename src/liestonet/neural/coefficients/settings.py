"""Settings of the surrogates: frozen values of plain numbers and words. No JAX here, so that presets load quickly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liestonet.errors import InputError
from liestonet.neural.setting_checks import (
    ACTIVATIONS,
    make_plain,
    require_choice,
    require_number,
    require_positive,
    require_truths,
    require_widths,
)
from liestonet.neural.settings import Optimizer, Whole, Widths


@dataclass(frozen=True)
class Constant:
    """The same learning rate at every step."""

    rate: float = 3e-3

    def __post_init__(self) -> None:
        _require_rate(self)


@dataclass(frozen=True)
class Cosine:
    """A learning rate that falls to zero along half a cosine; noise in the gradients is averaged out at the end."""

    rate: float = 1e-2

    def __post_init__(self) -> None:
        _require_rate(self)


# Initial weights: no drift and σ of one unit, or every layer random.
STARTS = ("flat", "random")
Schedule = Constant | Cosine
if TYPE_CHECKING:
    GivenSchedule = Schedule
else:  # wrong values get this package's own message
    GivenSchedule = object


def _require_rate(schedule: Schedule) -> None:
    make_plain(schedule)
    require_number("learning rate", schedule.rate, above=0.0)


def optimizer(schedule: Schedule, steps: int, clip: float | None) -> Optimizer:
    """The optimiser settings of the training loop for a surrogate's schedule."""
    name = "cosine" if isinstance(schedule, Cosine) else "constant"
    return Optimizer(rate=schedule.rate, schedule=name, clip=math.inf if clip is None else clip, steps=steps)


@dataclass(frozen=True)
class Diagonal:
    """One network for the drift and for one positive σ_i per coordinate; in one dimension this is f and σ."""


@dataclass(frozen=True)
class Cholesky:
    """A drift network and one for the lower triangular σ, trained in turn, with penalties on σ.

    `smoothness` weighs squared derivatives of σ along random directions, `variance` the scatter of its diagonal over a
    minibatch, `whitening` the distance of the whitened increments' mean and covariance from 0 and 1.
    """

    drift_steps: Whole = 1
    diffusion_steps: Whole = 1
    diffusion_schedule: Schedule | None = None
    smoothness: float = 0.0
    variance: float = 0.0
    whitening: float = 0.0

    def __post_init__(self) -> None:
        make_plain(self)
        for name in ("drift_steps", "diffusion_steps"):
            require_positive(name, getattr(self, name))


@dataclass(frozen=True)
class CoefficientSettings:
    """How drift and diffusion are learnt. The defaults are LieStoNet's own, not the paper's.

    `structure` None means `Diagonal` for one noisy coordinate and `Cholesky` otherwise: correlated noise must not be
    excluded by construction. `skip` connects the inputs to the last layer, `scale_outputs` gives outputs the data's
    units, `floor` is the least σ in these units. The loss on the held-out part of the paths is evaluated every
    `check_every` steps; training ends when it has not decreased for `patience` steps, and the best weights are used.
    With `held_out` 0 the last weights are used. `start` is "flat" (no drift, σ of one unit) or "random" (the last layer
    is random like the others, biases are zero). `every_noise` gives every coordinate its own σ, also one without noise,
    whose σ then decreases to the error of its drift; `inside` leaves out increments that begin outside the box.
    `polish` solves the last layer exactly on all increments after training, with shrinkage chosen by the marginal
    likelihood. `time_dependent` False makes ∂t a symmetry by construction: only for systems that are known to be
    autonomous.
    """

    structure: Diagonal | Cholesky | None = None
    widths: Widths = (64, 64)
    activation: str = "tanh"
    time_dependent: bool = True
    skip: bool = True
    scale_outputs: bool = True
    floor: float = 1e-3
    steps: Whole = 2000
    batch: Whole = 4096
    schedule: GivenSchedule = Cosine()
    clip: float | None = None
    weight_decay: float = 1e-6
    held_out: float = 0.1
    check_every: Whole = 100
    patience: int | None = 1000
    polish: bool = True
    start: str = "flat"
    every_noise: bool = False
    inside: bool = True

    def __post_init__(self) -> None:
        _require_common(self, ())
        require_choice("start of the surrogate", self.start, STARTS)
        require_truths(self, "every_noise", "inside")
        require_number("floor of the diffusion", self.floor, above=0.0)


@dataclass(frozen=True)
class DensitySettings:
    """How the density û(t, x) is learnt: noise-contrastive estimation against a Gaussian that moves with time.

    `contrast` noise points are drawn for every data point, from a Gaussian `width` times as wide as the data, whose
    means and logarithmic widths are polynomials of `degree` in time. If coefficients are given, `equation` weighs
    the squared residual of the Fokker–Planck equation at `collocation` data points a step.
    """

    widths: Widths = (32, 32)
    activation: str = "tanh"
    degree: int = 4
    width: float = 1.3
    contrast: Whole = 2
    equation: float = 0.03
    collocation: Whole = 256
    steps: Whole = 1500
    batch: Whole = 2048
    schedule: GivenSchedule = Cosine()
    weight_decay: float = 1e-6
    held_out: float = 0.1
    check_every: Whole = 100
    patience: int | None = None

    def __post_init__(self) -> None:
        _require_common(self, ("contrast", "collocation"))
        require_number("width of the contrast", self.width, above=0.0)


def _require_common(settings: CoefficientSettings | DensitySettings, counts: tuple[str, ...]) -> None:
    """Check the fields that both kinds of settings have."""
    make_plain(settings)
    for name in ("steps", "batch", "check_every", *counts):
        require_positive(f"{name} of {type(settings).__name__}", getattr(settings, name))
    require_widths(settings, "widths", "widths of the hidden layers")
    require_choice("activation", settings.activation, ACTIVATIONS)
    if not isinstance(settings.schedule, Constant | Cosine):
        raise InputError(f"The schedule must be Constant(rate) or Cosine(rate), not {settings.schedule!r}.")
    if not 0 <= settings.held_out < 1:
        raise InputError(
            f"held_out must be a part of the paths, from 0 up to but not including 1, not {settings.held_out!r}."
        )


# The paper's stage-1 settings (appendix, the summary of surrogates and the table of their optimisation); what is stated
# of each, and why the rest was chosen, is in `neural/presets.py`.
_PAPER_NETWORK: dict[str, Any] = {
    "skip": False, "scale_outputs": False, "held_out": 0.0, "patience": None, "polish": False, "start": "random",
    "every_noise": True, "inside": False,
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
