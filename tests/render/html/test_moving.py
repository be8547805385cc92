"""What moves on the page, in a real browser: where the sliders bring the paths, and what the ladder says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from chromium import opened_page, resized, running_browser
from liestonet.core.domain import Domain
from liestonet.render.html.markup import source
from liestonet.render.html.moving.embedding import embedded
from liestonet.render.html.moving.programs import coordinate_programs, field_program
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields
from liestonet.validation.flows import Reach, flow
from report_results import made, page_of

MOVING_PAGES = ("1-D", "2-D", "Fokker-Planck")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def file_of(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("moving")

    def file(name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(page_of(name), encoding="utf-8")
        return path

    return file


@pytest.fixture
def opened(browser: Any, file_of: Any) -> Iterator[Any]:
    """Opens a page by name; whatever it complains of or asks the network for fails the test."""
    pages, complaints = [], []

    def page(name: str, **options: Any) -> Any:
        found = opened_page(browser, viewport={"width": 1200, "height": 900}, **options)
        found.on("console", lambda message: complaints.append(message.text))
        found.on("pageerror", lambda problem: complaints.append(str(problem)))
        found.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or complaints.append(asked.url))
        found.goto(file_of(name).as_uri())
        pages.append(found)
        return found

    yield page
    for found in pages:
        found.close()
    assert complaints == []


def data_of(page: Any) -> dict[str, Any]:
    return json.loads(page.text_content("#moving-data"))


def comes(locator: Any) -> Any:
    """What a place of the page comes to show: waited for as long as a busy machine needs."""
    return pytest.importorskip("playwright.sync_api").expect(locator)


def part_of(page: Any, name: str) -> Any:
    return page.locator(f"[data-part={name}]")


def two_frames(page: Any) -> None:
    """Until all that was asked for has been drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def comes_true(page: Any, condition: str, value: Any = None) -> None:
    """Until a condition on the page holds: what keys and pointers do may be seen later than they were used."""
    page.wait_for_function(f"value => {condition}", arg=value)


AMOUNT = "liestonet.stage.amounts[liestonet.stage.place]"
NEARLY = f"Math.abs({AMOUNT} - value) <= 1e-9 * Math.abs(value)"


def slide(page: Any, part: str, keys: int) -> None:
    """Arrow keys on a slider, each when the one before has arrived."""
    slider = part_of(page, part)
    slider.focus()
    comes(slider).to_be_focused()
    place, sign = int(slider.input_value()), 1 if keys > 0 else -1
    for k in range(1, abs(keys) + 1):
        slider.press("ArrowRight" if keys > 0 else "ArrowLeft")
        comes(slider).to_have_value(str(place + sign * k))


@pytest.mark.parametrize("name", MOVING_PAGES)
def test_paths_are_where_push_brings_them(name, opened):
    """Every generator at both ends of the slider and between two of its steps, to a millionth of the data's range."""
    result, page = made(name), opened(name)
    moving = data_of(page)["moving"]
    paths = [np.array(path) for path in moving["paths"]]
    data = lsn.Trajectories.from_arrays([path[0] for path in paths], [path[1:].T for path in paths], names=result.names)
    whole = np.column_stack([data.flat_times, data.flat_states])
    for place, row in enumerate(moving["generators"]):
        page.select_option("[data-part=chosen]", str(place))
        for part in (-1.0, 0.37, 1.0):
            epsilon = part * row["largest"]
            shown = page.evaluate("epsilon => { liestonet.stage.go(epsilon); return liestonet.points(); }", epsilon)
            points = np.array(shown, dtype=float).reshape(whole.shape)
            end = flow(
                result.evaluated,
                whole[:, 0],
                whole[:, 1:],
                epsilon,
                row["number"] - 1,
                Reach(result.domain, 1.0),
            )
            expected = np.column_stack([end.t, end.x])
            assert np.array_equal(np.isnan(points), np.isnan(expected))
            assert np.nanmax(np.abs(points - expected) / np.ptp(whole, axis=0)) < 1e-6
            if end.arrived.all():
                pushed = result.push(data, row["number"] - 1, epsilon)
                moved = np.column_stack([pushed.flat_times, pushed.flat_states])
                assert np.max(np.abs(points - moved) / np.ptp(whole, axis=0)) < 1e-6


@pytest.mark.slow
def test_a_generator_with_an_error_function_moves_as_push_does(browser, tmp_path):
    """By its series, inside the box; points that leave the box are not drawn."""
    result = lsn.solve(lsn.SDE.parse("dx = (-x*exp(-x^2)/2) dt + exp(-x^2/2) dW"))
    path = tmp_path / "special.html"
    result.report(path)
    page = opened_page(browser)
    page.goto(path.as_uri())
    moving = data_of(page)["moving"]
    (place,) = [k for k, row in enumerate(moving["generators"]) if "series" in row["field"]]
    row = moving["generators"][place]
    whole = np.concatenate([np.array(path).T for path in moving["paths"]])
    page.select_option("[data-part=chosen]", str(place))
    for part in (-1.0, 0.37, 1.0):
        epsilon = part * row["largest"]
        shown = page.evaluate("epsilon => { liestonet.stage.go(epsilon); return liestonet.points(); }", epsilon)
        points = np.array(shown, dtype=float).reshape(whole.shape)
        times, states = whole[:, 0], whole[:, 1:]
        end = flow(result.evaluated, times, states, epsilon, row["number"] - 1, Reach(result.domain, 1.0))
        expected, known = np.column_stack([end.t, end.x]), np.isfinite(points).all(axis=1)
        assert known.mean() > 0.5
        assert np.max(np.abs(points - expected)[known] / np.ptp(whole, axis=0)) < 1e-6
    page.close()


def test_the_slider_by_keyboard_and_by_mouse(opened):
    page = opened("1-D")
    before = page.evaluate("() => liestonet.points()")
    largest = page.evaluate("() => liestonet.stage.generator.largest")
    slider = part_of(page, "epsilon")
    steps = slider.get_attribute("max")
    slide(page, "epsilon", 3)
    comes_true(page, NEARLY, largest * (0.5 + 3 / float(steps)))
    comes_true(page, "JSON.stringify(liestonet.points()) !== JSON.stringify(value)", before)
    comes(page.locator("#stage [data-part=said]")).to_contain_text("ΔNLL")
    slider.click(position={"x": 1, "y": slider.bounding_box()["height"] / 2})
    comes(slider).to_have_value(f"-{steps}")
    comes_true(page, NEARLY, -largest)
    slider.press("End")
    comes(slider).to_have_value(steps)
    comes_true(page, NEARLY, largest)


def test_reduced_motion_has_no_play_and_play_plays(opened):
    page = opened("1-D")
    play, said = part_of(page, "play"), page.locator("#stage [data-part=said]")
    before = said.text_content()
    play.press("Enter")
    comes(play).to_have_text("Pause")
    comes(said).not_to_have_text(before)
    play.press("Enter")
    comes(play).to_have_text("Play")
    comes(part_of(opened("1-D", reduced_motion="reduce"), "play")).to_be_hidden()


RECORDED = {
    "1-D": lambda: lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=200, seed=3),
    "2-D": lambda: lsn.catalogue["langevin"].simulate(paths=50, seed=1),
}


@pytest.mark.parametrize("name", ["1-D", pytest.param("2-D", marks=pytest.mark.slow)])
def test_other_tolerances_are_what_discover_finds(name, opened):
    """Verdicts in the picture and the table, and the number of symmetries, after moving the slider by keys."""
    data, page = RECORDED[name](), opened(name)
    ladder = data_of(page)["ladder"]
    tolerances = [answer["tolerance"] for answer in ladder["answers"]]
    assert tolerances[ladder["own"]] == 0.1
    place = ladder["own"]
    for wanted in (0.02, 0.05, 0.5):
        slide(page, "tolerance", tolerances.index(wanted) - place)
        place = tolerances.index(wanted)
        expected = lsn.discover(data, tolerance=wanted, formulas=False)
        verdicts = [row.verdict for row in expected.ladder]
        said = page.locator("#ladder [data-part=said]")
        comes(said).to_contain_text(f"{100 * wanted:g}\u00a0%: {expected.dimension} ")
        for places in ("#ladder .direction", "[data-part=ladder-table] tbody .badge"):
            comes(page.locator(places)).to_have_class([re.compile(rf"\b{verdict}( |$)") for verdict in verdicts])
    slide(page, "tolerance", ladder["own"] - place)
    comes(page.locator("#ladder [data-part=said]")).to_contain_text("as on the rest of this page")


def test_a_direction_shows_its_field_and_interval(opened):
    page, result = opened("1-D"), made("1-D")
    detail, directions = part_of(page, "detail"), page.locator("#ladder .direction")
    comes(detail).to_contain_text("1: symmetry")
    directions.nth(0).focus()
    comes(directions.nth(0)).to_be_focused()
    directions.nth(0).press("Tab")
    comes(directions.nth(1)).to_be_focused()
    comes(detail).to_contain_text("2: symmetry")
    comes(detail).to_contain_text(f"{100 * result.ladder[1].upper:.1f} %")
    assert data_of(page)["ladder"]["answers"][0]["rows"][0]["interval"]
    directions.nth(3).hover()
    comes(detail).to_contain_text("4: not a symmetry")
    comes(detail).to_contain_text("∂")


def test_details_of_a_direction_stay_when_directions_are_redrawn(opened):
    """With the pointer on one direction and the keyboard on another: the last one asked for counts."""
    page = opened("1-D")
    detail, directions = part_of(page, "detail"), page.locator("#ladder .direction")
    directions.nth(3).hover()
    comes(detail).to_contain_text("4: ")
    directions.nth(1).focus()
    comes(detail).to_contain_text("2: ")
    resized(page, 1000)
    comes(directions.nth(1)).to_be_focused()
    two_frames(page)
    assert "2: " in detail.text_content()
    slide(page, "tolerance", 1)
    two_frames(page)
    assert "2: " in detail.text_content()


def test_canonical_coordinates_and_projections(opened):
    """y = x exp(t) on the clock (exp(2 t) − 1)/2: for the trap these are Brownian paths."""
    page = opened("Fokker-Planck")
    page.check("[data-part=canonical]")
    paths = np.array(data_of(page)["moving"]["paths"][0])
    seen = page.evaluate(
        "points => points.map(point => liestonet.stage.paths.projection({ canonical: true })(point))", paths.T.tolist()
    )
    expected = np.column_stack([(np.exp(2 * paths[0]) - 1) / 2, paths[1] * np.exp(paths[0])])
    assert np.allclose(seen, expected, rtol=1e-12)
    plane = opened("2-D")
    recorded, arrows = plane.locator("#stage-paths .recorded"), plane.locator("#stage-paths .arrows")
    comes(arrows).not_to_have_attribute("d", "")
    before = recorded.get_attribute("d")
    plane.select_option("[data-part=across]", "0")
    comes(recorded).not_to_have_attribute("d", before)
    comes(arrows).to_have_attribute("d", "")


def test_paper_and_pages_without_scripts_are_still(opened):
    printed = opened("1-D")
    comes(printed.locator("#stage")).to_be_visible()
    comes(part_of(printed, "ladder-still")).to_be_hidden()
    printed.emulate_media(media="print")
    for page in (printed, opened("1-D", java_script_enabled=False)):
        comes(page.locator("#stage")).to_be_hidden()
        comes(page.locator("#ladder")).to_be_hidden()
        comes(part_of(page, "ladder-still")).to_be_visible()


def test_a_page_for_one_coordinate_is_light(file_of):
    assert file_of("1-D").stat().st_size < 600_000
    assert file_of("Fokker-Planck").stat().st_size < 600_000


def test_series_of_every_coordinate_agree_with_numpy(browser):
    """Polynomials, functions of a distance to a singular point below and above, and waves; τ and three components."""
    domain = Domain(
        ((0.0, 2.0), (0.2, 5.0), (-4.0, -0.1), (0.0, 2 * np.pi)),
        singular=((None, None), (0.0, None), (None, 0.0), (None, None)),
        periodic=(3,),
    )
    rng = np.random.default_rng(5)
    degrees = rng.integers(0, 5, (30, 4))
    basis = Basis(domain, domain.half, (degrees,) * 4)
    fields = Fields(basis, rng.standard_normal((basis.size, 2)))
    points = domain.centre + domain.half * rng.uniform(-1, 1, (50, 4))
    expected = fields.components(points, [()])[()][1]
    page = opened_page(browser)
    found = page.evaluate(
        f"([program, coordinates, points]) => {{ {source('scripts/fields.js')}\n"
        "const field = fieldOf(program, coordinates), slope = new Float64Array(4);"
        "return points.map(point => { field(point, slope); return Array.from(slope); }); }",
        [field_program(fields, 1, 4), coordinate_programs(fields), points.tolist()],
    )
    page.close()
    assert np.allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_other_scripts_do_not_run(browser, file_of):
    page = opened_page(browser)
    page.goto(file_of("1-D").as_uri())
    page.evaluate(
        "() => { const other = document.createElement('script'); other.textContent = 'window.ran = 1';"
        "document.body.append(other); document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"ran=1\">');"
        "return new Promise(done => document.body.lastElementChild.addEventListener('error', done)); }"
    )
    assert page.evaluate("() => window.ran") is None
    page.close()


PIECES = (
    "</script><script>window.ran=1</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=window.ran=1>",
    "\u2028window.ran=1",
    "\u2029window.ran=1//",
    '";window.ran=1;"',
    "';window.ran=1;'",
    "`${window.ran=1}`",
    "\\u003c/script>",
    "&lt;script&gt;",
    "<svg onload=window.ran=1>",
    "</style><script>window.ran=1</script>",
    "javascript:window.ran=1",
    '"><b onmouseover=ran=1>',
    "</title><script>window.ran=1</script>",
    "\\",
    '\\"',
    "</SCRIPT >",
    "<script",
    "é\u0301∂",
    "{{7*7}}",
    "__proto__",
)


def hostile(count: int) -> list[str]:
    """Strings that try to leave where they stand: one piece each, then several."""
    rng = np.random.default_rng(11)
    found: list[str] = list(PIECES[:count])
    while len(found) < count:
        found.append(" ".join(rng.choice(PIECES, size=int(rng.integers(2, 5)))) + str(len(found)))
    return found


def nothing_runs(browser: Any, folder: Path, strings: list[str]) -> None:
    """Strings as units, flags and coordinates' names, and in the page's data: shown as they are, none executed."""
    from dataclasses import replace

    from liestonet.core.flags import Flag
    from liestonet.render.html import render_page

    result = made("1-D")
    found: Any = result.findings
    units = {"t": strings[0], "x": strings[-1]}
    record = replace(found.data, units=units, notes=tuple(strings))
    flags = tuple(Flag(text, text, text) for text in strings)
    text = render_page(replace(result, flags=flags, findings=replace(found, data=record)), tolerances=())
    text = text.replace("</body>", f'<script type="application/json" id="all">{embedded(strings)}</script></body>')
    path = folder / "hostile.html"
    path.write_text(text, encoding="utf-8")
    page = opened_page(browser)
    page.goto(path.as_uri())
    page.locator("#ladder .direction").nth(0).focus()
    part_of(page, "play").press("Enter")
    two_frames(page)
    assert page.evaluate("() => window.ran") is None
    comes(page.locator("img, b[onmouseover], svg[onload]")).to_have_count(0)
    assert page.evaluate("() => JSON.parse(document.getElementById('all').textContent)") == strings
    assert [row["label"] for row in data_of(page)["moving"]["variables"]] == [f"t [{strings[0]}]", f"x [{strings[-1]}]"]
    shown = page.eval_on_selector_all(".flags .action", "all => all.map(each => each.textContent)")
    assert shown == strings
    page.close()


@pytest.mark.usefixtures("undrawn")
def test_hostile_strings_are_only_text(browser, tmp_path):
    nothing_runs(browser, tmp_path, hostile(36))


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_five_hundred_hostile_strings(browser, tmp_path):
    strings = hostile(500)
    for first in range(0, 500, 50):
        nothing_runs(browser, tmp_path, strings[first : first + 50])


def test_a_notebook_has_the_page_in_a_frame(browser):
    """It moves there, cannot see the notebook, and shows text that has quotes and tags."""
    made_page = made("undecided").show(height=500)
    page = opened_page(browser, viewport={"width": 1000, "height": 700})
    page.set_content(f"<script>window.secret = 1</script>{made_page._repr_html_()}")
    frame = page.locator("iframe").element_handle().content_frame()
    comes(frame.locator("#ladder .direction").first).to_be_visible()
    slider = frame.locator("[data-part=tolerance]")
    slider.press("End")
    data = lsn.catalogue["linear"].simulate(paths=300, seed=2)
    count = lsn.discover(data, tolerance=0.5, formulas=False).dimension
    said = f"50\u00a0%: {count} {'symmetry' if count == 1 else 'symmetries'}"
    comes(frame.locator("#ladder [data-part=said]")).to_contain_text(said)
    assert frame.evaluate("() => { try { return parent.secret; } catch { return 'refused'; } }") == "refused"
    assert "<iframe" not in made("undecided")._repr_html_()
    with pytest.raises(lsn.InputError, match="number of pixels"):
        made("undecided").show(height="tall")
    page.close()
