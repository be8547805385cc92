"""The page on a day of prices: every resolution with its checks, the paper's numbers, and conclusions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from liestonet.reproduction.engines import TITLES
from liestonet.reproduction.paper import BTC_AFTER_PUSH, BTC_DIMENSION, BTC_LIKELIHOOD, BTC_TICKS
from liestonet.reproduction.publication import Publication
from liestonet.reproduction.trades import DEVIATIONS, LEAST, NEIGHBOURS
from liestonet.study.tables import Table, spread

Record = dict[str, Any]
LOOKS = "spectral"  # the engine for all resolutions
COUNTS = (1, 2, 3)
COMPONENTS = ("drift", "diffusion")
NEAR = 2  # times the floor's mean square
LEVEL = 0.05
HUNDREDFOLD = 100


def publish(records: list[Record]) -> Publication:
    """The publication: the conclusions for each resolution, then the paper's tables."""
    looks = [r for r in records if "seconds" in r]
    pushed = [r for r in looks if "after_push" in r]
    paper = next((r for r in pushed if _is_the_papers(r)), None)
    recipes = [r for r in records if "curve" in r]
    runs = [r for r in records if "count" in r]
    runs += [
        {**part, "count": part["dimension"], "engine": "paper", "seed": r["seed"]}
        for r in recipes
        for part in r["curve"]
    ]
    tables = {"resolutions": _resolutions(looks), "reasons": _reasons(looks)} if looks else {}
    paragraphs = [_support(looks)] if looks else []
    refused = [f"{' in '.join(_where(r))} was not pushed: {r['not_pushed']}" for r in looks if "not_pushed" in r]
    paragraphs += [" ".join(refused)] if refused else []
    if pushed:
        paragraphs.append(_after_push_in_words(pushed) + (_beside_the_papers_table(paper) if paper else ""))
        tables |= {"after-push": _after_push(paper)} if paper else {}
        tables["after-push-all"] = _after_push_of_all(pushed)
        paragraphs.append(_likelihood_in_words(pushed, paper))
        tables |= {"likelihood": _likelihood(paper)} if paper else {}
        tables["likelihood-all"] = _likelihood_of_all(pushed)
    if runs:
        paragraphs.append(_sweep_in_words(runs))
        tables["sweep"] = _sweep(runs)
    if recipes:
        paragraphs.append(_recipe_in_words(recipes[0]))
        tables |= {"recipe-after-push": _after_push(recipes[0]), "recipe-likelihood": _likelihood(recipes[0])}
    return Publication("\n\n".join(paragraphs), tables)


def _is_the_papers(look: Record) -> bool:
    return look["seconds"] == 0.5 and not look["log"]


def _where(look: Record) -> tuple[str, str]:
    return f"{look['seconds']:g} s", "log price" if look["log"] else "price"


def _support(looks: list[Record]) -> str:
    """A paragraph on what the data support."""
    fine = [r for r in looks if r["seconds"] == 0.5]
    zero = f"{fine[0]['zero']:.0%}" if fine else "many"
    passed = [" in ".join(_where(r)) for r in looks if r["passed"]]
    support = f"Only {', '.join(passed)} passes" if passed else "No resolution passes"
    where = "elsewhere a symmetry" if passed else "every symmetry here"
    dropped, kept = looks[0]["trades_dropped"], looks[0]["trades_kept"]
    return (
        "The paper states neither its day nor how it filtered the prices. Ours drops a trade that is more than "
        f"{1e3 * LEAST:g} ‰ and {DEVIATIONS:g} robust deviations off the {NEIGHBOURS} trades before and the "
        f"{NEIGHBOURS} after it while these agree: {dropped:,} of the {dropped + kept:,} of this day. "
        f"{_ticks(dropped + kept)} The paper finds two symmetries at 500 ms. There {zero} of the returns are exactly "
        "zero, and price moves on a grid: these are not increments of a diffusion. Dimensions, directions and "
        f"the generators that are pushed come from {TITLES[LOOKS]} and not from networks as in the paper. {support} "
        "the lack-of-fit gate (Markov, Gaussian residuals, equal halves, no flags against the assumptions), so "
        f"{where} is a statement about the fitted surrogate and not about the market."
    )


def _ticks(trades: int) -> str:
    """The paper's number of ticks beside our number of trades."""
    return (
        f"The paper's 24 hours have approximately {BTC_TICKS / 1e6:g} million ticks, {BTC_TICKS / trades:.1f} times as "
        "many; it does not say what a tick is, and ours are aggregate trades, which join the trades of one order at "
        "one price."
    )


def _resolutions(looks: list[Record]) -> Table:
    rows = tuple(
        (
            *_where(r),
            r["windows"],
            f"{r['empty']:.1%}",
            f"{r['zero']:.1%}",
            f"{r['correlation']:.2f}",
            f"{r['kurtosis']:.1f}",
            r["dimension"],
            ", ".join(r["verdicts"][:3]),
            "passed" if r["passed"] else "failed",
        )
        for r in looks
    )
    columns = ("bin", "state", "windows", "bins without a trade", "zero returns", "lag-1 correlation")
    return Table((*columns, "excess kurtosis", "dimension", "first directions", "lack of fit"), rows)


def _reasons(looks: list[Record]) -> Table:
    """The table of reasons why the gate passes or fails."""
    rows = tuple((*_where(r), " ".join(r["reasons"]) or None) for r in looks)
    return Table(("bin", "state", "why the gate fails"), rows)


def _after_push_in_words(looks: list[Record]) -> str:
    """A paragraph: how many pushes can be compared, and how many of them stay at the floor."""
    rows = [row for r in looks for row in r["after_push"]]
    there = [row for row in rows if row["residual"]]
    near, wild = (sum(_near(row[part], row["floor"]) for row in there) for part in ("residual", "control"))
    return (
        f"**After a push.** Pushed are the {BTC_DIMENSION} directions with the smallest residuals, regardless of the "
        "ladder's verdicts. The residual compares a fit to pushed paths with a fit to others, on what the boxes of "
        "both have in common and in units of that part, as does the floor. A dash: nothing to compare, since the flow "
        f"carries too much of the data out of the box or to infinity, or leaves what cannot be fitted; {len(there)} of "
        f"{len(rows)} pushes of all resolutions remain. In {near} of them drift and diffusion are at most {NEAR} times "
        f"the floor (random field of equal norm: {wild})."
    )


def _beside_the_papers_table(look: Record) -> str:
    """A sentence: in how many cells a mean square is at most the paper's number: ours, a random field's, the floor."""
    there = [row for row in look["after_push"] if row["residual"]]
    count, cells = len(there), len(there) * len(COMPONENTS)
    printed = len(BTC_AFTER_PUSH) * BTC_DIMENSION * len(COMPONENTS)
    if not there:
        return f" None of the {printed} numbers of the paper's table (500 ms, price) has one of ours beside it."
    (drift, diffusion), wild, floor = (
        [_reached(there, part, name) for name in COMPONENTS] for part in ("residual", "control", "floor")
    )
    above = sum(not _near(row["residual"], row["floor"]) for row in there)
    return (
        f" Of the {printed} numbers of the paper's table (500 ms, price) {cells} have one of ours beside them. As far "
        f"as numbers without units can be compared, ours is at most the paper's for drift in {drift} of {count} and "
        f"for diffusion in {diffusion} of {count}; that of a random field, pushed less far where ε leaves nothing to "
        f"fit, in {wild[0]} and {wild[1]}; and in {cells - sum(floor)} of {cells} our floor alone is larger. In "
        f"{above} of these {count} pushes drift or diffusion is more than {NEAR} times the floor. {NO_UNITS}"
    )


NO_UNITS = (
    "Ours are (T δf/L)² and (T δa/L²)² with a = σσᵀ, T and L the half-widths of what the boxes have in common. The "
    "paper states neither box nor units nor how long its generators are, which decides what ε means, and gives this "
    "table neither floor nor control; its generators 1 and 2 need not be ours, which are numbered as found."
)


def _reached(rows: list[Record], part: str, name: str) -> int:
    """In how many rows a mean square is finite and at most the paper's number."""
    place = COMPONENTS.index(name)
    return sum(
        row[part] is not None
        and row[part][name] is not None
        and row[part][name] <= BTC_AFTER_PUSH[int(row["epsilon"])][row["generator"]][place]
        for row in rows
    )


def _near(value: dict[str, Any] | None, floor: dict[str, Any] | None) -> bool:
    ratios = _over(value, floor)
    return ratios is not None and max(ratios) <= NEAR


def _over(value: dict[str, Any] | None, floor: dict[str, Any] | None) -> tuple[float, float] | None:
    """Drift and diffusion in multiples of the floor's; None if one of them is missing."""
    if not value or not floor or None in (*value.values(), *floor.values()):
        return None
    return value["drift"] / floor["drift"], value["diffusion"] / floor["diffusion"]


def _pair(part: dict[str, Any] | None) -> str | None:
    if not part:
        return None
    return " / ".join("∞" if part[name] is None else f"{part[name]:.1e}" for name in ("drift", "diffusion"))


def _after_push(record: Record) -> Table:
    """The table for both generators and every ε: the paper's drift and diffusion, ours with floor and control."""
    rows = []
    for row in record["after_push"]:
        drift, diffusion = BTC_AFTER_PUSH[int(row["epsilon"])][row["generator"]]
        parts = [_pair(row[part]) for part in ("residual", "floor", "control")]
        lost = row["left"] + row["blew_up"] if row["residual"] else None
        rows.append((row["epsilon"], row["generator"] + 1, f"{drift:.1e} / {diffusion:.1e}", *parts, lost))
    return Table(("ε (500 ms, price)", "generator", "paper", "ours", "floor", "control", "points lost"), tuple(rows))


def _after_push_of_all(looks: list[Record]) -> Table:
    """The table of all resolutions: drift and diffusion in multiples of the floor, for generators and random fields."""
    rows = []
    for r in looks:
        for k in range(BTC_DIMENSION):
            mine = {row["epsilon"]: row for row in r["after_push"] if row["generator"] == k}
            rows.append((*_where(r), k + 1, *(_multiples(mine.get(float(epsilon))) for epsilon in BTC_AFTER_PUSH)))
    heads = (f"ε = {epsilon}: residual / floor (random)" for epsilon in BTC_AFTER_PUSH)
    return Table(("bin", "state", "generator", *heads), tuple(rows))


def _multiples(row: Record | None) -> str | None:
    own, wild = (_over(row[part], row["floor"]) if row else None for part in ("residual", "control"))
    if own is None:
        return None
    return _times(own) + (f" ({_times(wild)})" if wild else "")


def _times(ratios: tuple[float, float]) -> str:
    return ", ".join(f"{ratio:.0f}" if 10 <= ratio < 1e4 else f"{ratio:.2g}" for ratio in ratios)


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _likelihood(record: Record) -> Table:
    """The table of ΔNLL with the paper's."""
    rows = []
    for epsilon, (first, second, control) in BTC_LIKELIHOOD.items():
        mine = _pushes(record, epsilon)
        cells = [_change(mine[k]) if k in mine else None for k in range(BTC_DIMENSION)]
        random = _random(mine.values())
        rows.append((epsilon, first, second, control, *cells, f"{np.median(random):.3g}" if random else None))
    columns = ("ε (500 ms, price)", "paper, generator 1", "generator 2", "random")
    return Table((*columns, "ours, generator 1", "generator 2", "random (median)"), tuple(rows))


def _pushes(look: Record, epsilon: float) -> dict[int, Record]:
    return {row["generator"]: row for row in look["invariance"] if row["epsilon"] == epsilon}


def _random(rows: Iterable[Record]) -> list[float]:
    return _known(value for row in rows for value in row["control"])


def _change(row: Record) -> str | None:
    if row["delta_nll"] is None:
        return None
    p_value = "" if row["p_value"] is None else f" (p = {row['p_value']:.3g})"
    return f"{row['delta_nll']:.3g}{p_value}"


def _likelihood_of_all(looks: list[Record]) -> Table:
    """The table of all resolutions and generators: ΔNLL with its p-value, and the median of random pushes."""
    rows = []
    for r in looks:
        for k in range(BTC_DIMENSION):
            cells = []
            for epsilon in BTC_LIKELIHOOD:
                row = _pushes(r, epsilon).get(k)
                random = _random([row]) if row else []
                middle = f"; {np.median(random):.3g}" if random else ""
                cells.append(f"{_change(row)}{middle}" if row and _change(row) else None)
            rows.append((*_where(r), k + 1, r["verdicts"][k], *cells))
    heads = (f"ε = {epsilon:g}: ours; random" for epsilon in BTC_LIKELIHOOD)
    return Table(("bin", "state", "generator", "ladder", *heads), tuple(rows))


def _likelihood_in_words(looks: list[Record], paper: Record | None) -> str:
    """A paragraph on LieStoNet's test of the generators, and on random pushes."""
    rows = [row for r in looks for row in r["invariance"] if row["p_value"] is not None]
    rejected = sum(row["p_value"] <= LEVEL for row in rows)
    total = (
        f"In all, p ≤ {LEVEL:g} in {rejected} of {len(rows)} rows. The bootstrap draws Gaussian residuals, which these "
        "data do not have: it may be the diffusion that is rejected, and not the generator."
    )
    text = "**ΔNLL** is compared with random pushes of equal displacement, and tested by a bootstrap under the model "
    text += "in which the generator is exact (p of ΔNLL, Kolmogorov–Smirnov and energy distance together). "
    return text + (_at_the_papers_step(paper) if paper else "") + total


def _at_the_papers_step(look: Record) -> str:
    """The test and the controls at 500 ms."""
    rows = [row for row in look["invariance"] if None not in (row["p_value"], row["delta_nll"])]
    if not rows:
        return ""
    rejected = sum(row["p_value"] <= LEVEL for row in rows)
    draws, least = max(row["draws"] for row in rows), min(row["p_value"] for row in rows)
    verdicts = " and ".join(look["verdicts"][:BTC_DIMENSION])
    gaps = {epsilon: gap for epsilon in BTC_LIKELIHOOD if (gap := _gap(look, epsilon)) is not None}
    theirs = {epsilon: BTC_LIKELIHOOD[epsilon][2] / max(BTC_LIKELIHOOD[epsilon][:2]) for epsilon in gaps}
    outcome = "rejects both generators" if rejected == len(rows) else "does not reject all of them"
    seen = "is not seen" if max(gaps.values(), default=0) < HUNDREDFOLD else "is seen at the largest of these"
    controls = sum(len(_known(row["control"])) for row in rows)
    milder = sum(abs(value) < abs(row["delta_nll"]) for row in rows for value in _known(row["control"]))
    epsilon = min(BTC_LIKELIHOOD)
    return (
        f"At 500 ms in price p ≤ {LEVEL:g} in {rejected} of {len(rows)} rows (the least is {least:.3g}; {draws} draws "
        f"give no less than {1 / (draws + 1):.3g}): our own test {outcome}, while the ladder calls the two {verdicts}. "
        f"The median random |ΔNLL|, of {len(_random(_pushes(look, epsilon).values()))} at each ε, is {_listed(gaps)} "
        f"times the larger of our two at ε = {', '.join(f'{value:g}' for value in gaps)} (paper: {_listed(theirs)}), "
        f"and {milder} of {controls} random pushes change the likelihood less than the generator does: the paper's "
        f"hundredfold gap {seen}. "
    )


def _gap(look: Record, epsilon: float) -> float | None:
    """Median random |ΔNLL| in multiples of the larger one of the generators."""
    mine = _pushes(look, epsilon).values()
    random, own = np.abs(_random(mine)), np.abs(_known(row["delta_nll"] for row in mine))
    return float(np.median(random) / own.max()) if len(random) and len(own) and own.max() > 0 else None


def _listed(values: dict[float, float]) -> str:
    return ", ".join(f"{value:.2g}" if value < HUNDREDFOLD else f"{value:.0f}" for value in values.values())


def _sweep(runs: list[Record]) -> Table:
    engines = list(dict.fromkeys(r["engine"] for r in runs))
    rows = []
    for engine in engines:
        for count in COUNTS:
            mine = [r for r in runs if (r["engine"], r["count"]) == (engine, count)]
            closure = spread([r["losses"]["L1"] for r in mine]) if count > 1 else "empty sum"
            rows.append((TITLES[engine], count, closure, spread([r["residuals"][-1] for r in mine])))
    return Table(("engine", "m", "L1", "worst residual of the span"), tuple(rows))


def _sweep_in_words(runs: list[Record]) -> str:
    """A paragraph: where closure is least, and where the residual of the span jumps."""
    lines = [
        f"**Sweep.** The paper's m = {BTC_DIMENSION} is the lower of two numbers, L1 at m = 2 and at m = 3, since at "
        "m = 1 it is an empty sum; a minimum over two, at the edge of what was tried, is no test of a dimension."
    ]
    for engine in dict.fromkeys(r["engine"] for r in runs):
        mine = {(r["seed"], r["count"]): r for r in runs if r["engine"] == engine}
        pairs = [(mine[seed, 2], mine[seed, 3]) for seed, count in mine if count == 2 and (seed, 3) in mine]
        lower = sum(two["losses"]["L1"] < three["losses"]["L1"] for two, three in pairs)
        grown = _growth(list(mine.values()))
        lines.append(f"{TITLES[engine]}: L1 is lower at m = 2 in {lower} of {len(pairs)} runs{grown}.")
    return " ".join(lines)


def _recipe_in_words(recipe: Record) -> str:
    """A paragraph on the paper's algorithm, unchanged, on this day."""
    there = [row for row in recipe["after_push"] if row["residual"]]
    cells = len(there) * len(COMPONENTS)
    reached = sum(_reached(there, "residual", name) for name in COMPONENTS)
    gaps = {epsilon: gap for epsilon in BTC_LIKELIHOOD if (gap := _gap(recipe, epsilon)) is not None}
    theirs = {epsilon: BTC_LIKELIHOOD[epsilon][2] / max(BTC_LIKELIHOOD[epsilon][:2]) for epsilon in gaps}
    return (
        f"**The paper's recipe.** The last two tables have {TITLES['paper']} (settings of Example 1 in units of the "
        f"box; seed {recipe['seed']}): networks for the surrogate and for m = {BTC_DIMENSION} generators. {cells} of "
        f"the paper's after-push numbers have one of ours beside them, {reached} of which are at most the paper's. "
        f"The median random |ΔNLL| is {_listed(gaps)} times the larger of the two generators' at ε = "
        f"{', '.join(f'{value:g}' for value in gaps)} (paper: {_listed(theirs)})."
    )


def _growth(runs: list[Record]) -> str:
    """The factors by which the worst residual of the span grows with each additional generator."""
    worst = {m: [r["residuals"][-1] for r in runs if r["count"] == m] for m in COUNTS}
    means = {m: float(np.mean(values)) for m, values in worst.items() if values}
    if len(means) < len(COUNTS):
        return ""
    return (
        f"; the worst residual of the span grows {means[2] / means[1]:.0f} times from m = 1 to 2 and "
        f"{means[3] / means[2]:.1f} times from 2 to 3"
    )
