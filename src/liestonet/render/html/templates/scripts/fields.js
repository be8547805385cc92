// Generators as functions of a point (t, x_1, …): by their formula, or by series of orthonormal functions.

const OPERATIONS = {
  exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos, tan: Math.tan, sinh: Math.sinh, cosh: Math.cosh,
  tanh: Math.tanh, asin: Math.asin, acos: Math.acos, atan: Math.atan, Abs: Math.abs, sign: Math.sign,
};

// A tree of operations as a function of a point; nothing is evaluated as program text.
function formulaOf(tree) {
  if (typeof tree === "number") return () => tree;
  const [name, ...rest] = tree;
  if (name === "v") return point => point[rest[0]];
  const parts = rest.map(formulaOf);
  if (name === "+") return point => parts.reduce((sum, part) => sum + part(point), 0);
  if (name === "*") return point => parts.reduce((product, part) => product * part(point), 1);
  if (name === "^") return point => Math.pow(parts[0](point), parts[1](point));
  const operation = OPERATIONS[name];
  return point => operation(parts[0](point));
}

// The basis functions of one variable: polynomials in its map by their recurrence, or sines and cosines.
function tableOf(coordinate) {
  if (coordinate.waves) return (x, values) => {
    values[0] = 1;
    for (let k = 1; k < values.length; k++) {
      const phase = Math.ceil(k / 2) * x * Math.PI / coordinate.half;
      values[k] = Math.SQRT2 * (k % 2 ? Math.cos(phase) : Math.sin(phase));
    }
  };
  const { ends, below, above, middle, side } = coordinate;
  const raw = x => below === null && above === null ? x
    : (below === null ? 0 : Math.log(Math.abs(x - below))) - (above === null ? 0 : Math.log(Math.abs(x - above)));
  const low = raw(ends[0]), high = raw(ends[1]);
  return (x, values) => {
    const s = (raw(x) - (low + high) / 2) * 2 / (high - low);
    values[0] = 1;
    for (let k = 0; k + 1 < values.length; k++)
      values[k + 1] = ((s - middle[k]) * values[k] - (k ? side[k - 1] * values[k - 1] : 0)) / side[k];
  };
}

// Terms that differ only in the degree of the last variable are grouped: the other factors are multiplied once.
function grouped({ degrees, coefficients }, width) {
  const groups = new Map();
  degrees.forEach((row, j) => {
    const key = row.slice(0, width - 1).join();
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(j);
  });
  const order = [...groups.values()], terms = order.flat(), starts = [0];
  for (const group of order) starts.push(starts[starts.length - 1] + group.length);
  return {
    starts, last: Int32Array.from(terms, j => degrees[j][width - 1]),
    coefficients: Float64Array.from(terms, j => coefficients[j]),
    others: Int32Array.from(order.flatMap(group => degrees[group[0]].slice(0, width - 1))),
  };
}

function seriesOf(components, coordinates) {
  const highest = coordinates.map((_, v) =>
    Math.max(0, ...components.flatMap(part => part.degrees.map(row => row[v]))));
  const values = highest.map(degree => new Float64Array(degree + 1));
  const tables = coordinates.map(tableOf), width = coordinates.length;
  const sorted = components.map(part => grouped(part, width));
  return (point, slope) => {
    for (let v = 0; v < width; v++) tables[v](point[v], values[v]);
    for (let c = 0; c < sorted.length; c++) {
      const { starts, last, coefficients, others } = sorted[c], final = values[width - 1];
      let total = 0;
      for (let g = 0, place = 0; g + 1 < starts.length; g++) {
        let sum = 0;
        for (let j = starts[g]; j < starts[g + 1]; j++) sum += coefficients[j] * final[last[j]];
        for (let v = 0; v + 1 < width; v++) sum *= values[v][others[place++]];
        total += sum;
      }
      slope[c] = total;
    }
  };
}

// field(point, slope) writes (τ, ξ) at a point into slope.
function fieldOf(program, coordinates) {
  if (program.series) return seriesOf(program.series, coordinates);
  const parts = program.formula.map(formulaOf);
  return (point, slope) => parts.forEach((part, c) => { slope[c] = part(point); });
}
