"""Damaged files are refused with our sentence: cut, flipped, swapped, stretched, and at no cost in memory."""

from __future__ import annotations

import json
import random
import tracemalloc

import pytest

import liestonet as lsn
from liestonet.errors import InputError
from storage_cases import result

CASES = ["1-D", "dimension 0", "data 1-D Fokker-Planck"]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    for number, case in enumerate(CASES):
        result(case).save(folder / f"{number}.lsn")
    return {case: (folder / f"{number}.lsn").read_bytes() for number, case in enumerate(CASES)}


def header_length(data: bytes) -> int:
    return int.from_bytes(data[:8], "little")


def refused(data: bytes, path, measured: bool = True) -> str:
    """The sentence with which these bytes are refused; no more memory than a few times their length is taken."""
    path.write_bytes(data)
    if measured:
        tracemalloc.start()
    try:
        with pytest.raises(InputError) as problem:
            lsn.load(path)
        peak = tracemalloc.get_traced_memory()[1] if measured else 0
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(data) + 2**21, f"{peak} bytes for a file of {len(data)}"
    sentence = str(problem.value)
    assert path.name in sentence
    assert "\n" not in sentence
    return sentence


def corruptions(name: str, data: bytes, rng: random.Random) -> bytes:
    """One damaged version of a file."""
    place = rng.randrange(len(data))
    head = 8 + header_length(data)
    if name == "cut":
        return data[:place]
    if name == "flipped bit":
        return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    if name == "flipped bit in the header":
        place = rng.randrange(head)
        return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    if name == "zeros":
        length = rng.randrange(16, 600)
        changed = data[:place] + bytes(length) + data[place + length :]
        return changed if changed != data else data[:-1]
    if name == "longer":
        return data + rng.randbytes(rng.randrange(1, 40))
    if name == "piece lost":
        return data[:place] + data[place + rng.randrange(1, 9) :]
    if name == "length of the header":
        wrong = rng.choice([rng.randrange(2**64), header_length(data) + rng.choice([-8, -1, 1, 8]), 2**63, 0, 1])
        return wrong.to_bytes(8, "little") + data[8:]
    other = rng.randbytes(rng.randrange(1, 4000))
    return other if rng.random() < 0.5 else data[:head] + other


SORTS = ["cut", "flipped bit", "flipped bit in the header", "zeros", "longer", "piece lost", "length of the header"]
SORTS += ["noise"]


@pytest.mark.parametrize("sort", SORTS)
def test_damage_is_refused(sort, files, tmp_path):
    rng = random.Random(sort)
    whole = files["1-D"], files["dimension 0"]
    for number in range(250):  # of eight sorts: 2,000
        data = whole[number % 2]
        changed = corruptions(sort, data, rng)
        assert changed != data
        refused(changed, tmp_path / "run.lsn", measured=number % 10 == 0 or sort == "length of the header")


def test_damage_to_a_larger_file_is_refused(files, tmp_path):
    rng = random.Random(1)
    for sort in ("cut", "flipped bit", "zeros"):
        for _ in range(6):
            refused(corruptions(sort, files["data 1-D Fokker-Planck"], rng), tmp_path / "run.lsn")


def test_swapped_headers_are_refused(files, tmp_path):
    for first in CASES:
        for second in CASES:
            if first != second:
                a, b = files[first], files[second]
                head = 8 + header_length(a)
                refused(a[:head] + b[8 + header_length(b) :], tmp_path / "run.lsn")


def stretched(header: dict, name: str, rng: random.Random) -> None:
    """An array that claims to be larger than the file, in one of many ways."""
    place = header[name]
    huge = rng.choice([2**20, 2**31, 2**40, 2**62, 2**63, 2**64, 10**30, -1])
    match rng.randrange(5):
        case 0:
            place["shape"] = [huge, *place["shape"][1:]]
        case 1:
            place["shape"] = [*place["shape"], 0, huge]
        case 2:
            place["data_offsets"][1] = huge
        case 3:
            place["shape"], place["data_offsets"] = [huge], [0, 8 * huge]
        case _:
            place["shape"] = [1] * 70 + place["shape"]


def test_oversized_lengths_are_refused(files, tmp_path):
    rng = random.Random(2)
    data = files["1-D"]
    length = header_length(data)
    for _ in range(300):
        header = json.loads(data[8 : 8 + length])
        name = rng.choice([key for key in header if key != "__metadata__"])
        stretched(header, name, rng)
        text = json.dumps(header).encode()
        refused(len(text).to_bytes(8, "little") + text + data[8 + length :], tmp_path / "run.lsn")


@pytest.mark.parametrize(
    "header",
    [
        b"{}", b"[]", b"{" * 100_000, b'{"a":' * 50_000, b"[" * 200_000, b'{"__metadata__":{}}', b'{"__metadata__":[]}',
        b'{"__metadata__":{"liestonet.run":3}}', b'{"__metadata__":{"liestonet.run":"\\ud800"}}', b"{\xff\xfe}",
        b'{"a":' + b"9" * 100_000 + b"}", b'{"a":NaN}', b'{"a":1,"a":2}', b"{}" + b"\0" * 8,
    ],
    ids=range(14),
)  # fmt: skip
def test_strange_headers_are_refused(header, tmp_path):
    refused(len(header).to_bytes(8, "little") + header, tmp_path / "run.lsn")


@pytest.mark.parametrize("data", [b"", b"{}", b"\x80\x04\x95", b"PK\x03\x04" + bytes(100), b"t,x\n1,2\n" * 20])
def test_other_files_are_refused(data, tmp_path):
    assert "not a LieStoNet result" in refused(data, tmp_path / "run.lsn")


def test_a_sparse_file_of_many_gigabytes_is_not_read(files, tmp_path):
    path = tmp_path / "run.lsn"
    path.write_bytes(files["1-D"])
    with path.open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match="more than any result"):
        lsn.load(path)
    with path.open("r+b") as file:
        file.truncate(2**29)
    tracemalloc.start()
    with pytest.raises(InputError, match="damaged"):
        lsn.load(path)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_a_folder_and_a_pipe_are_refused(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(InputError, match="is a folder or a device"):
            lsn.load(path)
