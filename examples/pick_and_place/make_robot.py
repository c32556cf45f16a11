#!/usr/bin/env python3
"""Makes the example robot: the arm of ../shelf with a hand of two fingers (URDF, SRDF), beside this file.

The meshes of the arm are those of ../shelf. Run it again after changing a number; the files are committed.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "shelf"))
import make_robot as arm  # noqa: E402

# Boxes: size [m], centre in the link's frame [m], mass [kg]. The palm's face is at PALM along the hand's z axis.
PALM = 0.06
HAND = ((0.05, 0.12, PALM), (0, 0, PALM / 2), 0.6)
FINGER = (0.02, 0.012, 0.06)
FINGER_MASS = 0.05
STROKE = 0.04  # of each finger from the middle plane, to its inner face [m]
TCP = 0.105    # along the hand's z axis [m]: between the finger tips, 15 mm above their ends


def box_link(name, size, centre, mass):
    ixx, iyy, izz = (mass * (size[a] ** 2 + size[b] ** 2) / 12 for a, b in ((1, 2), (0, 2), (0, 1)))
    xyz = " ".join(f"{x:.6g}" for x in centre)
    shape = f'<origin xyz="{xyz}"/><geometry><box size="{" ".join(f"{x:.6g}" for x in size)}"/></geometry>'
    return [
        f'  <link name="{name}">',
        f'    <inertial><origin xyz="{xyz}"/><mass value="{mass}"/>'
        f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/></inertial>',
        f"    <visual>{shape}</visual>",
        f"    <collision>{shape}</collision>",
        "  </link>",
    ]


def finger(side, sign):
    centre = (0, sign * FINGER[1] / 2, FINGER[2] / 2)
    mimic = "" if side == "left" else '<mimic joint="left_finger_joint"/>'
    return box_link(f"{side}_finger", FINGER, centre, FINGER_MASS) + [
        f'  <joint name="{side}_finger_joint" type="prismatic">',
        f'    <parent link="hand"/><child link="{side}_finger"/>',
        f'    <origin xyz="0 0 {PALM}"/><axis xyz="0 {sign} 0"/>',
        f'    <limit lower="0" upper="{STROKE}" velocity="0.1" effort="40"/>{mimic}',
        "  </joint>",
    ]


def urdf():
    lengths = [joint[1] for joint in arm.JOINTS]
    out = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="seven_with_hand">']
    for i, length in enumerate(lengths):
        z0 = 0.0 if i == 0 else -0.6 * arm.RADII[i]
        z1 = length - 0.35 * arm.RADII[i + 1]
        ixx, iyy, izz = arm.inertia(arm.MASSES[i], arm.RADII[i], z1 - z0)
        geometry = f'<geometry><mesh filename="../shelf/meshes/link{i}.stl"/></geometry>'
        out += [
            f'  <link name="link{i}">',
            f'    <inertial><origin xyz="0 0 {(z0 + z1) / 2:.6g}"/><mass value="{arm.MASSES[i]}"/>'
            f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/>'
            '</inertial>',
            f"    <visual>{geometry}</visual>",
            f"    <collision>{geometry}</collision>",
            "  </link>",
        ]
    out += box_link("hand", *HAND)
    for i, (axis, offset, limit, speed, torque) in enumerate(arm.JOINTS):
        child = "hand" if i == len(arm.JOINTS) - 1 else f"link{i + 1}"
        xyz = {"z": "0 0 1", "y": "0 1 0"}[axis]
        out += [
            f'  <joint name="joint{i + 1}" type="revolute">',
            f'    <parent link="link{i}"/><child link="{child}"/>',
            f'    <origin xyz="0 0 {offset}"/><axis xyz="{xyz}"/>',
            f'    <limit lower="{-limit}" upper="{limit}" velocity="{speed}" effort="{torque}"/>',
            "  </joint>",
        ]
    out += finger("left", 1) + finger("right", -1)
    out += ['  <link name="tcp"/>',
            '  <joint name="tcp_joint" type="fixed"><parent link="hand"/><child link="tcp"/>'
            f'<origin xyz="0 0 {TCP}"/></joint>', "</robot>"]
    return out


def srdf():
    names = [f"link{i}" for i in range(len(arm.JOINTS))] + ["hand"]
    ready = [-0.6, 0.1, 0, 1.7, 0, 1.3, 0]
    joints = "".join(f'<joint name="joint{i + 1}" value="{v}"/>' for i, v in enumerate(ready))
    out = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="seven_with_hand">',
           '  <group name="arm"><chain base_link="link0" tip_link="hand"/></group>',
           '  <group name="fingers"><joint name="left_finger_joint"/></group>',
           f'  <group_state name="ready" group="arm">{joints}</group_state>',
           '  <group_state name="open" group="fingers"><joint name="left_finger_joint" value="0.038"/></group_state>']
    pairs = list(zip(names, names[1:])) + [("hand", "left_finger"), ("hand", "right_finger")]
    for a, b in pairs:
        out.append(f'  <disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>')
    return out + ["</robot>"]


def write(name, lines):
    with open(os.path.join(HERE, name), "w") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    write("seven_with_hand.urdf", urdf())
    write("seven_with_hand.srdf", srdf())
