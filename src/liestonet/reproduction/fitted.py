"""The true form, fitted: any equation in symbols with factors estimated from data.

Every term of the drift gets a factor by weighted least squares on increments (a drift of zero gets a constant), and the
noise of every coordinate a size by maximum likelihood. Coordinates without noise keep their equation. This is a
comparison and not a bound: independent factors lose symmetries that depend on their ratio (dx = x/2 dt + sqrt(1 + x²)
dW has three with just this factor), and a finite step biases them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.sde.sde import SDE
from liestonet.trajectories.trajectories import Trajectories


def fitted_form(sde: SDE, data: Trajectories) -> SDE:
    """The equation with factors fitted to the data."""
    import sympy

    symbolic, step = sde.symbolic, data.increments()
    if symbolic is None:
        raise ValueError("Factors can be fitted to an equation in symbols only.")
    symbols = (symbolic.time, *symbolic.state)
    variances = np.einsum("bij,bij->bi", *[sde.diffusion(step.t, step.x)] * 2)
    drift, sizes = [], []
    for i in range(sde.dimension):
        if not np.any(variances[:, i]):
            drift.append(symbolic.drift[i])
            sizes.append(sympy.Integer(1))
            continue
        usable = variances[:, i] > 1e-12 * np.median(variances[:, i])
        root = np.sqrt(step.dt / np.where(usable, variances[:, i], np.inf))
        terms = _terms(symbolic.drift[i])
        columns = np.stack([_values(term, symbols, step) for term in terms], axis=1)
        factors = np.linalg.lstsq(columns * root[:, None], step.dx[:, i] / step.dt * root, rcond=None)[0]
        drift.append(sum(float(factor) * term for factor, term in zip(factors, terms, strict=True)))
        rest = (step.dx[:, i] / step.dt - columns @ factors) * root
        sizes.append(sympy.Float(float(np.sqrt(np.mean(rest[usable] ** 2)))))
    diffusion = sympy.diag(*sizes) * sympy.Matrix(symbolic.diffusion)
    return SDE.from_sympy(drift=drift, diffusion=diffusion, state=list(symbolic.state), time=symbolic.time)


def _terms(drift: Any) -> list[Any]:
    """The functions of which a drift is a linear combination."""
    import sympy

    found = [term.as_coeff_Mul()[1] for term in sympy.Add.make_args(sympy.expand(drift))]
    return list(dict.fromkeys(found)) if drift != 0 else [sympy.Integer(1)]


def _values(term: Any, symbols: tuple[Any, ...], step: Any) -> np.ndarray:
    import sympy

    function = sympy.lambdify(symbols, term, "numpy")
    return np.broadcast_to(np.asarray(function(step.t, *step.x.T), dtype=float), step.t.shape)
