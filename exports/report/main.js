"use strict";
// Puts the page together: the verdict, the time that everything follows, the plots.

const data = loadData();
const byId = (id) => document.getElementById(id);
const plots = [];  // those over time
let viewer = null;
let time = 0;
let playing = 0;  // the clock of the last drawn frame while it plays
const lastFrame = data.times.length - 1;
const state = { time: () => time, play: (on) => setPlaying(on), setTime: (t) => setTime(t) };

function fillVerdict() {
  const v = data.verdict;
  byId("verdict").className = v.good ? "good" : "bad";
  document.querySelector("#verdict .mark").textContent = v.good ? "✓" : "!";
  document.querySelector("#verdict h1").textContent = v.title;
  document.querySelector("#verdict .message").textContent = v.message;
  fillList(".faults", v.faults);
  fillList(".advice", v.advice);
  if (data.scope) fillScope(data.scope);
  if (v.good) document.querySelector("#help .advice h2").textContent = "What next";
  byId("help").hidden = v.faults.length + v.advice.length === 0;
  const table = document.querySelector("#facts table");
  for (const [name, value] of data.facts) {
    const row = element("tr", null, table);
    element("th", name, row).scope = "row";
    element("td", value, row);
  }
}

/** What the certificate takes for granted: a line under the verdict, and all of it to unfold. */
function fillScope(scope) {
  document.querySelector("#verdict .assumes").textContent = scope.brief;
  const box = document.querySelector("#verdict .assumptions");
  box.hidden = false;
  for (const [kind, text] of scope.assumptions) {
    element("dt", kind, box.querySelector("dl"));
    element("dd", text, box.querySelector("dl"));
  }
  element("dt", "made by", box.querySelector("dl"));
  element("dd", scope.tool, box.querySelector("dl"));
  for (const [a, b, reason] of scope.exempt) {
    const row = element("tr", null, box.querySelector("table"));
    for (const text of [a, b, reason]) element("td", text, row);
  }
}

function fillList(where, lines) {
  const node = document.querySelector(`#help ${where}`);
  node.hidden = lines.length === 0;
  const shown = 12;
  for (const line of lines.slice(0, shown)) element("li", line, node.querySelector("ul"));
  if (lines.length > shown) element("li", `and ${lines.length - shown} more`, node.querySelector("ul"));
}

/** Moves everything to time t; of a task without a trajectory, t is the number of its configuration. */
function setTime(t, from) {
  const end = data.isMotion ? data.duration : lastFrame;
  time = Math.max(0, Math.min(end, t));
  const frame = data.isMotion ? indexAt(data.times, time) : Math.round(time);
  if (viewer) viewer.show(frame, chosenPair());
  byId("slider").value = time;
  byId("clock").textContent = data.isMotion ? `${time.toFixed(3)} s` : data.labels[frame];
  for (const plot of plots) if (plot !== from) plot.setCursor(time);
  showBadge();
  for (const [i, button] of [...document.querySelectorAll(".ends button")].entries()) {
    button.setAttribute("aria-pressed", String(i === frame));
  }
}

let chosen = -1;
const chosenPair = () => chosen < 0 ? null : data.clearance.pairs[chosen];

function showBadge() {
  const badge = byId("badge");
  const pair = viewer ? viewer.currentPair() : null;
  badge.hidden = pair === null;
  if (pair === null) return;
  const isBad = pair.distance < pair.margin;
  badge.classList.toggle("bad", isBad);
  const names = pairName(data, pair.a, pair.b);
  badge.textContent = pair.distance < 0 ? `${names}: overlap by ${millimetres(-pair.distance)}`
    : `${names}: ${millimetres(pair.distance)} apart${isBad ? `, nearer than the margin of ${millimetres(pair.margin)}` : ""}`;
}

function goToClosest() {
  setPlaying(false);
  setTime(data.minimum.t);
}

function setPlaying(on) {
  playing = on ? performance.now() : 0;
  byId("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  if (time >= data.duration) setTime(0);
  const step = (now) => {
    if (!playing) return;
    const next = time + 0.001 * Math.max(0, now - playing) * Number(byId("speed").value);
    playing = now;
    setTime(next);
    if (next >= data.duration) setPlaying(false);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function setUpTransport() {
  if (!data.isMotion) {
    const bar = byId("transport");
    bar.textContent = "";
    const ends = element("div", null, bar, "ends");
    data.labels.forEach((label, i) => {
      const button = element("button", label[0].toUpperCase() + label.slice(1), ends);
      button.type = "button";
      button.addEventListener("click", () => setTime(i));
    });
    for (const id of ["slider", "clock"]) {  // still there for what sets them, out of sight
      const node = element(id === "slider" ? "input" : "output", null, bar);
      node.id = id;
      node.hidden = true;
    }
    return;
  }
  byId("slider").max = data.duration;
  byId("slider").addEventListener("input", (event) => { setPlaying(false); setTime(Number(event.target.value)); });
  byId("play").addEventListener("click", () => setPlaying(!playing));
  byId("closest").hidden = !data.minimum;
  byId("closest").addEventListener("click", goToClosest);
  document.addEventListener("keydown", (event) => {
    const on = event.target.tagName;
    const takesSpace = /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(on), takesArrows = /^(INPUT|SELECT)$/.test(on);
    if (event.key === "c" && data.minimum && !event.ctrlKey && !event.metaKey && !event.altKey) goToClosest();
    if (!takesSpace && event.key === " ") { event.preventDefault(); setPlaying(!playing); }
    if (!takesArrows && event.key === "ArrowRight") setTime(time + data.duration / 100);
    if (!takesArrows && event.key === "ArrowLeft") setTime(time - data.duration / 100);
  });
}

function setUpLayers() {
  const has = (test) => data.scene.bodies.some(test);
  const names = { robot: "Robot" };
  if (has((b) => b.kind === "obstacle")) names.obstacles = "Obstacles";
  names.solids = "Collision geometry";
  if (data.toolPaths.length) names.path = "Tool path";
  if (data.clearance.pairs.length) names.pair = "Closest pair";
  if (data.contacts.list.length) names.forces = data.contacts.list.some((c) => c.force.length) ? "Contact forces" : "Contacts";
  if (data.cables.length) names.cables = "Reach of cables";
  if (data.impacts.length && data.isMotion) names.impacts = "Worst contact";
  if (data.times.length > 1) names.ends = "Start and goal";
  for (const [key, name] of Object.entries(names)) {
    const label = element("label", null, document.querySelector("#layers .choices"));
    const box = element("input", null, label);
    box.type = "checkbox";
    box.id = `layer-${key}`;
    box.checked = viewer.layers[key];
    box.addEventListener("change", () => viewer.setLayers({ [key]: box.checked }));
    element("span", name, label);
  }
  if (window.innerWidth < 900) byId("layers").open = false;
  byId("reset-view").addEventListener("click", () => viewer.resetView());
}

const onPick = (plot) => (t) => { setPlaying(false); setTime(t, plot()); };

function addTimePlot(parent, options) {
  let plot = null;
  plot = new Plot(parent, { x: data.times, xUnit: "s", ...options, onPick: onPick(() => plot) });
  plots.push(plot);
  return plot;
}

// --- joints ------------------------------------------------------------------------------------

const QUANTITIES = [
  { key: "position", title: "Position", units: ["rad", "m"] },
  { key: "velocity", title: "Velocity", units: ["rad/s", "m/s"], limit: "velocity_limit" },
  { key: "acceleration", title: "Acceleration", units: ["rad/s²", "m/s²"], limit: "acceleration_limit" },
  { key: "jerk", title: "Jerk", units: ["rad/s³", "m/s³"], limit: "jerk_limit" },
  { key: "torque", title: "Torque", units: ["N m", "N"], limit: "torque_limit" },
];

const limitsOf = (joint, quantity) => quantity.limit
  ? [joint[quantity.limit] === null ? null : -joint[quantity.limit], joint[quantity.limit]] : [joint.lower, joint.upper];

/** Values as percent of the way from the middle of the limits to either; null without limits. */
function inPercent(joint, quantity) {
  const [low, high] = limitsOf(joint, quantity);
  if (low === null || high === null || !(high > low)) return null;
  return Array.from(joint[quantity.key], (v) => 200 * (v - low) / (high - low) - 100);
}

function allJoints(quantity) {
  const series = [];
  data.joints.forEach((joint, i) => {
    const values = inPercent(joint, quantity);
    if (values) series.push({ values, color: lineColor(i), dash: lineDash(i), name: joint.name });
  });
  let extreme = 100;
  for (const s of series) for (const v of s.values) extreme = Math.max(extreme, Math.abs(v));
  extreme = Math.min(1.12 * extreme, 400);
  const isSoft = quantity.key === "torque" && !data.torque_limited;
  const label = isSoft ? "rated, not enforced" : "limit";
  return {
    title: quantity.title, unit: "% of the limit", series, low: -extreme, high: extreme,
    lines: series.length ? [{ y: 100, label, color: "#b3261e" }, { y: -100, label: "", color: "#b3261e" }] : [],
    read: (t, k) => {
      if (!series.length) return "no limits; choose a joint";
      const worst = series.reduce((a, b) => Math.abs(b.values[k]) > Math.abs(a.values[k]) ? b : a);
      return `most: ${worst.name} ${worst.values[k].toFixed(0)} %`;
    },
  };
}

function oneJoint(joint, index, quantity) {
  const values = Array.from(joint[quantity.key]);
  const [low, high] = limitsOf(joint, quantity);
  const unit = quantity.units[joint.angle ? 0 : 1];
  let from = Math.min(...values, 0), to = Math.max(...values, 0);
  const reach = Math.max(to - from, 1e-6);
  const isSoft = quantity.key === "torque" && !data.torque_limited;
  const lines = [];
  for (const [limit, name] of [[high, "upper"], [low, "lower"]]) {
    if (limit === null) continue;
    const word = isSoft ? "rated, not enforced" : quantity.limit ? "limit" : `${name} limit`;
    lines.push({ y: limit, label: `${word} ${limit.toPrecision(3)}`, color: "#b3261e" });
    from = Math.min(from, limit);
    to = Math.max(to, limit);
  }
  const pad = 0.08 * Math.max(to - from, reach);
  return { title: quantity.title, unit, low: from - pad, high: to + pad, lines,
    series: [{ values, color: lineColor(index), width: 2.2 }], read: (t, k) => `${values[k].toPrecision(4)} ${unit}` };
}

function setUpJoints() {
  if (!data.joints.length) return;
  const card = byId("joints");
  card.hidden = false;
  const hint = card.querySelector(".hint");
  const chips = card.querySelector(".chips");
  const options = (chosen, q) => chosen < 0 ? allJoints(q) : oneJoint(data.joints[chosen], chosen, q);
  const hasMass = data.joints.some((joint) => joint.torque.some((v) => v !== 0));
  const shown = QUANTITIES.filter((q) => q.key !== "torque" || hasMass)
    .filter((q) => q.key !== "jerk" || data.joints.some((joint) => joint.jerk.some((v) => v !== 0)));
  const made = shown.map((q) => addTimePlot(card.querySelector(".plots"), { height: 132, ...options(-1, q) }));
  const buttons = [-1, ...data.joints.keys()].map((i) => {
    const button = element("button", i < 0 ? "All" : data.joints[i].name, chips);
    button.type = "button";
    button.addEventListener("click", () => choose(i));
    return button;
  });
  const choose = (i) => {
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i + 1)));
    hint.textContent = i < 0 ? "All joints, as a part of their limits. Choose one for its numbers." : "";
    made.forEach((plot, k) => {
      plot.node.querySelector("b").textContent = "";
      const o = options(i, shown[k]);
      plot.node.querySelector("b").textContent = `${o.title} [${o.unit}]`;
      plot.set(o);
    });
  };
  choose(-1);
}

// --- solver ------------------------------------------------------------------------------------

function setUpSolver() {
  const h = data.history;
  if (h.cost.length < 2) return;
  const card = byId("solver");
  card.hidden = false;
  const x = Array.from(h.cost, (_, i) => i);
  const cost = Array.from(h.cost), wrong = Array.from(h.infeasibility, (v) => Math.max(v, 1e-12));
  const sorted = [...cost].sort((a, b) => a - b);
  const most = sorted[Math.floor(0.95 * (sorted.length - 1))], least = sorted[0];
  const room = 0.1 * Math.max(most - least, 1e-3 * Math.abs(most) + 1e-9);
  const read = (values) => (at, i) => `iteration ${i}, round ${h.round[i]}: ${values[i].toPrecision(4)}`;
  new Plot(card.querySelector(".plots"), { title: "Cost", x, xUnit: "iterations", height: 120, read: read(cost),
    series: [{ values: cost, color: lineColor(0) }], low: Math.min(least - room, least), high: most + room });
  new Plot(card.querySelector(".plots"), { title: "Violation of the constraints", x, xUnit: "iterations", height: 120,
    log: true, read: read(Array.from(h.infeasibility)), series: [{ values: wrong, color: lineColor(1) }],
    low: Math.max(1e-12, 0.5 * Math.min(...wrong)), high: 2 * Math.max(...wrong) });
}

/** The 3D view, or null where there is no WebGL. A context is slow to get: only one is made. */
function makeViewer() {
  const canvas = document.createElement("canvas");
  const wanted = { alpha: false, antialias: true, preserveDrawingBuffer: true };
  const context = canvas.getContext("webgl2", wanted) || canvas.getContext("webgl", wanted);
  if (context) return new Viewer(byId("view"), canvas, context, data);
  byId("no-webgl").hidden = false;
  byId("layers").hidden = byId("view-tools").hidden = true;
  return null;
}

/** The words and plots are on the screen before the scene is made: that takes longer. */
function setUpView() {
  viewer = makeViewer();
  if (viewer) setUpLayers();
  setTime(time);
  requestAnimationFrame(() => { state.ready = performance.now(); });  // after the drawing asked for before
}

fillVerdict();
setUpTransport();
setUpClearance();
setUpImpacts();
setUpCables();
setUpContacts();
setUpJoints();
setUpSolver();
fillNearest();
const worst = data.clearance.pairs[0];
const startsAtFault = worst && worst.distance[worst.nearest] < worst.margin;
setTime(startsAtFault ? (data.isMotion ? data.times[worst.nearest] : worst.nearest) : 0);
requestAnimationFrame(() => setTimeout(() => {
  state.readable = performance.now();
  setUpView();
}));
window.allclearReport = { state, data, get viewer() { return viewer; } };
