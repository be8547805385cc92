"""Say in one sentence why this interpreter cannot be used. Runs under any Python 3, so its syntax is old."""

import importlib.util
import sys

SUPPORTED = ((3, 11), (3, 12), (3, 13))

found = "%d.%d.%d" % sys.version_info[:3]  # noqa: UP031
if sys.version_info[:2] not in SUPPORTED:
    sys.exit(
        "LieStoNet needs Python 3.11, 3.12 or 3.13, and this is %s (%s). "  # noqa: UP031
        "Name another one, for example: make demo PYTHON=python3.12" % (found, sys.executable)
    )
if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
    sys.exit(
        "Python %s has no venv module with pip, in which to install. "  # noqa: UP031
        "On Debian and Ubuntu: apt install python3-venv" % found
    )
