"""tools/same_answers.py: folders of answers are the same only where every job has one in both, without an error."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
same_answers: Any = import_module("same_answers")
ANSWERS = {"solve-a": {"dimension": 2, "residuals": [1e-16, 0.5]}, "solve-b": ["nan", None], "test-a": {"p": 0.25}}


@pytest.fixture(autouse=True)
def three_jobs(monkeypatch):
    monkeypatch.setattr(same_answers, "jobs", lambda: dict.fromkeys(ANSWERS))


def folder(path: Path, answers: dict[str, Any]) -> Path:
    path.mkdir()
    for name, answer in answers.items():
        (path / f"{name}.json").write_text(json.dumps(answer), encoding="utf-8")
    return path


def compared(tmp_path, capsys, before: dict[str, Any], after: dict[str, Any], *wanted: str) -> tuple[int, str]:
    code = same_answers.compare(folder(tmp_path / "before", before), folder(tmp_path / "after", after), list(wanted))
    return code, capsys.readouterr().out


def test_the_same_answers(tmp_path, capsys):
    code, printed = compared(tmp_path, capsys, ANSWERS, ANSWERS)
    assert code == 0
    assert printed == "3 jobs: 3 same, 0 differ, 0 ended in an error, 0 without an answer\n"


def test_another_answer(tmp_path, capsys):
    changed = {**ANSWERS, "solve-a": {"dimension": 2, "residuals": [1e-16, 0.5000000000000001]}}
    code, printed = compared(tmp_path, capsys, ANSWERS, changed)
    assert code == 1
    assert "solve-a: 1 differences\n    .residuals[1]: 0.5 → 0.5000000000000001" in printed
    assert "2 same, 1 differ" in printed


def test_nothing_to_compare(tmp_path, capsys):
    before = folder(tmp_path / "before", ANSWERS)
    for nothing in (tmp_path / "none", folder(tmp_path / "empty", {})):
        for pair in ((nothing, nothing), (before, nothing), (nothing, before)):
            assert same_answers.compare(*pair, []) == 1
            assert f"{nothing} has no answers" in capsys.readouterr().out
    assert same_answers.compare(before, before, ["solv-"]) == 1
    assert "No job has a name that begins with solv-." in capsys.readouterr().out


def test_errors_are_no_answers_even_if_they_are_the_same(tmp_path, capsys):
    failed = {name: {"error": "ImportError: no such module"} for name in ANSWERS}
    code, printed = compared(tmp_path, capsys, failed, failed)
    assert code == 1
    assert "solve-a: ImportError: no such module" in printed
    assert "3 jobs: 0 same, 0 differ, 3 ended in an error" in printed


def test_missing_jobs(tmp_path, capsys):
    some = {name: answer for name, answer in ANSWERS.items() if name != "test-a"}
    code, printed = compared(tmp_path, capsys, some, ANSWERS)
    assert code == 1
    assert f"test-a: no answer in {tmp_path / 'before'}\n" in printed
    assert "2 same, 0 differ, 0 ended in an error, 1 without an answer" in printed


def test_a_job_that_is_no_longer_there(tmp_path, capsys):
    code, printed = compared(tmp_path, capsys, {**ANSWERS, "solve-old": 1}, ANSWERS)
    assert code == 1
    assert f"solve-old: no answer in {tmp_path / 'after'}\n" in printed


def test_jobs_that_were_not_asked_for_may_be_missing(tmp_path, capsys):
    some = {name: answer for name, answer in ANSWERS.items() if name != "test-a"}
    code, printed = compared(tmp_path, capsys, some, some, "solve-")
    assert code == 0
    assert printed.startswith("2 jobs: 2 same")


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ({"a": [1, {"b": 0.5}]}, {"a": [1, {"b": 0.5}]}, []),
        ({"a": [1, {"b": 0.5}]}, {"a": [1, {"b": 0.25}]}, [".a[1].b: 0.5 → 0.25"]),
        ({"message": "old", "a": 1}, {"message": "new", "seconds": 3, "a": 1}, []),
        ({"a": 1}, {"b": 1}, [".a: only before", ".b: only after"]),
        ([1, 2], [1], [": [1, 2] → [1]"]),
        ({"a": 1}, {"a": 1.0}, [".a: 1 → 1.0"]),
        ({"a": 1}, {"a": True}, [".a: 1 → True"]),
        ({"a": None}, {"a": {}}, [".a: None → {}"]),
        ({"a": -0.0}, {"a": 0.0}, [".a: -0.0 → 0.0"]),
    ],
)
def test_differences(old, new, rows):
    assert list(same_answers.differences(old, new, "")) == rows


def test_what_json_lacks_is_written_as_text():
    assert same_answers.plain({1: (float("nan"), 0.5, True)}) == {"1": ["nan", 0.5, True]}
