"""Checks that results are unchanged: writes results of the package to a folder, and compares two such folders.

    python tools/same_answers.py write before            every job, one JSON file each; finished ones are kept
    python tools/same_answers.py write after --jobs 2    the same in two processes, for instance after a change
    python tools/same_answers.py write after solve-cir   only the jobs whose names begin so
    python tools/same_answers.py compare before after    numbers bit for bit, verdicts, statuses, codes and formulas;
                                                         names as for `write`; a missing answer or an error fails too

To write the answers of another checkout: PYTHONPATH=<checkout>/src python tools/same_answers.py write before.
Sentences are not compared. Jobs: `solve` for the whole catalogue in every kind, `discover` for the paper's examples
and ten systems of the catalogue, `test` and `validate` for three, one run of the neural engine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Fields of text, which may be reworded.
TEXTS = {"message", "action", "equation", "text", "latex", "uncorrected", "generator", "unit", "seconds", "sentences"}
SEED = 9000
FOUND = (
    "double-well", "cir", "geometric-brownian", "ornstein-uhlenbeck", "bessel", "gompertz", "harmonic",
    "ornstein-uhlenbeck-rotating", "van-der-pol", "brownian-3d",
)  # fmt: skip
TESTED = {
    "brownian": "2 t d_t + x d_x; d_x",
    "geometric-brownian": "x d_x",
    "langevin": "exp(-t) d_x - exp(-t) d_y",
}
SHOWN = 5  # differences printed for each job


def jobs() -> dict[str, Callable[[], Any]]:
    """All jobs by name, the long ones first so that two processes end together."""
    from liestonet.catalogue import catalogue

    found: dict[str, Callable[[], Any]] = {}
    for key, system in catalogue.items():
        for kind in system.kinds:
            if kind != "ito-cholesky" or system.cholesky is not None:
                found[f"solve-{key}-{kind}"] = lambda key=key, kind=kind: solved(key, kind)
    for name in ("ex1", "ex2", "ex3", "ex4", "fp", "10d"):
        found[f"discover-{name}"] = lambda name=name: discovered_case(name)
    for key in FOUND:
        found[f"discover-{key}"] = lambda key=key: discovered(key)
    for key in TESTED:
        found[f"test-{key}"] = lambda key=key: tested(key)
        found[f"validate-{key}"] = lambda key=key: validated(key)
    found["neural-brownian"] = neural
    return found


def solved(key: str, kind: str) -> Any:
    """`solve` of one system of the catalogue."""
    import liestonet as lsn

    system = lsn.catalogue[key]
    sde = system.cholesky_sde if kind == "ito-cholesky" else system.sde
    return json.loads(lsn.solve(sde, kind.removesuffix("-cholesky"), system.box).to_json())


def discovered(key: str) -> Any:
    """`discover` on a simulation of one system, also for symmetries of the law if these differ."""
    import liestonet as lsn

    data = lsn.catalogue[key].simulate(paths=256, seed=SEED)
    kinds = ["ito"] if data.dimension == 1 else ["ito", "law"]
    return {kind: json.loads(lsn.discover(data, symmetry=kind).to_json()) for kind in kinds}


def discovered_case(name: str) -> Any:
    """`discover` on one of the paper's data sets."""
    import liestonet as lsn
    from liestonet.reproduction.cases import CASES

    case = CASES[name]
    return json.loads(lsn.discover(case.data(SEED), symmetry=case.symmetry).to_json())


def tested(key: str) -> Any:
    """`test` of given generators."""
    import liestonet as lsn

    return asdict(lsn.test(lsn.catalogue[key].simulate(paths=256, seed=SEED), TESTED[key]))


def validated(key: str) -> Any:
    """`validate` of a discovery on its own data, and `test` of its generators on them."""
    import liestonet as lsn

    data = lsn.catalogue[key].simulate(paths=256, seed=SEED)
    result = lsn.discover(data)
    return {"kept": json.loads(_validation_json()(lsn.validate(result))), "test": asdict(lsn.test(data, result))}


def _validation_json() -> Callable[[Any], str]:
    """The function that writes a validation as JSON, wherever it is in the checkout."""
    from importlib import import_module

    for place in ("liestonet.render.validation_text", "liestonet.validation.summary"):
        try:
            return import_module(place).to_json
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError("this checkout writes no validation as JSON")


def neural() -> Any:
    """One short training of the neural engine."""
    from dataclasses import replace

    import jax

    import liestonet as lsn

    jax.config.update("jax_enable_x64", True)
    data = lsn.catalogue["brownian"].simulate(paths=128, seed=SEED)
    engine = lsn.Neural()
    engine = replace(engine, optimizer=replace(engine.optimizer, steps=60))
    return json.loads(lsn.discover(data, engine, dimension=3).to_json())


def run(folder: Path, name: str) -> tuple[str, float, str]:
    """Run one job and store its answer, or the error."""
    start = time.process_time()
    try:
        found = jobs()[name]()
    except Exception as problem:  # the other jobs continue; `compare` counts the error
        found = {"error": f"{type(problem).__name__}: {problem}"}
    temporary = folder / f".{name}.{os.getpid()}"
    text = json.dumps(plain(found), indent=1, ensure_ascii=False, sort_keys=True)
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(folder / f"{name}.json")
    return name, time.process_time() - start, error_of(found)


def plain(value: Any) -> Any:
    """A value in types of JSON; every float by its shortest exact digits."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def write(folder: Path, wanted: list[str], processes: int) -> int:
    """Run every job that has no answer in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    names = chosen(wanted, jobs())
    left = [name for name in names if not (folder / f"{name}.json").exists()]
    print(f"{len(names)} jobs, {len(left)} to do", flush=True)
    with get_context("spawn").Pool(processes) as pool:
        for done, (name, seconds, error) in enumerate(pool.imap_unordered(Work(folder), left, chunksize=1), 1):
            print(f"{done:4} of {len(left)}  {name}  {seconds:.1f} s{'  ' + error if error else ''}", flush=True)
    return 0


class Work:
    """A callable for a pool of processes: a job's name to the output of `run`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str) -> tuple[str, float, str]:
        return run(self.folder, name)


def compare(before: Path, after: Path, wanted: list[str]) -> int:
    """Print what differs. The exit code is 0 only where every job has an answer in both folders, and the same one."""
    for folder in (before, after):
        if not any(folder.glob("*.json")):
            print(f"{folder} has no answers: write them first (same_answers.py write {folder}).")
            return 1
    kept = {path.stem for folder in (before, after) for path in folder.glob("*.json")}
    names = sorted(chosen(wanted, {*jobs(), *kept}))
    if not names:
        print(f"No job has a name that begins with {' or '.join(wanted)}.")
        return 1
    changed, missing, failed = 0, 0, 0
    for name in names:
        old, new = (answer(folder, name) for folder in (before, after))
        if old is None or new is None:
            missing += 1
            lacking = [str(folder) for folder, found in ((before, old), (after, new)) if found is None]
            print(f"{name}: no answer in {' and '.join(lacking)}")
            continue
        errors = {str(folder): error_of(found) for folder, found in ((before, old), (after, new)) if error_of(found)}
        if errors:
            failed += 1
            print(f"{name}: " + "; ".join(f"{error} ({place})" for place, error in errors.items()))
            continue
        rows = list(differences(old, new, ""))
        if rows:
            changed += 1
            print(f"{name}: {len(rows)} differences")
            for row in rows[:SHOWN]:
                print(f"    {row}")
    same = len(names) - changed - missing - failed
    print(f"{len(names)} jobs: {same} same, {changed} differ, {failed} ended in an error, {missing} without an answer")
    return 0 if same == len(names) else 1


def chosen(wanted: list[str], names: Iterable[str]) -> list[str]:
    """The names of the jobs asked for; all by default."""
    return [name for name in names if not wanted or any(name.startswith(start) for start in wanted)]


def answer(folder: Path, name: str) -> Any:
    """The stored answer of one job, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def error_of(found: Any) -> str:
    """The error that `run` stored for a failed job."""
    return str(found["error"]) if isinstance(found, dict) and set(found) == {"error"} else ""


def differences(old: Any, new: Any, place: str) -> Iterator[str]:
    """Where two answers differ, texts aside."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key in TEXTS:
                continue
            if key not in old or key not in new:
                yield f"{place}.{key}: only {'before' if key in old else 'after'}"
                continue
            yield from differences(old[key], new[key], f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for position, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{place}[{position}]")
    elif repr(old) != repr(new):  # 1, 1.0 and True differ, and so do 0.0 and -0.0
        yield f"{place}: {str(old)[:60]} → {str(new)[:60]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("names", nargs="*")
    writing.add_argument("--jobs", type=int, default=1)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.before, given.after, given.names)
    return write(given.folder, given.names, given.jobs)


if __name__ == "__main__":
    for variable in THREADS:  # before NumPy is loaded, in this process and in those it starts
        os.environ[variable] = "1"
    sys.exit(main())
