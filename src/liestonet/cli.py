"""The command line. Reads options, calls the library, prints; nothing is computed here.

Exit codes: 0 done, 2 wrong input (one sentence on stderr), 1 a failure of ours, 130 interrupted. Everything heavy is
imported inside the command that needs it, so that `--help` answers at once.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from liestonet.cli_discover import discover
from liestonet.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from liestonet.result import Result
    from liestonet.sde import SDE

WIDTH = 80
MOST_INPUT = 1_000_000
DEMO = "dx = y dt; dy = -y dt + sqrt(2) dW"  # free Langevin, Example 3 of the paper
UsageError: Any = typer.BadParameter.__base__  # typer does not export it, and click is not always there
# The library speaks of its arguments; here they are options.
SPOKEN = {
    "domain=[(start, end), (low, high), …], time first, then each coordinate": '--domain "t=0:1, x=-2:2"',
    "boundary= to keep": "--boundary to keep",
    "(sort=True)": "(--sort)",
    "as in time=": "as in --time ",
    "as in state=['x']": "as in --state x",
}


class Commands(TyperGroup):
    """Turns every end into an exit code and at most one sentence on stderr."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **settings: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words or os.environ.get("LIESTONET_DEBUG", "") not in ("", "0")
        if "--debug" in words:  # it may stand anywhere
            words = ["--debug", *(word for word in words if word != "--debug")]
        settings["standalone_mode"] = False
        try:
            code = super().main(words or ["--help"], *rest, **settings)
        except InputError as problem:
            code = _complain(_spoken(str(problem)), 2)
        except UsageError as problem:
            code = _complain(_usage(problem), 2)
        except MemoryError:
            code = _complain("There is not enough memory for this; ask for less.", 2)
        except (KeyboardInterrupt, typer.Abort):
            code = 130
        except Exception as problem:
            code = _complain(_failure(problem, debug), 1)
        sys.exit(code if isinstance(code, int) else 0)


def main() -> None:
    """Entry point of `liestonet`."""
    import warnings

    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # messages of libraries that say nothing to our reader
    app(prog_name="liestonet")


app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Equation = Annotated[
    str,
    typer.Argument(metavar="EQUATION", show_default=False, help='Such as "dx = -x dt + dW"; "-" reads it from stdin.'),
]
Parameter = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Value of a parameter, such as k=1.5 or k=3/2; repeatable."),
]
Stratonovich = Annotated[bool, typer.Option("--stratonovich", help="Read the equation in Stratonovich's sense.")]


def _print_version(wanted: bool) -> bool:
    if wanted:
        import liestonet

        emit(f"liestonet {liestonet.__version__}\n")
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
      liestonet simulate "dx = -x dt + dW" --initial "x=-2:2" --out paths.csv
      liestonet discover paths.csv

    Each command explains itself: liestonet solve --help
    """


@app.command()
def solve(
    equation: Equation,
    symmetry: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="ito (fixes the noise), law (fixes the law of the paths) or fokker-planck (density)."
        ),
    ] = "ito",
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW:HIGH,…",
            help='Where to look, such as "t=0:5, x=-2:2"; what is not named is chosen. Repeatable.',
        ),
    ] = None,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")] = False,
) -> None:
    """Find all Lie symmetries of an equation.

    Prints what was found in one sentence, then the evidence: the domain, the residual of every direction, how the
    generators begin, and their brackets.

    \b
    Examples:
      liestonet solve "dx = x dt + dW"
      liestonet solve "dx = y dt; dy = -k*y dt + s dW" --param k=1 --param s=3/2
      liestonet solve "dx = x ∘ dW" --symmetry fokker-planck --domain "x=1:2"
      liestonet solve - --json < equation.txt > result.json
    """
    from liestonet.discovery import solve as find_symmetries

    sde = read_sde(equation, param or (), stratonovich)
    box = read_domain(sde, domain or ())
    with stages(not quiet) as progress:
        result = find_symmetries(sde, symmetry, box, progress=progress)
    show_result(result, json, quiet)


app.command()(discover)


@app.command()
def demo() -> None:
    """Find the symmetries of a built-in equation: a free particle with friction and noise (Langevin).

    \b
    Examples:
      liestonet demo
      liestonet demo | head -3
    """
    from rich.console import Group

    from liestonet.discovery import solve as find_symmetries
    from liestonet.terminal import render

    with stages() as progress:
        result = find_symmetries(read_sde(DEMO), progress=progress)
    show(Group(render(result), "", "The same, and your own equations:", f'  liestonet solve "{DEMO}"'))


@app.command()
def simulate(
    equation: Equation,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", show_default=False, help="Where to: .csv, .csv.gz, .parquet or .npz."),
    ],
    initial: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE,…",
            show_default=False,
            help='Where paths begin: "x=1, y=0", or uniformly between: "x=-2:2". Repeatable.',
        ),
    ],
    paths: Annotated[int, typer.Option(help="Number of paths.")] = 100,
    duration: Annotated[float, typer.Option(help="Length of each path in time.")] = 1.0,
    step: Annotated[float, typer.Option(help="Time between recorded points.")] = 0.01,
    start: Annotated[float, typer.Option(help="Time of the first point.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same paths.")] = 0,
    substeps: Annotated[int, typer.Option(help="Euler steps in each recorded step.")] = 1,
    boundary: Annotated[
        list[str] | None,
        typer.Option(metavar="BOUND", help='Keep paths inside: "x>0", "0<x<1". Repeatable.'),
    ] = None,
    param: Parameter = None,
    stratonovich: Stratonovich = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Simulate paths of an equation and write them to a file.

    \b
    Examples:
      liestonet simulate "dx = -x dt + dW" --initial "x=-2:2" --out paths.csv
      liestonet simulate "dx = y dt; dy = -k*y dt + dW" --param k=2 \\
          --initial "x=0, y=-1:1" --paths 2048 --duration 2 --out paths.parquet
      liestonet simulate "dx = (1 - x) dt + sqrt(x) dW" --initial "x=1" \\
          --boundary "x>0" --substeps 10 --out cir.npz
    """
    from liestonet.trajectories.writers import check_target

    check_target(out)
    sde = read_sde(equation, param or (), stratonovich)
    law, bounds = read_initial(sde, initial), read_boundary(boundary or ())
    with bar("simulating", not quiet) as progress:
        data = sde.simulate(
            law, duration, step, paths, seed, start=start, substeps=substeps, boundary=bounds, progress=progress
        )
    data.write(out)
    if not quiet:
        summary = repr(data).removeprefix("Trajectories(").removesuffix(")")
        emit("\n".join([*sde.notes, f"Wrote {out}: {summary}; seed {seed}."]) + "\n")


def read_sde(text: str, params: Iterable[str] = (), stratonovich: bool = False) -> SDE:
    """The equation an argument stands for, with every parameter given its value."""
    from liestonet.sde import SDE

    if text == "-":
        text = _standard_input()
    if "=" not in text:
        # The place where names of the catalogue will be understood.
        raise InputError(
            f"{_quoted(text)} is no equation, and only equations are known; write one such as 'dx = -x dt + dW'."
        )
    values = {
        name: read_number(value, f"The parameter {name}") for name, value in assignments(params, "--param", "k=1.5")
    }
    sde = SDE.parse(text, parameters=values, stratonovich=stratonovich)
    if sde.parameters:
        first, many = sde.parameters[0], len(sde.parameters) > 1
        raise InputError(
            f"{', '.join(sde.parameters)} {'have' if many else 'has'} no value; give {'each' if many else 'it'} one, "
            f"such as --param {first}=1.5, or the equation d{first} = … if {first} is a coordinate."
        )
    return sde


def _standard_input() -> str:
    try:
        return sys.stdin.read(MOST_INPUT) if sys.stdin is not None else ""
    except UnicodeDecodeError as problem:
        raise InputError("What came from stdin is not UTF-8 text; write the equation in plain letters.") from problem


def read_domain(sde: SDE, texts: Iterable[str]) -> list[tuple[float, float] | None] | None:
    """Intervals in the library's order, None for those that nobody gave."""
    names = ("t", *sde.names)
    given = {
        name: read_interval(value, f"The domain's interval for {name}")
        for name, value in assignments(texts, "--domain", "x=-2:2")
    }
    require_known(given, names, "domain")
    return [given.get(name) for name in names] if given else None


def read_initial(sde: SDE, texts: Iterable[str]) -> Callable[[Any, int], Any]:
    """The law of the first points: a number per coordinate, or uniform on an interval."""
    import numpy as np

    what = "The initial value of"
    given = {
        name: read_interval(value, f"{what} {name}") if ":" in value else (read_number(value, f"{what} {name}"),) * 2
        for name, value in assignments(texts, "--initial", "x=1")
    }
    require_known(given, sde.names, "initial state")
    for name in sde.names:
        if name not in given:
            raise InputError(f"The initial state has no {name}; add it, as in --initial {name}=0.")
    ends = np.array([given[name] for name in sde.names], dtype=float)
    return lambda rng, paths: ends[:, 0] + (ends[:, 1] - ends[:, 0]) * rng.random((paths, len(ends)))


BOUND = re.compile(r"(?:([^<>=]+)(<|>)=?)?([^\W\d]\w*)(?:(<|>)=?([^<>=]+))?")


def read_boundary(texts: Iterable[str]) -> dict[str, tuple[float | None, float | None]] | None:
    """`x>0`, `0<x<1`, `x<=5` as (lower, upper) for each name."""
    bounds: dict[str, tuple[float | None, float | None]] = {}
    for piece in pieces(texts):
        plain = "".join(piece.split()).replace("≤", "<").replace("≥", ">")
        match = BOUND.fullmatch(plain)
        signs = {sign for sign in (match[2], match[4]) if sign} if match else set()
        if match is None or len(signs) != 1:
            raise InputError(f'The boundary {_quoted(piece)} cannot be read; write "x>0", "x<1" or "0<x<1".')
        name, what = match[3], f"The bound of {match[3]}"
        before, after = (read_number(text, what) if text else None for text in (match[1], match[5]))
        new = (before, after) if "<" in signs else (after, before)
        old = bounds.get(name, (None, None))
        if any(one is not None and other is not None for one, other in zip(old, new, strict=True)):
            raise InputError(f"The boundary gives {name} the same bound twice; keep one of them.")
        bounds[name] = tuple(a if b is None else b for a, b in zip(old, new, strict=True))  # pyright: ignore[reportArgumentType]
    return bounds or None


def pieces(texts: Iterable[str]) -> list[str]:
    """The parts of a repeatable option, which may also be separated by commas."""
    return [piece.strip() for text in texts for piece in text.split(",")]


def assignments(texts: Iterable[str], option: str, example: str) -> Iterator[tuple[str, str]]:
    """The pairs of `name=value, name=value`, each name once and spelt as in the equation."""
    from liestonet.sde.tokens import plain_name

    seen = set()
    for piece in pieces(texts):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise InputError(f"{option} {_quoted(piece)} cannot be read; write {option} {example}.")
        name = plain_name(name)
        if name in seen:
            raise InputError(f"{option} gives {_quoted(name)} twice; keep one of them.")
        seen.add(name)
        yield name, value


def read_number(text: str, what: str) -> Any:
    """A decimal number as a float, or a fraction of whole numbers, exact."""
    try:
        if match := re.fullmatch(r"([+-]?\d{1,15})\s*/\s*(\d{1,15})", text):
            return Fraction(int(match[1]), int(match[2]))
        return float(text)
    except (ValueError, ZeroDivisionError) as problem:
        raise InputError(f"{what} is {_quoted(text)}, which is no number; write one such as 1.5 or 3/2.") from problem


def read_interval(text: str, what: str) -> tuple[float, float]:
    """`low:high`; that both are finite is checked here, as every use needs it."""
    parts = text.split(":")
    if len(parts) != 2:
        raise InputError(f"{what} is {_quoted(text)}; write its two ends with a colon, such as -2:2.")
    low, high = (float(read_number(part.strip(), what)) for part in parts)
    if not low < high or high - low == float("inf"):
        raise InputError(f"{what} is {_quoted(text)}; both ends must be finite, and the lower one comes first.")
    return low, high


def require_known(given: Iterable[str], names: Sequence[str], what: str) -> None:
    """Refuse names the equation does not have."""
    for name in given:
        if name not in names:
            raise InputError(f"The {what} names {_quoted(name)}, but the equation has {', '.join(names)}.")


@contextmanager
def stages(wanted: bool = True) -> Iterator[Callable[[str], None] | None]:
    """Shows what is being done, on stderr, if that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda stage: status.update(stage.partition(",")[0])


@contextmanager
def bar(title: str, wanted: bool = True) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, if that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show_result(result: Result, json: bool, quiet: bool) -> None:
    """Print a result the way that was asked for."""
    from liestonet.terminal import render, verdict

    if json:
        emit(result.to_json() + "\n")
    elif quiet:
        emit(verdict(result) + "\n")
    else:
        show(render(result))


def show(content: RenderableType) -> None:
    """Print to stdout, in colour on a terminal, never wider than 80 columns."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDTH)
    with console.capture() as captured:
        console.print(content)
    emit("\n".join(line.rstrip() for line in captured.get().split("\n")))


def emit(text: str) -> None:
    """Write to stdout; a reader who has seen enough (`| head`) is no failure."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # where the terminal has no τ or ∂
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from problem


def _complain(sentence: str, code: int) -> int:
    plain = "".join(c if c.isprintable() else "?" for c in sentence)  # nothing that a terminal would obey
    sys.stderr.write(f"liestonet: {plain}\n")
    return code


def _spoken(message: str) -> str:
    for here, there in SPOKEN.items():
        message = message.replace(here, there)
    return " ".join(message.split())


def _usage(problem: Any) -> str:
    path = problem.ctx.command_path if problem.ctx is not None else "liestonet"
    message = " ".join(problem.format_message().split()).rstrip(".")
    return f"{message} ({path} --help shows how it is called)."


def _failure(problem: Exception, debug: bool) -> str:
    import traceback

    if debug:
        sys.stderr.write("".join(traceback.format_exception(problem)))
    if isinstance(problem, OSError) and problem.strerror:
        return f"The system refused to go on: {problem.strerror}."
    kind = type(problem).__name__
    reason = " ".join(str(problem).split())[:200]
    return (
        f"This is a failure of ours ({kind}{': ' if reason else ''}{reason}); please report it, "
        f"with your command{'' if debug else ' and what it prints with --debug'}."
    )


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
