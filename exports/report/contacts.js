"use strict";
// Contacts: in the scene the soles, an arrow for the force at each contact and where it acts; beside
// it the soles from above, and curves of the forces.

const FORCE = 0xd55e00, GROUND = 0x3b3b3b;
/** The arrow of a force as large as the robot's weight, in radii of the view. */
const ARROW_OF_WEIGHT = 0.55;
const at3 = (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** The third axis of a pose of seven numbers: out of the ground. */
function upOf(pose) {
  const [x, y, z, w] = pose.slice(3);
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

/** A point of the contact's frame in the world. */
function placeOf(contact, x, y) {
  const p = new THREE.Vector3(x, y, 0).applyQuaternion(new THREE.Quaternion().fromArray(contact.pose, 3));
  return [p.x + contact.pose[0], p.y + contact.pose[1], p.z + contact.pose[2]];
}

const cornersOf = (contact, inset = 0) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
  placeOf(contact, a * Math.max(0, contact.half[0] - inset), b * Math.max(0, contact.half[1] - inset)));

/** The soles' common hull, from above; null where they are not in one level plane, or hands lean. */
function supportHull(contacts) {
  const level = contacts.list.every((c) => c.flat && upOf(c.pose)[2] > 0.9999
    && Math.abs(c.pose[2] - contacts.list[0].pose[2]) < 1e-3);
  if (!level || !contacts.list.length) return null;
  const points = contacts.list.flatMap((c) => cornersOf(c)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const left = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && !left(out[out.length - 2], out[out.length - 1], p)) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(points), ...half([...points].reverse())];
}

/** What the scene shows of the contacts. */
class ContactMarks {
  constructor(viewer) {
    this.contacts = viewer.data.contacts;
    this.radius = viewer.data.scene.radius;
    this.group = new THREE.Group();
    this.marks = this.contacts.list.map((contact, i) => this.makeMark(contact, i));
    const hull = supportHull(this.contacts);
    if (hull && this.contacts.zeroMoment.length) {
      this.group.add(this.loop(hull, GROUND));
      this.whole = this.ball(1.3, GROUND);
      this.group.add(this.whole);
    }
    viewer.scene.add(this.group);
  }

  /** Marks are seen through the robot: feet would hide all of them. */
  material(color, options = {}) {
    return new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9, ...options });
  }

  ball(size, color) {
    const Ball = THREE.SphereBufferGeometry || THREE.SphereGeometry;
    const mesh = new THREE.Mesh(new Ball(0.008 * size * this.radius, 16, 12), this.material(color));
    mesh.renderOrder = 12;
    return mesh;
  }

  loop(points, color) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
    const line = new THREE.LineLoop(geometry, new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true }));
    line.renderOrder = 9;
    return line;
  }

  makeMark(contact, i) {
    const color = new THREE.Color(lineColor(i));
    if (contact.flat) {
      this.group.add(this.loop(cornersOf(contact), color));
      this.group.add(this.plate(contact, color));
    }
    const Rod = THREE.CylinderBufferGeometry || THREE.CylinderGeometry;
    const arrow = new THREE.Group();
    const thick = 0.006 * this.radius;
    const shaft = new THREE.Mesh(new Rod(thick, thick, 1, 12), this.material(FORCE));
    const tip = new THREE.Mesh(new Rod(0, 3 * thick, 8 * thick, 16), this.material(FORCE));
    shaft.renderOrder = tip.renderOrder = 11;
    arrow.add(shaft, tip);
    const place = this.ball(1, color);
    this.group.add(arrow, place);
    return { contact, arrow, shaft, tip, place, head: 8 * thick };
  }

  plate(contact, color) {
    const corners = cornersOf(contact), geometry = new THREE.BufferGeometry();
    const triangles = [0, 1, 2, 0, 2, 3].flatMap((k) => corners[k]);
    const set = (geometry.setAttribute || geometry.addAttribute).bind(geometry);
    set("position", new THREE.BufferAttribute(new Float32Array(triangles), 3));
    const plate = new THREE.Mesh(geometry, this.material(color, { opacity: 0.25, side: THREE.DoubleSide }));
    plate.renderOrder = 8;
    return plate;
  }

  show(frame) {
    const i = Math.round(frame);
    for (const mark of this.marks) {
      const { force, pressure, pose } = mark.contact;
      const has = 3 * i < force.length;
      const from = has ? at3(pressure, i) : Array.from(pose.slice(0, 3));
      const acts = has && from.every(isFinite);
      mark.arrow.visible = acts;
      mark.place.visible = acts || !has;
      mark.place.position.set(...from.map((v) => isFinite(v) ? v : 0));
      if (acts) this.aim(mark, from, new THREE.Vector3(...at3(force, i)));
    }
    if (!this.whole) return;
    const p = at3(this.contacts.zeroMoment, i);
    this.whole.visible = p.every(isFinite);
    if (this.whole.visible) this.whole.position.set(...p);
  }

  aim(mark, from, force) {
    const length = ARROW_OF_WEIGHT * this.radius * force.length() / (this.contacts.weight || force.length() || 1);
    const shaft = Math.max(length - mark.head, 1e-6);
    mark.arrow.position.set(...from);
    if (force.length() > 0) mark.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.clone().normalize());
    mark.shaft.scale.y = shaft;
    mark.shaft.position.y = 0.5 * shaft;
    mark.tip.position.y = shaft + 0.5 * mark.head;
    mark.tip.scale.setScalar(Math.min(1, length / mark.head + 1e-6));
  }
}

// --- beside the scene --------------------------------------------------------------------------

/** By frame: the part of the force along the contact's normal [N]. */
const normalForces = (c) => Array.from({ length: c.force.length / 3 }, (_, i) => dot3(at3(c.force, i), upOf(c.pose)));

/** By frame: the force across the normal as percent of what friction can bear. */
function frictionUsed(c) {
  const up = upOf(c.pose);
  return normalForces(c).map((n, i) => {
    const f = at3(c.force, i);
    return 100 * Math.sqrt(Math.max(0, dot3(f, f) - n * n)) / Math.max(1e-9, c.friction * n);
  });
}

/** By frame: from the centre of pressure to the sole's nearest edge [mm], negative beyond it. */
function edgeDistances(c) {
  const turn = new THREE.Quaternion().fromArray(c.pose, 3).conjugate();
  return Array.from({ length: c.pressure.length / 3 }, (_, i) => {
    const p = new THREE.Vector3(...at3(c.pressure, i).map((v, k) => v - c.pose[k])).applyQuaternion(turn);
    return 1000 * Math.min(c.half[0] - Math.abs(p.x), c.half[1] - Math.abs(p.y));
  });
}

/** The soles from above, x up and y to the left, and the ways of the centres of pressure. */
class FootMap {
  constructor(parent, contacts, pick) {
    this.contacts = contacts;
    this.soles = contacts.list.map((c, i) => ({ c, i })).filter(({ c }) => c.flat && upOf(c.pose)[2] > 0.7);
    this.hull = supportHull(contacts);
    const node = element("div", null, parent, "plot");
    const head = element("div", null, node, "head");
    element("b", "Centres of pressure on the soles, from above", head);
    this.readout = element("span", "", head, "read");
    this.root = svg("svg", { role: "img", "aria-label": "Soles from above", class: "map" }, node);
    this.draw();
    this.pick = pick;
  }

  draw() {
    const corners = this.soles.flatMap(({ c }) => cornersOf(c));
    const low = [0, 1].map((k) => Math.min(...corners.map((p) => p[k]))), high = [0, 1].map((k) => Math.max(...corners.map((p) => p[k])));
    const pad = 0.02, width = high[1] - low[1] + 2 * pad, height = high[0] - low[0] + 2 * pad;
    this.px = (p) => [1000 * (high[1] + pad - p[1]), 1000 * (high[0] + pad - p[0])];
    this.root.setAttribute("viewBox", `0 0 ${1000 * width} ${1000 * height}`);
    this.root.setAttribute("height", 190);
    const path = (points, close) => points.filter((p) => p.every(isFinite))
      .map((p, k) => `${k ? "L" : "M"}${this.px(p).map((v) => v.toFixed(2)).join(" ")}`).join("") + (close ? "Z" : "");
    const line = (d, stroke, width, more = {}) => svg("path", { d, fill: "none", stroke, "stroke-width": width, ...more }, this.root);
    const pointsOf = (array) => Array.from({ length: array.length / 3 }, (_, k) => at3(array, k));
    if (this.hull) line(path(this.hull, true), "#8895a3", 1, { "stroke-dasharray": "5 4" });
    for (const { c, i } of this.soles) {
      line(path(cornersOf(c), true), lineColor(i), 2, { fill: lineColor(i), "fill-opacity": 0.1 });
      line(path(cornersOf(c, c.margin), true), lineColor(i), 0.7, { "stroke-dasharray": "3 3" });
      line(path(pointsOf(c.pressure)), lineColor(i), 1.6);
    }
    if (this.hull) line(path(pointsOf(this.contacts.zeroMoment)), "#3b3b3b", 1.6);
    const dot = (color, r) => svg("circle", { r, fill: color, stroke: "#fff", "stroke-width": 1 }, this.root);
    this.dots = this.soles.map(({ i }) => dot(lineColor(i), 5));
    this.whole = this.hull && this.contacts.zeroMoment.length ? dot("#3b3b3b", 6) : null;
  }

  setCursor(t) {
    const i = Math.round(indexAt(data.times, t));
    const put = (circle, p) => {
      const seen = p.every(isFinite);
      circle.style.display = seen ? "" : "none";
      if (!seen) return;
      const [x, y] = this.px(p);
      circle.setAttribute("cx", x);
      circle.setAttribute("cy", y);
    };
    this.soles.forEach(({ c }, k) => put(this.dots[k], c.pressure.length ? at3(c.pressure, i) : [NaN]));
    if (this.whole) put(this.whole, at3(this.contacts.zeroMoment, i));
  }
}

function addContactPlots(parent, shown) {
  const curves = (values) => shown.map(({ c, i }) => ({ values: values(c), color: lineColor(i), dash: lineDash(i), name: c.name }));
  const most = (series) => Math.max(...series.flatMap((s) => s.values.filter(isFinite)));
  const least = (series) => Math.min(...series.flatMap((s) => s.values.filter(isFinite)));
  const all = (series, unit) => (t, k) => series.map((s) => `${s.name} ${s.values[k].toFixed(0)} ${unit}`).join(", ");
  const normal = curves(normalForces);
  addTimePlot(parent, { title: "Force along the normal", unit: "N", height: 132, series: normal,
    low: Math.min(0, 1.05 * least(normal)), high: 1.08 * most(normal), read: all(normal, "N") });
  const friction = curves(frictionUsed);
  addTimePlot(parent, { title: "Friction used", unit: "% of what it can bear", height: 120, series: friction,
    lines: [{ y: 100, label: "limit", color: "#b3261e" }], low: 0, high: Math.max(115, Math.min(300, 1.08 * most(friction))),
    read: all(friction, "%") });
  const soles = shown.filter(({ c }) => c.flat);
  if (!soles.length) return;
  const room = soles.map(({ c, i }) => ({ values: edgeDistances(c), color: lineColor(i), dash: lineDash(i), name: c.name }));
  const margins = [...new Set(soles.map(({ c }) => 1000 * c.margin))];
  addTimePlot(parent, { title: "Centre of pressure to the sole's edge", unit: "mm", height: 132, series: room,
    lines: margins.map((m) => ({ y: m, label: `margin ${millimetres(m / 1000)}`, color: "#b3261e" })),
    low: Math.min(0, 1.1 * least(room)), high: 1.15 * Math.max(...margins, most(room)), read: all(room, "mm") });
}

function setUpContacts() {
  const { list } = data.contacts;
  if (!list.length || !data.isMotion) return;
  const shown = list.map((c, i) => ({ c, i })).filter(({ c }) => c.force.length);
  const card = byId("contacts");
  const parent = card.querySelector(".plots");
  if (shown.length || data.contacts.zeroMoment.length) {
    card.hidden = false;
    if (list.some((c) => c.flat && upOf(c.pose)[2] > 0.7)) plots.push(new FootMap(parent, data.contacts));
  }
  if (shown.length) addContactPlots(parent, shown);
  makeLegend(card, list.map((c, i) => ({ name: `${c.name}${c.flat ? "" : " (a point)"}`, color: lineColor(i), dash: lineDash(i) })), () => {});
  card.querySelector(".hint").textContent = shown.length
    ? "Forces on the robot with which the certificate holds; a controller may distribute them otherwise."
    : "Dark: the centre of pressure of all soles together. How it is shared between them is not a part of this task.";
}
