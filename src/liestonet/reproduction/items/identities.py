"""Where the paper's formulas or findings cannot hold: the identity behind each, and the number.

L3 and L4 vanish for any fields; L7 is ε² L6 to leading order; the Fokker–Planck conditions as printed reject true
symmetries as soon as there is drift; L9 as printed asks that a solution be mapped to itself; L1 as printed asks
structure constants that are fitted point by point to be constant, which they are not where they are not unique.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from liestonet.catalogue import catalogue
from liestonet.reproduction.cases import CASES, EXAMPLES
from liestonet.reproduction.engines import prepare_networks
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.study import Item, Options, Publication
from liestonet.reproduction.tables import Table, spread

FIRST_SEED = 5100
SYSTEMS = ("brownian", "ornstein-uhlenbeck", "geometric-brownian")
STEPS = (1e-2, 1e-3)
POINTS = 40
FITTED_AT = 1000


def losses(seed: int) -> dict[str, Any]:
    """Values of L3, L4, L6 and L7 on random networks, and the largest entry of their gradients."""
    prepare_networks()
    from liestonet.neural.trial import brownian_problem, size

    problem = brownian_problem(count=3, dimension=1, batch=256, seed=seed)
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
    """What the true symmetries of the heat equation do to its kernel: the change, and whether it solves the equation.

    To first order in ε the pushed density differs from û by εQ with Q = βû − ξû_x − τû_t. L9 as printed is
    ε² times the mean of Q²; a symmetry only makes Q a solution.
    """
    import sympy

    sde: Any = catalogue["brownian"].sde.symbolic
    t, x = sde.time, sde.state[0]
    kernel = sympy.exp(-(x**2) / (2 * (1 + t))) / sympy.sqrt(2 * sympy.pi * (1 + t))
    grid = np.meshgrid(np.linspace(0, 1, 21), np.linspace(-2, 2, 41), indexing="ij")
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
    """Structure constants of the true generators fitted at each point, the smallest where not unique: how they vary.

    `variation` is their scatter over the box beside the size of the true ones, generators scaled to unit length;
    `left` is what one fit to all points leaves of the brackets.
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


def jobs(options: Options) -> list[Job]:
    """Random networks for a few seeds, three systems, one density, the four examples."""
    seeds = range(FIRST_SEED, FIRST_SEED + options.count(5))
    return [
        *(Job("identities", f"losses-{seed}", "identities:losses", {"seed": seed}, cost=15) for seed in seeds),
        *(
            Job("identities", f"conditions-{name}", "identities:conditions", {"system": name}, cost=2)
            for name in SYSTEMS
        ),
        Job("identities", "density", "identities:density", cost=2),
        *(Job("identities", f"pointwise-{case}", "identities:pointwise", {"case": case}, cost=1) for case in EXAMPLES),
    ]


def publish(records: list[dict[str, Any]]) -> Publication:
    """One table for each claim."""
    networks, systems = ([r for r in records if name in r] for name in ("L3", "kept"))
    tables = {}
    if networks:
        tables["losses"] = _losses_table(networks)
    if systems:
        columns = ("system", "true symmetries", "kept by the conditions as corrected", "by the theorem", "by L8")
        rows = [
            (r["system"], r["true"], *(r["kept"][name] for name in ("corrected", "theorem", "L8"))) for r in systems
        ]
        tables["conditions"] = Table(columns, tuple(rows))
    densities = [row for r in records if "rows" in r for row in r["rows"]]
    if densities:
        rows = tuple((r["generator"], f"{r['change']:.2f}", "yes" if r["solves"] else "no") for r in densities)
        columns = ("(τ, ξ, β), a symmetry of the heat equation", "‖Q‖ / ‖û‖: L9 as printed is ε² ‖Q‖²", "Q solves it")
        tables["density"] = Table(columns, rows)
    fits = [r for r in records if "variation" in r]
    if fits:
        rows = tuple(
            (CASES[r["case"]].title, r["count"], r["components"], f"{r['variation']:.1%}", f"{r['left']:.0e}")
            for r in fits
        )
        columns = ("case", "m", "1 + n", "true generators: variation of pointwise constants", "left by constants")
        tables["pointwise"] = Table(columns, rows)
    return Publication(TEXT, tables)


TEXT = (
    "Five of the paper's statements cannot be reproduced, because an identity stands against them. (1) With brackets "
    "from exact derivatives, skew symmetry (L3) and bilinearity (L4) hold for any fields whatever: values and "
    "gradients are rounding errors, so leaving them out of training changes nothing. (2) Pushing by ε changes the "
    "coefficients by ε times the determining equations' left side, so L7 = ε² L6 + O(ε³): with ε = 0.01 and the "
    "paper's weights its gradient is a hundred-thousandth of that of L6. (3) The Fokker–Planck theorem has two signs "
    "exchanged and L8 other coefficients: they agree with the truth for Brownian motion, the one system the paper "
    "tries, and reject true symmetries of others. (4) L9 as printed asks the flow to map the density to itself; a "
    "symmetry maps it to another solution. (5) L1 as printed fits structure constants at each point and punishes "
    "their gradient. Where there are more generators than components, m > 1 + n, the fit is not unique, its smallest "
    "solution changes from point to point for the true algebra too, so that the loss is not zero at the truth; where "
    "there are as many, it is, but networks that become dependent at a point make it very large. One fit to all points "
    "has neither fault. (That the "
    "closure loss has no minimum at the true m is shown above.)"
)


def _losses_table(records: list[dict[str, Any]]) -> Table:
    """Values and gradients, L7 over ε² beside L6."""
    named = {"L3": [r["L3"] for r in records], "L4": [r["L4"] for r in records], "L6": [r["L6"] for r in records]}
    named |= {f"L7 / ε², ε = {step:g}": [r["L7"][f"{step:g}"] for r in records] for step in STEPS}
    rows = tuple(
        (name, spread([value for value, _ in pairs]), spread([gradient for _, gradient in pairs]))
        for name, pairs in named.items()
    )
    return Table(("loss of random networks", "value", "largest entry of the gradient"), rows)


ITEM = Item("identities", "What cannot be reproduced, and why", jobs, publish)
