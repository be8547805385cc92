"""`liestonet reproduce` as people meet it: what is said, what is kept, and exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from liestonet import cli
from liestonet.reproduction import items
from liestonet.reproduction.publication import Item, ItemJob, Options, Publication
from liestonet.study import jobs, running

SMALL = {"case": "ex1", "seed": 1, "share": 1 / 512}


def real_runs(options: Options) -> list[ItemJob]:
    """Real runs, as small as they can be."""
    return [ItemJob("small", f"seed-{seed}", "size:run", SMALL | {"seed": seed}) for seed in range(options.count(2))]


def runs(options: Options) -> list[ItemJob]:
    """Runs that find some number; the last is a real one that cannot be done."""
    found = [
        ItemJob("small", f"seed-{seed}", "study_acts:angles", {"case": "ex1", "seed": seed, "seconds": 0.0}, package="")
        for seed in range(options.count(2))
    ]
    return [*found, ItemJob("small", "wrong", "size:run", SMALL | {"case": "none"})] if options.full else found


def publish(records: list[dict[str, Any]]) -> Publication:
    return Publication(f"{len(records)} angles, the largest {max(record['angle'] for record in records):.0f}°.")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and a study of one small item."""
    monkeypatch.setattr(items, "ALL", (Item("small", "A small item", runs, publish),))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reproduce(*words: str) -> Any:
    return CliRunner().invoke(cli.app, ["reproduce", *words])


def page(folder: Path) -> str:
    return (folder / "reproduction" / "reproduction.md").read_text()


def kept(folder: Path) -> list[str]:
    results = (folder / "reproduction" / "results").rglob("*.json")
    return sorted(json.loads(path.read_text())["job"]["name"] for path in results)


def test_a_study_is_done_once_and_published(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "ALL", (Item("small", "A small item", real_runs, publish),))
    first = reproduce("small")
    assert first.exit_code == 0, first.stderr
    assert first.stdout.splitlines() == [
        "0 of 2 runs are finished; 2 to do.",
        "Wrote reproduction/reproduction.md.",
    ]
    assert re.sub(r"about \d+ s", "about N s", first.stderr).splitlines() == [
        "1 of 2 done (small seed-0), about N s left",
        "2 of 2 done (small seed-1), about N s left",
    ]
    assert "2 of 2 runs are finished" in page(folder)
    assert "2 angles, the largest" in page(folder)
    again = reproduce("small")
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.startswith("2 of 2 runs are finished; 0 to do.\n")


def test_only_the_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reproduce("small", "--seeds", "1").exit_code == 0
    before = page(folder)
    (folder / "reproduction" / "reproduction.md").unlink()

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(running, "run_job", never)
    outcome = reproduce("small", "--seeds", "1", "--only-page")
    assert (outcome.exit_code, outcome.stdout) == (0, "Wrote reproduction/reproduction.md.\n")
    assert page(folder) == before


def test_a_run_that_fails_leaves_the_others(folder: Path) -> None:
    outcome = reproduce("small", "--seeds", "1", "--full")
    assert outcome.exit_code == 2
    *_, failed, sentence = outcome.stderr.splitlines()
    assert failed.startswith("2 of 2 done (small wrong), failed: KeyError")
    assert sentence.startswith("liestonet: 1 of the runs failed; the others are kept. The first: wrong: ")
    assert kept(folder) == ["seed-0"]
    assert "1 of 2 runs are finished" in page(folder)


def test_an_interruption_says_where_the_results_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(function: str, settings: dict[str, Any]) -> jobs.JobOutcome:
        if settings["seed"]:
            raise KeyboardInterrupt
        return jobs.run_job(function, settings)

    monkeypatch.setattr(running, "run_job", interrupted)
    outcome = reproduce("small")
    assert outcome.exit_code == 130
    assert "Stopped. Finished runs are kept in reproduction/results; the same command continues" in outcome.stderr
    assert kept(folder) == ["seed-0"]
    assert not (folder / "reproduction" / "reproduction.md").exists()


def test_a_folder_that_cannot_be_written_to_is_named_as_it_was_given(folder: Path) -> None:
    (folder / "file").write_text("")
    outcome = reproduce("small", "--out", "file")
    assert outcome.exit_code == 2
    assert outcome.stderr == "liestonet: Results could not be written to file (not a directory); name another place.\n"
