"""Writes the files that later versions must still open: `python tests/storage/make_old_files.py`.

Run once for a release whose stored classes changed; files of earlier versions are never written again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn

FOLDER = Path(__file__).resolve().parent / "old"
EQUATIONS = {
    "solve-1d": ("dx = x dt + dW", "ito"),
    "solve-2d": ("dx = y dt; dy = -y dt + sqrt(2) dW", "ito"),
    "solve-law": ("dx = x/2 dt + dW1 + x dW2", "law"),
    "solve-fokker-planck": ("dx = dW", "fokker-planck"),
    "solve-infinite": ("dx = dW; dy = y dt", "ito"),
    "solve-none": ("dx = (x - x^3 + sin(t)) dt + dW", "ito"),
    "solve-parameters": ("dx = -k*x dt + s dW", "ito"),
}


def drift(t: Any, x: Any) -> Any:
    return x


def diffusion(t: Any, x: Any) -> Any:
    return np.ones((len(t), 1, 1))


def paths(text: str, count: int, duration: float, low: float, high: float) -> Any:
    sde = lsn.SDE.parse(text)

    def initial(rng: Any, paths: int) -> Any:
        return rng.uniform(low, high, (paths, sde.dimension))

    return sde.simulate(initial=initial, duration=duration, step=0.02, paths=count, seed=11)


def main() -> None:
    folder = FOLDER / lsn.__version__
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, symmetry) in EQUATIONS.items():
        lsn.solve(lsn.SDE.parse(text), symmetry).save(folder / f"{name}.lsn")
    callables = lsn.SDE(drift, diffusion, dimension=1)
    lsn.solve(callables, domain=[(0, 1), (-1, 1)]).save(folder / "solve-callables.lsn")
    lsn.discover(paths("dx = -x dt + dW", 60, 2.0, -3, 3), dimension=3).save(folder / "discover-1d.lsn")
    found = lsn.discover(paths("dx = dW1; dy = dW2", 40, 2.0, -1, 1), symmetry="law", dimension=5, formulas=False)
    found.save(folder / "discover-2d.lsn")


if __name__ == "__main__":
    main()
