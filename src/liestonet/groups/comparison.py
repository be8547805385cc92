"""A comparison of groups: a summary of every group's result and the tests between them, stored as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from liestonet.core.json_values import JSON
from liestonet.core.ladder import LadderRow
from liestonet.errors import InputError
from liestonet.groups.shared_algebra import SharedAlgebra, Standing
from liestonet.groups.shared_constants import Equality, Joint, Trend

SCHEMA = "liestonet.groups/1"


@dataclass(frozen=True)
class Group:
    """The summary of one group's result, or the `problem` because of which it has none, in one sentence.

    `condition` is its label as a number, None if it is not a number. `folder`, beside the file of the comparison, holds
    result.json, run.lsn and report.html. `flags` are the codes of the result's flags.
    """

    label: str
    condition: float | None = None
    problem: str = ""
    folder: str = ""
    files: int = 0
    paths: int | None = None
    increments: int = 0
    dimension: int | None = None
    algebra: str = ""
    resolved: bool = False
    alternatives: tuple[str, ...] = ()
    ladder: tuple[LadderRow, ...] = ()
    formulas: tuple[str, ...] = ()
    equation: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupConstants:
    """The constants of one group, their errors and covariance, and the p-value of the common equation there."""

    label: str
    values: tuple[float, ...]
    errors: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    p_value: float


@dataclass(frozen=True)
class SharedConstants:
    """The constants of one equation in all groups, and the tests that they are the same.

    `equation` has `names` for its constants, the factors of `terms`. `left_out` are groups without comparable
    constants, each with the reason. `verdict` is "different" if the joint test or a test of one constant rejects at the
    level, else "equal".
    """

    equation: str
    names: tuple[str, ...]
    terms: tuple[str, ...]
    groups: tuple[GroupConstants, ...]
    left_out: tuple[tuple[str, str], ...]
    together: Joint
    alone: tuple[Equality, ...]
    trends: tuple[Trend, ...]
    verdict: str
    sentence: str


@dataclass(frozen=True)
class GroupComparison:
    """The results of several groups, and whether they share an algebra and the constants of their equation.

    `by` is the condition that distinguishes the groups, `unit` its unit. `algebra` and `constants` are None if fewer
    than two groups can be compared; `notes` say why. `folder` contains the groups' results; None if they are in memory
    only.
    """

    by: str
    unit: str
    symmetry: str
    level: float
    groups: tuple[Group, ...]
    algebra: SharedAlgebra | None = None
    constants: SharedConstants | None = None
    notes: tuple[str, ...] = ()
    folder: Path | None = field(default=None, compare=False)
    results: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, label: str) -> Group:
        for group in self.groups:
            if group.label == label:
                return group
        raise InputError(f"There is no group {label!r}; the groups are {', '.join(g.label for g in self.groups)}.")

    def result(self, label: str) -> Any:
        """The full result of one group, as `discover` returned it."""
        group = self[label]
        if label in self.results:
            return self.results[label]
        if group.problem or self.folder is None:
            reason = group.problem or "The groups' results were not kept in a folder."
            raise InputError(f"The group {label!r} has no result here. {reason}")
        from liestonet.storage import load

        return load(self.folder / group.folder / "run.lsn")

    def sentences(self) -> list[str]:
        """The outcome of the comparison, in sentences."""
        said = [part.sentence for part in (self.algebra, self.constants) if part is not None]
        lost = [f"{group.label}: {group.problem}" for group in self.groups if group.problem]
        left = [] if self.constants is None else [f"{label}: {reason}" for label, reason in self.constants.left_out]
        return [*said, *self.notes, *lost, *left]

    def __str__(self) -> str:
        rows = (
            f"{g.label}: {g.problem or f'dimension {g.dimension}, {g.algebra}'}"
            + (f"; {g.equation}" * bool(g.equation))
            for g in self.groups
        )
        return "\n".join([*self.sentences(), "", *rows])

    def to_dictionary(self) -> dict[str, JSON]:
        """Everything as plain values, for JSON (docs/json.md)."""
        kept = {f: getattr(self, f) for f in ("by", "unit", "symmetry", "level")}
        parts = {"algebra": self.algebra, "constants": self.constants}
        return _finite(
            {"schema": SCHEMA, **kept}
            | {"groups": [asdict(group) for group in self.groups]}
            | {name: None if part is None else asdict(part) for name, part in parts.items()}
            | {"notes": list(self.notes)}
        )

    def to_json(self) -> str:
        """The comparison as JSON text."""
        return json.dumps(self.to_dictionary(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison to a JSON file, complete or not at all; `GroupComparison.open` reads it."""
        from liestonet.trajectories.writers import replacing

        with replacing(Path(path)) as stream:
            stream.write((self.to_json() + "\n").encode())

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparison as one HTML page and return its path."""
        from liestonet.render.html import write_comparison

        return write_comparison(self, path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> GroupComparison:
        """Read a comparison that `save` wrote; the results of the groups are in the same folder."""
        file = Path(path)
        try:
            given = json.loads(file.read_text(encoding="utf-8"))
        except OSError as problem:
            raise InputError(f"The file {str(path)!r} cannot be read ({problem.strerror}).") from problem
        except ValueError as problem:
            raise InputError(f"The file {file.name!r} is not JSON; give the groups.json of a comparison.") from problem
        if not isinstance(given, dict) or given.get("schema") != SCHEMA:
            raise InputError(f"The file {file.name!r} is not a comparison of groups; give the groups.json of one.")
        try:
            return _read(given, file.absolute().parent)
        except (KeyError, TypeError, ValueError) as problem:
            raise InputError(f"The comparison in {file.name!r} is damaged; compute it again.") from problem


def _read(given: dict[str, Any], folder: Path) -> GroupComparison:
    groups = tuple(group_from(row) for row in given["groups"])
    algebra, constants = given["algebra"], given["constants"]
    return GroupComparison(
        given["by"], given["unit"], given["symmetry"], float(given["level"]), groups,
        None if algebra is None else _algebra(algebra),
        None if constants is None else _constants(constants),
        tuple(given["notes"]), folder,
    )  # fmt: skip


def group_from(row: Mapping[str, Any]) -> Group:
    """A group from its JSON row, where null stands for infinity."""
    ladder: list[dict[str, Any]] = [
        {name: inf if value is None else value for name, value in step.items()} for step in row["ladder"]
    ]
    lists = {name: tuple(row[name]) for name in ("alternatives", "formulas", "flags")}
    return Group(**{**row, **lists, "ladder": tuple(LadderRow(**step) for step in ladder)})


def _algebra(given: dict[str, Any]) -> SharedAlgebra:
    return SharedAlgebra(**{**given, "groups": tuple(Standing(**row) for row in given["groups"])})


def _constants(given: dict[str, Any]) -> SharedConstants:
    groups = tuple(
        GroupConstants(
            row["label"], tuple(row["values"]), tuple(row["errors"]), tuple(map(tuple, row["covariance"])),
            row["p_value"],
        )
        for row in given["groups"]
    )  # fmt: skip
    read = {
        "groups": groups,
        "names": tuple(given["names"]),
        "terms": tuple(given["terms"]),
        "left_out": tuple((label, reason) for label, reason in given["left_out"]),
        "together": Joint(**given["together"]),
        "alone": tuple(Equality(**row) for row in given["alone"]),
        "trends": tuple(Trend(**row) for row in given["trends"]),
    }
    return SharedConstants(**{**given, **read})


def _finite(value: Any) -> Any:
    """A value in types of JSON; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
