"""Generators that many systems share, as text: Brownian motion, linear and Bessel drift, and their images under maps.

A change of variables x = x(t, w) maps symmetries to symmetries, so a system that is an image of one of these is given
by its map alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from liestonet.catalogue.system import CHOLESKY, FOKKER_PLANCK, ITO, LAW, GeneratorText

Texts = tuple[GeneratorText, ...]
SCALE: GeneratorText = ("0", "0", "1")  # u∂u in one dimension


@dataclass(frozen=True)
class Motion:
    """Generators of a diffusion in its own coordinates: those of Itô, the rotations of the law, those of Fokker–Planck.

    The first two lists have no β; the third is complete, with β, modulo superposition.
    """

    ito: Texts
    turns: Texts
    fokker_planck: Texts

    def symmetries(self) -> dict[str, Texts]:
        """The generators by kind, in the form that `System` takes."""
        return {ITO: self.ito, LAW: self.ito + self.turns, FOKKER_PLANCK: self.fokker_planck}

    def in_gauge(self, ito: Texts) -> dict[str, Texts]:
        """The generators by kind for an equation of the same law with another σ, whose Itô generators are given."""
        return {**self.symmetries(), ITO: ito, CHOLESKY: self.ito}


def product(*factors: str) -> str:
    """The product of factors as text, without factors 1; "0" if a factor is."""
    if "0" in factors:
        return "0"
    kept = [factor for factor in factors if factor != "1"]
    return "*".join(f"({factor})" for factor in kept) if kept else "1"


def total(*terms: str) -> str:
    """The sum of terms as text, without zeros."""
    kept = [term for term in terms if term != "0"]
    return " + ".join(f"({term})" for term in kept) if len(kept) > 1 else (kept[0] if kept else "0")


def brownian_motion(*w: str) -> Motion:
    """n-dimensional standard Brownian motion: n + 2 for Itô, so(n) more for law; those of the heat equation with β."""
    n = len(w)
    none = ("0",) * n
    ito = (("1", *none), *(("0", *_unit(n, i, "1")) for i in range(n)), ("2*t", *w))
    turns = _turns(w)
    boosts = tuple(("0", *_unit(n, i, "t"), f"-({w[i]})") for i in range(n))
    projective = ("t^2", *(product("t", c) for c in w), f"-({_square(w)})/2 - {n}*t/2")
    lifted = tuple((*generator, "0") for generator in ito + turns)
    return Motion(ito, turns, (*lifted, *boosts, projective, ("0", *none, "1")))


def linear_motion(rate: str, *w: str) -> Motion:
    """dw = b w dt + dW with one rate b ≠ 0 for all: a time change of Brownian motion, with as many generators."""
    n, b = len(w), f"({rate})"
    none = ("0",) * n
    grow, fast = f"exp({b}*t)", f"exp(2*{b}*t)"
    fall, slow = f"exp(-{b}*t)", f"exp(-2*{b}*t)"
    moves = tuple(("0", *_unit(n, i, grow)) for i in range(n))
    expansion = (fast, *(product(b, c, fast) for c in w))
    ito = (("1", *none), *moves, expansion)
    turns = _turns(w)
    lifted = (
        *((*generator, "0") for generator in ito[:-1] + turns),
        (*expansion, f"-{n}*{b}*{fast}"),
    )
    boosts = tuple(("0", *_unit(n, i, fall), f"2*{b}*({w[i]})*{fall}") for i in range(n))
    contraction = (slow, *(product(f"-{b}", c, slow) for c in w), f"-2*{b}^2*({_square(w)})*{slow}")
    return Motion(ito, turns, (*lifted, *boosts, contraction, ("0", *none, "1")))


def bessel_motion(strength: str, y: str, rate: str = "0") -> Motion:
    """dy = (A/y + b y)dt + dW with A ≠ 0: Itô 2; Fokker–Planck 4, and 6 at A = 1, the heat equation for u/y."""
    A, b = f"({strength})", f"({rate})"
    linear = Fraction(strength) == 1
    if Fraction(rate) == 0:
        ito: Texts = (("1", "0"), ("2*t", y))
        density: Texts = (("1", "0", "0"), ("2*t", y, "0"), ("t^2", f"t*({y})", f"-({y})^2/2 + ({A} - 1/2)*t"))
        extra: Texts = (("0", "1", f"1/({y})"), ("0", "t", f"t/({y}) - ({y})"))
    else:
        fast, slow = f"exp(2*{b}*t)", f"exp(-2*{b}*t)"
        ito = (("1", "0"), (fast, f"{b}*({y})*{fast}"))
        density = (
            ("1", "0", "0"),
            (fast, f"{b}*({y})*{fast}", f"-{b}*{fast}"),
            (slow, f"-{b}*({y})*{slow}", f"-2*{b}*({b}*({y})^2 + {A})*{slow}"),
        )
        extra = (
            ("0", f"exp({b}*t)", f"exp({b}*t)/({y})"),
            ("0", f"exp(-{b}*t)", f"exp(-{b}*t)*(1/({y}) + 2*{b}*({y}))"),
        )
    return Motion(ito, (), (*density, *(extra if linear else ()), SCALE))


def pushed(
    motion: Motion,
    frame: Sequence[Sequence[str]],
    volume: Sequence[str],
    shift: Sequence[str] | None = None,
) -> Motion:
    """The generators of a diffusion in coordinates x(t, w), as formulas in x.

    `frame[i][j]` is ∂x^i/∂w^j, `volume[i]` is ∂/∂x^i of log det ∂x/∂w (whose time derivative must vanish), `shift[i]`
    is ∂x^i/∂t at fixed w. With a shift the diffusion must be homogeneous in time: its first generator is then ∂t.
    """
    n = len(frame)
    moved = tuple("0" for _ in range(n)) if shift is None else tuple(shift)

    def carry(generator: GeneratorText) -> GeneratorText:
        tau, w = generator[0], generator[1 : n + 1]
        xi = [total(product(tau, moved[i]), *(product(frame[i][j], w[j]) for j in range(n))) for i in range(n)]
        if len(generator) == n + 1:
            return (tau, *xi)
        change = [product("-1", volume[i], xi[i]) for i in range(n)]
        return (tau, *xi, total(generator[n + 1], *change))

    def carried(texts: Texts) -> Texts:
        images = tuple(carry(generator) for generator in texts)
        if shift is None or not texts or texts[0][0] != "1":
            return images
        return (("1", *("0",) * (len(texts[0]) - 1)), *images[1:])

    return Motion(carried(motion.ito), tuple(map(carry, motion.turns)), carried(motion.fokker_planck))


def scalar_image(motion: Motion, noise: str, slope: str) -> Motion:
    """The generators of a scalar diffusion with unit noise, in the coordinate x with σ(x) = dx/dw; `slope` is σ'/σ."""
    return pushed(motion, [[noise]], [slope])


def dressed(motion: Motion, time: str, slope: str, ito: Texts) -> Motion:
    """Doob's h-transform of a scalar diffusion by h(t, x) > 0; `time` and `slope` are the derivatives of log h.

    The densities differ by the factor h, so the Fokker–Planck algebra is the same with X(log h) added to β; the Itô
    algebra is another one, given as `ito`.
    """
    changed = tuple(
        (tau, xi, total(beta, product(tau, time), product(xi, slope))) for tau, xi, beta in motion.fokker_planck
    )
    return replace(motion, ito=ito, fokker_planck=changed)


def _unit(n: int, i: int, value: str) -> GeneratorText:
    return tuple(value if j == i else "0" for j in range(n))


def _square(w: Sequence[str]) -> str:
    return " + ".join(f"({c})^2" for c in w)


def _turns(w: Sequence[str]) -> Texts:
    """The rotations w^i ∂_j − w^j ∂_i of all coordinate planes."""
    n = len(w)
    rows = []
    for i, j in combinations(range(n), 2):
        row = ["0"] * (n + 1)
        row[j + 1], row[i + 1] = w[i], f"-({w[j]})"
        rows.append(tuple(row))
    return tuple(rows)
