"""Positions of systems with inertia, simulated with fine steps."""

import numpy as np

import liestonet as lsn


def positions(force, paths, points, step, seed, noise=0.0, fine=20, with_velocities=False):
    """x, or x and v, of dx = v dt, dv = F(x, v) dt + dW as arrays; `noise` is the error of a position."""
    rng = np.random.default_rng(seed)
    x, v, h = rng.uniform(-1, 1, paths), rng.uniform(-1, 1, paths), step / fine
    states = np.empty((points, paths, 2))
    for point in range(points):
        states[point, :, 0], states[point, :, 1] = x, v
        for kick in h**0.5 * rng.standard_normal((fine, paths)):
            x, v = x + h * v, v + h * force(x, v) + kick
    states[:, :, 0] += noise * rng.standard_normal((points, paths))
    times, columns = step * np.arange(points), 2 if with_velocities else 1
    return lsn.Trajectories.from_arrays(
        [times] * paths, [states[:, path, :columns] for path in range(paths)], names=["x", "v"][:columns]
    )
