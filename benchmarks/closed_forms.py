"""How long the search for closed forms takes, for every system of the catalogue and where there is nothing to find.

    python benchmarks/closed_forms.py           solves the catalogue (long), writes benchmarks/closed_forms.md
    python benchmarks/closed_forms.py --kept    takes the catalogue's seconds from the last `make catalogue`

Seconds are those of the search alone, in one process without parallel threads, in processor time: the clock also counts
other work of the machine.
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path

from liestonet.study.command import run_study

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import catalogue_page  # noqa: E402  # pyright: ignore[reportMissingImports]

PAGE = ROOT / "benchmarks" / "closed_forms.md"
LONGEST, MEDIAN = 30.0, 2.0
# Equations whose generators have no elementary form, or none that the search knows.
NOTHING = {
    "growth factor without an integral": ("dx = x/(1 + t^4) dt + dW", "ito"),
    "the same, density": ("dx = x/(1 + t^4) dt + dW", "fokker-planck"),
    "time change without a name": ("dx = sqrt(1 + t^3 + sin(t)^2) dW", "ito"),
    "noise without an integral": ("dx = sqrt(1 + x^4) ∘ dW", "ito"),
    "the same, density ": ("dx = sqrt(1 + x^4) ∘ dW", "fokker-planck"),
    "two of them": ("dx = sqrt(1 + x^4) ∘ dW1; dy = sqrt(2 + sin(y)) ∘ dW2", "law"),
}


def timed(equation: str, kind: str) -> tuple[float, list[str]]:
    """Seconds of the search alone, and its result."""
    from liestonet.pipeline.solve import solve
    from liestonet.sde import SDE

    stages: list[tuple[str, float, float]] = []
    result = solve(SDE.parse(equation), kind, progress=catalogue_page.stopwatch(stages))
    return catalogue_page.search_seconds(stages)[1], [row.status for row in result.formulas()]


def hopeless() -> list[tuple[str, str, float, list[str]]]:
    """The systems without closed forms, each in a process of its own."""
    rows = []
    for name, (equation, kind) in NOTHING.items():
        command = [sys.executable, __file__, "--one", equation, kind]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        seconds, statuses = json.loads(output)
        rows.append((name.strip(), equation, seconds, statuses))
        sys.stdout.write(f"{name:36} {seconds:6.1f} s  {', '.join(statuses)}\n")
    return rows


def page(rows: list[dict], nothing: list[tuple[str, str, float, list[str]]]) -> str:
    seconds = [row["formula_processor_seconds"] for row in rows]
    slowest = sorted(rows, key=lambda row: -row["formula_processor_seconds"])[:12]
    lines = [
        "# Closed forms: seconds",
        "",
        f"Written by `python benchmarks/closed_forms.py` on {platform.machine()}, Python {platform.python_version()}.",
        f"{len(rows)} algebras of the catalogue: median {statistics.median(seconds):.2f} s (aim: below {MEDIAN:g} s), "
        f"longest {max(seconds):.1f} s (aim: below {LONGEST:g} s), "
        f"{sum(value > LONGEST for value in seconds)} above that.",
        "",
        "Seconds are the processor's; by the clock they are more where the machine has other work.",
        "The search is bounded by numbers of candidates, not by time (docs/architecture.md), so seconds vary with",
        "the machine while the formulas do not.",
        "",
        "| slowest | kind | generators | seconds | by the clock |",
        "|---|---|---|---|---|",
        *(
            f"| `{row['key']}` | {row['kind']} | {row['dimension']} | {row['formula_processor_seconds']:.1f} | "
            f"{row['formula_seconds']:.1f} |"
            for row in slowest
        ),
        "",
        "Where there is little or nothing to find:",
        "",
        "| equation | status of the generators | seconds |",
        "|---|---|---|",
        *(f"| `{equation}` ({name}) | {', '.join(found)} | {s:.1f} |" for name, equation, s, found in nothing),
        "",
    ]
    return "\n".join(lines)


def main(words: list[str]) -> None:
    if words[:1] == ["--one"]:
        sys.stdout.write(json.dumps(timed(*words[1:3])))
        return
    if "--kept" not in words:
        run_study(catalogue_page.STUDY, words=["--anew"])
    PAGE.write_text(page(catalogue_page.kept_rows(), hopeless()), encoding="utf-8")
    sys.stdout.write(f"Wrote {PAGE.relative_to(ROOT)}.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
