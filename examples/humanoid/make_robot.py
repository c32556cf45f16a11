#!/usr/bin/env python3
"""Makes the example robot: the upper half of a humanoid of our own on standing legs (URDF, SRDF and
STL meshes), beside this file. Arms of seven joints each, a waist and a neck.

Run it again after changing a number; the files are committed.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "shelf"))
import make_robot as arm  # noqa: E402

# Solid: (radius, lowest z, highest z [m], how much thicker it is along x and y), mass [kg].
SOLIDS = {
    "pelvis": ((0.10, -0.09, 0.07, 0.95, 1.45), 9.0),
    "torso": ((0.13, 0.02, 0.46, 0.80, 1.30), 16.0),
    "head": ((0.085, 0.03, 0.27, 1.0, 0.9), 4.0),
    "shoulder": ((0.055, -0.045, 0.045, 1.0, 1.0), 1.2),
    "collar": ((0.050, -0.05, 0.05, 1.0, 1.0), 1.0),
    "upper_arm": ((0.046, -0.25, -0.04, 1.0, 1.0), 2.0),
    "elbow": ((0.042, -0.04, 0.04, 1.0, 1.0), 0.6),
    "forearm": ((0.038, -0.22, -0.035, 1.0, 1.0), 1.3),
    "wrist": ((0.032, -0.03, 0.03, 1.0, 1.0), 0.3),
    "hand": ((0.045, -0.17, -0.025, 0.45, 1.0), 0.5),
    "thigh": ((0.075, -0.40, 0.02, 1.0, 1.0), 6.0),
    "shin": ((0.055, -0.40, -0.01, 1.0, 1.0), 4.0),
    "foot": ((0.075, -0.07, -0.005, 1.7, 0.75), 1.2),
}
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
LEG = [("hip", "pelvis", "thigh", (0, 0.095, -0.09)), ("knee", "thigh", "shin", (0, 0, -0.42)),
       ("ankle", "shin", "foot", (0, 0, -0.41))]
CENTRAL = [("waist_yaw", "pelvis", "torso", (0, 0, 0.07), "0 0 1", (-1.0, 1.0), 2.0, 120.0),
           ("neck_yaw", "torso", "head", (0, 0, 0.46), "0 0 1", (-1.2, 1.2), 3.0, 20.0)]
# Neighbours but one that overlap in the joint between them, whatever its angle.
TOUCHING = [("torso", "shoulder"), ("collar", "upper_arm"), ("upper_arm", "forearm"), ("forearm", "hand"),
            ("pelvis", "shin")]


def mesh(name):
    radius, low, high, wide_x, wide_y = SOLIDS[name][0]
    solid = arm.revolve(arm.rounded(radius, low, high))
    return [tuple((x * wide_x, y * wide_y, z) for x, y, z in triangle) for triangle in solid]


def link(name, kind):
    radius, low, high, _, _ = SOLIDS[kind][0]
    ixx, iyy, izz = arm.inertia(SOLIDS[kind][1], radius, high - low)
    geometry = f'<geometry><mesh filename="meshes/{kind}.stl"/></geometry>'
    return [
        f'  <link name="{name}">',
        f'    <inertial><origin xyz="0 0 {(low + high) / 2:.6g}"/><mass value="{SOLIDS[kind][1]}"/>'
        f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/></inertial>',
        f"    <visual>{geometry}</visual>",
        f"    <collision>{geometry}</collision>",
        "  </link>",
    ]


def joint(name, parent, child, origin, axis=None, limits=None, speed=0, torque=0):
    x, y, z = origin
    kind = "revolute" if axis else "fixed"
    out = f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>' \
          f'<origin xyz="{x} {y} {z}"/>'
    if axis:
        out += f'<axis xyz="{axis}"/><limit lower="{limits[0]}" upper="{limits[1]}" ' \
               f'velocity="{speed}" effort="{torque}"/>'
    return [out + "</joint>"]


def main():
    os.makedirs(os.path.join(HERE, "meshes"), exist_ok=True)
    for kind in SOLIDS:
        arm.write_stl(os.path.join(HERE, "meshes", f"{kind}.stl"), mesh(kind))
    central = ("pelvis", "torso", "head")
    urdf = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="humanoid">']
    pairs = []
    for name in central:
        urdf += link(name, name)
    for name, parent, child, *rest in CENTRAL:
        urdf += joint(name, parent, child, *rest)
        pairs.append((parent, child))
    for side, sign in (("left", 1), ("right", -1)):
        named = lambda part: part if part in central else f"{side}_{part}"
        for chain in (ARM, LEG):
            for name, parent, child, (x, y, z), *rest in chain:
                urdf += link(named(child), child)
                if rest:
                    axis, (low, high), *more = rest
                    if sign < 0 and axis != "0 1 0":  # a mirrored turn
                        low, high = -high, -low
                    rest = [axis, (low, high), *more]
                urdf += joint(f"{side}_{name}", named(parent), named(child), (x, sign * y, z), *rest)
                pairs.append((named(parent), named(child)))
        pairs += [(named(a), named(b)) for a, b in TOUCHING]
    pairs.append(("left_thigh", "right_thigh"))
    urdf.append("</robot>")
    arms = [f"{side}_{j[0]}" for side in ("left", "right") for j in ARM]
    srdf = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="humanoid">',
            '  <group name="arms">' + "".join(f'<joint name="{name}"/>' for name in arms) + "</group>"]
    srdf += [f'  <disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>' for a, b in pairs]
    srdf.append("</robot>")
    for name, lines in (("humanoid.urdf", urdf), ("humanoid.srdf", srdf)):
        with open(os.path.join(HERE, name), "w") as out:
            out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
