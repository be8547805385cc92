"""Pictures of generators: τ against time and ξ as heat maps, of the spectral engine and of networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import PAPER_READINGS, PAPER_SEED, TITLES, described, discovered
from liestonet.reproduction.figures import svg
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication

SEED = 5000
GRID = 24
COSTS = {"spectral": 10, "neural": 50, "paper": 60}  # the angles have the networks of the paper's settings


def run(case: str, engine: str, seed: int, share: float = 1.0) -> dict[str, Any]:
    """Values of τ on a grid of times, and of ξ over time and the first coordinate, the others at their middle."""
    result = discovered(case, engine, CASES[case].data(seed, share), seed)
    (start, end), (low, high) = result.domain.intervals[:2]
    times, first = np.linspace(start, end, GRID), np.linspace(low, high, GRID)
    t, column = (axis.ravel() for axis in np.meshgrid(times, first, indexing="ij"))
    x = np.repeat(result.domain.centre[None, 1:], len(t), axis=0)
    x[:, 0] = column
    tau, xi = result.generators(t, x)[:2]
    shape = (len(tau), GRID, GRID)
    return {
        "times": times,
        "first": first,
        "tau": np.round(tau.reshape(shape)[:, :, 0], 6),
        "xi": np.round(xi.reshape(*shape, -1), 6),
        "names": list(result.names),
    }


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: one run for each example and engine."""
    if options.quick:
        return [_job(case, "spectral", 0.1) for case in EXAMPLES[:2]]
    return [_job(case, engine, 1.0) for engine in COSTS for case in EXAMPLES]


def _job(case: str, engine: str, share: float) -> ItemJob:
    seed = PAPER_SEED if engine in PAPER_READINGS else SEED
    settings = {"case": case, "engine": engine, "seed": seed, "share": share}
    given = {"engine": described(engine, case), "data": CASES[case].described, "grid": GRID}
    name = f"{case}-{engine}"
    return ItemJob("generators", name, "generators:run", settings, cost=COSTS[engine], given=given)


def publish(records: list[dict[str, Any]]) -> Publication:
    """A figure for each run: a row for each generator."""
    figures = {
        f"{r['case']}-{r['engine']}": svg(
            lambda axes, r=r: _draw(axes, r),
            columns=1 + len(r["names"]),
            rows=len(r["tau"]),
            size=(2.6, 2.0),
        )
        for r in records
    }
    return Publication(
        "A basis of each span as found; any other basis of the same span is as good, so only the spans can be compared "
        "with the truth. Columns are τ(t) and the components of ξ over t and the first coordinate, other coordinates "
        "in the middle of the box.",
        {},
        figures,
    )


def _draw(axes: Any, record: dict[str, Any]) -> None:
    times, first, tau, xi = (np.asarray(record[name]) for name in ("times", "first", "tau", "xi"))
    title = f"{CASES[record['case']].title}, {TITLES[record['engine']].strip('`')}"
    axes[0, 0].set_title(title, fontsize=8)
    for k, row in enumerate(axes):
        row[0].plot(times, tau[k], color="#0072B2")
        row[0].set(xlabel="t", ylabel=f"τ of X{k + 1}")
        for i, ax in enumerate(row[1:]):
            values = xi[k, :, :, i].T
            size = max(float(np.abs(values).max()), 1e-12)
            image = ax.imshow(
                values,
                origin="lower",
                aspect="auto",
                extent=(times[0], times[-1], first[0], first[-1]),
                cmap="RdBu_r",
                vmin=-size,
                vmax=size,
            )
            ax.figure.colorbar(image, ax=ax)
            ax.set(xlabel="t", ylabel=record["names"][0])
            ax.set_title(f"ξ along {record['names'][i]}", fontsize=8)


ITEM = Item(
    "generators",
    "Generators as curves and heat maps",
    jobs,
    publish,
)
