"""Files as laboratories write them: each kind gives the numbers that were written; mangled ones only our errors."""

from __future__ import annotations

import re
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab_files import ROWS, SECOND, kinds, mangled, walk
from liestonet.errors import InputError
from liestonet.trajectories import Trajectories

FILES = kinds()
T, X = walk()
ONE, TWO = X[:, :1], X
MANY = np.concatenate([walk(ROWS, 1, seed)[1] for seed in range(20)])
PAIRS = np.concatenate([walk(ROWS, 2, seed)[1] for seed in range(20)])
# What was written: states, number of paths, and the factor and shift of the times that are read.
EXPECTED = {name: (ONE, 1) for name in FILES} | {
    name: (TWO, 1) for name in ("comma.csv", "blanks.txt", "hash.txt", "packed.txt.gz", "table.npy")
}
EXPECTED |= {name: (MANY, 20) for name in ("columns.csv", "rows.txt", "labels.txt", "frames.csv")}
EXPECTED |= {name: (PAIRS, 20) for name in ("paths.npy", "tracks.mat", "tracks73.mat")}
IN_FRAMES = ("frames.csv", "tracks.mat")


def options(name: str) -> dict[str, Any]:
    """What the second command adds."""
    given = SECOND.get(name, ())
    return {given[0].removeprefix("--"): float(given[1])} if given else {}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_gives_what_was_written(name, tmp_path):
    (tmp_path / name).write_bytes(FILES[name])
    dt: dict[str, Any] = {"dt": 0.05} if name in IN_FRAMES else options(name)
    data = Trajectories.read(tmp_path / name, **dt)
    states, paths = EXPECTED[name]
    assert len(data) == paths
    np.testing.assert_allclose(data.flat_states, states, atol=1e-5)
    shift = {"tracks.mat": 0.05, "core.tab": -T[-1]}.get(name, 0.0)
    np.testing.assert_allclose(data.flat_times, np.tile(T, paths) + shift, atol=2e-3)
    assert len([remark for remark in data.remarks if not remark.startswith("The file says")]) <= 3


@pytest.mark.parametrize("name", SECOND)
def test_what_is_not_there_is_asked_for(name, tmp_path):
    (tmp_path / name).write_bytes(FILES[name])
    with pytest.raises(InputError, match=r"give dt=0\.0"):
        Trajectories.read(tmp_path / name)


def outcomes(folder: Path, count: int, seed: int) -> dict[str, int]:
    """How many mangled files were read, and how many refused; anything but our error is raised."""
    rng = np.random.default_rng(seed)
    names = list(FILES)
    found = {"read": 0, "refused": 0}
    sentences = []
    for index in range(count):
        name = names[index % len(names)]
        path = folder / name
        path.write_bytes(mangled(rng, FILES[name]))
        began = time.monotonic()
        try:
            data = Trajectories.read(path, **(options(name) if index % 2 else {}))
        except InputError as problem:
            sentences.append(str(problem))
            found["refused"] += 1
        else:
            assert np.isfinite(data.flat_states).all()
            found["read"] += 1
        assert time.monotonic() - began < 60, (name, index)  # bounded, however slow the machine is
    wrong = [sentence for sentence in sentences if not re.fullmatch(r"[^\n]{10,500}[.?]", sentence)]
    assert not wrong, wrong[:3]
    return found


def test_mangled_files_end_in_our_error_or_in_trajectories(tmp_path):
    found = outcomes(tmp_path, 230, seed=3)
    assert min(found.values()) > 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_five_thousand_mangled_files(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kilobytes, the most that was ever used
    found = outcomes(tmp_path, 5000, seed=11)
    assert min(found.values()) > 200
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


AGES = 20.0 * np.arange(30)


@pytest.mark.parametrize(
    ("header", "oldest_first", "back"),
    [
        ("age", True, True),
        ("age", False, False),  # of what lives, ages increase with time
        ("Age [ka BP]", False, True),
        ("Age [ka BP]", True, True),
        ("years b2k", False, True),
        ("time (years ago)", False, True),
        ("time", True, False),
    ],
)
def test_ages_count_back_from_the_present(header, oldest_first, back, tmp_path):
    values = np.arange(30.0) ** 2
    rows = list(zip(AGES, values, strict=True))[:: -1 if oldest_first else 1]
    content = f"/* ice */\n{header}\td18O\n" + "".join(f"{age}\t{value}\n" for age, value in rows)
    (tmp_path / "core.tab").write_text(content)
    data = Trajectories.read(tmp_path / "core.tab")
    expected = (-AGES[::-1], values[::-1]) if back else (AGES, values)
    np.testing.assert_array_equal(data.times[0], expected[0])
    np.testing.assert_array_equal(data.flat_states[:, 0], expected[1])
    assert any("counts back from the present" in note for note in data.notes) == back


def test_any_column_of_times_may_be_said_to_count_back(tmp_path):
    rows = "".join(f"{age},{k}\n" for k, age in enumerate(AGES))
    (tmp_path / "a.csv").write_text("age,x\n" + rows)
    data = Trajectories.read(tmp_path / "a.csv", time="-age")
    np.testing.assert_array_equal(data.times[0], -AGES[::-1])


def test_one_row_for_each_particle_is_no_path(tmp_path):
    rng = np.random.default_rng(4)
    rows = "".join(f"{k},0,{x:.3f},{y:.3f}\n" for k, (x, y) in enumerate(rng.normal(size=(50, 2))))
    (tmp_path / "frame.csv").write_text("particle,frame,x,y\n" + rows)
    with pytest.raises(InputError, match="Each value of 'particle' has one row"):
        Trajectories.read(tmp_path / "frame.csv")
