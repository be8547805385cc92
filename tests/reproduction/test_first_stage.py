"""Which stage limits the recipe: sentences from plain records, and directions solved for on a surrogate."""

from __future__ import annotations

from typing import Any

from liestonet.core.angles import principal_angles
from liestonet.reproduction.cases import CASES, central_points
from liestonet.reproduction.items import first_stage
from liestonet.reproduction.publication import Options
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.symmetry.determining.kinds import kind_named


def test_the_stage_that_limits_the_recipe_is_named_by_medians() -> None:
    """4° of 50° are the surrogate's on Example 2, 6° of 8° on Example 1; Example 3 has no training yet."""

    def first(case: str, angle: float) -> dict[str, Any]:
        missed = {"drift": [0.1], "variance": [0.02]}
        return {"case": case, "start": "random", "angles": [0.1, angle], "surrogate": missed, "cpu_seconds": 1.0}

    trained = [
        {"case": case, "engine": "paper", "angles": [0.2, angle], "cpu_seconds": 1.0}
        for case, angle in (("ex2", 20.0), ("ex2", 50.0), ("ex2", 60.0), ("ex1", 8.0))
    ]
    made = first_stage.publish([*trained, first("ex2", 4.0), first("ex1", 6.0), first("ex3", 70.0)])
    assert "training in Ex. 2 (4.0° of 50.0°), and to the surrogate in Ex. 1 (6.0° of 8.0°)" in made.text
    assert [row[0] for row in made.tables["angles"].rows] == ["Ex. 1", "Ex. 2", "Ex. 3"]
    assert made.tables["angles"].rows[2][4] is None
    assert first_stage.jobs(Options(quick=True)) == []


def test_directions_solved_for_on_a_surrogate_of_series_are_the_symmetries() -> None:
    """From 0.5° to 5.1° on ten seeds of so many paths."""
    data = CASES["ex1"].data(11, 0.1)
    found = first_stage.solved(kind_named("ito"), fit_spectral(data, lambda message: None), 3)
    assert principal_angles(found, CASES["ex1"].exact, *central_points(data))[-1] < 10
