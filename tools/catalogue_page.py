"""Solves every system of the catalogue and writes docs/catalogue.md, which compares found and known symmetries.

Below it, what the symmetries are good for: the reduction of every system, as experiments/reductions.py found it, and
what `density` finds for the scalar ones. Where nothing is solved in build/catalogue, the table of the page is kept, so
that this part can be made without solving.

python tools/catalogue_page.py                             solves what is not in build/catalogue, writes the page
python tools/catalogue_page.py --anew                      solves all again (about half an hour)
python tools/catalogue_page.py --anew --only cir- bessel-  solves these again, takes the others as they are
python tools/catalogue_page.py --only density-             densities alone
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "catalogue.md"
LARGEST_ANGLE = 0.01
POINTS = 400
FORWARD = "fokker-planck"
USES = "## Reductions and densities"
LABELS = {"ito": "Itô", "law": "law", "fokker-planck": "Fokker–Planck", "ito-cholesky": "Itô, Cholesky gauge"}
Row = dict[str, Any]
Stage = tuple[str, float, float]


def solve_kind(key: str, kind: str) -> Row:
    """One row of the page: found and known symmetries of one kind of a system."""
    from liestonet.catalogue import catalogue
    from liestonet.pipeline.solve import solve

    system = catalogue[key]
    stages: list[Stage] = []
    sde = system.cholesky_sde if kind == "ito-cholesky" else system.sde
    start = time.perf_counter()
    result = solve(sde, kind.removesuffix("-cholesky"), system.box, progress=stopwatch(stages))
    end = time.perf_counter()
    searching, computing = search_seconds(stages)
    statuses = [row.status for row in result.formulas()]
    finite = not system.infinite and result.dimension == system.dimension(kind)
    return {
        "dimension": str(result.dimension),
        "exact_dimension": str(system.dimension(kind)),
        "angle": largest_angle(result, system, kind) if finite and result.dimension else None,
        "name": result.algebra.name if result.dimension != float("inf") else None,
        "exact_name": system.algebra_name(kind) if not system.infinite else None,
        "formulas": {status: statuses.count(status) for status in ("proved", "consistent", "numerical")},
        "seconds": end - start,
        "formula_seconds": searching,
        "formula_processor_seconds": computing,
        "flags": [flag.code for flag in result.flags],
    }


def stopwatch(stages: list[Stage]) -> Callable[[str], None]:
    """A callback that records when each step of `solve` begins, in wall-clock and processor time."""
    return lambda stage: stages.append((stage, time.perf_counter(), time.process_time()))


def search_seconds(stages: list[Stage]) -> tuple[float, float]:
    """The duration of the search for closed forms, in wall-clock and processor time."""
    begun = [row[1:] for row in stages if row[0] == "looking for formulas"]
    ended = [row[1:] for row in stages if row[0] == "computing brackets"]
    if not begun:
        return 0.0, 0.0
    last = ended[-1] if ended else (time.perf_counter(), time.process_time())
    return last[0] - begun[-1][0], last[1] - begun[-1][1]


def largest_angle(result: Any, system: Any, kind: str) -> float:
    """The largest principal angle between the spans on the box, in natural units, in degrees."""
    import numpy as np

    from liestonet.core.angles import principal_angles

    low, high = np.array(system.box, dtype=float).T
    points = np.random.default_rng(1).uniform(low, high, (POINTS, len(low)))
    half = (high - low) / 2
    exact = system.generators(kind)
    return float(principal_angles(result.generators, exact, points[:, 0], points[:, 1:], (half[0], half[1:]))[-1])


def jobs(seeds: int | None = None) -> list[Job]:
    """The jobs: every kind of every system; nothing is random."""
    from liestonet.catalogue import catalogue

    return [
        Job(
            "catalogue",
            f"{key}-{kind}",
            "catalogue_page:solve_kind",
            {"key": key, "kind": kind},
            given={"equation": system.equation, "box": repr(system.box), "points": POINTS},
        )
        for key, system in catalogue.items()
        for kind in system.kinds
        if kind != "ito-cholesky" or system.cholesky is not None
    ]


def density_jobs() -> list[Job]:
    """The density of every scalar system."""
    from liestonet.catalogue import catalogue

    return [
        Job(
            "catalogue",
            f"density-{key}",
            "catalogue_page:find_density",
            {"key": key},
            given={"equation": system.equation},
        )
        for key, system in catalogue.items()
        if system.sde.dimension == 1
    ]


def all_jobs(seeds: int | None = None) -> list[Job]:
    return [*jobs(seeds), *density_jobs()]


def find_density(key: str) -> Row:
    """The dimension from a scalar system's potential, and its density, with absorption at ends that are reached."""
    from liestonet.catalogue import catalogue
    from liestonet.densities.density import density
    from liestonet.densities.potential import dimension_of
    from liestonet.densities.state_space import scalar_equation
    from liestonet.errors import InputError

    system = catalogue[key]
    start = time.process_time()
    row: Row = {"potential": dimension_of(scalar_equation(system.sde)), "exact_dimension": system.dimension(FORWARD)}
    for boundary in (None, "absorbing"):
        try:
            found = density(system.sde, boundary=boundary)
        except InputError as problem:
            row |= {"density": None, "refusal": str(problem), "seconds": time.process_time() - start}
            continue
        kernel = {6: "Gaussian", 4: "Bessel"}[found.dimension]
        row |= {"density": kernel, "status": found.status, "ends": found.boundary, "refusal": None}
        return row | {"seconds": time.process_time() - start}
    return row


def faults(row: Row) -> list[str]:
    """The errors in a row."""
    if "dimension" not in row:
        return ["not solved"]
    found = []
    if row["dimension"] != row["exact_dimension"]:
        found.append(f"dimension {row['dimension']} instead of {row['exact_dimension']}")
    if row["angle"] is not None and row["angle"] >= LARGEST_ANGLE:
        found.append(f"span off by {row['angle']:.2g}°")
    if row["name"] != row["exact_name"]:
        found.append(f"called {row['name']} instead of {row['exact_name']}")
    return found


def kept_rows() -> list[Row]:
    """The rows solved so far."""
    return STUDY.store.values(jobs())


def page(records: list[Row]) -> str:
    """The whole page; systems that were not solved have an empty row."""
    solved = {(row["key"], row["kind"]): row for row in records if "kind" in row}
    wanted = [dict(job.settings) for job in jobs()]
    rows = [solved.get((row["key"], row["kind"]), row) for row in wanted]
    if solved or not PAGE.exists():
        first = "\n".join([*heading(rows), "", *table(rows), ""])
    else:
        first = PAGE.read_text(encoding="utf-8").split(USES)[0].rstrip("\n") + "\n"
    found = [row for row in records if "potential" in row]
    return first + ("\n" + "\n".join([*uses(found), ""]) if found else "")


def reductions() -> dict[str, str]:
    """What `reduce` makes of every system, in one or two words: from the committed results of its study."""
    sys.path.append(str(ROOT / "experiments"))
    study_of: Any = import_module("reductions")

    found: dict[str, str] = {}
    for row in study_of.STUDY.store.values(study_of.STUDY.jobs(None)):
        if "ito" in row:
            made = study_of.best(row)
            kind = "to a Bessel process" if made["bessel"] and made["kind"] == "reduced" else made["kind"]
            found[row["key"]] = kind if made["kind"] == "none" else f"{kind}, {made['status']}"
    return found


def uses(rows: list[Row]) -> Iterator[str]:
    """What `reduce` and `density` find."""
    from liestonet.catalogue import catalogue

    densities = {row["key"]: row for row in rows}
    reduced = reductions()
    right = sum(max(row["exact_dimension"], 2) == row["potential"] for row in rows)
    there = [row for row in rows if row["density"]]
    promised = [row for row in rows if row["exact_dimension"] >= 4]
    yield USES
    yield ""
    yield "Reductions are those of [the catalogue, integrated](reductions.md). A scalar system has its density in"
    yield "closed form where the Fokker–Planck dimension is 4 or 6; the derivatives of its potential tell the dimension"
    yield "(2 stands for at most 2). Ends that are reached were chosen absorbing."
    yield ""
    yield f"- dimension right by the potential: {right} of {len(rows)}"
    yield f"- density found where there is one: {len(there)} of {len(promised)}, "
    yield f"  {sum(row['status'] == 'proved' for row in there)} of them proved"
    yield ""
    yield "| system | reduction | exact dimension | by the potential | density | ends | seconds of the density |"
    yield "|---|---|---|---|---|---|---|"
    for key in catalogue:
        row, kind = densities.get(key), reduced.get(key, "not run")
        if row is None:
            yield f"| `{key}` | {kind} | | | several coordinates | | |"
            continue
        kernel = f"{row['density']}, {row['status']}" if row["density"] else "none"
        cells = (kind, row["exact_dimension"], row["potential"], kernel, row.get("ends", ""), f"{row['seconds']:.1f}")
        yield f"| `{key}` | " + " | ".join(map(str, cells)) + " |"


def heading(rows: list[Row]) -> Iterator[str]:
    """The head of the page: totals and errors."""
    from liestonet.catalogue import catalogue

    solved = [row for row in rows if "dimension" in row]
    # formulas that were not searched are not proved either
    left = [catalogue[row["key"]].dimension(row["kind"]) for row in rows if "dimension" not in row]
    total = sum(sum(row["formulas"].values()) for row in solved) + sum(int(n) for n in left if math.isfinite(n))
    proved = sum(row["formulas"]["proved"] for row in solved)
    angles = [row["angle"] for row in solved if row["angle"] is not None]
    right = sum(row["dimension"] == row["exact_dimension"] for row in solved)
    called = sum(row["name"] == row["exact_name"] for row in solved)
    close = sum(angle < LARGEST_ANGLE for angle in angles)
    yield "# The catalogue, solved"
    yield ""
    yield "*For readers who want to know how reliable `solve` is on equations whose symmetries are known.*"
    yield ""
    yield "Each system of the catalogue, solved on its own box, compared with its exact generators: `make catalogue`."
    yield ""
    yield f"- {len({row['key'] for row in rows})} systems, {len(rows)} algebras (one for each kind of symmetry given)"
    yield f"- dimension right: {right} of {len(rows)}"
    yield f"- span within {LARGEST_ANGLE}° of the exact one: {close} of {len(angles)} (where there are generators)"
    yield f"- name of the algebra right: {called} of {len(rows)}"
    yield f"- formulas proved: {proved} of {total} ({100 * proved / max(total, 1):.1f} %)"
    wrong = [(row, text) for row in rows for text in faults(row)]
    yield f"- wrong: {len(wrong) or 'nothing'}"
    for row, text in wrong:
        yield f"    - `{row['key']}`, {LABELS[row['kind']]}: {text}"
    unproved = [row for row in solved if row["formulas"]["proved"] < sum(row["formulas"].values())]
    if unproved:
        named = ", ".join(f"`{row['key']}` ({LABELS[row['kind']]})" for row in unproved)
        yield f"- not all formulas proved: {named}"
    yield ""
    yield "Angles are the largest principal angles between the span found and the exact one, in units of the box. The"
    yield "exact name comes from theory and is written in the catalogue by hand. Seconds are for all of `solve`."


def table(rows: list[Row]) -> Iterator[str]:
    yield "| system | kind | dimension | exact | angle (°) | algebra | proved | seconds |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        if "dimension" not in row:
            yield f"| `{row['key']}` | {LABELS[row['kind']]} | not solved | | | | | |"
            continue
        counts = row["formulas"]
        name = row["name"] or "infinite-dimensional"
        if row["name"] != row["exact_name"]:
            name += f" (exact: {row['exact_name']})"
        dimension, exact = (text.replace("inf", "∞") for text in (row["dimension"], row["exact_dimension"]))
        angle = "" if row["angle"] is None else f"{row['angle']:.0e}"
        yield (
            f"| `{row['key']}` | {LABELS[row['kind']]} | {dimension} | {exact} | {angle} | {name} | "
            f"{counts['proved']} of {sum(counts.values())} | {row['seconds']:.1f} |"
        )


STUDY = Study(all_jobs, page, ROOT / "build", PAGE)

if __name__ == "__main__":
    run_study(STUDY, __doc__ or "")
