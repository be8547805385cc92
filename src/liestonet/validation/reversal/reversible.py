"""`lsn.reversible`: does the process look the same when time runs backwards, and how much entropy does it produce?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
from jaxtyping import Bool, Float

from liestonet.core.numbers import is_real
from liestonet.core.p_values import p_clause
from liestonet.core.progress import Progress, silent
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories import Trajectories
from liestonet.trajectories.increments import in_memory
from liestonet.validation.written import balance_verdict, percent, percent_range


class EntropyProduction(float):
    """A rate (per unit of time, in units of Boltzmann's constant) with its standard error and an interval."""

    error: float
    lower: float
    upper: float

    def __new__(cls, value: float, error: float, lower: float, upper: float) -> EntropyProduction:
        made = super().__new__(cls, value)
        made.error, made.lower, made.upper = float(error), float(lower), float(upper)
        return made

    @classmethod
    def around(cls, estimate: float, error: float, error_rate: float) -> EntropyProduction:
        """The rate from an estimate that noise may have made negative; value and interval are cut off at zero."""
        reach, value = float(scipy.special.ndtri(1 - error_rate / 2)) * error, max(estimate, 0.0)
        return cls(value, error, max(estimate - reach, 0.0), value + reach)

    @classmethod
    def of_square(cls, estimate: float, along: float, beside: float, error_rate: float) -> EntropyProduction:
        """The rate e from an unbiased estimate that is a square, with variance `along` e + along²/8 + `beside`.

        The root of a squared Gaussian number has an exact interval; the variance `beside` is added by the method of Zou
        and Donner (2008).
        """
        value, reach = max(estimate, 0.0), float(scipy.special.ndtri(1 - error_rate / 2))
        root, half = np.sqrt(max(estimate + along / 4, 0.0)), reach * np.sqrt(along) / 2
        ends = max(root - half, 0.0) ** 2, (root + half) ** 2
        lower, upper = (float(np.hypot(end - value, reach * np.sqrt(beside))) for end in ends)
        error = float(np.sqrt(along * value + along**2 / 8 + beside))
        return cls(value, error, max(value - lower, 0.0), value + upper)

    def __str__(self) -> str:
        return f"{float(self):.4g} ± {self.error:.2g}" if self.error else f"{float(self):.6g}"

    def to_dictionary(self) -> dict[str, float]:
        """Plain numbers for JSON."""
        return {"value": float(self), "error": self.error, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True, eq=False)
class Reversibility:
    """Detailed balance of an equation or of data.

    `holds` is True or False for an equation and None for data, which have a `p_value`. `residual` is the relative size,
    in the metric of the noise, of the drift that no density can balance, between 0 and 1, with an interval for data.
    `breaking(x)` is that part of the drift at states x (B, n). `entropy_production` is the rate in the stationary state
    with its error, None where there is no such state or it is not known (`notes` say why).
    """

    holds: bool | None
    residual: float
    lower: float
    upper: float
    p_value: float
    verdict: str
    status: str
    odd: tuple[str, ...]
    names: tuple[str, ...]
    entropy_production: EntropyProduction | None
    breaking: Callable[[Any], Float[np.ndarray, "b n"]]
    deviance: float | None = None
    dof: float | None = None
    increments: int | None = None
    error_rate: float | None = None
    failure: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether detailed balance is refuted, or rejected by data."""
        return not self.holds if self.error_rate is None else self.p_value <= self.error_rate

    def __repr__(self) -> str:
        return f"Reversibility({self.sentences()[0]})"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The outcome in words, the verdict first."""
        signs = f" with {', '.join(self.odd)} odd" if self.odd else ""
        lines = [self._of_data(signs) if self.deviance is not None else self._of_equation(signs)]
        lines += [self.failure] if self.failure else []
        if self.entropy_production is not None:
            produced = self.entropy_production
            interval = f" (interval {produced.lower:.4g} to {produced.upper:.4g})" if produced.error else ""
            lines.append(f"Entropy production: {produced} per unit of time{interval}.")
        return [*lines, *self.notes]

    def _of_equation(self, signs: str) -> str:
        if self.holds:
            how = "proved" if self.status == "proved" else f"to rounding ({self.residual:.1g}); not proved"
            return f"Detailed balance holds{signs}: {how}."
        return f"Detailed balance fails{signs}: {percent(self.residual)} of the drift breaks it, whatever the density."

    def _of_data(self, signs: str) -> str:
        said = "rejects" if self.rejected else "does not reject"
        rate = 0.05 if self.error_rate is None else self.error_rate
        return (
            f"The likelihood-ratio test {said} detailed balance{signs} ({p_clause(self.p_value)}; "
            f"deviance {self.deviance:.1f}, where exact balance gives {self.dof:.1f} on average, its "
            "degrees of freedom; "
            f"{self.increments:,} increments); {balance_verdict(self.verdict)}, residual "
            f"{percent(self.residual)}, {100 * (1 - rate):g} % interval {percent_range(self.lower, self.upper)}."
        )

    def to_dictionary(self) -> dict[str, Any]:
        """Plain numbers, text and lists for JSON."""
        plain = {key: value for key, value in vars(self).items() if key not in ("breaking", "entropy_production")}
        produced = self.entropy_production
        return {**plain, "entropy_production": None if produced is None else produced.to_dictionary()}


@few_threads
def reversible(
    data: SDE | Trajectories | Any,
    odd: Iterable[str] | str | Any = (),
    *,
    domain: Any = None,
    tolerance: float | Any = Criteria.tolerance,
    error_rate: float | Any = Criteria.error_rate,
    measurement: Any = None,
    clock: Any = "auto",
    seed: int | Any = 0,
    progress: Progress | None = None,
) -> Reversibility:
    """Detailed balance: does the stationary process have the same law as its paths run backwards?

    `odd` names variables that change sign when time is reversed, such as a velocity: a Langevin particle is reversible
    with `odd=("v",)`. Takes an `SDE` (`domain` as in `solve`; `seed` is for a simulation that entropy production may
    need) or `Trajectories` (`measurement` and `clock` as in `discover`).
    """
    from liestonet.validation.reversal.balance_data import of_data
    from liestonet.validation.reversal.balance_equation import of_equation

    data = in_memory(data)
    if not isinstance(data, SDE | Trajectories):
        raise InputError(
            f"reversible takes an SDE or Trajectories, not a {type(data).__name__}; make one with SDE.parse or "
            "Trajectories.read."
        )
    for name, value in (("tolerance", tolerance), ("error_rate", error_rate)):
        if not (is_real(value) and 0 < value < 1):
            raise InputError(f"The {name} must be a number between 0 and 1, not {value!r}.")
    turned = _odd(odd, data.names, data.periodic)
    say, criteria = progress or silent, Criteria(float(tolerance), float(error_rate))
    if isinstance(data, SDE):
        return of_equation(data, turned, domain, criteria, seed, say)
    if domain is not None:
        raise InputError("A domain is for an equation; the box of data is computed from them. Leave domain out.")
    return of_data(data, turned, criteria, measurement, clock, say)


def _odd(odd: Any, names: tuple[str, ...], periodic: Any) -> Bool[np.ndarray, " n"]:
    """Which coordinates are odd, from their names."""
    try:
        given = (odd,) if isinstance(odd, str) else tuple(odd)
    except TypeError as problem:
        raise InputError(f"odd is a list of names of coordinates, such as ('v',), not {odd!r}.") from problem
    for name in given:
        if name not in names:
            raise InputError(f"odd names {name!r}, but the coordinates are {', '.join(names)}.")
        if name in periodic:
            raise InputError(f"odd names {name!r}, an angle; variables that change sign are, for example, velocities.")
    return np.array([name in given for name in names])
