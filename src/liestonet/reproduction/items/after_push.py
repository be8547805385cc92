"""After-push residuals of Examples 1 to 4, with floor and control."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import Any

from liestonet.catalogue import catalogue
from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import TITLES, described, discovered
from liestonet.reproduction.items import paper_push
from liestonet.reproduction.paper import AFTER_PUSH
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table
from liestonet.validation.after_push import after_push
from liestonet.validation.tuning import AFTER_PUSH as TUNING

FIRST_SEED = 4700
FRESH, PATHS = paper_push.FRESH, paper_push.PATHS
PUSHED = PATHS / 2048
SEEDS = {"spectral": 10, "neural": 5, "paper": 1}
COSTS = {"spectral": 60, "neural": 60}
EPSILONS = (1.0, 3.0, 5.0)
MARGIN, MOST_POINTS = TUNING.margin, TUNING.most_points
UNITS = {1: 1e-4, 3: 1e-4, 5: 1e-3}  # in which the paper prints, with one digit behind the point
NEAR = 2  # times the floor's mean square
COMPONENTS = ("drift", "diffusion")
Row = dict[str, Any]


def run(case: str, engine: str, seed: int, share: float = 1.0) -> dict[str, Any]:
    """Push new paths of the true system along the generators found, fit, and compare with the truth."""
    what = CASES[case]
    data = what.data(seed, share)
    result = discovered(case, engine, data, seed)
    fresh = what.data(FRESH + seed, min(share, PUSHED) if case != "ex2" else share)
    truth = catalogue[what.system].sde
    rows = after_push(data, result.fields, EPSILONS, truth=truth, fresh=fresh, seed=seed)
    return {"rows": [asdict(row) for row in rows]}


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: every example and engine; except in quick studies, the paper's own check with its own settings."""
    share = 0.1 if options.quick else 1.0
    engines = ("spectral",) if options.quick else ("spectral", "neural")
    ours = [
        _job(case, engine, seed, share)
        for engine in engines
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(SEEDS[engine]))
        for case in (EXAMPLES[:2] if options.quick else EXAMPLES)
    ]
    return ours + ([] if options.quick else paper_push.jobs(options.count(SEEDS["paper"])))


def _job(case: str, engine: str, seed: int, share: float) -> ItemJob:
    given = {
        "engine": described(engine, case),
        "data": CASES[case].described,
        "epsilons": EPSILONS,
        "fresh": FRESH,
        "pushed": PUSHED,
        "points": MOST_POINTS,
        "margin": MARGIN,
    }
    settings = {"case": case, "engine": engine, "seed": seed, "share": share}
    name = f"{case}-{engine}-{seed}"
    return ItemJob("after-push", name, "after_push:run", settings, cost=COSTS[engine], given=given)


def publish(records: list[dict[str, Any]]) -> Publication:
    """Tables in the paper's layout: drift and diffusion for each generator and ε."""
    theirs = [r for r in records if "engine" not in r]
    records = [r for r in records if "engine" in r]
    tables = {f"{epsilon:.0f}": _table(records, epsilon) for epsilon in EPSILONS}
    tables |= {"paper": paper_push.table(theirs)} if theirs else {}
    parts = (WHAT, DIFFERENT, _agreement(records), paper_push.sentence(theirs))
    return Publication("\n\n".join(filter(None, parts)), tables)


WHAT = f"""Mean squared errors of drift and diffusion in a fit to pushed paths (drift / diffusion). The
floor is the same fit to paths that were not pushed, the control a push along a random field of equal norm. A residual
at the floor shows no effect at this data size. All cells are medians over runs, in brackets the least
and the largest, since a few runs with diverging flows would dominate a mean; *runs* counts those with a
residual. A dash: the flow carries too much of the data out of the box or to infinity (e^{{2t}}∂t blows up at ε =
½e^{{−2t}}); *lost* is the median number of points that left the box by more than {MARGIN:g} half-widths or blew up,
before what is left was fitted."""
DIFFERENT = f"""What differs from the paper: at most {MOST_POINTS:,} points are pushed, fewer than its {PATHS} paths
have, and the spectral surrogate is fitted to them whatever engine found the generators. These are numbered as found:
the same row need not be the same field of the span. The diffusion is a = σσᵀ, not σ. The paper evaluates on a fixed
box and states neither box nor units; ours are (T δf/L)² and (T δa/L²)² on the box of the data that were fitted, T and
L its half-widths. Residual and floor so have a box each: a push that stretches the data makes the same error smaller
in units of them, and one that loses points leaves another part of the box, which is why a residual can lie below its
floor. Where a random push by ε leaves nothing that can be fitted, the control is one by 0.3, 0.1 or 0.03 ε. The paper
prints neither floor nor control."""


def _agreement(records: list[dict[str, Any]]) -> str:
    """The verdict, and how often a push along a generator stays at the floor, compared with a random field."""
    lines = ["As far as numbers without units can be compared:"]
    lines += [_verdict(records, engine) + _at_the_floor(records, engine) for engine in SEEDS]
    lines.append(
        "Above the floor the error of the generator itself shows, which a long push multiplies (exponentially along "
        "generators such as e^{at}∂x or x∂x), and can exceed the control's."
    )
    return " ".join(line for line in lines if line)


def _verdict(records: list[dict[str, Any]], engine: str) -> str:
    """A sentence: in how many cells the median, and in how many the floor, is at most the paper's number."""
    pairs = {epsilon: _pairs(records, engine, epsilon, "residual") for epsilon in EPSILONS}
    floors = [pair for epsilon in EPSILONS for pair in _pairs(records, engine, epsilon, "floor")]
    if not floors:
        return ""
    reached = {epsilon: sum(ours <= theirs for ours, theirs in found) for epsilon, found in pairs.items()}
    counts = ", ".join(f"{reached[epsilon]} of {len(found)} at ε = {epsilon:g}" for epsilon, found in pairs.items())
    all_of_them, half_of_them = sum(reached.values()) == len(floors), 2 * sum(reached.values()) >= len(floors)
    how = "reproduces" if all_of_them else "reproduces in part" if half_of_them else "does not reproduce"
    return (
        f"{TITLES[engine]} {how} the paper's table; its median is at most the paper's number in {counts} (drift and "
        f"diffusion of every generator). In {sum(ours > theirs for ours, theirs in floors)} of {len(floors)} our floor "
        "alone is larger: the paper's number is below the accuracy of a fit to so many points."
    )


def _pairs(records: list[dict[str, Any]], engine: str, epsilon: float, part: str) -> list[tuple[float, float]]:
    """Our median and the paper's number, for every example, generator, drift and diffusion with a residual."""
    pairs = []
    for case in EXAMPLES:
        for k, theirs in enumerate(AFTER_PUSH[int(epsilon)][case]):
            rows = [row for row in _rows(records, case, engine, k, epsilon) if row["residual"]]
            for name, number in zip(COMPONENTS, theirs, strict=True):
                if rows:
                    pairs.append((median(_sizes(rows, part, name)), number or _half_a_digit(epsilon)))
    return pairs


def _at_the_floor(records: list[dict[str, Any]], engine: str) -> str:
    """A sentence: how often both mean squares are close to the floor, for the generators and for random pushes."""
    mine = [row for r in records if r["engine"] == engine for row in r["rows"] if row["residual"] and row["floor"]]
    counts = [
        f"{sum(_near(row['residual'], row['floor']) for row in rows)} of {len(rows)} at ε = {epsilon:g} (control "
        f"{sum(_near(row['control'], row['floor']) for row in rows)})"
        for epsilon in EPSILONS
        if (rows := [row for row in mine if row["epsilon"] == epsilon])
    ]
    return f" At most {NEAR} times the floor, drift and diffusion, are {', '.join(counts)}." if counts else ""


def _near(value: Row | None, floor: Row) -> bool:
    """Whether both mean squares are close to the floor; values that are not finite, stored as None, are not."""
    return value is not None and all(
        None not in (value[name], floor[name]) and value[name] <= NEAR * floor[name] for name in COMPONENTS
    )


def _rows(records: list[dict[str, Any]], case: str, engine: str, k: int, epsilon: float) -> list[Row]:
    return [
        row
        for r in records
        if (r["case"], r["engine"]) == (case, engine)
        for row in r["rows"]
        if (row["generator"], row["epsilon"]) == (k, epsilon)
    ]


def _sizes(rows: list[Row], part: str, name: str) -> list[float]:
    """One number of every run; infinity for values that were not finite."""
    return [float("inf") if row[part][name] is None else row[part][name] for row in rows if row[part]]


def _table(records: list[dict[str, Any]], epsilon: float) -> Table:
    """The table with a row for every example, generator and engine with runs."""
    rows = []
    for case in EXAMPLES:
        for k, numbers in enumerate(AFTER_PUSH[int(epsilon)][case]):
            for engine in SEEDS:
                found = _rows(records, case, engine, k, epsilon)
                if found:
                    paper = " / ".join(_printed(number, epsilon) for number in numbers)
                    rows.append((CASES[case].title, k + 1, paper, TITLES[engine], *_cells(found)))
    columns = (
        f"case (ε = {epsilon:g})",
        "generator",
        "paper",
        "engine",
        "runs",
        "residual",
        "floor",
        "control",
        "lost",
    )
    return Table(columns, tuple(rows))


def _cells(found: list[Row]) -> tuple[Any, ...]:
    there = [row for row in found if row["residual"]]
    runs = len(there) if len(there) == len(found) else f"{len(there)} of {len(found)}"
    lost = f"{median(row['left'] + row['blew_up'] for row in there):,.0f}" if there else None
    return (runs, _middle(there, "residual", extremes=True), _middle(there, "floor"), _middle(there, "control"), lost)


def _middle(rows: list[Row], part: str, *, extremes: bool = False) -> str | None:
    """Median of drift and diffusion over runs, optionally with the least and the largest."""
    both = [_sizes(rows, part, name) for name in COMPONENTS]
    if not both[0]:
        return None
    ends = [f" ({min(sizes):.0e} to {max(sizes):.0e})" if extremes and len(sizes) > 1 else "" for sizes in both]
    return " / ".join(f"{median(sizes):.1e}{end}" for sizes, end in zip(both, ends, strict=True))


def _printed(number: float, epsilon: float) -> str:
    """The paper's number with its digits; zero is shown as below half of the last digit."""
    if number == 0:
        return f"< {_half_a_digit(epsilon):.0e}"
    short = f"{number:.1e}"
    return short if float(short) == number else f"{number:.2e}"


def _half_a_digit(epsilon: float) -> float:
    return 0.05 * UNITS[int(epsilon)]


ITEM = Item(
    "after-push",
    "After-push residuals",
    jobs,
    publish,
    cut="the paper's check with `Neural.paper`: more than one seed; on Example 4 a tenth of the surrogate's steps",
    uncut="--seeds 3",
)
