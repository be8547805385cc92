"""How often each flag about the data is a false alarm, and how often it detects a fault.

    python experiments/flags.py              # what is not there yet, then docs/flag_rates.md
    python experiments/flags.py --seeds 10   # ten seeds a system for clean and for faulty data

Clean data are simulations of every catalogue system of up to three coordinates; faulty data are deliberately degraded,
or simulated with the wrong noise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import liestonet as lsn
from liestonet.core.coefficients import Derivative, derivatives
from liestonet.diagnostics.expansion import ORDER, coefficient_sizes, step_terms
from liestonet.diagnostics.report import data_flags
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories

ROOT = Path(__file__).resolve().parent.parent
FIRST_CLEAN, CLEAN_SEEDS, FIRST_FAULTY, FAULTY_SEEDS = 7200, 1, 7250, 3
INCREMENTS, MOST_COORDINATES = 25_600, 3
SYSTEMS = ("ornstein-uhlenbeck", "double-well", "ornstein-uhlenbeck-rotating")

MEANINGS = {
    "dependent": ("coordinates are functions of each other", "leave one out"),
    "zero-steps": ("more than 5 % of the steps are exactly zero", "thin"),
    "quantised": ("values on a grid of more than 0.2 typical steps", "record more digits"),
    "measurement-noise": ("neighbouring steps correlated below −0.02", "thin"),
    "blur": ("correlated above 0.02, over one step only", "shorten the exposure, thin"),
    "coloured-noise": ("correlated over more than one step", "thin, or add the missing coordinate"),
    "positions-only": ("mean squared displacement grows faster than t^1.6", "add the velocity"),
    "heavy-tails": ("outer quantile of the steps more than 8 % too far out", "thin"),
    "jumps": ("steps of more than 1.25 times the Gaussian limit", "split the paths there"),
    "outliers": ("steps 40 times as long as others, there and back", "mark such values as NaN"),
    "coarse-steps": ("a step changes drift or diffusion by more than 7 %", "shorter steps"),
    "too-little-data": (
        "drift or diffusion known to 30 % only, or the ladder to less than the tolerance",
        "more paths",
    ),
    "coverage": ("less than half of the box holds data", "begin paths in the empty part"),
    "little-motion": ("the state moves by less than 5 % of the box", "record for longer, or a narrower range"),
}


def jobs(seeds: int | None) -> list[Job]:
    """Clean data of every small system of the catalogue, then every fault."""
    small = [name for name in lsn.catalogue if lsn.catalogue[name].sde.dimension <= MOST_COORDINATES]
    clean_runs = [
        _job(f"clean-{name}-{seed}", "clean", {"system": name, "seed": seed})
        for name in small
        for seed in range(FIRST_CLEAN, FIRST_CLEAN + (seeds or CLEAN_SEEDS))
    ]
    faulty_runs = [
        _job(f"{_slug(title)}-{name}-{seed}", "faulty", {"fault": title, "system": name, "seed": seed})
        for title, fault in FAULTS.items()
        for name in fault.systems
        for seed in range(FIRST_FAULTY, FIRST_FAULTY + (seeds or FAULTY_SEEDS))
    ]
    return [*clean_runs, *faulty_runs]


def _job(name: str, function: str, settings: dict[str, Any]) -> Job:
    return Job("flags", name, f"flags:{function}", settings, given={"increments": INCREMENTS})


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


# ---- clean data and the truth about them


def clean(system: str, seed: int) -> dict[str, Any]:
    """The flags of clean data, with the true change of coefficients within a step and the true error of the fit."""
    surrogate = lsn.fit(simulated(system, seed))
    added, error = true_sizes(surrogate, lsn.catalogue[system].sde)
    return {"flags": sorted({flag.code for flag in data_flags(surrogate)}), "added": added, "error": error}


def simulated(name: str, seed: int, increments: int = INCREMENTS) -> Trajectories:
    """Simulated paths of a system with about the wanted number of increments."""
    system = lsn.catalogue[name]
    steps = len(system.simulate(paths=1, seed=0).times[0]) - 1
    return system.simulate(paths=-(-increments // steps), seed=seed)


def true_sizes(surrogate: Surrogate, sde: lsn.SDE) -> tuple[float, float]:
    """Largest true relative change of a coefficient within a step, and largest true relative error of the fit."""
    sample = surrogate.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, 400).astype(np.int64)
    t, x = sample.t[rows], sample.x[rows]
    terms = []
    for source in (sde.coefficients(surrogate.domain), surrogate):
        jet = source.jet(t, x, ORDER)
        f = with_zeros(jet.drift, x.shape)
        a = with_zeros(jet.diffusion_squared, (*x.shape, x.shape[1]))
        terms.append(step_terms(surrogate.domain, surrogate.noisy, sample.dt[rows], f, a))
    true, fitted = terms
    drift, diffusion = coefficient_sizes(true)
    added = max(size(true.drift_added) / drift, size(true.diffusion_added) / diffusion)
    error = max(size(true.drift - fitted.drift) / drift, size(true.diffusion - fitted.diffusion) / diffusion)
    return added, error


def with_zeros(arrays: Mapping[Derivative, np.ndarray], shape: tuple[int, ...]) -> dict[Derivative, np.ndarray]:
    """The arrays of a jet with a last axis of length one, and zeros for absent derivatives."""
    return {
        key: np.asarray(arrays[key])[..., None] if key in arrays else np.zeros((*shape, 1))
        for key in derivatives(shape[1] + 1, 2)
    }


def size(values: np.ndarray) -> float:
    """The root mean square, over points, of the length."""
    return float(np.sqrt(np.sum(values**2) / len(values)))


def justified(code: str, record: dict[str, Any]) -> bool:
    """Whether clean data justify a flag: coverage is a count, two others are compared with a true size."""
    limits = {"coarse-steps": record["added"] > 0.05, "too-little-data": record["error"] > 0.2}
    return code == "coverage" or limits.get(code, False)


# ---- faulty data


Make = Callable[[str, int], Trajectories]


@dataclass(frozen=True)
class Fault:
    """Faulty data, from the name of a system and a seed, and the flag that should be raised."""

    code: str
    make: Make
    systems: tuple[str, ...] = SYSTEMS


def faulty(fault: str, system: str, seed: int) -> dict[str, Any]:
    """The flags of faulty data, in their order."""
    return {"flags": [flag.code for flag in data_flags(lsn.fit(FAULTS[fault].make(system, seed)))]}


def worse(**how: float) -> Make:
    """Catalogue data changed by `degrade`."""

    def make(name: str, seed: int) -> Trajectories:
        blur = int(how.get("blur", 1))
        data = simulated(name, seed, blur * INCREMENTS)
        return data.degrade(seed=seed, relative=True, **{**how, "blur": blur})

    return make


def changed(change: Callable[[Trajectories], Trajectories], increments: int = INCREMENTS) -> Make:
    """Catalogue data changed by a function."""
    return lambda name, seed: change(simulated(name, seed, increments))


def driven(code: str, noise: Callable[[np.random.Generator, int, float], Iterator[np.ndarray]]) -> Fault:
    """dx = −x dt + noise, 128 paths of 200 steps of 0.01, with any noise."""

    def make(name: str, seed: int) -> Trajectories:
        rng, paths, steps, dt = np.random.default_rng(seed), 128, 200, 0.01
        states, source = [rng.uniform(-2, 2, paths)], noise(rng, paths, dt)
        for _ in range(steps):
            states.append(states[-1] * (1 - dt) + next(source))
        return Trajectories.from_arrays(dt * np.arange(steps + 1), np.stack(states, axis=1)[:, :, None])

    return Fault(code, make, ("linear-drift",))


def student(freedom: float) -> Callable:
    """Independent steps of Student's distribution with unit diffusion."""

    def noise(rng: np.random.Generator, paths: int, dt: float) -> Iterator[np.ndarray]:
        while True:
            yield np.sqrt(dt * (freedom - 2) / freedom) * rng.standard_t(freedom, paths)

    return noise


def jumping(rate: float, height: float) -> Callable:
    """Gaussian steps, and jumps of normal size at a rate."""

    def noise(rng: np.random.Generator, paths: int, dt: float) -> Iterator[np.ndarray]:
        while True:
            jump = (rng.random(paths) < rate * dt) * height * rng.standard_normal(paths)
            yield np.sqrt(dt) * rng.standard_normal(paths) + jump

    return noise


def coloured(memory: float) -> Callable:
    """Integrals of a stationary Ornstein–Uhlenbeck process of unit spectral density and this correlation time."""

    def noise(rng: np.random.Generator, paths: int, dt: float) -> Iterator[np.ndarray]:
        parts = 10
        keep = np.exp(-dt / parts / memory)
        force = rng.standard_normal(paths) / np.sqrt(2 * memory)
        while True:
            total = np.zeros(paths)
            for _ in range(parts):
                force = keep * force + np.sqrt((1 - keep**2) / (2 * memory)) * rng.standard_normal(paths)
                total += force * dt / parts
            yield total

    return noise


def rounded(part: float) -> Callable[[Trajectories], Trajectories]:
    """Values rounded to a grid, given as a part of the typical step of each coordinate."""

    def change(data: Trajectories) -> Trajectories:
        grid = part * np.sqrt(np.mean(data.increments().dx ** 2, axis=0))
        return Trajectories.from_arrays(data.times, [np.round(x / grid) * grid for x in data.states])

    return change


def joined(column: Callable[[np.ndarray], np.ndarray]) -> Callable[[Trajectories], Trajectories]:
    """The data with one more coordinate, a function of the others."""
    return lambda data: Trajectories.from_arrays(data.times, [np.column_stack([x, column(x)]) for x in data.states])


def first_only(data: Trajectories) -> Trajectories:
    """The data with the first coordinate alone."""
    return Trajectories.from_arrays(data.times, [x[:, :1] for x in data.states])


def along_diagonal(data: Trajectories) -> Trajectories:
    """Paths that begin near x = y, cut after two steps."""
    kept = [k for k, x in enumerate(data.states) if abs(x[0, 0] - x[0, 1]) < 0.15]
    return Trajectories.from_arrays([data.times[k][:3] for k in kept], [data.states[k][:3] for k in kept])


def after_one_step(data: Trajectories) -> Trajectories:
    """Paths that end after one step."""
    return Trajectories.from_arrays([t[:2] for t in data.times], [x[:2] for x in data.states])


FAULTS = {
    "measurement noise of 0.1 steps (below what matters)": Fault("measurement-noise", worse(noise=0.1)),
    "measurement noise of 0.2 steps": Fault("measurement-noise", worse(noise=0.2)),
    "measurement noise of 0.5 steps": Fault("measurement-noise", worse(noise=0.5)),
    "blur over 2 frames": Fault("blur", worse(blur=2)),
    "blur over 5 frames": Fault("blur", worse(blur=5)),
    "30 % of the frames dropped (no fault)": Fault("coarse-steps", worse(drop=0.3)),
    "5 % of the paths (6 or 7)": Fault("too-little-data", worse(keep=0.05)),
    "2 % of the paths (2 or 3)": Fault("too-little-data", worse(keep=0.02)),
    "thinned by 20": Fault("coarse-steps", changed(lambda data: data.thin(20))),
    "thinned by 50": Fault("coarse-steps", changed(lambda data: data.thin(50))),
    "steps of Student's t, 10 degrees of freedom": driven("heavy-tails", student(10)),
    "steps of Student's t, 5 degrees of freedom": driven("heavy-tails", student(5)),
    "steps of Student's t, 3 degrees of freedom": driven("heavy-tails", student(3)),
    "jumps of size 1, one in 10 time units": driven("jumps", jumping(0.1, 1.0)),
    "jumps of size 3, one in 50 time units": driven("jumps", jumping(0.02, 3.0)),
    "noise that remembers 0.2 steps (told as blur)": driven("blur", coloured(0.002)),
    "noise that remembers 0.5 steps": driven("coloured-noise", coloured(0.005)),
    "noise that remembers 5 steps (a hidden velocity)": driven("positions-only", coloured(0.05)),
    "positions of a Langevin particle": Fault("positions-only", changed(first_only), ("langevin",)),
    "positions of a harmonic oscillator": Fault("positions-only", changed(first_only), ("harmonic",)),
    "values rounded to 0.5 steps": Fault("quantised", changed(rounded(0.5))),
    "values rounded to whole steps": Fault("zero-steps", changed(rounded(1.0))),
    "y = 2x + 1 beside x": Fault("dependent", changed(joined(lambda x: 2 * x[:, 0] + 1)), SYSTEMS[:1]),
    "y = exp(x) beside x": Fault("dependent", changed(joined(lambda x: np.exp(x[:, 0]))), SYSTEMS[:1]),
    "r = √(x² + y²) beside x and y": Fault("dependent", changed(joined(lambda x: np.hypot(*x.T))), SYSTEMS[2:]),
    "short paths from near x = y only": Fault("coverage", changed(along_diagonal, 40 * INCREMENTS), SYSTEMS[2:]),
    "paths of one step": Fault("little-motion", changed(after_one_step, 200 * INCREMENTS), SYSTEMS[:1]),
}


# ---- the page


def page(records: list[dict[str, Any]]) -> str:
    """docs/flag_rates.md."""
    clean_runs = [record for record in records if "fault" not in record]
    seeds = [len({record["seed"] for record in records if ("fault" in record) is wrong}) for wrong in (False, True)]
    lines = [
        "# How often flags are right",
        "",
        "*For readers who want to know how reliable a flag, or its absence, is.*",
        "",
        "The first table counts false alarms on clean data, the second how often a known fault is detected. What each",
        "flag means and what to do about it: [flags](flags.md).",
        "",
        "## Clean data",
        "",
        "| code | raised when | action | false alarms on clean data |",
        "|---|---|---|---|",
    ]
    for code, (meaning, action) in MEANINGS.items():
        lines.append(f"| `{code}` | {meaning} | {action} | {false_alarms(code, clean_runs)} |")
    lines += [
        "",
        "## Faulty data",
        "",
        "| fault | flag | raised | other flags |",
        "|---|---|---|---|",
    ]
    for title, fault in FAULTS.items():
        runs = [record for record in records if record.get("fault") == title]
        found = Counter(code for record in runs for code in record["flags"])
        others = ", ".join(f"`{other}` {count}" for other, count in found.items() if other != fault.code) or "–"
        lines.append(f"| {title} | `{fault.code}` | {found[fault.code]} of {len(runs)} | {others} |")
    measured = MEASURED.format(
        sets=len(clean_runs), increments=INCREMENTS, coordinates=MOST_COORDINATES, clean=seeds[0], faulty=seeds[1],
        first=FIRST_CLEAN,
    )  # fmt: skip
    return "\n".join([*lines, measured])


MEASURED = """
## How this was measured

`python experiments/flags.py`: {sets} clean data sets of about {increments:,} increments (every catalogue system of up
to {coordinates} coordinates, {clean} seed each) and faulty data of {faulty} seeds for each system. Seeds begin at
{first}; none was used during development.

Each flag has a test at a small error rate (0.1 % for correlations and tails, 0.5 % for steps) *and* a smallest size, so
that large data sets do not raise flags for trifles. A flag that clean data deserve is not a false alarm: `coarse-steps`
where the true coefficients change by more than 5 % within a step, `too-little-data` where the fit is wrong by more than
20 %, and `coverage`, which is a count.
"""


def false_alarms(code: str, runs: list[dict[str, Any]]) -> str:
    """False alarms in words."""
    raised = [record for record in runs if code in record["flags"]]
    false = sum(not justified(code, record) for record in raised)
    text = f"{false} of {len(runs)}"
    if len(raised) > false:
        names = Counter(record["system"] for record in raised)
        text += f" ({len(raised) - false} deserved: {', '.join(f'{name} {count}' for name, count in names.items())})"
    return text


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "flag_rates.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
