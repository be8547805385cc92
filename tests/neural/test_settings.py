"""Settings and presets: plain values that print, save, load, and say where they are from."""

# pyright: reportArgumentType=false
# Wrong settings, and right ones of NumPy, are what is tried here.
from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import liestonet as lsn
from liestonet.neural import availability
from liestonet.neural.coefficients.settings import Cholesky, CoefficientSettings, Constant
from liestonet.neural.settings import Architecture, Cloud, Neural, Objective, Optimizer, Running

PRESETS = [1, 2, 3, 4, "fokker-planck", "brownian-10d"]


@pytest.mark.parametrize("settings", [Neural(), *(Neural.paper(example) for example in PRESETS)], ids=lambda s: s.name)
def test_settings_survive_json(settings, tmp_path):
    settings.save(tmp_path / "settings.json")
    assert Neural.load(tmp_path / "settings.json") == settings
    json.loads((tmp_path / "settings.json").read_text())


@pytest.mark.parametrize("example", PRESETS)
def test_every_setting_of_a_preset_is_marked(example):
    settings = Neural.paper(example)
    marked = {name: status for name, status, _ in settings.provenance}
    assert set(marked.values()) <= {"stated", "conflicting", "inferred"}
    for group in ("architecture", "cloud", "objective", "optimizer"):
        for name in settings.to_dictionary()[group]:
            assert f"{group}.{name}" in marked
    text = str(settings)
    assert "optimizer.rate = " in text
    assert all(note for _, status, note in settings.provenance if status == "conflicting")


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
    assert "cloud.points = None  [stated]" in text
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
    with pytest.raises(lsn.InputError, match="choose spectral, neural or both"):
        engine_named("magic")
