"""Limits that turn a hang into a failure with a stack, and a leak into a failed run.

Time. A test that is not done after its time (`timeout` in pyproject.toml, for slow tests `SLOW`, or its own
`@pytest.mark.timeout`) fails with a stack, by pytest-timeout. That interrupts Python only. Where the interpreter does
not come back from a library, or something catches the interruption, the process ends half a minute later with the
stacks of all its threads, and pytest-xdist reports the test as failed and goes on in a new process. Hypothesis would
catch it too; plugin_examples.py sees to that, and keeps the example that `make fuzz` was running in either case.
The interruption can come at an instruction that belongs to no line, as in code that was compiled at run time; pytest
cannot show such a stack, so that place is shown as the first line of its function.

Memory. A run fails if one of its processes ever held more than `largest` says; `--memory` lists the tests that
raised it.
Compiled functions of JAX stay for the life of a process, and the allocator keeps what compiling took: after a test that
leaves more than `RELEASED` behind, both are given back.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import pytest

try:
    import resource
except ImportError:  # Windows
    resource = None

SLOW = 1800.0  # seconds for a slow test, on a machine with other things to do
GRACE = 30.0
LARGEST = 1536  # MB: two such processes on a machine with 4 GB
LARGEST_SLOW = 3072  # MB, where slow tests run: ten coordinates, networks of the paper's size
RELEASED = 700  # MB; most tests that use no JAX leave less
LISTED = 15

stack_file = pytest.StashKey[TextIO]()
peaks = pytest.StashKey[dict[str, int]]()
rises = pytest.StashKey[list[tuple[int, str]]]()
allowed = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--memory", action="store_true", help="list the tests that raised a process' peak memory most")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[peaks], config.stash[rises], config.stash[allowed] = {}, [], RELEASED
    # A copy of the real standard error, because the usual one is captured while a test runs.
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        config.stash[stack_file] = os.fdopen(os.dup(2), "w")
    config.add_cleanup(config.stash[stack_file].close)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    marker = item.get_closest_marker("timeout")
    limit = float(marker.args[0] if marker else item.config.getini("timeout") or SLOW)
    faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=item.config.stash[stack_file])
    before = peak()
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        item.config.stash[rises].append((peak() - before, item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    error = call.excinfo.value if call.excinfo else None
    while error is not None:
        if error.__traceback__ is not None:
            error.__traceback__ = with_lines(error.__traceback__)
        error = error.__cause__ or error.__context__
    if call.excinfo:
        call.excinfo = pytest.ExceptionInfo.from_exception(call.excinfo.value)
    return (yield)


def with_lines(stack: TracebackType) -> TracebackType:
    """The stack with a line number for every frame."""
    following = with_lines(stack.tb_next) if stack.tb_next is not None else None
    line: int | None = stack.tb_lineno  # Python has none where an instruction belongs to no line
    if line is not None and following is stack.tb_next:
        return stack
    frame = stack.tb_frame
    return TracebackType(following, frame, stack.tb_lasti, line or frame.f_code.co_firstlineno)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    returned = yield  # fixtures first: a test may have replaced what is used here
    stash = item.config.stash
    if held() > stash[allowed]:
        release()
        # what is left is in use: asking again after every test would cost more than it frees
        stash[allowed] = max(RELEASED, held() + RELEASED // 6)
    return returned


def largest(config: pytest.Config) -> int:
    """The memory a process may hold, in MB: more where slow tests are among those that run."""
    return LARGEST if config.getoption("markexpr") == "not slow" else LARGEST_SLOW


def held() -> int:
    """The present memory of this process in MB; its peak, if the present value is not available."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 2**20
    return peak()


def release() -> None:
    """Clear compiled functions and SymPy's caches, collect garbage, and return free memory."""
    training = sys.modules.get("liestonet.neural.training")
    if training is not None:
        training.COMPILED.clear()  # the trainings keep their own
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
    if "sympy.core.cache" in sys.modules:
        sys.modules["sympy.core.cache"].clear_cache()
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # GNU's C library has it
        if trim is not None:
            trim(0)


def peak() -> int:
    """The most memory this process ever held, in MB."""
    if sys.platform == "linux":  # getrusage also counts what the process that started this one held
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 2**10
    if resource is None:
        return 0
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size // 2**20 if sys.platform == "darwin" else size // 2**10  # bytes there, kB elsewhere


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the memory reported by one of pytest-xdist's processes."""
    told = getattr(node, "workeroutput", {})
    if "peak" in told:
        node.config.stash[peaks][node.gateway.id] = told["peak"]
        node.config.stash[rises] += [(rise, test) for rise, test in told["rises"]]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output["peak"], output["rises"] = peak(), sorted(config.stash[rises], reverse=True)[:LISTED]
        return
    config.stash[peaks]["this process"] = peak()
    if max(config.stash[peaks].values()) > largest(config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    found = config.stash[peaks]
    too_large = max(found.values(), default=0) > largest(config)
    sizes = ", ".join(f"{name} {size} MB" for name, size in sorted(found.items()))
    terminalreporter.write_line(f"peak memory: {sizes}")
    if too_large:
        terminalreporter.write_line(f"A process held more than {largest(config)} MB.", red=True)
    if too_large or config.getoption("--memory"):
        for rise, test in sorted(config.stash[rises], reverse=True)[:LISTED]:
            terminalreporter.write_line(f"  {rise:+5d} MB  {test}")
