"""The bar of a notebook: shown only if the process is a kernel and no progress callback was given."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import liestonet as lsn
from liestonet.core.notebook_bar import in_notebook


class ZMQInteractiveShell:
    """The name by which a kernel is known."""


@pytest.fixture
def kernel(monkeypatch):
    """A kernel's IPython, and everything that it displays."""
    shown: list[str] = []
    ipython: Any = ModuleType("IPython")
    display: Any = ModuleType("IPython.display")
    ipython.get_ipython = ZMQInteractiveShell
    display.HTML = str
    display.display = lambda content, display_id: SimpleNamespace(update=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_a_notebook_has_a_bar_that_grows_and_goes_away(kernel):
    lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False)
    values = [float(text.split('value="')[1].split('"')[0]) for text in kernel[:-1]]
    assert values == sorted(values)
    assert values[-1] > 0.3
    assert kernel[-1] == ""


def test_a_progress_of_ones_own_is_kept(kernel):
    told: list[str] = []
    lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False, progress=told.append)
    assert told
    assert kernel == []


def test_an_error_leaves_no_bar(kernel):
    with pytest.raises(lsn.InputError):
        lsn.discover(3)
    assert kernel[-1:] in ([], [""])


def test_elsewhere_there_is_none():
    assert not in_notebook()
