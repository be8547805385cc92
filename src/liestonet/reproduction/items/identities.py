"""Where formulas or findings of the paper cannot hold: the identity and a number for each (docs/method.md §13).

L3 and L4 vanish for any fields; L7 is ε² L6 to leading order; the Fokker–Planck conditions as printed reject true
symmetries, the theorem's where there is drift, L8 where the noise is not constant; L9 as printed asks that a solution
be mapped to itself; L1 as printed asks structure constants that are fitted point by point to be constant, which they
are not where they are not unique.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import paper_widths, prepare_networks
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study.jobs import digest
from liestonet.study.tables import Table, spread

FIRST_SEED = 5100
SYSTEMS = ("brownian", "ornstein-uhlenbeck", "geometric-brownian")
NETWORKS: dict[str, Any] = {"count": 3, "dimension": 1, "batch": 256}
STEPS = (1e-2, 1e-3)
POINTS = 40
TIMES, PLACES = (0, 1, 21), (-2, 2, 41)  # grid of the density: from, to, number
FITTED_AT = 1000


def losses(seed: int) -> dict[str, Any]:
    """Values of L3, L4, L6 and L7 on random networks, and the largest entry of their gradients."""
    prepare_networks()
    from liestonet.neural.loss_probe import brownian_problem, size

    problem = brownian_problem(**NETWORKS, widths=paper_widths(), seed=seed)
    pushed = {f"{flow:g}": [part / flow**2 for part in size(7, *problem, flow=flow, barrier=0.0)] for flow in STEPS}
    return {**{f"L{number}": list(size(number, *problem)) for number in (3, 4, 6)}, "L7": pushed}


def conditions(system: str) -> dict[str, Any]:
    """How many of a system's independent Fokker–Planck symmetries satisfy each version of the conditions."""
    import sympy

    equations = _equations(system)
    symbols = equations.pop("symbols")
    points = np.random.default_rng(0).uniform(0.5, 2.0, (POINTS, 2))
    kept = {}
    for version, rows in equations.items():
        functions = [sympy.lambdify(symbols, row, "numpy") for row in rows]
        values = np.array(
            [
                np.concatenate([np.broadcast_to(part, POINTS) for part in function(*points.T)]).astype(float)
                for function in functions
            ]
        )
        kept[version] = len(rows) - int(np.linalg.matrix_rank(values, tol=1e-9 * max(1.0, np.abs(values).max())))
    return {"true": len(catalogue[system].symmetries["fokker-planck"]), "kept": kept}


def _equations(system: str) -> dict[str, Any]:
    """The three conditions on every true generator, as they should be, as the theorem has them, and as L8 has them."""
    import sympy

    sde: Any = catalogue[system].sde.symbolic
    t, x = sde.time, sde.state[0]
    f, square = sde.drift[0], sde.diffusion[0] ** 2
    A = -square / 2
    right = (A, f - sympy.diff(square, x), sympy.diff(f, x) - sympy.diff(square, x, 2) / 2)
    eighth = (A, f - sympy.diff(A, x), sympy.diff(f, x) - sympy.diff(A, x, 2))
    fields = _scalar_fields(system)

    def rows(coefficients: tuple[Any, ...], sign: int) -> list[list[Any]]:
        A, B, C = coefficients
        made = []
        for tau, xi, beta in fields:
            transport = sign * (xi * sympy.diff(B, x) - B * sympy.diff(xi, x))
            first = sympy.diff(tau * A, t) + xi * sympy.diff(A, x) - 2 * A * sympy.diff(xi, x)
            second = sympy.diff(tau * B, t) - sympy.diff(xi, t) + transport
            second += 2 * A * sympy.diff(beta, x) - A * sympy.diff(xi, x, 2)
            third = sympy.diff(tau * C, t) + sympy.diff(beta, t) + A * sympy.diff(beta, x, 2)
            third += B * sympy.diff(beta, x) + xi * sympy.diff(C, x)
            made.append([first, second, third])
        return made

    return {
        "symbols": (t, x),
        "corrected": rows(right, 1),
        "theorem": rows(right, -1),
        "L8": rows(eighth, 1),
    }


def _scalar_fields(system: str) -> list[tuple[Any, Any, Any]]:
    """τ, ξ and β of the true Fokker–Planck symmetries of a system with one coordinate."""
    return [(row.tau, row.xi[0], row.beta) for row in catalogue[system].formulas("fokker-planck")]


def density() -> dict[str, Any]:
    """The change of the heat kernel under the true symmetries, and whether it solves the heat equation.

    û is the density at time t of Brownian motion that was at 0 at time −1. The pushed density differs from it by εQ +
    O(ε²) with Q = βû − ξû_x − τû_t. L9 as printed is ε² times the mean of Q² + O(ε³); a symmetry only makes Q a
    solution.
    """
    import sympy

    sde: Any = catalogue["brownian"].sde.symbolic
    t, x = sde.time, sde.state[0]
    kernel = sympy.exp(-(x**2) / (2 * (1 + t))) / sympy.sqrt(2 * sympy.pi * (1 + t))
    grid = np.meshgrid(np.linspace(*TIMES), np.linspace(*PLACES), indexing="ij")
    size = np.sqrt(np.mean(sympy.lambdify((t, x), kernel, "numpy")(*grid) ** 2))
    rows = []
    for tau, xi, beta in _scalar_fields("brownian"):
        change = beta * kernel - xi * sympy.diff(kernel, x) - tau * sympy.diff(kernel, t)
        values = np.broadcast_to(sympy.lambdify((t, x), change, "numpy")(*grid), grid[0].shape)
        left = sympy.simplify((sympy.diff(change, t) - sympy.diff(change, x, 2) / 2) / kernel)
        rows.append(
            {
                "generator": f"({tau}, {xi}, {beta})",
                "change": float(np.sqrt(np.mean(values**2)) / size),
                "solves": bool(left == 0),
            }
        )
    return {"rows": rows}


def pointwise(case: str) -> dict[str, Any]:
    """The variation of structure constants of the true generators fitted at each point (minimum norm if not unique).

    `variation` is their scatter over the box relative to the size of the true ones, for generators of unit length;
    `left` is the residual of the brackets in one fit to all points.
    """
    import sympy

    system = catalogue[CASES[case].system]
    symbolic: Any = system.sde.symbolic
    variables = (symbolic.time, *symbolic.state)
    rows = [(formula.tau, *formula.xi) for formula in system.formulas(CASES[case].symmetry)]
    pairs = list(combinations(range(len(rows)), 2))
    brackets = [_bracket(rows[i], rows[j], variables) for i, j in pairs]
    intervals = np.array(system.box)
    points = np.random.default_rng(0).uniform(intervals[:, 0], intervals[:, 1], (FITTED_AT, len(variables)))
    compute = sympy.lambdify(variables, [sympy.Matrix(rows).T, sympy.Matrix(brackets).T], "numpy")
    fields, right = (np.array(group, dtype=float) for group in zip(*(compute(*p) for p in points), strict=True))
    length = np.sqrt(np.mean(np.sum(fields**2, axis=1), axis=0))
    fields, right = fields / length, right / np.prod(length[np.array(pairs)], axis=1)
    fitted = np.linalg.pinv(fields) @ right
    inner, cross = (np.einsum("pck,pcl->kl", fields, other) for other in (fields, right))
    constants = np.linalg.solve(inner, cross)
    return {
        "components": len(variables),
        "count": len(rows),
        "variation": float(np.sqrt(np.mean((fitted - fitted.mean(axis=0)) ** 2) / np.mean(constants**2))),
        "left": float(np.sqrt(np.mean((fields @ constants - right) ** 2) / np.mean(right**2))),
    }


def _bracket(first: tuple[Any, ...], second: tuple[Any, ...], variables: tuple[Any, ...]) -> list[Any]:
    """[X, Y] = X(Y) − Y(X), component by component."""
    import sympy

    return [
        sum(
            x * sympy.diff(after, v) - y * sympy.diff(before, v)
            for x, y, v in zip(first, second, variables, strict=True)
        )
        for before, after in zip(first, second, strict=True)
    ]


def jobs(options: Options) -> list[ItemJob]:
    """The jobs: random networks for a few seeds, three systems, one density, the four examples."""
    seeds = range(FIRST_SEED, FIRST_SEED + options.count(5))
    random = {"networks": {**NETWORKS, "widths": paper_widths()}, "steps": STEPS}
    return [
        *(_job(f"losses-{seed}", "losses", {"seed": seed}, random, 15) for seed in seeds),
        *(
            _job(f"conditions-{name}", "conditions", {"system": name}, {"points": POINTS, "system": _facts(name)}, 2)
            for name in SYSTEMS
        ),
        _job("density", "density", {}, {"times": TIMES, "places": PLACES, "system": _facts("brownian")}, 2),
        *(
            _job(f"pointwise-{case}", "pointwise", {"case": case}, {"points": FITTED_AT, "system": facts}, 1)
            for case in EXAMPLES
            for facts in [_facts(CASES[case].system)]
        ),
    ]


def _job(name: str, function: str, settings: dict[str, Any], given: dict[str, Any], cost: int) -> ItemJob:
    return ItemJob("identities", name, f"identities:{function}", settings, cost=cost, given=given)


def _facts(system: str) -> str:
    """A digest of a system's equation, generators and box."""
    known = catalogue[system]
    return digest(repr((known.equation, dict(known.symmetries), known.box)))


def publish(records: list[dict[str, Any]]) -> Publication:
    """One table for each claim."""
    networks, systems, fits = ([r for r in records if name in r] for name in ("L3", "kept", "variation"))
    densities = [row for r in records if "rows" in r for row in r["rows"]]
    tables = {}
    if networks:
        tables["losses"] = _losses_table(networks)
    if systems:
        columns = ("system", "true symmetries", "kept by the conditions as corrected", "by the theorem", "by L8")
        rows = [
            (r["system"], r["true"], *(r["kept"][name] for name in ("corrected", "theorem", "L8"))) for r in systems
        ]
        tables["conditions"] = Table(columns, tuple(rows))
    if densities:
        rows = tuple((r["generator"], f"{r['change']:.2f}", "yes" if r["solves"] else "no") for r in densities)
        tables["density"] = Table(("(τ, ξ, β), a symmetry of the heat equation", "‖Q‖ / ‖û‖", "Q solves it"), rows)
    if fits:
        rows = tuple(
            (CASES[r["case"]].title, r["count"], r["components"], f"{r['variation']:.2%}", f"{r['left']:.0e}")
            for r in fits
        )
        columns = ("case", "m", "1 + n", "true generators: variation of pointwise constants", "left by constants")
        tables["pointwise"] = Table(columns, rows)
    return Publication(_text(systems), tables)


def _text(systems: list[dict[str, Any]]) -> str:
    """The text: which claims cannot hold, and why; the numbers are in the tables in the same order."""
    return "\n\n".join((LEAD, STRUCTURE, PUSHED, CONDITIONS + _rejections(systems), DENSITY, POINTWISE))


LEAD = (
    "Two findings that the paper reports contradict an identity: that training suffers without L3 or L4 (1), and "
    "without L7 (2). Three formulas cannot hold as printed: the Fokker–Planck theorem and L8 (3), L9 (4), and L1 with "
    "constants fitted at each point (5). (What the closure loss does at the true m is a matter of runs: see the "
    "closure loss against m.)"
)
STRUCTURE = (
    "(1) With brackets from exact derivatives, skew symmetry (L3) and bilinearity (L4) hold for any fields: values and "
    "gradients are rounding errors, so leaving them out of training changes nothing."
)
PUSHED = (
    "(2) Pushing by ε changes the coefficients by ε times the left side of the determining equations + O(ε²), so the "
    f"part of L7 that compares coefficients is ε² L6 + O(ε³): with ε = {STEPS[0]:g} and the paper's weights of "
    "Examples 1–3, w6 = 1 and w7 = 0.1, its gradient is a hundred-thousandth of that of L6. L7 has a second part, a "
    "barrier λ softplus(−Δs) against pushed time steps Δs that turn negative, whose weight λ the paper does not state; "
    "it is left out here. As Δs = Δt + ε (τ(t + Δt) − τ(t)) + O(ε²), its gradient is at most λ ε Δt times that of τ', "
    "to leading order: it knows nothing of the equation, and its factor is as small with Δt = 0.01 and λ of order one."
)
CONDITIONS = (
    "(3) The second equation of the Fokker–Planck theorem has two signs exchanged, and L8 has other coefficients B and "
    "C than the equation (and introduces it as u_t = A u_xx + B u_x + C u, which has the opposite sign); Brownian "
    "motion is the one system the paper tries."
)
DENSITY = (
    "(4) A generator changes a density û into û + εQ + O(ε²) with Q = βû − ξû_x − τû_t. L9 as printed asks the flow to "
    "map û to itself: it is ε² times the mean of Q², + O(ε³). A symmetry maps a solution to another solution: it asks "
    "that Q solve the equation, not that it vanish. In the table û is the density of Brownian motion that was at 0 at "
    f"time −1, t from {TIMES[0]} to {TIMES[1]}, x from −{-PLACES[0]} to {PLACES[1]}; ‖·‖ is the root mean square."
)
POINTWISE = (
    "(5) L1 as printed fits structure constants at each point and punishes their gradient. Where there are more "
    "generators than components, m > 1 + n, the fit is not unique. Taking the smallest solution, which is our reading "
    "of “fit”, the constants of the true algebra change from point to point (their scatter over the box is given "
    "beside the size of the true ones), so the loss is not zero at the truth. Where m = 1 + n and the generators are "
    "independent, the fit has one solution, the true one. One fit to all points leaves nothing in either case (last "
    "column)."
)


def _rejections(systems: list[dict[str, Any]]) -> str:
    """How many true symmetries each printed version rejects, system by system."""
    parts = []
    for version, title in (("theorem", "the theorem"), ("L8", "L8")):
        lost = [(r["true"] - r["kept"][version], r["system"]) for r in systems]
        told = [f"{count} of {name}" for count, name in lost if count]
        parts.append(f"{title} rejects {' and '.join(told) if told else 'none'}")
    return f" Of the true symmetries {', '.join(parts)}." if systems else ""


def _losses_table(records: list[dict[str, Any]]) -> Table:
    """The table of values and gradients, with L6 and L7 over ε²."""
    named = {"L3": [r["L3"] for r in records], "L4": [r["L4"] for r in records], "L6": [r["L6"] for r in records]}
    named |= {f"L7 / ε², ε = {step:g}": [r["L7"][f"{step:g}"] for r in records] for step in STEPS}
    rows = tuple((name, *(_sizes(column) for column in zip(*pairs, strict=True))) for name, pairs in named.items())
    return Table(("loss of random networks", "value", "largest entry of the gradient"), rows)


def _sizes(values: tuple[float, ...]) -> str | None:
    """Mean and spread; exact zeros are marked."""
    return spread(values) if any(values) else f"exactly 0 ({len(values)})"


ITEM = Item("identities", "What cannot be reproduced, and why", jobs, publish)
