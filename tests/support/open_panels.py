#!/usr/bin/env python3
"""Turns the boxes of planning problems into open panels.

Run as: open_panels.py DATA OUT [--variant sheets|walls|joined] [--seed N]

DATA holds `robots` and `problems` (format planning_problems_v1). OUT gets `robots`, a link to those, and the same problems
with each box as a mesh without a lid or a side, drawn by the seed:
- sheets: five single sheets, as a modeller draws a carton;
- walls: walls with a thickness, of which one outer quad is lacking, as an export loses one;
- joined: all boxes of a problem as one mesh, each without one of its quads: furniture whose hollow the robot reaches into.
The mesh is part of the box, so start and goal keep their clearance. `bench_problems OUT/problems` runs them (or without files,
ALLCLEAR_DATA=OUT bench_problems).
"""

import argparse
import hashlib
import json
import pathlib
import random

SIDES = {  # by axis and end: corners of the unit box (bit 0: x, 1: y, 2: z), counter-clockwise from outside
    (0, 0): (0, 4, 6, 2), (0, 1): (1, 3, 7, 5), (1, 0): (0, 1, 5, 4),
    (1, 1): (2, 6, 7, 3), (2, 0): (0, 2, 3, 1), (2, 1): (4, 5, 7, 6)}
THICKEST, THICKNESS = 0.02, 0.25  # [m] of a wall, and of the box's least edge


def sheets(size, lacking):
    """Vertices and quads of a box of single sheets."""
    points = [tuple((0.5 if i >> k & 1 else -0.5) * size[k] for k in range(3)) for i in range(8)]
    return points, [quad for side, quad in SIDES.items() if side != lacking]


def walls(size, lacking):
    """The boundary of walls within the box, cell by cell of a 3 x 3 x 3 grid; the largest quad is taken away."""
    thick = min(THICKEST, THICKNESS * min(size))
    lines = [(-s / 2, -s / 2 + thick, s / 2 - thick, s / 2) for s in size]

    def filled(cell):
        if not all(0 <= c < 3 for c in cell):
            return False
        return any(cell[k] == 2 * end and (k, end) != lacking for k in range(3) for end in (0, 1))
    index, quads = {}, []
    for cell in ((i, j, k) for i in range(3) for j in range(3) for k in range(3)):
        for (axis, end), corners in SIDES.items():
            beside = tuple(c + (2 * end - 1) * (k == axis) for k, c in enumerate(cell))
            if filled(cell) and not filled(beside):
                at = [tuple(cell[k] + (i >> k & 1) for k in range(3)) for i in corners]
                quads.append([index.setdefault(p, len(index)) for p in at])
    points = [tuple(lines[k][p[k]] for k in range(3)) for p in index]

    def area(quad):
        spans = sorted(max(points[i][k] for i in quad) - min(points[i][k] for i in quad) for k in range(3))
        return spans[1] * spans[2]
    quads.remove(max(quads, key=area))
    return points, quads


def obj(points, quads):
    lines = ["v " + " ".join(map(repr, p)) for p in points]
    return "\n".join(lines + ["f " + " ".join(str(i + 1) for i in q) for q in quads]) + "\n"


def opened(obstacle, variant, pick, folder):
    """The obstacle as an open mesh, whose file it writes if there is none yet."""
    if obstacle["type"] != "box":
        return obstacle
    text = obj(*{"sheets": sheets, "walls": walls}[variant](obstacle["size"], pick.choice(sorted(SIDES))))
    name = f"open_{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"
    path = folder / "meshes" / name
    if not path.exists():
        path.write_text(text)
    out = {key: value for key, value in obstacle.items() if key != "size"}
    return {**out, "type": "mesh", "mesh": f"meshes/{name}"}


def turned(quat_wxyz, p):
    """A point turned by a unit quaternion."""
    w, *v = quat_wxyz

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(v, p)]
    return [a + w * b + c for a, b, c in zip(p, t, cross(v, t))]


def joined(obstacles, pick, folder):
    """The obstacles with all boxes in one mesh."""
    points, quads = [], []
    for box in (o for o in obstacles if o["type"] == "box"):
        corners, faces = sheets(box["size"], pick.choice(sorted(SIDES)))
        quads += [[i + len(points) for i in q] for q in faces]
        pose = box["pose"]
        points += [tuple(a + b for a, b in zip(pose["xyz"], turned(pose["quat_wxyz"], p))) for p in corners]
    if not quads:
        return obstacles
    text = obj(points, quads)
    name = f"open_{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"
    (folder / "meshes" / name).write_text(text)
    furniture = {"name": "furniture", "type": "mesh", "mesh": f"meshes/{name}",
                 "pose": {"xyz": [0.0, 0.0, 0.0], "quat_wxyz": [1.0, 0.0, 0.0, 0.0]}}
    return [o for o in obstacles if o["type"] != "box"] + [furniture]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--variant", choices=("sheets", "walls", "joined"), default="sheets")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    problems = options.out / "problems"
    (problems / "meshes").mkdir(parents=True, exist_ok=True)
    robots = options.out / "robots"
    if not robots.exists():
        robots.symlink_to((options.data / "robots").resolve())
    for path in sorted((options.data / "problems/meshes").glob("*.obj")):
        (problems / "meshes" / path.name).write_bytes(path.read_bytes())
    count = 0
    for path in sorted((options.data / "problems").glob("*/*.json")):
        scene = json.loads(path.read_text())
        if scene.get("format") != "planning_problems_v1":
            continue
        for problem in scene["problems"]:
            pick = random.Random(f"{options.seed} {scene['robot']} {scene['scene']} {problem['name']} {problem['index']}")
            obstacles = problem["obstacles"]
            problem["obstacles"] = (joined(obstacles, pick, problems) if options.variant == "joined" else
                                    [opened(o, options.variant, pick, problems) for o in obstacles])
            count += 1
        target = problems / path.parent.name / path.name
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(scene) + "\n")
    print(f"{count} problems with open panels ({options.variant}, seed {options.seed}) in {options.out}")


if __name__ == "__main__":
    main()
