"""Results for the page: one, two and ten coordinates, densities, no symmetry, and undecided directions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import liestonet as lsn
from liestonet.algebra.structure import find_algebra
from liestonet.core.domain import Domain
from liestonet.core.ladder import LadderRow
from liestonet.core.points import lattice_cloud
from liestonet.formulas.formula import Formula
from liestonet.render.html import render_page
from liestonet.result import Result
from liestonet.result.findings import EquationFindings
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields


def bead() -> lsn.Trajectories:
    """Data of a bead in a trap, with units and without measurement settings."""
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=200, seed=3)
    units = {"t": "s", "x": "um"}
    return lsn.Trajectories(data.flat_times, data.flat_states, data.offsets, data.names, units)


def one_coordinate() -> Result:
    """The result for the bead."""
    return lsn.discover(bead())


def two_coordinates() -> Result:
    """A particle with friction and noise, from few paths."""
    return lsn.discover(lsn.catalogue["langevin"].simulate(paths=50, seed=1), formulas=False)


def ten_coordinates() -> Result:
    """The result of `solve` for Brownian motion in ten dimensions, assembled from its exact generators."""
    n = 10
    names = tuple(f"x{i + 1}" for i in range(n))
    domain = Domain(((0.0, 1.0), *(((-1.0, 1.0),) * n)), chosen=True)
    degrees = np.concatenate([np.zeros((1, n + 1), dtype=int), np.eye(n + 1, dtype=int)])
    basis = Basis(domain, domain.half, (degrees,) * (n + 1))
    symbols = [sympy.Symbol(name, real=True) for name in names]
    time, zero, one = sympy.Symbol("t", real=True), sympy.Integer(0), sympy.Integer(1)
    rows: list[tuple[Any, list[Any]]] = [
        (one, [zero] * n),
        *((zero, [one if j == i else zero for j in range(n)]) for i in range(n)),
    ]
    rows.append((2 * time, list(symbols)))
    fields = _projected(basis, [sympy.lambdify((time, *symbols), [tau, *xi]) for tau, xi in rows])
    cloud = lattice_cloud(domain, 300)
    return Result(
        symmetry="ito",
        dimension=n + 2,
        names=names,
        domain=domain,
        fields=fields,
        directions=fields,
        ladder=(LadderRow(1e-15, 0.0, 1e-15, 0.0, 1.0, "symmetry"),) * (n + 2),
        algebra=find_algebra(fields, cloud.points, cloud.weights),
        flags=(),
        findings=EquationFindings(lsn.catalogue["brownian-10d"].sde, bound=n + 2, gap=math.inf),
        closed_forms=tuple(Formula(tau, tuple(xi), sympy.Integer(0), "proved", 0.0) for tau, xi in rows),
    )


def _projected(basis: Basis, functions: list[Any]) -> Fields:
    """Fields that are affine in every variable, by least squares in the basis."""
    points = lattice_cloud(basis.domain, 100).points
    tables = basis.tables(points, 0)
    coefficients = np.zeros((basis.size, len(functions)))
    for k, function in enumerate(functions):
        values = np.array([function(*point) for point in points], dtype=float)
        for unknown in range(len(basis.degrees)):
            matrix = basis.functions(tables, unknown, ())
            coefficients[basis.columns(unknown), k] = np.linalg.lstsq(matrix, values[:, unknown], rcond=None)[0]
    return Fields(basis, coefficients)


def densities() -> Result:
    """The six Fokker–Planck symmetries of the trapped bead."""
    return lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), "fokker-planck")


def no_symmetry() -> Result:
    """An equation without symmetries."""
    return lsn.discover(lsn.catalogue["opening-well"].simulate(paths=512, seed=13), formulas=False)


def undecided() -> Result:
    """Too few data to decide anything."""
    return lsn.discover(lsn.catalogue["linear"].simulate(paths=300, seed=2), formulas=False)


MAKERS = {
    "1-D": one_coordinate,
    "2-D": two_coordinates,
    "10-D": ten_coordinates,
    "Fokker-Planck": densities,
    "dimension 0": no_symmetry,
    "undecided": undecided,
}


@cache
def made(name: str) -> Result:
    """One of these results, computed once."""
    return MAKERS[name]()


@cache
def page_of(name: str) -> str:
    """The page of one of these results, rendered once."""
    return made_for_all(f"{name}.html", lambda: render_page(made(name)))


def has_symmetries(name: str) -> bool:
    """Whether a result has symmetries, without loading it for tests of its page."""
    return made_for_all(f"{name}.count", lambda: str(made(name).fields.count)) != "0"


def made_for_all(name: str, make: Callable[[], str]) -> str:
    """A text that one process of a test run makes for all processes."""
    path = Path(os.environ["LIESTONET_TEST_RUN"], name)
    if not path.exists():
        own = path.with_name(f"{name}-{os.getpid()}")
        own.write_text(make(), encoding="utf-8")
        own.replace(path)
    return path.read_text(encoding="utf-8")
