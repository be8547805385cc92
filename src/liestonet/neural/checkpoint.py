"""Checkpoints: arrays in safetensors, the rest in its JSON header, written atomically. No pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy

from liestonet.errors import InputError
from liestonet.neural.training import Best, Trained
from liestonet.trajectories.writers import replacing

SCHEMA = "liestonet.checkpoint/1"


def write_checkpoint(path: Path, trained: Trained, identity: dict[str, Any]) -> None:
    """Write weights, optimiser state and history; the earlier file remains until the new one is complete."""
    leaves = jax.tree.leaves((trained.weights, trained.optimizer_state))
    arrays = {f"leaf{position:04d}": _contiguous(leaf) for position, leaf in enumerate(leaves)}
    arrays["history"] = _contiguous(trained.history)
    header = {
        "schema": SCHEMA,
        "identity": json.dumps(identity, sort_keys=True),
        "seconds": repr(trained.seconds),
        "digest": digest_of_arrays(arrays),
    }
    with replacing(path) as stream:
        stream.write(safetensors.numpy.save(arrays, header))


def read_checkpoint(path: Path, like: Trained, identity: dict[str, Any]) -> Trained:
    """Read a checkpoint into the structure of a new training; a checkpoint of another run is refused."""
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 no mapping
    except (OSError, safetensors.SafetensorError) as problem:
        raise InputError(
            f"The checkpoint {str(path)!r} cannot be read ({problem}); delete it to start again."
        ) from problem
    if header.get("schema") != SCHEMA or header.get("digest") != digest_of_arrays(arrays):
        raise InputError(f"The checkpoint {str(path)!r} is damaged or of another kind; delete it to start again.")
    if header["identity"] != json.dumps(identity, sort_keys=True):
        raise InputError(
            f"The checkpoint {str(path)!r} belongs to other data or settings, another seed or kind, or another "
            "machine; choose another folder, or delete it to start again."
        )
    history = arrays.pop("history")
    fresh, structure = jax.tree.flatten((like.weights, like.optimizer_state))
    leaves = [jnp.asarray(arrays[f"leaf{position:04d}"]) for position in range(len(fresh))]
    weights, state = jax.tree.unflatten(structure, leaves)
    return replace(
        like,
        weights=weights,
        optimizer_state=state,
        history=history,
        best=Best(weights, np.nan, len(history)),
        seconds=float(header["seconds"]),
    )


def _contiguous(leaf: Any) -> np.ndarray:
    """A C-contiguous array, as safetensors requires; `ascontiguousarray` would add an axis to numbers."""
    return np.array(leaf, order="C")


def digest_of_arrays(arrays: Mapping[str, Any]) -> str:
    """One hash of all arrays, to detect corrupted files."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        total.update(f"{name} {array.dtype} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()
