"""All mirrors of a scalar equation: in y = ∫dx/σ they are y → 2c − y, and the drift of y vanishes at c.

With unit noise a symmetry of the law is y → ±y + c, g(±y + c) = ±g(y); at the fixed point of a mirror g = −g
(docs/method.md §14.5). So the few zeros of g are the only possible centres of a mirror.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.optimize

from liestonet.core.domain import Domain
from liestonet.formulas.proved.one_coordinate import real_on
from liestonet.formulas.quadrature import closed_integral
from liestonet.formulas.shortest import shortest
from liestonet.validation.formulas import Formulas
from liestonet.validation.maps.equation_candidates import exact_number
from liestonet.validation.maps.map_input import shown
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.tuning import DISCRETE

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


def mirrors(coefficients: SymbolicCoefficients, domain: Domain) -> list[PointMap]:
    """Mirrors x → y⁻¹(2 y(c) − y(x)) about the zeros of the drift of y, for noise that is not constant."""
    import sympy

    x, t = coefficients.state[0], coefficients.time
    squared = coefficients.diffusion_squared[0, 0]
    noise = real_on(sympy.sqrt(sympy.factor(squared)), (t, x), domain.intervals)
    if noise.has(t) or not noise.has(x):
        return []
    height = closed_integral(shortest(1 / noise), x)
    if height is None:
        return []
    height = real_on(height, (x,), domain.intervals[1:])
    drift = shortest(coefficients.drift[0, 0] / noise - noise.diff(x) / 2)
    variable = sympy.Symbol(x.name, positive=True) if domain.intervals[1][0] > 0 else x
    target = sympy.Dummy("y", real=True)
    try:
        solved = sympy.solve(height.xreplace({x: variable}) - target, variable)
    except (NotImplementedError, ValueError, TypeError):
        return []
    found = []
    for centre in _zeros(drift, coefficients, domain):
        for branch in solved[: DISCRETE.most_branches]:
            level: Any = height.subs(x, centre)
            level = exact_number(float(level)) if centre.has(sympy.Float) else level
            image = branch.xreplace({target: 2 * level - height}).xreplace({variable: x})
            image = shortest(sympy.powsimp(sympy.expand_log(sympy.simplify(image), force=True)))
            if _fixes(image, x, centre, domain):
                entries = (t, image)
                text = shown(entries, ["t", x.name])
                found.append(PointMap(text, (x.name,), Formulas((t, x), (entries,))))
    return found


def _zeros(drift: Any, coefficients: SymbolicCoefficients, domain: Domain) -> list[Any]:
    """Where the drift of y vanishes; if it does everywhere, one simple point of the box."""
    import sympy

    x = coefficients.state[0]
    if sympy.simplify(drift) == 0:
        low, high = domain.intervals[1]
        return [sympy.Integer(1) if low < 1 < high else sympy.nsimplify(domain.centre[1], rational=True)]
    if drift.has(coefficients.time):
        return []
    function = sympy.lambdify(x, drift, ["scipy", "numpy"])
    low, high = domain.intervals[1]
    places = np.linspace(low, high, DISCRETE.looked_at)
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(places), dtype=float), len(places))
    found = []
    for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) <= 0)[: DISCRETE.most_centres]:
        if values[k] == 0:
            found.append(places[k])
        elif np.isfinite(values[k : k + 2]).all() and values[k + 1] != 0:
            found.append(scipy.optimize.brentq(lambda p: float(function(p)), places[k], places[k + 1], xtol=1e-14))
    return [exact_number(float(value)) for value in dict.fromkeys(found)]


def _fixes(image: Any, x: Any, centre: Any, domain: Domain) -> bool:
    """Whether this branch is the mirror: it fixes the centre and reverses its neighbourhood."""
    import sympy

    try:
        place = float(image.subs(x, centre))
        slope = float(image.diff(x).subs(x, centre))
    except (TypeError, ValueError):
        return False
    near = abs(place - float(centre)) < 1e-8 * max(1.0, float(domain.half[1]))
    return bool(near and slope < 0 and sympy.sympify(image).is_real is not False)
