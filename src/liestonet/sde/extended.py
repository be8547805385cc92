"""An equation together with its Wiener processes: dx = f dt + σ dW and dw = dW.

Generators that depend on the noise, φ(t, x, w) ∂x, are ordinary fields in the coordinates of this larger equation
(docs/method.md §2.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.sde.sde import SDE

# Letters for Wiener processes, in order of preference: the first that is no name of a coordinate or parameter is used.
LETTERS = ("w", "W", "w_")


def noise_names(sde: SDE) -> tuple[str, ...]:
    """Names of the Wiener processes of an equation: w, or w1, w2, … if there are several."""
    taken = {"t", *sde.names, *sde.parameters}
    for letter in LETTERS:
        names = (letter,) if sde.noise == 1 else tuple(f"{letter}{k + 1}" for k in range(sde.noise))
        if not taken & set(names):
            return names
    raise InputError(f"All names for Wiener processes ({', '.join(LETTERS)}) are those of coordinates; rename one.")


def extended(sde: SDE) -> SDE:
    """The equation with its Wiener processes as additional coordinates, which come last; periods are kept."""
    if not sde.noise:
        raise InputError("The equation has no noise, so no symmetry can depend on it; ask for symmetry='ito'.")
    names = noise_names(sde)
    larger = _of_callables(sde, names) if sde.symbolic is None else _of_formulas(sde, names)
    return larger.with_periods(dict(sde.periodic)) if sde.periodic else larger


def _of_formulas(sde: SDE, names: Sequence[str]) -> SDE:
    import sympy

    from liestonet.sde.symbolic import SymbolicCoefficients

    given: Any = sde.symbolic
    state = (*given.state, *(sympy.Symbol(name, real=True) for name in names))
    drift = sympy.ImmutableMatrix([*given.drift, *[sympy.Integer(0)] * sde.noise])
    diffusion = sympy.ImmutableMatrix(sympy.Matrix(given.diffusion).col_join(sympy.eye(sde.noise)))
    return SDE.from_coefficients(SymbolicCoefficients(state, given.time, drift, diffusion), sde.flags)


def _of_callables(sde: SDE, names: Sequence[str]) -> SDE:
    n, r = sde.dimension, sde.noise

    def drift(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.concatenate([sde.drift(t, x[:, :n]), np.zeros((len(x), r))], axis=1)

    def diffusion(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        ones = np.broadcast_to(np.eye(r), (len(x), r, r))
        return np.concatenate([sde.diffusion(t, x[:, :n]), ones], axis=1)

    return SDE(drift, diffusion, n + r, r, names=(*sde.names, *names), flags=sde.flags)
