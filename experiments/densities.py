"""Exact densities compared with formulas of the literature, their own equation, and samples drawn without them.

    python experiments/densities.py      # one run of each, as far as they are not there; docs/density_checks.md

Formulas are evaluated by mpmath with thirty digits. Samples come from constructions that do not use a transition
density of ours: Gaussian variables, noncentral χ² laws of NumPy, norms of Gaussian vectors, and images under changes of
variables; every system has draws of its own. Seeds begin at 21100.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
from scipy.stats import kstwobign

import liestonet as lsn
from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

FIRST_SEED = 21_100
ROOT = Path(__file__).resolve().parent.parent
DRAWS, POINTS, LEVEL = 1_000_000, 2_001, 0.01
# Equation, x0, t
CASES = {
    "Brownian motion": ("dx = dW", 0.0, 1.0),
    "Ornstein–Uhlenbeck": ("dx = -x dt + dW", 1.0, 0.5),
    "geometric Brownian motion": ("dx = x/5 dt + x/2 dW", 1.0, 1.0),
    "square root, zero not reached": ("dx = (1 - x) dt + sqrt(x) dW", 1.0, 0.5),
    "square root, reflected": ("dx = (1/4 - x) dt + sqrt(x) dW", 1.0, 0.5),
    "Bessel": ("dx = 1/x dt + dW", 1.0, 0.7),
    "tanh drift": ("dx = tanh(x) dt + dW", 0.4, 0.8),
    "CEV, exponent 2": ("dx = x^2 dW", 1.0, 0.5),
    "3/2 model": ("dx = x*(1 - x) dt + x^(3/2) dW", 1.0, 0.5),
    "hyperbolic sine": ("dx = x/2 dt + sqrt(1 + x^2) dW", 0.3, 0.7),
}


def square_root(rng: np.random.Generator, level: float, x0: float, t: float) -> np.ndarray:
    """The process dx = (level − x) dt + √x dW, by its noncentral χ² law."""
    scale = (1 - np.exp(-t)) / 4
    return scale * rng.noncentral_chisquare(4 * level, x0 * np.exp(-t) / scale, DRAWS)


def bessel(rng: np.random.Generator, x0: float, t: float) -> np.ndarray:
    """The distance of a three-dimensional Brownian motion from the origin."""
    place = np.sqrt(t) * rng.standard_normal((DRAWS, 3))
    place[:, 0] += x0
    return np.linalg.norm(place, axis=1)


def sample(case: str, rng: np.random.Generator) -> np.ndarray:
    _, x0, t = CASES[case]
    noise = np.sqrt(t) * rng.standard_normal(DRAWS)
    if case == "Brownian motion":
        return x0 + noise
    if case == "Ornstein–Uhlenbeck":
        return x0 * np.exp(-t) + np.sqrt((1 - np.exp(-2 * t)) / 2) * noise / np.sqrt(t)
    if case == "geometric Brownian motion":
        return x0 * np.exp((0.2 - 0.125) * t + noise / 2)
    if case.startswith("square root"):
        return square_root(rng, 1.0 if "not" in case else 0.25, x0, t)
    if case == "Bessel":
        return bessel(rng, x0, t)
    if case == "tanh drift":  # a mixture of drifts ±1, weighted by e^{±x0}
        up = rng.random(DRAWS) < 1 / (1 + np.exp(-2 * x0))
        return x0 + np.where(up, t, -t) + noise
    if case == "CEV, exponent 2":
        return 1 / bessel(rng, 1 / x0, t)
    if case == "3/2 model":  # 1/x is the square-root process with drift 2 − 1/x
        return 1 / square_root(rng, 2.0, 1 / x0, t)
    return np.sinh(np.arcsinh(x0) + noise)


def run(case: str, seed: int) -> dict[str, Any]:
    """One run: the largest distance between the distribution function and that of the sample, at sample quantiles."""
    equation, x0, t = CASES[case]
    draws = np.sort(sample(case, np.random.default_rng([seed, list(CASES).index(case)])))
    boundary = "reflecting" if "reflected" in case else None
    density = lsn.density(lsn.SDE.parse(equation), boundary=boundary)
    rows = np.unique(np.linspace(0, DRAWS - 1, POINTS).astype(int))
    below = density.cdf(t, draws[rows], 0.0, x0)
    distance = float(np.max(np.maximum(np.abs(below - rows / DRAWS), np.abs(below - (rows + 1) / DRAWS))))
    return {
        "dimension": density.dimension,
        "mass": float(density.mass(t, 0.0, x0)),
        "distance": distance,
        "p_value": float(kstwobign.sf(distance * np.sqrt(DRAWS))),
    }


def normal(mean: Any, variance: Any) -> Callable[[Any], Any]:
    return lambda x: mp.npdf(x, mean, mp.sqrt(variance))


def pulled(k: Any, m: Any, s: Any, t: Any, x0: Any) -> Callable[[Any], Any]:
    """dx = k(m − x) dt + s dW."""
    decay = mp.exp(-k * t)
    return normal(m + (x0 - m) * decay, s**2 * (1 - decay**2) / (2 * k))


def feller(k: Any, level: Any, s: Any, t: Any, x0: Any, sign: int = 1) -> Callable[[Any], Any]:
    """dx = (level − kx) dt + s√x dW (Feller 1951); sign −1 absorbs at zero."""
    c, q = 2 * k / (s**2 * (1 - mp.exp(-k * t))), 2 * level / s**2 - 1
    u = c * x0 * mp.exp(-k * t)
    return lambda x: (
        c * mp.exp(-u - c * x) * (c * x / u) ** (q / 2) * mp.besseli(sign * q, 2 * mp.sqrt(u * c * x))
        if x
        else mp.mpf(0)
    )


def distance(a: Any, t: Any, x0: Any) -> Callable[[Any], Any]:
    """dx = a/x dt + dW."""
    nu = a - mp.mpf(1) / 2
    return lambda x: (x / x0) ** nu * x / t * mp.exp(-(x**2 + x0**2) / (2 * t)) * mp.besseli(nu, x * x0 / t)


def turned_tanh(t: Any, x0: Any) -> Callable[[Any], Any]:
    """dx = tanh x dt + dW: a mixture of drifts ±1."""
    return lambda x: mp.cosh(x) / mp.cosh(x0) * mp.exp(-t / 2) * mp.npdf(x, x0, mp.sqrt(t))


def inverse_square(t: Any, x0: Any) -> Callable[[Any], Any]:
    """V = 1/x² with h = x² + 1/x: the kernel has I_{3/2}."""
    return lambda x: (
        (x**2 + 1 / x)
        / (x0**2 + 1 / x0)
        * mp.sqrt(x * x0)
        / t
        * mp.exp(-(x**2 + x0**2) / (2 * t))
        * mp.besseli(mp.mpf(3) / 2, x * x0 / t)
    )


def elastic(t: Any, x0: Any) -> Callable[[Any], Any]:
    """dx = x/10 dt + x^{3/4}/2 dW: √x is a square-root process, absorbed at zero."""
    root = feller(-mp.mpf(1) / 20, -mp.mpf(1) / 32, mp.mpf(1) / 4, t, mp.sqrt(x0), -1)
    return lambda x: root(mp.sqrt(x)) / (2 * mp.sqrt(x))


def moving_pull(t: Any, x0: Any) -> Callable[[Any], Any]:
    """dx = (3/(2x) − tx) dt + dW from time 0: a Bessel process with another clock."""
    carried = x0 * mp.exp(-(t**2) / 2)
    return distance(mp.mpf(3) / 2, mp.exp(-(t**2)) * mp.quad(lambda s: mp.exp(s**2), [0, t]), carried)


def number(text: str) -> Any:
    return mp.mpf(text)


# Equation, boundary, x0, t, x, ends of where the density is, and the density by a formula of the literature
FORMULAS: dict[str, tuple[str, str | None, str, str, str, tuple[float, float], Callable[[Any, Any], Any]]] = {
    "Brownian motion": ("dx = dW", None, "0", "1", "0.5", (-12, 12), lambda t, x0: normal(x0, t)),
    "Ornstein–Uhlenbeck": ("dx = -x dt + dW", None, "1", "0.5", "0.3", (-12, 12), lambda t, x0: pulled(1, 0, 1, t, x0)),
    "Ornstein–Uhlenbeck, all constants": (
        "dx = 2*(1/2 - x) dt + 0.8 dW",
        None,
        "0.2",
        "0.7",
        "0.9",
        (-12, 12),
        lambda t, x0: pulled(2, number("0.5"), number("0.8"), t, x0),
    ),
    "geometric Brownian motion": (
        "dx = x/5 dt + x/2 dW",
        None,
        "1",
        "1",
        "1.3",
        (0, 200),
        lambda t, x0: lambda x: normal(mp.log(x0) + number("0.075") * t, t / 4)(mp.log(x)) / x if x else mp.mpf(0),
    ),
    "square root, θ = 1": (
        "dx = (1 - x) dt + sqrt(x) dW",
        None,
        "1",
        "0.5",
        "0.8",
        (0, 40),
        lambda t, x0: feller(1, 1, 1, t, x0),
    ),
    "square root, θ = 3/4": (
        "dx = (3/4 - x) dt + sqrt(x) dW",
        None,
        "1",
        "0.5",
        "0.8",
        (0, 40),
        lambda t, x0: feller(1, number("0.75"), 1, t, x0),
    ),
    "square root, θ = 1/4, reflected": (
        "dx = (1/4 - x) dt + sqrt(x) dW",
        "reflecting",
        "1",
        "0.5",
        "0.8",
        (0, 40),
        lambda t, x0: feller(1, number("0.25"), 1, t, x0),
    ),
    "square root, θ = 1/4, absorbed": (
        "dx = (1/4 - x) dt + sqrt(x) dW",
        "absorbing",
        "1",
        "0.5",
        "0.8",
        (0, 40),
        lambda t, x0: feller(1, number("0.25"), 1, t, x0, -1),
    ),
    "square root, θ = 1/10, reflected": (
        "dx = (0.1 - x) dt + sqrt(x) dW",
        "reflecting",
        "0.5",
        "1",
        "0.2",
        (0, 40),
        lambda t, x0: feller(1, number("0.1"), 1, t, x0),
    ),
    "square root, θ = 1/10, absorbed": (
        "dx = (0.1 - x) dt + sqrt(x) dW",
        "absorbing",
        "0.5",
        "1",
        "0.2",
        (0, 40),
        lambda t, x0: feller(1, number("0.1"), 1, t, x0, -1),
    ),
    "Bessel, 4 dimensions": (
        "dx = 3/(2*x) dt + dW",
        None,
        "1",
        "0.7",
        "1.4",
        (0, 14),
        lambda t, x0: distance(number("1.5"), t, x0),
    ),
    "Bessel, 3 dimensions": ("dx = 1/x dt + dW", None, "1", "0.7", "1.4", (0, 14), lambda t, x0: distance(1, t, x0)),
    "tanh drift": ("dx = tanh(x) dt + dW", None, "0.4", "0.8", "-0.3", (-14, 14), turned_tanh),
    "inverse square potential": (
        "dx = (2*x^3 - 1)/(x*(x^3 + 1)) dt + dW",
        "absorbing",
        "1",
        "0.5",
        "1.2",
        (0, 14),
        inverse_square,
    ),
    "CEV, exponent 2": (
        "dx = x^2 dW",
        None,
        "1",
        "0.5",
        "0.8",
        (0, 1e9),
        lambda t, x0: lambda x: distance(1, t, 1 / x0)(1 / x) / x**2 if x else mp.mpf(0),
    ),
    "CEV, exponent 3/4": ("dx = x/10 dt + x^(3/4)/2 dW", "absorbing", "1", "1", "1.1", (0, 60), elastic),
    "radial, pull that grows": ("dx = (3/(2*x) - t*x) dt + dW", None, "0.8", "0.7", "1.1", (0, 14), moving_pull),
}


def black_scholes() -> Any:
    """A call: 110 from 100, rate 0.05, volatility 0.2, one year."""
    upper = (mp.log(mp.mpf(100) / 110) + number("0.07")) / number("0.2")
    return 100 * mp.ncdf(upper) - 110 * mp.exp(-number("0.05")) * mp.ncdf(upper - number("0.2"))


def vasicek() -> Any:
    """A bond of five years, dr = 0.5(0.06 − r) dt + 0.02 dW, from 0.03 (Vasicek 1977)."""
    k, m, s = number("0.5"), number("0.06"), number("0.02")
    reach = (1 - mp.exp(-5 * k)) / k
    flat = (m - s**2 / (2 * k**2)) * (reach - 5) - s**2 * reach**2 / (4 * k)
    return mp.exp(flat - reach * number("0.03"))


def cox_ingersoll_ross() -> Any:
    """The same with 0.1√r dW (Cox, Ingersoll and Ross 1985)."""
    k, m, s = number("0.5"), number("0.06"), number("0.1")
    root = mp.sqrt(k**2 + 2 * s**2)
    under = (root + k) * mp.expm1(5 * root) + 2 * root
    power = (2 * root * mp.exp((k + root) * 5 / 2) / under) ** (2 * k * m / s**2)
    return power * mp.exp(-2 * mp.expm1(5 * root) / under * number("0.03"))


# Equation, payoff, maturity, x0, killing, and the price by a formula of the literature
PRICES: dict[str, tuple[str, str, float, float, str, Callable[[], Any]]] = {
    "call of Black and Scholes": ("dx = 0.05*x dt + 0.2*x dW", "call(110)", 1, 100, "0.05", black_scholes),
    "bond of Vasicek": ("dr = 0.5*(0.06 - r) dt + 0.02 dW", "1", 5, 0.03, "r", vasicek),
    "bond of Cox, Ingersoll and Ross": (
        "dr = 0.5*(0.06 - r) dt + 0.1*sqrt(r) dW",
        "1",
        5,
        0.03,
        "r",
        cox_ingersoll_ross,
    ),
}


def check(formula: str) -> dict[str, Any]:
    """One density against its formula: at a point, its mass, Chapman and Kolmogorov, and the forward equation."""
    equation, boundary, *places, (low, high), known = FORMULAS[formula]
    x0, t, x = (float(place) for place in places)
    p = lsn.density(lsn.SDE.parse(equation), boundary=boundary)
    with mp.workdps(30):
        start, span, place = (mp.mpf(text) for text in places)
        literature = known(span, start)
        value, pieces = (
            literature(place),
            sorted({low, high, *(b for b in (0.1, 1, 3, 10, 100, 1e4) if low < b < high)}),
        )
        mass = mp.quad(literature, pieces[1:] if low == 0 else pieces)
        if low == 0:  # where a density may be a power, in a coordinate in which it is smooth enough
            mass += mp.quad(lambda z: literature(z**10) * 10 * z**9, [0, mp.mpf(pieces[1]) ** 0.1])
        difference, lacking = p(t, x, 0, x0) / value - 1, p.mass(t, 0, x0) - mass
    z, weights = trapezoid(*(float(end) for end in p.domain))
    whole = float(np.sum(weights * p(t, x, 0.4 * t, z) * p(0.4 * t, z, 0, x0)))
    return {
        "value": p(t, x, 0, x0),
        "difference": float(difference),
        "mass": float(mass),
        "lacking": float(lacking),
        "chapman": whole / p(t, x, 0, x0) - 1,
        "forward": forward_residual(p, t, x, x0),
        "status": p.status,
    }


def trapezoid(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights on a line or half-line: equal steps in a coordinate without ends converge fast."""
    if np.isinf(low):
        z = np.linspace(-12, 12, 4001)
        return z, np.full(len(z), z[1] - z[0])
    s = np.linspace(-180, 8, 20001)
    return np.exp(s), np.exp(s) * (s[1] - s[0])


def forward_residual(p: Any, t: float, x: float, x0: float) -> float:
    """p_t + (fp)_x − ½(ap)_xx over its largest term, by differences of sixth order of the values of p."""
    step, offsets = 1e-3, np.arange(-3, 4)
    grid, times = x + step * offsets, np.full(7, t)
    f = p.sde.drift(times, grid[:, None])[:, 0]
    a = p.sde.diffusion_squared(times, grid[:, None])[:, 0, 0]
    values = p(t, grid, 0, x0)
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / step
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180 / step**2
    terms = [first @ p(t + step * offsets, x, 0, x0), first @ (f * values), -second @ (a * values) / 2]
    return float(abs(sum(terms)) / max(map(abs, terms)))


def check_price(price: str) -> dict[str, Any]:
    """One price against its formula."""
    equation, payoff, maturity, x0, killing, known = PRICES[price]
    found = lsn.price(equation, payoff, maturity, x0, killing=killing)
    with mp.workdps(30):
        difference = float(found.value / known() - 1)
    return {"value": found.value, "difference": difference, "method": found.method}


def jobs(seeds: int | None) -> list[Job]:
    checked = [
        Job("densities", f"formula-{k}", "densities:check", {"formula": name}, given={"case": repr(row[:-1])})
        for k, (name, row) in enumerate(FORMULAS.items())
    ]
    priced = [
        Job("densities", f"price-{k}", "densities:check_price", {"price": name}, given={"case": repr(row[:-1])})
        for k, (name, row) in enumerate(PRICES.items())
    ]
    return (
        checked
        + priced
        + [
            Job(
                "densities",
                f"{number}-{seed}",
                "densities:run",
                {"case": case, "seed": seed},
                given={"equation": CASES[case][0], "draws": DRAWS},
            )
            for seed in range(FIRST_SEED, FIRST_SEED + (seeds or 1))
            for number, case in enumerate(CASES)
        ]
    )


def page(records: list[dict[str, Any]]) -> str:
    sampled = [record for record in records if "case" in record]
    parts = [INTRODUCTION, formulas(records), PRICED, prices(records), SAMPLED, table(sampled), MEASURED]
    return "# Densities, measured\n\n" + "\n\n".join(part.strip("\n") for part in parts) + "\n"


def formulas(records: list[dict[str, Any]]) -> str:
    """Densities beside formulas."""
    lines = [
        "| system | equation | p | off by | mass | off by | Chapman–Kolmogorov off by | forward equation |",
        "|" + "---|" * 8,
    ]
    for record in (row for row in records if "formula" in row):
        equation, boundary, *_ = FORMULAS[record["formula"]]
        shown = f"`{equation}`" + (f", {boundary}" if boundary else "")
        cells = [record["formula"], shown, f"{record['value']:.12g}", f"{abs(record['difference']):.0e}"]
        cells += [f"{record['mass']:.12f}", f"{abs(record['lacking']):.0e}", f"{abs(record['chapman']):.0e}"]
        lines.append("| " + " | ".join([*cells, f"{record['forward']:.0e}"]) + " |")
    return "\n".join(lines)


def prices(records: list[dict[str, Any]]) -> str:
    """Prices beside formulas."""
    lines = ["| price | equation | value | off by | how |", "|---|---|---|---|---|"]
    for record in (row for row in records if "price" in row):
        numbers = f"{record['value']:.13g} | {abs(record['difference']):.0e} | {record['method']}"
        lines.append(f"| {record['price']} | `{PRICES[record['price']][0]}` | {numbers} |")
    return "\n".join(lines)


def table(records: list[dict[str, Any]]) -> str:
    lines = ["| system | equation | dimension | KS distance | p | mass |", "|---|---|---|---|---|---|"]
    for case, (equation, _, _) in CASES.items():
        for record in (row for row in records if row["case"] == case):
            numbers = f"{record['distance']:.2g} | {record['p_value']:.2f} | {record['mass']:.12f}"
            lines.append(f"| {case} | `{equation}` | {record['dimension']} | {numbers} |")
    low = sum(record["p_value"] < LEVEL for record in records)
    return "\n".join([*lines, "", f"Rejected at the level of {LEVEL:.0%}: {low} of {len(records)}."])


INTRODUCTION = """*For readers who want to know whether the densities of `lsn.density` are right.*

Values of `lsn.density` beside formulas of the literature, evaluated with thirty digits: relative differences of the
density at one point, absolute ones of its mass. Chapman–Kolmogorov: the density over the whole time against the
integral over a place at 0.4 of it. The last column is what finite differences leave of the forward equation, over its
largest term; errors of the differences themselves are about 1e-10.
"""

PRICED = "Prices in the same way:"

SAMPLED = """One million independent draws of each system, made without a transition density of ours, against the
distribution function of `lsn.density`. A right density has a p-value below 1 % in one run of a hundred.
"""

MEASURED = """## How this was measured

`python experiments/densities.py`: one run of each system, seed 21100, which was not used before. The formulas stand in
the script. Draws come from Gaussian variables, NumPy's noncentral χ² variables, norms of Gaussian vectors, and changes
of variables; every system has its own. The Kolmogorov–Smirnov distance is taken at 2,001 quantiles of the sample, and
its law is that of all points, which is conservative. More equations, killing and ends of other kinds against a scheme
of finite volumes are in `tests/densities/test_density.py`.
"""


STUDY = Study(jobs, page, ROOT / "experiments" / "results", ROOT / "docs" / "density_checks.md")
if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
