"""Level and power of the tests between groups, and the verdicts on groups of one algebra.

    python experiments/groups.py --jobs 2        # all runs, as far as they are not there; docs/group_checks.md

Groups are fitted one by one and then combined into comparisons, each group in one comparison of a row. Seeds begin at
31000 (constants; those of equal groups, fitted again, at 35000), 32000 (algebras) and 37000 (comparisons of whole
searches), each times a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import liestonet as lsn
from liestonet.core.ladder import LadderRow
from liestonet.groups.shared_algebra import Found, shared_algebra
from liestonet.groups.shared_constants import equal_alone, equal_together, trends
from liestonet.reduction.recording.common_equation import constants_on
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

ROOT = Path(__file__).resolve().parent.parent
FIRST_SEED, FIRST_ALGEBRA_SEED, FIRST_WHOLE_SEED = 31_000, 32_000, 37_000
FITTED_AGAIN = {"base": 35_000, "rate 1.1": 35_001, "base again": 35_010}  # with seeds of their own
BATCH, LEVEL, STEP, COMPARED = 20, 0.05, 0.02, 5
x = sympy.Symbol("x", real=True)
LINEAR = (((0,), x), ((0, 0), sympy.Integer(1)))
CUBIC = (((0,), x), ((0,), x**3), ((0, 0), sympy.Integer(1)))


@dataclass(frozen=True)
class Pool:
    """Equal groups: how many are fitted, rate and noise, and the number of paths and of their steps."""

    groups: int
    rate: float = 1.0
    noise: float = 1.0
    paths: int = 100
    steps: int = 100
    wells: bool = False


# Order: what is needed most comes first.
FITTED = {
    "base": Pool(600),
    "rate 1.1": Pool(80, rate=1.1),
    "rate 1.2": Pool(80, rate=1.2),
    "rate 1.3": Pool(80, rate=1.3),
    "rate 1.5": Pool(80, rate=1.5),
    "noise 1.05": Pool(80, noise=1.05),
    "30 paths": Pool(80, paths=30),
    "300 paths": Pool(80, paths=300),
    "wells": Pool(160, wells=True),
    "long": Pool(160, paths=3, steps=3000),
    "base again": Pool(600),
}
SEARCHED = {
    "linear, 300 paths": Pool(80, paths=300),
    "linear, 30 paths": Pool(20, paths=30),
    "linear, rate 1.4, 300 paths": Pool(20, rate=1.4, paths=300),
    "double well, 300 paths": Pool(20, paths=300, wells=True),
}
# Comparisons of whole searches: how many, and the rates of their groups of 100 paths.
WHOLE = {
    "4 groups": (100, (1.0,) * 4),
    "12 groups": (20, (1.0,) * 12),
    "rate 1, 1, 1, 1.5": (20, (1.0, 1.0, 1.0, 1.5)),
}
# Title, the pools of the groups of one comparison, and whether their constants are the same.
COMPARISONS = (
    ("linear, 4 groups", ("base",) * 4, True),
    ("linear, 4 groups, other seeds", ("base again",) * 4, True),
    ("linear, 12 groups", ("base",) * 12, True),
    ("linear, 12 groups, other seeds", ("base again",) * 12, True),
    ("linear, 4 groups of 30, 100, 300 and 100 paths", ("30 paths", "base", "300 paths", "base"), True),
    ("linear, 4 groups of 3 paths of 3,000 steps", ("long",) * 4, True),
    ("double well, 4 groups", ("wells",) * 4, True),
    ("linear, rate 1.0, 1.1, 1.2, 1.3", ("base", "rate 1.1", "rate 1.2", "rate 1.3"), False),
    ("linear, rate 1, 1, 1, 1.5", ("base", "base", "base", "rate 1.5"), False),
    ("linear, noise 1, 1, 1, 1.05", ("base", "base", "base", "noise 1.05"), False),
)
ALGEBRAS = (
    ("linear, 4 groups of 300 paths", ("linear, 300 paths",) * 4, True),
    ("linear, 12 groups of 300 paths", ("linear, 300 paths",) * 12, True),
    ("linear, 30 paths in one group, 300 in three", ("linear, 30 paths", *("linear, 300 paths",) * 3), True),
    ("linear, rate 1.4 in one group", ("linear, rate 1.4, 300 paths", *("linear, 300 paths",) * 3), True),
    ("a double well, three linear", ("double well, 300 paths", *("linear, 300 paths",) * 3), False),
)


def data_of(pool: Pool, seed: int) -> lsn.Trajectories:
    """One group's paths, from the standard normal law."""
    drift = f"{pool.rate}*x - x^3" if pool.wells else f"-{pool.rate}*x"
    return lsn.SDE.parse(f"dx = ({drift}) dt + {pool.noise} dW").simulate(
        initial=lambda rng, count: rng.normal(0, 1, (count, 1)),
        duration=pool.steps * STEP,
        step=STEP,
        paths=pool.paths,
        seed=seed,
    )


def fits(pool: str, seed: int) -> dict[str, Any]:
    """Constants of a batch of groups with their covariances, for known terms of the equation."""
    chosen = FITTED[pool]
    places = CUBIC if chosen.wells else LINEAR
    drawn = [data_of(chosen, seed + k) for k in range(BATCH)]
    found = [constants_on(lsn.fit(data), places, data.measurement) for data in drawn]
    return {
        "groups": [
            {"values": one.values.tolist(), "covariance": one.covariance.tolist(), "fits": one.p_value} for one in found
        ]
    }


def searches(pool: str, seed: int) -> dict[str, Any]:
    """The results of `discover` for a batch of groups."""
    found = []
    for k in range(BATCH):
        result = lsn.discover(data_of(SEARCHED[pool], seed + k), formulas=False)
        name = result.algebra.named
        ladder = [asdict(row) for row in result.ladder[:8]]
        found.append(
            {"dimension": int(result.dimension), "ladder": ladder, "name": name.text, "resolved": name.resolved}
        )
    return {"groups": found}


def wholes(row: str, seed: int) -> dict[str, Any]:
    """Comparisons of groups that were each searched, with terms that the results suggest."""
    rates = WHOLE[row][1]
    found = []
    for k in range(COMPARED):
        drawn = [data_of(Pool(1, rate=rate), seed + 20 * k + place) for place, rate in enumerate(rates)]
        groups = {f"{300 + 10 * place}K": lsn.discover(data) for place, data in enumerate(drawn)}
        comparison = lsn.compare(groups)
        algebra, constants = comparison.algebra, comparison.constants
        record: dict[str, Any] = {"algebra": "" if algebra is None else algebra.verdict, "terms": None}
        if constants is not None:
            record |= {
                "terms": list(constants.terms),
                "left_out": len(constants.left_out),
                "together": constants.together.p_value,
                "alone": min(row.adjusted for row in constants.alone),
                "trend": min(line.adjusted for line in constants.trends),
            }
        found.append(record)
    return {"comparisons": found}


def jobs(seeds: int | None) -> list[Job]:
    """Batches of every pool; `seeds` bounds the groups of each."""
    listed = []
    for kind, pools, first in (("fits", FITTED, FIRST_SEED), ("searches", SEARCHED, FIRST_ALGEBRA_SEED)):
        for place, (name, pool) in enumerate(pools.items()):
            for number in range(0, pool.groups if seeds is None else min(seeds, pool.groups), BATCH):
                own = FITTED_AGAIN.get(name) if kind == "fits" else None
                settings = {"pool": name, "seed": 1000 * (own or first + place) + number}
                given = {"pool": repr(pool), "batch": BATCH}
                job = f"{kind}-{_plain(name)}-{number}"
                listed.append(Job("groups", job, f"groups:{kind}", settings, given=given, cost=pool.paths * pool.steps))
    for place, (name, (count, rates)) in enumerate(WHOLE.items()):
        for number in range(0, count if seeds is None else min(seeds, count), COMPARED):
            settings = {"row": name, "seed": 1000 * (FIRST_WHOLE_SEED + place) + 20 * number}
            given = {"rates": repr(rates), "comparisons": COMPARED}
            listed.append(Job("groups", f"wholes-{_plain(name)}-{number}", "groups:wholes", settings, given=given))
    return listed


def _plain(name: str) -> str:
    return name.replace(" ", "_").replace(",", "")


def pools_of(records: list[dict[str, Any]], kind: str) -> dict[str, list[dict[str, Any]]]:
    """Groups of every pool in the order of their seeds."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in sorted((r for r in records if r["job"].startswith(f"{kind}-")), key=lambda r: r["seed"]):
        found.setdefault(record["pool"], []).extend(record["groups"])
    return found


def sets_of(pools: dict[str, list[Any]], wanted: Sequence[str]) -> Iterator[list[Any]]:
    """Comparisons of different groups."""
    if all(name in pools for name in wanted):
        each = {name: wanted.count(name) for name in wanted}
        for number in range(min(len(pools[name]) // count for name, count in each.items())):
            taken = {name: iter(pools[name][number * count : (number + 1) * count]) for name, count in each.items()}
            yield [next(taken[name]) for name in wanted]


def page(records: list[dict[str, Any]]) -> str:
    fitted, searched = pools_of(records, "fits"), pools_of(records, "searches")
    parts = [
        INTRODUCTION, constants_table(fitted), WHOLES, whole_table(records), ERRORS, errors_table(fitted), BETWEEN,
        algebra_table(searched), MEASURED,
    ]  # fmt: skip
    return "# Tests between groups, measured\n\n" + "\n\n".join(part.strip("\n") for part in parts) + "\n"


def constants_table(pools: dict[str, list[dict[str, Any]]]) -> str:
    lines = [
        "| groups | same constants | comparisons | all constants together | a constant alone (Holm) | a trend (Holm) |",
        "|" + "---|" * 6,
    ]
    for title, wanted, same in COMPARISONS:
        rejected = [_rejections(groups) for groups in sets_of(pools, wanted)]
        if rejected:
            cells = " | ".join(percentage(sum(column), len(rejected)) for column in zip(*rejected, strict=True))
            lines.append(f"| {title} | {'yes' if same else 'no'} | {len(rejected)} | {cells} |")
    return "\n".join(lines)


def _rejections(groups: list[dict[str, Any]]) -> tuple[bool, bool, bool]:
    values = np.array([group["values"] for group in groups])
    covariances = np.array([group["covariance"] for group in groups])
    errors = np.sqrt(np.einsum("gcc->gc", covariances))
    lines = trends(values, errors, 300.0 + 10 * np.arange(len(groups)))
    return (
        equal_together(values, covariances).p_value <= LEVEL,
        min(row.adjusted for row in equal_alone(values, errors)) <= LEVEL,
        min(row.adjusted for row in lines) <= LEVEL,
    )


def whole_table(records: list[dict[str, Any]]) -> str:
    lines = [
        "| groups | comparisons | with the terms x dt and dW | groups left out | all constants together | "
        "a constant alone (Holm) | a trend (Holm) |",
        "|" + "---|" * 7,
    ]
    for name, (_, rates) in WHOLE.items():
        kept = [r for r in records if r["job"].startswith("wholes-") and r["row"] == name]
        found = [one for record in kept for one in record["comparisons"]]
        tested = [one for one in found if one["terms"] is not None]
        if tested:
            usual = sum(one["terms"] == ["x dt", "dW"] for one in tested)
            left = sum(one["left_out"] for one in tested)
            tests = ("together", "alone", "trend")
            cells = " | ".join(percentage(sum(one[test] <= LEVEL for one in tested), len(tested)) for test in tests)
            lines.append(f"| {name} | {len(found)} | {usual} | {left} of {len(tested) * len(rates)} | {cells} |")
    return "\n".join(lines)


def errors_table(pools: dict[str, list[dict[str, Any]]]) -> str:
    lines = [
        "| groups | fits | constant | true | mean | spread | mean error | within 2 errors | spread in errors |",
        "|" + "---|" * 9,
    ]
    for name, pool in FITTED.items():
        rows = pools.get(name, [])
        names = ("x dt", "x³ dt", "dW") if pool.wells else ("x dt", "dW")
        true = (pool.rate, -1.0, pool.noise) if pool.wells else (-pool.rate, pool.noise)
        for k, (constant, value) in enumerate(zip(names, true, strict=True)) if rows else ():
            found = np.array([row["values"][k] for row in rows])
            error = np.sqrt([row["covariance"][k][k] for row in rows])
            inside = int(np.sum(np.abs(found - value) < 2 * error))
            numbers = f"{found.mean():.3f} | {found.std(ddof=1):.3f} | {error.mean():.3f}"
            units = np.std((found - value) / error, ddof=1)
            given = f"{inside} of {len(rows)} | {units:.2f} ± {units / np.sqrt(2 * len(rows)):.2f}"
            lines.append(f"| {name} | {len(rows)} | {constant} | {value:g} | {numbers} | {given} |")
    return "\n".join(lines)


def algebra_table(pools: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| groups | one algebra | comparisons | shared | undecided | different |", "|" + "---|" * 6]
    for title, wanted, same in ALGEBRAS:
        verdicts = [
            shared_algebra([_found(str(k), group) for k, group in enumerate(groups)]).verdict
            for groups in sets_of(pools, wanted)
        ]
        if verdicts:
            counts = " | ".join(str(verdicts.count(word)) for word in ("shared", "undecided", "different"))
            lines.append(f"| {title} | {'yes' if same else 'no'} | {len(verdicts)} | {counts} |")
    return "\n".join(lines)


def _found(label: str, group: dict[str, Any]) -> Found:
    ladder = tuple(LadderRow(**row) for row in group["ladder"])
    return Found(label, group["dimension"], ladder, group["name"], group["resolved"])


def percentage(count: int, total: int) -> str:
    """A percentage with its binomial standard error."""
    share = count / total
    return f"{100 * share:.1f} ± {100 * np.sqrt(share * (1 - share) / total):.1f} %"


INTRODUCTION = """\
*For readers who compare conditions and want to know how often the tests are wrong.*

A test at 5 % should reject 5 % of groups that are alike, and as many as it can of groups that differ. Shares of
comparisons that were rejected at 5 %, with their binomial standard errors:
"""
WHOLES = """\
The same after a whole search in every group, with the terms that the results suggest, as in `discover --by`. A group is
left out where the common equation does not fit it (1 %), or where it excludes symmetries of others:
"""
ERRORS = """\
The tests are as good as the constants and errors that go into them. These are the fits that the comparisons are made
of; "base" has rate 1, noise 1 and 100 paths of 100 steps, the others differ in what their name says:
"""
BETWEEN = """\
Whether groups share an algebra is said after a whole search in every group. Groups that have one algebra are "shared"
or, where data are few, "undecided"; "different" is wrong for all rows but the last, where one group has another
equation:
"""
MEASURED = """\
## How this was measured

`python experiments/groups.py --jobs 2`. Fits of base, base again and rate 1.1 and the comparisons of whole searches are
of one code, with seeds that were used for nothing before; the other fits and the searches are of earlier code. After
these runs the factor by which weights spread σ was corrected from 1 + 22/m to 1 + 16/m, m the increments in a cell
([method](method.md), §4.1): errors of σ in base are now 1.2 % smaller.

- Linear: dx = −k x dt + s dW; double well: dx = (x − x³) dt + dW. Euler steps of 0.02, 100 steps a path unless the row
  says otherwise, from the standard normal law, marked as exact Euler steps.
- Groups are fitted one by one and then put together, each in one comparison of a row; rows share groups.
- The first table takes the terms of the equation as known (x dt and dW, for the double well x³ dt too), so that it
  measures the tests alone; seeds from 35,000,000 (base, base again, rate 1.1) and from 31,000,000. The searches have
  seeds from 32,000,000, the comparisons of whole searches from 37,000,000.
- The condition of the trend is 300, 310, … K. A trend is rejected if that of any of the constants is.
- An earlier version (code 86cfa28d9800, as the other fits here) rejected 13 ± 3 % of 150 comparisons of equal groups of
  a hundred paths at 5 %. The errors of σ then were those of scores alone, while weights that are made of the same
  increments spread it more: its spread in errors was 1.08 ± 0.03 in 600 fits.
- "Spread in errors" is the standard deviation of (found − true)/error, 1 where errors are right.
- Rows with few comparisons bound a rate only loosely; the same command without `--only-page` runs those that are listed
  in the script and not there yet.
"""

STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "group_checks.md")

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
