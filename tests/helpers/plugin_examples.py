"""The examples of Hypothesis: by default the same everywhere; in `make fuzz` new ones, with failures stored.

The default profile is derandomized and has no database: the examples of a test depend on its text alone, neither on
the machine, the environment, the order of the tests nor on what ran before; `--hypothesis-seed` changes nothing, since
Hypothesis asks a derandomized profile first. `--fuzz SECONDS` (`make fuzz`) runs the tests that use Hypothesis and no
others, in an order and with examples that follow from `--hypothesis-seed`, which must be given because every process of
pytest-xdist needs the same one, and begins no further test when the time is over.

`--fuzz` writes failing examples, shrunk, to tests/regressions/<test>-<digest>.json: the test, the example as
Hypothesis shows it, and Hypothesis' own record of it, which every later run of that test replays before it draws its
own examples. Commit the file together with the repair. The record means nothing after the test's strategies have
changed: delete the file then, and if the case matters write it down as an `@example`.

An example that hangs or ends the process could not be stored afterwards: `--fuzz` writes each one before it runs and
removes it when it has run. The example that runs when a test's time is over (plugin_limits.py) is stored without
shrinking, because Hypothesis would have to wait for every attempt; `failure` says how long it had been running. If that
is short, there were too many examples and this one is not the cause: delete the file.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import re
import signal
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest._io.saferepr import saferepr
from hypothesis import reproduce_failure, settings
from hypothesis.control import current_build_context
from hypothesis.core import encode_failure
from hypothesis.errors import DidNotReproduce
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import DataObject

REGRESSIONS = Path("tests/regressions")  # below the root of the project
SHOWN = 2000  # characters of a value in an example that was written before it ran
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
        if config.getoption("--hypothesis-seed") is None:
            raise pytest.UsageError("--fuzz needs --hypothesis-seed=NUMBER, which decides what it draws.")
        settings.load_profile("fuzz")
        config.pluginmanager.register(Fuzzing(config), "fuzzing")


def uses_hypothesis(item: pytest.Item) -> bool:
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


class Interrupted(BaseException):
    """The time of a test is over. Hypothesis would treat pytest's own exception as a failure and run it again."""

    def __init__(self, failure: BaseException) -> None:
        self.failure = failure


@contextmanager
def interrupted_at_once() -> Iterator[None]:
    """Let pytest-timeout end a test of Hypothesis without shrinking or another run of the example that hangs."""
    usual: Any = signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None
    if not callable(usual):  # no limit, or one that is kept by a thread and ends the process
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        try:
            usual(number, frame)
        except pytest.fail.Exception as failure:
            raise Interrupted(failure) from None

    signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    except Interrupted as interrupted:
        raise interrupted.failure.with_traceback(interrupted.__traceback__) from None
    finally:
        signal.signal(signal.SIGALRM, usual)


class Fuzzing:
    """Hooks of `--fuzz`."""

    def __init__(self, config: pytest.Config) -> None:
        self.seed = config.getoption("--hypothesis-seed")
        self.end = time.monotonic() + float(config.getoption("--fuzz") or 0)
        self.running: Running | None = None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Shuffle the tests by the seed, since the time may not suffice for all."""
        others = [item for item in items if not uses_hypothesis(item)]
        items[:] = [item for item in items if uses_hypothesis(item)]
        random.Random(self.seed).shuffle(items)
        config.hook.pytest_deselected(items=others)

    def pytest_runtest_setup(self) -> None:
        self.running = None
        if time.monotonic() > self.end:
            pytest.skip("the time of --fuzz is over")

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        handle: Any = pyfuncitem.obj.hypothesis
        test = handle.inner_test
        handle.inner_test = self.written_down(pyfuncitem, test)
        try:
            return (yield)
        finally:
            handle.inner_test = test

    def written_down(self, item: pytest.Item, test: Callable[..., Any]) -> Callable[..., Any]:
        """The test of one example, which is stored in tests/regressions while it runs."""

        @functools.wraps(test)
        def run(*values: Any, **named: Any) -> Any:
            running = self.running = Running(item, values, named, self.seed)
            try:
                returned = test(*values, **named)
            except Interrupted as interrupted:
                running.interrupted(interrupted.failure)
                raise
            except BaseException:
                running.done()
                raise
            running.done()
            return returned

        return run

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        if call.excinfo is not None:
            left = self.running.path if self.running else None
            path = left or keep(item, call.excinfo.value, self.seed)
            if path:
                report.sections.append(("regression", f"Kept in {path}, which later runs of this test replay."))
        return report


class Running:
    """An example that runs, in tests/regressions until it is done. Values drawn meanwhile are added."""

    def __init__(self, item: pytest.Item, values: tuple[Any, ...], named: dict[str, Any], seed: object) -> None:
        self.item, self.seed, self.start = item, seed, time.monotonic()
        self.path: Path | None = None
        self.shown = [saferepr(value, SHOWN) for value in values]
        self.shown += [f"{name}={saferepr(value, SHOWN)}" for name, value in named.items()]
        for value in named.values():
            if isinstance(value, DataObject):
                value.draw = self.adding(value.draw)
        self.write()

    def adding(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def drawn(*values: Any, **named: Any) -> Any:
            value = draw(*values, **named)
            self.shown.append(f"Draw: {saferepr(value, SHOWN)}")
            self.write()
            return value

        return drawn

    def write(self, failure: str = "did not end") -> None:
        choices = current_build_context().data.choices
        if not choices:  # an @example, which stands in the test
            return
        record = encode_failure(choices).decode()
        path = path_of(self.item, record)
        if path != self.path:
            self.done()
            if path.exists():  # from an earlier run
                return
        self.path = write(self.item, failure, self.shown, self.seed, record)

    def interrupted(self, failure: BaseException) -> None:
        """Add the reason to an example that remains stored, if it is new."""
        if self.path:
            self.write(f"{one_line(failure)}; this example ran for {time.monotonic() - self.start:.1f} s")

    def done(self) -> None:
        if self.path:
            self.path.unlink()
            self.path = None


def keep(item: pytest.Item, failure: BaseException, seed: object) -> Path | None:
    """Write the example that failed to a separate file, if Hypothesis has a record of it."""
    notes = "\n".join(getattr(failure, "__notes__", []))
    found = RECORD.search(notes)
    if found is None:
        return None
    return write(item, one_line(failure), notes.partition("\n\nYou can reproduce")[0].splitlines(), seed, found[1])


def one_line(failure: BaseException) -> str:
    return f"{type(failure).__name__}: {failure}".splitlines()[0]


def name_of(item: pytest.Item) -> str:
    return re.sub(r"\W+", "-", item.nodeid.removeprefix("tests/")).strip("-")


def path_of(item: pytest.Item, record: str) -> Path:
    digest = hashlib.sha256(record.encode()).hexdigest()[:8]
    return item.config.rootpath / REGRESSIONS / f"{name_of(item)}-{digest}.json"


def write(item: pytest.Item, failure: str, example: Sequence[str], seed: object, record: str) -> Path:
    """One file for one example, complete or not at all."""
    content = {
        "test": item.nodeid,
        "failure": failure,
        "example": example,
        "seed": seed,
        "hypothesis": hypothesis.__version__,
        "record": record,
    }
    path = path_of(item, record)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(path)
    return path


def kept_records(item: pytest.Item) -> list[bytes]:
    """Hypothesis' records of the examples that once failed in this test."""
    # Only those of this test: other processes may be writing theirs.
    paths = sorted((item.config.rootpath / REGRESSIONS).glob(f"{name_of(item)}-{'?' * 8}.json"))
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [content["record"].encode() for content in contents if content["test"] == item.nodeid]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    if not uses_hypothesis(pyfuncitem):
        return (yield)
    with interrupted_at_once():
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
