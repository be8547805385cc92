"""What cannot be reproduced: counts that were derived by hand, and the exact density of Brownian motion."""

from __future__ import annotations

import pytest

from liestonet.reproduction.items.identities import conditions, density, pointwise


@pytest.mark.parametrize(
    ("system", "theorem", "eighth"), [("brownian", 6, 6), ("ornstein-uhlenbeck", 4, 6), ("geometric-brownian", 4, 3)]
)
def test_printed_conditions_reject_true_symmetries(system: str, theorem: int, eighth: int) -> None:
    """With signs of Bξ_x − ξB_x exchanged only ∂t, u∂u and two more survive drift; L8's B and C need constant noise."""
    assert conditions(system) == {"true": 6, "kept": {"corrected": 6, "theorem": theorem, "L8": eighth}}


def test_symmetries_change_the_density_into_another_solution() -> None:
    """u∂u multiplies the density, so the change is the density itself; no symmetry leaves this one alone."""
    rows = {row["generator"]: row for row in density()["rows"]}
    assert rows["(0, 0, 1)"]["change"] == pytest.approx(1, rel=1e-12)
    assert all(row["solves"] and row["change"] > 0.1 for row in rows.values())


@pytest.mark.parametrize("case", ["ex1", "ex2", "ex3", "ex4"])
def test_pointwise_constants_of_true_generators_vary_where_they_are_not_unique(case: str) -> None:
    """The algebras close, so constants leave nothing; a square system has no other solution than those."""
    found = pointwise(case)
    assert found["left"] < 1e-12
    assert found["count"] == 3
    if found["components"] == 3:
        assert found["variation"] < 1e-9
    else:
        assert found["variation"] > 0.1
