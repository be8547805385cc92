"""`liestonet demo`: simulation, discovery and report for a system whose symmetries are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liestonet.cli.options import Seed

if TYPE_CHECKING:
    from liestonet.catalogue.system import System
    from liestonet.result import Result

SYSTEM, PATHS = "ornstein-uhlenbeck", 1000
DATA_FILE = "paths.csv"
# Points at which found and true symmetries are compared.
POINTS = 500


def _agreement(result: Result, system: System) -> str:
    """A sentence on the agreement of the symmetries found with the true ones."""
    from liestonet.core.angles import principal_angles
    from liestonet.core.points import lattice_cloud

    found, true = result.fields.count, system.dimension("ito")
    if not found:
        return "None of them was found."
    points, half = (
        lattice_cloud(result.domain, POINTS).points,
        [(high - low) / 2 for low, high in result.domain.intervals],
    )
    exact = system.generators("ito")
    angle = principal_angles(result.evaluated, exact, points[:, 0], points[:, 1:], scale=(half[0], half[1:])).max()
    said = "Found: the same number" if found == true else f"Found: {found} instead of {true}"
    return f"{said}; they agree with the true ones to within {angle:.1f}° (0° is full agreement, 90° is none)."


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Output folder; created if needed.")] = Path("demo"),
    seed: Seed = 0,
) -> None:
    """Simulate a built-in system, find its symmetries from the file, and write a report.

    The system is a bead in a trap (Ornstein–Uhlenbeck). Its paths go to a CSV file, and nothing but that file is used.

    \b
      simulate  -->  paths.csv  -->  discover  -->  report.html

    \b
    Examples:
      liestonet demo
      liestonet demo --out bead --seed 7
    """
    import shlex

    from rich.text import Text

    from liestonet.catalogue import catalogue
    from liestonet.cli.discover import check_folder, write_files
    from liestonet.cli.output import emit, show, stages, with_command
    from liestonet.core.pace import DISCOVERING
    from liestonet.formulas.notation import field_text
    from liestonet.pipeline.discover import discover
    from liestonet.render.verdict import verdict
    from liestonet.trajectories import Trajectories

    check_folder(out)
    system, file = catalogue[SYSTEM], out / DATA_FILE
    with stages(True, DISCOVERING) as progress:
        if progress is not None:
            progress("simulating")
        paths = system.simulate(paths=PATHS, seed=seed)
        out.mkdir(parents=True, exist_ok=True)
        paths.write(file)
        again = shlex.join(["liestonet", "discover", str(file), "--out", str(out)])
        result = with_command(discover(Trajectories.read(file), progress=progress), again)
        page, *_ = write_files(result, out, progress)
    known = ", ".join(field_text(row, system.sde.names) for row in system.formulas("ito"))
    show(Text(verdict(result), style="bold"))
    show("\nA residual of 0 % is an exact symmetry. A small p would reject exact symmetry; a large one proves nothing.")
    dimension = system.dimension("ito")
    show(f"\nThe paths were simulated from {system.equation}. True: {dimension} Itô symmetries, {known}.")
    show(_agreement(result, system))
    emit(f"\nData:   {file}\nReport: {page}\n\nTo repeat the analysis, or to analyse your own file:\n  {again}\n")
