"""The committed page is what the committed results say, byte for byte, and unknown items are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from liestonet.errors import InputError
from liestonet.reproduction.items import ALL, ablation, angles, closure, recipe, weights
from liestonet.reproduction.items.confusion import matrix, outcome
from liestonet.reproduction.publication import Item, Options, Publication, chosen, publish
from liestonet.reproduction.trades import DayFile
from liestonet.study.jobs import Job
from liestonet.study.store import Store

ROOT = Path(__file__).resolve().parent.parent.parent
COMMITTED = ROOT / "experiments" / "reproduction"


@pytest.mark.parametrize(
    "drawn", [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.slow)]
)
def test_the_page_is_made_of_the_committed_results(tmp_path: Path, drawn: bool, request: pytest.FixtureRequest) -> None:
    """Pictures depend on the fonts of a machine; without them the page is made in a third of the time."""
    if not drawn:
        request.getfixturevalue("undrawn")
    page = tmp_path / "docs" / "reproduction.md"
    folder = tmp_path / "experiments" / "reproduction"
    publish(ALL, Store(COMMITTED / "results"), Options(), folder, page)
    assert page.read_bytes() == (ROOT / "docs" / "reproduction.md").read_bytes()
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.md")]):
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
        lambda records: Publication(f"{sum(int(str(record['n'])) for record in records)}"),
    )
    store = Store(tmp_path / "results")
    for job in item.jobs(Options())[:2]:
        store.write(job, {"value": {"square": 1}, "cpu_seconds": 50.0, "wall_seconds": 50.0, "versions": {}})
    publish([item], store, Options(), tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "2 of 5 runs are finished, 100 CPU seconds in all" in text
    assert "| Squares | 3 | 3 CPU minutes | `liestonet reproduce squares` | – |" in text
    assert "The page has 2 runs of 0.0 CPU hours in all." in text


def test_a_page_says_with_which_options_it_was_made(tmp_path: Path) -> None:
    """Seeds and what `full` adds hold for the items named; what `full` runs is no longer left out there."""

    def item(name: str) -> Item:
        return Item(
            name,
            name.title(),
            lambda options: [Job(name, f"{n}", "x:run", {"engine": "spectral"}, n) for n in range(options.count(3))],
            lambda records: Publication("text"),
            cut="slow ones",
            uncut="--full",
        )

    items, store, page = [item("squares"), item("cubes")], Store(tmp_path / "results"), tmp_path / "page.md"
    for job in (job for item in items for job in item.jobs(Options())):
        store.write(job, {"value": {"found": 1}, "cpu_seconds": 60.0})

    publish(items, store, Options(seeds=5, full=True), tmp_path, page, ["cubes"])
    text = page.read_text()
    assert "`liestonet reproduce squares`: 3 of 3 runs are finished, 3 CPU minutes in all" in text
    assert "`liestonet reproduce cubes --seeds 5 --full`: 3 of 5 runs are finished" in text
    assert "(CPU seconds of a run, median: `Spectral()` 60)" in text
    assert "| Squares | 0 | – | – | slow ones | `liestonet reproduce squares --full` |" in text
    assert "| Cubes | 2 | 20 CPU seconds | `liestonet reproduce cubes --seeds 5 --full` | – | – |" in text
    assert "made with" not in text

    publish(items, store, Options(quick=True), tmp_path, page)
    assert "made with `--quick`. `--quick` takes a tenth of the data" in page.read_text()


def test_prices_are_not_asked_for_without_a_file() -> None:
    (btc,) = chosen(ALL, ["btc"])
    assert btc.jobs(Options())
    assert not btc.ready(Options())
    assert btc.ready(Options(trades=DayFile("BTCUSDT-aggTrades-2024-01-01.zip", "0" * 64)))


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


def test_curves_made_together_stand_beside_single_runs() -> None:
    """Three numbers of generators of one surrogate are three rows; the closure loss of m = 1 is an empty sum."""
    part = {"losses": {"L1": 0.5, "L6": 0.25}, "residuals": [0.1, 0.2], "subsets": [10.0, 30.0]}
    together = {"case": "ex1", "engine": "paper", "seed": 1, "curve": [{"count": m, **part} for m in (2, 3, 4)]}
    single = {"case": "ex1", "engine": "neural", "seed": 1, "count": 1, **part}
    rows = closure.publish([single, together]).tables["curves"].rows
    paper = [("`Neural.paper`", m, "0.50") for m in (2, 3, 4)]
    assert [row[1:4] for row in rows] == [("`Neural(polish=False)`", 1, "empty sum"), *paper]


@pytest.mark.usefixtures("undrawn")
def test_minima_of_closure_and_jumps_of_validity_are_counted() -> None:
    """Example 1 has three: one run has the least L1 there, one at two; the residual jumps in both; angles are equal."""

    def curve(seed: int, closing: tuple[float, ...]) -> dict[str, object]:
        parts = zip((2, 3, 4), closing, (0.01, 0.02, 0.5), strict=True)
        made = [{"count": m, "losses": {"L1": a, "L6": b}, "residuals": [b], "subsets": [1.0]} for m, a, b in parts]
        return {"case": "ex1", "engine": "paper", "seed": seed, "curve": made}

    text = closure.publish([curve(1, (2e-3, 1e-3, 3e-3)), curve(2, (1e-3, 2e-3, 3e-3))]).text
    assert "`Neural.paper`: Ex. 1 1, 2 and 0 of 2." in text
    assert "Ex. 1" not in closure.publish([]).text
    assert "converged" not in text
    text = closure.publish([curve(1, (1.0, 9.0, 1.0))]).text
    assert "have not converged: `Neural.paper` on Ex. 1 with m = 3 (seed 1)" in text


@pytest.mark.usefixtures("undrawn")
def test_a_residual_that_grows_more_elsewhere_is_no_jump_at_the_truth() -> None:
    """Factors 2, 3, 5 and 20 after m = 1, 2, 3 and 4: more after three than before, but most after four."""
    worst = dict(zip(range(1, 6), (1e-3, 2e-3, 6e-3, 3e-2, 0.6), strict=True))
    records = [
        {"case": "ex3", "engine": "neural", "seed": 1, "count": m, "residuals": [worst[m]], "subsets": [float(m)]}
        | {"losses": {"L1": 0.1 * m, "L6": 0.1}}
        for m in worst
    ]
    text = closure.publish(records).text
    assert "`Neural(polish=False)`: Ex. 3 0, 0 and 0 of 1." in text
    assert "grows most after another m in Ex. 3 (m = 4 in 1)" in text


def test_what_each_weight_does_is_told_apart() -> None:
    """An angle that depends on w6 alone, and a seed that adds its own number."""
    made = weights.publish(
        [
            {"engine": "neural", "sixth": a, "seventh": b, "angle": 3.0 - a + 0.1 * seed}
            for a in (1.0, 0.2)
            for b in (0.1, 0.9)
            for seed in (0, 1)
        ]
    )
    assert "w6 alone moves the mean by up to 0.80°, w7 alone by up to 0.00°" in made.text
    assert "the standard deviation is 0.07°" in made.text


def test_the_losses_that_matter_are_named() -> None:
    angle = {"full": 1.0, "L5": 2.5, "L6": 60.0}
    names = ("full", *ablation.LOSSES)
    rows = [{"case": "ex1", "engine": "neural", "without": n, "angle": angle.get(n, 1.1), "losses": {}} for n in names]
    assert "only without these: Ex. 1: L5, L6." in ablation.publish(rows).text


def test_runs_that_are_not_better_than_the_paper_are_counted() -> None:
    record = {"case": "ex3", "engine": "spectral", "cpu_seconds": 1.0}
    text = angles.publish([{**record, "angles": [0.1, 0.2, a]} for a in (0.5, 15.0, 1.0)]).text
    assert "a smaller mean angle than the paper in 1 of 1 cases; 1 of its 3 runs are not better (Ex. 3)." in text


def test_changed_settings_of_an_engine_are_another_job(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from liestonet.neural import presets

    before = angles.job("ex1", "paper", 1, 1.0).key
    made = presets.preset(1)
    fewer = replace(made, optimizer=replace(made.optimizer, steps=9))
    monkeypatch.setattr(presets, "preset", lambda example, reading: fewer)
    assert angles.job("ex1", "paper", 1, 1.0).key != before
    assert angles.job("ex1", "spectral", 1, 1.0).key == angles.job("ex1", "spectral", 1, 1.0).key


def test_changes_of_the_recipe_stand_beside_what_is_unchanged() -> None:
    """Three seeds without a change; one that is outside of their range is told, one that is inside is not."""
    unchanged = [{"case": "ex2", "engine": "paper", "angles": [1.0, a]} for a in (20.0, 22.0, 30.0)]
    changed = [
        {"case": "ex2", "change": name, "angles": [2.0, a]} for name, a in (("pointwise", 42.0), ("biases", 25.0))
    ]
    made = recipe.publish([*changed, *unchanged])
    rows = made.tables["angles"].rows
    assert [row[2:] for row in rows] == [("19.4°", "22.0°", "42.0°"), ("19.4°", "22.0°", "25.0°")]
    assert "22.0° to 42.0° with structure constants fitted at each point" in made.text
    assert "biases" not in made.text
    assert "without a range" not in made.text
    assert "Of one seed, and so without a range: Ex. 2: 20.0° to 42.0°" in recipe.publish([*changed, unchanged[0]]).text
    assert "angles" not in recipe.publish([]).tables


def test_open_settings_are_listed_with_their_reasons() -> None:
    made = recipe.publish([]).tables
    conflicting = {row[0]: row for row in made["conflicting"].rows}
    assert conflicting["`objective.closure`"][1] == "'global' (1, 2, 3, 4, fokker-planck, brownian-10d)"
    assert "gradient" in str(conflicting["`objective.closure`"][2])
    assert {"`architecture.initial`", "`objective.ridge`", "`cloud.starts`", "`cloud.bins`", "`surrogate.start`"} <= {
        row[0] for row in made["unstated"].rows
    }


def test_the_recipe_is_called_reproduced_within_a_factor() -> None:
    def runs(case: str, *largest: float) -> list[dict[str, object]]:
        missed = {"drift": [0.1, 0.2], "variance": [0.03, 0.01]}
        record: dict[str, object] = {"case": case, "engine": "paper", "cpu_seconds": 1.0, "surrogate": missed}
        return [record | {"angles": [0.1, a]} for a in largest]

    made = angles.publish([*runs("ex1", 1.0, 8.0, 40.0), *runs("ex3", 80.0)])
    assert made.tables["recipe"].rows[0] == ("Ex. 1", "6.3°", "8.0°", "1.0° to 40.0°", 3, "1.28", "0.2", "0.03")
    assert (
        "is at most 1.3 times the paper's in Ex. 1; larger in Ex. 3 (10.5 times); not measured yet in Ex. 2, "
        in made.text
    )
    assert "Fewer than 5 seeds" in made.text


def test_the_texts_reading_depends_on_the_other_examples_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from liestonet.neural import presets

    def keys() -> dict[str, str]:
        return {job.name: job.key for job in recipe.jobs(Options()) if job.item == "recipe" and "ex3" in job.name}

    before, made = keys(), presets.preset(2)
    changed = replace(made, cloud=replace(made.cloud, uniform=0.1))
    whole = presets.preset
    monkeypatch.setattr(
        presets, "preset", lambda example, reading: changed if example == 2 else whole(example, reading)
    )
    after = keys()
    assert {name for name in before if before[name] != after[name]} == {"ex3-text-7000"}
