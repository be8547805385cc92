"""`liestonet classify`: parameters for which an equation has more symmetries. Calls the library and prints."""

from __future__ import annotations

from typing import Annotated

import typer

from liestonet.cli.arguments import read_equation
from liestonet.cli.densities import Killing
from liestonet.cli.options import Equation, Json, Parameter, Quiet, Stratonovich
from liestonet.cli.output import emit, emit_next, paragraphs, stages, typed_words

STAGES = {
    "counting": 2,
    "looking for special parameters": 10,
    "proving": 40,
}


def show_classification(
    equation: Equation,
    symmetry: Annotated[
        list[str] | None,
        typer.Option("--symmetry", metavar="KIND", help="ito, law or fokker-planck; repeatable.  [default: all three]"),
    ] = None,
    killing: Killing = None,
    no_proof: Annotated[
        bool,
        typer.Option("--no-proof", help="Only count dimensions; do not prove them by solving under each condition."),
    ] = False,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the parameters for which an equation has more symmetries.

    Names without a value are parameters. Prints the dimension for generic parameters, every condition under which it
    is higher, and which part of parameter space was covered.

    \b
      dimension 3 |      *         for special parameters
                1 |***** ***       for all others
                  +--------- k

    \b
    Examples:
      liestonet classify "dx = kappa*(theta - x) dt + sigma*sqrt(x) dW"
      liestonet classify "dx = mu*x dt + s*x^g dW" --symmetry fokker-planck
      liestonet classify "dx = v dt; dv = (-gamma*v - k*x) dt + s dW" --symmetry ito --json
    """
    from liestonet.pipeline.classify import classify
    from liestonet.render.next_check import after_classification

    sde, _ = read_equation(equation, param or (), stratonovich)
    with stages(not quiet, STAGES) as progress:
        found = classify(sde, symmetry or None, killing=killing, prove=not no_proof, progress=progress)
    if json:
        from json import dumps

        emit(dumps(found.to_dictionary(), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        return
    lines = found.table() if quiet else [*paragraphs([found.equation, *found.coverage]), "", *found.table()]
    emit("\n".join(lines) + "\n")
    if not quiet:
        emit_next(after_classification(typed_words(), found))
