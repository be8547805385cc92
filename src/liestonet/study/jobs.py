"""One piece of a study: a function, its settings, and the name under which its result is kept.

A job is plain text and numbers, so that it can be sent to another process or machine. Its key is a hash of everything
that decides the result; a changed setting is another job, with another file.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from liestonet.core.json_values import JSON
from liestonet.errors import InputError

SCHEMA = "liestonet.job/1"


@dataclass(frozen=True)
class Job:
    """`function` names "module:function" inside `package`, or anywhere without one; it takes the settings as keywords.

    `given` is what the result depends on besides: settings of an engine as a digest, numbers that the function has from
    its module. `cost` is a guess in CPU seconds, for the time left. Cost and package do not belong to the key.
    """

    item: str
    name: str
    function: str
    settings: Mapping[str, JSON] = field(default_factory=dict)
    revision: int = 1
    cost: float | int = 10.0
    given: Mapping[str, JSON] = field(default_factory=dict)
    package: str = ""

    @property
    def target(self) -> str:
        """The function with the whole path of its module, "package.module:function"."""
        return f"{self.package}.{self.function}" if self.package else self.function

    @property
    def identity(self) -> dict[str, JSON]:
        """All that decides the result, as JSON has it."""
        names = ("function", "settings", "given", "revision")
        return json.loads(json.dumps({name: getattr(self, name) for name in names}))

    @property
    def key(self) -> str:
        """Twelve hexadecimal digits that change with anything that decides the result."""
        return digest(json.dumps(self.identity, sort_keys=True))

    @property
    def file_name(self) -> str:
        """Where its result is kept, inside the item's folder."""
        return f"{self.name}-{self.key}.json"


class JobOutcome(TypedDict):
    """What a job came to, and what that took."""

    value: dict[str, JSON]
    cpu_seconds: float
    wall_seconds: NotRequired[float]
    versions: NotRequired[dict[str, str]]
    made: NotRequired[str]  # the day, as 2026-11-19


Result = JobOutcome | str  # the outcome, or one sentence on what went wrong
Outcomes = Generator[tuple[Job, Result], None, None]


def digest(text: str) -> str:
    """Twelve hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run_job(target: str, settings: Mapping[str, JSON], environment: dict[str, str] | None = None) -> JobOutcome:
    """Run one job here and now, with these variables set: its value, with the time it took."""
    os.environ.update(environment or {})
    function = _resolve(target)
    wall, processor = time.perf_counter(), time.process_time()
    value = function(**settings)
    return {
        "value": value,
        "cpu_seconds": round(time.process_time() - processor, 3),
        "wall_seconds": round(time.perf_counter() - wall, 3),
        "versions": versions(),
        "made": datetime.now(UTC).date().isoformat(),
    }


def reason(problem: BaseException) -> str:
    """Why a job has no result, in one sentence."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text if isinstance(problem, InputError) else f"{type(problem).__name__}: {text}"


def versions() -> dict[str, str]:
    """What the numbers depend on besides the settings."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version(), "code": code_digest()}
    for package in ("liestonet", "numpy", "scipy", "jax"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code_digest() -> str:
    """Twelve hexadecimal digits that change with any line of the package."""
    root = Path(__file__).resolve().parents[1]
    files = sorted(root.rglob("*.py"))
    return digest("\n".join(f"{file.relative_to(root).as_posix()}\n{file.read_text('utf-8')}" for file in files))


def _resolve(target: str) -> Callable[..., Any]:
    """The function that "package.module:function" names."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
