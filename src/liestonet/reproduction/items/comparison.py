"""The paper's two tables in words: what related methods do, and the pipeline step by step, with ours beside it."""

from __future__ import annotations

from typing import Any

from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table

YES, NO = "yes", "no"
# as in the columns below: what generators are, whether the Lie algebra and an infinitesimal condition are used
RELATED = (
    ("Ko et al. 2024", "vector fields", NO, NO, "deterministic"),
    ("Forestano et al. 2023", "matrices", YES, NO, "deterministic"),
    ("LieGAN", "matrices", YES, NO, "deterministic"),
    ("Augerino", "matrices", NO, NO, "deterministic"),
    ("LaLiGAN", "matrices", YES, NO, "deterministic"),
    ("Shaw et al. 2024", "vector fields", NO, NO, "deterministic"),
    ("LieNLSD", "vector fields", NO, YES, "deterministic"),
    ("the paper", "vector fields", YES, YES, "stochastic"),
    ("this software", "vector fields, in closed form", YES, YES, "stochastic"),
)
STEPS = (
    ("surrogate", "networks for f and σ", "the same, or series with the covariance of every coefficient"),
    ("generators at fixed m", "networks, losses L1–L7", "the same, or the null space of the determining equations"),
    ("dimension", "minimum of L1(m)", "directions with intervals and p-values, L1(m) and L6(m) beside them"),
    ("report", "angles, after-push residuals", "formulas, brackets, the algebra's name, calibrated tests, one page"),
)


def jobs(options: Options) -> list[ItemJob]:
    """Nothing is computed."""
    return []


def publish(records: list[dict[str, Any]]) -> Publication:
    """Both tables."""
    columns = ("method", "generators", "Lie algebra", "infinitesimal condition", "dynamics")
    return Publication(
        "The first table is the paper's, with a row for this software; the second follows the paper's overview of its "
        "algorithm. (The overview takes the *first* minimum of L1 over m, the text on the dimension the minimum.)",
        {"related": Table(columns, RELATED), "steps": Table(("step", "the paper", "this software"), STEPS)},
    )


ITEM = Item("comparison", "What each system does", jobs, publish)
