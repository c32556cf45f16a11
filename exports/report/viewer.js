"use strict";
// The scene in 3D. Positions are metres, z is up. `frame` is a real number: 2.5 is half way from the
// third to the fourth sample.

const LOOKS = {
  links: [0xe4e7eb, 0xb4c3d3], attached: 0xe0a030, obstacle: 0xc9b79c, moving: 0x8fae8b, plane: 0xd3d9e0,
  solid: 0x3f7fb5, near: 0x0072b2, bad: 0xd02a1e, path: 0x0072b2, start: 0x5f6b78, goal: 0x009e73,
};

class Viewer {
  /** `canvas` with `context`, its WebGL, goes into `container`. */
  constructor(container, canvas, context, data) {
    this.data = data;
    this.container = container;
    this.layers = { robot: true, obstacles: true, solids: false, path: true, pair: true, forces: true, impacts: true, cables: true, ends: !data.isMotion };
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.debug.checkShaderErrors = false;  // to ask for them waits for the compiler
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setClearColor(0xe9edf2, 1);
    container.appendChild(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("role", "application");
    this.renderer.domElement.setAttribute("aria-label", "3D view; drag or arrow keys to turn, plus and minus to zoom");
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.addLights();
    this.center = new THREE.Vector3(...data.scene.center);
    this.bodies = data.scene.bodies.map((body, i) => this.makeBody(body, i));
    this.makeEnds();
    this.makePath();
    this.makePairMarks();
    this.makeGoal();
    this.contacts = new ContactMarks(this);
    this.impacts = new ImpactMarks(this);
    this.cables = new CableMarks(this);
    this.resetView();
    listenTo(canvas, this);
    this.frame = 0;
    this.shown = null;
    this.resize();
    if (window.ResizeObserver) new ResizeObserver(() => this.resize()).observe(container);
    else window.addEventListener("resize", () => this.resize());
    this.setLayers({});
  }

  addLights() {
    const r = this.data.scene.radius;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb4bac2, 0.78));
    const sun = new THREE.DirectionalLight(0xffffff, 0.42);
    sun.position.set(-2 * r, -3 * r, 5 * r);
    const fill = new THREE.DirectionalLight(0xffffff, 0.16);
    fill.position.set(4 * r, 2 * r, r);
    this.scene.add(sun, fill);
  }

  material(color, options = {}) {
    return new THREE.MeshPhongMaterial({ color, specular: 0x222222, shininess: 24, side: THREE.DoubleSide, ...options });
  }

  meshes(packed, material) {
    const group = new THREE.Group();
    for (const mesh of packed) {
      const { corners, normals } = unpackMesh(mesh);
      const geometry = new THREE.BufferGeometry();
      const set = (geometry.setAttribute || geometry.addAttribute).bind(geometry);
      set("position", new THREE.BufferAttribute(corners, 3));
      set("normal", new THREE.BufferAttribute(normals, 3));
      group.add(new THREE.Mesh(geometry, material));
    }
    return group;
  }

  makeBody(body, index) {
    const isObstacle = body.kind === "obstacle";
    const moves = body.poses.length > 7 || body.bends;
    const walls = body.plane && body.looks.length > 1; // of a cell: one sees through them
    const color = body.kind === "link" ? LOOKS.links[index % 2] : body.kind === "attached" ? LOOKS.attached
      : body.plane ? LOOKS.plane : moves ? LOOKS.moving : LOOKS.obstacle;
    const material = this.material(color, body.plane ? { transparent: true, opacity: walls ? 0.12 : 0.75, depthWrite: false } : {});
    const looks = this.meshes(body.looks, material);
    if (body.cells) looks.add(this.makeCells(body.cells, material));
    const group = new THREE.Group();
    group.add(looks);
    if (body.plane && !walls) {
      const size = body.looks[0].size;
      const lines = new THREE.GridHelper(Math.max(size[0], size[1]), 20, 0xb0bac5, 0xc3ccd5);
      lines.rotation.x = Math.PI / 2;
      looks.add(lines);
    }
    const spreads = this.makeSpreads(body, color, material);
    for (const { meshes } of spreads) group.add(meshes);
    this.scene.add(group);
    this.place(group, body.poses, 0);
    return { body, group, looks, spreads, solids: null, material, isObstacle, color: new THREE.Color(color) };
  }

  /** Elements of a cloud: balls of one radius, or boxes. Drawn many at once, those that the file has of them. */
  makeCells({ centers, half }, material) {
    const p = floatsOf(centers), h = floatsOf(half), count = p.length / 3, balls = h.length === 1;
    const geometry = balls ? new (THREE.SphereBufferGeometry || THREE.SphereGeometry)(h[0], 8, 6)
      : new (THREE.BoxBufferGeometry || THREE.BoxGeometry)(2, 2, 2);
    const cells = new THREE.InstancedMesh(geometry, material, count), X = new THREE.Matrix4();
    for (let i = 0; i < count; ++i) {
      if (!balls) X.makeScale(...h.slice(3 * i, 3 * i + 3));
      cells.setMatrixAt(i, X.setPosition(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
    }
    cells.frustumCulled = false;
    return cells;
  }

  /** All places where an obstacle may be, to be seen through, or a mesh that bends: stage by stage of the motion. */
  makeSpreads(body, color, look) {
    const material = body.bends ? look : this.material(color, { transparent: true, opacity: 0.22, depthWrite: false });
    return (body.spreads || []).map(({ first, meshes }) => ({ first, meshes: this.meshes(meshes, material) }));
  }

  /** Of the stages the one of this frame. */
  showSpreads({ spreads, looks }) {
    const now = spreads.filter(({ first }) => first <= this.frame).pop();
    for (const stage of spreads) stage.meshes.visible = stage === now && looks.visible;
  }

  /** What is kept clear, made when it is first asked for. */
  makeSolids() {
    const material = this.material(LOOKS.solid, { transparent: true, opacity: 0.38, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -4 });
    for (const part of this.bodies) {
      if (part.body.plane || part.solids) continue;
      part.solids = this.meshes(part.body.solids.length ? part.body.solids : part.body.looks, material);
      part.group.add(part.solids);
    }
  }

  /** The robot at the first and the last sample, to be seen through. */
  makeEnds() {
    this.ends = new THREE.Group();
    const last = this.data.times.length - 1;
    for (const [frame, color] of [[0, LOOKS.start], [last, LOOKS.goal]]) {
      const material = this.material(color, { transparent: true, opacity: 0.3, depthWrite: false,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });  // behind the robot where they coincide
      for (const { body, looks } of this.bodies) {
        if (body.kind === "obstacle" || body.poses.length <= 7) continue;
        const ghost = looks.clone();
        ghost.traverse((part) => { if (part.isMesh) part.material = material; });
        this.place(ghost, body.poses, frame);
        this.ends.add(ghost);
      }
    }
    this.scene.add(this.ends);
  }

  makePath() {
    this.path = new THREE.Group();
    const material = this.material(LOOKS.path);
    for (const path of this.data.toolPaths) {
      const points = [];
      for (let i = 0; i + 2 < path.length; i += 3) points.push(new THREE.Vector3(...path.slice(i, i + 3)));
      const reach = new THREE.Box3().setFromPoints(points).getSize(new THREE.Vector3()).length();
      if (reach > 1e-3 * this.data.scene.radius) this.path.add(this.tube(points, 0.004 * this.data.scene.radius, material));
    }
    this.scene.add(this.path);
  }

  /** A thin tube along points: lines are one pixel wide in WebGL. */
  tube(points, radius, material) {
    const curve = new THREE.CatmullRomCurve3(points);
    const Tube = THREE.TubeBufferGeometry || THREE.TubeGeometry;
    return new THREE.Mesh(new Tube(curve, Math.min(400, 4 * points.length), radius, 8), material);
  }

  makePairMarks() {
    const Ball = THREE.SphereBufferGeometry || THREE.SphereGeometry;
    const Rod = THREE.CylinderBufferGeometry || THREE.CylinderGeometry;
    this.pairMaterial = new THREE.MeshBasicMaterial({ color: LOOKS.near, depthTest: false, transparent: true });
    const size = 0.009 * this.data.scene.radius;
    this.marks = [0, 1].map(() => new THREE.Mesh(new Ball(size, 16, 12), this.pairMaterial));
    this.rod = new THREE.Mesh(new Rod(0.4 * size, 0.4 * size, 1, 10), this.pairMaterial);
    this.pair = new THREE.Group();
    this.pair.add(this.rod, ...this.marks);
    this.pair.traverse((part) => { part.renderOrder = 10; });
    this.scene.add(this.pair);
  }

  makeGoal() {
    if (!this.data.scene.goal) return;
    for (let i = 0; i < this.data.scene.goal.length / 7; ++i) {
      const axes = new THREE.AxesHelper(0.12 * this.data.scene.radius);
      this.place(axes, this.data.scene.goal, i);
      this.scene.add(axes);
    }
  }

  /** Poses are seven numbers each: position and quaternion. */
  place(object, poses, frame) {
    const count = poses.length / 7;
    const i = Math.min(Math.floor(frame), count - 1), j = Math.min(i + 1, count - 1), s = frame - i;
    const a = 7 * i, b = 7 * j;
    const mix = (k) => (1 - s) * poses[a + k] + s * poses[b + k];
    if (count === 1) {
      object.position.fromArray(poses, 0);
      object.quaternion.fromArray(poses, 3);
    } else {
      object.position.set(mix(0), mix(1), mix(2));
      object.quaternion.set(mix(3), mix(4), mix(5), mix(6)).normalize();
    }
  }

  /** `shown`: a pair to draw in place of the closest one, or null. */
  show(frame, shown = this.shown) {
    this.frame = frame;
    this.shown = shown;
    for (const { body, group } of this.bodies) {
      if (body.poses.length > 7) this.place(group, body.poses, frame);
    }
    for (const part of this.bodies) if (part.spreads.length) this.showSpreads(part);
    this.showPair();
    this.contacts.show(frame);
    this.impacts.show(frame);
    this.cables.show(frame);
    this.draw();
  }

  /** The two bodies that are drawn as a pair at this frame, their distance and points; or null. */
  currentPair() {
    const nearest = Math.round(this.frame);
    const from = this.shown || this.data.clearance.closest;
    const [a, b, margin] = this.shown ? [this.shown.a, this.shown.b, this.shown.margin] : from.who[nearest];
    if (a < 0 || !isFinite(from.distance[nearest])) return null;
    const i = Math.floor(this.frame), j = Math.min(i + 1, from.distance.length - 1), s = this.frame - i;
    const same = this.shown || (from.who[i][0] === from.who[j][0] && from.who[i][1] === from.who[j][1]);
    const value = (array, width, k) => same
      ? (1 - s) * array[width * i + k] + s * array[width * j + k] : array[width * nearest + k];
    const points = [0, 1, 2, 3, 4, 5].map((k) => value(from.points, 6, k));
    return { a, b, margin, distance: atLeastProven(a, b, value(from.distance, 1, 0)), points };
  }

  showPair() {
    const pair = this.currentPair();
    for (const part of this.bodies) part.material.color.copy(part.color);
    this.pair.visible = this.layers.pair && pair !== null;
    if (pair === null) return;
    const isBad = pair.distance < pair.margin;
    this.pairMaterial.color.set(isBad ? LOOKS.bad : LOOKS.near);
    if (isBad) for (const i of [pair.a, pair.b]) this.bodies[i].material.color.set(LOOKS.bad).lerp(this.bodies[i].color, 0.25);
    const ends = [new THREE.Vector3(...pair.points.slice(0, 3)), new THREE.Vector3(...pair.points.slice(3))];
    this.marks.forEach((mark, k) => mark.position.copy(ends[k]));
    const along = ends[1].clone().sub(ends[0]);
    this.rod.position.copy(ends[0]).addScaledVector(along, 0.5);
    this.rod.scale.set(1, Math.max(along.length(), 1e-6), 1);
    if (along.length() > 1e-9) this.rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
  }

  setLayers(change) {
    Object.assign(this.layers, change);
    const on = this.layers;
    if (on.solids) this.makeSolids();
    for (const { looks, solids, isObstacle } of this.bodies) {
      looks.visible = isObstacle ? on.obstacles : on.robot;
      if (solids) solids.visible = on.solids && (isObstacle ? on.obstacles : true);
    }
    this.path.visible = on.path;
    this.ends.visible = on.ends;
    this.contacts.group.visible = on.forces;
    this.impacts.group.visible = on.impacts;
    this.cables.group.visible = on.cables;
    this.show(this.frame);
  }

  /** From the side of the robot that faces away from the obstacles, a little from above. */
  resetView() {
    const mean = (obstacles) => {
      const sum = new THREE.Vector3();
      let count = 0;
      for (const { body, isObstacle } of this.bodies) {
        if (isObstacle !== obstacles || body.plane) continue;
        sum.add(new THREE.Vector3().fromArray(body.poses, 0));
        ++count;
      }
      return count ? sum.multiplyScalar(1 / count) : null;
    };
    const robot = mean(false), things = mean(true);
    let azimuth = -0.9;
    if (robot && things) {
      const away = robot.clone().sub(things);
      if (Math.hypot(away.x, away.y) > 0.15 * this.data.scene.radius) azimuth = Math.atan2(away.y, away.x) + 0.75;
    }
    this.viewPoints();
    this.target = this.center.clone();
    this.azimuth = azimuth;
    this.elevation = 0.42;
    this.distance = 0;  // until the size of the view is known
    this.aim();
  }

  /** Corners of what is to be seen: of everything, or of what moves where that is but a part of it. */
  viewPoints() {
    if (this.points) return this.points;
    const all = [], moving = [];
    for (const { body, group, isObstacle } of this.bodies) {
      const corners = this.cornersOf(body, group);
      all.push(...corners);
      if (!isObstacle && body.poses.length > 7) moving.push(...corners);
    }
    const whole = new THREE.Box3().setFromPoints(all), part = new THREE.Box3().setFromPoints(moving);
    const length = (box) => box.getSize(new THREE.Vector3()).length();
    this.points = all;
    if (moving.length && 1.8 * length(part) < length(whole)) {
      part.expandByScalar(0.12 * length(part));
      this.points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(
        ...["x", "y", "z"].map((axis, i) => (k >> i & 1 ? part.max : part.min)[axis])));
      this.center = part.getCenter(new THREE.Vector3());
    }
    return this.points;
  }

  /** Corners of the boxes of a body, at some instants; none of what is too large to be looked at. */
  cornersOf(body, group) {
    const corners = [], count = body.poses.length / 7;
    const cells = body.cells ? [body.cells] : [];
    for (const { lower, size } of body.cells ? cells : body.bends ? body.spreads.flatMap(({ meshes }) => meshes) : body.looks) {
      if (body.plane || Math.max(...size) > 3 * this.data.scene.radius) continue;
      for (let f = 0; f < count; f += Math.max(1, Math.floor(count / 12))) {
        this.place(group, body.poses, f);
        group.updateMatrixWorld(true);
        for (let k = 0; k < 8; ++k) {
          const corner = [0, 1, 2].map((i) => lower[i] + (k >> i & 1) * size[i]);
          corners.push(new THREE.Vector3(...corner).applyMatrix4(group.matrixWorld));
        }
      }
    }
    return corners;
  }

  /** The distance from which everything is seen in the direction of the view. */
  fitDistance() {
    const tan = Math.tan(0.5 * this.camera.fov * Math.PI / 180);
    const c = Math.cos(this.elevation), s = Math.sin(this.elevation);
    const a = Math.cos(this.azimuth), b = Math.sin(this.azimuth);
    const back = new THREE.Vector3(c * a, c * b, s), right = new THREE.Vector3(-b, a, 0), up = back.clone().cross(right);
    let most = 0.2 * this.data.scene.radius;
    for (const point of this.viewPoints()) {
      const p = point.clone().sub(this.target);
      most = Math.max(most, p.dot(back) + Math.abs(p.dot(up)) / tan,
        p.dot(back) + Math.abs(p.dot(right)) / (tan * this.camera.aspect));
    }
    return 1.06 * most;
  }

  aim() {
    const r = this.distance || this.fitDistance();
    const c = Math.cos(this.elevation);
    this.camera.position.set(c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation))
      .multiplyScalar(r).add(this.target);
    this.camera.near = r / 200;
    this.camera.far = r + 20 * this.data.scene.radius;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(this.target);
    this.draw();
  }

  turn(dx, dy) {
    this.distance = this.distance || this.fitDistance();
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + 0.008 * dy));
    this.aim();
  }

  shift(dx, dy) {
    this.distance = this.distance || this.fitDistance();
    const scale = 2 * this.distance * Math.tan(0.5 * this.camera.fov * Math.PI / 180) / this.container.clientHeight;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.aim();
  }

  zoom(factor) {
    const r = (this.distance || this.fitDistance()) * factor;
    this.distance = Math.max(0.02 * this.data.scene.radius, Math.min(30 * this.data.scene.radius, r));
    this.aim();
  }

  resize() {
    const width = this.container.clientWidth, height = this.container.clientHeight;
    if (!width || !height || (width === this.width && height === this.height)) return;
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.aim();
  }

  /** Draws at the next frame of the browser, however often it is called before. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.waiting = false;
    this.drawn = (this.drawn || 0) + 1;
    this.renderer.render(this.scene, this.camera);
  }
}
