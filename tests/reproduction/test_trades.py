"""Trade files: bins against a plain loop, and every kind of wrong file in one sentence."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from liestonet.errors import InputError
from liestonet.reproduction.items.btc import RECORDING
from liestonet.reproduction.trades import VARIABLE, announced, announced_trades, gross_errors, read_trades
from liestonet.study.jobs import run_job

NAME = "BTCUSDT-aggTrades-2024-01-01"
MIDNIGHT = 1_704_067_200_000  # 2024-01-01 UTC in milliseconds
TITLES = "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker,best\n"


def lines(count: int = 500, seed: int = 0, unit: int = 1) -> list[str]:
    """A made-up day, from 130 seconds after midnight to its last millisecond."""
    rng = np.random.default_rng(seed)
    places = np.arange(count) + rng.uniform(0, 1, count)  # no two are far apart
    moments = (130_000 + places / count * 86_270_000).astype(int)
    moments[[0, -1]] = 130_000, 86_399_999
    stamps = moments * unit + MIDNIGHT * unit
    prices = 42_000 + np.cumsum(rng.normal(size=count))
    return [
        f"{i},{price:.2f},0.01,{i},{i},{stamp},True,True"
        for i, (price, stamp) in enumerate(zip(prices, stamps, strict=True))
    ]


def trade(seconds: float) -> str:
    """One line of a file."""
    return f"0,42000.0,1,0,0,{MIDNIGHT + round(1000 * seconds)},True,True\n"


def archive(folder: Path, text: str, name: str = NAME, member: str | None = None) -> Path:
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(member or f"{name}.csv", text)
    return path


@pytest.mark.parametrize(("unit", "header"), [(1, False), (1000, False), (1, True)])
def test_bins_are_the_last_trade_carried_forward(tmp_path: Path, unit: int, header: bool) -> None:
    rows = lines(unit=unit)
    trades = read_trades(archive(tmp_path, TITLES * header + "\n".join(rows) + "\n"), "BTCUSDT")
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
    bars = read_trades(archive(tmp_path, "".join(map(trade, [*range(0, 86_400, 500), 86_399.9])))).bars(0.5)
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
    "titles alone": (TITLES, "no trades"),
    "a negative price": (f"0,-1,1,0,0,{MIDNIGHT},True,True\n", "line 1: the price is not a positive number"),
    "another day": (f"0,1,1,0,0,{MIDNIGHT + 90_000_000},True,True\n", "outside 2024-01-01"),
    "backwards": (
        f"0,1,1,0,0,{MIDNIGHT + 5},True,True\n1,1,1,1,1,{MIDNIGHT},True,True\n",
        "line 2: the trade is earlier",
    ),
    "cut in a line": ("\n".join(lines())[:-30], "last line .* incomplete"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_malformed_files(tmp_path: Path, kind: str) -> None:
    text, message = BROKEN[kind]
    with pytest.raises(InputError, match=message):
        read_trades(archive(tmp_path, text))


BAD_LINES = {
    "a word for a price": ("1,many,1,1,1,1,True,True", r"malformed on line {}: invalid value 'many' as price\."),
    "no price": ("1,,1,1,1,1,True,True", r"malformed on line {}: invalid value '' as price\."),
    "a price that is no number": ("1,nan,1,1,1,1,True,True", "line {}: the price is not a positive number"),
    "a date for a time": ("1,2,1,1,1,2024-01-01,True,True", "malformed on line {}: invalid value '2024-01-01' as time"),
    "no time": ("1,2,1,1,1,,True,True", r"malformed on line {}: invalid value '' as time\."),
    "a short line": ("1,2", r"malformed on line {}: expected 8 columns, got 2: 1,2\."),
    "a long line": ("1,2,3,4,5,6,7,8,9", "malformed on line {}: expected 8 columns, got 9"),
    "a quotation mark": ('1,"2', "malformed on line {}: expected 8 columns, got 2"),
    "megabytes without a comma": ("x" * 3_000_000, r"malformed.* line {}\b"),
    "an earlier trade": (f"1,2,1,1,1,{MIDNIGHT},True,True", "line {}: the trade is earlier than the one before it"),
}


@pytest.mark.parametrize("kind", BAD_LINES)
@pytest.mark.parametrize(
    ("titles", "empty"), [("", ""), (TITLES, ""), (TITLES, "\n\n")], ids=["bare", "titles", "empty lines"]
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, kind: str, titles: str, empty: str) -> None:
    """As an editor counts them, with titles and empty lines, and behind the first megabyte as before it."""
    bad, message = BAD_LINES[kind]
    for count in (6, 30_000):
        rows = lines(count + 1)
        path = archive(tmp_path, "\n".join([titles + rows[0] + empty, *rows[1:count], bad, rows[count]]) + "\n")
        number = count + 1 + titles.count("\n") + empty.count("\n")
        with pytest.raises(InputError, match=message.format(number)):
            read_trades(path)


@pytest.mark.parametrize(
    ("first", "last", "span"),
    [
        (0.0, 23_760.0, "00:00 to 06:36"),
        (601.0, 86_399.9, "00:10 to 23:59"),
        (0.0, 85_799.0, "00:00 to 23:49"),
        (43_200.0, 43_200.0, "12:00 to 12:00"),
    ],
)
def test_a_part_of_a_day_is_refused(tmp_path: Path, first: float, last: float, span: str) -> None:
    path = archive(tmp_path, trade(first) + trade(last))
    with pytest.raises(InputError, match=f"{path.name} covers {span} UTC only: the day is incomplete; download it"):
        read_trades(path)


def test_a_day_may_begin_and_end_quietly(tmp_path: Path) -> None:
    moments = [*np.arange(599.0, 85_801.0, 300.0), 85_801.0]
    trades = read_trades(archive(tmp_path, "".join(map(trade, moments))))
    assert trades.times.tolist() == moments


@pytest.mark.parametrize(("hole", "words"), [(601.0, "from 09:43 to 09:53"), (7200.0, "from 09:43 to 11:43")])
def test_a_gap_inside_a_day_is_refused_with_its_times(tmp_path: Path, hole: float, words: str) -> None:
    before, after = np.arange(0.0, 35_001.0, 500.0), np.arange(35_000.0 + hole, 86_400.0, 500.0)
    with pytest.raises(InputError, match=f"{NAME}.zip has no trade {words} UTC"):
        read_trades(archive(tmp_path, "".join(map(trade, [*before, *after]))))


def test_ten_minutes_without_a_trade_are_accepted(tmp_path: Path) -> None:
    moments = np.arange(0.0, 86_400.0, 600.0)
    assert read_trades(archive(tmp_path, "".join(map(trade, moments)))).times.tolist() == moments.tolist()


def test_a_file_that_was_cut_between_two_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.csv"
    path.write_text("\n".join(lines()[:200]) + "\n")
    with pytest.raises(InputError, match="the day is incomplete"):
        announced(path)


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


@pytest.mark.parametrize("day", ["2024-13-45", "2023-02-29", "0000-01-01"])
def test_a_day_that_is_not_in_the_calendar(tmp_path: Path, day: str) -> None:
    path = archive(tmp_path, "\n".join(lines()) + "\n", f"BTCUSDT-aggTrades-{day}")
    with pytest.raises(InputError, match=rf"names no day of the calendar \({day}\)"):
        announced(path)


def quiet(count: int = 400, seed: int = 1) -> np.ndarray:
    """Prices that move by a hundredth of a per mille from trade to trade."""
    return 42_000 * np.exp(1e-5 * np.cumsum(np.random.default_rng(seed).standard_normal(count)))


@pytest.mark.parametrize("factor", [0.99, 1.01, 10.0, 1e-4])
@pytest.mark.parametrize("places", [[200], [100, 101, 102], [50, 150, 160, 300]])
def test_planted_errors_are_dropped_and_nothing_else(factor: float, places: list[int]) -> None:
    prices = quiet()
    prices[places] *= factor
    assert np.flatnonzero(gross_errors(prices)).tolist() == places


def test_five_wrong_trades_in_a_row_go_together_and_six_stay() -> None:
    for length, dropped in ((5, 5), (6, 0), (9, 0), (12, 0)):
        prices = quiet()
        prices[200 : 200 + length] *= 1.02
        assert np.count_nonzero(gross_errors(prices)) == dropped


@pytest.mark.parametrize("factor", [0.9, 0.99, 1.01, 1.5])
def test_a_genuine_jump_of_the_price_is_kept(factor: float) -> None:
    """Another level, for good or for the last trades of the day, and a steep climb."""
    for begin in (1, 9, 200, 395, 399):
        prices = quiet()
        prices[begin:] *= factor
        assert not gross_errors(prices).any()
    assert not gross_errors(quiet() * factor ** np.linspace(0, 10, 400)).any()


def test_a_small_deviation_or_wild_neighbours_are_no_error() -> None:
    prices = quiet()
    prices[200] *= 1.004
    assert not gross_errors(prices).any()
    for size in (0.002, 0.02):
        wild = 100 * np.exp(size * np.random.default_rng(2).standard_normal(4000))
        wild[2000] = 100 * (1 + 6 * size)
        assert not gross_errors(wild).any()


def test_a_day_turned_round_has_the_same_errors() -> None:
    """Both sides count alike: levels that jump, errors among them, and the same from the end to the beginning."""
    rng = np.random.default_rng(3)
    prices = quiet(2000) * np.repeat(np.exp(0.02 * rng.standard_normal(40)), 50)
    prices[rng.choice(2000, 60, replace=False)] *= 1.05
    found = gross_errors(prices)
    assert 30 < np.count_nonzero(found) <= 60
    assert (gross_errors(prices[::-1])[::-1] == found).all()


def test_few_trades_have_no_neighbours_to_be_judged_by() -> None:
    for count in (1, 2, 18):
        prices = quiet(count)
        prices[count // 2] *= 3
        assert not gross_errors(prices).any()


def test_a_wrong_price_does_not_reach_the_bins(tmp_path: Path) -> None:
    rows = lines()
    fields = rows[250].split(",")
    broken = [*rows[:250], ",".join([fields[0], "1.00", *fields[2:]]), *rows[251:]]
    trades = read_trades(archive(tmp_path, "\n".join(broken) + "\n"))
    assert trades.dropped == 1
    assert len(trades.times) == len(trades.prices) == 499
    assert trades.bars(0.5).prices.min() > 40_000


def test_other_content_under_the_same_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    path = archive(tmp_path, "\n".join(lines()) + "\n")
    file = announced(path)
    assert file is not None
    assert len(announced_trades(file).times) == 500
    archive(tmp_path, "\n".join(lines(seed=1)) + "\n")
    with pytest.raises(InputError, match=r"is not the BTCUSDT-.*zip of this study \(its SHA-256 begins with"):
        announced_trades(file)
    assert announced(path) != file
    path.unlink()
    with pytest.raises(InputError, match="There is no file"):
        announced_trades(file)


def test_a_job_refuses_a_file_of_other_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker is given names the content, and the place comes from its environment."""
    path = archive(tmp_path, "\n".join(lines()) + "\n")
    settings = {"trades": path.name, "sha256": "0" * 64, "seconds": 0.5, "log": False, "seed": 0}
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(InputError, match="This needs the file"):
        run_job("liestonet.reproduction.items.btc:look", settings)
    monkeypatch.setenv(VARIABLE, str(path))
    with pytest.raises(InputError, match="not with 000000000000"):
        run_job("liestonet.reproduction.items.btc:look", settings)


def test_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of the recording's own description: trades, bins without a trade, share of zero returns."""
    folder = os.environ.get("LIESTONET_DATA")
    if not folder:
        pytest.skip("LIESTONET_DATA is not set: no recordings here")
    path = Path(folder) / "btcusdt" / f"{NAME}.zip"
    monkeypatch.setenv(VARIABLE, "")
    assert announced(path) == RECORDING
    trades = read_trades(path, "BTCUSDT")
    bars = trades.bars(0.5)
    returns = np.diff(np.log(bars.prices))
    assert (len(trades.times), trades.dropped) == (863_403, 0)
    assert int((~bars.traded).sum()) == 33_349
    assert abs(np.mean(returns == 0) - 0.567) < 5e-4
