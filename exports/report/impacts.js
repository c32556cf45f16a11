"use strict";
// Unplanned contacts with people: in the scene an arrow at the worst point, along the worst
// direction; beside it the force over time, what is proven of it, and the limit.

const PERSON = 0xb5508a;
/** The arrow of a force at its limit, in radii of the view. */
const ARROW_OF_LIMIT = 0.35;

/** One arrow, for the region that is nearest to its limit. */
class ImpactMarks {
  constructor(viewer) {
    this.regions = viewer.data.impacts;
    this.radius = viewer.data.scene.radius;
    this.group = new THREE.Group();
    const Rod = THREE.CylinderBufferGeometry || THREE.CylinderGeometry;
    const Ball = THREE.SphereBufferGeometry || THREE.SphereGeometry;
    const thick = 0.007 * this.radius;
    const material = new THREE.MeshBasicMaterial({ color: PERSON, depthTest: false, transparent: true, opacity: 0.9 });
    this.head = 8 * thick;
    this.shaft = new THREE.Mesh(new Rod(thick, thick, 1, 12), material);
    this.tip = new THREE.Mesh(new Rod(0, 3 * thick, this.head, 16), material);
    this.place = new THREE.Mesh(new Ball(1.8 * thick, 16, 12), material);
    for (const mesh of [this.shaft, this.tip, this.place]) mesh.renderOrder = 13;
    this.arrow = new THREE.Group();
    this.arrow.add(this.shaft, this.tip, this.place);
    this.group.add(this.arrow);
    viewer.scene.add(this.group);
  }

  show(frame) {
    const i = Math.round(frame);
    let worst = null;
    for (const region of this.regions) {
      if (i < region.force.length && (worst === null || region.force[i] / region.limit > worst.force[i] / worst.limit)) worst = region;
    }
    const direction = worst ? new THREE.Vector3(...at3(worst.direction, i)) : null;
    this.arrow.visible = direction !== null && direction.length() > 0.5;
    if (!this.arrow.visible) return;
    const length = ARROW_OF_LIMIT * this.radius * worst.force[i] / worst.limit;
    const shaft = Math.max(length - this.head, 1e-6);
    this.arrow.position.set(...at3(worst.point, i));
    this.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction);
    this.shaft.scale.y = shaft;
    this.shaft.position.y = 0.5 * shaft;
    this.tip.position.y = shaft + 0.5 * this.head;
    this.tip.scale.setScalar(Math.min(1, length / this.head + 1e-6));
  }
}

/** By time: the bound of the cell. */
function provenAt(cells, t) {
  for (let i = 0; i + 2 < cells.length; i += 3) if (t <= cells[i + 1]) return cells[i + 2];
  return null;
}

function setUpImpacts() {
  const regions = data.impacts;
  if (!regions.length || !data.isMotion) return;
  const card = byId("impacts");
  card.hidden = false;
  const parent = card.querySelector(".plots");
  regions.forEach((region, i) => {
    const values = Array.from(region.force);
    const proven = Array.from(region.proven).filter((_, k) => k % 3 === 2);
    addTimePlot(parent, {
      title: `Contact with: ${region.name.replace(/_/g, " ")}`, unit: "N", height: 150,
      series: [{ values, color: lineColor(i), width: 2.2, steps: Array.from(region.proven), fill: true }],
      lines: [{ y: region.limit, label: `limit ${region.limit.toPrecision(4)} N`, color: "#b3261e" }],
      low: 0, high: 1.12 * Math.max(region.limit, ...values, ...proven.filter(isFinite)),
      read: (t, k) => {
        const bound = provenAt(region.proven, t);
        return `${region.body[k]}: ${values[k].toFixed(0)} N` + (bound === null ? "" : `, proven at most ${bound.toFixed(0)} N`);
      },
    });
  });
  card.querySelector(".hint").textContent =
    "The force at which the worst contact with such a part of a person ends, at any point and in any direction. "
    + "Shaded: where it is proven to stay. In the scene an arrow shows the worst point and direction. A calculation by a model "
    + "(see the assumptions), not a measurement.";
}
