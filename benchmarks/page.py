"""The moving page: the time to write it, its size, and its speed with 20 paths of 200 points.

    python benchmarks/page.py

Prints a table and writes benchmarks/page.md. Needs Chromium and playwright. Frames are those of a browser without a
window while the page plays; the work of a frame is the script's alone. Other work on the machine makes both longer.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATHS, POINTS, SECONDS, WINDOWS, SEED = 20, 200, 3, 6, 83
SYSTEMS = (("ornstein-uhlenbeck", 200), ("langevin", 50), ("equation of ornstein-uhlenbeck", 0))
FRAMES = """
async seconds => {
  const times = [], end = performance.now() + 1000 * seconds;
  document.querySelector("[data-part=play]").click();
  await new Promise(done => {
    const tick = now => { times.push(now); performance.now() < end ? requestAnimationFrame(tick) : done(); };
    requestAnimationFrame(tick);
  });
  document.querySelector("[data-part=play]").click();
  return times.slice(1).map((time, k) => time - times[k]);
}
"""
WORK = """
() => {
  const stage = window.liestonet.stage, slider = document.querySelector("[data-part=epsilon]");
  const sweep = () => {
    const times = [];
    for (let k = Number(slider.min); k <= slider.max; k++) {
      const begun = performance.now();
      stage.go(stage.generator.largest * k / slider.max);
      times.push(performance.now() - begun);
    }
    return times;
  };
  return [sweep(), sweep()];
}
"""


def page_of(system: str, paths: int) -> tuple[float, float, str]:
    """Processor seconds for the search and for the page, and the page."""
    import liestonet as lsn
    from liestonet.render.html import render_page

    case = lsn.catalogue[system.split()[-1]]
    begun = time.process_time()
    result = lsn.discover(case.simulate(paths=paths, seed=SEED)) if paths else lsn.solve(case.sde)
    found = time.process_time()
    page = render_page(result)
    return found - begun, time.process_time() - found, page


def with_paths(page: str) -> str:
    """The page with 20 paths of 200 points: its own paths, repeated and filled up by lines between points."""
    import numpy as np

    from liestonet.render.html.moving.embedding import embedded

    begin, end = '<script type="application/json" id="moving-data">', "</script>"
    head, rest = page.split(begin, 1)
    text, tail = rest.split(end, 1)
    data = json.loads(text)
    own = [np.array(path) for path in data["moving"]["paths"]]
    longer = []
    for k in range(PATHS):
        path = own[k % len(own)]
        places = np.linspace(0, path.shape[1] - 1, POINTS)
        longer.append([np.interp(places, np.arange(path.shape[1]), row).tolist() for row in path])
    data["moving"]["paths"] = longer
    return f"{head}{begin}{embedded(data)}{end}{tail}"


def frames_of(browser, page: str) -> tuple[list[float], list[list[float]]]:
    """Milliseconds between frames while it plays, and of the work at each stop of the slider, first and second time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        shown = browser.new_page(viewport={"width": 1400, "height": 900})
        shown.goto(file.as_uri())
        work = shown.evaluate(WORK)
        windows = [shown.evaluate(FRAMES, SECONDS) for _ in range(WINDOWS)]
        times = min(windows, key=statistics.mean)  # other work on the machine only makes frames longer
        shown.close()
    return times, work


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)
    if program is None:
        sys.exit("needs Chromium: apt-get install chromium")
    rows = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        for system, paths in SYSTEMS:
            search, writing, page = page_of(system, paths)
            times, (first, again) = frames_of(browser, with_paths(page))
            rows.append(
                f"| {system} | {search:.1f} | {writing:.1f} | {len(page.encode()) / 1000:.0f} | "
                f"{statistics.median(times):.1f} | {sorted(times)[int(0.95 * len(times))]:.1f} | "
                f"{statistics.median(first):.1f} | {statistics.median(again):.1f} |"
            )
            print(rows[-1], flush=True)
        browser.close()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    text = f"""# The moving page

Made by `python benchmarks/page.py` on {platform.machine()} with {os.cpu_count()} processors and Python
{platform.python_version()}; load of the machine at the end: {load}. Search and page in seconds of the processor; frames
in milliseconds, {PATHS} paths of {POINTS} points moved along a generator: between frames as it plays (median and 95th
percentile, in the quietest of {WINDOWS} windows of {SECONDS} s), and the script's work at a stop of the slider, the
first time and again. A screen with 60 frames a second has 16.7 ms for each. Where the load is above the number of
processors, the browser waits for its turn, and the time between frames is that of the queue; the script's work is not.

| result | search s | page s | kB | between frames | 95 % | work, first time | work, again |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}
"""
    (ROOT / "benchmarks" / "page.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
