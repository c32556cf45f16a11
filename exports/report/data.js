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
  for (let i = 0; i < fractions.length; ++i) {
    vertices[i] = mesh.lower[i % 3] + mesh.size[i % 3] * fractions[i] / 65535;
  }
  const corners = new Float32Array(3 * index.length);
  const faces = new Float32Array(index.length);  // normal times twice the area, per triangle
  for (let f = 0; f < mesh.t; ++f) {
    for (let k = 0; k < 9; ++k) {
      corners[9 * f + k] = vertices[3 * index[3 * f + (k / 3 | 0)] + k % 3];
    }
    const c = 9 * f;
    const ux = corners[c + 3] - corners[c], uy = corners[c + 4] - corners[c + 1], uz = corners[c + 5] - corners[c + 2];
    const vx = corners[c + 6] - corners[c], vy = corners[c + 7] - corners[c + 1], vz = corners[c + 8] - corners[c + 2];
    faces[3 * f] = uy * vz - uz * vy;
    faces[3 * f + 1] = uz * vx - ux * vz;
    faces[3 * f + 2] = ux * vy - uy * vx;
  }
  return { corners, normals: creasedNormals(index, faces, mesh.v) };
}

/** At each corner the mean normal of the faces around it that lean less than 40 degrees from its own. */
function creasedNormals(index, faces, vertexCount) {
  const start = new Uint32Array(vertexCount + 1);
  for (const v of index) start[v + 1]++;
  for (let v = 0; v < vertexCount; ++v) start[v + 1] += start[v];
  const fill = start.slice();
  const around = new Uint32Array(index.length);
  for (let i = 0; i < index.length; ++i) around[fill[index[i]]++] = i / 3 | 0;
  const sizes = new Float32Array(faces.length / 3);
  for (let f = 0; f < sizes.length; ++f) sizes[f] = Math.hypot(faces[3 * f], faces[3 * f + 1], faces[3 * f + 2]) || 1e-30;
  const crease = Math.cos(40 * Math.PI / 180);
  const normals = new Float32Array(3 * index.length);
  for (let i = 0; i < index.length; ++i) {
    const f = i / 3 | 0, v = index[i];
    let x = 0, y = 0, z = 0;
    for (let k = start[v]; k < start[v + 1]; ++k) {
      const g = around[k];
      const dot = faces[3 * f] * faces[3 * g] + faces[3 * f + 1] * faces[3 * g + 1] + faces[3 * f + 2] * faces[3 * g + 2];
      if (g !== f && dot < crease * sizes[f] * sizes[g]) continue;
      x += faces[3 * g]; y += faces[3 * g + 1]; z += faces[3 * g + 2];
    }
    const size = Math.hypot(x, y, z) || 1;
    normals[3 * i] = x / size; normals[3 * i + 1] = y / size; normals[3 * i + 2] = z / size;
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
  data.toolPath = floatsOf(data.tool_path);
  unpackDistances(data.clearance.closest);
  for (const pair of data.clearance.pairs) {
    unpackDistances(pair);
    pair.bounds = floatsOf(pair.bounds);
  }
  for (const joint of data.joints) {
    for (const key of ["position", "velocity", "acceleration", "torque"]) joint[key] = floatsOf(joint[key]);
  }
  for (const key of Object.keys(data.history)) data.history[key] = floatsOf(data.history[key]);
  return data;
}

const bodyName = (data, index) => data.scene.bodies[index].name;
const pairName = (data, a, b) => `${bodyName(data, a)} – ${bodyName(data, b)}`;

/** A length in millimetres, with as many digits as it deserves. */
function millimetres(metres) {
  const mm = 1000 * metres;
  const digits = Math.abs(mm) < 10 ? 2 : Math.abs(mm) < 100 ? 1 : 0;
  return `${mm.toFixed(digits).replace(/^-(0\.?0*)$/, "$1")} mm`;
}
