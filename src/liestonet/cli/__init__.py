"""The command line. It reads options, calls the library and prints; nothing is computed here.

Exit codes: 0 done, 2 wrong input (one sentence on stderr), 1 an internal error, 130 interrupted. Large libraries are
imported inside the commands that need them, so that `--help` is fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from liestonet.cli.arguments import (
    read_boundary,
    read_domain,
    read_equation,
    read_experiment,
    read_periods,
    read_system,
    require_values,
)
from liestonet.cli.classify import show_classification
from liestonet.cli.demo import demo
from liestonet.cli.densities import Killing, show_density, show_price
from liestonet.cli.discover import discover
from liestonet.cli.look import look
from liestonet.cli.options import (
    AnySymmetry,
    Equation,
    Json,
    Latex,
    Parameter,
    Periodic,
    Quiet,
    Report,
    Seed,
    Stratonovich,
)
from liestonet.cli.output import (
    TYPED,
    as_search,
    bar,
    check_forms,
    check_report,
    emit,
    reduced,
    show,
    show_result,
    stages,
    with_command,
    write_page,
)
from liestonet.cli.reproduce import reproduce
from liestonet.cli.reversal import reverse
from liestonet.cli.spoken import spoken, usage
from liestonet.cli.stored import check_run, open_run
from liestonet.cli.testing import try_generators
from liestonet.cli.validate import validate_run
from liestonet.core.pace import SOLVING, without
from liestonet.errors import InputError, UndecidedError

UsageError: Any = typer.BadParameter.__base__  # typer does not export it, and click is not always there


class Commands(TyperGroup):
    """The group of commands; every outcome becomes an exit code and at most one sentence on stderr."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **settings: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words or os.environ.get("LIESTONET_DEBUG", "") not in ("", "0")
        if "--debug" in words:  # at any position
            words = ["--debug", *(word for word in words if word != "--debug")]
        settings["standalone_mode"] = False
        TYPED.set(tuple(words))
        try:
            code = super().main(words or ["--help"], *rest, **settings)
        except UndecidedError as problem:
            code = _complain(_asked(problem, words), 2)
        except InputError as problem:
            code = _complain(spoken(str(problem)), 2)
        except UsageError as problem:
            code = _complain(usage(problem, words), 2)
        except MemoryError:
            code = _complain("Not enough memory; reduce the size of the problem.", 2)
        except (KeyboardInterrupt, typer.Abort):
            code = 130
        except Exception as problem:
            code = _complain(_failure(problem, debug), 1)
        sys.exit(code if isinstance(code, int) else 0)


def main() -> None:
    """Entry point of `liestonet`."""
    import warnings

    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # warnings of libraries do not help the user
    app(prog_name="liestonet")


app = typer.Typer(cls=Commands, rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> bool:
    if wanted:
        import liestonet

        emit(f"liestonet {liestonet.__version__}\n")
        raise typer.Exit
    return wanted


def _print_list(wanted: bool) -> bool:
    if wanted:
        from liestonet.render.terminal_catalogue import system_table

        show(system_table())
        raise typer.Exit
    return wanted


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a failure (or set LIESTONET_DEBUG=1).")
    ] = False,
) -> None:
    """Lie symmetries of stochastic differential equations.

    \b
    Examples:
      liestonet demo
      liestonet solve "dx = x dt + dW"
      liestonet show cir
      liestonet density "dx = (1 - x) dt + sqrt(x) dW"
      liestonet price "dx = 0.05*x dt + 0.2*x dW" --payoff "call(110)" --maturity 1 --x0 100 --killing 0.05
      liestonet simulate "dx = -x dt + dW" --initial "x=-2:2" --out paths.csv
      liestonet discover paths.csv --out run
      liestonet open run/run.lsn
      liestonet test paths.csv --generator "exp(-t) d_x"

    The options of a command: liestonet solve --help
    """


@app.command()
def solve(
    equation: Equation,
    symmetry: AnySymmetry = "ito",
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW:HIGH,…",
            help='Domain, such as "t=0:5, x=-2:2"; intervals not given are chosen automatically. Repeatable.',
        ),
    ] = None,
    periodic: Periodic = None,
    killing: Killing = None,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    json: Json = False,
    latex: Latex = False,
    listed: Annotated[
        bool, typer.Option("--list", callback=_print_list, is_eager=True, help="Print the catalogue's names and exit.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the result to a file such as run.lsn.")
    ] = None,
    reduce: Annotated[
        bool,
        typer.Option(
            "--reduce", help="Use the symmetries: print new coordinates, the equation in them, and its solution."
        ),
    ] = False,
    quiet: Quiet = False,
    report: Report = None,
) -> None:
    """Find all Lie symmetries of an equation.

    Prints the verdict in one sentence, then the evidence: the domain, the residual of every direction, the
    generators and their commutators. Parameters without a value stay symbols, and the answer is for generic ones.

    \b
      dx = -k x dt + s dW  -->  exp(-k t) d_x     3 symmetries,
                                d_t               each proved

    \b
    Examples:
      liestonet solve "dx = x dt + dW"
      liestonet solve "dx = -k*x dt + s dW" --reduce
      liestonet solve "dx = y dt; dy = -k*y dt + s dW" --param k=1 --param s=3/2
      liestonet solve "dr = (1 - r) dt + dW" --symmetry fokker-planck --killing r
      liestonet solve "dx = x ∘ dW" --symmetry fokker-planck --domain "x=1:2"
      liestonet solve "dtheta = sin(theta) dt + dW" --periodic theta=2pi
      liestonet solve "dx = (x - x^2) dt + x dW" --symmetry random
      liestonet solve langevin --latex > langevin.tex
      liestonet solve langevin --save run.lsn
      liestonet solve langevin --report langevin.html
      liestonet solve --list
      liestonet solve - --json < equation.txt > result.json
    """
    from liestonet.pipeline.solve import solve as find_symmetries

    check_forms(json, latex)
    if save is not None:
        check_run(save)
    if report is not None:
        check_report(report)
    sde, system = read_equation(equation, param or (), stratonovich)
    box = read_domain(sde, domain or (), system)
    expected = without(SOLVING, drawing=report is None, parameters=not sde.parameters, reducing=not reduce)
    with stages(not quiet, expected) as progress:
        found = find_symmetries(sde, symmetry, box, periodic=read_periods(periodic), killing=killing, progress=progress)
        result = with_command(found)
        used = reduced(result, progress) if reduce else None
        written = None if report is None else write_page(result, report, progress)
    if save is not None:
        result.save(save)
    show_result(result, json, latex, quiet, used)
    if written is not None and not (json or latex or quiet):
        emit(f"\nReport: {written}\n")


@app.command(name="show")
def show_system(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="Name of a system in the catalogue.")],
) -> None:
    """Show what is known about a system of the catalogue.

    Its equation and box, the exact generators of every kind with their algebra and commutators, why there are no
    more, and how data of it are simulated. Names: liestonet solve --list

    \b
      cir  -->  equation | box | exact generators | commutators

    \b
    Examples:
      liestonet show langevin
      liestonet show cir | less
    """
    from liestonet.render.terminal_catalogue import render_system

    system = read_system(name)
    with stages() as progress:
        if progress is not None:
            progress("computing brackets")
        content = render_system(system)
    show(content)


app.command()(look)
app.command()(discover)
app.command()(reproduce)
app.command(name="density")(show_density)
app.command(name="price")(show_price)
app.command(name="classify")(show_classification)
app.command(name="open")(open_run)
app.command(name="test")(try_generators)
app.command(name="reversible")(reverse)
app.command(name="validate")(validate_run)


app.command()(demo)


@app.command()
def simulate(
    equation: Equation,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", show_default=False, help="Output file: .csv, .csv.gz, .parquet or .npz."),
    ],
    initial: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            show_default=False,
            help='Initial state: "x=1, y=0", or uniform on an interval: "x=-2:2". Repeatable.',
        ),
    ] = None,
    paths: Annotated[int | None, typer.Option(help="Number of paths.  [default: 100]")] = None,
    duration: Annotated[float | None, typer.Option(help="Length of each path in time.  [default: 1.0]")] = None,
    step: Annotated[float | None, typer.Option(help="Time between recorded points.  [default: 0.01]")] = None,
    start: Annotated[float | None, typer.Option(help="Time of the first point.  [default: 0.0]")] = None,
    seed: Seed = 0,
    substeps: Annotated[int | None, typer.Option(help="Euler steps in each recorded step.  [default: 1]")] = None,
    boundary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOUND",
            help='Keep paths inside: "x>0", "0<x<1". Repeatable. Singular points, such as x = 0 in 1/x, '
            "are never crossed.",
        ),
    ] = None,
    periodic: Periodic = None,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Simulate paths of an equation and write them to a file.

    A system of the catalogue has default settings: initial states, number and length of paths, bounds. Options given
    here replace them.

    \b
      dx = -x dt + dW       2 |\\__/\\_
                      -->   0 |      \\/\\_/\\__     paths.csv
                           -2 |___/\\/________

    \b
    Examples:
      liestonet simulate "dx = -x dt + dW" --initial "x=-2:2" --out paths.csv
      liestonet simulate "dx = y dt; dy = -k*y dt + dW" --param k=2 \\
          --initial "x=0, y=-1:1" --paths 2048 --duration 2 --out paths.parquet
      liestonet simulate "dx = (1 - x) dt + sqrt(x) dW" --initial "x=1" \\
          --boundary "x>0" --substeps 10 --out cir.npz
      liestonet simulate langevin --paths 100 --out langevin.csv
    """
    from dataclasses import replace

    from liestonet.trajectories.writers import check_target

    check_target(out)
    sde, system = read_equation(equation, param or (), stratonovich)
    require_values(sde)
    sde = sde if periodic is None else sde.with_periods(read_periods(periodic))
    experiment = read_experiment(sde, system, initial or ())
    options = {"paths": paths, "duration": duration, "step": step, "start": start, "substeps": substeps}
    options["boundary"] = read_boundary(boundary or ())
    experiment = replace(experiment, **{name: value for name, value in options.items() if value is not None})
    with bar("simulating", not quiet) as progress:
        data = experiment.run(sde, experiment.paths, seed, progress)
    data.write(out)
    if not quiet:
        summary = repr(data).removeprefix("Trajectories(").removesuffix(")")
        emit("\n".join([*sde.notes, *data.remarks, f"Wrote {out}: {summary}; seed {seed}."]) + "\n")


def _complain(message: str, code: int) -> int:
    plain = "".join(c if c.isprintable() or c == "\n" else "?" for c in message)  # no control characters
    sys.stderr.write(f"liestonet: {plain}\n")
    return code


def _asked(problem: UndecidedError, words: Sequence[str]) -> str:
    """The question, and the complete commands that answer it."""
    import shlex

    kept = as_search(words)
    commands = [
        f"`{shlex.join(['liestonet', *kept, *answer.option])}`{f' ({answer.meaning})' if answer.meaning else ''}"
        for answer in problem.answers
    ]
    return f"{spoken(problem.problem)}; type {', or '.join(commands)}. {spoken(problem.ending)}".rstrip()


def _failure(problem: Exception, debug: bool) -> str:
    """The message of an internal error: what the user can do, then the lines needed in a bug report."""
    import shlex
    import traceback

    trace = "".join(traceback.format_exception(problem)).rstrip().split("\n") if debug else []
    if isinstance(problem, OSError) and problem.strerror:
        return "\n".join([f"The operating system reported an error: {problem.strerror}.", *trace])
    kind, reason = type(problem).__name__, " ".join(str(problem).split())[:200]
    lines = [f"{kind}: {reason}" if reason else kind, f"liestonet {' '.join(shlex.join(TYPED.get()).split())}"]
    if not debug:
        lines.append("Run it again with --debug for the traceback.")
    return "\n".join(["Internal error: please report it with the lines below.", *lines, *trace])
