"""What every test shares: which examples are drawn, the limits of time and memory, and the door to the real recordings.

- tests/helpers/plugin_examples.py: the same Hypothesis examples everywhere; `make fuzz` draws new ones, and what it
  finds stays in tests/regressions and is replayed by every later run.
- tests/helpers/plugin_limits.py: a test that hangs fails with a stack; a run whose memory grows too large fails.
- tests/helpers/plugin_types.py: types and shapes of `liestonet` are checked by jaxtyping and beartype, in the first
  calls of every function in every test.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

pytest_plugins = ["plugin_examples", "plugin_limits", "plugin_types"]

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_configure(config: pytest.Config) -> None:
    """What JAX compiles is kept for this run: processes share it, and memory can be handed back between tests."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:  # the first process; the others inherit it
        folder = tempfile.TemporaryDirectory(prefix="liestonet-compiled-")
        config.add_cleanup(folder.cleanup)
        os.environ.update(
            JAX_COMPILATION_CACHE_DIR=folder.name,
            JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0.1",
            JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES="-1",
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--screenshots FOLDER` keeps what the browser shows of the report (tests/render/html/test_browser.py)."""
    parser.addoption("--screenshots", metavar="FOLDER", default=None, help="keep pictures of the report's pages")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real recordings; a test that needs it is skipped where there is none."""
    folder = os.environ.get("LIESTONET_DATA")
    if not folder:
        pytest.skip("needs the real recordings: set LIESTONET_DATA to their folder")
    path = Path(folder)
    if not path.is_dir():
        pytest.fail(f"LIESTONET_DATA is {folder}, and there is no such folder")
    return path
