"""After-push tables and sentences against counts that can be done by hand."""

from __future__ import annotations

from typing import Any

from liestonet.reproduction.items import after_push
from liestonet.reproduction.paper import AFTER_PUSH
from liestonet.reproduction.publication import Options

EPSILONS = (1.0, 3.0, 5.0)


def misfit(drift: float | None, diffusion: float | None) -> dict[str, float | None]:
    return {"drift": drift, "diffusion": diffusion}


def row(k: int, epsilon: float, size: float, **changes: Any) -> dict[str, Any]:
    made = {"generator": k, "epsilon": epsilon, "left": 0, "blew_up": 0, "note": ""}
    made |= {"residual": misfit(size, size), "floor": misfit(1e-6, 1e-6), "control": misfit(9.0, 9.0)}
    return made | changes


def record(case: str, size: float, engine: str = "spectral", **changes: Any) -> dict[str, Any]:
    rows = [row(k, epsilon, size, **changes) for k in range(3) for epsilon in EPSILONS]
    return {"case": case, "engine": engine, "seed": 1, "share": 1.0, "rows": rows}


def test_cells_are_medians_with_runs_and_points_lost() -> None:
    lost = record("ex1", 0.0, residual=None, floor=None, control=None)
    records = [record("ex1", 1e-3, left=10), record("ex1", 2e-3, left=30, blew_up=4), record("ex1", 5e2), lost]
    made = after_push.publish(records).tables["3"].rows
    assert made[0][:5] == ("Ex. 1", 1, "8.2e-04 / 8.9e-04", "`Spectral()`", "3 of 4")
    assert made[0][5:] == (" / ".join(["2.0e-03 (1e-03 to 5e+02)"] * 2), "1.0e-06 / 1.0e-06", "9.0e+00 / 9.0e+00", "10")
    assert len(made) == 3


def test_what_is_not_finite_counts_as_the_largest() -> None:
    records = [record("ex1", 1e-3), record("ex1", 1e-3), record("ex1", 0.0, residual=misfit(None, 1e-3))]
    cell = after_push.publish(records).tables["1"].rows[0][5]
    assert cell == "1.0e-03 (1e-03 to inf) / 1.0e-03 (1e-03 to 1e-03)"


def test_only_engines_that_were_run_have_rows() -> None:
    engines = {name[3] for name in after_push.publish([record("ex2", 1.0)]).tables["1"].rows}
    assert engines == {"`Spectral()`"}
    both = after_push.publish([record("ex2", 1.0), record("ex2", 1.0, "paper")])
    assert {name[3] for name in both.tables["1"].rows} == {"`Spectral()`", "`Neural.paper`"}


def test_numbers_of_the_paper_keep_their_digits() -> None:
    tables = after_push.publish([record("ex4", 1.0)]).tables
    assert tables["1"].rows[1][2] == "6.41e-04 / 1.0e-04"
    assert tables["5"].rows[2][2] == "< 5e-05 / 2.6e-03"


def test_the_verdict_counts_cells_below_the_papers_numbers() -> None:
    """At 6e-4, the paper's numbers that are no smaller; a zero of the paper is taken for 5e-5."""
    cases = ("ex1", "ex2", "ex3", "ex4")
    text = after_push.publish([record(case, 6e-4, floor=misfit(6e-5, 6e-5)) for case in cases]).text
    numbers = {e: [value for case in cases for pair in AFTER_PUSH[e][case] for value in pair] for e in (1, 3, 5)}
    counts = ", ".join(f"{sum(value >= 6e-4 for value in numbers[e])} of 24 at ε = {e}" for e in (1, 3, 5))
    assert f"at most the paper's number in {counts}" in text
    below = sum(max(value, 5e-5) < 6e-5 for e in numbers for value in numbers[e])
    assert below == 2
    assert f"In {below} of 72 our floor alone is larger" in text
    assert "`Spectral()` reproduces in part the paper's table" in text
    assert "`Neural(polish=False)`" not in text
    assert "`Spectral()` reproduces the paper's table" in after_push.publish([record(c, 1e-6) for c in cases]).text
    assert "`Spectral()` does not reproduce" in after_push.publish([record(c, 1.0) for c in cases]).text
    assert "(control 0)" in text


def test_the_papers_check_is_run_with_its_own_settings_but_not_in_quick_studies() -> None:
    usual = {job.name: job for job in after_push.jobs(Options())}
    assert {f"ex{n}-paper-7000" for n in (1, 2, 3, 4)} <= usual.keys()
    assert not any("paper" in job.name for job in after_push.jobs(Options(quick=True)))
    assert usual["ex4-paper-7000"].settings["steps"] == 2000
    keys = {str(job.given["engine"]) for job in usual.values()}
    assert len(keys) == 6  # spectral, neural, and one preset of each example


def test_the_papers_check_counts_cells_and_floors() -> None:
    """At 6e-4 with a floor of 3e-4: of Example 1's numbers at ε = 1 two are at least 6e-4 and five at least 3e-4."""
    rows = [
        {"generator": k, "epsilon": 1.0, "left": 2, "blew_up": 1, "drift": 6e-4, "diffusion": 6e-4} for k in range(2)
    ]
    rows.append({"generator": 2, "epsilon": 1.0, "note": "gone"})
    made = after_push.publish([{"case": "ex1", "seed": 1, "rows": rows, "floor": {"drift": 3e-4, "diffusion": 3e-4}}])
    assert made.tables["paper"].rows[0] == (
        "Ex. 1",
        1,
        1.0,
        "9.6e-04 / 4.6e-04",
        "6.0e-04 / 6.0e-04",
        "3.0e-04 / 3.0e-04",
        3,
    )
    assert made.tables["paper"].rows[2][4:] == (None, "3.0e-04 / 3.0e-04", None)
    assert "Of 6 numbers 4 have one of ours beside them, 2 of which are at most the paper's." in made.text
    assert "In 1 of 6 the floor" in made.text  # 2.3e-4
