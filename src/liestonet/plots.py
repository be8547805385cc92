"""Pictures of a result: small functions `f(result, ax=None) -> ax` on matplotlib's axes.

`ladder`, `time_parts`, `drift`, `diffusion` and `by_date` show the result as a whole, `state_part`, `density_part` and
`flow` one generator, chosen by `generator=`, from 0. `paths` and `steps` show data: `f(data, ax=None) -> ax`. Colours
have the same meaning everywhere: `DATA`, `INFERRED` (estimated), `EXACT` and `ERROR`. `with styled(): …` draws in the
style of the page.
"""

from liestonet.render.html.evidence_plots import by_date, diffusion, drift, ladder
from liestonet.render.html.generator_plots import density_part, flow, state_part, time_parts
from liestonet.render.html.palette import DATA, ERROR, EXACT, INFERRED, styled
from liestonet.render.html.recording_plots import paths, steps

__all__ = [
    "DATA",
    "ERROR",
    "EXACT",
    "INFERRED",
    "by_date",
    "density_part",
    "diffusion",
    "drift",
    "flow",
    "ladder",
    "paths",
    "state_part",
    "steps",
    "styled",
    "time_parts",
]
