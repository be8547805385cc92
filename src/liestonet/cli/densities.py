"""`liestonet density` and `liestonet price`: densities and prices in closed form. Reads options and prints."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from liestonet.cli.arguments import assignments, read_equation, read_number, require_values
from liestonet.cli.options import Equation, Json, Parameter, Quiet, Stratonovich
from liestonet.cli.output import check_forms, emit, emit_next, paragraphs, stages, typed_words
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.densities.density import Density
    from liestonet.sde import SDE

STAGES = {
    "looking for the state space": 1,
    "testing the potential": 4,
    "choosing the kernel": 4,
    "proving the density": 3,
    "integrating the payoff": 4,
}
MOST_POINTS = 10_000
ROUNDING = 1e-12
Killing = Annotated[
    str | None,
    typer.Option(
        "--killing",
        metavar="RATE",
        help='Killing rate, at which paths end, such as 0.05 or "r*x"; for prices, the interest rate.',
    ),
]
Boundary = Annotated[
    str | None,
    typer.Option(
        "--boundary",
        metavar="KIND",
        help='What happens at an end that paths reach: "reflecting" or "absorbing"; for two ends '
        '"absorbing, reflecting".',
    ),
]
StateSpace = Annotated[
    str | None,
    typer.Option(
        "--domain",
        metavar="NAME=LOW:HIGH",
        help='State space, such as "x=0:1" or "x=0:inf"; chosen automatically if not given.',
    ),
]
Start = Annotated[float | None, typer.Option("--x0", help="State at the start.")]
StartTime = Annotated[float, typer.Option("--t0", help="Time of the start.")]


def show_density(
    equation: Equation,
    killing: Killing = None,
    boundary: Boundary = None,
    domain: StateSpace = None,
    x0: Start = None,
    t: Annotated[float | None, typer.Option("--t", help="Time at which the density is evaluated.")] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="VALUES", help='States at which it is evaluated: "0.5, 1, 2" or LOW:HIGH:COUNT.'),
    ] = None,
    t0: StartTime = 0.0,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    json: Json = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the density in LaTeX.")] = False,
    quiet: Quiet = False,
) -> None:
    """Find the transition density of a scalar equation in closed form.

    A scalar equation whose Fokker–Planck algebra has dimension 6 or 4 has one. Prints the formula and what happens at
    the ends of the state space; with --x0, --t and --x also values, the probability below each x and the total.

    \b
        p |    __
          |  _/  \\_         p(t, x | t0, x0), its boundary, its mass
          +--------- x

    \b
    Examples:
      liestonet density "dx = (1 - x) dt + sqrt(x) dW"
      liestonet density "dx = k*(m - x) dt + s dW" --latex
      liestonet density "dx = (0.1 - x) dt + sqrt(x) dW" --boundary absorbing --x0 0.5 --t 1 --x 0.2
      liestonet density "dr = 0.5*(0.06 - r) dt + 0.02 dW" --killing r --json
    """
    from liestonet.densities.density import density
    from liestonet.render.next_check import after_density

    check_forms(json, latex)
    sde, _ = _killed(equation, killing, param or (), stratonovich)
    with stages(not quiet, STAGES) as progress:
        found = density(sde, None, _choice(boundary), domain=_state_space(sde, domain), progress=progress)
        table = _table(found, x0, t, x, t0)
    if json:
        finite = [value if isfinite(value) else None for value in table.get("density", [])]
        _emit_json(_density_values(found) | table | ({"density": finite} if table else {}))
    elif latex:
        from sympy import latex as as_latex

        emit(as_latex(found.formula) + "\n")
    else:
        sentences = _sentences(found, table)
        lines = paragraphs(sentences[:1]) if quiet else [*paragraphs(sentences), *_rows(table)]
        emit("\n".join(lines) + "\n")
        if not quiet:
            emit_next(after_density(typed_words(), found.parameters))


def show_price(
    equation: Equation,
    payoff: Annotated[
        str,
        typer.Option(
            metavar="PAYOFF",
            show_default=False,
            help='Payoff: "1" (a bond), "max(x - 110, 0)" or "call(110)", "x > 110", any formula in the state.',
        ),
    ],
    maturity: Annotated[float, typer.Option(show_default=False, help="Time of the payment.")],
    x0: Annotated[float, typer.Option("--x0", show_default=False, help="The state at the start.")],
    killing: Killing = None,
    boundary: Boundary = None,
    domain: StateSpace = None,
    t0: StartTime = 0.0,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Price a payoff under a scalar equation, exactly.

    The expectation of the payoff times exp(−∫ killing), by the closed-form density: in closed form where payoff and
    density allow, else by quadrature with its error. The equation must be that of the pricing measure.

    \b
      payoff |      /
             |     /        -->   its expected value now
             +----+---- x

    \b
    Examples:
      liestonet price "dx = 0.05*x dt + 0.2*x dW" --payoff "call(110)" --maturity 1 \\
          --x0 100 --killing 0.05
      liestonet price "dr = 0.5*(0.06 - r) dt + 0.1*sqrt(r) dW" --payoff 1 --maturity 5 \\
          --x0 0.03 --killing r
      liestonet price cev --payoff "x > 1" --maturity 1 --x0 1 --boundary absorbing --json
    """
    from liestonet.densities.price import price
    from liestonet.render.next_check import after_price

    sde, values = _killed(equation, killing, param or (), stratonovich, payoff)
    require_values(sde)
    with stages(not quiet, STAGES) as progress:
        found = price(
            sde,
            payoff,
            maturity,
            x0,
            None,
            _choice(boundary),
            t0=t0,
            domain=_state_space(sde, domain),
            parameters=values,
            progress=progress,
        )
    if json:
        _emit_json({"schema": "liestonet.price/1", "equation": str(found.density.sde), **found.to_dictionary()})
        return
    lines = [f"Price {found.value:.12g} ± {found.error:.1g} ({found.method})."]
    if not quiet:
        lines.append(f"Delta {found.delta:.8g}, gamma {found.gamma:.8g}, theta {found.theta:.8g}.")
        lines += _boundary_sentences(found.density)
        if "absorbing" in found.density.boundary:
            lines.append("Absorbed paths pay nothing.")
        if found.formula is not None:
            lines.append(f"Formula: {found.formula}")
    emit("\n".join(paragraphs(lines)) + "\n")
    if not quiet:
        emit_next(after_price(typed_words(), values))


def _killed(
    equation: str, killing: str | None, params: Sequence[str], stratonovich: bool, payoff: str = "1"
) -> tuple[SDE, dict[str, Any]]:
    """The equation with its killing and parameter values, and the values of names in the payoff."""
    from liestonet.densities.payoffs import payoff_names
    from liestonet.densities.state_space import require_scalar

    if "=" not in equation:
        sde, _ = read_equation(equation, params, stratonovich)
        return (sde if killing is None else sde.with_killing(killing)), {}
    sde, _ = read_equation(equation, (), stratonovich)
    sde = sde if killing is None else sde.with_killing(killing)
    given = {
        name: read_number(value, f"The parameter {name}") for name, value in assignments(params, "--param", "k=1.5")
    }
    paying = payoff_names(payoff, require_scalar(sde)) if payoff != "1" else set()
    own = {name: value for name, value in given.items() if name in sde.parameters or name not in paying}
    return (sde.with_parameters(own) if own else sde), {n: v for n, v in given.items() if n in paying}


def _choice(text: str | None) -> Any:
    """The boundary option: one word, or a pair for both ends."""
    if text is None or "," not in text:
        return text
    return tuple(part.strip() or None for part in text.split(","))


def _state_space(sde: SDE, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    ((name, value),) = assignments([text], "--domain", "x=0:inf")
    ends = value.split(":")
    if name not in sde.names or len(ends) != 2:
        raise InputError(f"--domain {text!r} cannot be read; write --domain {sde.names[0]}=0:inf.")
    low, high = (float(read_number(end.strip(), "The domain")) for end in ends)
    return low, high


def _table(found: Density, x0: float | None, t: float | None, x: str | None, t0: float) -> dict[str, Any]:
    """The density, the probabilities and the total at the requested points; empty if none are requested."""
    if x0 is None and t is None and x is None:
        return {}
    if x0 is None or t is None:
        raise InputError("Values of the density need a start and a time: give --x0 and --t, and --x for the states.")
    places = [] if x is None else _places(x)
    return {
        "t": t,
        "t0": t0,
        "x0": x0,
        "mass": found.mass(t, t0, x0),
        "x": places,
        "density": [found(t, place, t0, x0) for place in places],
        "cdf": [found.cdf(t, place, t0, x0) for place in places],
    }


def _places(text: str) -> list[float]:
    parts = text.split(":")
    if len(parts) == 3:
        from numpy import linspace

        low, high, count = (float(read_number(part.strip(), "A state")) for part in parts)
        if not 2 <= count <= MOST_POINTS:
            raise InputError(f"--x {text!r} asks for {count:g} states; give a number from 2 to {MOST_POINTS}.")
        return linspace(low, high, int(count)).tolist()
    return [float(read_number(part.strip(), "A state")) for part in text.split(",")]


def _density_values(found: Density) -> dict[str, Any]:
    low, high = found.domain
    return {
        "schema": "liestonet.density/1",
        "equation": str(found.sde),
        "dimension": found.dimension,
        "status": found.status,
        "residual": found.residual,
        "formula": str(found.formula),
        "parameters": list(found.parameters),
        "domain": [str(low), str(high)],
        "boundary": found.boundary,
        "boundaries": [
            {"point": str(row.point), "kind": row.kind, "reached": row.reached, "exponent": row.exponent}
            for row in found.boundaries
        ],
    }


def _sentences(found: Density, table: dict[str, Any]) -> list[str]:
    how = {
        "proved": "proved by SymPy",
        "verified": "checked by the forward equation to thirty digits",
    }[found.status]
    low, high = found.domain
    lines = [
        f"{found.sde} has a transition density in closed form, {how}. "
        f"Its Fokker–Planck algebra has dimension {found.dimension}.",
        f"State space: ({_end(low)}, {_end(high)}).",
        *_boundary_sentences(found),
        f"p = {found.formula}",
    ]
    if table:
        lost = 1 - table["mass"]
        ending = f" ({lost:.3g} absorbed or killed)" if lost > ROUNDING else ""
        lines.append(f"Total probability at t = {table['t']:g}: {table['mass']:.12g}{ending}.")
    return lines


def _end(place: Any) -> str:
    """An end of the state space as text."""
    return str(place).replace("oo", "∞")


def _boundary_sentences(found: Density) -> list[str]:
    near = [row for row in found.boundaries if row.exponent is not None or row.reached is None]
    return [f"At {found.sde.names[0]} = {row.point}: {row.kind}." for row in near]


def _rows(table: dict[str, Any]) -> Sequence[str]:
    if not table.get("x"):
        return []
    rows = zip(table["x"], table["density"], table["cdf"], strict=True)
    head = f"{'x':>14}  {'density':>18}  {'probability below':>18}"
    return ["", head, *(f"{x:>14.6g}  {p:>18.12g}  {c:>18.12g}" for x, p, c in rows)]


def _emit_json(values: dict[str, Any]) -> None:
    from json import dumps

    emit(dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
