"""The tests' own machinery in a small project: examples that are kept, hangs and memory that end in a failure."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers

HELPERS = Path(__file__).parents[1] / "helpers"
SETTINGS = '[tool.pytest.ini_options]\ntimeout = 60\npythonpath = ["{helpers}"]\n'
CONFTEST = 'pytest_plugins = ["plugin_examples", "plugin_limits"]\n'
DRAWN = """
from hypothesis import given, settings, strategies as st

@settings(max_examples={examples})
@given(st.integers(0, 1000))
def test_drawn(number):
    assert number < {bound}

def test_other():
    assert False
"""
HANGING = """
import itertools, pytest

@pytest.mark.timeout(0.2)
def test_in_python():
    while True:
        pass

@pytest.mark.timeout(0.2)
def test_in_a_library():
    sum(itertools.repeat(1))

def test_afterwards():
    assert True
"""
HANGING_EXAMPLES = """
import itertools, pytest
from hypothesis import given, settings, strategies as st

def forever():
    while True:
        pass

@pytest.mark.timeout(1)
@settings(max_examples={examples})
@given(st.integers(0, 1000), st.data())
def test_in_python(number, data):
    if data.draw(st.integers(0, 1000)) >= {bound}:
        forever()

@pytest.mark.timeout(1)
@settings(max_examples={examples})
@given(st.integers(0, 1000))
def test_in_a_library(number):
    if number >= {bound}:
        sum(itertools.repeat(1))
"""

WITHOUT_LINES = """
import pytest

def compiled():
    raise ValueError("cause")

@pytest.mark.parametrize("wrapped", [False, True])
def test_without_lines(wrapped):
    eight_of_no_line = bytes([0xFF])  # so the table of lines writes eight instructions without one
    table = eight_of_no_line * (len(compiled.__code__.co_code) // 16 + 1)
    compiled.__code__ = compiled.__code__.replace(co_linetable=table)
    if not wrapped:
        compiled()
    try:
        compiled()
    except ValueError as error:
        raise RuntimeError("outer") from error

def test_afterwards():
    assert True
"""


def run(folder: Path, test: str, *options: str, conftest: str = CONFTEST) -> subprocess.CompletedProcess[str]:
    """pytest in a process and a project of its own."""
    (folder / "pyproject.toml").write_text(SETTINGS.format(helpers=HELPERS), encoding="utf-8")
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    (folder / "test_small.py").write_text(test, encoding="utf-8")
    quiet = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
    plugins = ["-p_hypothesis_pytestplugin", "-ppytest_timeout", "-pno:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-rA", *plugins, *options]
    return subprocess.run(command, cwd=folder, env={**os.environ, **quiet}, capture_output=True, text=True)


def test_what_fuzzing_finds_is_kept_and_replayed_until_it_is_repaired(tmp_path):
    found = run(tmp_path, DRAWN.format(examples=200, bound=500), "--fuzz=60", "--hypothesis-seed=5")
    assert "1 failed, 1 deselected" in found.stdout
    (path,) = (tmp_path / "tests" / "regressions").iterdir()
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["test"] == "test_small.py::test_drawn"
    assert "number=500" in "".join(kept["example"])  # shrunk
    # a single example, which is 0, would not find it
    again = run(tmp_path, DRAWN.format(examples=1, bound=500), "-k", "drawn")
    assert "assert 500 < 500" in again.stdout
    assert "1 failed" in again.stdout
    repaired = run(tmp_path, DRAWN.format(examples=1, bound=501), "-k", "drawn")
    assert "1 passed" in repaired.stdout
    assert repaired.returncode == 0


def test_fuzzing_begins_no_test_after_its_time(tmp_path):
    found = run(tmp_path, DRAWN.format(examples=200, bound=500), "--fuzz=0", "--hypothesis-seed=5")
    assert "1 skipped, 1 deselected" in found.stdout


def test_fuzzing_needs_a_seed(tmp_path):
    found = run(tmp_path, DRAWN.format(examples=1, bound=500), "--fuzz=60")
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--fuzz needs --hypothesis-seed=NUMBER" in found.stderr


@pytest.mark.slow
def test_an_example_that_hangs_is_kept_and_replayed_until_it_is_repaired(tmp_path):
    conftest = f"{CONFTEST}import plugin_limits\nplugin_limits.GRACE = 0.5\n"
    options = ("--fuzz=60", "-pxdist.plugin", "-n2")
    hanging = HANGING_EXAMPLES.format(examples=200, bound=500)
    found = run(tmp_path, hanging, "--hypothesis-seed=5", *options, conftest=conftest)
    assert "2 failed" in found.stdout
    assert "test_in_python - Failed: Timeout" in found.stdout
    assert re.search(r"test_small.py:\d+: in forever|^>\s+forever\(\)", found.stdout, re.M)  # the stack
    assert "Kept in" in found.stdout
    assert "crashed while running 'test_small.py::test_in_a_library'" in found.stdout
    paths = sorted((tmp_path / "tests" / "regressions").iterdir())
    library, python = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    assert library["test"].endswith("test_in_a_library")
    assert library["failure"] == "did not end"
    (drawn,) = library["example"]
    assert int(drawn.removeprefix("number=")) >= 500
    assert python["test"].endswith("test_in_python")
    assert re.fullmatch(r"Failed: Timeout.*; this example ran for \d\.\d s", python["failure"])
    assert int(python["example"][-1].removeprefix("Draw: ")) >= 500
    # a single example, which is 0, would not hang; what is kept is not written twice
    hanging = HANGING_EXAMPLES.format(examples=1, bound=500)
    again = run(tmp_path, hanging, "--hypothesis-seed=6", *options, conftest=conftest)
    assert "2 failed" in again.stdout
    assert sorted((tmp_path / "tests" / "regressions").iterdir()) == paths
    repaired = run(tmp_path, HANGING_EXAMPLES.format(examples=20, bound=1001), "--fuzz=60", "--hypothesis-seed=5")
    assert "2 passed" in repaired.stdout
    assert sorted((tmp_path / "tests" / "regressions").iterdir()) == paths


def test_a_hang_is_a_failure_with_a_stack(tmp_path):
    conftest = f"{CONFTEST}import plugin_limits\nplugin_limits.GRACE = 0.5\n"
    found = run(tmp_path, HANGING, "-pxdist.plugin", "-n1", conftest=conftest)
    assert "2 failed, 1 passed" in found.stdout
    assert "test_in_python - Failed: Timeout" in found.stdout
    assert "crashed while running 'test_small.py::test_in_a_library'" in found.stdout
    assert "in test_in_a_library" in found.stderr
    assert "this process" in found.stdout


def test_a_stack_with_places_of_no_line_is_shown(tmp_path):
    found = run(tmp_path, WITHOUT_LINES)
    assert "2 failed, 1 passed" in found.stdout
    assert "INTERNALERROR" not in found.stdout + found.stderr
    assert found.stdout.count("test_small.py:4: ") == 2  # where the function begins


def test_a_process_that_grows_too_large_fails_the_run(tmp_path):
    conftest = f"{CONFTEST}import plugin_limits\nplugin_limits.LARGEST = plugin_limits.peak() + 50\n"
    grows = "def test_grows():\n    assert len(bytearray(b'1') * 150_000_000)\n"
    for options in ((), ("-pxdist.plugin", "-n1")):  # the first process, or one that reports to it
        found = run(tmp_path, grows, "-mnot slow", *options, conftest=conftest)
        assert "1 passed" in found.stdout
        assert "A process held more than" in found.stdout
        assert found.returncode == 1


def test_examples_do_not_depend_on_what_is_imported():
    """Hypothesis looks for constants in imported modules of the package under one name, which is replaced here."""
    provider = providers.HypothesisProvider(None)
    assert provider._local_constants is providers._local_constants
    assert not len(providers._local_constants)
