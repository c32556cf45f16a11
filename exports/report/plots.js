"use strict";
// Line plots over time (or iterations) as SVG: sharp on every screen, and printed as they are.

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#b5508a", "#3a9bd9", "#b07d00", "#3b3b3b", "#8a6fc0"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];
const lineColor = (i) => COLORS[i % COLORS.length];
const lineDash = (i) => DASHES[Math.floor(i / COLORS.length) % DASHES.length];

function svg(tag, attributes, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (parent) parent.appendChild(node);
  return node;
}

function element(tag, text, parent, className) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  if (className) node.className = className;
  if (parent) parent.appendChild(node);
  return node;
}

/** Round numbers that cut [low, high] into about `count` parts. */
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(k * step);
  return { values: out, digits: Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))) };
}

/**
 * One plot. Options:
 *   title, unit, height; x: numbers; xUnit; log: whether y is logarithmic;
 *   series: [{values, color, dash, width, steps: [t0, t1, value, ..] drawn as a floor beneath}];
 *   lines: [{y, label, color, dash}] across; low, high: what y shows;
 *   marks: [{x, y, color}]; read(x, index): the words for an instant; onPick(x): hovered or touched.
 */
class Plot {
  constructor(parent, options) {
    this.options = options;
    this.node = element("div", null, parent, "plot");
    const head = element("div", null, this.node, "head");
    element("b", options.title + (options.unit ? ` [${options.unit}]` : ""), head);
    this.readout = element("span", "", head, "read");
    this.root = svg("svg", { role: "img", "aria-label": options.title }, this.node);
    this.cursorX = options.x.length ? options.x[0] : 0;
    this.root.addEventListener("pointermove", (event) => this.pick(event));
    this.root.addEventListener("pointerdown", (event) => this.pick(event));
    // Its first call comes once the page is laid out: to draw here would lay it out for every plot.
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  set(change) {
    Object.assign(this.options, change);
    if (this.width) this.draw(true);
  }

  draw(force) {
    const width = Math.round(this.node.clientWidth);
    if (!width || (!force && width === this.width)) return;
    this.width = width;
    const o = this.options;
    this.height = o.height || 150;
    this.root.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.root.setAttribute("height", this.height);
    this.root.textContent = "";
    this.frame = { left: 46, right: width - 10, top: 8, bottom: this.height - 20 };
    this.xs = [o.x[0], o.x[o.x.length - 1]];
    if (!(this.xs[1] > this.xs[0])) this.xs[1] = this.xs[0] + 1;
    this.drawGrid();
    const clip = `clip${Plot.count = (Plot.count || 0) + 1}`;
    const f = this.frame;
    svg("rect", { x: f.left, y: f.top - 2, width: f.right - f.left, height: f.bottom - f.top + 3 },
      svg("clipPath", { id: clip }, this.root));
    const inside = svg("g", { "clip-path": `url(#${clip})` }, this.root);
    for (const s of o.series) if (s.steps && s.steps.length) this.drawFloor(s, inside);
    for (const line of o.lines || []) this.drawLine(line, inside);
    for (const s of o.series) this.drawSeries(s, inside);
    for (const line of o.lines || []) this.nameLine(line, inside);  // over the curves
    for (const m of o.marks || []) {
      svg("circle", { cx: this.px(m.x), cy: this.py(m.y), r: 4, fill: "#fff", stroke: m.color, "stroke-width": 2 }, inside);
    }
    this.cursor = svg("line", { y1: f.top, y2: f.bottom, stroke: "#1c2733", "stroke-width": 1, opacity: 0.7 }, this.root);
    this.setCursor(this.cursorX);
  }

  px(x) { return this.frame.left + (this.frame.right - this.frame.left) * (x - this.xs[0]) / (this.xs[1] - this.xs[0]); }
  py(y) {
    const o = this.options;
    const of = o.log ? (v) => Math.log10(Math.max(v, 1e-300)) : (v) => v;
    const s = (of(y) - of(o.low)) / (of(o.high) - of(o.low));
    return this.frame.bottom - (this.frame.bottom - this.frame.top) * Math.max(-2, Math.min(3, s));
  }

  drawGrid() {
    const o = this.options, f = this.frame;
    let marks;
    if (o.log) {
      const from = Math.ceil(Math.log10(o.low) - 1e-9), to = Math.floor(Math.log10(o.high) + 1e-9);
      const by = Math.max(1, Math.ceil((to - from) / 4));
      marks = [];
      for (let k = from; k <= to; k += by) marks.push([Math.pow(10, k), k === 0 ? "1" : `1e${k}`]);
    } else {
      const t = ticks(o.low, o.high, Math.max(2, this.height / 38));
      marks = t.values.map((v) => [v, v.toFixed(t.digits).replace("-", "−")]);
    }
    for (const [value, label] of marks) {
      const y = this.py(value);
      svg("line", { x1: f.left, x2: f.right, y1: y, y2: y, stroke: "#e3e8ed" }, this.root);
      svg("text", { x: f.left - 6, y: y + 4, "text-anchor": "end" }, this.root).textContent = label;
    }
    const t = ticks(this.xs[0], this.xs[1], Math.max(2, this.width / 90));
    for (const value of t.values) {
      const x = this.px(value);
      svg("line", { x1: x, x2: x, y1: f.bottom, y2: f.bottom + 4, stroke: "#b9c3ce" }, this.root);
      const isLast = x > f.right - 24;
      svg("text", { x: isLast ? f.right : x, y: this.height - 4, "text-anchor": isLast ? "end" : "middle" }, this.root)
        .textContent = value.toFixed(t.digits) + (value === t.values[0] ? ` ${o.xUnit}` : "");
    }
    svg("line", { x1: f.left, x2: f.right, y1: f.bottom, y2: f.bottom, stroke: "#b9c3ce" }, this.root);
  }

  /** What is proven: the distance stays above the shaded floor. */
  drawFloor(s, parent) {
    const f = this.frame;
    let area = "", edge = "";
    for (let i = 0; i + 2 < s.steps.length; i += 3) {
      const x0 = this.px(s.steps[i]).toFixed(1), x1 = this.px(s.steps[i + 1]).toFixed(1);
      const y = this.py(s.steps[i + 2]).toFixed(1);
      area += `${i ? "L" : "M"}${x0} ${i ? y : `${f.bottom + 4}L${x0} ${y}`}L${x1} ${y}`;
      edge += `${i ? "L" : "M"}${x0} ${y}L${x1} ${y}`;
    }
    const last = this.px(s.steps[s.steps.length - 2]).toFixed(1);
    if (s.fill) svg("path", { d: `${area}L${last} ${f.bottom + 4}Z`, fill: s.color, opacity: 0.16 }, parent);
    svg("path", { d: edge, fill: "none", stroke: s.color, "stroke-width": 1, opacity: s.fill ? 0.75 : 0.3 }, parent);
  }

  drawSeries(s, parent) {
    const x = this.options.x;
    const step = Math.max(1, Math.floor(s.values.length / (2 * this.width)));
    let d = "", open = false;
    for (let i = 0; i < s.values.length; i += step) {
      if (!isFinite(s.values[i])) { open = false; continue; }
      d += `${open ? "L" : "M"}${this.px(x[i]).toFixed(1)} ${this.py(s.values[i]).toFixed(1)}`;
      open = true;
    }
    svg("path", { d, fill: "none", stroke: s.color, "stroke-width": s.width || 1.6, "stroke-dasharray": s.dash || "none",
      "stroke-linejoin": "round", opacity: s.opacity || 1 }, parent);
  }

  drawLine(line, parent) {
    const f = this.frame, y = this.py(line.y);
    if (y < f.top - 3 || y > f.bottom + 3) return;
    svg("line", { x1: f.left, x2: f.right, y1: y, y2: y, stroke: line.color, "stroke-width": 1.4, "stroke-dasharray": line.dash || "5 4" }, parent);
  }

  nameLine(line, parent) {
    const f = this.frame, y = this.py(line.y);
    if (!line.label || y < f.top - 3 || y > f.bottom + 3) return;
    const up = y - 4 > f.top + 8;
    const text = svg("text", { x: f.right - 4, y: up ? y - 4 : y + 12, "text-anchor": "end" }, parent);
    text.setAttribute("style", `fill: ${line.color}; paint-order: stroke; stroke: #fff; stroke-width: 3px`);
    text.textContent = line.label;
  }

  pick(event) {
    const box = this.root.getBoundingClientRect();
    const f = this.frame;
    const s = (event.clientX - box.left - f.left) / (f.right - f.left);
    const x = this.xs[0] + (this.xs[1] - this.xs[0]) * Math.max(0, Math.min(1, s));
    this.setCursor(x);
    if (this.options.onPick) this.options.onPick(x);
  }

  setCursor(x) {
    this.cursorX = x;
    if (!this.cursor) return;
    const at = this.px(x).toFixed(1);
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
    const values = this.options.x;
    const index = Math.round(indexAt(values, x));
    this.readout.textContent = this.options.read ? this.options.read(x, index) : "";
  }
}

/** A legend of buttons, one per entry {name, color, dash}; `pick(index)` when one is pressed. */
function makeLegend(parent, entries, pick) {
  const node = element("div", null, parent, "legend");
  return entries.map((entry, i) => {
    const button = element("button", null, node);
    button.type = "button";
    const icon = svg("svg", { viewBox: "0 0 22 10", "aria-hidden": "true" }, button);
    svg("line", { x1: 1, x2: 21, y1: 5, y2: 5, stroke: entry.color, "stroke-width": 2.6, "stroke-dasharray": entry.dash || "none" }, icon);
    element("span", entry.name, button);
    button.addEventListener("click", () => pick(i));
    return button;
  });
}
