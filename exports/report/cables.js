"use strict";
// Cables: in the scene, for each stretch between two clips, the ellipsoid that it cannot leave
// whatever shape it takes, and dotted a catenary of its length, for looks only; beside it the span of
// the clips over time, and the length.

const CABLE = 0xb07d00;
const CATENARY_POINTS = 48;

/** Points of a rope of that length that hangs from a to b at rest. */
function catenary(a, b, length) {
  const out = [];
  const dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2];
  const across = Math.hypot(dx, dy), straight = Math.hypot(across, dz);
  const width = Math.max(across, 1e-3 * length);
  // sinh(x) / x = k with x = width / (2 scale), by halving; a taut rope is a straight line.
  const k = Math.sqrt(Math.max(0, length * length - dz * dz)) / width;
  let low = 0, high = 60;
  for (let i = 0; i < 60; ++i) {
    const x = 0.5 * (low + high);
    if (Math.sinh(x) < k * x) low = x; else high = x;
  }
  const isTaut = !(length > 1.0001 * straight) || low < 1e-6;
  const scale = isTaut ? 1 : 0.5 * width / low;
  const lowest = 0.5 * (width - scale * Math.log((length + dz) / (length - dz)));
  for (let i = 0; i <= CATENARY_POINTS; ++i) {
    const s = i / CATENARY_POINTS;
    const sag = isTaut ? s * dz : scale * (Math.cosh((s * width - lowest) / scale) - Math.cosh(lowest / scale));
    out.push(a[0] + s * dx, a[1] + s * dy, a[2] + sag);
  }
  return new Float32Array(out);
}

class CableMarks {
  constructor(viewer) {
    this.cables = viewer.data.cables;
    this.radius = viewer.data.scene.radius;
    this.group = new THREE.Group();
    const Ball = THREE.SphereBufferGeometry || THREE.SphereGeometry;
    const clear = new THREE.MeshPhongMaterial({ color: CABLE, transparent: true, opacity: 0.25, depthWrite: false, side: THREE.DoubleSide });
    const solid = new THREE.MeshPhongMaterial({ color: CABLE });
    this.marks = this.cables.map((cable) => {
      const reach = new THREE.Mesh(new Ball(1, 40, 24), clear);
      const clips = [0, 1].map(() => new THREE.Mesh(new Ball(Math.max(1.4 * cable.radius, 0.008 * this.radius), 16, 12), solid));
      const rope = new THREE.Line(new THREE.BufferGeometry(),
        new THREE.LineDashedMaterial({ color: 0x5a3d00, dashSize: 0.012 * this.radius, gapSize: 0.012 * this.radius }));
      rope.frustumCulled = false;
      this.group.add(reach, rope, ...clips);
      return { cable, reach, clips, rope };
    });
    viewer.scene.add(this.group);
  }

  show(frame) {
    for (const { cable, reach, clips, rope } of this.marks) {
      const i = Math.floor(frame), j = Math.min(i + 1, cable.span.length - 1), s = frame - i;
      const at = (points) => at3(points, i).map((x, k) => (1 - s) * x + s * points[3 * j + k]);
      const a = at(cable.a), b = at(cable.b);
      const A = new THREE.Vector3(...a), B = new THREE.Vector3(...b);
      clips[0].position.copy(A);
      clips[1].position.copy(B);
      const span = A.distanceTo(B), sum = cable.length + 2 * cable.radius;
      const aside = 0.5 * Math.sqrt(Math.max(sum * sum - span * span, 1e-12));
      reach.position.copy(A).lerp(B, 0.5);
      reach.scale.set(aside, 0.5 * sum, aside);
      if (span > 1e-9) reach.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), B.clone().sub(A).normalize());
      const set = (rope.geometry.setAttribute || rope.geometry.addAttribute).bind(rope.geometry);
      set("position", new THREE.BufferAttribute(catenary(a, b, cable.length), 3));
      rope.computeLineDistances();
    }
  }
}

function setUpCables() {
  if (!data.cables.length || !data.isMotion) return;
  const card = byId("cables");
  card.hidden = false;
  data.cables.forEach((cable, i) => {
    const values = Array.from(cable.span, (v) => 1000 * v);
    const hasReserve = cable.reserve > 0;
    const label = `length ${millimetres(cable.length)}` + (hasReserve ? ", below it less its reserve" : "");
    const lines = [{ y: 1000 * cable.length, label, color: "#b3261e" }];
    if (hasReserve) lines.push({ y: 1000 * (cable.length - cable.reserve), label: "", color: "#b07d00", dash: "4 3" });
    const low = Math.min(...values), high = Math.max(...values, 1000 * cable.length), room = 0.12 * (high - low + 1e-3);
    addTimePlot(card.querySelector(".plots"), {
      title: `Span of ${cable.name}`, unit: "mm", height: 132,
      series: [{ values, color: lineColor(i), width: 2.2 }], lines, low: low - room, high: high + room,
      read: (t, k) => `${millimetres(cable.span[k])}, ${millimetres(cable.length - cable.span[k])} left`,
    });
  });
  card.querySelector(".hint").textContent =
    "How far apart the clips of each stretch are. In the scene: the ellipsoid that the stretch cannot leave, whatever shape it takes; "
    + "the dotted curve, a rope that hangs at rest, is for looks only.";
}
