"""What `solve` and `discover` return: values, and methods that report, save and test them."""

from liestonet.result.result import Result

__all__ = ["Result"]
