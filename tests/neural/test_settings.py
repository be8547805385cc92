"""Settings and presets: plain values that print, save, load, and say where they are from."""

# pyright: reportArgumentType=false
# Wrong settings, and right ones of NumPy, are what is tried here.
from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest

import liestonet as lsn
from liestonet.neural import availability
from liestonet.neural.coefficients.settings import PAPER, Cholesky, CoefficientSettings, Constant
from liestonet.neural.settings import Architecture, Cloud, Neural, Objective, Optimizer, Running

GROUPS = ("architecture", "cloud", "objective", "optimizer")
PRESETS = [1, 2, 3, 4, "fokker-planck", "brownian-10d"]


@pytest.mark.parametrize("settings", [Neural(), *(Neural.paper(example) for example in PRESETS)], ids=lambda s: s.name)
def test_settings_survive_json(settings, tmp_path):
    settings.save(tmp_path / "settings.json")
    assert Neural.load(tmp_path / "settings.json") == settings
    json.loads((tmp_path / "settings.json").read_text())


@pytest.mark.parametrize("example", PRESETS)
@pytest.mark.parametrize("reading", ["global", "pointwise"])
def test_every_setting_of_a_preset_is_marked_with_its_reason(example, reading):
    settings = Neural.paper(example, reading=reading)
    marked = {name: status for name, status, _ in settings.provenance}
    assert set(marked.values()) <= {"stated", "conflicting", "unstated"}
    wanted = {f"{group}.{name}" for group in GROUPS for name in settings.to_dictionary()[group]}
    wanted |= {f"surrogate.{name}" for name in asdict(CoefficientSettings())}
    wanted |= {"surrogate", "shifts", "scaled", "sweep", "start", "selection", "polish", "refit"}
    assert marked.keys() == wanted
    assert all(note for _, _, note in settings.provenance)
    lines = str(settings).splitlines()
    for name, status in marked.items():
        assert any(line.startswith(f"  {name} = ") and f"  [{status}: " in line for line in lines), name


def test_what_the_appendix_leaves_out_is_never_called_stated():
    for example in ("fokker-planck", "brownian-10d"):
        assert "stated" not in {status for _, status, note in Neural.paper(example).provenance if "appendix" in note}
    ten = {name: (status, note) for name, status, note in Neural.paper("brownian-10d").provenance}
    assert ten["optimizer.batch"][0] == "unstated"
    assert ten["optimizer.rate"] == (
        "unstated",
        "the appendix leaves this experiment out, an analogue of Example 1; taken from: table of stage-2 optimisation",
    )


def test_the_two_readings_of_the_closure_loss():
    """The one that the text has most of is the default; nothing else differs but the ridge."""
    read, printed = Neural.paper(2), Neural.paper(2, reading="pointwise")
    assert (read.objective.closure, printed.objective.closure) == ("global", "pointwise")
    assert dataclasses.replace(printed.objective, closure="global", ridge=read.objective.ridge) == read.objective
    assert printed.name == "Neural.paper(2, reading='pointwise')"
    mark = next(row for row in read.provenance if row[0] == "objective.closure")
    assert mark[1] == "conflicting"
    assert "gradient" in mark[2]


def test_presets_follow_the_tables():
    """Numbers read off the paper's tables by hand."""
    assert Neural.paper(1).optimizer.batch == 2048
    assert Neural.paper(2).architecture.activation == "swish"
    assert Neural.paper(2).objective.weights[4] == 0.5
    assert Neural.paper(3).optimizer == Optimizer(rate=1e-4, schedule="constant", batch=1024, steps=3000)
    four = Neural.paper("4")
    assert (four.optimizer.name, four.optimizer.steps, four.optimizer.batch) == ("adamw", 6000, 256)
    assert four.objective.weights[4:7] == (2.0, 10.0, 2.0)
    assert four.objective.ramp == 0.6
    rate = next(note for name, _, note in four.provenance if name == "optimizer.rate")
    assert "2e-4" in rate
    assert "1e-4" in rate
    assert Neural.paper("fokker-planck").optimizer.batch == 2048
    assert all(Neural.paper(example).selection == "paper" for example in PRESETS)
    assert all(Neural.paper(example).start == "cold" for example in PRESETS)


def test_the_papers_surrogates_begin_neutral_and_see_all_increments():
    assert {(each.start, each.every_noise, each.inside) for each in PAPER.values()} == {("random", True, False)}


def test_the_paper_without_an_example_waits_for_the_data(tmp_path):
    waiting = Neural.paper()
    assert "known when they are given" in str(waiting)
    assert Neural.paper(reading="pointwise").objective.closure == "pointwise"
    waiting.save(tmp_path / "settings.json")
    assert Neural.load(tmp_path / "settings.json") == waiting


@pytest.mark.parametrize(
    "make",
    [
        lambda: Architecture(activation="relu"),
        lambda: Architecture(xi=()),
        lambda: Cloud(uniform=2.0),
        lambda: Objective(weights=(1.0,)),
        lambda: Objective(closure="local"),
        lambda: Optimizer(rate=0.0),
        lambda: Optimizer(steps=0),
        lambda: Running(chunk=0),
        lambda: Neural(surrogate="magic"),
        lambda: Neural.paper(5),
        lambda: Neural.paper(1, reading="local"),
        lambda: Neural.paper(reading="local"),
        lambda: Neural(selection="first"),
        lambda: Neural(start="hot"),
        lambda: Architecture(initial="ones"),
        lambda: Cloud(starts=2.0),
        lambda: Cloud(clip="no"),
        lambda: Objective(ridge=-1.0),
        lambda: CoefficientSettings(start="true"),
        lambda: Neural.from_dictionary({"colour": "red"}),
        lambda: Neural.paper([1]),
        lambda: Architecture(tau=32),
        lambda: Architecture(shared="yes"),
        lambda: Cloud(bins=0),
        lambda: Cloud(step=-1.0),
        lambda: Objective(weights=None),
        lambda: Objective(weights=(float("nan"), *[1.0] * 8)),
        lambda: Objective(flow=0.0),
        lambda: Objective(level="a"),
        lambda: Objective(ramp=2.0),
        lambda: Objective(decay=-1.0),
        lambda: Optimizer(rate="fast"),
        lambda: Optimizer(rate=float("inf")),
        lambda: Optimizer(warmup=-1.0),
        lambda: Running(checkpoint=5),
        lambda: Running(surrogates=5),
        lambda: Neural(architecture=5),
        lambda: Neural(optimizer={"steps": 5}),
        lambda: Neural(shifts="no"),
        lambda: Neural().save("/nowhere/at/all/settings.json"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(make):
    with pytest.raises(lsn.InputError) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_lists_and_paths_become_what_can_be_stored(tmp_path):
    made = Neural(
        objective=Objective(weights=[1.0] * 9),
        architecture=Architecture(tau=[8, 8]),
        running=Running(checkpoint=tmp_path, losses=tmp_path / "losses.csv"),
    )
    assert made.objective.weights == (1.0,) * 9
    assert made.architecture.tau == (8, 8)
    assert made.running.checkpoint == str(tmp_path)
    made.save(tmp_path / "settings.json")
    assert Neural.load(tmp_path / "settings.json") == made


def test_numbers_of_numpy_are_plain_ones():
    """The same settings, also as they print: a study knows its runs by that."""
    made = Neural(
        architecture=Architecture(tau=(np.int64(8),), xi=[np.int32(8), 8], shared=np.bool_(False)),
        cloud=Cloud(points=np.int64(512), uniform=np.float64(0.5), reflect=np.bool_(True)),
        objective=Objective(weights=np.array([1, 0, 0, 0, 1, 1, 0, 1, 0], dtype=np.float32), ramp=np.float64(0.25)),
        optimizer=Optimizer(rate=np.float64(1e-3), steps=np.int64(20), clip=np.float64(np.inf)),
        running=Running(chunk=np.int16(10)),
        sweep=np.int64(2),
    )
    plain = Neural(
        architecture=Architecture(tau=(8,), xi=(8, 8), shared=False),
        cloud=Cloud(points=512, uniform=0.5, reflect=True),
        objective=Objective(weights=(1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0), ramp=0.25),
        optimizer=Optimizer(rate=1e-3, steps=20, clip=float("inf")),
        running=Running(chunk=10),
        sweep=2,
    )
    assert repr(made) == repr(plain)
    learnt = CoefficientSettings(Cholesky(np.int64(2)), widths=[np.int64(8)], schedule=Constant(np.float64(1e-3)))
    assert repr(learnt) == repr(CoefficientSettings(Cholesky(2), widths=(8,), schedule=Constant(1e-3)))
    assert hash(learnt) == hash(CoefficientSettings(Cholesky(2), widths=(8,), schedule=Constant(1e-3)))
    with pytest.raises(lsn.InputError, match="number of steps"):
        Optimizer(steps=np.float64(2.5))


def test_a_file_of_something_else_is_no_settings(tmp_path):
    (tmp_path / "settings.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(lsn.InputError, match="does not hold settings"):
        Neural.load(tmp_path / "settings.json")


def test_every_setting_is_printed():
    text = str(Neural.paper(1))
    assert "cloud.points = None  [stated: " in text
    assert "objective.ramp = None" in text


def test_missing_jax_names_the_extra(monkeypatch):
    monkeypatch.setattr(availability, "find_spec", lambda name: None)
    with pytest.raises(lsn.InputError, match=r"liestonet\[neural\]"):
        availability.require_jax()


def test_single_precision_is_refused():
    code = (
        "import liestonet as lsn\n"
        "data = lsn.catalogue['brownian'].simulate(paths=4, seed=0)\n"
        "try:\n    lsn.discover(data, engine=lsn.Neural())\n"
        "except lsn.InputError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=_plain_environment(), check=True
    )
    assert "jax_enable_x64" in done.stdout


def test_settings_load_no_jax():
    code = "import sys, liestonet; liestonet.Neural.paper(1); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=_plain_environment(), check=False).returncode == 0


def _plain_environment():
    import os

    return {name: value for name, value in os.environ.items() if name != "JAX_ENABLE_X64"}


def test_command_line_names_engines():
    from liestonet.cli.discover import engine_named

    assert engine_named("spectral") is None
    assert engine_named("neural") == Neural()
    assert engine_named("both") == Neural(compare=True)
    assert engine_named("paper") == Neural.paper()
    with pytest.raises(lsn.InputError, match="choose spectral, neural, both or paper"):
        engine_named("magic")
