"""The catalogue in a terminal: a table of all systems, and the details of one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.algebra.commutators import commutator_table, exact_brackets
from liestonet.algebra.structure import Algebra
from liestonet.catalogue import KnownFormula, System, catalogue
from liestonet.catalogue.system import CHOLESKY, FOKKER_PLANCK, ITO, LAW
from liestonet.formulas.notation import field_text
from liestonet.render.combinations import combination_text
from liestonet.render.limits import LONGEST_CATALOGUE_EQUATION, MOST_LINES, WIDEST_TABLE
from liestonet.render.numbers import number
from liestonet.render.terminal import commutator_lines, indented, plain_table

TITLES = {
    ITO: "Itô symmetries",
    LAW: "Symmetries of the law",
    FOKKER_PLANCK: "Fokker–Planck symmetries, modulo superposition",
    CHOLESKY: "Itô symmetries in the Cholesky gauge",
}


def system_table() -> Group:
    """One line per system: name, equation, and the dimension for each kind of symmetry."""
    table = plain_table()
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("equation", no_wrap=True)
    for heading in ("Itô", "law", "FP"):
        table.add_column(heading, no_wrap=True, justify="right")
    for key, system in catalogue.items():
        text = system.equation
        shown = text if len(text) <= LONGEST_CATALOGUE_EQUATION else f"{text[: LONGEST_CATALOGUE_EQUATION - 2]} …"
        table.add_row(key, shown, *(_dimension(system, kind) for kind in (ITO, LAW, FOKKER_PLANCK)))
    closing = (
        "Itô, law, FP: dimension of the algebra of Itô, law and Fokker–Planck symmetries (modulo superposition). "
        "Details of one system: liestonet show NAME"
    )
    return Group(table, "", Text(closing))


def _dimension(system: System, kind: str) -> str:
    if kind not in system.kinds:
        return ""
    dimension = system.dimension(kind)
    return "∞" if math.isinf(dimension) else str(dimension)


def render_system(system: System) -> Group:
    """All that the catalogue contains about one system."""
    parts: list[RenderableType] = [Text(f"{system.key}: {system.title}", style="bold"), Text(system.description), ""]
    parts.append(Text(f"Equation: {system.equation}"))
    if system.cholesky is not None:
        parts.append(Text(f"The same law with triangular noise (Cholesky gauge): {system.cholesky}"))
    names = ("t", *system.sde.names)
    parts.append(Text(f"Box: {_intervals(names, system.box)}"))
    if system.state_space:
        parts.append(Text(f"State space: {_bounds(system.state_space)}"))
    for kind in system.kinds:
        if kind != CHOLESKY or system.cholesky is not None:
            parts += ["", *kind_lines(system, kind)]
    parts += ["", Text("Why there are no more", style="bold"), indented(system.argument)]
    parts += ["", Text("Simulation", style="bold"), *(indented(line) for line in simulation_lines(system))]
    return Group(*parts)


def kind_lines(system: System, kind: str) -> Iterator[RenderableType]:
    """Generators of one kind, the name of their algebra and its commutators."""
    title, dimension = TITLES[kind], system.dimension(kind)
    if kind == LAW and LAW not in system.symmetries:
        yield Text(f"{title}: the same", style="bold")
        return
    rows = system.formulas(kind)
    if math.isinf(dimension):
        yield Text(f"{title}: infinitely many, built on", style="bold")
        yield _generators(rows, system.sde.names)
        return
    if not rows:
        yield Text(f"{title}: none", style="bold")
        return
    algebra = system.algebra(kind)
    yield Text(f"{title}: dimension {dimension}, {algebra.name}", style="bold")
    yield _generators(rows, system.sde.names)
    if len(rows) > 1:
        yield ""
        yield from _commutators(algebra)


def _generators(rows: tuple[Any, ...], names: tuple[str, ...]) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for position, row in enumerate(rows[:MOST_LINES], start=1):
        table.add_row(f"X{position}", field_text(_shortened(row), names))
    if len(rows) > MOST_LINES:
        table.add_row("…", f"{len(rows) - MOST_LINES} more")
    return Padding(table, (0, 0, 0, 2))


def _shortened(row: KnownFormula) -> KnownFormula:
    """The generator without sums such as sin² + cos², which occur in images of rotations."""
    import sympy

    def shorter(component: Any) -> Any:
        if component is None or not component.has(sympy.sin, sympy.sinh):
            return component
        return min((component, sympy.trigsimp(sympy.expand(component))), key=sympy.count_ops)

    return KnownFormula(shorter(row.tau), tuple(shorter(component) for component in row.xi), shorter(row.beta))


def _commutators(algebra: Algebra) -> Iterator[RenderableType]:
    """A table of commutators if it fits, else a list of those that do not vanish."""
    found = exact_brackets(algebra)
    lines = commutator_lines(found)
    if not lines:
        yield indented("All commutators vanish: the algebra is commutative.")
        return
    names = [f"X{k + 1}" for k in range(algebra.dimension)]
    if algebra.dimension <= MOST_LINES:
        values = commutator_table(found, algebra.dimension)
        rows = [["[·, ·]", *names]]
        rows += [[name, *map(combination_text, row)] for name, row in zip(names, values, strict=True)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(names) + 1)]
        if sum(widths) + 2 * len(widths) <= WIDEST_TABLE:
            table = plain_table()
            for heading in rows[0]:
                table.add_column(heading, no_wrap=True)
            for row in rows[1:]:
                table.add_row(*row)
            yield Padding(table, (0, 0, 0, 2))
            return
    yield from (indented(line) for line in lines[:MOST_LINES])
    yield indented(f"… {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else "The other commutators vanish.")


def simulation_lines(system: System) -> Iterator[str]:
    """The simulation settings in words, and the command that runs them."""
    experiment = system.experiment
    start = experiment.start
    when = (
        f"t uniformly from {number(start[0])} to {number(start[1])}" if isinstance(start, tuple) else f"t = {start:g}"
    )
    steps = f", {experiment.substeps} Euler steps in each" if experiment.substeps > 1 else ""
    kept = f" Kept inside {_bounds(experiment.boundary)}." if experiment.boundary else ""
    yield (
        f"{experiment.paths} paths of duration {number(experiment.duration)}, recorded every "
        f"{number(experiment.step)}{steps}. They begin at {when} and uniformly in "
        f"{_intervals(system.sde.names, experiment.initial)}.{kept}"
    )
    yield f"liestonet simulate {system.key} --out paths.csv"


def _intervals(names: tuple[str, ...], intervals: Any) -> str:
    """The intervals as text, with equal ones of several coordinates joined."""
    together: dict[Any, list[str]] = {}
    for name, interval in zip(names, intervals, strict=True):
        together.setdefault(tuple(interval), []).append(name)
    return "; ".join(
        f"{', '.join(group)} from {number(low)} to {number(high)}" for (low, high), group in together.items()
    )


def _bounds(bounds: Any) -> str:
    """`x > 0`, `0 < x < 1`; a single number is a lower bound."""
    shown = []
    for name, bound in bounds.items():
        low, high = bound if isinstance(bound, tuple) else (bound, None)
        left = "" if low is None else f"{number(low)} < "
        right = "" if high is None else f" < {number(high)}"
        shown.append(f"{name} > {number(low)}" if low is not None and high is None else f"{left}{name}{right}")
    return ", ".join(shown)
