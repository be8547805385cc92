"""Sentences of sensitivity, run time and containment are computed from records, here ones whose answers are plain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from liestonet.reproduction import cases
from liestonet.reproduction.items import ALL, containment, runtime, sensitivity
from liestonet.reproduction.paper import SENSITIVITY
from liestonet.reproduction.publication import Options
from liestonet.study.jobs import Job
from liestonet.study.tables import spread


def perturbed(factor: float) -> dict[str, Any]:
    """Angles of 10 δ degrees under a sine and of 20 δ² under a network; every second bound is broken."""
    rows = [
        {"shape": shape, "amplitude": δ, "truth": factor * angle(δ), "angle": 7.0, "residual": δ, "bound": bound}
        for shape, angle, bound in (("sine", lambda δ: 10 * δ, 1.0), ("network", lambda δ: 20 * δ**2, -1.0))
        for δ in SENSITIVITY
    ]
    return {"seed": 1, "rows": rows}


def test_growth_of_the_angle_is_quoted_over_both_steps() -> None:
    text = sensitivity.publish([perturbed(1.0), perturbed(3.0)]).text
    assert "δ = 0.02 to 0.1, 5.0 times under a sine (paper: 3.9) and 25.0 times under a network (paper: 1.3)" in text
    assert "δ = 0.1 to 0.5, 5.0 times under a sine (paper: 2.9) and 25.0 times under a network (paper: 5.3)" in text
    assert "The bound holds in 8 of 16 rows" in text
    assert "at most the paper's in 8 of 8 cells" in text
    assert "at most the paper's in 6 of 8 cells" in sensitivity.publish([perturbed(9.0)]).text
    assert "grows" not in sensitivity.publish([]).text


def test_a_spread_of_rounding_errors_is_none() -> None:
    assert spread([90.0, 90.0 - 1.5e-14], "°") == "90.00 ± 0.00° (2)"
    assert spread([1.0, 2.0]) == "1.50 ± 0.71 (2)"
    assert spread([0.0, 0.0]) == "0.00 ± 0.00 (2)"


def timed(losses: list[int], *milliseconds: float) -> list[dict[str, Any]]:
    return [{"losses": losses, "repetition": i, "cpu_milliseconds": value} for i, value in enumerate(milliseconds)]


def test_ratios_of_run_times_are_those_of_means() -> None:
    """L7 takes 10 and 30, L6 takes 8: 2.5 times, where the last repetition alone would say 3.8."""
    records = [r for number in (1, 2, 3, 4, 5) for r in timed([number], 2.0)]
    records += timed([6], 8.0, 8.0) + timed([7], 10.0, 30.0)
    text = runtime.publish(records).text
    assert "L7 costs 2.5 times L6 here, 4.6 times in the paper" in text
    assert "The most expensive is L7 here and L7 in the paper" in text
    assert "together" not in text
    more = runtime.publish([*records, *timed([1, 2, 5, 6], 9.0), *timed(list(range(1, 8)), 24.0)])
    assert (
        "together they cost 1.2 times the most expensive of them, whereas the sum of single costs is 1.9 times"
        in more.text
    )
    assert [row[1] for row in more.tables["milliseconds"].rows][-3:] == ["2.15", None, None]
    assert not runtime.publish([]).tables["milliseconds"].rows


def test_the_largest_angle_of_every_engine_is_named() -> None:
    records = [{"engine": engine, "angles": [0.0, 0.1, top]} for engine, top in (("spectral", 0.2), ("spectral", 0.3))]
    made = containment.publish(records)
    assert "are 0.30° of `Spectral()`." in made.text
    assert [row[0] for row in made.tables["angles"].rows] == ["paper", "`Spectral()`"]
    made = containment.publish([*records, {"engine": "paper", "angles": [1.0, 2.0, 30.0]}])
    assert "and 30.00° of `Neural.paper`" in made.text
    assert made.tables["angles"].rows[-1] == ("`Neural.paper`", 1, "1.00°", "2.00°", "30.00°")
    assert "nan" not in containment.publish([]).text


def test_the_papers_engine_is_left_out_of_quick_studies() -> None:
    assert {f"paper-{seed}" for seed in range(7000, 7005)} <= {job.name for job in containment.jobs(Options())}
    assert not any("paper" in job.name for job in containment.jobs(Options(quick=True)))


def test_networks_on_changed_surrogates_and_the_stability_constant() -> None:
    """Ratios 0.2/(0.1 + 0.3) and 0.2/(0.1 + 0.1); gaps of 0.5 and 0.01."""

    def trained(shape: str, amplitude: float, angle: float, error: float) -> dict[str, Any]:
        record = {"shape": shape, "amplitude": amplitude, "angle": angle, "L6": 2e-3, "error": error}
        return record | {"distance": 0.2, "residual": 0.1}

    records = [trained("sine", 0.0, 2.0, 0.3), trained("network", 0.1, 9.0, 0.1)]
    made = sensitivity.publish([*records, {"case": "ex1", "gap": 0.5}, {"case": "ex3", "gap": 0.01}])
    rows = made.tables["networks"].rows
    assert rows[0] == (0.0, "1.8°", "2.00°", "3.7e-02", "2.0e-03", "2.1°", "2.00°", "4.2e-02", "2.0e-03")
    assert rows[2][5:7] == ("2.8°", "9.00°")
    assert rows[2][2] is None
    assert "between 0.50 and 1.00 in these 2 trainings" in made.text
    assert "Ex. 1 2, Ex. 3 100" in made.text
    untrained = sensitivity.publish([{"case": "ex1", "gap": 0.5}])
    assert "1/s is, on the boxes of the data: Ex. 1 2." in untrained.text
    assert "trainings" not in untrained.text


def test_growth_of_run_time_is_the_slope_of_its_logarithm() -> None:
    """Times proportional to m² B."""
    sizes = [(m, 2048) for m in (2, 3, 4, 6)] + [(3, batch) for batch in (512, 1024, 4096)]
    forms = [(1, "global"), (1, "pointwise"), (3, "global"), (6, "global")]
    records = [
        {"loss": loss, "closure": closure, "count": m, "batch": b, "cpu_milliseconds": 1e-3 * m**2 * b * factor}
        for (loss, closure), factor in zip(forms, (1.0, 2.0, 1.0, 1.0), strict=True)
        for m, b in sizes
    ]
    made = runtime.publish(records)
    assert made.tables["growth"].rows[0] == ("L1", "B(mD⁽¹⁾ + m²)", "18", "2.00", "1.00")
    assert made.tables["growth"].rows[1][0] == "L1, pointwise"
    assert "2.00 times L3 and 2.00 times L6 with one at each point" in made.text


def test_jobs_name_what_decides_their_results() -> None:
    def given(jobs: Sequence[Job]) -> set[str]:
        return set.intersection(*(set(job.given) for job in jobs))

    assert given(sensitivity.jobs(Options(quick=True))) == {"engine", "data", "amplitudes", "shapes", "points"}
    trained = [job for job in sensitivity.jobs(Options()) if job.name.startswith("paper")]
    assert given(trained) == {"engine", "data", "points"}
    assert given(runtime.jobs(Options(quick=True))) == {"count", "dimension", "batch", "widths"}
    assert given(containment.jobs(Options())) == {"engines", "data"}
    assert len({str(job.given["engines"]) for job in containment.jobs(Options())}) == 3


SIMULATED = {"closure", "angles", "recipe", "containment", "after-push", "sensitivity", "ablation", "weights"}
SIMULATED |= {"generators", "size", "kinds"}


def keys() -> dict[str, str]:
    return {
        f"{item.name} {job.name}": job.key
        for item in ALL
        if item.name in SIMULATED
        for job in item.jobs(Options(full=True))
    }


def test_jobs_depend_on_how_their_data_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer recordings of all cases: not one job on simulated data keeps its key."""
    before = keys()
    assert {name.split()[0] for name in before} == SIMULATED
    for name, case in cases.CASES.items():
        monkeypatch.setitem(cases.CASES, name, replace(case, data=replace(case.data, duration=9 * case.data.duration)))
    after = keys()
    assert after.keys() == before.keys()
    assert [name for name in before if before[name] == after[name]] == []


def test_jobs_depend_on_where_angles_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys()
    monkeypatch.setattr(cases, "POINTS", cases.POINTS // 2)
    after = keys()
    assert [name for name in before if before[name] == after[name]] == []
