"""Trade files: bins against a plain loop, and every kind of wrong file in one sentence."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from liestonet.errors import InputError
from liestonet.reproduction.trades import announced, read_trades

NAME = "BTCUSDT-aggTrades-2024-01-01"
MIDNIGHT = 1_704_067_200_000  # 2024-01-01 UTC in milliseconds


def lines(count: int = 500, seed: int = 0, unit: int = 1) -> list[str]:
    """A made-up day."""
    rng = np.random.default_rng(seed)
    stamps = np.sort(rng.integers(0, 86_400_000, count)) * unit + MIDNIGHT * unit
    prices = 42_000 + np.cumsum(rng.normal(size=count))
    return [
        f"{i},{price:.2f},0.01,{i},{i},{stamp},True,True"
        for i, (price, stamp) in enumerate(zip(prices, stamps, strict=True))
    ]


def archive(folder: Path, text: str, name: str = NAME, member: str | None = None) -> Path:
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(member or f"{name}.csv", text)
    return path


@pytest.mark.parametrize(("unit", "header"), [(1, False), (1000, False), (1, True)])
def test_bins_are_the_last_trade_carried_forward(tmp_path: Path, unit: int, header: bool) -> None:
    rows = lines(unit=unit)
    titles = ["agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker,best"]
    trades = read_trades(archive(tmp_path, "\n".join([*(titles if header else []), *rows]) + "\n"), "BTCUSDT")
    bars = trades.bars(60.0)
    parsed = [(int(row.split(",")[5]) / unit - MIDNIGHT, float(row.split(",")[1])) for row in rows]
    first = int(parsed[0][0] // 60_000)
    assert bars.start == first * 60
    for i, price in enumerate(bars.prices):
        end = (first + i + 1) * 60_000
        before = [value for stamp, value in parsed if stamp < end]
        assert price == before[-1]
        assert bars.traded[i] == any(end - 60_000 <= stamp < end for stamp, _ in parsed)


def test_a_day_at_half_a_second_gives_the_papers_575_windows(tmp_path: Path) -> None:
    row = f"0,42000.0,1,0,0,{MIDNIGHT},True,True\n"
    bars = read_trades(archive(tmp_path, row)).bars(0.5)
    paths = bars.windows(600, 300)
    assert len(bars.prices) == 172_800
    assert len(paths) == 575
    assert all(times[0] == 0 for times in paths.times)


def test_log_prices(tmp_path: Path) -> None:
    bars = read_trades(archive(tmp_path, "\n".join(lines()) + "\n")).bars(3600.0)
    straight, logarithm = bars.windows(5, 5), bars.windows(5, 5, log=True)
    np.testing.assert_allclose(np.exp(logarithm.flat_states), straight.flat_states)


BROKEN = {
    "no prices": ("\n", "no trades"),
    "too few columns": ("1,2,3\n", "3 columns"),
    "a word for a price": (lines()[0].replace(lines()[0].split(",")[1], "many") + "\n", "malformed"),
    "a negative price": (f"0,-1,1,0,0,{MIDNIGHT},True,True\n", "not positive"),
    "another day": (f"0,1,1,0,0,{MIDNIGHT + 90_000_000},True,True\n", "outside 2024-01-01"),
    "backwards": (
        f"0,1,1,0,0,{MIDNIGHT + 5},True,True\n1,1,1,1,1,{MIDNIGHT},True,True\n",
        "line 2: the trade is earlier",
    ),
    "cut in a line": ("\n".join(lines())[:-30], "last line .* incomplete"),
    "a short line": (lines()[0] + "\n1,2\n", "malformed"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_malformed_files(tmp_path: Path, kind: str) -> None:
    text, message = BROKEN[kind]
    with pytest.raises(InputError, match=message):
        read_trades(archive(tmp_path, text))


def test_damaged_archives(tmp_path: Path) -> None:
    path = archive(tmp_path, "\n".join(lines()) + "\n")
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"no zip at all", whole[:60] + b"\xff" * 40 + whole[100:]):
        path.write_bytes(content)
        with pytest.raises(InputError, match="download it again"):
            read_trades(path)


def test_wrong_names_and_symbols(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_trades(tmp_path / f"{NAME}.zip")
    with pytest.raises(InputError, match="not named like"):
        read_trades(tmp_path / "trades.zip")
    with pytest.raises(InputError, match="holds trades of BTCUSDT, not of ETHUSDT"):
        read_trades(archive(tmp_path, "\n".join(lines()) + "\n"), "ETHUSDT")
    other = archive(tmp_path, "\n".join(lines()) + "\n")
    with pytest.raises(InputError, match="holds trades of ETHUSDT, not of BTCUSDT"):
        announced(other.rename(other.with_name(other.name.replace("BTC", "ETH"))))


def test_the_recording() -> None:
    """Facts of the recording's own description: trades, bins without a trade, share of zero returns."""
    folder = os.environ.get("LIESTONET_DATA")
    if not folder:
        pytest.skip("LIESTONET_DATA is not set: no recordings here")
    trades = read_trades(Path(folder) / "btcusdt" / f"{NAME}.zip", "BTCUSDT")
    bars = trades.bars(0.5)
    returns = np.diff(np.log(bars.prices))
    assert len(trades.times) == 863_403
    assert int((~bars.traded).sum()) == 33_349
    assert abs(np.mean(returns == 0) - 0.567) < 5e-4
