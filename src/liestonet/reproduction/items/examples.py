"""The meaning of the names on the page: the paper's examples with the simulated data, and its losses."""

from __future__ import annotations

from typing import Any

from liestonet.catalogue import catalogue
from liestonet.reproduction.cases import CASES, Case, Interval, Recording
from liestonet.reproduction.engines import PRESETS
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.tables import Table

# Equations of more coordinates than this are shown by the first and the last.
MOST_SHOWN = 3
# Conditions are written for one coordinate; with more they hold component by component, with sums (L6, L8).
LOSSES = (
    (
        "L1",
        "closure",
        "[X_i, X_j] = Σ_k c_ij^k X_k with constants c",
        "one fit to all points; as printed, one at each point and a penalty on its gradient",
    ),
    ("L2", "Jacobi identity", "Σ_l c_ij^l c_lk^p, summed over cyclic i, j, k, is zero", None),
    ("L3", "skew symmetry", "[X_i, X_j] = −[X_j, X_i]", "holds for any fields"),
    ("L4", "bilinearity", "[aX_i + bX_j, X_k] = a[X_i, X_k] + b[X_j, X_k]", "holds for any fields"),
    ("L5", "independence", "no generator is a combination of the others", "a barrier, not an equation"),
    (
        "L6",
        "determining equations of the SDE",
        "ξ_t + f ξ_x − ξ f_x − (τf)_t + ½σ²ξ_xx = 0 and σξ_x − ξσ_x − τσ_t − ½τ'σ = 0",
        "Itô symmetries",
    ),
    (
        "L7",
        "finite push",
        "f and σ carried along the flow by ε are f and σ where it leads",
        "ε² L6 to leading order, beside a barrier against negative time steps",
    ),
    (
        "L8",
        "determining equations of the Fokker–Planck equation",
        "(τA)_t + ξA_x − 2Aξ_x = 0, (τB)_t + ξB_x − ξ_t − Bξ_x − Aξ_xx + 2Aβ_x = 0 and "
        "(τC)_t + ξC_x + β_t + Aβ_xx + Bβ_x = 0",
        "takes the place of L6; A = −½σ², B = f − (σ²)_x and C = f_x − ½(σ²)_xx, other B and C in the paper",
    ),
    (
        "L9",
        "density after a push",
        "a solution û of the Fokker–Planck equation, pushed by ε, is a solution again",
        "takes the place of L7; in the paper: is û again",
    ),
)


def jobs(options: Options) -> list[ItemJob]:
    """Nothing is computed."""
    return []


def publish(records: list[dict[str, Any]]) -> Publication:
    """Both tables, and a sentence on where the settings are documented."""
    columns = ("case", "equation", "kind", "data", "paths begin", "true dimension")
    presets = ", ".join(f'"{name}"' if isinstance(name, str) else str(name) for name in PRESETS.values())
    return Publication(
        "The paper's examples, the data that this study simulates of them (the paper does not state where paths "
        "begin), and the number of true symmetries: of the stochastic equation where the kind is ito, of the equation "
        "of the density, modulo superposition, where it is fokker-planck. Generators are X = τ(t) ∂t + ξ(t, x) ∂x, "
        "with + β(t, x) u∂u for a density u. L1 to L5 ask that they span a Lie algebra, L6 to L9 that they are "
        "symmetries of dx = f dt + σ dW or of its density's equation u_t + A u_xx + B u_x + C u = 0; here for one "
        "coordinate. The paper's tables of settings correspond to `print(liestonet.Neural.paper(1))` (or another of "
        f"{presets}), which says of every setting whether it is stated, conflicting or unstated, and why it was "
        "taken; more is in [the page on networks](neural.md).",
        {
            "cases": Table(columns, tuple(_row(case) for case in CASES.values())),
            "losses": Table(("loss", "name", "asks for", "remark"), LOSSES),
        },
    )


def _row(case: Case) -> tuple[Any, ...]:
    """A line of the first table."""
    equations = str(catalogue[case.system].sde).split("; ")
    shown = "; ".join(equations if len(equations) <= MOST_SHOWN else (equations[0], "…", equations[-1]))
    return (case.title, f"`{shown}`", case.symmetry, _extent(case.data), _beginning(case.data), case.dimension)


def _extent(data: Recording) -> str:
    """The number and length of paths."""
    if data.starts is None:
        return f"{data.paths:,} paths, duration T = {data.duration:g}, step Δt = {data.step:g}"
    return f"{data.paths:,} single increments, t ~ {_uniform(data.starts)}, step Δt = {data.step:g}"


def _beginning(data: Recording) -> str:
    """The initial law, with coordinates of one law together, and lower bounds of paths."""
    by_law: dict[Interval, list[str]] = {}
    for name, interval in zip(catalogue[data.system].sde.names, data.initial, strict=True):
        by_law.setdefault(interval, []).append(name)
    laws = [f"{_listed(names)} ~ {_uniform(interval)}" for interval, names in by_law.items()]
    return ", ".join(laws) + "".join(f"; {name} kept above {least:g}" for name, least in data.floor)


def _listed(names: list[str]) -> str:
    return ", ".join(names if len(names) <= MOST_SHOWN else (names[0], "…", names[-1]))


def _uniform(interval: Interval) -> str:
    return "U({:g}, {:g})".format(*interval).replace("-", "−")


ITEM = Item("examples", "The examples and the losses", jobs, publish)
