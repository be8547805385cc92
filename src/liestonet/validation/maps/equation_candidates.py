"""Maps that may be symmetries of an equation, suggested by theory or by the form of the coefficients.

Every linear symmetry about a point c that it fixes commutes with the derivative of the drift at c, if the drift
vanishes there; with different real eigenvalues only sign changes of its eigenvectors remain (docs/method.md §14.5).
These are candidates only; each has to be proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.optimize

from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.validation.maps.affine import (
    AffineMap,
    about,
    keeps_turns,
    plane_rotations,
    signed_permutations,
    with_turned_angles,
)
from liestonet.validation.tuning import DISCRETE

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


def affine_candidates(coefficients: SymbolicCoefficients, domain: Domain, periods: Sequence[Any]) -> list[AffineMap]:
    """Distinct candidates x → c + M (x − c), with shifts of time where the equation has a period in time."""
    import sympy

    n = coefficients.dimension
    shifts = time_shifts(coefficients)
    found: dict[tuple[float, ...], AffineMap] = {}
    turned = (_time_period(shifts), *periods[1:])
    for centre in centres(coefficients, domain):
        for matrix in matrices(coefficients, centre):
            for shift in (sympy.Integer(0), *shifts):
                _add(found, AffineMap.of(matrix, about(matrix, centre), shift, turned))
    turns = turn_lengths(coefficients, periods)
    for matrix in matrices(coefficients, (sympy.Integer(0),) * n) if any(turns) else ():
        if keeps_turns(matrix, turns):
            for offset in with_turned_angles(matrix, turns):
                _add(found, AffineMap.of(matrix, offset, 0, turned))
    for offset in translations(coefficients, periods):
        _add(found, AffineMap.of(sympy.eye(n), offset, 0, turned))
    for shift in shifts:
        _add(found, AffineMap.of(sympy.eye(n), None, shift, turned))
    identity = AffineMap.of(sympy.eye(n), periods=turned).element.key
    return [each for key, each in found.items() if key != identity]


def _add(found: dict[tuple[float, ...], AffineMap], made: AffineMap) -> None:
    found.setdefault(made.element.key, made)


def _time_period(shifts: Sequence[Any]) -> Any:
    """The largest shift of time that leaves the equation unchanged; zero where there is none."""
    return max(shifts, key=float, default=0)


def time_shifts(coefficients: SymbolicCoefficients) -> list[Any]:
    """A period of the equation in time, and its half and third, if all terms in time have a common period."""
    import sympy

    t = coefficients.time
    entries: list[Any] = [*coefficients.drift, *coefficients.diffusion]
    nodes: set[Any] = {node for entry in entries for node in entry.atoms(sympy.sin, sympy.cos) if node.has(t)}
    if not nodes or any(entry.subs({node: 0 for node in nodes}).has(t) for entry in entries):
        return []
    rates = [node.args[0].coeff(t) for node in nodes]
    if any(rate == 0 or (node.args[0] - rate * t).has(t) for rate, node in zip(rates, nodes, strict=True)):
        return []
    ratios = [sympy.nsimplify(rate / rates[0]) for rate in rates]
    if not all(ratio.is_Rational for ratio in ratios):
        return []
    period = 2 * sympy.pi / (abs(rates[0]) * sympy.gcd_list([abs(ratio) for ratio in ratios]))
    return [sympy.simplify(period / k) for k in (1, 2, 3)]


def translations(coefficients: SymbolicCoefficients, periods: Sequence[Any]) -> Iterator[list[Any]]:
    """Shifts of one coordinate by a period of the sines of it, or by parts of its own period."""
    import sympy

    n = coefficients.dimension
    for i, rates in enumerate(_rates(coefficients)):
        if periods[i + 1]:
            for k in range(2, DISCRETE.largest_part + 1):
                yield [periods[i + 1] / k if j == i else 0 for j in range(n)]
            continue
        for rate in rates[: DISCRETE.most_rates]:
            yield [2 * sympy.pi / rate if j == i else 0 for j in range(n)]


def turn_lengths(coefficients: SymbolicCoefficients, periods: Sequence[Any]) -> list[Any]:
    """For every coordinate its period, or that of its sines if they have one; zero where there is none."""
    import sympy

    found = []
    for period, rates in zip(periods[1:], _rates(coefficients), strict=True):
        alone = 2 * sympy.pi / rates[0] if len(rates) == 1 else sympy.Integer(0)
        found.append(period or alone)
    return found


def _rates(coefficients: SymbolicCoefficients) -> list[list[Any]]:
    """For every coordinate the different factors that it has in arguments of sines and cosines."""
    import sympy

    entries: list[Any] = [*coefficients.drift, *coefficients.diffusion]
    nodes: set[Any] = {node for entry in entries for node in entry.atoms(sympy.sin, sympy.cos)}
    zero = sympy.Integer(0)
    return [sorted({abs(node.args[0].coeff(x)) for node in nodes} - {zero}, key=str) for x in coefficients.state]


def centres(coefficients: SymbolicCoefficients, domain: Domain) -> list[tuple[Any, ...]]:
    """The origin, points where the drift vanishes at all times, and their mean."""
    import sympy

    n = coefficients.dimension
    found = [(sympy.Integer(0),) * n]
    zeros = _zeros(coefficients, domain)
    exact = [tuple(exact_number(float(value)) for value in zero) for zero in zeros]
    if len(zeros) > 1:
        exact.append(tuple(exact_number(float(value)) for value in np.mean(zeros, axis=0)))
    return list(dict.fromkeys([*found, *exact]))[: DISCRETE.most_centres]


def exact_number(value: float) -> Any:
    """The simple number, or simple multiple of π, near one that was found numerically; else the number itself."""
    import sympy

    from liestonet.formulas.exact_numbers import recognise

    error = 1e-9 * max(1.0, abs(value))
    found = recognise(float(value), error)
    if found is None:
        turns = recognise(float(value) / float(np.pi), error)
        found = None if turns is None else turns * sympy.pi
    return sympy.Float(value) if found is None else found


def _zeros(coefficients: SymbolicCoefficients, domain: Domain) -> list[np.ndarray]:
    """Zeros of the drift inside the box, by Newton's method from points all over it.

    Zeros that fill a line or more are left out: they are equivalent under a continuous symmetry.
    """
    import sympy

    entries: list[Any] = [*coefficients.drift]
    if any(entry.has(coefficients.time) for entry in entries):
        return []
    n = coefficients.dimension
    drift = sympy.lambdify(coefficients.state, entries, ["scipy", "numpy"])
    slopes = coefficients.drift.jacobian(sympy.Matrix(coefficients.state))
    jacobian = sympy.lambdify(coefficients.state, slopes, ["scipy", "numpy"])
    half, centre = domain.half[1:], domain.centre[1:]
    found: list[np.ndarray] = []
    flat: list[np.ndarray] = []
    starts = [centre, *lattice_cloud(domain, DISCRETE.starts).points[:, 1:]]
    for start in starts:
        with np.errstate(all="ignore"):
            try:
                root = scipy.optimize.root(
                    lambda x: np.array(drift(*x), dtype=float),
                    start,
                    jac=lambda x: np.array(jacobian(*x), dtype=float).reshape(n, n),
                    tol=1e-13,
                )
            except (ValueError, TypeError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError):
                continue
        place = root.x
        good = root.success and np.isfinite(place).all()
        if not good or (np.abs(place - centre) > DISCRETE.reach * half).any():
            continue
        place = np.where(np.abs(place) < 1e-10 * half, 0.0, place)
        sizes = np.linalg.svd(np.array(jacobian(*place), dtype=float).reshape(n, n) * half, compute_uv=False)
        known = flat if n > 1 and sizes[-1] <= DISCRETE.flat_zero * sizes[0] else found
        if all(np.abs(place - other).max() > 1e-7 * half.max() for other in known):
            known.append(place)
    found += flat if len(flat) <= DISCRETE.most_flat else []
    return sorted(found, key=lambda place: float(np.abs((place - centre) / half).sum()))[: DISCRETE.most_centres]


def matrices(coefficients: SymbolicCoefficients, centre: Sequence[Any]) -> Iterable[Any]:
    """Signed permutations and rotations where a constant diffusion is the identity; signs of eigenvectors."""
    import sympy

    n = coefficients.dimension
    turns = [*signed_permutations(n), *plane_rotations(n, DISCRETE.orders)]
    found = [sympy.ImmutableMatrix(sympy.eye(n)), *turns]
    root = _constant_root(coefficients)
    if root is not None and root != sympy.eye(n) * root[0, 0]:
        back = root.inv()
        found += [sympy.ImmutableMatrix((root * matrix * back).applyfunc(sympy.simplify)) for matrix in turns]
    found += _spectral(coefficients, centre)
    if n == 2:
        found += _planar_mirrors(coefficients, centre)
    return list(dict.fromkeys(found))


def _constant_root(coefficients: SymbolicCoefficients) -> Any:
    """A lower triangular root of a diffusion that is constant and has full rank; None where it is not."""
    import sympy

    a = coefficients.diffusion_squared
    if a.free_symbols or a.det() == 0:
        return None
    try:
        return sympy.Matrix(a).cholesky(hermitian=False)
    except (ValueError, sympy.matrices.exceptions.MatrixError):
        return None


def _spectral(coefficients: SymbolicCoefficients, centre: Sequence[Any]) -> list[Any]:
    """Σ ±E_i with the projectors on the eigenvectors of ∇f at the centre, where eigenvalues are real and different."""
    import sympy

    slopes = coefficients.drift.jacobian(sympy.Matrix(coefficients.state))
    at: Any = slopes.subs(dict(zip(coefficients.state, centre, strict=True)))
    n = coefficients.dimension
    if at.free_symbols or at.has(sympy.zoo, sympy.nan) or n > DISCRETE.most_spectral:
        return []
    numbers = np.array(at.evalf().tolist(), dtype=complex)
    values = np.linalg.eigvals(numbers)
    apart = min((abs(a - b) for i, a in enumerate(values) for b in values[:i]), default=1.0)
    if np.abs(values.imag).max() > 1e-9 or apart < 1e-6 or at.is_diagonal():
        return []
    try:
        change, _ = at.diagonalize(reals_only=True)
        back = change.inv()
    except (ValueError, NotImplementedError, sympy.matrices.exceptions.MatrixError):
        return []
    found = []
    for signs in product((1, -1), repeat=n):
        if len(set(signs)) > 1:
            found.append(sympy.ImmutableMatrix((change * sympy.diag(*signs) * back).applyfunc(sympy.simplify)))
    return found


def _planar_mirrors(coefficients: SymbolicCoefficients, centre: Sequence[Any]) -> list[Any]:
    """Mirrors z → e^{iα} z̄ of the plane that polynomial coefficients allow.

    A term c z^p z̄^q of f¹ + i f² needs α (p − q − 1) = −2 arg c; the first such term leaves finitely many α.
    """
    import sympy

    x, y = coefficients.state
    z, w = sympy.symbols("z w")
    moved = {x: centre[0] + (z + w) / 2, y: centre[1] + (z - w) / (2 * sympy.I)}
    total = sympy.expand((coefficients.drift[0, 0] + sympy.I * coefficients.drift[1, 0]).subs(moved, simultaneous=True))
    if not total.is_polynomial(z, w) or total.free_symbols - {z, w}:
        return []
    found = []
    for (p, q), factor in sympy.Poly(total, z, w).terms():
        power = p - q - 1
        if power == 0:
            continue
        angle = sympy.simplify(-2 * sympy.arg(factor) / power)
        for j in range(abs(power)):
            alpha = angle + 2 * sympy.pi * j / abs(power)
            c, s = sympy.cos(alpha), sympy.sin(alpha)
            found.append(sympy.ImmutableMatrix([[c, s], [s, -c]]).applyfunc(sympy.simplify))
        break
    return found
