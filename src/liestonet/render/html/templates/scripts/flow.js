// The finite flow of a generator: Dormand and Prince (1980), with separate step sizes for every point, as in result.push.

const STAGES = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
const TOLERANCE = 1e-9, MOST_STEPS = 400, SMALLEST_STEP = 1e-10;

class Flow {
  constructor(field, sizes, limits) {
    this.field = field;
    this.sizes = sizes;
    this.limits = limits.map(([low, high]) => [low === null ? -Infinity : low, high === null ? Infinity : high]);
    this.slopes = Array.from({ length: 7 }, () => new Float64Array(sizes.length));
    this.here = new Float64Array(sizes.length);
    this.there = new Float64Array(sizes.length);
  }

  // The images of points (in a flat array) after a push by an amount; NaN for those whose flow leaves the limits.
  along(points, amount) {
    const width = this.sizes.length, ends = new Float64Array(points.length).fill(NaN);
    if (amount === 0) return points.slice();
    for (let start = 0; start < points.length; start += width)
      if (this.carry(points.subarray(start, start + width), amount)) ends.set(this.here, start);
    return ends;
  }

  carry(point, amount) {
    const { here, there, slopes } = this;
    here.set(point);
    if (Number.isNaN(here[0])) return false;
    this.field(here, slopes[0]);
    for (let done = 0, step = 1, taken = 0; taken < MOST_STEPS; taken++) {
      const last = step >= 1 - done, length = last ? 1 - done : step;
      const wrong = this.attempt(length * amount);
      if (wrong <= 1) {
        here.set(there);
        slopes[0].set(slopes[6]);
        if (this.outside()) return false;
        if (last) return true;
        done += length;
      }
      step = length * Math.min(5, Math.max(0.2, 0.9 * Math.pow(Math.max(wrong, 1e-30), -0.2)));
      if (!(step > SMALLEST_STEP)) return false;
    }
    return false;
  }

  // One step from here to there; returns its error in units of the tolerance.
  attempt(length) {
    const { field, here, there, slopes, sizes } = this;
    for (let stage = 0; stage < STAGES.length; stage++) {
      const factors = STAGES[stage];
      for (let c = 0; c < here.length; c++) {
        let sum = 0;
        for (let j = 0; j < factors.length; j++) sum += factors[j] * slopes[j][c];
        there[c] = here[c] + length * sum;
      }
      field(there, slopes[stage + 1]);
    }
    let worst = 0;
    for (let c = 0; c < here.length; c++) {
      let error = 0;
      for (let j = 0; j < 7; j++) error += ERROR[j] * slopes[j][c];
      const wrong = Math.abs(length * error) / (TOLERANCE * (sizes[c] + Math.abs(there[c] - here[c])));
      worst = Number.isFinite(wrong + slopes[6][c]) ? Math.max(worst, wrong) : Infinity;
    }
    return worst;
  }

  outside() {
    for (let c = 0; c < this.here.length; c++)
      if (this.here[c] < this.limits[c][0] || this.here[c] > this.limits[c][1]) return true;
    return false;
  }
}
