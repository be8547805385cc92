"""The page on prices says what the records say: every look, the gate's reasons, our own test, the random pushes."""

from __future__ import annotations

from typing import Any

import pytest

from liestonet.reproduction.engines import described
from liestonet.reproduction.items import btc
from liestonet.reproduction.paper import BTC_AFTER_PUSH, BTC_LIKELIHOOD
from liestonet.reproduction.publication import Options
from liestonet.reproduction.trades import DayFile


def misfit(size: float) -> dict[str, float]:
    return {"drift": size, "diffusion": size / 4}


def pushed(generator: int, epsilon: float, **changes: Any) -> dict[str, Any]:
    row = {"generator": generator, "epsilon": float(epsilon), "left": 3, "blew_up": 4, "note": ""}
    return row | {"residual": misfit(3e-3), "floor": misfit(2e-3), "control": misfit(1.0)} | changes


def likelihood(generator: int, epsilon: float, **changes: Any) -> dict[str, Any]:
    row = {"generator": generator, "epsilon": epsilon, "delta_nll": -0.1, "control": [0.05, None, 0.3]}
    return row | {"p_value": 0.025, "draws": 39} | changes


def look(seconds: float = 0.5, log: bool = False, **changes: Any) -> dict[str, Any]:
    record = {
        "seconds": seconds, "log": log, "windows": 575, "trades_kept": 995, "trades_dropped": 5, "empty": 0.25,
        "zero": 0.5, "correlation": 0.1, "kurtosis": 3.0, "dimension": 2, "verdicts": ["symmetry", "undecided", "no"],
        "passed": False, "reasons": ["It remembers.", "It jumps."],
        "after_push": [pushed(k, epsilon) for k in (0, 1) for epsilon in BTC_AFTER_PUSH],
        "invariance": [likelihood(k, epsilon) for k in (0, 1) for epsilon in BTC_LIKELIHOOD],
    }  # fmt: skip
    return record | changes


def test_every_look_is_shown_with_its_reasons_and_checks() -> None:
    made = btc.publish([look(), look(60.0, True, reasons=[], passed=True)])
    assert "5 of the 1,000 of this day" in made.text
    assert "Only 60 s in log price passes" in made.text
    assert made.tables["reasons"].rows == (("0.5 s", "price", "It remembers. It jumps."), ("60 s", "log price", None))
    assert [row[3] for row in made.tables["resolutions"].rows] == ["25.0%", "25.0%"]
    assert [row[:3] for row in made.tables["after-push-all"].rows] == [
        (*where, k) for where in (("0.5 s", "price"), ("60 s", "log price")) for k in (1, 2)
    ]
    assert made.tables["after-push-all"].rows[0][3] == "1.5, 1.5 (500, 500)"
    assert made.tables["after-push"].rows[0][-1] == 7
    assert made.tables["likelihood-all"].rows[1][3:5] == ("undecided", "-0.1 (p = 0.025); 0.175")
    assert (
        "In 12 of them drift and diffusion are at most 2 times the floor (random field of equal norm: 0)" in made.text
    )


def test_the_day_is_set_beside_the_papers_ticks_and_the_engine_is_named() -> None:
    text = btc.publish([look(trades_kept=899_990, trades_dropped=10)]).text
    assert "approximately 1.8 million ticks, 2.0 times as many; it does not say what a tick is" in text
    assert "the generators that are pushed come from `Spectral()` and not from networks" in text
    (given,) = {str(job.given["engine"]) for job in btc.jobs(Options(quick=True)) if job.given}
    assert given == described("spectral", btc.PRESET)


def test_after_push_is_counted_beside_the_papers_table() -> None:
    """Residual 3e-3 and 7.5e-4, floor 2e-3 and 5e-4, random field 1 and 0.25, at 500 ms in price alone."""
    text = btc.publish([look(60.0), look()]).text
    assert "Of the 12 numbers of the paper's table (500 ms, price) 12 have one of ours beside them" in text
    assert "As far as numbers without units can be compared, ours is at most the paper's for drift in 5 of 6" in text
    assert "and for diffusion in 4 of 6; that of a random field" in text
    assert "in 0 and 2; and in 3 of 12 our floor alone is larger. In 0 of these 6 pushes" in text
    assert "The paper states neither box nor units" in text
    some = [pushed(0, 1, residual=None, floor=None, control=None), pushed(0, 3, residual=misfit(0.02), control=None)]
    some.append(pushed(1, 5, residual={"drift": None, "diffusion": 0.1}, control={"drift": 1e-3, "diffusion": None}))
    text = btc.publish([look(after_push=some)]).text
    assert "(500 ms, price) 4 have one of ours" in text
    assert "for drift in 1 of 2 and for diffusion in 2 of 2" in text
    assert "in 1 and 0; and in 0 of 4 our floor alone is larger. In 2 of these 2 pushes" in text
    assert "paper's table" not in btc.publish([look(60.0)]).text


def test_what_our_own_test_says_is_counted() -> None:
    text = btc.publish([look()]).text
    assert "p ≤ 0.05 in 10 of 10 rows (the least is 0.025; 39 draws give no less than 0.025)" in text
    assert "our own test rejects both generators, while the ladder calls the two symmetry and undecided" in text
    assert "of 4 at each ε, is 1.7, 1.7, 1.7, 1.7, 1.7 times" in text  # |0.05|, |0.3| twice: 0.175 over 0.1
    assert "10 of 20 random pushes change the likelihood less" in text
    assert "hundredfold gap is not seen" in text
    milder = [likelihood(k, e, p_value=0.5, control=[20.0] * 3) for k in (0, 1) for e in BTC_LIKELIHOOD]
    text = btc.publish([look(invariance=milder)]).text
    assert "p ≤ 0.05 in 0 of 10 rows" in text
    assert "does not reject all of them" in text
    assert "hundredfold gap is seen" in text


def test_pushes_that_leave_nothing_are_dashes() -> None:
    lost = [pushed(k, e, residual=None, floor=None, control=None) for k in (0, 1) for e in BTC_AFTER_PUSH]
    unknown = [likelihood(k, e, delta_nll=None, control=[], p_value=None) for k in (0, 1) for e in BTC_LIKELIHOOD]
    refused = {name: value for name, value in look(5.0).items() if name not in ("after_push", "invariance")}
    made = btc.publish([look(after_push=lost, invariance=unknown), refused | {"not_pushed": "Too few."}])
    assert "5 s in price was not pushed: Too few." in made.text
    assert "0 of 6 pushes" in made.text
    assert "None of the 12 numbers of the paper's table (500 ms, price) has one of ours" in made.text
    assert made.tables["after-push"].rows[0][3:] == (None, None, None, None)
    assert made.tables["likelihood"].rows[1][4:] == (None, None, None)


def test_the_sweep_counts_its_minima_for_each_engine() -> None:
    def run(engine: str, seed: int, count: int, closure: float) -> dict[str, Any]:
        residuals = [0.001, 0.01, 0.04][:count]
        return {"engine": engine, "seed": seed, "count": count, "losses": {"L1": closure}, "residuals": residuals}

    runs = [run("neural", 1, 1, 0.0), run("neural", 1, 2, 1e-3), run("neural", 1, 3, 2e-3)]
    made = btc.publish(runs)
    assert "L1 is lower at m = 2 in 1 of 1 runs; the worst residual of the span grows 10 times" in made.text
    assert [row[0] for row in made.tables["sweep"].rows] == ["`Neural(polish=False)`"] * 3
    more = btc.publish([*runs, run("paper", 1, 2, 2e-3), run("paper", 1, 3, 1e-3)])
    assert "`Neural.paper`: L1 is lower at m = 2 in 0 of 1 runs." in more.text
    assert not btc.publish([]).tables


@pytest.mark.parametrize("quick", [False, True])
def test_another_content_of_the_same_name_is_another_job(quick: bool) -> None:
    committed, other = (
        btc.jobs(Options(quick=quick, trades=file)) for file in (None, DayFile(btc.RECORDING.name, "0" * 64))
    )
    assert [job.name for job in committed] == [job.name for job in other]
    assert not {job.key for job in committed} & {job.key for job in other}


def test_the_papers_recipe_is_run_but_in_quick_studies() -> None:
    assert [job.name for job in btc.jobs(Options())][-1] == "recipe-7000"
    assert not any("recipe" in job.name for job in btc.jobs(Options(quick=True)))


def test_the_papers_recipe_stands_beside_its_tables() -> None:
    shown = look(0.5)
    curve = [{"dimension": m, "losses": {"L1": 1e-3 * m}, "residuals": [0.1] * m} for m in (1, 2, 3)]
    record = {"seed": 7, "curve": curve, "after_push": shown["after_push"], "invariance": shown["invariance"]}
    made = btc.publish([record])
    assert "`Neural.paper`: L1 is lower at m = 2 in 1 of 1 runs" in made.text
    assert "12 of the paper's after-push numbers have one of ours beside them" in made.text
    assert len(made.tables["recipe-after-push"].rows) == 6
    assert len(made.tables["recipe-likelihood"].rows) == 5
