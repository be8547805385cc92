"""Settings for reading files, angles and phases. The source of each number is given with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadingTuning:
    """How much of a file is inspected, and when its values are taken for times or path labels."""

    # Bytes at the beginning of a text file that its layout is found from. Source: cost.
    sample_bytes: int = 1 << 18
    # Rows of these that decide what a column holds. Source: cost.
    sample_rows: int = 400
    # Columns beyond which a table is refused as too wide for text: one line a path of so many points. Source: cost.
    most_columns: int = 50_000
    # Characters of comments that a note shows. Source: by hand.
    note_length: int = 300
    # Rows in which a column must increase to be taken for the time: a fair random walk does so in 2 of 1000.
    # Source: theory.
    least_increasing: int = 10
    # Relative spread of steps up to which a column increases evenly: times rounded to a hundredth of a step.
    # Source: theory.
    even_spread: float = 0.02
    # Columns beside the time that may be coordinates without being asked: space has three. Source: theory.
    most_coordinates: int = 3
    # Columns beyond which a table without names is one of paths, not of coordinates. Source: by hand.
    certainly_paths: int = 12
    # How much rougher a table must be across paths than along them to tell rows from columns. Source: by hand.
    rougher: float = 4.0
    # Bytes of one array beyond which a file of arrays is not loaded. Source: cost.
    most_bytes: int = 1 << 31


READING = ReadingTuning()


@dataclass(frozen=True)
class LookTuning:
    """When `look` gives a hint; none of these changes what is read or computed."""

    # A step that differs from the median by this part of it counts as uneven. Source: by hand.
    uneven_step: float = 0.01
    # So many paths are few, and a path of so many points is long or short. Source: by hand.
    few_paths: int = 4
    long_path: int = 2000
    short_path: int = 50


LOOK = LookTuning()


@dataclass(frozen=True)
class SeamTuning:
    """Thresholds for steps of a periodic coordinate, in parts of its period."""

    # Values that leave a turn by less than this part of it stay within it. Source: by hand; people round 2π.
    rounding: float = 1e-3
    # An angle that was wrapped fills at least this part of its turn. Source: by hand.
    filled: float = 0.9
    # A jump across the seam is longer than this part of a turn. Source: by hand.
    jump: float = 0.75
    # So many jumps at least make an angle certain, and so few other steps that are not short, as a part of them.
    # Source: by hand; steps of noise that fill a turn have all lengths.
    least_jumps: int = 3
    between: float = 0.1
    # Values that jump across a range this much longer than the period are wrapped at another one. Source: by hand;
    # errors of the points add less.
    other_turn: float = 1.03
    # An angle that is driven round goes through so many turns. Source: by hand.
    turns: float = 2.0
    # Its paths end this part of their range from where they begin. Source: by hand; the ends of a path in a confining
    # force are a small part of its range apart.
    driven: float = 0.5
    # A longer step may have gone the other way round. Source: theory: with Gaussian steps of which few are longer than
    # a quarter of the period, next to none is longer than half.
    long: float = 0.25
    # Part of the steps that may be so long in wrapped values. Source: theory: with one in twenty, the standard
    # deviation of a step is an eighth of the period, and one step in sixteen thousand is told wrongly.
    most_long: float = 0.05
    # Steps of unwrapped values may be longer, but not half of them longer than this. Source: theory: beyond half a
    # turn a step says nothing of the coefficients at its beginning.
    longest: float = 0.5


SEAMS = SeamTuning()


@dataclass(frozen=True)
class ScanTuning:
    """How files that are read piece by piece are divided."""

    # Numbers (times and coordinates of all rows) up to which files are read whole. Source: cost; 200 MB in memory, and
    # a few times as much while they are analysed.
    in_memory: int = 25_000_000
    # Pieces that each worker gets in one pass at least, so that none waits long for the others. Source: by hand.
    parts_per_worker: int = 8
    # Leaves in a piece at most: half a million rows each. Source: cost; a lost worker costs no more than this.
    most_leaves: int = 64


SCAN = ScanTuning()


@dataclass(frozen=True)
class VelocityTuning:
    """Velocities from positions of systems with inertia."""

    # Positions at most. Source: cost; positions and velocities together are the coordinates of the state.
    most_positions: int = 2
    # Steps after a point whose positions a fit begins with: a second difference that does not contain the point.
    # Source: theory.
    ahead: int = 3
    # Steps at most over which a velocity is a difference. Source: by hand.
    most_back: int = 32
    # Increments from the beginning of the data in which sizes of errors and noise are looked for. Source: cost.
    looked_at: int = 262_144
    # Points that must be followed by enough others. Source: by hand.
    least_runs: int = 100
    # What noise adds is at least this part of the second differences' variance. Source: by hand; it is where they
    # are nearly all error of the points.
    least_added: float = 1e-4
    # A coordinate is the velocity of another if it leaves this part of its square. Source: by hand.
    is_velocity: float = 0.1


VELOCITIES = VelocityTuning()
