"""What a page says of the code that its runs are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from liestonet.study.code_note import code_note, earlier_code
from liestonet.study.jobs import Job, code_digest, run_job


def record(code: str | None, day: str | None = None) -> Any:
    versions = {"liestonet": "0.2.0"} | ({} if code is None else {"code": code})
    return {"value": {"a": 1}, "cpu_seconds": 1.0, "versions": versions} | ({} if day is None else {"made": day})


def test_runs_are_counted_by_the_state_of_the_code():
    records = [record("aa", "2026-01-02"), record("aa", "2026-01-05"), record("bb", "2026-01-03"), record(None)]
    said = " ".join(code_note(records, "they had no boxes").split())
    assert said == (
        "**Code.** 2 runs are of LieStoNet 0.2.0, code aa. 1 run is of LieStoNet 0.2.0, code bb. Made from 2026-01-02 "
        "to 2026-01-05. 1 run is of earlier code: they had no boxes."
    )
    assert "no digest" in code_note([{"value": {}, "cpu_seconds": 0.1}], "")
    assert "no runs" in code_note([], "they had no boxes")


def test_what_earlier_code_lacked_is_said_by_study(tmp_path: Path):
    (tmp_path / "earlier_code.json").write_text(json.dumps({"one": "they had no boxes"}))
    jobs = [Job("one", "a", "m:f"), Job("one", "b", "m:f"), Job("two", "a", "m:f")]
    assert earlier_code(tmp_path / "results", jobs) == "they had no boxes"
    assert earlier_code(tmp_path / "results", jobs[2:]) == ""
    assert earlier_code(tmp_path / "elsewhere" / "results", jobs) == ""


def test_a_run_keeps_its_code_and_day():
    outcome = run_job("liestonet.study.jobs:versions", {})
    assert outcome.get("versions", {})["code"] == code_digest()
    assert len(outcome.get("made", "")) == len("2026-01-02")
