"""A paragraph for the end of a study's page: with which version of the code its runs were made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from liestonet.study.jobs import Job, JobOutcome

EARLIER, WIDTH = "earlier_code.json", 120


def earlier_code(results: Path, jobs: Sequence[Job]) -> str:
    """What the code of runs without a digest did not yet do, from the file beside the results; empty if unknown."""
    file = results.with_name(EARLIER)
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return "; ".join(dict.fromkeys(known[job.item] for job in jobs if job.item in known))


def code_note(records: Sequence[JobOutcome], earlier: str) -> str:
    """The paragraph: how many runs each version of the code made; without a digest, what that code did not yet do."""
    states = Counter(
        (found["liestonet"], found["code"]) for record in records if "code" in (found := record.get("versions", {}))
    )
    days = sorted({day for record in records if (day := record.get("made")) is not None})
    sentences = [f"{_runs(count)} of LieStoNet {version}, code {code}." for (version, code), count in states.items()]
    if days:
        sentences.append(f"Made on {days[0]}." if len(days) == 1 else f"Made from {days[0]} to {days[-1]}.")
    unknown = len(records) - sum(states.values())
    if unknown and earlier:
        sentences.append(f"{_runs(unknown)} of earlier code: {earlier}.")
    elif unknown:
        sentences.append(f"{_runs(unknown)} of LieStoNet 0.1.0; they kept no digest of its code.")
    return fill(" ".join(["**Code.**", *(sentences or ["There are no runs yet."])]), WIDTH)


def _runs(count: int) -> str:
    return "1 run is" if count == 1 else f"{count:,} runs are"
