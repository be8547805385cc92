"""`reduce`: coordinates in which an equation is solved, reduced or autonomous, from its symmetries.

Each strategy returns the next stage, or the reason why it does not apply. A new one is a function in the lists below.
See docs/method.md §18.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import Rational

from liestonet.core.domain import Domain
from liestonet.core.progress import Progress, silent
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.reduction.assemble import assembled, sectioned
from liestonet.reduction.clock_strategies import at_rest, autonomous
from liestonet.reduction.hidden_strategies import own_symmetries
from liestonet.reduction.joint_invariants import radius
from liestonet.reduction.linear_strategies import linear_drift
from liestonet.reduction.random_solution import by_random_symmetries, random_reduction
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.scalar_strategies import bessel, moving_frame, own_shift
from liestonet.reduction.section import on_section
from liestonet.reduction.simple_strategies import linear_together, one_at_a_time, shifts_together
from liestonet.reduction.stage import Stage
from liestonet.reduction.start import Start, equation_of, start_of, started
from liestonet.result import Result

Strategy = Callable[[Stage], Stage | None]
WITH_GENERATORS: tuple[Strategy, ...] = (shifts_together, linear_drift, linear_together, one_at_a_time)
OF_ONE_COORDINATE: tuple[Strategy, ...] = (own_shift, bessel, moving_frame)
STRATEGIES: tuple[Strategy, ...] = (radius, *WITH_GENERATORS, *OF_ONE_COORDINATE, at_rest, autonomous, own_symmetries)
# Where no generator is known.
WITHOUT_GENERATORS: tuple[Strategy, ...] = (linear_drift, *OF_ONE_COORDINATE)
# Strategies for one generator chosen by the user.
WITH_ONE: tuple[Strategy, ...] = (one_at_a_time, moving_frame, autonomous)


@few_threads
def reduce(
    result: Result | Any, generator: int | str | Any | None = None, *, progress: Progress | None = None
) -> Reduction:
    """Coordinates in which an equation is solved, reduced or autonomous, from the symmetries that `solve` found.

    Without `generator` all proved generators are used, those without time component first. `generator` is the number
    of one (from 0), text such as "exp(-t) d_x", or a row (tau, [xi, …]) in SymPy; then only that one is used.
    Random symmetries are used together: those of a result of `symmetry="random"`, and for a scalar equation also where
    the ordinary ones do not solve it.
    """
    if not isinstance(result, Result):
        raise InputError(f"reduce takes a result of solve, not a {type(result).__name__}: lsn.reduce(lsn.solve(sde)).")
    say = progress or silent
    say("looking for new coordinates")
    if result.symmetry == "random":
        sde = equation_of(result)
        if generator is not None:
            raise InputError("reduce uses all random symmetries of an equation together; leave generator out.")
        if math.isfinite(result.dimension):
            return random_reduction(result, sde)
        # Brownian motion in other coordinates, which is recognised without generators
        draw = {name: Rational(value) for name, value in result.draw.items()}
        return reduced_from(start_of(sde, Domain(result.domain.intervals[: sde.dimension + 1]), draw), say=say)
    start = started(result, generator)
    made = reduced_from(start, generator is not None, say)
    if generator is None and start.sde.dimension == 1 and made.kind != "solved" and made.bessel is None:
        return by_random_symmetries(start.sde, start.domain, start.draw) or made
    return made


def reduced_from(start: Start, only_one: bool = False, say: Progress = silent) -> Reduction:
    """The reduction from a first stage; with `only_one` the user chose the generator."""
    stage = run(start.stage, WITH_ONE if only_one else STRATEGIES, once=only_one)
    section = None if stage.changes or stage.bessel else on_section(stage)
    say("writing down the solution")
    return assembled(start, stage) if section is None else sectioned(start, stage, section)


def run(stage: Stage, strategies: tuple[Strategy, ...], once: bool = False) -> Stage:
    """The last stage that the strategies reach; after a success the list is restarted."""
    moved = True
    while moved and not stage.is_solved:
        moved = False
        for strategy in strategies:
            following = strategy(stage)
            if following is None:
                continue
            moved = len(following.changes) > len(stage.changes) or following.renewed
            stage = replace(following, renewed=False)
            if moved or stage.is_solved:
                break
        if once and stage.changes:
            break
    return stage
