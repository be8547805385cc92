"""The same training with several seeds, each in a process of its own, sharing one compilation cache.

Every seed has its own file in a folder, so a stopped run goes on with the seeds that are missing.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.neural.settings import Neural
from liestonet.processes import one_thread_each
from liestonet.symmetry.kinds import kind_named
from liestonet.trajectories.writers import replacing


def replicates(
    data: Any,
    engine: Neural,
    seeds: Sequence[int],
    folder: str | Path,
    *,
    workers: int = 2,
    **options: Any,
) -> dict[int, dict[str, Any]]:
    """Results as plain values by seed; `options` are those of `discover`."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise InputError(f"The seeds are {list(seeds)!r}; give at least one, and none twice.")
    place = Path(folder)
    _claim(place, data, engine, options)
    missing = [seed for seed in seeds if not _file(place, seed).exists()]
    # spawned, never forked: JAX and BLAS hold threads that a fork would lose
    context = multiprocessing.get_context("spawn")
    with (
        one_thread_each(place / "compiled"),
        ProcessPoolExecutor(max(1, min(workers, len(missing))), mp_context=context) as pool,
    ):
        jobs = [pool.submit(_one, data, engine, seed, str(place), options) for seed in missing]
        for job in as_completed(jobs):
            job.result()
    return {seed: json.loads(_file(place, seed).read_text(encoding="utf-8")) for seed in seeds}


def _claim(place: Path, data: Any, engine: Neural, options: dict[str, Any]) -> None:
    """Make the folder and note what its runs are of; refuse one that belongs to others."""
    note, text = place / "runs.json", json.dumps(_identity(data, engine, options), indent=1) + "\n"
    try:
        place.mkdir(parents=True, exist_ok=True)
        known = note.read_text(encoding="utf-8") if note.exists() else None
        if known is None and not any(place.glob("seed-*.json")):
            with replacing(note) as stream:
                stream.write(text.encode())
            return
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"The folder {str(place)!r} cannot be used for runs ({problem}); name another.") from problem
    if known != text:
        raise InputError(f"The folder {str(place)!r} holds runs of other data, settings or options; name another.")


def _identity(data: Any, engine: Neural, options: dict[str, Any]) -> dict[str, Any]:
    """What decides the results, beside the seed; a streamed file is known by its size and time of change."""
    chosen = {name: value for name, value in sorted(options.items()) if name != "progress"}
    if "symmetry" in chosen:
        chosen["symmetry"] = kind_named(chosen["symmetry"]).name
    path = getattr(data, "path", None)
    file = None if path is None else [path.stat().st_size, path.stat().st_mtime_ns]
    settings = engine.with_running(checkpoint=None, losses=None).to_dictionary()
    return {"data": getattr(data, "digest", file), "engine": settings, "options": repr(chosen)}


def _one(data: Any, engine: Neural, seed: int, folder: str, options: dict[str, Any]) -> None:
    """One seed in its own process: discover, and leave the result in its file."""
    from liestonet.from_data import discover
    from liestonet.neural.availability import switch_to_float64

    switch_to_float64()
    places = {name: _of_seed(getattr(engine.running, name), seed) for name in ("checkpoint", "losses")}
    result = discover(data, engine=engine.with_running(**places), seed=seed, **options)
    with replacing(_file(Path(folder), seed)) as stream:
        stream.write(result.to_json().encode())


def _of_seed(place: str | None, seed: int) -> str | None:
    """A checkpoint folder or file of losses for one seed alone."""
    return None if place is None else str(Path(place).with_stem(f"{Path(place).stem}-seed-{seed}"))


def _file(folder: Path, seed: int) -> Path:
    return folder / f"seed-{seed}.json"
