// The interactive part: choice of the generator, ε and coordinates, by mouse, keyboard or a slow motion to and fro.

const PERIOD = 7000; // milliseconds from one end to the other and back
const LONGEST = 50; // milliseconds of work without a noticeable delay

const whenIdle = window.requestIdleCallback || (work => setTimeout(work, 20));

class Stage {
  constructor(root, data) {
    const find = name => root.querySelector(`[data-part="${name}"]`);
    this.parts = Object.fromEntries(["chosen", "epsilon", "said", "play", "random", "canonical", "new", "across", "up",
      "plane", "legend", "side", "note", "formula", "paths", "steps", "change"].map(name => [name, find(name)]));
    Object.assign(this, { root, data, place: 0, amounts: data.generators.map(({ largest }) => largest / 2) });
    this.view = { axes: data.generators[data.first].axes, canonical: false };
    root.hidden = false;
    this.paths = new Paths(this.parts.paths, data);
    this.steps = new Steps(this.parts.steps, this.parts.change, data);
    this.fill();
    this.listen();
    this.choose(data.first);
  }

  get generator() { return this.data.generators[this.place]; }
  get random() { return this.parts.random.checked && this.generator.random !== null; }

  // Choices that depend on the result: generators, coordinates, the slider's steps.
  fill() {
    const { chosen, across, up, plane, canonical, epsilon } = this.parts, { variables, generators } = this.data;
    generators.forEach(({ number }, k) => chosen.append(new Option(`X${number}`, k)));
    for (const select of [across, up]) variables.forEach(({ name }, v) => select.append(new Option(name, v)));
    plane.hidden = variables.length < 3;
    canonical.closest("label").hidden = !this.data.canonical;
    epsilon.max = STOPS * this.data.positions;
    epsilon.min = -epsilon.max;
  }

  listen() {
    const { chosen, epsilon, play, random, canonical, across, up } = this.parts;
    chosen.addEventListener("change", () => this.choose(Number(chosen.value)));
    epsilon.addEventListener("input", () => this.go(this.generator.largest * epsilon.value / epsilon.max, true));
    random.addEventListener("change", () => this.go(this.amounts[this.place]));
    canonical.addEventListener("change", () => { this.view.canonical = canonical.checked; this.redraw(); });
    for (const select of [across, up]) select.addEventListener("change", () => {
      this.view.axes = [Number(across.value), Number(up.value)];
      this.redraw();
    });
    play.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    const still = matchMedia("(prefers-reduced-motion: reduce)"), calm = () => {
      play.hidden = still.matches;
      if (still.matches) this.stop();
    };
    still.addEventListener("change", calm);
    calm();
    onResize(this.root, () => this.widen());
    for (const event of ["pointerenter", "focusin"]) this.root.addEventListener(event, () => this.prepare());
  }

  // Redrawn if the width changes; the text at an ε changes only the height.
  widen() {
    if (Math.round(this.root.getBoundingClientRect().width) !== this.width) this.redraw();
  }

  // Compute the stops of the slider in idle time, from the middle outwards, so that the first motion is as smooth as
  // later ones; not if a stop takes so long that there would be a delay.
  prepare() {
    const { place, random, generator } = this, stops = STOPS * this.data.positions;
    if (this.preparing === `${place}${random}`) return;
    this.preparing = `${place}${random}`;
    let done = 0;
    const next = () => {
      if (this.place !== place || this.random !== random) return;
      const begun = performance.now(), stop = Math.ceil(++done / 2) * (done % 2 ? 1 : -1);
      this.paths.at(generator, random, generator.largest * stop / stops);
      if (done < 2 * stops && performance.now() - begun < LONGEST) whenIdle(next);
    };
    whenIdle(next);
  }

  choose(place) {
    this.place = place;
    const { across, up, note, side, legend, formula, random, chosen } = this.parts, { generator } = this;
    this.view.axes = generator.axes;
    [chosen.value, across.value, up.value] = [place, ...generator.axes];
    formula.textContent = generator.formula;
    note.textContent = generator.note;
    side.hidden = legend.hidden = generator.statistics === null;
    random.closest("label").hidden = generator.random === null;
    this.redraw();
  }

  redraw() {
    this.width = Math.round(this.root.getBoundingClientRect().width);
    if (!this.width) return;
    this.parts.plane.classList.toggle("unused", this.view.canonical);
    this.parts.new.hidden = !this.view.canonical;
    if (this.view.canonical) this.parts.new.textContent = this.data.canonical.labels;
    this.paths.show(this.view, this.generator);
    this.steps.show(this.generator);
    this.go(this.amounts[this.place]);
  }

  // Draw everything at one ε.
  go(epsilon, byHand = false) {
    if (byHand) this.stop();
    const { generator, random } = this, slider = this.parts.epsilon;
    this.amounts[this.place] = epsilon;
    if (!byHand) slider.value = Math.round(slider.max * epsilon / generator.largest);
    this.paths.move(this.paths.at(generator, random, epsilon), this.view, random);
    const found = this.steps.move(epsilon), said = `ε = ${shown(epsilon)}`;
    const signed = value => value === null ? "not known" : (value < 0 ? "" : "+") + value.toFixed(3).replace("-", "−");
    const text = found ? `${said}; ΔNLL ${signed(found.change)}, random push ${signed(found.control)}` : said;
    this.parts.said.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    this.parts.paths.setAttribute("aria-label", `Paths before and after ${random ? "a random push" : `X${generator.number}`}, ${said}`);
  }

  play() {
    const { largest } = this.generator, from = Math.asin(Math.max(-1, Math.min(1, this.amounts[this.place] / largest)));
    const begun = performance.now();
    this.playing = true;
    this.parts.play.textContent = "Pause";
    const tick = now => {
      if (!this.playing) return;
      const stops = STOPS * this.data.positions, place = Math.sin(from + 2 * Math.PI * (now - begun) / PERIOD);
      this.go(this.generator.largest * Math.round(stops * place) / stops);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop() {
    this.playing = false;
    this.parts.play.textContent = "Play";
  }
}
