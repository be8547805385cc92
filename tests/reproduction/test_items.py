"""What items say is counted from their records, and what their tables show is what is simulated."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from liestonet.inference.spectral_engine import Spectral
from liestonet.pipeline.solve import solve
from liestonet.reproduction import engines
from liestonet.reproduction.cases import CASES, LEAST_PATHS
from liestonet.reproduction.engines import paper_widths
from liestonet.reproduction.fitted import fitted_form
from liestonet.reproduction.items import ALL, PAPER, confusion, examples, generators, identities, kinds, runtime
from liestonet.reproduction.oracles import ORACLES
from liestonet.reproduction.publication import Options
from liestonet.sde.sde import SDE

SHARE = 0.005


def _shown() -> dict[str, dict[str, str]]:
    table = examples.publish([]).tables["cases"]
    return {str(row[0]): dict(zip(table.columns, map(str, row), strict=True)) for row in table.rows}


class TestExamples:
    def test_come_first(self) -> None:
        assert PAPER[0] is examples
        assert ALL[0].name == "examples"
        assert not examples.jobs(Options())

    @pytest.mark.parametrize("case", CASES)
    def test_table_says_what_is_simulated(self, case: str) -> None:
        data, row = CASES[case].data(3, SHARE), _shown()[CASES[case].title]
        count = int(row["data"].split()[0].replace(",", ""))
        assert len(data.times) == max(LEAST_PATHS, round(SHARE * count))
        (step,) = re.findall(r"Δt = ([\d.]+)", row["data"])
        assert np.allclose(data.increments().dt, float(step))
        lengths = [times[-1] - times[0] for times in data.times]
        duration = re.findall(r"duration T = ([\d.]+)", row["data"])
        assert np.allclose(lengths, float(duration[0] if duration else step))

    @pytest.mark.parametrize("case", CASES)
    def test_table_says_where_paths_begin(self, case: str) -> None:
        """A uniform law's sample lies within its interval and comes near both ends."""
        data, row = CASES[case].data(3, 0.1), _shown()[CASES[case].title]
        begin = np.array([states[0] for states in data.states])
        laws, _, kept = row["paths begin"].replace("−", "-").partition("; ")
        ends = [tuple(map(float, pair)) for pair in re.findall(r"U\((.+?), (.+?)\)", laws)]
        for column, (low, high) in zip(begin.T, ends * (1 if len(ends) > 1 else begin.shape[1]), strict=True):
            assert low <= column.min() < low + 0.1 * (high - low)
            assert high >= column.max() > high - 0.1 * (high - low)
        if kept:
            assert data.flat_states[:, 0].min() >= float(kept.rsplit(maxsplit=1)[1])

    def test_single_increments_begin_at_all_times(self) -> None:
        (interval,) = re.findall(r"t ~ U\((.+?), (.+?)\)", _shown()["Ex. 2"]["data"])
        low, high = map(float, interval)
        begin = np.array([times[0] for times in CASES["ex2"].data(3, SHARE).times])
        assert low <= begin.min() < low + 0.1
        assert high >= begin.max() > high - 0.1

    @pytest.mark.parametrize("case", ["ex1", "ex2", "ex3", "ex4"])
    def test_equations_have_the_dimension_shown(self, case: str) -> None:
        row = _shown()[CASES[case].title]
        box = [(0.0, 1.0), *CASES[case].data.initial]
        assert solve(SDE.parse(row["equation"].strip("`")), "ito", box, formulas=False).dimension == int(
            row["true dimension"]
        )

    def test_all_nine_losses_are_named(self) -> None:
        assert [row[0] for row in examples.publish([]).tables["losses"].rows] == [f"L{k}" for k in range(1, 10)]


class TestConfusion:
    def record(self, true: int, verdicts: list[str], **more: Any) -> dict[str, Any]:
        found = verdicts.count("symmetry")
        base = {"system": "weak-cubic", "paths": 512, "seed": 6000, "true": true, "found": found, "verdicts": verdicts}
        return {**base, "tolerable": 1, "angle": 2.0, **more}

    def test_wrong_runs_show_outcome_and_all_that_was_found(self) -> None:
        false = self.record(1, ["symmetry"] * 3 + ["no"] * 2)
        near = self.record(1, ["symmetry"] * 2 + ["no"], tolerable=2)
        missed = self.record(2, ["near-symmetry", "no", "undecided", "no"])
        right = self.record(1, ["symmetry", "no"])
        rows = confusion.wrong_runs([false, near, missed, right]).rows
        assert [(row[3], row[-1]) for row in rows] == [
            ("false", "symmetry, symmetry, symmetry"),
            ("near", "symmetry, symmetry"),
            ("missed", "near-symmetry, no, undecided"),
        ]

    def test_the_text_counts_seeds_and_runs_beside_the_fitted_form(self) -> None:
        oracles = [(1.0, 5.0), (1.0, 1.9), (9.0, 2.0), (8.0, 1.0)]
        records = [self.record(1, ["symmetry", "no"], angle=angle, oracle=other) for angle, other in oracles]
        text = confusion.publish([*records, self.record(1, ["symmetry", "no"])]).text
        assert "one run of each (seed 6000)" in text
        assert "Of 4 runs that have both, ours is better by more than 1° in 1 and worse by more than that in 2." in text
        twice = [*records, {**records[0], "seed": 6001}]
        assert "2 seeds of each" in confusion.publish(twice).text


class TestKinds:
    def records(self, case: str, found: list[int], gap: float) -> list[dict[str, Any]]:
        same = {"case": case, "kind": "ito"}
        return [{**same, "gap": gap}, *({**same, "seed": k, "true": 3, "found": n} for k, n in enumerate(found))]

    def test_runs_are_counted_apart_where_another_direction_is_near(self) -> None:
        made = kinds.publish(self.records("ex1", [3, 3, 2], 0.4) + self.records("ex3", [4, 3, 4, 4], 0.007))
        assert "tolerance of 10%, the dimension is right in 2 of 3 runs" in made.text
        assert "below (Ex. 3 ito), the dimension is right in 1 of 4 runs" in made.text
        assert [row[3] for row in made.tables["dimensions"].rows] == ["2 (1), 3 (2)", "3 (1), 4 (3)"]

    def test_nothing_is_claimed_of_what_is_not_there(self) -> None:
        assert "below (nowhere), the dimension is right in 0 of 0 runs" in kinds.publish([]).text


class TestIdentities:
    def test_rejections_are_counted_from_the_records(self) -> None:
        kept = [("first", {"corrected": 6, "theorem": 4, "L8": 6}), ("second", {"corrected": 6, "theorem": 5, "L8": 6})]
        text = identities.publish([{"system": name, "true": 6, "kept": counts} for name, counts in kept]).text
        assert "the theorem rejects 2 of first and 1 of second, L8 rejects none." in text

    def test_variation_has_two_decimals(self) -> None:
        record = {"case": "ex1", "count": 3, "components": 2, "variation": 0.30404, "left": 0.0}
        assert identities.publish([record]).tables["pointwise"].rows[0][3] == "30.40%"


class TestIdentityOfJobs:
    @pytest.mark.parametrize(
        ("module", "name", "value", "function"),
        [
            (confusion, "LEAST_STEPS", 50, "run"),
            (confusion, "MOST_FOR_ORACLE", 2, "run"),
            (kinds, "BOX_SHARE", 0.2, "gap"),
            (kinds, "POINTS", 10, "run"),
            (identities, "STEPS", (1e-2,), "losses"),
            (identities, "POINTS", 41, "conditions"),
            (identities, "TIMES", (0, 1, 5), "density"),
            (identities, "FITTED_AT", 7, "pointwise"),
            (generators, "GRID", 5, "run"),
        ],
    )
    def test_numbers_of_the_module_belong_to_it(
        self, module: ModuleType, name: str, value: object, function: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def keys() -> dict[str, str]:
            found = module.jobs(Options(quick=True))
            return {job.name: job.key for job in found if job.function.endswith(f":{function}")}

        before = keys()
        monkeypatch.setattr(module, name, value)
        after = keys()
        assert before
        assert before.keys() == after.keys()
        assert all(before[job] != after[job] for job in before)

    @pytest.mark.parametrize(("module", "function"), [(identities, "losses"), (runtime, "run")])
    def test_widths_of_networks_belong_to_it(
        self, module: ModuleType, function: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def keys() -> list[str]:
            found = module.jobs(Options(quick=True))
            return [job.key for job in found if job.function.endswith(f":{function}")]

        before = keys()
        monkeypatch.setattr(module, "paper_widths", lambda: ((32, 32), (64, 64), (64, 65)))
        assert before
        assert not {*before} & {*keys()}

    def test_widths_are_those_of_the_losses(self) -> None:
        from liestonet.neural.loss_probe import WIDTHS

        assert paper_widths() == WIDTHS

    def test_how_data_are_made_belongs_to_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = {job.name: job.key for job in kinds.jobs(Options(quick=True))}
        shorter = replace(CASES["ex1"], data=replace(CASES["ex1"].data, duration=1.0))
        monkeypatch.setitem(CASES, "ex1", shorter)
        changed = {job.name for job in kinds.jobs(Options(quick=True)) if before[job.name] != job.key}
        assert changed == {name for name in before if name.startswith("ex1")}

    def test_quick_studies_leave_the_papers_settings_out(self) -> None:
        assert [job.settings["engine"] for job in generators.jobs(Options())][-4:] == ["paper"] * 4
        assert {str(job.settings["engine"]) for job in generators.jobs(Options(quick=True))} == {"spectral"}

    def test_settings_of_later_date_leave_stored_results_as_they_are(self) -> None:
        """With its default, a setting that came later is not told; with another value it is."""
        from liestonet.neural.settings import Cloud, Neural

        assert "selection" not in engines._told(Neural())
        assert "selection='paper'" in engines._told(Neural(selection="paper"))
        assert engines.settings_digest(Neural()) != engines.settings_digest(Neural(cloud=Cloud(clip=False)))


class TestKeptNetworks:
    """What items share: one folder of surrogates, and one of checkpoints for every engine, data and seed."""

    def test_engines_with_learnt_surrogates_are_kept_in_the_folder_of_a_study(self, tmp_path: Path) -> None:
        data = CASES["ex1"].data(1, 1 / 64)
        paper, pointwise = (engines.paper_settings("ex1", reading) for reading in ("global", "pointwise"))
        assert engines.kept(paper, data, 1, "ito") == paper
        with engines.keeping(tmp_path):
            ours, again, other = (engines.kept(paper, data, seed, "ito").running for seed in (1, 1, 2))
            assert ours == again
            assert ours.surrogates == other.surrogates
            assert ours.checkpoint != other.checkpoint
            assert engines.kept(pointwise, data, 1, "ito").running.checkpoint != ours.checkpoint
            assert engines.kept(paper, data, 1, "fokker-planck").running.checkpoint != ours.checkpoint
            assert engines.kept(Spectral(), data, 1, "ito") == Spectral()
            with engines.sharing():
                assert engines.kept(paper, data, 1, "ito").running == ours
        assert engines.kept(paper, data, 1, "ito") == paper


class TestFittedForms:
    def test_factor_and_size_are_those_of_least_squares(self) -> None:
        """dx = −x dt + 2 dW: k = Σ x dx / Σ x² dt, and the noise's size is a factor of the true one."""
        sde = SDE.parse("dx = -x dt + 2 dW")
        data = sde.simulate(initial=[1.0], duration=1.0, step=0.01, paths=20, seed=1)
        step = data.increments()
        x, dx, dt = step.x[:, 0], step.dx[:, 0], step.dt
        factor = np.sum(x * dx) / np.sum(x**2 * dt)
        made = fitted_form(sde, data)
        t, at = np.zeros(1), np.array([[3.0]])
        assert made.drift(t, at) == pytest.approx(3 * factor, rel=1e-9)
        assert made.diffusion(t, at) == pytest.approx(np.sqrt(np.mean((dx - factor * x * dt) ** 2 / dt)), rel=1e-9)

    def test_a_coordinate_without_noise_keeps_its_equation(self) -> None:
        made = fitted_form(SDE.parse("dx = y dt; dy = -y dt + dW"), CASES["ex3"].data(1, SHARE))
        assert str(made).startswith("dx = y dt;")

    def test_oracles_fit_constants_that_are_zero_in_the_example(self) -> None:
        """The family of Example 2 is a straight line; the true form is one through the origin."""
        data = CASES["ex2"].data(1, SHARE)
        step = data.increments()
        slope, constant = np.polyfit(step.x[:, 0], step.dx[:, 0] / step.dt, 1)
        t, zero, one = np.zeros(1), np.zeros((1, 1)), np.ones((1, 1))
        assert ORACLES["linear"](data).drift(t, zero) == pytest.approx(constant, rel=1e-6)
        assert ORACLES["linear"](data).drift(t, one) == pytest.approx(constant + slope, rel=1e-6)
        assert fitted_form(SDE.parse("dx = x dt + dW"), data).drift(t, zero) == 0

    @pytest.mark.parametrize(("factor", "dimension"), [(0.5, 3), (0.6, 1)])
    def test_symmetries_may_hang_on_a_factor(self, factor: float, dimension: int) -> None:
        """sinh of Brownian motion with another factor of its drift: g = (k − ½) tanh y is not affine in y."""
        sde = SDE.parse("dx = k*x dt + sqrt(1 + x^2) dW", parameters={"k": factor})
        assert solve(sde, "ito", [(0.0, 1.0), (-2.0, 2.0)], formulas=False).dimension == dimension

    @pytest.mark.parametrize("case", ["ex2", "ex3", "ex4"])
    def test_families_have_as_many_symmetries_as_the_example(self, case: str) -> None:
        fitted = ORACLES[CASES[case].system](CASES[case].data(1, SHARE))
        box = [(0.0, 1.0), *CASES[case].data.initial]
        assert solve(fitted, "ito", box, formulas=False).dimension == CASES[case].dimension


def test_no_certain_name_is_wrong_where_errors_hide_brackets() -> None:
    """These data once gave the Fokker–Planck algebra of Example 2 another name, without a mark."""
    name = kinds.run("ex2", "fokker-planck", 4201, 1.0)["name"]
    assert name == "sl(2,R) ⋉ h_3" or name.endswith("(not resolved)")
