"""What the symmetry search makes of a real recording: 1 µm latex spheres in water, filmed at 24 frames a second.

    LIESTONET_DATA=… python experiments/colloid.py    prints a table for several lags, in two frames of reference

The recording is not part of this project; docs/colloid.md says where it comes from and reads the table.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import liestonet as lsn
from liestonet.result import Result

FILE = "colloid/bulk_water_tracks.csv.gz"
COLUMNS = {"time": "t_s", "trajectory": "particle", "state": ["x_nodrift_um", "y_nodrift_um"]}
LAGS = (1, 3, 6, 12)
KNOWN = ("∂t", "∂x", "∂y", "2t∂t + x∂x + y∂y", "x∂y − y∂x")


def recording() -> lsn.Trajectories:
    """All tracks, without the flow that all particles share, in micrometres and seconds."""
    folder = os.environ.get("LIESTONET_DATA")
    if not folder:
        raise SystemExit("Set LIESTONET_DATA to the folder of the recordings.")
    data = lsn.Trajectories.read(Path(folder) / FILE, **COLUMNS)
    return lsn.Trajectories.from_arrays(data.times, data.states, ["x", "y"], units={"t": "s", "x": "um", "y": "um"})


def from_the_start(data: lsn.Trajectories) -> lsn.Trajectories:
    """Every track as seen from its first point: time and displacement since then."""
    times = [t - t[0] for t in data.times]
    states = [x - x[0] for x in data.states]
    return lsn.Trajectories.from_arrays(times, states, list(data.names), units=dict(data.units))


def diffusion_constant(result: Result) -> float:
    """Mean of a/2 over the middle of the domain."""
    centre, half = result.domain.centre, result.domain.half
    points = centre + half * np.random.default_rng(0).uniform(-0.5, 0.5, (500, 3))
    squared = result.surrogate.diffusion_squared(points[:, 0], points[:, 1:])
    return float(np.mean(np.trace(squared, axis1=1, axis2=2)) / 4)


def excess_kurtosis(data: lsn.Trajectories) -> float:
    """Of single steps, in units of √Δt: 0 for a Gaussian, large where some steps are far too long."""
    increments = data.increments()
    steps = increments.dx / np.sqrt(increments.dt)[:, None]
    steps = steps - steps.mean(axis=0)
    return float(np.mean(np.mean(steps**4, axis=0) / np.mean(steps**2, axis=0) ** 2 - 3))


def counts(result: Result) -> str:
    """How many directions got which verdict: symmetries, near-symmetries, undecided."""
    verdicts = [row.verdict for row in result.ladder]
    return " + ".join(str(verdicts.count(verdict)) for verdict in ("symmetry", "near-symmetry", "undecided"))


def brownian_generators(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What free Brownian motion in the plane has at law level, in the order of KNOWN."""
    zero, one = np.zeros_like(t), np.ones_like(t)
    tau = np.stack([one, zero, zero, 2 * t, zero])
    xi = [np.zeros_like(x), np.stack([one, zero], 1), np.stack([zero, one], 1), x, np.stack([-x[:, 1], x[:, 0]], 1)]
    return tau, np.stack(xi)


def only(position: int) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """One of the generators above."""

    def generator(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tau, xi = brownian_generators(t, x)
        return tau[[position]], xi[[position]]

    return generator


def known_angles(data: lsn.Trajectories, lag: int) -> str:
    """Angle of each generator of Brownian motion to the best five directions, in the units of the domain."""
    result = lsn.discover(data.thin(lag), symmetry="law", formulas=False)
    t, x = result.surrogate.overview.points[::20, 0], result.surrogate.overview.points[::20, 1:]
    half = result.domain.half
    parts = []
    for position, name in enumerate(KNOWN):
        angle = lsn.principal_angles(only(position), result.candidates(5), t, x, scale=(half[0], half[1:]))[0]
        parts.append(f"{name} {angle:.1f}°")
    return f"lag {lag}, angle to the five best directions at law level: {', '.join(parts)}"


def row(data: lsn.Trajectories, lag: int) -> str:
    """One line of the table."""
    thinned = data.thin(lag)
    law, ito = (lsn.discover(thinned, symmetry=kind, formulas=False) for kind in ("law", "ito"))
    number = law.surrogate.overview.count
    p_value = min(entry.p_value for entry in law.ladder[: max(int(law.dimension), 1)])
    flags = ", ".join(dict.fromkeys(flag.code for flag in (*law.flags, *ito.flags))) or "none"
    numbers = f"{lag:>4} {number:>10,} {diffusion_constant(law):>6.2f} {excess_kurtosis(thinned):>8.1f}"
    return f"{numbers}  {counts(law):<10} {counts(ito):<10} {p_value:>7.2g}  {flags:<16}  {law.algebra.name}"


def main() -> None:
    data = recording()
    sys.stdout.write(f"{data}\n")
    for title, view in (("as filmed", data), ("each track from its first point", from_the_start(data))):
        head = f"{'lag':>4} {'increments':>10} {'D':>6} {'kurtosis':>8}  {'law':<10} {'Itô':<10} {'p':>7}"
        head += f"  {'flags':<16}  algebra of the law"
        sys.stdout.write(f"\n{title}\n{head}\n")
        for lag in LAGS:
            sys.stdout.write(f"{row(view, lag)}\n")
            sys.stdout.flush()
    sys.stdout.write(f"\n{known_angles(from_the_start(data), LAGS[-1])}\n")


if __name__ == "__main__":
    main()
