"""What tests of the reproduction share."""

from __future__ import annotations

import pytest

from liestonet.study.running import run_all
from liestonet.study.store import Store
from study_cases import SMALL, contents


@pytest.fixture(scope="session")
def serial(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """The results of the small jobs done one by one."""
    store = Store(tmp_path_factory.mktemp("serial"))
    assert run_all(SMALL, store) == []
    return contents(store, SMALL)
