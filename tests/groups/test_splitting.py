"""Which files are which group, by patterns, folders and columns; and the sentence where it is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from liestonet.errors import InputError
from liestonet.groups.splitting import Split, split_files

TABLE = "trajectory,t,x,temperature [K],dose\n" + "".join(
    f"{path},{k},{k},{300 + 10 * (path % 2)},{'low' if path < 2 else 'high'}\n" for path in range(4) for k in range(3)
)


def files(folder: Path, *names: str, text: str = "t,x\n0,1\n1,2\n") -> list[Path]:
    made = [folder / name for name in names]
    for file in made:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return made


def groups(found: Split) -> dict[str, list[str]]:
    return {part.label: [file.name for file in part.files] for part in found.parts}


NAMES = ("run_300K_1.csv", "run_300K_2.csv", "run_90K_1.csv")
WANTED = {"90K": ["run_90K_1.csv"], "300K": ["run_300K_1.csv", "run_300K_2.csv"]}


def test_a_part_of_the_names_in_a_pattern(tmp_path: Path):
    files(tmp_path, *NAMES)
    found = split_files(str(tmp_path / "run_{T}_*.csv"), "T")
    assert (found.by, groups(found)) == ("T", WANTED)
    assert [part.column for part in found.parts] == [None, None]


def test_a_pattern_for_listed_files(tmp_path: Path):
    found = split_files(files(tmp_path, *NAMES), "run_{T}_*.csv")
    assert (found.by, groups(found)) == ("T", WANTED)


def test_folders_name_groups(tmp_path: Path):
    files(tmp_path, "low/1.csv", "low/2.csv", "high/1.csv")
    assert groups(split_files(str(tmp_path / "{dose}" / "*.csv"), "dose")) == {
        "high": ["1.csv"],
        "low": ["1.csv", "2.csv"],
    }


def test_keys_and_values_in_names(tmp_path: Path):
    files(tmp_path, "T=300/a.csv", "T=310/a.csv")
    files(tmp_path, "_SUCCESS", "notes.md")  # neither is read by a scan
    assert list(groups(split_files(tmp_path, "T"))) == ["300", "310"]
    other = files(tmp_path / "flat", "run_T=2.5_1.csv", "run_T=12_1.csv")
    assert list(groups(split_files(other, "T"))) == ["2.5", "12"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column(tmp_path: Path, suffix: str):
    (file,) = files(tmp_path, "all.csv", text=TABLE)
    if suffix == ".parquet":
        from pyarrow import csv, parquet

        parquet.write_table(csv.read_csv(file), file.with_suffix(suffix))
    found = split_files(file.with_suffix(suffix), "temperature")
    assert [(part.label, part.column) for part in found.parts] == [("300", "temperature"), ("310", "temperature")]


def test_what_is_wrong_is_one_sentence(tmp_path: Path):
    given = files(tmp_path, *NAMES)
    (table,) = files(tmp_path, "all.csv", text=TABLE)
    (holes,) = files(tmp_path, "holes.csv", text="t,x,dose\n0,1,low\n1,2,\n")
    (arrays,) = files(tmp_path, "all.npz")
    mixed = files(tmp_path / "mixed", "T=300/a.csv", "T=310/a.csv", "README.txt")
    for source, by, words in (
        (given, "exp_{T}.csv", "does not match"),
        (given[:2], "run_{T}_*.csv", "one group only, T = 300K"),
        (str(tmp_path / "run_{T}_*.csv"), "dose", "no {dose} in the pattern"),
        (given, "{a}_{b}_*.csv", "several parts in braces"),
        (table, "colour", "has no column 'colour'"),
        (holes, "dose", "has no value in 'dose'"),
        (mixed, "T", "says what T is, but that of"),
        (arrays, "dose", "no columns that distinguish groups"),
        (tmp_path / "absent.csv", "dose", "no file"),
        (str(tmp_path / "absent*.csv"), "dose", "No file matches"),
        ([], "dose", "Give the files"),
        (table, " ", "must be the name"),
        (table, None, "must be the name"),
    ):
        with pytest.raises(InputError, match=words.replace("{", r"\{").replace("}", r"\}")) as caught:
            split_files(source, by)  # type: ignore[arg-type]
        assert str(caught.value).count("\n") == 0


def test_a_star_stays_inside_a_folder(tmp_path: Path):
    given = files(tmp_path, "a/x/1.csv", "b/x/1.csv")
    with pytest.raises(InputError, match="does not match"):
        split_files(given, f"{tmp_path.name}/{{dose}}/*.csv")
    assert list(groups(split_files(given, f"{tmp_path.name}/{{dose}}/*/*.csv"))) == ["a", "b"]
    assert list(groups(split_files(str(tmp_path / "{dose}" / "**" / "*.csv"), "dose"))) == ["a", "b"]
