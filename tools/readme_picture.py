"""Draw the picture of the README: `python tools/readme_picture.py`, into docs/figures/.

It runs the README's two commands and draws their result twice, in the report's colours for light and for dark pages.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLE_SHEET = ROOT / "src" / "liestonet" / "render" / "html" / "templates" / "report.css"
COMMANDS = (
    ["simulate", "dx = -x dt + dW", "--initial", "x=-2:2", "--paths", "400", "--duration", "2", "--out", "paths.csv"],
    ["discover", "paths.csv", "--time", "t", "--trajectory", "trajectory", "--state", "x", "--out", "run"],
)
SHOWN = 2  # the generator whose flow is drawn: the decaying shift
WIDTH, HEIGHT = 8.6, 3.3  # inches
FONTS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def result_of_the_commands() -> object:
    """What the README's commands find."""
    import liestonet as lsn

    with tempfile.TemporaryDirectory() as folder:
        for words in COMMANDS:
            subprocess.run([sys.executable, "-m", "liestonet", *words, "--quiet"], cwd=folder, check=True)
        return lsn.load(Path(folder) / "run" / "run.lsn")


def drawn(result) -> str:
    """The picture as SVG in the colours of the plots."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    import liestonet as lsn

    with lsn.plots.styled():
        figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, HEIGHT), gridspec_kw={"width_ratios": (1.25, 1)})
        keep_few(lsn.plots.flow(result, left, generator=SHOWN))
        left.set_title(f"X{SHOWN + 1} carries recorded paths (grey) to possible ones (blue)", pad=16)
        lsn.plots.ladder(result, right)
        right.set_title(f"{result.dimension} symmetries, then a gap", pad=16)
        figure.subplots_adjust(left=0.07, right=0.985, top=0.86, bottom=0.25, wspace=0.2)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None})
    return text.getvalue()


def keep_few(ax) -> None:
    """Every second path, and of the two amounts by which it is carried the larger one."""
    third = len(ax.lines) // 3
    recorded, carried = list(ax.lines)[:third], list(ax.lines)[-third:]
    for line in [*ax.lines]:
        if line not in [*recorded[::2], *carried[::2]]:
            line.remove()
    for text in [*ax.texts]:
        text.remove()  # how many points leave the box, of all paths
    ax.relim()
    ax.autoscale_view()


def colours(dark: bool) -> dict[str, str]:
    """Every colour of the plots, and what the report's style sheet makes of it."""
    from liestonet.render.html.palette import VARIABLES

    light_part, dark_part = STYLE_SHEET.read_text(encoding="utf-8").split("@media")[:2]
    values = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", dark_part if dark else light_part))
    return {colour: values[variable] for colour, variable in VARIABLES.items()}


def recoloured(svg: str, dark: bool) -> str:
    """The picture for a light or a dark page, with fonts that every browser has and numbers as short as they may be."""
    known = {colour.lower(): value for colour, value in colours(dark).items()}
    svg = re.sub(r"#[0-9a-fA-F]{6}\b", lambda found: known.get(found[0].lower(), found[0]), svg)
    svg = re.sub(r"font: ([0-9a-z. ]*?[0-9.]+px) [^;\"]*", rf"font: \1 {FONTS}", svg)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\d+\.\d)\d+", r"\1", path[0]), svg)


def main() -> None:
    svg = drawn(result_of_the_commands())
    for name, dark in (("light", False), ("dark", True)):
        target = ROOT / "docs" / "figures" / f"result-{name}.svg"
        target.write_text(recoloured(svg, dark), encoding="utf-8")
        sys.stdout.write(f"Wrote {target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
