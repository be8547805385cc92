"""A result as one HTML page: `write_report(result, path)`. Pictures, formulas and style are inside the file.

A page is a list of sections. Each is a small function `(view, result) -> Section | None` that takes its texts from the
view and its pictures from the result, and returns None if the section is not needed; `sections.SECTIONS` lists them in
the order of the page. To add one, write such a function in its own module, and add it to that list.
`html.render(template, **values)` fills a template of `templates/` and escapes everything that is not marked as HTML;
`html.picture(draw, description, size)` draws a figure in the page's style.
"""

from liestonet.render.html.groups_page import write_comparison
from liestonet.render.html.page import render_page, write_report

__all__ = ["render_page", "write_comparison", "write_report"]
