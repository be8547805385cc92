"""The symmetry search on a real recording: 1 µm latex spheres in water, filmed at 24 frames a second.

    LIESTONET_DATA=… python experiments/colloid.py    # prints a table for several lags, in two frames of reference
    python experiments/colloid.py --only-page         # the same from kept results, without the recording

The recording is not part of this project; docs/colloid.md says where it comes from and reads the table.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.result import Result
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FILE = "colloid/bulk_water_tracks.csv.gz"
COLUMNS = {"time": "t_s", "trajectory": "particle", "state": ["x_nodrift_um", "y_nodrift_um"]}
LAGS = (1, 3, 6, 12)
KNOWN = ("∂t", "∂x", "∂y", "2t∂t + x∂x + y∂y", "x∂y − y∂x")


def recording() -> lsn.Trajectories:
    """All tracks, less the flow common to all particles, in micrometres and seconds."""
    folder = os.environ.get("LIESTONET_DATA")
    if not folder:
        raise InputError("Set LIESTONET_DATA to the folder of the recordings.")
    data = lsn.Trajectories.read(Path(folder) / FILE, **COLUMNS)
    return lsn.Trajectories.from_arrays(data.times, data.states, ["x", "y"], units={"t": "s", "x": "um", "y": "um"})


def from_the_start(data: lsn.Trajectories) -> lsn.Trajectories:
    """Every track relative to its first point: time and displacement since then."""
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
    """Excess kurtosis of single steps, in units of √Δt: 0 for a Gaussian, large if some steps are far too long."""
    increments = data.increments()
    steps = increments.dx / np.sqrt(increments.dt)[:, None]
    steps = steps - steps.mean(axis=0)
    return float(np.mean(np.mean(steps**4, axis=0) / np.mean(steps**2, axis=0) ** 2 - 3))


def counts(result: Result) -> str:
    """Numbers of directions by verdict: symmetries, near-symmetries, undecided."""
    verdicts = [row.verdict for row in result.ladder]
    return " + ".join(str(verdicts.count(verdict)) for verdict in ("symmetry", "near-symmetry", "undecided"))


def brownian_generators(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The law symmetries of free Brownian motion in the plane, in the order of KNOWN."""
    zero, one = np.zeros_like(t), np.ones_like(t)
    tau = np.stack([one, zero, zero, 2 * t, zero])
    xi = [np.zeros_like(x), np.stack([one, zero], 1), np.stack([zero, one], 1), x, np.stack([-x[:, 1], x[:, 0]], 1)]
    return tau, np.stack(xi)


def only(position: int) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """One of the generators of `brownian_generators`."""

    def generator(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tau, xi = brownian_generators(t, x)
        return tau[[position]], xi[[position]]

    return generator


FROM_THE_START = "each track from its first point"
VIEWS: dict[str, Callable[[lsn.Trajectories], lsn.Trajectories]] = {
    "as filmed": lambda data: data,
    FROM_THE_START: from_the_start,
}


def overview() -> dict[str, Any]:
    """The recording in one line."""
    return {"recording": str(recording())}


def look(view: str, lag: int) -> dict[str, Any]:
    """The result in a frame of reference at a lag, for one line of the table."""
    data = VIEWS[view](recording()).thin(lag)
    law, ito = (lsn.discover(data, symmetry=kind, formulas=False) for kind in ("law", "ito"))
    return {
        "increments": law.surrogate.overview.count,
        "diffusion": diffusion_constant(law),
        "kurtosis": excess_kurtosis(data),
        "law": counts(law),
        "ito": counts(ito),
        "p_value": min(entry.p_value for entry in law.ladder[: max(int(law.dimension), 1)]),
        "flags": list(dict.fromkeys(flag.code for flag in (*law.flags, *ito.flags))),
        "algebra": law.algebra.name,
    }


def known_angles(view: str, lag: int) -> dict[str, Any]:
    """Angle of each generator of Brownian motion to the best five directions, in the units of the domain."""
    result = lsn.discover(VIEWS[view](recording()).thin(lag), symmetry="law", formulas=False)
    t, x = result.surrogate.overview.points[::20, 0], result.surrogate.overview.points[::20, 1:]
    scale = result.domain.half[0], result.domain.half[1:]
    best = result.candidates(5)
    return {"angles": [float(lsn.principal_angles(only(k), best, t, x, scale=scale)[0]) for k in range(len(KNOWN))]}


def jobs(seeds: int | None) -> list[Job]:
    """The jobs of the study, without seeds, since the recording is fixed."""
    rows = [("look", view, lag) for view in VIEWS for lag in LAGS] + [("known_angles", FROM_THE_START, LAGS[-1])]
    looks = [
        _job(f"{function.replace('_', '-')}-{view.replace(' ', '-')}-{lag}", function, {"view": view, "lag": lag})
        for function, view, lag in rows
    ]
    return [_job("overview", "overview", {}), *looks]


def _job(name: str, function: str, settings: dict[str, Any]) -> Job:
    return Job("colloid", name, f"colloid:{function}", settings, given={"file": FILE, "columns": COLUMNS})


def page(records: list[dict[str, Any]]) -> str:
    """The table as text."""
    lines = [record["recording"] for record in records if "recording" in record]
    head = f"{'lag':>4} {'increments':>10} {'D':>6} {'kurtosis':>8}  {'law':<10} {'Itô':<10} {'p':>7}"
    for view in VIEWS:
        lines += ["", view, f"{head}  {'flags':<16}  algebra of the law"]
        lines += [line(record) for record in records if record.get("view") == view and "law" in record]
    for record in (record for record in records if "angles" in record):
        angles = ", ".join(f"{name} {angle:.1f}°" for name, angle in zip(KNOWN, record["angles"], strict=True))
        lines += ["", f"lag {record['lag']}, angle to the five best directions at law level: {angles}"]
    return "\n".join([*lines, ""])


def line(record: dict[str, Any]) -> str:
    """One line of the table."""
    numbers = f"{record['lag']:>4} {record['increments']:>10,} {record['diffusion']:>6.2f} {record['kurtosis']:>8.1f}"
    found = f"{record['law']:<10} {record['ito']:<10} {record['p_value']:>7.2g}"
    return f"{numbers}  {found}  {', '.join(record['flags']) or 'none':<16}  {record['algebra']}"


STUDY = Study(jobs, page, Path(__file__).resolve().parent / "results")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
