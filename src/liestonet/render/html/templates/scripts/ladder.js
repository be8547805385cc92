// The ladder of directions at the chosen tolerance; the selected direction is shown with its field and interval.

const SHAPES = {
  symmetry: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", "near-symmetry": "M0,-5L5,0L0,5L-5,0Z",
  undecided: "M-4,-4H4V4H-4Z", no: "M-4,-4L4,4M4,-4L-4,4",
};
const LEAST = { data: 1e-3, exact: 1e-16 };

class Ladder {
  constructor(root, data) {
    const find = name => root.querySelector(`[data-part="${name}"]`);
    this.parts = Object.fromEntries(["chooser", "tolerance", "said", "picture", "detail"].map(n => [n, find(n)]));
    Object.assign(this, { root, data });
    for (const answer of data.answers) if (typeof answer.rows === "number") answer.rows = data.answers[answer.rows].rows;
    this.table = document.querySelector("[data-part=\"ladder-table\"] tbody");
    this.original = [...this.table.children];
    root.hidden = false;
    document.querySelectorAll("[data-part=\"ladder-still\"]").forEach(still => still.classList.add("still"));
    const { chooser, tolerance } = this.parts;
    chooser.hidden = data.answers.length < 2;
    [tolerance.max, tolerance.value] = [data.answers.length - 1, data.own];
    tolerance.addEventListener("input", () => this.show(Number(tolerance.value)));
    window.addEventListener("beforeprint", () => this.fill(this.data.own));
    window.addEventListener("afterprint", () => this.fill(Number(tolerance.value)));
    this.listen();
    this.told = 0;
    this.show(data.own);
    onResize(root, () => this.widen());
  }

  // Rows are redrawn under the pointer, so the listener is on the picture, and for moves only: a row that is drawn under
  // a pointer at rest is not selected.
  listen() {
    const { picture, tolerance } = this.parts, point = event => {
      const row = event.target.closest("[data-row]")?.dataset.row;
      if (row === undefined || this.silent) return;
      this.tell(this.data.answers[Number(tolerance.value)].rows[row], Number(row));
    };
    for (const event of ["pointermove", "pointerdown", "focusin"]) picture.addEventListener(event, point);
  }

  show(place) {
    const answer = this.data.answers[place], percent = 100 * answer.tolerance;
    if (answer.tolerance !== null) {
      const count = `${answer.dimension} ${answer.dimension === "1" ? "symmetry" : "symmetries"}`;
      const own = place === this.data.own ? ", as on the rest of this page" : "";
      this.parts.said.textContent = `${shown(percent)}\u00a0%: ${count}${own}`;
      this.parts.tolerance.setAttribute("aria-valuetext", this.parts.said.textContent);
    }
    this.draw(answer);
    this.fill(place);
    if (answer.rows[this.told]) this.tell(answer.rows[this.told], this.told);
  }

  // Redrawn if the width changes; details of a direction change only the height.
  widen() {
    if (Math.round(this.parts.picture.getBoundingClientRect().width) !== this.width) this.show(Number(this.parts.tolerance.value));
  }

  draw(answer) {
    this.width = Math.round(this.parts.picture.getBoundingClientRect().width);
    if (!this.width) return;
    const { picture } = this.parts, focused = picture.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    const exact = answer.tolerance === null, least = exact ? LEAST.exact : LEAST.data;
    const width = Math.max(200, this.width), row = 24, top = 18;
    const height = top + row * answer.rows.length + 42, left = 30, right = 14;
    const highest = 2 * Math.max(answer.tolerance || 0.1, ...answer.rows.flatMap(({ numbers }) => [numbers[0], numbers[2]]));
    const scale = value => left + (width - left - right) * Math.log(Math.max(value, least) / least) / Math.log(highest / least);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("height", height);
    picture.replaceChildren();
    const base = top + row * answer.rows.length, axes = draw("g", { class: "axes" }, picture);
    draw("path", { class: "axis", d: `M${left},${top}V${base}H${width - right}` }, axes);
    for (let power = Math.log10(least); Math.pow(10, power) < highest; power += exact ? 4 : 1) {
      const value = Math.pow(10, power), text = exact ? `1e${Math.round(power)}` : `${shown(100 * value)}\u00a0%`;
      const anchor = scale(value) > width - 30 ? "end" : "middle";
      draw("text", { x: Math.min(scale(value), width - 2), y: base + 16, "text-anchor": anchor }, axes, text.replace("-", "−"));
    }
    draw("text", { class: "name", x: width - right, y: base + 34, "text-anchor": "end" }, axes, "relative residual");
    if (!exact) draw("path", { class: "limit", d: `M${scale(answer.tolerance)},${top - 4}V${base}` }, picture);
    answer.rows.forEach((found, k) => this.row(found, k, { y: top + row * (k + 0.5), scale, left, width: width - left - right, row, exact }));
    if (focused === null) return;
    // Restore the focus and the details of the direction selected last.
    this.silent = true;
    picture.querySelector(`[data-row="${focused}"]`)?.focus({ preventScroll: true });
    this.silent = false;
  }

  row(found, k, { y, scale, left, width, row, exact }) {
    const [residual, lower, upper, noise] = found.numbers;
    const said = `Direction ${k + 1}: ${found.word}, residual ${found.residual}${found.interval ? `, ${found.interval}` : ""}`;
    const group = draw("g", { class: `direction ${found.verdict}`, tabindex: 0, role: "img", "aria-label": `${said}. ${found.field}`, "data-row": k }, this.parts.picture);
    draw("rect", { class: "reach", x: left, y: y - row / 2, width, height: row }, group);
    draw("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, group, k + 1);
    if (!exact) draw("path", { class: "interval", d: `M${scale(lower)},${y}H${scale(upper)}` }, group);
    if (!exact) draw("path", { class: "noise", d: `M${scale(noise)},${y - 6}V${y + 6}` }, group);
    draw("path", { class: "shape", d: SHAPES[found.verdict], transform: `translate(${scale(residual)},${y})` }, group);
  }

  tell(found, k) {
    if (this.told === k && this.found === found) return;
    [this.told, this.found] = [k, found];
    const list = [["direction", `${k + 1}: ${found.word}`], ["residual", found.residual], ["interval", found.interval],
      ["if exact", found.noise], ["p", found.p], ["field", found.field]];
    this.parts.detail.replaceChildren(...list.filter(([, text]) => text).map(([name, text]) => {
      const pair = document.createElement("div");
      for (const [tag, content] of [["dt", name], ["dd", text]])
        pair.append(Object.assign(document.createElement(tag), { textContent: content }));
      return pair;
    }));
  }

  // The table: the original one at the result's own tolerance, else the rows of the ladder at the chosen one.
  fill(place) {
    if (place === this.data.own) return this.table.replaceChildren(...this.original);
    this.table.replaceChildren(...this.data.answers[place].rows.map((found, k) => {
      const line = document.createElement("tr"), cell = text => {
        const made = Object.assign(document.createElement("td"), { className: "number", textContent: text });
        line.append(made);
        return made;
      };
      cell(k + 1);
      const badge = Object.assign(document.createElement("span"), { className: `badge ${found.verdict}`, textContent: found.word });
      cell("").append(badge);
      [found.residual, found.interval, found.noise, found.p].forEach(cell);
      return line;
    }));
  }
}
