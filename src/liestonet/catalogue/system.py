"""One known system: its equation as text, its exact generators as text, and an experiment that simulates data.

The parser of equations turns the text into SymPy and NumPy when it is used; nothing in it is executed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.generators import Values
from liestonet.core.numbers import is_whole
from liestonet.core.points import points_of
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.symmetry.determining.kinds import Kind

if TYPE_CHECKING:
    import sympy

    from liestonet.algebra.structure import Algebra
    from liestonet.sde.simulation import Progress
    from liestonet.trajectories import Trajectories

Real = float | int
Interval = tuple[Real, Real]
# τ, ξ^1, …, ξ^n and, for Fokker–Planck, β as formulas in t and the coordinates.
GeneratorText = tuple[str, ...]

ITO, LAW, FOKKER_PLANCK, CHOLESKY = "ito", "law", "fokker-planck", "ito-cholesky"
KINDS = (ITO, LAW, FOKKER_PLANCK, CHOLESKY)


@dataclass(frozen=True)
class Experiment:
    """How to simulate data of a system that stay in its state space.

    Paths begin uniformly in `initial`, at time `start` (uniformly in an interval, if it is one), and are recorded
    every `step` for `duration`, with `substeps` Euler steps in each; `boundary` as in `SDE.simulate`.
    """

    initial: tuple[Interval, ...]
    duration: Real = 2.0
    step: Real = 0.01
    paths: int = 512
    substeps: int = 5
    boundary: Mapping[str, Real | tuple[Real | None, Real | None]] = field(default_factory=dict)
    start: Interval | Real = 0.0

    def run(self, sde: SDE, paths: object, seed: object, progress: Progress | None) -> Trajectories:
        """Simulate data; path k is the same for every number of paths."""
        low, high = np.array(self.initial, dtype=float).T
        start: Any = self.start
        if isinstance(start, tuple) and is_whole(paths) and is_whole(seed) and paths >= 1 and seed >= 0:
            # spawn keys 0 and 1 are used by the simulation
            rng = np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(2,)))
            start = rng.uniform(*start, size=paths)
        return sde.simulate(
            # `rng.uniform` would raise its own error for values that are not finite
            initial=lambda rng, count: low + (high - low) * rng.random((count, len(low))),
            duration=self.duration,
            step=self.step,
            paths=paths,
            seed=seed,
            start=0.0 if isinstance(start, tuple) else start,
            substeps=self.substeps,
            boundary=self.boundary,
            progress=progress,
        )


@dataclass(frozen=True)
class KnownFormula:
    """One generator τ ∂t + ξ·∂x (+ β u∂u) in SymPy; β is None for kinds without it."""

    tau: sympy.Expr
    xi: tuple[sympy.Expr, ...]
    beta: sympy.Expr | None = None


class KnownGenerators:
    """Exact generators as one function: t (B,), x (B, d) -> tau (m, B), xi (m, B, d) and, if any, beta (m, B)."""

    __slots__ = ("_function", "count", "dimension", "has_beta")

    def __init__(self, symbols: tuple[sympy.Symbol, ...], formulas: tuple[KnownFormula, ...], has_beta: bool) -> None:
        import sympy

        self.count, self.dimension, self.has_beta = len(formulas), len(symbols) - 1, has_beta
        entries = [[row.tau, *row.xi, *([row.beta] if has_beta else [])] for row in formulas]
        self._function = sympy.lambdify(symbols, [entry for row in entries for entry in row], "numpy", cse=True)

    def __call__(self, t: object, x: object) -> Values:
        points = points_of(t, x, self.dimension)
        width = 1 + self.dimension + self.has_beta
        values = np.empty((self.count * width, len(points)))
        with np.errstate(all="ignore"):
            for row, value in enumerate(self._function(*points.T)):
                values[row] = value
        table = values.reshape(self.count, width, len(points))
        parts = table[:, 0], table[:, 1 : self.dimension + 1].transpose(0, 2, 1)
        return (*parts, table[:, -1]) if self.has_beta else parts


@dataclass(frozen=True, eq=False)
class System:
    """A system with its exact symmetries and an experiment.

    `symmetries` holds generators by kind: "ito" always, "law" where it differs from that, "fokker-planck" (modulo
    superposition) where known. If `cholesky` gives the equation with σ the lower triangular root of a, then
    "ito-cholesky" is the Itô algebra of that equation, the one that data can determine; else σ is that root already. If
    `infinite`, the algebra has infinite dimension, and the generators are those from which its other elements are
    built. `argument` proves that there are no further generators.
    """

    key: str
    title: str
    description: str
    equation: str
    symmetries: Mapping[str, tuple[GeneratorText, ...]]
    box: tuple[Interval, ...]
    experiment: Experiment
    argument: str
    state_space: Mapping[str, tuple[Real | None, Real | None]] = field(default_factory=dict)
    cholesky: str | None = None
    infinite: bool = False

    @cached_property
    def sde(self) -> SDE:
        """The equation."""
        return SDE.parse(self.equation)

    @cached_property
    def cholesky_sde(self) -> SDE:
        """The equation of the same law whose σ is the lower triangular root of a."""
        return self.sde if self.cholesky is None else SDE.parse(self.cholesky)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of symmetry that are known."""
        return tuple(kind for kind in KINDS if kind != FOKKER_PLANCK or kind in self.symmetries)

    def dimension(self, kind: object = ITO) -> int | float:
        """Dimension of the algebra, `math.inf` if it is infinite."""
        return math.inf if self.infinite else len(self._texts(kind)[1])

    def formulas(self, kind: object = ITO) -> tuple[KnownFormula, ...]:
        """The generators in SymPy, with the symbols of `sde`."""
        name, texts = self._texts(kind)
        own = self._own(name)
        if own not in self._formulas:
            from liestonet.catalogue.reading import read_formula

            rows = [[read_formula(text, self.sde.names) for text in row] for row in texts]
            n = self.sde.dimension
            self._formulas[own] = tuple(KnownFormula(row[0], tuple(row[1 : n + 1]), *row[n + 1 :]) for row in rows)
        return self._formulas[own]

    def generators(self, kind: object = ITO) -> KnownGenerators:
        """The generators as a function: t (B,), x (B, d) -> tau (m, B), xi (m, B, d) and, if any, beta (m, B)."""
        from liestonet.catalogue.reading import symbols

        name, _ = self._texts(kind)
        return KnownGenerators(symbols(self.sde.names), self.formulas(name), name == FOKKER_PLANCK)

    def algebra(self, kind: object = ITO) -> Algebra:
        """The algebra spanned by the generators, with structure constants in their order; refused if it is infinite."""
        from liestonet.catalogue.brackets import exact_algebra

        name, _ = self._texts(kind)
        if self.infinite:
            raise InputError(f"The algebra of {self.key!r} is infinite-dimensional and has no structure constants.")
        own = self._own(name)
        if own not in self._algebras:
            made = exact_algebra(self.formulas(own), self.sde.names, self.box, own == FOKKER_PLANCK)
            self._algebras[own] = made
        return self._algebras[own]

    def algebra_name(self, kind: object = ITO) -> str:
        """The name of the algebra, derived by hand from theory; refused if the algebra is infinite."""
        from liestonet.catalogue.known_names import stated_name

        name, texts = self._texts(kind)
        if self.infinite:
            raise InputError(f"The algebra of {self.key!r} is infinite-dimensional and has no name.")
        return stated_name(self.key, name, len(self.box) - 1, len(texts))

    def simulate(self, paths: object = None, seed: object = 0, *, progress: Progress | None = None) -> Trajectories:
        """Simulate data of the system; `paths` is by default the number of its experiment."""
        return self.experiment.run(self.sde, self.experiment.paths if paths is None else paths, seed, progress)

    def _texts(self, kind: object) -> tuple[str, tuple[GeneratorText, ...]]:
        """The kind's plain name and its generators; those of law and of the Cholesky gauge are Itô's unless given."""
        name = kind.name if isinstance(kind, Kind) else str(kind).lower().replace("_", "-")
        if name not in KINDS:
            raise InputError(f"Symmetry kind {kind!r} is unknown; choose one of {', '.join(KINDS)}.")
        if name not in self.kinds:
            raise InputError(f"The catalogue does not know the {name} symmetries of {self.key!r}; choose another kind.")
        return name, self.symmetries[self._own(name)]

    def _own(self, name: str) -> str:
        """The kind under which the generators of a kind are stored."""
        return name if name in self.symmetries else ITO

    @cached_property
    def _formulas(self) -> dict[str, tuple[KnownFormula, ...]]:
        return {}

    @cached_property
    def _algebras(self) -> dict[str, Algebra]:
        return {}

    def __repr__(self) -> str:
        known = ", ".join(f"{kind} {self.dimension(kind)}" for kind in self.kinds)
        return f"<System {self.key}: {self.equation}; {known}>"
