"""The committed page is what the committed results say, byte for byte, and unknown items are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from liestonet.errors import InputError
from liestonet.reproduction.items import ALL
from liestonet.reproduction.store import Store
from liestonet.reproduction.study import Options, chosen, publish

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
