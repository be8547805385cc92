"""Which examples Hypothesis draws: by default the same everywhere, in `make fuzz` new ones that leave what they find.

The default profile is derandomized and has no database: the examples of a test depend on its text alone, neither on
the machine, the environment, the order of the tests nor on what ran before. `--fuzz SECONDS` (`make fuzz`) runs the
tests that use Hypothesis and no others, in an order and with examples that follow from `--hypothesis-seed`, and begins
no further test when the time is over.

What `--fuzz` finds failing it writes, shrunk, to tests/regressions/<test>-<digest>.json: the test, the example as
Hypothesis shows it, and Hypothesis' own record of it, which every later run of that test replays before it draws its
own examples. Commit the file together with the repair. The record means nothing after the test's strategies have
changed: delete the file then, and if the case matters write it down as an `@example`.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import reproduce_failure, settings
from hypothesis.errors import DidNotReproduce
from hypothesis.internal.conjecture import providers

REGRESSIONS = Path("tests/regressions")  # below the root of the project
RECORD = re.compile(r"@reproduce_failure\('[^']+', b'([^']+)'\)")

# No deadline: the first example pays for imports.
settings.register_profile("same", deadline=None, max_examples=25, derandomize=True, print_blob=True)
settings.register_profile(
    "fuzz", deadline=None, max_examples=200, database=None, print_blob=True, report_multiple_bugs=False
)
settings.load_profile("same")

# Hypothesis mixes in constants of those modules of the package that happen to be imported already, so that examples
# would depend on which tests ran before. tests/project/test_test_plugins.py sees that Hypothesis still uses this name.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz", metavar="SECONDS", type=float, help="only the Hypothesis tests, with new examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--fuzz") is not None:
        settings.load_profile("fuzz")
        config.pluginmanager.register(Fuzzing(config), "fuzzing")


def uses_hypothesis(item: pytest.Item) -> bool:
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


class Fuzzing:
    """Hooks of `--fuzz`."""

    def __init__(self, config: pytest.Config) -> None:
        self.seed = config.getoption("--hypothesis-seed")
        self.end = time.monotonic() + float(config.getoption("--fuzz") or 0)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """The time may not suffice for all: the seed decides which tests come first."""
        others = [item for item in items if not uses_hypothesis(item)]
        items[:] = [item for item in items if uses_hypothesis(item)]
        random.Random(self.seed).shuffle(items)
        config.hook.pytest_deselected(items=others)

    def pytest_runtest_setup(self) -> None:
        if time.monotonic() > self.end:
            pytest.skip("the time of --fuzz is over")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        if call.excinfo is not None and (path := keep(item, call.excinfo.value, self.seed)):
            report.sections.append(("regression", f"Kept in {path}, which later runs of this test replay."))
        return report


def keep(item: pytest.Item, failure: BaseException, seed: object) -> Path | None:
    """Write the example that failed to a file of its own, if Hypothesis left a record of it."""
    notes = getattr(failure, "__notes__", [])
    found = RECORD.search("\n".join(notes))
    if found is None:
        return None
    name = re.sub(r"\W+", "-", item.nodeid.removeprefix("tests/")).strip("-")
    path = item.config.rootpath / REGRESSIONS / f"{name}-{hashlib.sha256(found[1].encode()).hexdigest()[:8]}.json"
    content = {
        "test": item.nodeid,
        "failure": f"{type(failure).__name__}: {failure}".splitlines()[0],
        "example": "\n".join(notes).partition("\n\nYou can reproduce")[0].splitlines(),
        "seed": seed,
        "hypothesis": hypothesis.__version__,
        "record": found[1],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def kept_records(item: pytest.Item) -> list[bytes]:
    """Hypothesis' records of the examples that once failed in this test."""
    paths = sorted((item.config.rootpath / REGRESSIONS).glob("*.json"))
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [content["record"].encode() for content in contents if content["test"] == item.nodeid]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    if uses_hypothesis(pyfuncitem):
        for record in kept_records(pyfuncitem):
            replay(pyfuncitem, record)
    return (yield)


def replay(item: pytest.Function, record: bytes) -> None:
    """Run the test on an example that failed once: it fails again, or is repaired, and then this returns."""
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    # The version is only there to say that the record might be read differently.
    reproduce_failure(hypothesis.__version__, record)(item.obj)
    try:
        item.obj(**arguments)
    except DidNotReproduce:
        return
    finally:
        item.obj._hypothesis_internal_use_reproduce_failure = None
