"""The pages in docs/ that experiments measured are what their kept results say."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

import pytest

from liestonet.study.command import Study

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = sorted((ROOT / "experiments").glob("*.py"))  # none in the source distribution
sys.path.append(str(ROOT / "experiments"))  # as for a script that is run: some take their data from another one


@cache
def study_of(script: Path) -> Study:
    spec = importlib.util.spec_from_file_location(f"experiment_{script.stem}", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module.STUDY


@pytest.mark.parametrize("script", EXPERIMENTS, ids=lambda script: script.stem)
def test_the_page_is_made_of_kept_results(script: Path) -> None:
    study = study_of(script)
    jobs = study.jobs(None)
    assert len({study.store.path(job) for job in jobs}) == len(jobs)
    assert {job.function.partition(":")[0] for job in jobs} == {script.stem}
    text = study.text()
    page = study.target or ROOT / "docs" / f"{script.stem}.md"
    assert page.parent == ROOT / "docs"
    if study.target is not None:
        assert text == page.read_text(encoding="utf-8")
    elif page.is_file():
        assert text in page.read_text(encoding="utf-8")


def test_every_study_has_a_page_of_its_own() -> None:
    pages = [study_of(script).target for script in EXPERIMENTS]
    written = [page for page in pages if page is not None]
    assert len(set(written)) == len(written)


def test_every_kept_result_belongs_to_a_run() -> None:
    studies = [study_of(script) for script in EXPERIMENTS]
    runs = {study.store.path(job) for study in studies for job in study.jobs(None)}
    assert set((ROOT / "experiments" / "results").rglob("*.json")) <= runs
