"""The meaning of all symmetries together: how simple the process is, and what follows from absent symmetries.

Each sentence has a code; `tests/render/meaning` proves its claim on the equations of the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from liestonet.render.clock_text import changes_with_date, not_adequate
from liestonet.render.meaning import shapes as known
from liestonet.render.numbers import percent
from liestonet.result import Result
from liestonet.result.findings import DataFindings

# Possible dimensions for a scalar equation (method.md §1.4): for paths and for densities.
MOST_OF_PATHS, BESSEL_TYPE = 3, 2
HEAT, INVERSE_SQUARE = 6, 4
MOST_OF_ANGLES = 2


@dataclass(frozen=True)
class Setting:
    """The basis of the sentences: the shapes in the order of the generators, and the undecided directions."""

    result: Result
    shapes: Sequence[known.Shape | None]

    @property
    def coordinates(self) -> int:
        return self.result.surrogate.dimension

    @property
    def dimension(self) -> int | float:
        return self.result.dimension

    @property
    def undecided(self) -> int:
        """Number of undecided directions, which may be symmetries."""
        return sum(row.verdict == "undecided" for row in self.result.ladder)

    @property
    def supported(self) -> bool:
        """Whether there are at least as many symmetries as were counted."""
        if isinstance(self.result.findings, DataFindings):
            return self.dimension == sum(row.verdict == "symmetry" for row in self.result.ladder)
        return "ambiguous" not in {flag.code for flag in self.result.flags}

    @property
    def complete(self) -> bool:
        """Whether the number of symmetries is certain: proved for an equation, nothing undecided for data."""
        found = self.result.findings
        if isinstance(found, DataFindings):
            doubtful = changes_with_date(found) or not_adequate(found)
            return self.supported and not self.undecided and not doubtful
        codes = {flag.code for flag in self.result.flags}
        return self.result.bound == self.dimension and not codes & {"ambiguous", "bound-doubtful"}

    @property
    def level(self) -> str:
        """For results from data a remark such as ` (residuals below 3.5 %)`, else empty."""
        if not isinstance(self.result.findings, DataFindings):
            return ""
        upper = max((row.upper for row in self.result.ladder if row.verdict == "symmetry"), default=0.0)
        return f" (residuals below {percent(upper)})" if upper else ""

    @property
    def scalar(self) -> bool:
        """Whether there is one coordinate with one noise: Itô symmetries and those of the law are then the same."""
        noises = self.result.surrogate.noise
        return self.coordinates == 1 and (self.result.symmetry == "law" or noises == 1)

    @property
    def is_brownian(self) -> bool:
        """Whether symmetries show that the process is Brownian motion in another coordinate and clock."""
        return self.scalar and not self.turning and self.dimension == MOST_OF_PATHS and self.supported

    @property
    def turning(self) -> bool:
        """Whether a coordinate is an angle, so that symmetries must be periodic."""
        return bool(self.result.domain.periodic)

    def has(self, shape: type) -> bool:
        return any(isinstance(row, shape) for row in self.shapes)


def algebra_sentences(result: Result, shapes: Sequence[known.Shape | None]) -> Iterator[tuple[str, str]]:
    """Code and text of every sentence on all symmetries together."""
    setting = Setting(result, shapes)
    if math.isinf(result.dimension):
        return
    if result.symmetry == "fokker-planck":
        yield from _densities(setting)
    elif result.symmetry != "random":
        yield from _scalar(setting) if setting.scalar and not setting.turning else ()
        yield from _angle(setting) if setting.scalar and setting.turning else ()
        yield from () if setting.scalar else _system(setting)
        if not result.dimension and setting.complete:
            yield (
                "none",
                ("No symmetry: drift and noise depend on time, and no change of coordinates and clock removes it."),
            )
    if setting.undecided:
        left = "1 direction is" if setting.undecided == 1 else f"{setting.undecided} directions are"
        yield "undecided", f"{left} undecided: there may be more symmetries than were found."
    yield from _order(setting)


def _scalar(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences for one coordinate with 3, 2 or 1 symmetries."""
    if setting.is_brownian:
        yield (
            "brownian",
            (
                "Three symmetries in one coordinate, the largest possible number: a change of coordinate and clock "
                "transforms the process to Brownian motion, so that its solution and transition density are known in "
                "closed form, until a path reaches an end of the state space, where there is one."
            ),
        )
        yield from _resolved(setting)
    elif setting.dimension == BESSEL_TYPE and setting.complete:
        yield (
            "bessel",
            (
                "Two symmetries in one coordinate: a process of Bessel type. In a suitable coordinate y and clock its "
                "drift is A/y and its noise constant, so that it is self-similar, and its transition density is "
                "known in closed form (a Bessel function)."
            ),
        )
    elif setting.dimension == 1 and setting.complete:
        similar = ", and the process is not self-similar" if setting.has(known.TimeTranslation) else ""
        yield (
            "alone",
            f"One symmetry in one coordinate: no change of coordinate makes the drift "
            f"linear and the noise constant{similar}.",
        )


def _angle(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences for one angle whose law does not depend on time: two periodic symmetries, or time translation only.

    With y = ∫dθ/σ, a periodic symmetry has constant τ, and c(t) ∂y with c′ = c f′(y) only if f is constant.
    """
    if not setting.complete or not setting.has(known.TimeTranslation):
        return
    if setting.dimension == MOST_OF_ANGLES:
        yield (
            "free-rotor",
            (
                "Two periodic symmetries, the largest possible number for one angle: a free rotor. For a suitable "
                "angle its drift and noise are constant."
            ),
        )
    elif setting.dimension == 1:
        yield (
            "driven-rotor",
            "One periodic symmetry: drift and noise are not both constant for any angle, so the rotor is not free.",
        )


def _resolved(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences on drift and noise in the original coordinate if there are three symmetries."""
    plain = known.spanned(setting.shapes)
    if not plain:
        return
    from_data = isinstance(setting.result.findings, DataFindings)
    if from_data:
        yield (
            "linear",
            f"The data show no departure from a linear drift and constant noise{setting.level}.",
        )
    else:
        yield "linear", "The drift is linear in the state, and the noise does not depend on it."


def _system(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences for several coordinates or several noises."""
    n = setting.coordinates
    if known.rank_of_shifts(setting.shapes) == n and not setting.turning:
        same = known.common_rate(setting.shapes)
        yield (
            "linear-system",
            (
                f"{'Every shift' if n == 1 else f'{n} independent shifts'} of the state: a linear system. Its "
                "drift is linear in the state, and its noise does not depend on the state."
            ),
        )
        if n > 1 and same is not None and same != 0:
            yield "common-rate", "All directions relax or grow at the same rate."
    turns = sum(isinstance(shape, known.Rotation) for shape in setting.shapes)
    if n > 2 and turns == n * (n - 1) // 2:
        yield "isotropic", f"Rotations in all {turns} planes: no direction in space is special (isotropy)."
    alone = setting.dimension == 1 and setting.complete and not setting.turning
    if n > 1 and alone and setting.has(known.TimeTranslation):
        yield (
            "only-time",
            (
                "Time translation only: no shift, scaling or rotation of the state is a symmetry, and there is no "
                "direction along which the drift is linear and the noise constant."
            ),
        )


def _densities(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences for one coordinate with 6, 4 or fewer symmetries of the Fokker–Planck equation."""
    if setting.coordinates > 1 or not setting.complete or setting.turning:
        return
    if setting.dimension == HEAT:
        yield (
            "heat",
            (
                "Six symmetries in one coordinate: the Fokker–Planck equation can be transformed to the heat equation, "
                "so its transition density is known in closed form (a Gaussian in a suitable coordinate, times a "
                "factor)."
            ),
        )
    elif setting.dimension == INVERSE_SQUARE:
        yield (
            "inverse-square",
            (
                "Four symmetries in one coordinate: the Fokker–Planck equation can be transformed to the heat equation "
                "with an inverse-square potential, so its transition density is known in closed form (a Bessel "
                "function)."
            ),
        )
    elif setting.dimension and setting.dimension < INVERSE_SQUARE:
        yield "no-kernel", "Too few symmetries of the Fokker–Planck equation for a transition density in closed form."


def _order(setting: Setting) -> Iterator[tuple[str, str]]:
    """Sentences on what the structure of the algebra implies for successive reductions."""
    algebra = setting.result.algebra
    if algebra.open or algebra.dimension < 2 or not algebra.named.resolved:
        return
    anatomy = algebra.anatomy
    if anatomy.abelian:
        yield "abelian", "The symmetries commute: the order in which they are applied does not matter."
    elif anatomy.solvable and not setting.is_brownian:
        # of Brownian motion in another coordinate the solution has been given
        yield (
            "solvable",
            "Solvable algebra: in a suitable order, the equation can be reduced by one symmetry after the other.",
        )
    elif anatomy.semisimple:
        yield "semisimple", "The algebra is semisimple: reducing the equation by one symmetry loses others."
