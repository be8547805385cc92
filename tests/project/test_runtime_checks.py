"""The tests' own net: types and shapes in signatures are checked while tests run, and only then."""

from __future__ import annotations

import subprocess
import sys
from typing import cast

import jaxtyping
import numpy as np
import pytest

import plugin_types
from liestonet.core.domain import Domain

SHAPED = """
from __future__ import annotations

import numpy as np
from jaxtyping import Float


def total(a: Float[np.ndarray, " n"], b: Float[np.ndarray, " n"]) -> Float[np.ndarray, ""]:
    return np.asarray((a + b).sum())
"""


def test_types_of_the_package_are_checked():
    with pytest.raises(jaxtyping.TypeCheckError, match="dimension"):
        Domain.from_pairs([(0.0, 1.0)], dimension="one")  # pyright: ignore[reportArgumentType]


def test_first_calls_are_checked_in_every_test(request):
    if request.config.getoption("--all-types"):
        pytest.skip("every call is checked here")
    pairs, wrong = [(0.0, 1.0), (0.0, 1.0)], cast(int, 1.0)
    for _ in range(plugin_types.CALLS):
        Domain.from_pairs(pairs, dimension=1)
    assert Domain.from_pairs(pairs, dimension=wrong).dimension == 1  # not checked any more
    plugin_types.pytest_runtest_setup()
    with pytest.raises(jaxtyping.TypeCheckError):
        Domain.from_pairs(pairs, dimension=wrong)


def test_shapes_are_checked_with_postponed_annotations(tmp_path, monkeypatch):
    (tmp_path / "shaped_module.py").write_text(SHAPED)
    monkeypatch.syspath_prepend(tmp_path)
    with jaxtyping.install_import_hook("shaped_module", "beartype.beartype"):
        import shaped_module  # pyright: ignore[reportMissingImports]
    assert shaped_module.total(np.ones(3), np.ones(3)) == 6
    with pytest.raises(jaxtyping.TypeCheckError):
        shaped_module.total(np.ones(3), np.ones(1))


def test_users_pay_nothing():
    code = "import sys, liestonet.core.domain; sys.exit(bool({'beartype', 'jax'} & {*sys.modules}))"
    subprocess.run([sys.executable, "-c", code], check=True)
