"""Tasks that are hard for a time limit: each needs far longer than it is given, or is large.

Each entry of `TASKS` is (name, seconds, maker). `maker(folder, source)` writes a task and what it names
into `folder` and returns the task's path, or a `Call` where it is not a plan of one motion. Everything is
drawn from fixed seeds.
"""

import json
import math
import random
import shutil
import struct
from typing import NamedTuple

CAPSULE = '<collision><origin xyz="0 0 {half}"/><geometry><cylinder length="{length}" radius="{radius}"/></geometry></collision>'


def chain(joints, reach=2.0, link=None):
    """A URDF of a chain of joints that turn about x, y, z in turn, `reach` [m] long."""
    length = reach / joints
    shape = link or CAPSULE.format(half=length / 2, length=0.8 * length, radius=0.2 * length)
    inertia = '<inertial><mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
    parts = ['<robot name="chain">', '<link name="base"/>']
    for i in range(joints):
        axis = " ".join("1" if k == i % 3 else "0" for k in range(3))
        parent = "base" if i == 0 else f"l{i - 1}"
        parts.append(f'<link name="l{i}">{inertia}{shape}</link>')
        parts.append(f'<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>'
                     f'<origin xyz="0 0 {length if i else 0}"/><axis xyz="{axis}"/>'
                     '<limit lower="-2" upper="2" velocity="2" effort="10"/></joint>')
    parts.append("</robot>")
    return "\n".join(parts)


def write_task(folder, robot, joints, objects, more="", goal=0.3):
    """Joints from zero to `goal` (a number, or values), among `objects` (lines of YAML)."""
    start = ", ".join(f"j{i}: 0" for i in range(joints))
    values = [goal] * joints if isinstance(goal, (int, float)) else goal
    ends = ", ".join(f"j{i}: {v}" for i, v in enumerate(values))
    scene = "scene:\n  collision_objects:\n" + "".join(f"    - {o}\n" for o in objects) if objects else ""
    task = folder / "task.yaml"
    task.write_text(f"robot: {{urdf: {robot}}}\nstart_state: {{{start}}}\n"
                    f"goal: {{joint_constraints: {{{ends}}}}}\n{scene}{more}")
    return task


def chain_task(joints, objects=(), more="", reach=2.0):
    def make(folder, source):
        (folder / "chain.urdf").write_text(chain(joints, reach))
        # A gentle bend that comes back: no self-contact, but every joint moves.
        goal = [0.6 * math.sin(7.0 * i / joints) / math.sqrt(joints) for i in range(joints)]
        return write_task(folder, "chain.urdf", joints, list(objects), more, goal)
    return make


def write_stl(path, triangles):
    with open(path, "wb") as out:
        out.write(b"\0" * 80 + struct.pack("<I", len(triangles)))
        for t in triangles:
            out.write(struct.pack("<12fH", 0, 0, 0, *t[0], *t[1], *t[2], 0))


def grid(rows, columns, at):
    """Triangles of the surface `at(u, v)`, u and v in [0, 1]."""
    points = [[at(i / rows, j / columns) for j in range(columns + 1)] for i in range(rows + 1)]
    out = []
    for i in range(rows):
        for j in range(columns):
            a, b, c, d = points[i][j], points[i + 1][j], points[i + 1][j + 1], points[i][j + 1]
            out += [(a, b, c), (a, c, d)]
    return out


def ball(u, v, radius=0.3):
    a, b = math.pi * u, 2 * math.pi * v
    return (radius * math.sin(a) * math.cos(b), radius * math.sin(a) * math.sin(b), radius * math.cos(a))


def rough(u, v):
    r = 0.3 * (1 + 0.2 * math.sin(37 * u * math.pi) * math.sin(41 * v * 2 * math.pi) * math.sin(math.pi * u))
    return ball(u, v, r)


def knot(u, v):
    """A tube around a torus knot: no piece of it is convex."""
    p, q, tube = 5, 7, 0.02
    t = 2 * math.pi * u

    def centre(s):
        r = 0.2 + 0.08 * math.cos(q * s)
        return (r * math.cos(p * s), r * math.sin(p * s), 0.08 * math.sin(q * s))

    c, d = centre(t), centre(t + 1e-3)
    along = [b - a for a, b in zip(c, d)]
    size = math.sqrt(sum(x * x for x in along))
    along = [x / size for x in along]
    up = (0, 0, 1) if abs(along[2]) < 0.9 else (1, 0, 0)
    side = [along[1] * up[2] - along[2] * up[1], along[2] * up[0] - along[0] * up[2],
            along[0] * up[1] - along[1] * up[0]]
    size = math.sqrt(sum(x * x for x in side))
    side = [x / size for x in side]
    other = [along[1] * side[2] - along[2] * side[1], along[2] * side[0] - along[0] * side[2],
             along[0] * side[1] - along[1] * side[0]]
    a = 2 * math.pi * v
    return tuple(c[k] + tube * (math.cos(a) * side[k] + math.sin(a) * other[k]) for k in range(3))


def terrain(u, v):
    return (2 * u - 1, 2 * v - 1, 0.1 * math.sin(31 * u) * math.sin(29 * v))


def soup(count, seed=1, size=0.05):
    """Triangles anywhere: no closed part, no neighbours."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        c = [draw.uniform(-0.3, 0.3) for _ in range(3)]
        out.append(tuple(tuple(x + draw.uniform(-size, size) for x in c) for _ in range(3)))
    return out


def comb(teeth):
    """A closed plate with many pins: every cut pays a little."""
    out = []

    def box(x0, x1, y0, y1, z0, z1):
        p = [(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
        for f in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
            out.extend([(p[f[0]], p[f[1]], p[f[2]]), (p[f[0]], p[f[2]], p[f[3]])])

    for i in range(teeth):
        for j in range(teeth):
            x, y, w = 0.6 * i / teeth - 0.3, 0.6 * j / teeth - 0.3, 0.2 / teeth
            box(x, x + w, y, y + w, 0, 0.1 + 0.3 * ((7 * i + 3 * j) % 11) / 11)
    return out


def mesh_task(triangles, more="", joints=7, at=(0.9, 0.0, 0.8)):
    """A chain that sweeps past a mesh, `triangles()`."""
    def make(folder, source):
        write_stl(folder / "body.stl", triangles())
        (folder / "chain.urdf").write_text(chain(joints, 1.6))
        place = ", ".join(map(str, at))
        body = f"{{id: body, type: mesh, file: body.stl, pose: {{position: [{place}]}}}}"
        goal = [0.9 if i % 3 == 1 else 0.4 for i in range(joints)]
        return write_task(folder, "chain.urdf", joints, [body], more, goal)
    return make


def link_mesh_task(triangles, joints, scale, more=""):
    """Every link is a mesh."""
    def make(folder, source):
        write_stl(folder / "link.stl", triangles())
        shape = ('<collision><geometry><mesh filename="link.stl" '
                 f'scale="{scale} {scale} {scale}"/></geometry></collision>')
        (folder / "chain.urdf").write_text(chain(joints, 2.0, shape))
        objects = ["{id: post, type: cylinder, dimensions: [2, 0.05], pose: {position: [0.6, 0.3, 0.5]}}"]
        return write_task(folder, "chain.urdf", joints, objects, more, 0.5)
    return make


def clutter(count, seed=3):
    draw = random.Random(seed)
    out = []
    for i in range(count):
        angle, radius = draw.uniform(0, 2 * math.pi), draw.uniform(0.35, 1.6)
        place = f"{radius * math.cos(angle):.4f}, {radius * math.sin(angle):.4f}, {draw.uniform(0, 1.6):.4f}"
        out.append(f"{{id: o{i}, type: box, dimensions: [0.03, 0.02, 0.04], pose: {{position: [{place}]}}}}")
    return out


def clutter_task(count, more=""):
    def make(folder, source):
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        return write_task(folder, "chain.urdf", 7, clutter(count), more, [0, 1.2, 0, 0, 0.8, 0, 0])
    return make


def long_motion_task(rows):
    """A cart with many rows of motion."""
    def make(folder, source):
        with open(folder / "cart.csv", "w") as out:
            out.write("time,x,y,z,roll,pitch,yaw\n")
            for i in range(rows):
                s = i / rows
                out.write(f"{20 * s:.6f},{1.2 * math.cos(40 * s):.6f},{1.2 * math.sin(40 * s):.6f},0.8,0,0,{3 * s:.6f}\n")
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        cart = "{id: cart, type: box, dimensions: [0.3, 0.2, 0.3], motion: cart.csv}"
        return write_task(folder, "chain.urdf", 7, [cart], "", [0, 1.2, 0, 0, 0.8, 0, 0])
    return make


class Call(NamedTuple):
    words: list  # of the command
    parts: int = 1  # that have the time limit each


def path_task(rows, *options):
    """A path of many rows, which become a motion: noise makes a corner of each."""
    def make(folder, source):
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        draw = random.Random(5)
        with open(folder / "path.csv", "w") as out:
            out.write(",".join(f"j{i}" for i in range(7)) + "\n")
            for i in range(rows):
                s = 0.0 if i in (0, rows - 1) else 1e-3 * i
                noise = 0.0 if i in (0, rows - 1) else 1e-3
                out.write(",".join(f"{0.2 * math.sin((1 + 0.3 * k) * s) + draw.gauss(0, noise):.6f}"
                                   for k in range(7)) + "\n")
        task = write_task(folder, "chain.urdf", 7, clutter(20), "duration: {max: 1e6}\n", 0)
        return Call(["retime", task, folder / "path.csv", *options])
    return make


def sequence_task(triangles, motions):
    """A sequence of motions to places past a mesh, each of which looks ahead to the next."""
    def make(folder, source):
        write_stl(folder / "body.stl", triangles())
        (folder / "chain.urdf").write_text(chain(7, 1.6))
        body = "{id: body, type: mesh, file: body.stl, pose: {position: [0.9, 0.0, 0.8]}}"
        segments = "segments:\n" + "".join(
            f"  - {{name: to_{i}, goal: {{pose: {{link: l6, position: [{0.5 * math.cos(i):.3f}, {0.5 * math.sin(i):.3f}, "
            "1.1], tolerance: {position: 0.01}}}}\n" for i in range(motions))
        task = write_task(folder, "chain.urdf", 7, [body], MESH)
        lines = [line for line in task.read_text().splitlines() if not line.startswith("goal:")]
        task.write_text("\n".join(lines) + "\n" + segments)
        return Call(["plan", task, "--threads", 1], motions)
    return make


def points_task(count, reach=1.5):
    """A scan of points in a thick ring about the robot, which moves past it."""
    def make(folder, source):
        draw = random.Random(9)
        body = bytearray()
        for _ in range(count):
            angle, radius = draw.uniform(0, 2 * math.pi), draw.uniform(1.6, 1.6 + reach)
            body += struct.pack("<3f", radius * math.cos(angle), radius * math.sin(angle), draw.uniform(-0.5, 2))
        header = (f"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {count}\nHEIGHT 1\n"
                  f"POINTS {count}\nDATA binary\n")
        (folder / "scan.pcd").write_bytes(header.encode() + body)
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        scan = "{id: scan, type: point_cloud, file: scan.pcd, radius: 0.005, filter_robot: 0.02}"
        return write_task(folder, "chain.urdf", 7, [scan], "", [0, 1.2, 0, 0, 0.8, 0, 0])
    return make


def octree_task(levels):
    """Cells of 1 mm, every other one occupied, in a cube beside the robot."""
    def make(folder, source):
        nodes = b"\x99\x66"
        for _ in range(levels):
            nodes = b"\xff\xff" + 8 * nodes
        for _ in range(15 - levels):
            nodes = b"\x00\xc0" + nodes
        place = -0.001 * (2 ** 15 - 2 ** levels)  # the cube is at the tree's far corner
        (folder / "map.bt").write_bytes(b"# Octomap OcTree binary file\nid OcTree\nsize 1\nres 0.001\ndata\n" + nodes)
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        cells = (f"{{id: map, type: octree, file: map.bt, pose: {{position: "
                 f"[{place + 1.1}, {place}, {place + 0.6}]}}}}")
        return write_task(folder, "chain.urdf", 7, [cells], "", [0, 1.2, 0, 0, 0.8, 0, 0])
    return make


def height_task(side):
    """A hill of `side` x `side` heights below the robot."""
    def make(folder, source):
        rows = [" ".join(f"{0.1 * math.sin(31 * i / side) * math.sin(29 * j / side):.6f}" for j in range(side))
                for i in range(side)]
        (folder / "hill.csv").write_text("\n".join(rows) + "\n")
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        hill = f"{{id: hill, type: height_map, file: hill.csv, resolution: {4 / side}, offset: -0.2}}"
        return write_task(folder, "chain.urdf", 7, [hill], "", [0, 1.2, 0, 0, 0.8, 0, 0])
    return make


def world_task(models):
    """An SDF world of boxes."""
    def make(folder, source):
        draw = random.Random(4)
        boxes = "".join(
            f"<model name='m{i}'><static>true</static><pose>{draw.uniform(1.5, 4)} {draw.uniform(-2, 2)} "
            f"{draw.uniform(0, 2)} 0 0 0</pose><link name='l'><collision name='c'><geometry><box><size>.1 .1 .1</size>"
            "</box></geometry></collision></link></model>" for i in range(models))
        (folder / "world.sdf").write_text(f"<sdf version='1.7'><world name='w'>{boxes}</world></sdf>")
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        task = write_task(folder, "chain.urdf", 7, [], "", [0, 1.2, 0, 0, 0.8, 0, 0])
        task.write_text(task.read_text() + "scene: {file: world.sdf}\n")
        return task
    return make


def bending_task(frames, side):
    """A sheet that bends in many frames."""
    def make(folder, source):
        faces = []
        for i in range(side):
            for j in range(side):
                a, b = i * (side + 1) + j + 1, (i + 1) * (side + 1) + j + 1
                faces += [f"f {a} {b} {b + 1}", f"f {a} {b + 1} {a + 1}"]
        for k in range(frames):
            lines = []
            for i in range(side + 1):
                for j in range(side + 1):
                    u, v = i / side - 0.5, j / side - 0.5
                    lines.append(f"v {0.5 + 0.05 * math.sin(9 * v + k / 3):.5f} {u:.5f} {0.8 + v:.5f}")
            (folder / f"sheet_{k:04d}.obj").write_text("\n".join(lines + faces) + "\n")
        (folder / "chain.urdf").write_text(chain(7, 1.4))
        sheet = "{id: sheet, type: mesh_sequence, file: sheet_%04d.obj, rate: 10}"
        return write_task(folder, "chain.urdf", 7, [sheet], "", [0, 0.9, 0, 0, 0.5, 0, 0])
    return make


def example(name, file="task.yaml", change=None):
    """An example of the tree, with `change(text)` made to its task."""
    def make(folder, source):
        for part in {name, "shelf", "humanoid"}:
            shutil.copytree(source / "examples" / part, folder / part)
        task = folder / name / file
        if change:
            task.write_text(change(task.read_text()))
        return task
    return make


def more_of(text):
    return lambda task: task + "\n" + text + "\n"


def with_objects(objects):
    """More obstacles for the shelf."""
    return lambda task: task.rstrip() + "\n" + "".join(f"    - {o}\n" for o in objects)


def closed_in(task):
    """The shelf with a board in front: there is no way in."""
    return with_objects(["{id: front, type: box, dimensions: [0.02, 1.4, 1.6], pose: {position: [0.5, 0, 0.9]}}"])(task)


MESH = "collision: {geometry: mesh}\n"
ALL = "solver: {improve: all, attempts: 1000}\n"

TASKS = [
    ("chain of 40 joints", 0.5, chain_task(40)),
    ("chain of 80 joints", 0.5, chain_task(80)),
    ("chain of 120 joints", 0.5, chain_task(120)),
    ("chain of 160 joints", 0.5, chain_task(160)),
    ("chain of 200 joints", 0.5, chain_task(200)),
    ("chain of 200 joints, torques", 1.0, chain_task(200, more="limits: {torque: true}\n")),
    ("chain of 60 joints, 40 spans", 0.5, chain_task(60, more="solver: {spans: 40}\n")),
    ("chain of 100 joints in clutter", 0.5, chain_task(100, clutter(200))),
    ("chain of 12 joints, 500 spans", 0.5, chain_task(12, more="solver: {spans: 500}\n")),
    ("10^6 triangles, smooth ball", 0.5, mesh_task(lambda: grid(500, 1000, ball))),
    ("10^6 triangles, rough ball", 0.5, mesh_task(lambda: grid(500, 1000, rough), MESH)),
    ("10^6 triangles, terrain", 1.0, mesh_task(lambda: grid(700, 700, terrain), MESH, at=(0, 0, -0.3))),
    ("10^6 triangles, soup", 0.5, mesh_task(lambda: soup(1000000, size=0.003), MESH)),
    ("10^5 triangles, rough ball", 0.3, mesh_task(lambda: grid(160, 320, rough), MESH)),
    ("10^5 triangles, soup", 0.3, mesh_task(lambda: soup(100000, size=0.01), MESH)),
    ("soup of 20000", 0.2, mesh_task(lambda: soup(20000), MESH)),
    ("soup of 2000, long triangles", 0.3, mesh_task(lambda: soup(2000, size=0.3), MESH, at=(0.8, 0.4, 0.9))),
    ("knot of 40000", 0.3, mesh_task(lambda: grid(1000, 20, knot), MESH)),
    ("knot of 10000, auto", 0.2, mesh_task(lambda: grid(500, 10, knot))),
    ("knot around the robot", 1.0, mesh_task(lambda: grid(1000, 20, knot), MESH, at=(0, 0, 0.8))),
    ("comb of 400 pins", 0.3, mesh_task(lambda: comb(20), MESH)),
    ("comb of 2500 pins", 0.3, mesh_task(lambda: comb(50), MESH)),
    ("links are knots", 0.5, link_mesh_task(lambda: grid(300, 8, knot), 7, 0.5, MESH)),
    ("20 links are rough balls", 0.5, link_mesh_task(lambda: grid(100, 200, rough), 20, 0.15, MESH)),
    ("links are soups", 0.5, link_mesh_task(lambda: soup(3000), 10, 0.2, MESH)),
    ("1000 obstacles", 0.3, clutter_task(1000)),
    ("5000 obstacles", 0.5, clutter_task(5000)),
    ("20000 obstacles", 1.0, clutter_task(20000)),
    ("1000 obstacles, improve all", 2.0, clutter_task(1000, ALL)),
    ("motion of 100000 rows", 0.5, long_motion_task(100000)),
    ("sheet of 20000, 40 frames", 0.5, bending_task(40, 100)),
    ("3 * 10^6 points", 0.5, points_task(3000000)),
    ("10^5 points", 0.5, points_task(100000)),
    ("octree of 10^6 cells", 0.5, octree_task(6)),
    ("10^6 heights", 0.5, height_task(1000)),
    ("world of 300 models", 0.3, world_task(300)),
    ("shelf, 0.1 s", 0.1, example("shelf")),
    ("shelf, closed", 2.0, example("shelf", change=closed_in)),
    ("shelf, 5 micrometres of tolerance", 0.5, example("shelf", change=more_of("collision: {tolerance: 5e-6}"))),
    ("two arms, improve all", 1.0, example("two_arms", change=more_of("solver: {improve: all}"))),
    ("humanoid leaning", 0.3, example("humanoid", "leaning.yaml")),
    ("humanoid picking behind", 0.5, example("humanoid", "picking_behind.yaml")),
    ("humanoid crossing", 0.3, example("humanoid", "crossing.yaml")),
    ("contact limits", 0.3, example("collaborative")),
    ("curtain", 0.2, example("curtain")),
    ("walking person", 0.2, example("walking_person")),
    ("path of 10^5 rows", 1.0, path_task(100000)),
    ("path of 10^5 rows, exact", 1.0, path_task(100000, "--exact")),
    ("path of 20000 rows, exact", 3.0, path_task(20000, "--exact")),
    ("sequence past a rough ball", 0.6, sequence_task(lambda: grid(160, 320, rough), 3)),
    ("pick and place", 0.3, lambda folder, source: Call(
        ["plan", example("pick_and_place")(folder, source), "--threads", 1], 9)),
]
