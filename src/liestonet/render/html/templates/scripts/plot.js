// A small plot in SVG: axes with few numbers, lines, and colours that the style sheet gives to classes.

const SVG = "http://www.w3.org/2000/svg";

function draw(name, attributes, parent, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function shown(value, digits = 3) {
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

// Round numbers for ticks, about the requested number, but at least two.
function ticks(low, high, most) {
  const rough = (high - low) / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12) + 1e-9 * step; k++) found.push(k * step);
  return found.length > 1 || most > 20 ? found : ticks(low, high, 1.5 * most);
}

// Redraw in the frame after a change of size, as drawing may change the size again.
function onResize(element, redraw) {
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(element);
}

class Plot {
  constructor(svg, height, margins = { left: 48, right: 10, top: 10, bottom: 36 }) {
    Object.assign(this, { svg, height, margins });
    this.axes = draw("g", { class: "axes" }, svg);
    this.clip = `${svg.id}-clip`;
    this.frame = draw("rect", {}, draw("clipPath", { id: this.clip }, draw("defs", {}, svg)));
    this.inside = draw("g", { "clip-path": `url(#${this.clip})` }, svg);
  }

  // Set the ranges of both axes and their labels; the width is that of the page.
  span(across, up, labels, numbers = [true, true]) {
    const { left, right, top, bottom } = this.margins;
    this.width = Math.max(160, Math.round(this.svg.getBoundingClientRect().width));
    Object.assign(this, { across, up });
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("height", this.height);
    const box = { x: left, y: top, width: this.width - left - right, height: this.height - top - bottom };
    for (const [key, value] of Object.entries(box)) this.frame.setAttribute(key, value);
    this.axes.replaceChildren();
    const base = this.height - bottom;
    draw("path", { class: "axis", d: `M${left},${top}V${base}H${this.width - right}` }, this.axes);
    if (numbers[0]) for (const value of ticks(...across, Math.max(4, box.width / 90)))
      draw("text", { x: this.x(value), y: base + 15, "text-anchor": "middle" }, this.axes, shown(value));
    if (numbers[1]) for (const value of ticks(...up, Math.max(3, box.height / 30)))
      draw("text", { x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, this.axes, shown(value));
    draw("text", { class: "name", x: this.width - right, y: base + 31, "text-anchor": "end" }, this.axes, labels[0]);
    draw("text", { class: "name", x: left + 6, y: top + 9 }, this.axes, labels[1]);
  }

  x(value) {
    const { left, right } = this.margins, [low, high] = this.across;
    return left + (value - low) / (high - low) * (this.width - left - right);
  }

  y(value) {
    const { top, bottom } = this.margins, [low, high] = this.up;
    return this.height - bottom - (value - low) / (high - low) * (this.height - top - bottom);
  }

  // The line through points, broken where one of them is not a number.
  line(count, at) {
    let path = "", pen = "M";
    for (let k = 0; k < count; k++) {
      const [a, b] = at(k);
      if (!Number.isFinite(a + b)) { pen = "M"; continue; }
      path += `${pen}${this.x(a).toFixed(1)},${this.y(b).toFixed(1)}`;
      pen = "L";
    }
    return path;
  }
}
