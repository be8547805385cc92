"""Results of every sort, made once, and a comparison that is independent of the storage code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy
from scipy import sparse

import liestonet as lsn


def solved(text: str, symmetry: str = "ito", **options: Any) -> Callable[[], Any]:
    return lambda: lsn.solve(lsn.SDE.parse(text), symmetry, **options)


def from_callables() -> Any:
    """A result for callables: a drift that is no polynomial, two noises for two coordinates."""
    sde = lsn.SDE(
        lambda t, x: np.stack([np.sin(x[:, 1]), -x[:, 0] + t], axis=1),
        lambda t, x: np.broadcast_to(np.eye(2), (len(t), 2, 2)) * (1 + x[:, :1, None] ** 2),
        dimension=2,
        names=["u", "v"],
    )
    return lsn.solve(sde, "law", [(0, 1), (-1, 1), (-1, 1)], formulas=False)


def with_kinks() -> Any:
    """A result for functions with kinks outside the box, and a coordinate with an unusual name."""
    x = sympy.Symbol("x_{1}")
    sde = lsn.SDE.from_sympy([sympy.Abs(x) + sympy.floor(x / 10)], [[1 + sympy.Max(x, 0)]], [x])
    return lsn.solve(sde, domain=[(0, 1), (1, 2)])


def paths(text: str, count: int, low: float = -2.0, high: float = 2.0) -> Any:
    sde = lsn.SDE.parse(text)

    def initial(rng: Any, paths: int) -> Any:
        return rng.uniform(low, high, (paths, sde.dimension))

    return sde.simulate(initial=initial, duration=0.5, step=0.01, paths=count, seed=3)


def discovered(text: str, count: int, symmetry: str = "ito", **options: Any) -> Callable[[], Any]:
    return lambda: lsn.discover(paths(text, count), symmetry=symmetry, **options)


def discovered_in_logarithms() -> Any:
    """A result for a positive coordinate over a wide range, with a name and units."""
    found = paths("dx = x dt + x dW", 60, 0.5, 8.0)
    named = lsn.Trajectories.from_arrays(found.times, found.states, ["price"], units={"price": "EUR", "t": "d"})
    return lsn.discover(named, formulas=False)


CASES: dict[str, Callable[[], Any]] = {
    "1-D": solved("dx = x dt + dW"),
    "1-D law, two noises": solved("dx = x/2 dt + dW1 + x dW2", "law", formulas=False),
    "1-D Fokker-Planck": solved("dx = -x dt + dW", "fokker-planck"),
    "2-D": solved("dx = y dt; dy = -y dt + sqrt(2) dW"),
    "2-D law": solved("dx = dW1; dy = dW2", "law", formulas=False),
    "2-D Fokker-Planck": solved("dx = dW1; dy = dW2", "fokker-planck", formulas=False),
    "3-D": solved("dx = dW1; dy = x dt + dW2; dz = y dt", formulas=False),
    "dimension 0": solved("dx = (x - x^3 + sin(t)) dt + dW"),
    "infinite": solved("dx = dW; dy = y dt", formulas=False),
    "singular": solved("dx = 1/x dt + dW", domain=[(0, 1), (0.05, 2)]),
    "parameters": solved("dx = -k*x dt + s dW"),
    "no formula": solved("dx = sin(x) dt + (2 + cos(x)) dW", formulas=True),
    "kinks and a name": with_kinks,
    "callables": from_callables,
    "data 1-D": discovered("dx = -x dt + dW", 120),
    "data 1-D Fokker-Planck": discovered("dx = dW", 60, "fokker-planck", formulas=False),
    "data 2-D, one noise": discovered("dx = y dt; dy = -y dt + dW", 60, formulas=False),
    "data, dimension 0": discovered("dx = -x dt + dW", 60, dimension=0),
    "data in logarithms": discovered_in_logarithms,
}

SLOW: dict[str, Callable[[], Any]] = {
    "data 2-D law": discovered("dx = dW1; dy = dW2", 120, "law"),
    "data 3-D": discovered("dx = dW1; dy = -y dt + dW2; dz = y dt", 200, formulas=False),
    "10-D": solved("; ".join(f"dx{i} = dW{i}" for i in range(1, 11)), formulas=False),
    "infinite with formulas": solved("dx = dW; dy = y dt"),
    "1-D law with parameters": solved("dx = k*x dt + s*x dW", "law"),
}


@cache
def result(case: str) -> Any:
    return (CASES | SLOW)[case]()


def difference(a: Any, b: Any, where: str = "result") -> str | None:
    """The first place where two values differ, None where they are the same, bit by bit and type by type."""
    if isinstance(a, lsn.SDE):
        return None if isinstance(b, lsn.SDE) and str(a) == str(b) and a.names == b.names else where
    if isinstance(a, np.ndarray):
        same = isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        return None if same and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") else where
    if isinstance(a, np.generic):
        a = a.item()
    if isinstance(a, float) and a != a:
        return None if isinstance(b, float) and b != b else where
    if type(a) is not type(b):
        return f"{where}: {type(a).__name__} became {type(b).__name__}"
    if isinstance(a, sympy.Basic | sympy.MatrixBase):
        return None if a == b and sympy.srepr(a) == sympy.srepr(b) else where
    if isinstance(a, sparse.csr_array):
        return None if a.shape == b.shape and not abs(a - b).nnz else where
    if is_dataclass(a):
        kept = [f.name for f in fields(a) if not f.name.startswith("_") and f.name not in ("operator", "folds")]
        pairs = [(getattr(a, name), getattr(b, name), name) for name in kept]
    elif isinstance(a, dict):
        if list(a) != list(b):
            return where
        pairs = [(a[key], b[key], str(key)) for key in a]
    elif isinstance(a, list | tuple):
        if len(a) != len(b):
            return where
        pairs = [(x, y, str(i)) for i, (x, y) in enumerate(zip(a, b, strict=True))]
    else:
        return None if a == b else where
    found = (difference(x, y, f"{where}.{name}") for x, y, name in pairs)
    return next((place for place in found if place is not None), None)


def points(result: Any, count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Random points of a result's domain."""
    rng = np.random.default_rng(5)
    both = result.domain.centre + result.domain.half * rng.uniform(-1, 1, (count, len(result.names) + 1))
    return both[:, 0], both[:, 1:]
