"""How many threads linear algebra takes: one for few coordinates, and as many as before afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import liestonet as lsn
from liestonet.core.threads import few_threads
from liestonet.core.tuning import SHARED
from liestonet.render.html import page


def most_threads() -> int:
    return max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")


@dataclass
class Named:
    names: tuple[str, ...]


@few_threads
def asked(named: Named) -> int:
    return most_threads()


@pytest.mark.parametrize("count", [1, SHARED.few_coordinates, SHARED.few_coordinates + 1])
def test_few_coordinates_have_one_thread(count: int) -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        several = most_threads()  # 1 where the library was built for one
        assert asked(Named(tuple("x" * count))) == (1 if count <= SHARED.few_coordinates else several)
        assert most_threads() == several


def test_a_page_takes_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(page, "page_data", lambda *given: seen.append(most_threads()))
    result = lsn.solve(lsn.SDE.parse("dx = dW"))
    with threadpool_limits(limits=2, user_api="blas"):
        page.render_page(result)
    assert seen == [1]


def test_an_equation_takes_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    from liestonet.reduction.recording import equation_fit

    seen: list[int] = []
    real = equation_fit.surrogate_of

    def noted(result: lsn.Result) -> object:
        seen.append(most_threads())
        return real(result)

    monkeypatch.setattr(equation_fit, "surrogate_of", noted)
    data = lsn.Trajectories.from_arrays(np.arange(3.0), np.random.default_rng(0).standard_normal((400, 3, 1)))
    result = lsn.discover(data, formulas=False)
    with threadpool_limits(limits=2, user_api="blas"):
        result.equation()
    assert seen == [1]
