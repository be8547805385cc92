"""What `solve` and `discover` return: values, and the doors to what can be done with them."""

from liestonet.result.result import Result

__all__ = ["Result"]
