"use strict";
// What the report holds, with its buffers unpacked.

function bytesOf(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out;
}

const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);

/** Corners (9 numbers per triangle) of a packed mesh, and smoothed normals that keep sharp edges. */
function unpackMesh(mesh) {
  const fractions = new Uint16Array(bytesOf(mesh.vertices).buffer);
  const raw = bytesOf(mesh.triangles).buffer;
  const index = mesh.v > 65536 ? new Uint32Array(raw) : new Uint16Array(raw);
  const vertices = new Float32Array(fractions.length);
  for (let k = 0; k < 3; ++k) {
    const lower = mesh.lower[k], scale = mesh.size[k] / 65535;
    for (let i = k; i < fractions.length; i += 3) vertices[i] = lower + scale * fractions[i];
  }
  const corners = new Float32Array(3 * index.length);
  for (let i = 0, c = 0; i < index.length; ++i, c += 3) {
    const v = 3 * index[i];
    corners[c] = vertices[v];
    corners[c + 1] = vertices[v + 1];
    corners[c + 2] = vertices[v + 2];
  }
  return { corners, normals: creasedNormals(index, faceNormals(corners), mesh.v) };
}

/** Normal and, as a fourth number, its size (twice the area) of each triangle. */
function faceNormals(corners) {
  const faces = new Float32Array(corners.length / 9 * 4);
  for (let c = 0, f = 0; c < corners.length; c += 9, f += 4) {
    const ux = corners[c + 3] - corners[c], uy = corners[c + 4] - corners[c + 1], uz = corners[c + 5] - corners[c + 2];
    const vx = corners[c + 6] - corners[c], vy = corners[c + 7] - corners[c + 1], vz = corners[c + 8] - corners[c + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    faces[f] = x;
    faces[f + 1] = y;
    faces[f + 2] = z;
    faces[f + 3] = Math.sqrt(x * x + y * y + z * z) || 1e-30;
  }
  return faces;
}

/** At each corner the mean normal of the faces around it that lean less than 40 degrees from its own. */
function creasedNormals(index, faces, vertexCount) {
  const start = new Uint32Array(vertexCount + 1);
  for (let i = 0; i < index.length; ++i) start[index[i] + 1]++;
  for (let v = 0; v < vertexCount; ++v) start[v + 1] += start[v];
  const fill = start.slice();
  const around = new Uint32Array(index.length);
  for (let i = 0, f = 0; i < index.length; i += 3, f += 4) {
    for (let k = 0; k < 3; ++k) around[fill[index[i + k]]++] = f;
  }
  const crease = Math.cos(40 * Math.PI / 180);
  const normals = new Float32Array(3 * index.length);
  for (let i = 0; i < index.length; ++i) {
    const f = 4 * Math.floor(i / 3), v = index[i];
    const fx = faces[f], fy = faces[f + 1], fz = faces[f + 2], least = crease * faces[f + 3];
    let x = 0, y = 0, z = 0;
    for (let k = start[v]; k < start[v + 1]; ++k) {
      const g = around[k];
      const gx = faces[g], gy = faces[g + 1], gz = faces[g + 2];
      if (g !== f && fx * gx + fy * gy + fz * gz < least * faces[g + 3]) continue;
      x += gx;
      y += gy;
      z += gz;
    }
    const size = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[3 * i] = x / size;
    normals[3 * i + 1] = y / size;
    normals[3 * i + 2] = z / size;
  }
  return normals;
}

function unpackDistances(packed) {
  packed.distance = floatsOf(packed.distance);
  packed.points = floatsOf(packed.points);
}

function loadData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.times = floatsOf(data.times);
  data.isMotion = data.labels.length === 0;
  data.duration = data.isMotion ? data.times[data.times.length - 1] : 0;
  for (const body of data.scene.bodies) body.poses = floatsOf(body.poses);
  if (data.scene.goal) data.scene.goal = floatsOf(data.scene.goal);
  data.toolPaths = data.tool_paths.map(floatsOf);
  unpackDistances(data.clearance.closest);
  for (const pair of data.clearance.pairs) {
    unpackDistances(pair);
    pair.bounds = floatsOf(pair.bounds);
  }
  data.ranked = data.ranked || [];
  for (const joint of data.joints) {
    for (const key of ["position", "velocity", "acceleration", "jerk", "torque"]) joint[key] = floatsOf(joint[key]);
  }
  data.contacts.zeroMoment = floatsOf(data.contacts.zero_moment);
  for (const contact of data.contacts.list) {
    for (const key of ["pose", "force", "moment", "pressure"]) contact[key] = floatsOf(contact[key]);
  }
  for (const cable of data.cables) {
    for (const key of ["a", "b", "span"]) cable[key] = floatsOf(cable[key]);
  }
  for (const region of data.impacts) {
    for (const key of ["force", "point", "direction", "proven"]) region[key] = floatsOf(region[key]);
  }
  for (const key of Object.keys(data.history)) data.history[key] = floatsOf(data.history[key]);
  return data;
}

/** Where t lies among ascending times, as a real index: 2.5 is half way from the third to the fourth. */
function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  const length = times[high] - times[low];
  return length > 0 ? low + (high - low) * Math.max(0, Math.min(1, (t - times[low]) / length)) : low;
}

const bodyName = (data, index) => data.scene.bodies[index].name;
const pairName = (data, a, b) => `${bodyName(data, a)} – ${bodyName(data, b)}`;

/** A length in millimetres, with as many digits as it deserves. */
function millimetres(metres) {
  const mm = 1000 * metres;
  const digits = Math.abs(mm) < 10 ? 2 : Math.abs(mm) < 100 ? 1 : 0;
  return `${mm.toFixed(digits).replace(/^-(0\.?0*)$/, "$1")} mm`;
}
