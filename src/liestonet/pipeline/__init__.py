"""The pipelines: `solve` goes from an equation to a result, `discover` from trajectories."""
