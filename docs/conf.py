"""How Sphinx builds the site; run by `make docs`, which adds generated pages. Nothing comes from the network."""

from importlib import metadata

project = "LieStoNet"
author = "The LieStoNet developers"
release = version = metadata.version("liestonet")
extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"LieStoNet {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
