"""The paper's two tables in words: related methods, and the pipeline step by step, compared with LieStoNet."""

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
    (
        "surrogate",
        "networks for f and σ",
        "the same",
        "networks, or series",
        "series with the covariance of every term",
    ),
    ("structure constants", "one fit, or one at each point", "one fit; the other on request", "one fit", "one fit"),
    (
        "generators at fixed m",
        "networks, losses L1–L7",
        "the same",
        "networks, then their last layer solved",
        "a null space",
    ),
    (
        "dimension",
        "first or only minimum of L1(m)",
        "the first non-trivial one, from cold starts",
        "jump of the residual, then verdicts",
        "verdicts with intervals and p-values",
    ),
    ("what is known of the error", "nothing", "verdicts beside the answer", "verdicts", "verdicts"),
    ("ground truth needed", "for angles", "for angles", "no", "no"),
    ("Fokker–Planck symmetries", "Brownian motion", "any", "any", "any"),
    ("law symmetries (rotated noise)", "no", "on request", "on request", "on request"),
    ("noise without full rank", "diagonal σ with a floor", "the same", "recognised", "recognised"),
    ("formulas, name of the algebra", "no", "yes", "yes", "yes"),
    ("CPU time of Example 1", "not stated", "minutes", "seconds", "about a second"),
)


def jobs(options: Options) -> list[ItemJob]:
    """Nothing is computed."""
    return []


def publish(records: list[dict[str, Any]]) -> Publication:
    """Both tables."""
    columns = ("method", "generators", "Lie algebra", "infinitesimal condition", "dynamics")
    return Publication(
        "The first table is the paper's, with a row for this software; entries on other methods are the paper's. The "
        "second says what each system does at each step of the paper's overview, and beyond.",
        {
            "related": Table(columns, RELATED),
            "steps": Table(("step", "the paper", "`Neural.paper`", "`Neural()`", "`Spectral()`"), STEPS),
        },
    )


ITEM = Item("comparison", "What each system does", jobs, publish)
