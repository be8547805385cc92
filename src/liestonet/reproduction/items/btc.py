"""A day of BTC/USDT: the paper's two tables at 500 ms, and the same for coarser steps and log prices."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from liestonet.errors import InputError
from liestonet.pipeline.discover import discover
from liestonet.reproduction.engines import PAPER_SEED, described, engine_named, kept, prepare_networks, sharing
from liestonet.reproduction.items.btc_page import COUNTS, LOOKS, publish
from liestonet.reproduction.paper import BTC_AFTER_PUSH, BTC_DIMENSION, BTC_LIKELIHOOD
from liestonet.reproduction.publication import Item, ItemJob, Options
from liestonet.reproduction.trades import DEVIATIONS, LEAST, NEIGHBOURS, DayFile, announced_trades
from liestonet.validation.after_push import after_push
from liestonet.validation.lack_of_fit import lack_of_fit
from liestonet.validation.push_test import invariance
from liestonet.validation.tuning import AFTER_PUSH, PUSH

RECORDING = DayFile(
    "BTCUSDT-aggTrades-2024-01-01.zip", "9572fa650e2a7850e528fc6d0c3ec7874211af47947416f75004f0f95751dca3"
)
# seconds of a bin: points of a window, and points between the starts of two; 575 windows at half a second
WINDOWS = {0.5: (600, 300), 5.0: (600, 300), 60.0: (60, 30)}
PRESET = "ex1"  # the paper has no settings of its own for prices; those of its one-dimensional example are used
SEEDS = {"neural": 5, "paper": 1}
COSTS = {"neural": 50, "paper": 600}
FIRST_SEED = 4900


def look(trades: str, sha256: str, seconds: float, log: bool, seed: int) -> dict[str, Any]:
    """One resolution: the spectral engine's result, the test for a diffusion, and the paper's checks."""
    day = announced_trades(DayFile(trades, sha256))
    bars = day.bars(seconds)
    returns = np.diff(np.log(bars.prices))
    data = bars.windows(*WINDOWS[seconds], log=log)
    result = discover(data, engine_named(LOOKS, PRESET), formulas=False, clock="recorded")
    fit = lack_of_fit(data, result.surrogate)
    record: dict[str, Any] = {
        "windows": len(data),
        "trades_kept": len(day.times),
        "trades_dropped": day.dropped,
        "empty": float(np.mean(~bars.traded)),
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


def sweep(trades: str, sha256: str, seed: int, count: int, engine: str = "neural") -> dict[str, Any]:
    """The paper's sweep: m generators as networks on 500 ms prices."""
    data = announced_trades(DayFile(trades, sha256)).bars(0.5).windows(*WINDOWS[0.5])
    result = discover(data, engine_named(engine, PRESET), dimension=count, formulas=False, seed=seed, clock="recorded")
    return _curve(result)


def recipe(trades: str, sha256: str, seed: int) -> dict[str, Any]:
    """The paper's algorithm unchanged: networks for m = 1, 2, 3, the minimum of L1, and its two checks by a push."""
    prepare_networks()
    from liestonet.neural.settings import Neural

    data = announced_trades(DayFile(trades, sha256)).bars(0.5).windows(*WINDOWS[0.5])
    curve, chosen = {}, None
    with sharing():
        settings = kept(Neural.paper(), data, seed, "ito")
        for count in COUNTS:
            result = discover(data, settings, dimension=count, formulas=False, seed=seed, clock="recorded")
            curve[count] = _curve(result) | {"dimension": count}
            chosen = result if count == BTC_DIMENSION else chosen
    if chosen is None:
        raise ValueError("the paper's dimension is not among those of the sweep")
    span = chosen.training.generators
    pushed = invariance(data, span, tuple(BTC_LIKELIHOOD), surrogate=chosen.surrogate, seed=seed)
    after = after_push(data, span, tuple(BTC_AFTER_PUSH), seed=seed)
    return {
        "curve": list(curve.values()),
        "invariance": [asdict(row) for row in pushed.rows],
        "after_push": [asdict(row) for row in after],
    }


def _curve(result: Any) -> dict[str, Any]:
    """Losses and residuals of a training."""
    (rung,) = result.training.rungs
    return {"losses": {f"L{number}": value for number, value in rung.losses.items()}, "residuals": rung.residuals}


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: three resolutions, price and log price, and the sweep; the committed day if no file is given."""
    file = options.trades or RECORDING
    named = {"trades": file.name, "sha256": file.sha256}
    looks = [_look(named, seconds, log) for seconds in WINDOWS for log in (False, True)]
    if options.quick:
        return looks
    sweeps = [
        _sweep(named, "neural", count, seed)
        for seed in range(FIRST_SEED, FIRST_SEED + options.count(SEEDS["neural"]))
        for count in COUNTS
    ]
    seeds = range(PAPER_SEED, PAPER_SEED + options.count(SEEDS["paper"]))
    return looks + sweeps + [_recipe(named, seed) for seed in seeds]


def _look(named: dict[str, str], seconds: float, log: bool) -> ItemJob:
    given = {
        "engine": described(LOOKS, PRESET),
        "filter": [NEIGHBOURS, LEAST, DEVIATIONS],
        "windows": WINDOWS[seconds],
        "generators": BTC_DIMENSION,
        "after_push": [list(BTC_AFTER_PUSH), AFTER_PUSH.most_points],
        "likelihood": [list(BTC_LIKELIHOOD), PUSH.most_increments, PUSH.controls, PUSH.draws],
    }
    settings = {**named, "seconds": seconds, "log": log, "seed": FIRST_SEED}
    return ItemJob("btc", f"{'log' if log else 'price'}-{seconds:g}s", "btc:look", settings, cost=30, given=given)


def _recipe(named: dict[str, str], seed: int) -> ItemJob:
    given = {
        "engine": described("paper", PRESET),
        "filter": [NEIGHBOURS, LEAST, DEVIATIONS],
        "windows": WINDOWS[0.5],
        "after_push": [list(BTC_AFTER_PUSH), AFTER_PUSH.most_points],
        "likelihood": [list(BTC_LIKELIHOOD), PUSH.most_increments, PUSH.controls, PUSH.draws],
    }
    settings = {**named, "seed": seed}
    return ItemJob("btc", f"recipe-{seed}", "btc:recipe", settings, cost=COSTS["paper"], given=given)


def _sweep(named: dict[str, str], engine: str, count: int, seed: int) -> ItemJob:
    given = {
        "engine": described(engine, PRESET),
        "filter": [NEIGHBOURS, LEAST, DEVIATIONS],
        "windows": WINDOWS[0.5],
    }
    name = f"sweep-{count}-{seed}" if engine == "neural" else f"sweep-{engine}-{count}-{seed}"
    settings = {**named, "seed": seed, "count": count, "engine": engine}
    return ItemJob("btc", name, "btc:sweep", settings, cost=COSTS[engine], given=given)


ITEM = Item(
    "btc",
    "BTC/USDT",
    jobs,
    publish,
    ready=lambda options: options.trades is not None,
    needs="a day of Binance's aggregate trades; give the zip as downloaded with --trades",
    command=f"liestonet reproduce btc --trades {RECORDING.name}",
    cut="`Neural.paper`: more than one seed; the paper's day, which it does not state",
    uncut="--seeds 3",
)
