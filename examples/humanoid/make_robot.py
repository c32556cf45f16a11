#!/usr/bin/env python3
"""Makes the example robot: a humanoid of our own, 1.78 m and 71 kg (URDF, SRDF and STL meshes),
beside this file.

Arms of seven joints each, a waist of three, a neck of two, legs of six that end in flat soles: each
foot is a block whose lowest face is the sole, so the planner finds the sole by itself. A cup, too. Masses are
given by hand; centres of mass and inertias are those of the meshes, filled evenly.
Run it again after changing a number; the files are committed.
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "shelf"))
import make_robot as arm  # noqa: E402

# Solid of revolution: (radius, lowest z, highest z [m], how much thicker it is along x and y), mass [kg].
SOLIDS = {
    "pelvis": ((0.10, -0.09, 0.05, 0.95, 1.45), 9.0),
    "waist": ((0.060, -0.06, 0.06, 1.0, 1.0), 1.5),
    "belly": ((0.068, -0.06, 0.08, 1.0, 1.2), 1.5),
    "torso": ((0.13, 0.07, 0.46, 0.80, 1.30), 15.0),
    "neck": ((0.040, -0.03, 0.04, 1.0, 1.0), 0.5),
    "head": ((0.085, 0.03, 0.27, 1.0, 0.9), 3.5),
    "shoulder": ((0.055, -0.045, 0.045, 1.0, 1.0), 1.2),
    "collar": ((0.050, -0.05, 0.05, 1.0, 1.0), 1.0),
    "upper_arm": ((0.046, -0.25, -0.04, 1.0, 1.0), 2.0),
    "elbow": ((0.042, -0.04, 0.04, 1.0, 1.0), 0.6),
    "forearm": ((0.038, -0.22, -0.035, 1.0, 1.0), 1.3),
    "wrist": ((0.032, -0.03, 0.03, 1.0, 1.0), 0.3),
    "hand": ((0.045, -0.17, -0.025, 0.45, 1.0), 0.5),
    "hip": ((0.050, -0.05, 0.05, 1.0, 1.0), 1.2),
    "groin": ((0.052, -0.05, 0.05, 1.0, 1.0), 1.0),
    "thigh": ((0.072, -0.38, 0.02, 1.0, 1.0), 6.0),
    "shin": ((0.052, -0.37, -0.01, 1.0, 1.0), 3.5),
    "ankle": ((0.036, -0.036, 0.036, 1.0, 1.0), 0.4),
}
# The foot: a block over the sole, narrower at the top. Sole: [x0, x1] x [-y, y], depth below the ankle [m].
FOOT = {"x": (-0.085, 0.145), "y": 0.052, "sole": -0.085, "edge": -0.05, "top": -0.035, "bevel": 0.018}
FOOT_MASS = 1.2
# A cup for a task: radius of its outside at the bottom and top, height, thickness [m].
CUP = (0.075, 0.09, 0.14, 0.007)
HIP, SHANK = (0, 0.095, -0.09), 0.40  # where a hip is in the pelvis; lengths of thigh and shin [m]

# Joints of an arm: name, parent, child, origin, axis, limits, speed, torque; y is for the left side.
ARM = [
    ("shoulder_pitch", "torso", "collar", (0, 0.225, 0.39), "0 1 0", (-3.0, 1.2), 4.0, 60.0),
    ("shoulder_roll", "collar", "shoulder", (0, 0.055, 0), "1 0 0", (-0.25, 2.2), 4.0, 60.0),
    ("shoulder_yaw", "shoulder", "upper_arm", (0, 0, -0.02), "0 0 1", (-1.6, 1.6), 4.0, 40.0),
    ("elbow_pitch", "upper_arm", "elbow", (0, 0, -0.28), "0 1 0", (-2.3, 0.0), 4.0, 40.0),
    ("forearm_yaw", "elbow", "forearm", (0, 0, -0.01), "0 0 1", (-1.6, 1.6), 5.0, 20.0),
    ("wrist_pitch", "forearm", "wrist", (0, 0, -0.245), "0 1 0", (-1.2, 1.2), 5.0, 12.0),
    ("wrist_roll", "wrist", "hand", (0, 0, 0), "1 0 0", (-0.6, 0.6), 5.0, 12.0),
]
LEG = [
    ("hip_yaw", "pelvis", "hip", HIP, "0 0 1", (-0.8, 0.8), 6.0, 80.0),
    ("hip_roll", "hip", "groin", (0, 0, 0), "1 0 0", (-0.5, 0.8), 6.0, 160.0),
    ("hip_pitch", "groin", "thigh", (0, 0, 0), "0 1 0", (-2.0, 0.7), 6.0, 180.0),
    ("knee", "thigh", "shin", (0, 0, -SHANK), "0 1 0", (0.0, 2.4), 8.0, 200.0),
    ("ankle_pitch", "shin", "ankle", (0, 0, -SHANK), "0 1 0", (-1.2, 0.8), 8.0, 130.0),
    ("ankle_roll", "ankle", "foot", (0, 0, 0), "1 0 0", (-0.6, 0.6), 8.0, 80.0),
]
CENTRAL = [("waist_yaw", "pelvis", "waist", (0, 0, 0.07), "0 0 1", (-1.0, 1.0), 2.0, 120.0),
           ("waist_pitch", "waist", "belly", (0, 0, 0), "0 1 0", (-0.4, 0.9), 2.0, 200.0),
           ("waist_roll", "belly", "torso", (0, 0, 0), "1 0 0", (-0.5, 0.5), 2.0, 160.0),
           ("neck_yaw", "torso", "neck", (0, 0, 0.46), "0 0 1", (-1.2, 1.2), 3.0, 20.0),
           ("neck_pitch", "neck", "head", (0, 0, 0), "0 1 0", (-0.5, 0.7), 3.0, 20.0)]
LINKS_IN_THE_MIDDLE = ("pelvis", "waist", "belly", "torso", "neck", "head")
# Neighbours but one, or two, that overlap in the joints between them, whatever their angles.
TOUCHING = [("torso", "shoulder"), ("collar", "upper_arm"), ("upper_arm", "forearm"), ("forearm", "hand"),
            ("pelvis", "groin"), ("pelvis", "thigh"), ("hip", "thigh")]
TOUCHING_IN_THE_MIDDLE = [("pelvis", "belly"), ("waist", "torso"), ("torso", "head")]

# Half-sitting: knees bent by twice this angle, so that the feet stay below the hips.
BENT = 0.38
HALF_SITTING = {"hip_pitch": -BENT, "knee": 2 * BENT, "ankle_pitch": -BENT, "waist_pitch": 0.1,
                "shoulder_pitch": 0.05, "shoulder_roll": 0.2, "elbow_pitch": -0.6}
HALF_SITTING_HEIGHT = 2 * SHANK * math.cos(BENT) - HIP[2] - FOOT["sole"]  # of the pelvis over the ground


def foot_mesh():
    """Three rectangles above each other and the faces between them."""
    def ring(inset, z):
        x0, x1, y = FOOT["x"][0] + inset, FOOT["x"][1] - inset, FOOT["y"] - inset
        return [(x0, -y, z), (x1, -y, z), (x1, y, z), (x0, y, z)]
    rings = [ring(0, FOOT["sole"]), ring(0, FOOT["edge"]), ring(FOOT["bevel"], FOOT["top"])]
    out = [(rings[0][0], rings[0][2], rings[0][1]), (rings[0][0], rings[0][3], rings[0][2]),
           (rings[2][0], rings[2][1], rings[2][2]), (rings[2][0], rings[2][2], rings[2][3])]
    for low, high in zip(rings, rings[1:]):
        for k in range(4):
            n = (k + 1) % 4
            out += [(low[k], low[n], high[n]), (low[k], high[n], high[k])]
    return out


def cup_mesh():
    """Up along the outside, over the rim, down along the inside."""
    bottom, top, height, thick = CUP
    return arm.revolve([(bottom, 0.0), (top, height), (top - thick, height), (bottom - thick, thick)])


def mesh(name):
    if name == "foot":
        return foot_mesh()
    radius, low, high, wide_x, wide_y = SOLIDS[name][0]
    solid = arm.revolve(arm.rounded(radius, low, high))
    return [tuple((x * wide_x, y * wide_y, z) for x, y, z in triangle) for triangle in solid]


def mass_properties(triangles, mass):
    """Centre of mass and inertia about it (xx, yy, zz) of the closed mesh, filled evenly.

    Sums over the tetrahedra between the origin and each triangle: with corners a, b, c and s = a+b+c
    a tetrahedron of volume V has first moments V s/4 and second moments V (aa + bb + cc + ss)/20.
    Every mesh here is its own mirror image along each axis, so products of inertia vanish.
    """
    volume, first, second = 0.0, [0.0] * 3, [0.0] * 3
    for a, b, c in triangles:
        part = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
        volume += part
        for i in range(3):
            s = a[i] + b[i] + c[i]
            first[i] += part * s / 4
            second[i] += part * (a[i]**2 + b[i]**2 + c[i]**2 + s**2) / 20
    com = [m / volume for m in first]
    about = [mass * (m / volume - x**2) for m, x in zip(second, com)]
    return com, (about[1] + about[2], about[0] + about[2], about[0] + about[1])


def link(name, kind):
    mass = FOOT_MASS if kind == "foot" else SOLIDS[kind][1]
    com, (ixx, iyy, izz) = mass_properties(mesh(kind), mass)
    place = " ".join(f"{0.0 if abs(x) < 1e-9 else x:.6g}" for x in com)
    geometry = f'<geometry><mesh filename="meshes/{kind}.stl"/></geometry>'
    return [
        f'  <link name="{name}">',
        f'    <inertial><origin xyz="{place}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/></inertial>',
        f"    <visual>{geometry}</visual>",
        f"    <collision>{geometry}</collision>",
        "  </link>",
    ]


def joint(name, parent, child, origin, axis, limits, speed, torque):
    x, y, z = origin
    return [f'  <joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{x} {y} {z}"/><axis xyz="{axis}"/><limit lower="{limits[0]}" upper="{limits[1]}" '
            f'velocity="{speed}" effort="{torque}"/></joint>']


def mirrored(axis, limits):
    """On the right side: turns about x and z go the other way."""
    low, high = limits
    return (low, high) if axis == "0 1 0" else (-high, -low)


def half_sitting():
    """Each joint's value; a roll or yaw of the right side has the other sign."""
    values = {}
    for name, _, _, _, _, *_ in CENTRAL:
        values[name] = HALF_SITTING.get(name, 0)
    for side, sign in (("left", 1), ("right", -1)):
        for name, _, _, _, axis, *_ in ARM + LEG:
            value = HALF_SITTING.get(name, 0)
            values[f"{side}_{name}"] = value if axis == "0 1 0" or value == 0 else sign * value
    return values


def srdf(pairs):
    """Groups: the arms, each arm, the legs, and the whole body without its base."""
    arms = [f"{side}_{j[0]}" for side in ("left", "right") for j in ARM]
    legs = [f"{side}_{j[0]}" for side in ("left", "right") for j in LEG]
    groups = {"arms": arms, "left_arm": arms[:len(ARM)], "right_arm": arms[len(ARM):], "legs": legs,
              "whole_body": [j[0] for j in CENTRAL] + arms + legs}
    out = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->",
           f"<!-- half_sitting: on flat ground the pelvis is at z = {HALF_SITTING_HEIGHT:.6f} m. -->",
           '<robot name="humanoid">']
    for name, joints in groups.items():
        out.append(f'  <group name="{name}">' + "".join(f'<joint name="{j}"/>' for j in joints) + "</group>")
    values = "".join(f'<joint name="{j}" value="{v:.6g}"/>' for j, v in half_sitting().items())
    out.append(f'  <group_state name="half_sitting" group="whole_body">{values}</group_state>')
    out += [f'  <disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>' for a, b in pairs]
    return out + ["</robot>"]


def urdf():
    """The lines of the URDF, and the pairs of links that may touch."""
    out = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="humanoid">']
    pairs = list(TOUCHING_IN_THE_MIDDLE)
    for name in LINKS_IN_THE_MIDDLE:
        out += link(name, name)
    for name, parent, child, *rest in CENTRAL:
        out += joint(name, parent, child, *rest)
        pairs.append((parent, child))
    for side, sign in (("left", 1), ("right", -1)):
        named = lambda part: part if part in LINKS_IN_THE_MIDDLE else f"{side}_{part}"
        for name, parent, child, (x, y, z), axis, limits, *more in ARM + LEG:
            out += link(named(child), child)
            if sign < 0:
                limits = mirrored(axis, limits)
            out += joint(f"{side}_{name}", named(parent), named(child), (x, sign * y, z), axis, limits, *more)
            pairs.append((named(parent), named(child)))
        pairs += [(named(a), named(b)) for a, b in TOUCHING]
    return out + ["</robot>"], pairs


def main():
    os.makedirs(os.path.join(HERE, "meshes"), exist_ok=True)
    for kind in [*SOLIDS, "foot"]:
        arm.write_stl(os.path.join(HERE, "meshes", f"{kind}.stl"), mesh(kind))
    arm.write_stl(os.path.join(HERE, "meshes", "cup.stl"), cup_mesh())
    lines, pairs = urdf()
    for name, text in (("humanoid.urdf", lines), ("humanoid.srdf", srdf(pairs))):
        with open(os.path.join(HERE, name), "w") as out:
            out.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
