"""The results of `solve` and `discover`: values, and methods to report, save and test them."""

from liestonet.result.result import Result

__all__ = ["Result"]
