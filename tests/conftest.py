"""What every test shares: Hypothesis profiles and the door to the real recordings.

Types and shapes of `liestonet` are checked in tests by jaxtyping and beartype: pyproject.toml,
`--jaxtyping-packages`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")

# No deadline: the first example pays for imports. In CI always the same examples: red means code changed.
settings.register_profile("dev", deadline=None, max_examples=25)
settings.register_profile("ci", parent=settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--screenshots FOLDER` keeps what the browser shows of the report (tests/report/test_browser.py)."""
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
