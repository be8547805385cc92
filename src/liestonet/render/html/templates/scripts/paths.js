// Recorded or simulated paths, and their images under the flow of a generator or of a random push.

// Stops of the slider between two positions at which the steps were pushed.
const STOPS = 10;

class Paths {
  constructor(svg, data) {
    this.data = data;
    this.width = data.variables.length;
    this.points = Float64Array.from(data.paths.flatMap(path =>
      path[0].flatMap((_, k) => path.map(values => values[k]))));
    this.ends = [];
    data.paths.reduce((sum, path) => (this.ends.push(sum + path[0].length), sum + path[0].length), 0);
    this.sizes = data.variables.map((_, v) => this.range(this.points, v));
    this.sizes = this.sizes.map(([low, high], v) =>
      high > low ? high - low : data.variables[v].high - data.variables[v].low);
    this.known = new Map();
    this.plot = new Plot(svg, 380);
    const inside = this.plot.inside;
    this.arrows = draw("path", { class: "arrows" }, inside);
    this.recorded = draw("path", { class: "recorded" }, inside);
    this.moved = draw("path", { class: data.simulated ? "moved exact" : "moved" }, inside);
    this.canonical = data.canonical && {
      clock: formulaOf(data.canonical.clock), state: formulaOf(data.canonical.state),
    };
  }

  range(points, v) {
    let low = Infinity, high = -Infinity;
    for (let k = v; k < points.length; k += this.width) {
      if (points[k] < low) low = points[k];
      if (points[k] > high) high = points[k];
    }
    return [low, high];
  }

  // Points at a stop of the slider, by a short flow from the neighbouring stop, cached; ε may be between two stops.
  at(generator, random, epsilon) {
    const key = `${generator.number}${random}`, part = generator.largest / (STOPS * this.data.positions);
    if (!this.known.has(key)) {
      const program = random ? generator.random : generator.field, field = fieldOf(program, this.data.coordinates);
      this.known.set(key, { flow: new Flow(field, this.sizes, program.limits || this.data.limits), places: new Map([[0, this.points]]) });
    }
    const { flow, places } = this.known.get(key), wanted = Math.trunc(epsilon / part + 1e-9 * Math.sign(epsilon));
    const sign = Math.sign(wanted), rest = epsilon - wanted * part, near = Math.trunc(wanted / STOPS) * STOPS;
    for (let k = sign * STOPS; sign && Math.abs(k) <= Math.abs(near); k += sign * STOPS)
      if (!places.has(k)) places.set(k, flow.along(places.get(k - sign * STOPS), sign * STOPS * part));
    if (!places.has(wanted)) {
      const from = places.has(wanted - sign) ? wanted - sign : near;
      places.set(wanted, flow.along(places.get(from), (wanted - from) * part));
    }
    return Math.abs(rest) < 1e-9 * part ? places.get(wanted) : flow.along(places.get(wanted), rest);
  }

  // The projection of a point: two of its coordinates, or its canonical ones.
  projection(view) {
    if (!view.canonical) {
      const [a, b] = view.axes, wrap = this.data.variables.map(({ low, period }) =>
        period === null ? value => value : value => low + ((value - low) % period + period) % period);
      return point => [wrap[a](point[a]), wrap[b](point[b])];
    }
    return point => [this.canonical.clock(point), this.canonical.state(point)];
  }

  frame(view) {
    const { variables } = this.data;
    if (view.canonical) {
      const project = this.projection(view), seen = [[], []];
      for (let k = 0; k < this.points.length; k += this.width)
        project(this.points.subarray(k, k + this.width)).forEach((value, c) => {
          if (Number.isFinite(value)) seen[c].push(value);
        });
      return seen.map(values => this.wider([Math.min(...values), Math.max(...values)]));
    }
    return view.axes.map(v => variables[v].period !== null ? [variables[v].low, variables[v].high]
      : this.wider([variables[v].low, variables[v].high]));
  }

  wider([low, high]) {
    const room = 0.25 * ((high - low) || 1);
    return [low - room, high + room];
  }

  // Axes, the original paths, and the arrows of the generator in a plane of two coordinates.
  show(view, generator) {
    const names = view.canonical ? this.data.canonical.short : view.axes.map(v => this.data.variables[v].label);
    this.plot.span(...this.frame(view), names);
    this.recorded.setAttribute("d", this.lines(this.points, view));
    this.arrows.setAttribute("d", view.canonical || view.axes.includes(0) ? "" : this.field(view, generator));
  }

  move(points, view, random) {
    this.now = points;
    this.moved.classList.toggle("random", random);
    this.moved.setAttribute("d", this.lines(points, view));
  }

  lines(points, view) {
    const { width, ends, data } = this, project = this.projection(view);
    const turns = view.canonical ? [] : view.axes.map(v => data.variables[v].period);
    const plain = !view.canonical && turns.every(turn => turn === null), [a, b] = view.axes;
    let path = "", first = 0;
    for (const end of ends) {
      let before = null;
      if (plain) {
        const start = first;
        path += this.plot.line(end - first, k => [points[(start + k) * width + a], points[(start + k) * width + b]]);
      } else path += this.plot.line(end - first, k => {
        const place = project(points.subarray((first + k) * width, (first + k + 1) * width));
        const jumps = before && turns.some((turn, c) => turn !== null && Math.abs(place[c] - before[c]) > turn / 2);
        before = place;
        return jumps ? [NaN, NaN] : place;
      });
      first = end;
    }
    return path;
  }

  // Arrows of (ξ_a, ξ_b) on a grid, at the middle of time and of the other coordinates.
  field(view, generator) {
    const field = fieldOf(generator.field, this.data.coordinates), { variables } = this.data, [a, b] = view.axes;
    const point = Float64Array.from(variables, ({ low, high }) => (low + high) / 2), slope = new Float64Array(this.width);
    const rows = [], count = 11;
    for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) {
      point[a] = variables[a].low + (i + 0.5) / count * (variables[a].high - variables[a].low);
      point[b] = variables[b].low + (j + 0.5) / count * (variables[b].high - variables[b].low);
      field(point, slope);
      const from = [this.plot.x(point[a]), this.plot.y(point[b])];
      rows.push([...from, this.plot.x(point[a] + slope[a]) - from[0], this.plot.y(point[b] + slope[b]) - from[1]]);
    }
    const longest = Math.max(...rows.map(row => Math.hypot(row[2], row[3]))), size = 22 / (longest || 1);
    return rows.map(([x, y, dx, dy]) => arrow(x, y, dx * size, dy * size)).join("");
  }
}

function arrow(x, y, dx, dy) {
  if (!(Math.hypot(dx, dy) > 1)) return "";
  const [tipX, tipY] = [x + dx / 2, y + dy / 2], at = (p, q) => `${p.toFixed(1)},${q.toFixed(1)}`;
  const head = side => at(tipX - 0.3 * dx + side * 0.18 * dy, tipY - 0.3 * dy - side * 0.18 * dx);
  return `M${at(x - dx / 2, y - dy / 2)}L${at(tipX, tipY)}M${head(1)}L${at(tipX, tipY)}L${head(-1)}`;
}
