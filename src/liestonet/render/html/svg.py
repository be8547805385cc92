"""Figures as SVG inside a page: text stays text, colours follow the page, and every picture has a description."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from html import escape
from typing import Any

from liestonet.render.html.palette import VARIABLES

DOTS = 90  # resolution of rasterised parts, in dots per inch
LONG_NUMBER = re.compile(r"(\d+\.\d)\d+")
IMAGE = re.compile(r"(data:image/png;base64,)([^\"]+)")
COLOURS = 64  # number of colours of point clouds, which have one colour and its mixtures with the background
FONT = re.compile(r"font: ([0-9.]+px) [^;\"]*")


def inline(figure: Any, description: str) -> str:
    """The figure as an element with a text alternative and unique identifiers."""
    text = io.StringIO()
    figure.savefig(text, format="svg", dpi=DOTS, metadata={"Date": None, "Creator": None, "Format": None})
    content = text.getvalue()
    content = IMAGE.sub(lambda found: found[1] + few_colours(found[2]), content)
    mark = hashlib.sha256(f"{description}{content}".encode()).hexdigest()[:8]
    return with_description(page_colours(own_identifiers(short_numbers(content), mark)), description)


def few_colours(encoded: str) -> str:
    """A rasterised image with a palette if that is smaller, as for point clouds; else unchanged."""
    from PIL import Image

    small = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        whole = image.convert("RGBA")
        if whole.getchannel("A").getextrema()[0] == 255:
            return encoded
        found = whole.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
        found.save(small, "png", optimize=True)
    shorter = base64.b64encode(small.getvalue()).decode()
    return min(encoded, shorter, key=len)


def short_numbers(svg: str) -> str:
    """Outlines with coordinates rounded to a tenth of a point: further decimals are most of a picture's size."""
    return re.sub(r' d="[^"]*"', lambda found: LONG_NUMBER.sub(r"\1", found[0]), svg)


def own_identifiers(svg: str, mark: str) -> str:
    """The picture with identifiers that no other picture of the page has."""
    svg = re.sub(r'\bid="', f'id="p{mark}-', svg)
    return re.sub(r'(url\(|href=")#', rf"\1#p{mark}-", svg)


def page_colours(svg: str) -> str:
    """The picture with the colours and fonts of the page instead of fixed ones."""
    for colour, variable in VARIABLES.items():
        svg = re.sub(rf"(?<=[ :]){colour}\b", f"var({variable})", svg, flags=re.IGNORECASE)
    return FONT.sub(r"font: \1 var(--sans)", svg)


def with_description(svg: str, description: str) -> str:
    """The SVG element without a fixed width, with a description for screen readers."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    opening, rest = body.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', opening)
    width = re.search(r'width="([0-9.]+)pt"', opening)
    named = escape(description, quote=True)
    size = f' style="max-width: {float(width[1]) * 4 / 3:.0f}px"' if width else ""
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" {box[0] if box else ""} '
        f'role="img" aria-label="{named}"{size}><title>{named}</title>{rest}'
    )
