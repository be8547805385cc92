"""The pipelines, steps one below the other: `solve` takes an equation to a result, `discover` trajectories."""
