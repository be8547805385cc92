"""Groups run as jobs: kept, resumed, compared; a group that cannot be used does not stop the others."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.groups import job as group_job
from liestonet.groups.compare import only_comparable
from liestonet.groups.comparison import Group
from liestonet.groups.discover_groups import COMPARISON_FILE, COMPARISON_PAGE


def paths(rate: float, seed: int, count: int = 200, steps: int = 60) -> lsn.Trajectories:
    sde = lsn.SDE.parse(f"dx = -{rate}*x dt + dW")
    return sde.simulate(
        lambda rng, n: rng.uniform(-2, 2, (n, 1)), duration=0.02 * steps, step=0.02, paths=count, seed=seed
    )


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five files of three conditions; the rate changes with the temperature. 320K has too few data."""
    folder = tmp_path_factory.mktemp("recordings")
    for name, rate, seed, count in (
        ("run_300K_1", 1.0, 1, 100), ("run_300K_2", 1.0, 2, 100), ("run_310K_1", 2.0, 3, 100),
        ("run_310K_2", 2.0, 4, 100), ("run_320K_1", 2.0, 5, 1),
    ):  # fmt: skip
        paths(rate, seed, count).write(folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def compared(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> lsn.GroupComparison:
    """The whole of it once; only the pages of single groups, which take long to draw, are left out."""

    def page(_: Any, path: Path, *__: Any) -> Path:
        path.write_text("page")
        return path

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("liestonet.render.html.write_report", page)
        return lsn.discover_groups(str(recordings / "run_{T}_*.csv"), "T", out=tmp_path_factory.mktemp("study"))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch, compared: lsn.GroupComparison) -> list[str]:
    """Lists the groups that are computed; they get results of before, and pages are not drawn."""
    done: list[str] = []
    known = {label: compared.result(label) for label in ("300K", "310K")}

    def discover(data: lsn.Trajectories, **_: Any) -> Any:
        if len(data) == 1:
            raise InputError("There are too few increments.")
        done.append(next(label for label, result in known.items() if result.estimated.data.digest == data.digest))
        return known[done[-1]]

    def page(_: Any, path: Any, *__: Any) -> Path:
        Path(path).write_text("page")
        return Path(path)

    monkeypatch.setattr(group_job, "discover", discover)
    monkeypatch.setattr("liestonet.render.html.write_report", page)
    monkeypatch.setattr("liestonet.render.html.write_comparison", page)
    monkeypatch.setattr("liestonet.groups.compare.shared_constants", lambda *_: "Not compared here.")
    monkeypatch.setattr(group_job, "group_of", lambda label, _, folder, files: replace(compared[label], files=files))
    return done


def test_results_comparison_and_page_are_in_the_folder(compared: lsn.GroupComparison):
    assert [group.label for group in compared] == ["300K", "310K", "320K"]
    assert compared["320K"].problem.startswith("There are 60 increments, too few")
    assert [group.files for group in compared][:2] == [2, 2]
    folder = compared.folder
    assert folder is not None
    for name in ("300K/run.lsn", "300K/result.json", "300K/report.html", COMPARISON_FILE, COMPARISON_PAGE):
        assert (folder / name).is_file()
    assert not (folder / "320K" / "run.lsn").exists()
    again = lsn.GroupComparison.open(folder / COMPARISON_FILE)
    assert again == compared
    assert again.result("300K").dimension == compared["300K"].dimension
    with pytest.raises(InputError, match="too few"):
        again.result("320K")


def test_constants_are_compared_with_the_truth(compared: lsn.GroupComparison):
    found = compared.constants
    assert found is not None
    assert found.terms == ("x dt", "dW")
    assert found.verdict == "different"
    for group, rate in zip(found.groups, (1.0, 2.0), strict=True):
        assert abs(group.values[0] + rate) < 4 * group.errors[0]
        assert abs(group.values[1] - 1) < 4 * group.errors[1]
    line = found.trends[0]
    assert abs(line.slope + 0.1) < 4 * line.error
    assert (compared.unit, [group.condition for group in compared]) == ("K", [300, 310, 320])


def test_finished_groups_are_not_repeated(recordings: Path, tmp_path: Path, computed: list[str]):
    source, out = str(recordings / "run_{T}_*.csv"), tmp_path / "study"

    def stop(said: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lsn.discover_groups(source, "T", out=out, progress=stop)
    assert computed == ["300K"]
    lsn.discover_groups(source, "T", out=out)
    assert computed == ["300K", "310K"]
    lsn.discover_groups(source, "T", out=out)
    assert computed == ["300K", "310K"]
    (out / "310K" / "run.lsn").unlink()
    lsn.discover_groups(source, "T", out=out)
    assert computed == ["300K", "310K", "310K"]
    lsn.discover_groups(source, "T", out=out, tolerance=0.2)
    assert computed[3:] == ["300K", "310K"]


def full_disk(patch: pytest.MonkeyPatch, name: str) -> None:
    """A disk that is full when a file of this name is to appear."""
    real = os.replace

    def replace_(temporary: Any, target: Any) -> None:
        if Path(target).name == name:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(temporary, target)

    patch.setattr(os, "replace", replace_)


def test_a_full_disk_keeps_what_is_finished(
    recordings: Path, tmp_path: Path, computed: list[str], monkeypatch: pytest.MonkeyPatch
):
    source, out = str(recordings / "run_{T}_*.csv"), tmp_path / "study"

    with monkeypatch.context() as patch:
        found = lsn.discover_groups(source, "T", out=out, progress=lambda _: full_disk(patch, "run.lsn"))
        assert found["310K"].problem.startswith("The disk is full: 'run.lsn' could not be written")
        assert found.algebra is None
    assert (out / "300K" / "run.lsn").is_file()
    assert not (out / "310K" / "run.lsn").exists()
    with monkeypatch.context() as patch:
        full_disk(patch, "groups.json")
        with pytest.raises(InputError, match=r"disk is full: 'groups\.json'"):
            lsn.discover_groups(source, "T", out=out)
    assert lsn.discover_groups(source, "T", out=out).algebra is not None
    assert computed == ["300K", "310K", "310K"]


def table(place: Path, **columns: Any) -> Path:
    """A Parquet file of two paths with checksums."""
    t, label = np.tile(np.arange(50) * 0.02, 2), np.repeat([0, 1], 50)
    whole = {"path": label, "t": t, "x": np.sin(np.arange(100.0)), **columns}
    kept = pyarrow.table({name: values for name, values in whole.items() if values is not None})
    parquet.write_table(
        pyarrow.table(kept),
        place,
        row_group_size=50,
        write_page_checksum=True,
        use_dictionary=False,
        compression="none",
    )
    return place


def corrupt(place: Path) -> None:
    """A byte of the numbers of the second row group is another one."""
    last = parquet.ParquetFile(place).metadata.row_group(1).column(2)
    content = bytearray(place.read_bytes())
    content[last.data_page_offset + last.total_compressed_size - 9] ^= 1
    place.write_bytes(content)


def refuse(patch: pytest.MonkeyPatch, place: Path) -> None:
    """This file may not be opened; the tests may run as root, whom no file refuses."""
    real = parquet.ParquetFile

    def opened(file: Any, **options: Any) -> Any:
        if Path(file) == place.resolve():
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(file, **options)

    patch.setattr(parquet, "ParquetFile", opened)


WAVE = np.arange(100.0)
BAD = {
    "columns": (lambda two, _: table(two, x=None, y=WAVE), "'2.parquet' has the coordinates y, but '1.parquet' has x"),
    "units": (lambda two, _: table(two, x=None, **{"x [nm]": WAVE}), "'2.parquet' has x in nm, but '1.parquet' in no"),
    "empty": (lambda two, _: two.write_bytes(b""), "The file '2.parquet' is empty"),
    "corrupt": (lambda two, _: corrupt(table(two, x=np.cos(WAVE))), "The file '2.parquet' cannot be read"),
    "permission": (lambda two, patch: refuse(patch, table(two, x=WAVE)), "The file '2.parquet' cannot be read by this"),
    "copy": (lambda two, _: table(two), "'1.parquet' and '2.parquet' have the same content"),
}


@pytest.mark.parametrize(("spoil", "said"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_a_sentence_of_its_group(
    compared: lsn.GroupComparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Any, said: str
):
    """The other group keeps its result, and with the file mended only the missing group is computed."""
    done: list[int] = []

    def discover(data: lsn.Trajectories, **_: Any) -> Any:
        done.append(len(data))
        return compared.result("300K")

    monkeypatch.setattr(group_job, "discover", discover)
    monkeypatch.setattr(group_job, "group_of", lambda label, _, folder, files: replace(compared["300K"], label=label))
    monkeypatch.setattr("liestonet.render.html.write_report", lambda _, path, *__: path)
    for label in ("300K", "310K"):
        (tmp_path / label).mkdir()
        table(tmp_path / label / "1.parquet")
    table(tmp_path / "300K" / "2.parquet", x=np.cos(np.arange(100.0)))  # with the labels of the first file
    second, source = tmp_path / "310K" / "2.parquet", str(tmp_path / "{T}" / "*.parquet")
    with monkeypatch.context() as patch:
        spoil(second, patch)
        found = lsn.discover_groups(source, "T", out=tmp_path / "study")
    assert (found["300K"].problem, done) == ("", [4])
    assert said in found["310K"].problem
    assert found["310K"].problem.count(". ") == 0
    assert (tmp_path / "study" / "300K" / "run.lsn").is_file()
    table(second, x=np.cos(np.arange(100.0)))
    again = lsn.discover_groups(source, "T", out=tmp_path / "study")
    assert (again["310K"].problem, done) == ("", [4, 4])


def test_groups_of_other_columns_or_units_do_not_stop_the_others(compared: lsn.GroupComparison):
    x = compared.result("300K")
    data = replace(x.findings.data, units={"t": "ms"})
    others = (
        (replace(x, names=("y",)), "The group 310K has the coordinates y, but 300K has x;"),
        (replace(x, findings=replace(x.findings, data=data)), "The group 310K has t in ms, but 300K in no unit;"),
    )
    groups = [Group(label, files=1, increments=10) for label in ("300K", "310K", "320K")]
    for other, said in others:
        kept = only_comparable(groups, {"300K": x, "310K": other, "320K": x})
        assert (kept[0], kept[2]) == (groups[0], groups[2])
        assert kept[1].problem.startswith(said)
        assert kept[1].increments == 0


def test_columns_and_memory_give_what_files_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("write_report", "write_comparison"):
        monkeypatch.setattr(f"liestonet.render.html.{name}", lambda _, path, *__: Path(path))
    data = {label: paths(rate, seed) for label, rate, seed in (("a", 1.0, 1), ("b", 2.0, 3))}
    lines = ["path,t,x,kind\n"]
    for number, (label, one) in enumerate(data.items()):
        for k, (t, x) in enumerate(zip(one.times, one.states, strict=True)):
            lines += [
                f"{1000 * number + k},{a!r},{b[0]!r},{label}\n" for a, b in zip(t.tolist(), x.tolist(), strict=True)
            ]
    (tmp_path / "all.csv").write_text("".join(lines))
    exact = lsn.Measurement.exact()
    by_column = lsn.discover_groups(tmp_path / "all.csv", "kind", measurement=exact)
    in_memory = lsn.discover_groups(data, "kind")
    assert [g.ladder for g in by_column] == [g.ladder for g in in_memory]
    assert by_column.constants == in_memory.constants
    direct = lsn.compare({label: lsn.discover(one) for label, one in data.items()}, by="kind")
    assert direct.constants == in_memory.constants
    assert in_memory.result("a").dimension == in_memory["a"].dimension


def test_wrong_input_is_one_sentence(recordings: Path, tmp_path: Path):
    data = paths(1.0, 1, 5)
    cases: tuple[tuple[Any, Any, dict[str, Any], str], ...] = (
        ({"a": data}, None, {}, "needs two groups"),
        ({"a": data, "b": 3}, None, {}, "give Trajectories for every label"),
        ({"a": data, "b": data}, None, {"time": "t"}, "time says how a file is read"),
        (data, "T", {}, "no column that distinguishes groups"),
        (str(recordings / "*.csv"), None, {}, "not known what distinguishes"),
        (str(recordings / "*.csv"), "T", {"jobs": 0}, "whole number from 1 on"),
        ({"a": data, "b": data}, None, {"symmetry": "no such kind"}, "is unknown"),
    )
    for source, by, options, words in cases:
        with pytest.raises(InputError, match=words):
            lsn.discover_groups(source, by, out=tmp_path / "out", **options)
    with pytest.raises(InputError, match="takes a dictionary of results by label"):
        lsn.compare([1, 2])
    for text, words in (("{", "not JSON"), ("{}", "not a comparison"), ('{"schema": "liestonet.groups/1"}', "damaged")):
        (tmp_path / "groups.json").write_text(text)
        with pytest.raises(InputError, match=words):
            lsn.GroupComparison.open(tmp_path / "groups.json")
    with pytest.raises(InputError, match="cannot be read"):
        lsn.GroupComparison.open(tmp_path / "absent.json")
