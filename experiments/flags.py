"""How often each flag about the data is raised without reason, and how often with.

`python experiments/flags.py CLEAN FAULTY` takes so many seeds a system for clean and for faulty data, else 10 each.

Clean data are simulations of every catalogue system of up to three coordinates; faulty data are the same made worse on
purpose, or simulated with the wrong noise. Writes docs/flags.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

import liestonet as lsn
from liestonet.diagnostics.expansion import ORDER, coefficient_sizes, step_terms
from liestonet.diagnostics.report import data_flags
from liestonet.sde.jets import Derivative, derivatives
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories

PAGE = Path(__file__).resolve().parent.parent / "docs" / "flags.md"
SEEDS = [int(argument) for argument in sys.argv[1:3]] or [10, 10]
CLEAN_SEEDS, FAULT_SEEDS = range(7200, 7200 + SEEDS[0]), range(7250, 7250 + SEEDS[-1])
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


def main() -> None:
    """Measure, print and write the page."""
    clean = Counter[str]()
    sets, unjustified, examples = 0, Counter[str](), {}
    for name, data, sde in clean_data():
        surrogate = lsn.fit(data)
        flags = {flag.code for flag in data_flags(surrogate)}
        sets += 1
        clean.update(flags)
        truth = true_sizes(surrogate, sde)
        false = {code for code in flags if not justified(code, truth)}
        unjustified.update(false)
        for code in flags:
            examples.setdefault(code, {}).setdefault(name, 0)
            examples[code][name] += 1
        if flags:
            report(f"{name}: {', '.join(sorted(flags))}; true additions {truth[0]:.3f}, errors {truth[1]:.2f}")
    report(f"{sets} clean data sets")
    power = {}
    for fault, code, make in FAULTS:
        found, tries = Counter[str](), 0
        for data in make():
            tries += 1
            found.update(flag.code for flag in data_flags(lsn.fit(data)))
        power[fault] = code, found, tries
        report(f"{fault}: {code} in {found[code]} of {tries}; all flags {dict(found)}")
    PAGE.write_text(page(sets, clean, unjustified, examples, power), encoding="utf-8")


def report(line: str) -> None:
    """One line of progress."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# ---- clean data and the truth about them


def clean_data() -> Iterator[tuple[str, Trajectories, lsn.SDE]]:
    """Every small system of the catalogue, as many paths as give the same number of increments."""
    for name in lsn.catalogue:
        system = lsn.catalogue[name]
        if system.sde.dimension <= MOST_COORDINATES:
            for seed in CLEAN_SEEDS:
                yield name, simulated(name, seed), system.sde


def simulated(name: str, seed: int, increments: int = INCREMENTS) -> Trajectories:
    """About so many increments of a system."""
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
    """One set of parameters, and derivatives that are absent because they vanish."""
    return {
        key: np.asarray(arrays[key])[..., None] if key in arrays else np.zeros((*shape, 1))
        for key in derivatives(shape[1] + 1, 2)
    }


def size(values: np.ndarray) -> float:
    """Root mean square over points of the length."""
    return float(np.sqrt(np.sum(values**2) / len(values)))


def justified(code: str, truth: tuple[float, float]) -> bool:
    """Whether clean data deserve a flag: coverage is a count, two others have a true size to compare with."""
    added, error = truth
    return (
        code == "coverage" or (code == "coarse-steps" and added > 0.05) or (code == "too-little-data" and error > 0.2)
    )


# ---- faulty data


def worse(**how: float) -> Callable[[], Iterator[Trajectories]]:
    """Catalogue data through `degrade`."""

    def make() -> Iterator[Trajectories]:
        for name in SYSTEMS:
            for seed in FAULT_SEEDS:
                blur = int(how.get("blur", 1))
                yield simulated(name, seed, blur * INCREMENTS).degrade(
                    seed=seed, relative=True, **{**how, "blur": blur}
                )

    return make


def changed(
    change: Callable[[Trajectories], Trajectories], names: tuple[str, ...] = SYSTEMS, increments: int = INCREMENTS
) -> Callable[[], Iterator[Trajectories]]:
    """Catalogue data through a function."""

    def make() -> Iterator[Trajectories]:
        for name in names:
            for seed in FAULT_SEEDS:
                yield change(simulated(name, seed, increments))

    return make


def driven(noise: Callable[[np.random.Generator, int, float], Iterator[np.ndarray]]) -> Callable:
    """dx = −x dt + noise, 128 paths of 200 steps of 0.01, with any noise."""

    def make() -> Iterator[Trajectories]:
        for seed in FAULT_SEEDS:
            rng, paths, steps, dt = np.random.default_rng(seed), 128, 200, 0.01
            states, source = [rng.uniform(-2, 2, paths)], noise(rng, paths, dt)
            for _ in range(steps):
                states.append(states[-1] * (1 - dt) + next(source))
            yield Trajectories.from_arrays(dt * np.arange(steps + 1), np.stack(states, axis=1)[:, :, None])

    return make


def student(freedom: float) -> Callable:
    """Independent steps of Student's distribution with unit diffusion."""

    def noise(rng: np.random.Generator, paths: int, dt: float) -> Iterator[np.ndarray]:
        while True:
            yield np.sqrt(dt * (freedom - 2) / freedom) * rng.standard_t(freedom, paths)

    return noise


def jumping(rate: float, height: float) -> Callable:
    """Gaussian steps, and jumps of a normal height at a rate."""

    def noise(rng: np.random.Generator, paths: int, dt: float) -> Iterator[np.ndarray]:
        while True:
            jump = (rng.random(paths) < rate * dt) * height * rng.standard_normal(paths)
            yield np.sqrt(dt) * rng.standard_normal(paths) + jump

    return noise


def remembering(memory: float) -> Callable:
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
    """Values on a grid of this part of the typical step of each coordinate."""

    def change(data: Trajectories) -> Trajectories:
        grid = part * np.sqrt(np.mean(data.increments().dx ** 2, axis=0))
        return Trajectories.from_arrays(data.times, [np.round(x / grid) * grid for x in data.states])

    return change


def joined(column: Callable[[np.ndarray], np.ndarray]) -> Callable[[Trajectories], Trajectories]:
    """One more coordinate, a function of the others."""
    return lambda data: Trajectories.from_arrays(data.times, [np.column_stack([x, column(x)]) for x in data.states])


def first_only(data: Trajectories) -> Trajectories:
    """The first coordinate alone."""
    return Trajectories.from_arrays(data.times, [x[:, :1] for x in data.states])


def along_diagonal(data: Trajectories) -> Trajectories:
    """Paths that begin near x = y, cut after two steps."""
    kept = [k for k, x in enumerate(data.states) if abs(x[0, 0] - x[0, 1]) < 0.15]
    return Trajectories.from_arrays([data.times[k][:3] for k in kept], [data.states[k][:3] for k in kept])


def after_one_step(data: Trajectories) -> Trajectories:
    """Paths that end when they have hardly begun to move."""
    return Trajectories.from_arrays([t[:2] for t in data.times], [x[:2] for x in data.states])


FAULTS: list[tuple[str, str, Callable[[], Iterator[Trajectories]]]] = [
    ("measurement noise of 0.1 steps (below what matters)", "measurement-noise", worse(noise=0.1)),
    ("measurement noise of 0.2 steps", "measurement-noise", worse(noise=0.2)),
    ("measurement noise of 0.5 steps", "measurement-noise", worse(noise=0.5)),
    ("blur over 2 frames", "blur", worse(blur=2)),
    ("blur over 5 frames", "blur", worse(blur=5)),
    ("30 % of the frames dropped (no fault)", "coarse-steps", worse(drop=0.3)),
    ("5 % of the paths (6 or 7)", "too-little-data", worse(keep=0.05)),
    ("2 % of the paths (2 or 3)", "too-little-data", worse(keep=0.02)),
    ("thinned by 20", "coarse-steps", changed(lambda data: data.thin(20))),
    ("thinned by 50", "coarse-steps", changed(lambda data: data.thin(50))),
    ("steps of Student's t, 10 degrees of freedom", "heavy-tails", driven(student(10))),
    ("steps of Student's t, 5 degrees of freedom", "heavy-tails", driven(student(5))),
    ("steps of Student's t, 3 degrees of freedom", "heavy-tails", driven(student(3))),
    ("jumps of size 1, one in 10 time units", "jumps", driven(jumping(0.1, 1.0))),
    ("jumps of size 3, one in 50 time units", "jumps", driven(jumping(0.02, 3.0))),
    ("noise that remembers 0.2 steps (told as blur)", "blur", driven(remembering(0.002))),
    ("noise that remembers 0.5 steps", "coloured-noise", driven(remembering(0.005))),
    ("noise that remembers 5 steps (a hidden velocity)", "positions-only", driven(remembering(0.05))),
    ("positions of a Langevin particle", "positions-only", changed(first_only, ("langevin",))),
    ("positions of a harmonic oscillator", "positions-only", changed(first_only, ("harmonic",))),
    ("values rounded to 0.5 steps", "quantised", changed(rounded(0.5))),
    ("values rounded to whole steps", "zero-steps", changed(rounded(1.0))),
    ("y = 2x + 1 beside x", "dependent", changed(joined(lambda x: 2 * x[:, 0] + 1), SYSTEMS[:1])),
    ("y = exp(x) beside x", "dependent", changed(joined(lambda x: np.exp(x[:, 0])), SYSTEMS[:1])),
    ("r = √(x² + y²) beside x and y", "dependent", changed(joined(lambda x: np.hypot(*x.T)), SYSTEMS[2:])),
    ("short paths from near x = y only", "coverage", changed(along_diagonal, SYSTEMS[2:], 40 * INCREMENTS)),
    ("paths of one step", "little-motion", changed(after_one_step, SYSTEMS[:1], 200 * INCREMENTS)),
]


# ---- the page


def page(sets: int, clean: Counter, unjustified: Counter, examples: dict, power: dict) -> str:
    """docs/flags.md."""
    lines = [
        "# Flags about the data",
        "",
        "`discover` looks at the data behind an answer and raises a flag where something would spoil it. Each flag has",
        "a test at a small error rate (0.1 % for correlations and tails, 0.5 % for steps) *and* a size below which it",
        "stays silent, so that large data do not flag trifles. The remedy stands in `flag.action`.",
        "",
        f"Measured by `python experiments/flags.py {SEEDS[0]} {SEEDS[-1]}`: {sets} clean data sets of about",
        f"{INCREMENTS:,} increments (every",
        f"catalogue system of up to {MOST_COORDINATES} coordinates, {len(CLEAN_SEEDS)} seeds), and faulty data of",
        f"{len(FAULT_SEEDS)} seeds a system, from {CLEAN_SEEDS[0]} on; none was looked at while the flags",
        "were made.",
        "",
        "| code | raised when | action | false alarms on clean data |",
        "|---|---|---|---|",
    ]
    for code, (meaning, action) in MEANINGS.items():
        lines.append(f"| `{code}` | {meaning} | {action} | {false_alarms(code, sets, clean, unjustified, examples)} |")
    lines += [
        "",
        "A flag that clean data deserve is no false alarm: `coarse-steps` where the true coefficients change by more",
        "than 5 % within a step, `too-little-data` where the fit is wrong by more than 20 %, and `coverage`, a count.",
        "",
        "| fault | flag | raised | other flags |",
        "|---|---|---|---|",
    ]
    for fault, (code, found, tries) in power.items():
        others = ", ".join(f"`{other}` {count}" for other, count in found.items() if other != code) or "–"
        lines.append(f"| {fault} | `{code}` | {found[code]} of {tries} | {others} |")
    return "\n".join([*lines, ""])


def false_alarms(code: str, sets: int, clean: Counter, unjustified: Counter, examples: dict) -> str:
    """Counts in words."""
    text = f"{unjustified[code]} of {sets}"
    deserved = clean[code] - unjustified[code]
    if deserved:
        names = ", ".join(f"{name} {count}" for name, count in examples[code].items())
        text += f" ({deserved} deserved: {names})"
    return text


if __name__ == "__main__":
    main()
