#!/usr/bin/env python3
"""Makes what the tasks of this folder need beside the shared data: `made/jvrc1.urdf`, JVRC-1 with its
fingers fixed to the wrists, and `made/cup.obj`.

Usage: make_scene.py [DATA]     (DATA: the shared data; default: $ALLCLEAR_DATA, else ../shared/data
                                 beside the source tree)

The thesis counts a hand as one body. Fingers at angle 0 therefore become a part of the wrist's link:
its geometry, and its mass. Every finger's frame is then parallel to the wrist's, which keeps the sums
below simple.
"""
import math
import os
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
FINGERS = ("UTHUMB", "LTHUMB", "UINDEX", "LINDEX", "ULITTLE", "LLITTLE")
# The cup of 1000 triangles: segments, radii outside and inside at the top, of those at the bottom,
# height and thickness of the floor [m].
SEGMENTS, OUTSIDE, INSIDE, BOTTOM, HEIGHT, FLOOR = 125, 0.102, 0.095, 0.85, 0.16, 0.01


def numbers(node, key="xyz"):
    return [float(x) for x in node.get(key).split()] if node is not None and node.get(key) else [0.0] * 3


def text(values):
    return " ".join(f"{x:.12g}" for x in values)


def tensor(inertial):
    keys = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
    return [[float(inertial.find("inertia").get(k)) for k in row] for row in keys]


def merged(parts):
    """Mass, centre of mass and inertia about it of (mass, centre, inertia about that centre)."""
    mass = sum(m for m, _, _ in parts)
    com = [sum(m * c[i] for m, c, _ in parts) / mass for i in range(3)]
    total = [[0.0] * 3 for _ in range(3)]
    for m, c, about in parts:
        d = [c[i] - com[i] for i in range(3)]
        square = sum(x * x for x in d)
        for i in range(3):
            for j in range(3):
                total[i][j] += about[i][j] + m * ((square if i == j else 0.0) - d[i] * d[j])
    return mass, com, total


def merge_fingers(robot, side):
    """Moves geometry and mass of one hand's fingers into its wrist, and takes the fingers out."""
    links = {link.get("name"): link for link in robot.findall("link")}
    joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
    wrist = links[f"{side}_WRIST_Y_S"]
    inertial = wrist.find("inertial")
    parts = [(float(inertial.find("mass").get("value")), numbers(inertial.find("origin")), tensor(inertial))]
    for finger in (f"{side}_{name}_S" for name in FINGERS):
        place, at = [0.0] * 3, finger  # of the finger's frame in the wrist's: all are parallel at 0
        while at != wrist.get("name"):
            origin = joints[at].find("origin")
            assert max(map(abs, numbers(origin, "rpy"))) == 0.0, "a finger's frame is turned"
            place = [a + b for a, b in zip(place, numbers(origin))]
            at = joints[at].find("parent").get("link")
        link = links[finger]
        for kind in ("visual", "collision"):
            for shape in link.findall(kind):
                origin = shape.find("origin")
                origin.set("xyz", text([a + b for a, b in zip(place, numbers(origin))]))
                wrist.append(shape)
        own = link.find("inertial")
        centre = [a + b for a, b in zip(place, numbers(own.find("origin")))]
        parts.append((float(own.find("mass").get("value")), centre, tensor(own)))
    mass, com, inertia = merged(parts)
    inertial.find("mass").set("value", f"{mass:.12g}")
    inertial.find("origin").set("xyz", text(com))
    for i, j, key in ((0, 0, "ixx"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 1, "iyy"), (1, 2, "iyz"), (2, 2, "izz")):
        inertial.find("inertia").set(key, f"{inertia[i][j]:.12g}")
    for finger in (f"{side}_{name}_S" for name in FINGERS):
        robot.remove(joints[finger])
        robot.remove(links[finger])


def cup():
    """Vertices and triangles: walls outside and inside, the rim, the bottom and the floor."""
    rings = ((OUTSIDE * BOTTOM, 0.0), (OUTSIDE, HEIGHT), (INSIDE, HEIGHT), (INSIDE * BOTTOM, FLOOR))
    vertices = [(0.0, 0.0, 0.0), (0.0, 0.0, FLOOR)]
    for radius, z in rings:
        for k in range(SEGMENTS):
            angle = 2 * math.pi * k / SEGMENTS
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), z))
    at = lambda ring, k: 2 + ring * SEGMENTS + k % SEGMENTS
    triangles = []
    for k in range(SEGMENTS):
        triangles += [(0, at(0, k + 1), at(0, k)), (1, at(3, k), at(3, k + 1))]
        for ring in range(3):
            triangles += [(at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)),
                          (at(ring, k), at(ring + 1, k + 1), at(ring + 1, k))]
    return vertices, triangles


def main():
    data = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ALLCLEAR_DATA") or os.path.join(
        HERE, "..", "..", "..", "..", "shared", "data")
    source = os.path.join(data, "robots", "jvrc_description", "urdf", "jvrc1.urdf")
    if not os.path.exists(source):
        sys.exit(f"make_scene.py: there is no {source}: give the folder of the shared data")
    made = os.path.join(HERE, "made")
    os.makedirs(made, exist_ok=True)
    tree = xml.parse(source)
    for side in ("L", "R"):
        merge_fingers(tree.getroot(), side)
    vertices, triangles = cup()
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    for name, content in (("jvrc1.urdf", xml.tostring(tree.getroot(), encoding="unicode")),
                          ("cup.obj", "\n".join(lines))):
        part = os.path.join(made, f"{name}.{os.getpid()}")  # whoever reads it meanwhile sees the old one
        with open(part, "w") as out:
            out.write(content + "\n")
        os.replace(part, os.path.join(made, name))


if __name__ == "__main__":
    main()
