"""The result of `reduce`: coordinates, the equation in them and, if there is one, the solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.reduction.stage import Step
from liestonet.reduction.state_space import Space
from liestonet.sde.sde import SDE

if TYPE_CHECKING:
    import sympy
    from numpy.typing import ArrayLike

    from liestonet.core.json_values import JSON
    from liestonet.reduction.sample import Sample

Expressions = dict["sympy.Symbol", "sympy.Expr"]
KINDS = {
    "solved": "Solved: every coordinate is an integral of known functions",
    "reduced": "Reduced",
    "none": "Not reduced",
}


@dataclass(frozen=True, repr=False)
class Reduction:
    """An equation in coordinates that its symmetries give.

    `coordinates` are the new coordinates, time included, in the old symbols; `inverse` the old in the new. `sde` is the
    equation in the new coordinates, whose first `closed` are closed among themselves and whose others are integrals.
    `kind` is "solved", "reduced" or "none"; `solution` has a formula with Itô and Riemann integrals for every old
    coordinate, or is None. `status` is "proved" if SymPy shows by Itô's formula that `sde` is the equation, else
    "numerical", with `error`. `level` is "strong" if the Wiener process is that of the equation, up to a time change,
    and "law" if the equations agree only in law.
    """

    equation: SDE
    kind: str
    status: str
    coordinates: Expressions
    inverse: Expressions
    sde: SDE
    closed: int
    solution: Expressions | None
    steps: tuple[Step, ...]
    validity: str
    level: str = "strong"
    wiener: str = ""
    bessel: sympy.Expr | None = None
    error: float = 0.0
    spaces: tuple[Space, ...] = ()
    boxes: tuple[tuple[float, float], ...] = ()
    ends: tuple[tuple[sympy.Expr, str], ...] = ()
    continues: bool = False
    noise_names: tuple[str, ...] = ()
    flows: Flows | None = field(default=None, compare=False)

    @property
    def clock(self) -> sympy.Expr:
        """The new time as a function of the old."""
        return next(iter(self.coordinates.values()))

    @property
    def is_whole(self) -> bool:
        """Whether there are as many new coordinates as old ones, so that the change can be inverted."""
        return self.sde.dimension == self.equation.dimension + len(self.noise_names)

    @property
    def is_exact(self) -> bool:
        """Whether `sample` draws from the exact law, for any step."""
        from liestonet.reduction.sampling import is_exact

        return is_exact(self)

    @cached_property
    def parts(self) -> tuple[tuple[tuple[int, ...], Reduction | None], ...]:
        """New coordinates in groups that are independent of each other, each with its own reduction if it is exact."""
        from liestonet.reduction.independent import independent_parts

        return independent_parts(self)

    @property
    def reduced(self) -> SDE | None:
        """The remaining closed equation; None if every coordinate is an integral."""
        from liestonet.reduction.assemble import closed_part

        return closed_part(self.sde, self.closed) if self.closed else None

    def sample(
        self,
        initial: object,
        times: object,
        paths: int = 1,
        seed: int = 0,
        *,
        start: float = 0.0,
        boundary: str | None = None,
    ) -> Sample:
        """States at `times` of paths that begin in `initial` at the time `start`: (paths, times, coordinates).

        `initial` is (d,) for all paths, (paths, d), a number if d = 1, or a callable(rng, paths). Where the integrals
        are Gaussian or the equation is a Bessel process, the law is exact at any step (`is_exact`); else the new
        equation is simulated, and the sample's `note` says how. `boundary` is "reflecting" or "absorbing" where a
        Bessel process can be continued in either way; the default is that of the equation itself.
        """
        from liestonet.reduction.sampling import draw

        return draw(self, initial, times, paths, seed, start, boundary)

    def follow(self, initial: object, times: object, increments: object) -> Float[np.ndarray, "k n d"]:
        """The solution formula along given increments of the equation's own Wiener process, (paths, steps, noises).

        `times` are the ends of the steps with the beginning first. Itô integrals become sums with the integrand at the
        beginning of each step. For comparisons path by path; only if the Wiener process is preserved.
        """
        from liestonet.reduction.following import follow

        return follow(self, initial, times, increments)

    def to_new(self, t: ArrayLike, x: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """New times (B,) and coordinates (B, d) at old times (B,) and states (B, d).

        If coordinates depend on the Wiener processes, these are further columns of the states, by default 0.
        """
        from liestonet.reduction.numerics import new_from_old

        return new_from_old(self, np.asarray(t, dtype=float), np.asarray(x, dtype=float))

    def to_old(self, s: ArrayLike, z: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Old times (B,) and states (B, d) from the new times (B,) and coordinates (B, d)."""
        from liestonet.reduction.numerics import old_from_new

        return old_from_new(self, np.asarray(s, dtype=float), np.asarray(z, dtype=float))

    def with_parameters(self, values: Mapping[str, object] | None = None, /, **more: object) -> Reduction:
        """The reduction for given values of parameters."""
        import sympy

        from liestonet.sde.exact import number

        given = dict(values or {}) | more
        equation = self.equation.with_parameters(given)
        exact: Any = {sympy.Symbol(name, real=True): number(value, name) for name, value in given.items()}

        def at(table: Expressions | None) -> Any:
            return None if table is None else {s: sympy.sympify(e).subs(exact) for s, e in table.items()}

        left = {name: value for name, value in given.items() if name in self.sde.parameters}
        return replace(
            self,
            equation=equation,
            coordinates=at(self.coordinates),
            inverse=at(self.inverse),
            solution=at(self.solution),
            sde=self.sde.with_parameters(left) if left else self.sde,
            bessel=None if self.bessel is None else sympy.sympify(self.bessel).subs(exact),
            ends=tuple((level.subs(exact), text) for level, text in self.ends),
        )

    def require_numeric(self) -> None:
        """Refuse numerical computations while a parameter has no value."""
        if self.equation.parameters:
            first = self.equation.parameters[0]
            raise InputError(
                f"{', '.join(self.equation.parameters)} {'has' if len(self.equation.parameters) == 1 else 'have'} no "
                f"value; give values first, as in reduction.with_parameters({first}=1.5)."
            )

    def lines(self) -> list[str]:
        """The reduction in a few lines of text."""
        from liestonet.reduction.wording import lines

        return lines(self)

    def latex(self) -> str:
        """Coordinates, equation and solution in LaTeX, ready to paste; needs amsmath."""
        from liestonet.reduction.wording import latex

        return latex(self)

    def to_dictionary(self) -> dict[str, JSON]:
        """The reduction as plain text and lists, ready for JSON."""
        from liestonet.reduction.wording import dictionary

        return dictionary(self)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Reduction of {self.equation}: {self.kind}, {self.status}; {self.sde}>"


@dataclass(frozen=True)
class Flows:
    """Numerical coordinates without a closed form: old to new and new to old, with the largest error found.

    `crossing` is the part of the box whose orbits cross the section.
    """

    forward: Callable[[np.ndarray, np.ndarray], np.ndarray]
    backward: Callable[[np.ndarray, np.ndarray], np.ndarray]
    error: float
    crossing: float = 1.0


def text_of(steps: Sequence[Step]) -> list[str]:
    """Steps as lines."""
    return [str(step) for step in steps]
