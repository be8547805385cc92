"""Write constraints.txt, the exact versions that tests, demo and wheel are made with; run by `make lock`.

Resolves the package with all its extras and its build backend, installs nothing, and keeps names and versions only, so
that no index or path of the machine it ran on ends up in the file. With `--check` (`make lock-check`), it checks
instead that the file's versions suit the interpreter that runs this.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
EVERYTHING = [".[all,docs,dev]", "hatchling", "editables"]  # the last two build the wheel and the editable install
HEADER = """\
# Exact versions of everything: core, extras, development tools and build backend.
# Written by `make lock` with the lowest supported Python, so that the newer ones have every version too.
# Do not edit by hand; `make lock-check PYTHON=python3.13` checks the versions for another interpreter.
"""


def resolve(requirements: list[str]) -> dict[str, str]:
    """Ask pip what it would install into an empty environment."""
    options = ["--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    command = [sys.executable, "-m", "pip", "install", *options, *requirements]
    answer = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    packages = [entry["metadata"] for entry in json.loads(answer.stdout)["install"]]
    return {re.sub(r"[-_.]+", "-", package["name"]).lower(): package["version"] for package in packages}


def pinned() -> set[str]:
    """The names that constraints.txt holds."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line}


def check() -> None:
    loose = resolve(["--constraint", str(CONSTRAINTS), *EVERYTHING]).keys() - pinned() - {"liestonet"}
    if loose:
        sys.exit(f"Not in constraints.txt, but needed with this Python: {', '.join(sorted(loose))}")


def write() -> None:
    if sys.version_info[:2] != (3, 11):
        sys.exit("The lock is made with Python 3.11, the lowest supported: make lock PYTHON=python3.11")
    versions = resolve(EVERYTHING)
    del versions["liestonet"]
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    CONSTRAINTS.write_text(HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    check() if "--check" in sys.argv else write()
