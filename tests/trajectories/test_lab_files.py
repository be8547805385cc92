"""Files as laboratories write them: each kind gives the numbers that were written; mangled ones only our errors."""

from __future__ import annotations

import re
import resource
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab_files import ROWS, SECOND, kinds, mangled, walk
from liestonet.errors import InputError
from liestonet.trajectories import Trajectories
from liestonet.trajectories.columns import parse_header

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


TEXT = [name for name in FILES if name.endswith((".csv", ".txt", ".tsv", ".dat", ".tab"))]


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_of_other_systems_change_nothing(name, end, tmp_path):
    (tmp_path / name).write_bytes(FILES[name].replace(b"\n", end))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / name).write_bytes(FILES[name])
    data, plain = (Trajectories.read(folder / name, **options(name)) for folder in (tmp_path, tmp_path / "plain"))
    np.testing.assert_array_equal(data.flat_states, plain.flat_states)
    np.testing.assert_array_equal(data.flat_times, plain.flat_times)
    assert data.notes == plain.notes


def seconds_as(written: str) -> list[str]:
    """Ninety minutes of times of day from 11:30 on, every ten seconds, as a pattern of strftime."""
    start = datetime(2019, 1, 31, 11, 30)
    return [(start + timedelta(seconds=10 * k)).strftime(written) for k in range(540)]


@pytest.mark.parametrize("mark", [";", ",", "\t"])
@pytest.mark.parametrize("header", ["", "time{0}f\n"])
@pytest.mark.parametrize(
    "written",
    ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%I:%M:%S %p", "%m/%d/%Y %I:%M:%S %p", "%H:%M:%S"],
)
def test_dates_and_times_of_day_beside_any_delimiter(written, header, mark, tmp_path):
    values = np.round(50 + np.random.default_rng(1).normal(size=540), 3)
    rows = (f"{time}{mark}{value}\n" for time, value in zip(seconds_as(written), values.tolist(), strict=True))
    (tmp_path / "grid.csv").write_text(header.format(mark) + "".join(rows))
    data = Trajectories.read(tmp_path / "grid.csv")
    np.testing.assert_array_equal(data.times[0], 10.0 * np.arange(540))
    np.testing.assert_array_equal(data.states[0][:, 0], values)


def test_midnight_and_noon_on_a_clock_of_twelve_hours(tmp_path):
    rows = [("12:00:00 AM", 0), ("1:00:00 AM", 1), ("12:00:00 PM", 12), ("11:59:59 p.m.", 24 - 1 / 3600)]
    (tmp_path / "day.csv").write_text("time,x\n" + "".join(f"{time},{value}\n" for time, value in rows))
    data = Trajectories.read(tmp_path / "day.csv")
    np.testing.assert_allclose(data.times[0] / 3600, [hour for _, hour in rows])


def test_names_in_several_lines(tmp_path):
    lines = ["scorer,net,,net,", "bodyparts,nose,,tail,", "coords,x,y,x,y"]
    lines += [f"{k},{k % 3},{k % 4},{k % 11},{k % 5}" for k in range(30)]
    (tmp_path / "pose.csv").write_text("\n".join(lines))
    data = Trajectories.read(tmp_path / "pose.csv")
    assert data.names == ("nose_x", "nose_y", "tail_x", "tail_y")
    np.testing.assert_array_equal(data.states[0][:, 2], np.arange(30) % 11)


@pytest.mark.parametrize("line", ["Age (b2k)   d18O (permil)  Ca2+ (ppb)", "Age (b2k) d18O (permil) Ca2+ (ppb)"])
def test_names_with_units_above_white_space(line, tmp_path):
    rows = "".join(f"  {20 * k}  {-40 + k % 7}  {50 + k % 3}\n" for k in range(30))
    (tmp_path / "core.txt").write_text(f"A core from somewhere\n\n{line}\n{rows}")
    data = Trajectories.read(tmp_path / "core.txt")
    assert data.names == ("d18O", "Ca2+")
    assert data.times[0][0] == -580


def test_a_sentence_above_the_numbers_is_no_names(tmp_path):
    rows = "".join(f"{0.1 * k:.1f}\t{k % 7}\n" for k in range(30))
    (tmp_path / "a.txt").write_text(f"Measured by hand\n{rows}")
    assert Trajectories.read(tmp_path / "a.txt").names == ("c2",)


def test_empty_columns_and_points_for_missing_values(tmp_path):
    rows = "".join(f"2020-01-{k + 1:02d},{'.' if k % 7 == 5 else k % 5},\n" for k in range(31))
    (tmp_path / "rates.csv").write_text(f"DATE,rate,Comment\n{rows}")
    data = Trajectories.read(tmp_path / "rates.csv")
    assert data.names == ("rate",)
    assert (len(data), data.points) == (5, 27)
    assert any("'Comment' is empty" in note for note in data.notes)


def test_very_many_numbered_coordinates_are_paths(tmp_path):
    block = np.random.default_rng(2).normal(size=(30, 7, 2)).round(3)
    header = ",".join(f"x{k},y{k}" for k in range(7))
    rows = (f"{0.1 * t:.1f}," + ",".join(map(str, row.reshape(-1))) for t, row in enumerate(block))
    (tmp_path / "school.csv").write_text(f"time,{header}\n" + "\n".join(rows))
    data = Trajectories.read(tmp_path / "school.csv")
    assert (len(data), data.names) == (7, ("x", "y"))
    np.testing.assert_array_equal(data.states[3], block[:, 3])


@pytest.mark.parametrize(("name", "told"), [("a.lvm", "'a.txt'"), ("a", "'a.txt'"), ("a.zip", "unpack")])
def test_what_has_no_known_suffix_is_told_how_to_go_on(name, told, tmp_path):
    (tmp_path / name).write_text("t,x\n0,1\n1,2\n")
    with pytest.raises(InputError, match=told):
        Trajectories.read(tmp_path / name)


@pytest.mark.parametrize(
    ("header", "expected"),
    [("angle(deg)", ("angle", "deg")), ("time(s)", ("time", "s")), ("x(2)", ("x(2)", None)), ("f(x)", ("f(x)", None)),
     ("x (µm)", ("x", "µm")), ("x(t)", ("x(t)", None))],
)  # fmt: skip
def test_units_behind_names(header, expected):
    assert parse_header(header) == expected
