"""The findings of a result, with the type that a test needs."""

from __future__ import annotations

from liestonet.result import Result
from liestonet.result.findings import DataFindings, EquationFindings


def of_data(result: Result) -> DataFindings:
    """The findings of a result from data."""
    assert isinstance(result.findings, DataFindings)
    return result.findings


def of_equation(result: Result) -> EquationFindings:
    """The findings of a result from an equation."""
    assert isinstance(result.findings, EquationFindings)
    return result.findings
