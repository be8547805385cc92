"""A day of BTC/USDT: the paper's two tables at 500 ms, and what coarser steps and log prices can support."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.from_data import discover
from liestonet.reproduction.engines import networks
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.paper import BTC_AFTER_PUSH, BTC_DIMENSION, BTC_LIKELIHOOD
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread
from liestonet.reproduction.trades import announced_trades
from liestonet.trajectories.trajectories import Trajectories
from liestonet.validation.after_push import after_push
from liestonet.validation.invariance import invariance
from liestonet.validation.lack_of_fit import lack_of_fit

DAY = "BTCUSDT-aggTrades-2024-01-01.zip"
# seconds of a bin: points of a window, and points between the starts of two; 575 windows at half a second
WINDOWS = {0.5: (600, 300), 5.0: (600, 300), 60.0: (60, 30)}
COUNTS = (1, 2, 3)
FIRST_SEED = 4900


def prices(trades: str, seconds: float, log: bool) -> Trajectories:
    """Windows of the day's prices."""
    return announced_trades(trades).bars(seconds).windows(*WINDOWS[seconds], log=log)


def look(trades: str, seconds: float, log: bool, seed: int) -> dict[str, Any]:
    """One resolution: what the spectral engine finds, whether this is a diffusion at all, and the paper's checks."""
    bars = announced_trades(trades).bars(seconds)
    returns = np.diff(np.log(bars.prices))
    data = prices(trades, seconds, log)
    result = discover(data, formulas=False)
    fit = lack_of_fit(data, result.surrogate)
    record: dict[str, Any] = {
        "windows": len(data),
        "zero": float(np.mean(returns == 0)),
        "correlation": float(np.corrcoef(returns[1:], returns[:-1])[0, 1]),
        "kurtosis": float(np.mean((returns - returns.mean()) ** 4) / returns.var() ** 2 - 3),
        "dimension": result.dimension,
        "verdicts": [row.verdict for row in result.ladder],
        "flags": sorted(flag.code for flag in result.flags),
        "passed": fit.passed,
        "reasons": list(fit.reasons),
    }
    span = result.candidates(BTC_DIMENSION)
    try:
        pushed = invariance(data, span, tuple(BTC_LIKELIHOOD), surrogate=result.surrogate, seed=seed)
        record["invariance"] = [asdict(row) for row in pushed.rows]
        record["after_push"] = [asdict(row) for row in after_push(data, span, tuple(BTC_AFTER_PUSH), seed=seed)]
    except InputError as problem:
        record["not_pushed"] = str(problem)
    return record


def sweep(trades: str, seed: int, count: int) -> dict[str, Any]:
    """The paper's sweep: m generators as networks on 500 ms prices."""
    result = discover(prices(trades, 0.5, False), networks(), dimension=count, formulas=False, seed=seed)
    (rung,) = result.training.rungs
    return {"losses": {f"L{number}": value for number, value in rung.losses.items()}, "residuals": rung.residuals}


def jobs(options: Options) -> list[Job]:
    """Three resolutions, price and log price, and the sweep; the committed day where no file is given."""
    named = {"trades": options.trades or DAY}
    looks = [
        Job(
            "btc",
            f"{'log' if log else 'price'}-{seconds:g}s",
            "btc:look",
            {**named, "seconds": seconds, "log": log, "seed": FIRST_SEED},
            cost=30,
        )
        for seconds in WINDOWS
        for log in (False, True)
    ]
    if options.quick:
        return looks
    return looks + [
        Job("btc", f"sweep-{count}-{seed}", "btc:sweep", {**named, "seed": seed, "count": count}, cost=50)
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(5))
        for count in COUNTS
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """What each resolution supports, then the paper's tables."""
    looks = [r for r in records if "seconds" in r]
    paper = next((r for r in looks if r["seconds"] == 0.5 and not r["log"]), None)
    tables = {"resolutions": _resolutions(looks)}
    if paper is not None and "invariance" in paper:
        tables |= {"after-push": _after_push(paper), "likelihood": _likelihood(paper)}
    runs = [r for r in records if "count" in r]
    if runs:
        tables["sweep"] = Table(
            ("m", "L1", "worst residual of the span"),
            tuple(
                (
                    count,
                    spread([r["losses"].get("L1") for r in runs if r["count"] == count]) if count > 1 else "empty sum",
                    spread([r["residuals"][-1] for r in runs if r["count"] == count]),
                )
                for count in COUNTS
            ),
        )
    return Publication(_sentence(looks), tables)


def _sentence(looks: list[dict[str, Any]]) -> str:
    """What the data can and cannot support, in words."""
    fine = [r for r in looks if r["seconds"] == 0.5]
    zero = f"{fine[0]['zero']:.0%}" if fine else "many"
    passed = [f"{r['seconds']:g} s{' (log)' if r['log'] else ''}" for r in looks if r["passed"]]
    support = f"Only {', '.join(passed)} passes" if passed else "No resolution passes"
    where = "elsewhere a symmetry" if passed else "every symmetry here"
    return (
        f"The paper finds two symmetries at 500 ms. There {zero} of the returns are exactly zero, and price moves on a "
        f"grid of ticks: these are not increments of a diffusion. {support} the lack-of-fit gate (Markov, Gaussian "
        f"residuals, equal halves, no flags that put the ground in doubt), so {where} is a statement about the fitted "
        "surrogate and not about the market. A dash after a push: the flow carries too much of the data out of the box."
    )


def _resolutions(looks: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            f"{r['seconds']:g} s",
            "log price" if r["log"] else "price",
            r["windows"],
            f"{r['zero']:.1%}",
            f"{r['correlation']:.2f}",
            f"{r['kurtosis']:.1f}",
            r["dimension"],
            ", ".join(r["verdicts"][:3]),
            "passed" if r["passed"] else "failed",
        )
        for r in looks
    )
    columns = ("bin", "state", "windows", "zero returns", "lag-1 correlation", "excess kurtosis", "dimension")
    return Table((*columns, "first directions", "lack of fit"), rows)


def _after_push(record: dict[str, Any]) -> Table:
    """Both generators and every ε: the paper's drift and diffusion, ours with floor and control."""
    rows = []
    for row in record["after_push"]:
        drift, diffusion = BTC_AFTER_PUSH[int(row["epsilon"])][row["generator"]]
        parts = [
            f"{row[part]['drift']:.1e} / {row[part]['diffusion']:.1e}" if row[part] else None
            for part in ("residual", "floor", "control")
        ]
        rows.append((row["epsilon"], row["generator"] + 1, f"{drift:.1e} / {diffusion:.1e}", *parts))
    return Table(("ε", "generator", "paper", "ours", "floor", "control"), tuple(rows))


def _likelihood(record: dict[str, Any]) -> Table:
    """ΔNLL beside the paper's."""
    rows = []
    for epsilon, (first, second, control) in BTC_LIKELIHOOD.items():
        mine = {row["generator"]: row for row in record["invariance"] if row["epsilon"] == epsilon}
        changes = [mine[k]["delta_nll"] if k in mine else None for k in (0, 1)]
        cells = [None if change is None else f"{change:.3g}" for change in changes]
        random = [value for row in mine.values() for value in row["control"] if value is not None]
        rows.append((epsilon, first, second, control, *cells, f"{np.median(random):.3g}" if random else None))
    columns = ("ε", "paper, generator 1", "generator 2", "random", "ours, generator 1", "generator 2", "random")
    return Table(columns, tuple(rows))


ITEM = Item(
    "btc",
    "BTC/USDT",
    jobs,
    publish,
    ready=lambda options: options.trades is not None,
    needs="a day of Binance's aggregate trades; give the zip as downloaded with --trades",
    command=f"liestonet reproduce btc --trades {DAY}",
    cut="the paper's day is not stated; users download theirs",
)
