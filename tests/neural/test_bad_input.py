"""What a user can get wrong around a run of the neural engine, and a run that is stopped: a sentence, nothing lost."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import liestonet as lsn
from liestonet.neural.coefficients.settings import PAPER
from liestonet.neural.settings import Architecture, Cloud, Neural, Objective, Optimizer, Running
from liestonet.neural.training import NotFinite
from liestonet.storage import read_value, save
from neural_cases import csv_columns

CHEAP = Neural(
    architecture=Architecture(tau=(4,), xi=(4,), beta=(4,)),
    cloud=Cloud(points=256),
    optimizer=Optimizer(batch=64, steps=20),
    running=Running(chunk=10),
    shifts=False,
    refit=False,
    polish=False,
)


@pytest.fixture(scope="module")
def paths():
    return lsn.catalogue["brownian"].simulate(paths=64, seed=0)


def run(data, engine=CHEAP, **options):
    return lsn.discover(data, engine, formulas=False, **{"dimension": 1, **options})


@pytest.mark.parametrize("seed", [-1, None, 1.5, True, 2**70])
def test_a_seed_that_is_none_is_refused(paths, seed):
    with pytest.raises(lsn.InputError, match="seed must be a whole number"):
        run(paths, seed=seed)


@pytest.mark.slow
def test_weights_that_leave_nothing_to_train_on(paths):
    nothing = replace(CHEAP, objective=Objective(weights=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)))
    with pytest.raises(lsn.InputError, match="No loss that is evaluated for ito"):
        run(paths, nothing)
    assert run(paths, nothing, symmetry="fokker-planck").dimension == 1


def test_places_that_cannot_be_written_to_are_refused_at_once(paths, tmp_path):
    (tmp_path / "file").write_text("")
    said = []
    for running in ({"checkpoint": tmp_path / "file"}, {"losses": tmp_path}, {"losses": tmp_path / "no" / "x.csv"}):
        with pytest.raises(lsn.InputError, match=r"cannot be written to .*name another"):
            run(paths, CHEAP.with_running(**running), progress=said.append)
    assert not said


def test_data_without_noise_need_series():
    """x = c e^{−t}, exactly."""
    times = np.linspace(0, 2, 201)
    start = np.random.default_rng(0).uniform(-1, 1, (32, 1, 1))
    data = lsn.Trajectories.from_arrays(times, start * np.exp(-times)[None, :, None])
    with pytest.raises(lsn.InputError, match="No coordinate of these data has noise"):
        run(data, replace(CHEAP, surrogate="paper-1"))


@pytest.mark.slow
def test_the_sweep_stopped_by_hand_keeps_what_was_finished(paths):
    def stop(text):
        if text.startswith("training 2 generators: step 10"):
            raise KeyboardInterrupt

    said = []
    engine = replace(CHEAP, sweep=3, refit=True)
    result = run(paths, engine, dimension=None, progress=lambda text: (said.append(text), stop(text)))
    assert result.training.interrupted
    assert [rung.count for rung in result.training.rungs] == [1]
    assert "interrupted" in {flag.code for flag in result.flags}
    assert not any("refitting" in text for text in said)


@pytest.mark.slow
def test_a_checkpoint_belongs_to_what_its_training_began_with(paths, tmp_path):
    """Two generators from a fresh start are not those that a sweep begins from one generator."""
    kept = replace(CHEAP, sweep=2).with_running(checkpoint=tmp_path)
    run(paths, kept, dimension=2)
    with pytest.raises(lsn.InputError, match="belongs to other data or settings"):
        run(paths, kept, dimension=None)


@pytest.mark.slow
def test_a_streamed_file_does_not_take_up_the_checkpoint_of_another(tmp_path):
    for number in (1, 2):
        lsn.catalogue["brownian"].simulate(paths=16, seed=number).write(tmp_path / f"{number}.parquet")
    first, second = (lsn.Trajectories.scan(tmp_path / f"{number}.parquet") for number in (1, 2))
    kept = CHEAP.with_running(checkpoint=tmp_path / "kept")
    run(first, kept)
    with pytest.raises(lsn.InputError, match="belongs to other data"):
        run(second, kept)


@pytest.mark.slow
def test_steps_that_no_chunk_divides(paths, tmp_path):
    engine = replace(CHEAP, optimizer=replace(CHEAP.optimizer, steps=25)).with_running(losses=tmp_path / "losses.csv")
    assert run(paths, engine).training.history.shape[0] == 25
    np.testing.assert_array_equal(csv_columns(tmp_path / "losses.csv")["step"], np.arange(25))


@pytest.mark.slow
def test_a_second_run_starts_a_new_file_of_losses(paths, tmp_path):
    engine = CHEAP.with_running(losses=tmp_path / "losses.csv")
    run(paths, engine, dimension=2)
    run(paths, engine, seed=1)
    table = csv_columns(tmp_path / "losses.csv")
    np.testing.assert_array_equal(table["step"], np.arange(20))
    np.testing.assert_array_equal(table["m"], 1)


def test_a_run_that_is_refused_leaves_the_file_of_losses_as_it_was(paths, tmp_path):
    (tmp_path / "losses.csv").write_text("of the run before")
    nothing = replace(CHEAP, objective=Objective(weights=(0.0,) * 9)).with_running(losses=tmp_path / "losses.csv")
    with pytest.raises(lsn.InputError, match="No loss that is evaluated"):
        run(paths, nothing)
    assert (tmp_path / "losses.csv").read_text() == "of the run before"


@pytest.mark.slow
def test_a_sweep_taken_up_again_has_the_file_of_losses_of_one_that_was_never_stopped(paths, tmp_path):
    def stop(text):
        if text.startswith("training 2 generators: step 10"):
            raise RuntimeError("killed")

    engine = replace(CHEAP, sweep=2)
    run(paths, engine.with_running(losses=tmp_path / "whole.csv"), dimension=None)
    kept = engine.with_running(losses=tmp_path / "losses.csv", checkpoint=tmp_path / "kept")
    with pytest.raises(RuntimeError, match="killed"):
        run(paths, kept, dimension=None, progress=stop)
    assert (tmp_path / "losses.csv").read_text() != (tmp_path / "whole.csv").read_text()
    run(paths, kept, dimension=None)
    assert (tmp_path / "losses.csv").read_text() == (tmp_path / "whole.csv").read_text()


@pytest.mark.slow
def test_a_comparison_that_is_not_possible_costs_no_result(paths):
    result = run(paths, replace(CHEAP, compare=True), dimension=12)
    assert np.isnan(result.training.angle)
    assert "no answer of this dimension" in next(flag.message for flag in result.flags if flag.code == "engines")


@pytest.mark.parametrize("example", PAPER)
def test_the_papers_settings_of_a_surrogate_can_be_stored(example, tmp_path):
    save(PAPER[example], tmp_path / "settings.lsn")
    assert read_value(tmp_path / "settings.lsn") == PAPER[example]


@pytest.mark.slow
def test_a_result_of_networks_says_what_it_needs_to_be_opened(paths, tmp_path):
    run(paths).save(tmp_path / "run.lsn")
    script = "import sys; sys.modules['equinox'] = None; import liestonet; liestonet.load(sys.argv[1])"
    found = subprocess.run([sys.executable, "-c", script, tmp_path / "run.lsn"], capture_output=True, text=True)
    assert found.stderr.splitlines()[-1].endswith(
        "The file holds a result of the neural engine, which needs equinox; install it with pip install "
        "'liestonet[neural]'."
    )


def test_what_stops_a_process_reaches_the_one_that_started_it():
    problem = NotFinite(3, ("likelihood",), "lower the learning rate", None)
    again = pickle.loads(pickle.dumps(problem))  # as a pool of processes does
    assert str(again) == str(problem)
    assert again.step == 3
