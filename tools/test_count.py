"""Print 'N passed, N failed, N skipped' from pytest's JUnit file; exit 1 if one failed or none passed."""

import sys
from xml.etree import ElementTree


def count(path: str) -> dict[str, int]:
    """The outcomes in a JUnit file; an error in a fixture or at collection is a failure."""
    suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    names = ("tests", "failures", "errors", "skipped")
    tests, failures, errors, skipped = (sum(int(suite.get(name, 0)) for suite in suites) for name in names)
    failed = failures + errors
    return {"passed": tests - failed - skipped, "failed": failed, "skipped": skipped}


def main() -> None:
    outcome = count(sys.argv[1])
    sys.stdout.write(", ".join(f"{number} {name}" for name, number in outcome.items()) + "\n")
    sys.exit(1 if outcome["failed"] or not outcome["passed"] else 0)


if __name__ == "__main__":
    main()
