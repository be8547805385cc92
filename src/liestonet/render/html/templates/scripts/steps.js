// The effect of a push on the steps: their histogram beside the standard normal, and ΔNLL over ε.

class Steps {
  constructor(histogram, change, data) {
    this.data = data;
    this.histogram = new Plot(histogram, 170, { left: 48, right: 10, top: 14, bottom: 36 });
    this.change = new Plot(change, 170);
    const bars = this.histogram.inside, curve = this.change.inside;
    this.normal = draw("path", { class: "normal" }, bars);
    this.before = draw("path", { class: "before" }, bars);
    this.random = draw("path", { class: "moved random" }, bars);
    this.after = draw("path", { class: data.simulated ? "moved exact" : "moved" }, bars);
    this.zero = draw("path", { class: "normal" }, curve);
    this.control = draw("path", { class: "moved random" }, curve);
    this.own = draw("path", { class: data.simulated ? "moved exact" : "moved" }, curve);
    this.marks = [draw("circle", { class: "mark random", r: 4 }, curve),
      draw("circle", { class: data.simulated ? "mark exact" : "mark", r: 4 }, curve)];
  }

  show(generator) {
    const { positions, range } = this.data, found = generator.statistics;
    this.found = found;
    if (!found) return;
    this.largest = generator.largest;
    const highest = 1.2 * Math.max(...found.before, ...found.after.flat());
    this.histogram.span([-range, range], [0, highest], ["standardised step", ""], [true, false]);
    this.before.setAttribute("d", this.bars(found.before, true));
    const bar = 2 * range / found.before.length, density = z => 1e4 * bar * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    this.normal.setAttribute("d", this.histogram.line(81, k => {
      const z = range * (k - 40) / 40;
      return [z, density(z)];
    }));
    const known = [...found.change, ...found.control_change].filter(value => value !== null);
    const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)], room = 0.12 * (high - low) || 0.1;
    const epsilon = k => generator.largest * (k - positions) / positions;
    const value = list => k => [epsilon(k), list[k] === null ? NaN : list[k]];
    this.change.span([-generator.largest, generator.largest], [low - room, high + room], ["ε", "ΔNLL"]);
    this.zero.setAttribute("d", this.change.line(2, k => [(2 * k - 1) * generator.largest, 0]));
    this.own.setAttribute("d", this.change.line(2 * positions + 1, value(found.change)));
    this.control.setAttribute("d", this.change.line(2 * positions + 1, value(found.control_change)));
  }

  // The nearest position at which the steps were pushed.
  position(epsilon) {
    return Math.round(this.data.positions * (1 + epsilon / this.largest));
  }

  move(epsilon) {
    if (!this.found) return null;
    const k = this.position(epsilon), { after, change, control_after: random, control_change: control } = this.found;
    this.after.setAttribute("d", this.bars(after[k]));
    this.random.setAttribute("d", this.bars(random[k]));
    [control, change].forEach((list, c) => {
      this.marks[c].setAttribute("visibility", list[k] === null ? "hidden" : "visible");
      if (list[k] === null) return;
      this.marks[c].setAttribute("cx", this.change.x(this.largest * (k / this.data.positions - 1)));
      this.marks[c].setAttribute("cy", this.change.y(list[k]));
    });
    return { change: change[k], control: control[k] };
  }

  bars(counts, closed = false) {
    const { range } = this.data, width = 2 * range / counts.length;
    const outline = this.histogram.line(2 * counts.length, k =>
      [-range + width * Math.ceil(k / 2), counts[Math.floor(k / 2)]]);
    return closed && outline ? `${outline}V${this.histogram.y(0)}H${this.histogram.x(-range)}Z` : outline;
  }
}
