"""How long `classify` takes, and how large its conditions are, as parameters and coordinates are added.

    python benchmarks/classify.py

Prints a table and writes benchmarks/classify.md. Seconds are processor time, one run each; nothing is random.
"""

from __future__ import annotations

import platform
import time
from pathlib import Path

import sympy

import liestonet as lsn

ROOT = Path(__file__).resolve().parent.parent
PULLED = "dx{0} = -k{0}*x{0} dt + dW{0}"
# Equation and kind, from few parameters to many, then from one coordinate to many.
CASES = [
    ("dx = a/x dt + dW", "ito"),
    ("dx = (a/x + b*x) dt + dW", "ito"),
    ("dx = (a/x + b*x + c) dt + dW", "ito"),
    ("dx = (a/x + b*x + c) dt + s dW", "ito"),
    ("dx = a/x dt + dW", "fokker-planck"),
    ("dx = (a/x + b*x) dt + dW", "fokker-planck"),
    ("dx = (a/x + b*x + c) dt + dW", "fokker-planck"),
    ("dx = (a/x + b*x + c) dt + s dW", "fokker-planck"),
    ("dx = mu*x dt + s*x^g dW", "fokker-planck"),
    ("dx = kappa*(theta - x) dt + sigma*sqrt(x) dW", "fokker-planck"),
    ("dx = v dt; dv = (-gamma*v - omega^2*x) dt + s dW", "ito"),
    ("dS = mu*S dt + sqrt(v)*S dW1; dv = kappa*(theta - v) dt + sigma*sqrt(v) dW2", "ito"),
    *[("; ".join(PULLED.format(i + 1) for i in range(n)), kind) for kind in ("ito", "law") for n in (1, 2, 3, 4)],
]


def row(equation: str, kind: str) -> str:
    """One line of the table: the conditions counted, then each one proved."""
    parameters = len(lsn.SDE.parse(equation).parameters)
    begun = time.process_time()
    counted = lsn.classify(equation, kind, prove=False)
    middle = time.process_time()
    proved = lsn.classify(equation, kind)
    end = time.process_time()
    conditions = [polynomial for found in counted for polynomial in found.equations]
    terms = max((len(sympy.Add.make_args(sympy.expand(polynomial))) for polynomial in conditions), default=0)
    statuses = [found.status for found in proved]
    listed = "; ".join(f"{found.condition}: {found.dimension}" for found in proved) or "none"
    whole = "yes" if proved.kinds[0].complete else "no"
    cells = (parameters, proved.generic.get(kind), listed, f"{statuses.count('proved')} of {len(statuses)}", whole)
    times = f"{middle - begun:.1f} | {end - middle:.1f}"
    return f"| `{equation}` | {kind} | " + " | ".join(map(str, cells)) + f" | {terms} | {times} |"


def main() -> None:
    lines = [
        "| equation | kind | parameters | generic dimension | more symmetric where: dimension | proved | all covered "
        "| terms | seconds, counted | seconds, proved |",
        "|" + "---|" * 10,
    ]
    for equation, kind in CASES:
        lines.append(row(equation, kind))
        print(lines[-1], flush=True)
    table = "\n".join(lines)
    (ROOT / "benchmarks" / "classify.md").write_text(
        f"# Classification\n\nMade by `python benchmarks/classify.py` on {platform.machine()}: processor time, one run "
        "each. Terms are those of the longest condition.\n\n" + table + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
