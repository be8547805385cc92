"""Names of the algebras, derived by hand from theory: a check on the names that are computed from generators.

Scalar equations (docs/method.md §2.6): three Itô generators are ∂t, ∂w, 2t∂t + w∂w in some clock and coordinate,
weights 2 and 1, so h = −((2 + 1)/(2 − 1))² = −9; two are ∂t and the scaling. Six generators of the density are
the heat equation's, four those of the inverse-square potential.
"""

from __future__ import annotations

from collections.abc import Mapping

TRIVIAL, LINE, PLANE, SPACE = "trivial", "R", "R^2", "Bianchi I (R^3)"
AFFINE, SIMILARITY, AFFINE_LINE = "aff(1)", "Bianchi VI, h = −9", "Bianchi III (aff(1) ⊕ R)"
SCALAR = {0: TRIVIAL, 1: LINE, 2: AFFINE, 3: SIMILARITY}
SCALAR_DENSITY = {1: LINE, 2: PLANE, 4: "sl(2,R) ⊕ R", 6: "sl(2,R) ⋉ h_3"}


def _of(ito: str, fokker_planck: str, law: str | None = None) -> dict[str, str]:
    return {"ito": ito, "law": law or ito, "fokker-planck": fokker_planck, "ito-cholesky": ito}


def _flat(n: int, weights: str) -> dict[str, str]:
    """Brownian motion in n dimensions: translations and the scaling; rotations for law; the Schrödinger algebra."""
    moves = f"R^{n + 1} with weights {weights}"
    return _of(f"R ⋉ {moves}", f"(sl(2,R) ⊕ so({n})) ⋉ h_{2 * n + 1}", f"(so({n}) ⊕ R) ⋉ {moves}")


TIME_ONLY = _of(LINE, PLANE)
TWO_SHIFTS = _of(PLANE, SPACE)
FLAT_PLANE = _flat(2, "(2, 1, 1)")
# A linear drift with eigenvalues λ has ∂t acting with weights λ on the shifts e^{λt}, for the density also with −λ on
# the conjugate boosts. Two real eigenvalues: h = −((λ₁ + λ₂)/(λ₁ − λ₂))²; a complex pair: h = (Re λ/Im λ)².
FRICTION = _of(AFFINE_LINE, "R ⋉ h_5 with weights (1, 0, 0, −1), not diagonalisable")  # 0 and −1
# x' = v, v' = noise: the boost moves x by t, and sl(2) acts on the four translations of the density as on cubic forms
INTEGRATED = _of("R ⋉ h_3 with weights (2, 1)", "sl(2,R) ⋉ h_5, acting as 4")

SEVERAL: Mapping[str, Mapping[str, str]] = {
    "langevin": FRICTION,
    "langevin-forced": FRICTION,
    "integrated-brownian": INTEGRATED,
    "harmonic": _of("Bianchi VII, h = 1/4", "R ⋉ h_5 with weights (1 ± 2i, −1 ± 2i)"),  # −1 ± 2i
    "harmonic-resonant": INTEGRATED,  # −1 and −3, as for the free particle
    "duffing": TIME_ONLY,
    "pendulum": TIME_ONLY,
    "van-der-pol": TIME_ONLY,
    "bessel-drift": _of(SIMILARITY, FLAT_PLANE["fokker-planck"]),
    "brownian-10d": _flat(10, "(2, 1 ×10)"),
    "brownian-3d": _flat(3, "(2, 1, 1, 1)"),
    "ornstein-uhlenbeck-5d": _flat(5, "(2, 1, 1, 1, 1, 1)"),
    "ornstein-uhlenbeck-2d": FLAT_PLANE,
    "ornstein-uhlenbeck-anisotropic": _of(SIMILARITY, "R ⋉ h_5 with weights (2, 1, −1, −2)"),  # −1 and −2
    "ornstein-uhlenbeck-rotating": _of("Bianchi VII, h = 1/4", FLAT_PLANE["fokker-planck"], FLAT_PLANE["law"]),
    "brownian-gyrator": _of("Bianchi VI, h = −4", "R ⋉ h_5 with weights (3, 1, −1, −3)"),  # −1 and −3
    "geometric-brownian-pair": FLAT_PLANE,
    "heston": TWO_SHIFTS,
    "sabr": TWO_SHIFTS,
    "lotka-volterra": TIME_ONLY,
    "brownian-2d": FLAT_PLANE,
    "brownian-2d-turned": {**FLAT_PLANE, "ito": PLANE},
    "brownian-correlated": FLAT_PLANE,
    "brownian-parabola": FLAT_PLANE,
    "brownian-polar": {**FLAT_PLANE, "ito": AFFINE_LINE, "ito-cholesky": AFFINE_LINE},
    "hyperbolic-plane": _of(AFFINE_LINE, "sl(2,R) ⊕ R^2", "sl(2,R) ⊕ R"),
    "shear-flow": TWO_SHIFTS,
    # [∂t, boost] = ∂x and [∂x, boost] = −u∂u
    "free-and-well": _of(PLANE, "nilpotent, dimension 4, step 3, lower central series (4, 2, 1)"),
    "hopf": _of(LINE, SPACE, PLANE),
    "fitzhugh-nagumo": TIME_ONLY,
    "brusselator": TIME_ONLY,
    "lorenz": TIME_ONLY,
}


def stated_name(key: str, kind: str, coordinates: int, dimension: int) -> str:
    """The name of a finite-dimensional algebra of the catalogue."""
    if coordinates > 1:
        return SEVERAL[key][kind]
    return (SCALAR_DENSITY if kind == "fokker-planck" else SCALAR)[dimension]
