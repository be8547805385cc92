"""What every test shares: which examples are drawn, the limits of time and memory, and the door to the real recordings.

- tests/helpers/plugin_examples.py: the same Hypothesis examples everywhere; `make fuzz` draws new ones, and what it
  finds stays in tests/regressions and is replayed by every later run.
- tests/helpers/plugin_limits.py: a test that hangs fails with a stack; a run whose memory grows too large fails.
- tests/helpers/plugin_types.py: types and shapes of `liestonet` are checked by jaxtyping and beartype, in the first
  calls of every function in every test.
"""

from __future__ import annotations

import io
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

pytest_plugins = ["plugin_examples", "plugin_limits", "plugin_types"]

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_configure(config: pytest.Config) -> None:
    """A folder that the processes of this run share, for what JAX compiles and for pages that several tests look at.

    What is compiled is there again after memory was handed back between tests.
    """
    if hasattr(config, "workerinput"):  # not the first process: it inherits all of this
        return
    folder = tempfile.TemporaryDirectory(prefix="liestonet-tests-")
    config.add_cleanup(folder.cleanup)
    os.environ["LIESTONET_TEST_RUN"] = folder.name
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        os.environ.update(
            JAX_COMPILATION_CACHE_DIR=os.path.join(folder.name, "compiled"),
            JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0.1",
            JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES="-1",
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--screenshots FOLDER` keeps what the browser shows of the report (tests/render/html/test_browser.py)."""
    parser.addoption("--screenshots", metavar="FOLDER", default=None, help="keep pictures of the report's pages")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are put together, but neither laid out nor drawn, which takes most of the time of a page.

    For tests of what stands beside the pictures.
    """
    from matplotlib.figure import Figure

    def save(figure: Figure, file: IO, **options: object) -> None:
        empty = '<svg viewBox="0 0 1 1"></svg>'
        file.write(empty if isinstance(file, io.TextIOBase) else empty.encode())

    monkeypatch.setattr(Figure, "savefig", save)
    monkeypatch.setattr(Figure, "tight_layout", lambda figure: None)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """For `lsn.test`: its p-values keep their level with any number of draws, and few keep tests quick."""
    from liestonet.validation import bartlett
    from liestonet.validation.tuning import RATIO

    monkeypatch.setattr(bartlett, "RATIO", replace(RATIO, fewest_drawn=4, most_drawn=4))


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
