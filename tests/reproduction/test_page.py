"""The committed page is what the committed results say, byte for byte, and unknown items are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from liestonet.errors import InputError
from liestonet.reproduction.items import ALL
from liestonet.reproduction.items.confusion import matrix, outcome
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.store import Store
from liestonet.reproduction.study import Item, Options, Publication, chosen, publish

ROOT = Path(__file__).resolve().parent.parent.parent
COMMITTED = ROOT / "experiments" / "reproduction"


def test_the_page_is_made_of_the_committed_results(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    folder = tmp_path / "experiments" / "reproduction"
    publish(ALL, Store(COMMITTED / "results"), Options(), folder, page)
    assert page.read_bytes() == (ROOT / "docs" / "reproduction.md").read_bytes()
    for path in sorted(folder.glob("*.csv")):
        assert path.read_bytes() == (COMMITTED / path.name).read_bytes()


def test_every_item_has_jobs_with_files_of_their_own() -> None:
    jobs = [job for item in ALL for quick in (False, True) for job in item.jobs(Options(quick=quick))]
    places = {(job.item, job.file_name): job.settings for job in jobs}
    assert all(places[job.item, job.file_name] == job.settings for job in jobs)


def test_an_unknown_item_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="Did you mean angles"):
        chosen(ALL, ["angle"])
    assert chosen(ALL, ["all"]) == list(ALL)


def test_what_is_missing_is_listed_with_the_command_that_runs_it(tmp_path: Path) -> None:
    item = Item(
        "squares",
        "Squares",
        lambda options: [Job("squares", f"{n}", "squares:run", {"n": n}, cost=60) for n in range(5)],
        lambda records: Publication(f"{sum(record['n'] for record in records)}"),
    )
    store = Store(tmp_path / "results")
    for job in item.jobs(Options())[:2]:
        store.write(job, {"value": {}, "cpu_seconds": 50.0, "wall_seconds": 50.0, "versions": {}})
    publish([item], store, Options(), tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "2 of 5 runs are there, 100 CPU seconds in all" in text
    assert "| Squares | 3 | 3 CPU minutes | `liestonet reproduce squares` | – |" in text


def test_prices_are_not_asked_for_without_a_file() -> None:
    (btc,) = chosen(ALL, ["btc"])
    assert btc.jobs(Options())
    assert not btc.ready(Options())
    assert btc.ready(Options(trades="BTCUSDT-aggTrades-2024-01-01.zip"))


def _record(true: int, verdicts: list[str], **more: object) -> dict[str, object]:
    return {"true": true, "found": verdicts.count("symmetry"), "verdicts": verdicts, **more}


def test_outcomes_of_the_confusion_matrix() -> None:
    symmetry, undecided, no = "symmetry", "undecided", "no"
    assert outcome(_record(2, [symmetry, symmetry, no])) == "right"
    assert outcome(_record(2, [symmetry, undecided, no])) == "undecided"
    assert outcome(_record(3, [symmetry, undecided, no])) == "missed"
    assert outcome(_record(1, [symmetry, symmetry], tolerable=2)) == "near"
    assert outcome(_record(1, [symmetry, symmetry], tolerable=1)) == "false"
    assert outcome({"true": 1, "refused": "too few"}) == "refused"
    table = matrix([_record(2, [symmetry, symmetry]), _record(2, [symmetry, no]), _record(2, [undecided] * 2)], "t")
    assert table.rows == ((2, "1", "**1**", 1),)
