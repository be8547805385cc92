"""The kinds of symmetry. A kind is an object with its unknowns, its equations and the jets they need.

`ITO` fixes the Wiener process (the paper's notion), `LAW` only the law of the solution, `FOKKER_PLANCK` the
density's equation, modulo superposition. `RANDOM` lets generators depend on the Wiener process itself: its equations
are those of the equation extended by dw = dW (`sde/extended.py`). Equations: docs/method.md §2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from liestonet.core.coefficients import Derivative, JetOrder
from liestonet.errors import InputError
from liestonet.symmetry.determining.equations import ONE, Builder, Coefficient, Equations, LinearForm, Unknown


@dataclass(frozen=True)
class Kind:
    """A notion of symmetry; `equations(n, r)` is its table of determining equations.

    Generators of an `extended` kind depend on the Wiener processes w too: n counts the coordinates of the extended
    equation, whose last r are w. Trajectories do not record w, so that such a kind is for equations only.
    """

    name: str
    jet_order: JetOrder
    build: Callable[[int, int], Equations]
    extended: bool = False

    @property
    def has_beta(self) -> bool:
        return self.name == "fokker-planck"

    def equations(self, dimension: int, noise: int) -> Equations:
        return self.build(dimension, noise)


def _generator(n: int) -> list[Unknown]:
    """The unknowns τ(t) and ξ^i(t, x)."""
    return [Unknown("tau", 0, time_only=True), *(Unknown(f"xi{i}", i) for i in range(1, n + 1))]


def _drift(i: int, *derivative: int) -> LinearForm:
    return [(1.0, Coefficient("drift", (i,), tuple(sorted(derivative))))]


def _sigma(i: int, k: int, *derivative: int) -> LinearForm:
    return [(1.0, Coefficient("diffusion", (i, k), tuple(sorted(derivative))))]


def _a(i: int, j: int, *derivative: int) -> LinearForm:
    return [(1.0, Coefficient("diffusion_squared", (min(i, j), max(i, j)), tuple(sorted(derivative))))]


def _times(factor: float, form: LinearForm) -> LinearForm:
    return [(factor * number, coefficient) for number, coefficient in form]


def _fokker_planck_b(n: int, i: int, *derivative: int) -> LinearForm:
    """B^i = f^i − ∂_j a^{ij} and its derivatives."""
    form = _drift(i, *derivative)
    for j in range(n):
        form = form + _times(-1.0, _a(i, j, *derivative, j + 1))
    return form


def _fokker_planck_c(n: int, *derivative: int) -> LinearForm:
    """C = ∂_i f^i − ½ ∂_ij a^{ij} and its derivatives."""
    form: LinearForm = []
    for i in range(n):
        form = form + _drift(i, *derivative, i + 1)
        for j in range(n):
            form = form + _times(-0.5, _a(i, j, *derivative, i + 1, j + 1))
    return form


def _second_order(builder: Builder, row: int, unknown: int, factor: float) -> None:
    """Add factor · a^{jk} ∂_jk unknown."""
    for j in range(builder.dimension):
        for k in range(builder.dimension):
            builder.add(row, _a(j, k), unknown, (j + 1, k + 1), factor)


def _add_drift_equations(builder: Builder, moved: int | None = None, second_order: bool = True) -> None:
    """E1^i = ∂_t ξ^i + f^j ∂_j ξ^i − ξ^j ∂_j f^i − ∂_t(τ f^i) + ½ a^{jk} ∂_jk ξ^i, of the first `moved` coordinates."""
    n = builder.dimension
    for i in range(n if moved is None else moved):
        row = builder.row(f"E1[{i + 1}]", 1.0, (i,))
        builder.add(row, ONE, i + 1, (0,))
        for j in range(n):
            builder.add(row, _drift(j), i + 1, (j + 1,))
            builder.add(row, _drift(i, j + 1), j + 1, (), -1.0)
        builder.add(row, _drift(i, 0), 0, (), -1.0)
        builder.add(row, _drift(i), 0, (0,), -1.0)
        if second_order:
            _second_order(builder, row, i + 1, 0.5)


def _add_noise_equations(builder: Builder, moved: int) -> None:
    """E2^i_k = σ^j_k ∂_j ξ^i − ξ^j ∂_j σ^i_k − τ ∂_t σ^i_k − ½ τ' σ^i_k, for the first `moved` coordinates."""
    for i in range(moved):
        for k in range(builder.noise):
            row = builder.row(f"E2[{i + 1},{k + 1}]", 0.5, (i,))
            for j in range(builder.dimension):
                builder.add(row, _sigma(j, k), i + 1, (j + 1,))
                builder.add(row, _sigma(i, k, j + 1), j + 1, (), -1.0)
            builder.add(row, _sigma(i, k, 0), 0, (), -1.0)
            builder.add(row, _sigma(i, k), 0, (0,), -0.5)


def _add_covariance_equations(builder: Builder, label: str, factor: float) -> None:
    """factor · Q^{ij}, Q^{ij} = a^{ik} ∂_k ξ^j + a^{jk} ∂_k ξ^i − ξ^k ∂_k a^{ij} − τ ∂_t a^{ij} − τ' a^{ij}."""
    n = builder.dimension
    for i in range(n):
        for j in range(i, n):
            row = builder.row(f"{label}[{i + 1},{j + 1}]", 1.0, (i, j), 1 if i == j else 2)
            for k in range(n):
                builder.add(row, _a(i, k), j + 1, (k + 1,), factor)
                builder.add(row, _a(j, k), i + 1, (k + 1,), factor)
                builder.add(row, _a(i, j, k + 1), k + 1, (), -factor)
            builder.add(row, _a(i, j, 0), 0, (), -factor)
            builder.add(row, _a(i, j), 0, (0,), -factor)


@lru_cache(maxsize=32)
def _ito(n: int, r: int) -> Equations:
    """E1 and E2 (docs/method.md §2.1)."""
    builder = Builder(n, r, _generator(n))
    _add_drift_equations(builder)
    _add_noise_equations(builder, n)
    return builder.finish()


@lru_cache(maxsize=32)
def _random(n: int, r: int) -> Equations:
    """E1 and E2 of the extended equation for φ^i(t, x, w) alone: neither time nor w moves (docs/method.md §2.7)."""
    moved = n - r
    builder = Builder(n, r, [u._replace(absent=not 0 < i <= moved) for i, u in enumerate(_generator(n))])
    _add_drift_equations(builder, moved)
    _add_noise_equations(builder, moved)
    return builder.finish()


@lru_cache(maxsize=32)
def _law(n: int, r: int) -> Equations:
    """E1 and Q (docs/method.md §2.2)."""
    builder = Builder(n, r, _generator(n))
    _add_drift_equations(builder)
    _add_covariance_equations(builder, "Q", 1.0)
    return builder.finish()


def _killing(*derivative: int) -> LinearForm:
    return [(1.0, Coefficient("killing", (0, 0), tuple(sorted(derivative))))]


@lru_cache(maxsize=32)
def _fokker_planck(n: int, r: int, killed: bool = False) -> Equations:
    """F1 = Q/2, F2 and F3, the last two with B and C written out in f and a; a killing adds to C (§2.3)."""
    builder = Builder(n, r, [*_generator(n), Unknown("beta", None, order_below=1)])
    beta = n + 1
    _add_covariance_equations(builder, "F1", 0.5)
    for i in range(n):
        row = builder.row(f"F2[{i + 1}]", 1.0, (i,))
        _add_transport(builder, row, lambda *derivative, i=i: _fokker_planck_b(n, i, *derivative))
        builder.add(row, ONE, i + 1, (0,), -1.0)
        for j in range(n):
            builder.add(row, _fokker_planck_b(n, j), i + 1, (j + 1,), -1.0)
            builder.add(row, _a(i, j), beta, (j + 1,), -1.0)
        _second_order(builder, row, i + 1, 0.5)
    row = builder.row("F3", 1.0)
    _add_transport(
        builder,
        row,
        lambda *derivative: _fokker_planck_c(n, *derivative) + (_killing(*derivative) if killed else []),
    )
    builder.add(row, ONE, beta, (0,))
    for i in range(n):
        builder.add(row, _fokker_planck_b(n, i), beta, (i + 1,))
    _second_order(builder, row, beta, -0.5)
    return builder.finish()


def _killed_fokker_planck(n: int, r: int) -> Equations:
    return _fokker_planck(n, r, killed=True)


def _add_transport(builder: Builder, row: int, form: Callable[..., LinearForm]) -> None:
    """Add ∂_t(τ g) + ξ^j ∂_j g for the coefficient g whose derivatives `form` gives."""
    time: Derivative = (0,)
    builder.add(row, form(*time), 0)
    builder.add(row, form(), 0, time)
    for j in range(builder.dimension):
        builder.add(row, form(j + 1), j + 1)


@lru_cache(maxsize=32)
def _invariant(n: int, r: int) -> Equations:
    """σ^j_k ∂_j I = 0 and ∂_t I + f^j ∂_j I + ½ a^{jk} ∂_jk I = 0: functions that are constant along every path."""
    builder = Builder(n, r, [Unknown("I", None)])
    row = builder.row("L", 1.0)
    builder.add(row, ONE, 0, (0,))
    for j in range(n):
        builder.add(row, _drift(j), 0, (j + 1,))
    _second_order(builder, row, 0, 0.5)
    for k in range(r):
        row = builder.row(f"S[{k + 1}]", 0.5)
        for j in range(n):
            builder.add(row, _sigma(j, k), 0, (j + 1,))
    return builder.finish()


@lru_cache(maxsize=32)
def _commutant(n: int, r: int) -> Equations:
    """[∂_t + f, ξ] = 0 and [σ_k, ξ] = 0: fields that commute with drift and noise, both taken as vector fields."""
    builder = Builder(n, r, [u._replace(absent=i == 0) for i, u in enumerate(_generator(n))])
    _add_drift_equations(builder, second_order=False)
    _add_noise_equations(builder, n)
    return builder.finish()


ITO = Kind("ito", JetOrder(drift=1, diffusion=1, diffusion_squared=0), _ito)
LAW = Kind("law", JetOrder(drift=1, diffusion_squared=1), _law)
FOKKER_PLANCK = Kind("fokker-planck", JetOrder(drift=2, diffusion_squared=3), _fokker_planck)
RANDOM = Kind("random", JetOrder(drift=1, diffusion=1, diffusion_squared=0), _random, extended=True)

# The same of paths that end at a rate that depends on where they are: the equation of the killed density.
KILLED = Kind(
    "fokker-planck",
    JetOrder(drift=2, diffusion_squared=3, killing=1),
    _killed_fokker_planck,
)

# Not a symmetry, but found by the same means: what makes an algebra infinite-dimensional (see `families`).
INVARIANT = Kind("invariant", JetOrder(drift=0, diffusion=0, diffusion_squared=0), _invariant)
# Nor is this: random symmetries at one place of the Wiener process (see `formulas/proved/slices.py`).
COMMUTANT = Kind("commutant", JetOrder(drift=1, diffusion=1), _commutant)

KINDS = {kind.name: kind for kind in (ITO, LAW, FOKKER_PLANCK, RANDOM)}

# Names as sentences have them: "these Itô symmetries".
SPOKEN = {"ito": "Itô", "law": "law", "fokker-planck": "Fokker–Planck", "random": "random"}


def kind_from_data(name: object) -> Kind:
    """The kind with this name, if it can be found from trajectories."""
    kind = kind_named(name)
    if kind.extended:
        raise InputError(
            f"A {SPOKEN[kind.name]} symmetry depends on the Wiener process, which trajectories do not record; ask for "
            f"{', '.join(other.name for other in KINDS.values() if not other.extended)}, or solve an equation."
        )
    return kind


def kind_named(name: object) -> Kind:
    """The kind with this name; capitals and underscores are accepted."""
    if isinstance(name, Kind):
        return name
    kind = KINDS.get(str(name).lower().replace("_", "-"))
    if kind is None:
        raise InputError(f"Symmetry kind {name!r} is unknown; choose one of {', '.join(KINDS)}.")
    return kind
