"""A job of a study: a function, its settings, and the name under which its result is kept.

A job is plain text and numbers, so that it can be sent to another process or machine. Its key is a hash of everything
that determines the result: with a changed setting it is another job, with another file.
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
    """A job: `function` is "module:function" inside `package`, if given, and takes the settings as keywords.

    `given` holds what else the result depends on: a digest of an engine's settings, constants of the function's module.
    `cost` is an estimate in CPU seconds, for the time left. Cost and package are not part of the key.
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
        """The function with the full path of its module, "package.module:function"."""
        return f"{self.package}.{self.function}" if self.package else self.function

    @property
    def identity(self) -> dict[str, JSON]:
        """Everything that determines the result, as JSON."""
        names = ("function", "settings", "given", "revision")
        return json.loads(json.dumps({name: getattr(self, name) for name in names}))

    @property
    def key(self) -> str:
        """Twelve hexadecimal digits: a hash of everything that determines the result."""
        return digest(json.dumps(self.identity, sort_keys=True))

    @property
    def file_name(self) -> str:
        """The name of the result's file in the item's folder."""
        return f"{self.name}-{self.key}.json"


class JobOutcome(TypedDict):
    """The value of a job, with its time and the versions used."""

    value: dict[str, JSON]
    cpu_seconds: float
    wall_seconds: NotRequired[float]
    versions: NotRequired[dict[str, str]]
    made: NotRequired[str]  # the day, as 2026-11-19


Result = JobOutcome | str  # the outcome, or the reason of a failure in one sentence
Outcomes = Generator[tuple[Job, Result], None, None]


def digest(text: str) -> str:
    """The first twelve hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run_job(target: str, settings: Mapping[str, JSON], environment: dict[str, str] | None = None) -> JobOutcome:
    """Run one job in this process, with these environment variables; returns its value, with the time it took."""
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
    """The versions of Python, of this code and of the packages that results may depend on."""
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
    """Twelve hexadecimal digits: a hash of the package's source files."""
    root = Path(__file__).resolve().parents[1]
    files = sorted(root.rglob("*.py"))
    return digest("\n".join(f"{file.relative_to(root).as_posix()}\n{file.read_text('utf-8')}" for file in files))


def _resolve(target: str) -> Callable[..., Any]:
    """The function that "package.module:function" names."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
