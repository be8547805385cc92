"""Not in the paper: the three kinds of symmetry compared on the same data."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.core.angles import principal_angles
from liestonet.pipeline.discover import discover
from liestonet.pipeline.solve import solve
from liestonet.reproduction.cases import CASES, EXAMPLES, POINTS, central_points
from liestonet.reproduction.engines import described
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table, spread
from liestonet.symmetry.statistical.verdicts import Criteria

FIRST_SEED = 4200
KINDS = ("ito", "law", "fokker-planck")
# The box for the exact equation: between these quantiles of the states in this share of the first seed's data.
QUANTILES, BOX_SHARE = (0.01, 0.99), 0.1


def run(case: str, kind: str, seed: int, share: float) -> dict[str, Any]:
    """Dimension found and, where exact generators are known, the angle at the true one."""
    what = CASES[case]
    system, data = catalogue[what.system], what.data(seed, share)
    result = discover(data, symmetry=kind, formulas=False)
    true = int(system.dimension(kind)) if kind in system.kinds else None
    record: dict[str, Any] = {"found": result.dimension, "true": true, "name": result.algebra.name}
    if true and true <= result.directions.count:
        t, x = central_points(data)
        record["angle"] = float(principal_angles(result.candidates(true), system.generators(kind), t, x)[-1])
    return record


def gap(case: str, kind: str) -> dict[str, Any]:
    """The exact equation on the box of the data: the relative residual of the nearest direction that is no symmetry."""
    what = CASES[case]
    system, data = catalogue[what.system], what.data(FIRST_SEED, BOX_SHARE)
    low, high = np.quantile(data.flat_states, QUANTILES, axis=0)
    box = [(data.flat_times.min(), data.flat_times.max()), *zip(low, high, strict=True)]
    result = solve(system.sde, kind, [(float(a), float(b)) for a, b in box], formulas=False)
    others = [row.residual for row in result.ladder if row.verdict != "symmetry"]
    return {"gap": min(others, default=None)}


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every example with every kind, and the exact gap for each."""
    share = 0.1 if options.quick else 1.0
    pairs = [(case, kind) for case in (EXAMPLES[:2] if options.quick else EXAMPLES) for kind in KINDS]
    seeds = range(FIRST_SEED, FIRST_SEED + options.count(10))
    return [gap_job(*pair) for pair in pairs] + [_run_job(*pair, seed, share) for pair in pairs for seed in seeds]


def gap_job(case: str, kind: str) -> ItemJob:
    """The exact gap of one case and kind."""
    box = {"seed": FIRST_SEED, "share": BOX_SHARE, "quantiles": QUANTILES, "data": CASES[case].described}
    settings = {"case": case, "kind": kind}
    # revision 2: directions that are no symmetries come from the solver's last round
    return ItemJob("kinds", f"{case}-{kind}-exact", "kinds:gap", settings, revision=2, cost=5, given=box)


def _run_job(case: str, kind: str, seed: int, share: float) -> ItemJob:
    settings = {"case": case, "kind": kind, "seed": seed, "share": share}
    asked = {"engine": described("spectral", case), "standards": asdict(Criteria())}
    given = {**asked, "data": CASES[case].described, "points": POINTS}
    return ItemJob("kinds", f"{case}-{kind}-{seed}", "kinds:run", settings, cost=15, given=given)


@dataclass(frozen=True)
class Group:
    """The runs of one case and kind, and the exact residual of the nearest direction that is no symmetry."""

    case: str
    kind: str
    runs: list[dict[str, Any]]
    nearest: float | None

    @property
    def true(self) -> int | None:
        """The true dimension, where it is known."""
        return self.runs[0]["true"]

    @property
    def right(self) -> int:
        """How many runs found it."""
        return sum(run["found"] == self.true for run in self.runs)

    @property
    def row(self) -> tuple[Any, ...]:
        """A line of the table."""
        counts = sorted(Counter(run["found"] for run in self.runs).items())
        found = ", ".join(f"{dimension} ({count})" for dimension, count in counts)
        right = None if self.true is None else f"{self.right} of {len(self.runs)}"
        angle = spread([run.get("angle") for run in self.runs], "°")
        return (CASES[self.case].title, self.kind, self.true, found, right, angle, spread([self.nearest]))


def groups(records: list[dict[str, Any]]) -> list[Group]:
    """The records by case and kind, in the order of the table."""
    made = []
    for case in EXAMPLES:
        for kind in KINDS:
            both = [r for r in records if r["case"] == case and r["kind"] == kind]
            nearest = next((r["gap"] for r in both if "gap" in r), None)
            made.append(Group(case, kind, [r for r in both if "found" in r], nearest))
    return [group for group in made if group.runs]


def publish(records: list[dict[str, Any]]) -> Publication:
    """How often each kind's dimension is right, and the angle."""
    made = groups(records)
    columns = ("case", "kind", "true dimension", "found (runs)", "right", "largest angle", "nearest other direction")
    return Publication(_sentence(made), {"dimensions": Table(columns, tuple(group.row for group in made))})


def _sentence(made: list[Group]) -> str:
    """A paragraph on the kinds, and how often dimensions are right with and without a near-symmetry."""
    tolerance = Criteria().tolerance
    known = [(group, group.nearest) for group in made if group.true is not None and group.nearest is not None]
    near = [group for group, nearest in known if nearest < tolerance]
    far = [group for group, nearest in known if nearest >= tolerance]
    where = ", ".join(f"{CASES[group.case].title} {group.kind}" for group in near)
    return (
        "`Spectral()` on three kinds: Itô symmetries keep the Wiener process, law symmetries the law, Fokker–Planck "
        "ones the equation of the density (modulo superposition). The last column is computed from the exact "
        "equation: the relative residual of the nearest direction that is no symmetry, on the box between the "
        f"{QUANTILES[0]:.0%} and {QUANTILES[1]:.0%} quantiles of {BOX_SHARE:.0%} of the first seed's data. Where it is "
        f"above the tolerance of {tolerance:.0%}, {_counted(far)}; where it is below ({where or 'nowhere'}), "
        f"{_counted(near)}. A direction counts if its residual does not differ significantly from zero and is "
        "significantly below the tolerance. Where more are found than there are symmetries, the angle at the true "
        "dimension depends on which of them come first."
    )


def _counted(made: list[Group]) -> str:
    return f"the dimension is right in {sum(g.right for g in made)} of {sum(len(g.runs) for g in made)} runs"


ITEM = Item("kinds", "The three kinds of symmetry compared", jobs, publish, cut="`Neural()`, `Neural.paper`")
