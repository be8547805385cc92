"""The command line of a study: runs what is missing, makes the page of what is there, and says what went wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from liestonet.study.command import Study, run_study
from liestonet.study.jobs import Job

RAN: list[tuple[int, int]] = []


def square(base: int, seed: int) -> dict[str, Any]:
    """A job of the study below; the base 13 stands for one that cannot be done."""
    RAN.append((base, seed))
    if base == 13:
        raise ValueError("unlucky")
    return {"square": (base + seed) ** 2}


def jobs(seeds: int | None, bases: tuple[int, ...] = (1, 20)) -> list[Job]:
    return [
        Job("squares", f"{base}-{seed}", f"{__name__}:square", {"base": base, "seed": seed})
        for base in bases
        for seed in range(seeds or 3)
    ]


def page(records: list[dict[str, Any]]) -> str:
    return " ".join(str(record["square"]) for record in records) + "\n"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    RAN.clear()
    return Study(jobs, page, tmp_path / "results", tmp_path / "squares.md")


def written(study: Study) -> str:
    """The page without what it says of the code at its end."""
    assert study.target is not None
    text, _, note = study.target.read_text().rpartition("\n**Code.** ")
    assert note.endswith(".\n")
    return text


def test_it_goes_on_where_it_was(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    run_study(study, words=["--seeds", "2"])
    assert written(study) == "1 4 400 441\n"
    run_study(study, words=[])
    assert written(study) == "1 4 9 400 441 484\n"
    assert RAN == [(1, 0), (1, 1), (20, 0), (20, 1), (1, 2), (20, 2)]
    shown = capsys.readouterr()
    assert shown.out.splitlines()[2:] == ["4 of 6 runs are finished; 2 to do.", f"Wrote {study.target}."]
    assert shown.err.splitlines()[-1].startswith("2 of 2 done (squares 20-2)")


def test_some_runs_only(study: Study) -> None:
    run_study(study, words=["--only", "20"])
    assert written(study) == "400 441 484\n"
    with pytest.raises(SystemExit, match="2"):
        run_study(study, words=["--only", "3", "4"])


def test_anew(study: Study) -> None:
    run_study(study, words=["--seeds", "1"])
    RAN.clear()
    run_study(study, words=["--seeds", "1", "--anew", "--only", "1-"])
    assert RAN == [(1, 0)]
    assert written(study) == "1 400\n"


def test_only_the_page(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    run_study(study, words=["--seeds", "1"])
    RAN.clear()
    run_study(replace(study, target=None), words=["--only-page"])
    assert not RAN
    assert capsys.readouterr().out.endswith("1 400\n")


def test_a_run_that_fails_leaves_the_others(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run_study(replace(study, jobs=lambda seeds: jobs(seeds, (13, 1))), words=["--seeds", "1"])
    assert written(study) == "1\n"
    assert "1 of the runs failed; the others are kept. The first: 13-0: ValueError: unlucky" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--seeds", "0"], ["--jobs", "none"], ["--page"]])
def test_wrong_words(study: Study, words: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run_study(study, words=words)
    assert not RAN
