#!/usr/bin/env python3
"""Makes the example robot: two of the arms of ../shelf on one table (URDF, SRDF), beside this file.

The meshes are those of ../shelf. Run it again after changing a number; the files are committed.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "shelf"))
import make_robot as arm  # noqa: E402

SIDES = {"left": 0.30, "right": -0.30}  # where each arm stands along y [m]
READY = [0, 0.5, 0, 1.3, 0, 0.6, 0]


def arm_urdf(side, y):
    lengths = [joint[1] for joint in arm.JOINTS] + [arm.TOOL]
    out = []
    for i, length in enumerate(lengths):
        name = "tool" if i == len(lengths) - 1 else f"link{i}"
        z0 = 0.0 if i == 0 else -0.6 * arm.RADII[i]
        z1 = length if i == len(lengths) - 1 else length - 0.35 * arm.RADII[i + 1]
        ixx, iyy, izz = arm.inertia(arm.MASSES[i], arm.RADII[i], z1 - z0)
        geometry = f'<geometry><mesh filename="../shelf/meshes/{name}.stl"/></geometry>'
        out += [
            f'  <link name="{side}_{name}">',
            f'    <inertial><origin xyz="0 0 {(z0 + z1) / 2:.6g}"/><mass value="{arm.MASSES[i]}"/>'
            f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/>'
            '</inertial>',
            f"    <visual>{geometry}</visual>",
            f"    <collision>{geometry}</collision>",
            "  </link>",
        ]
    out.append(f'  <joint name="{side}_mount" type="fixed"><parent link="table"/>'
               f'<child link="{side}_link0"/><origin xyz="0 {y} 0"/></joint>')
    for i, (axis, offset, limit, speed, torque) in enumerate(arm.JOINTS):
        child = "tool" if i == len(arm.JOINTS) - 1 else f"link{i + 1}"
        xyz = {"z": "0 0 1", "y": "0 1 0"}[axis]
        out += [
            f'  <joint name="{side}_joint{i + 1}" type="revolute">',
            f'    <parent link="{side}_link{i}"/><child link="{side}_{child}"/>',
            f'    <origin xyz="0 0 {offset}"/><axis xyz="{xyz}"/>',
            f'    <limit lower="{-limit}" upper="{limit}" velocity="{speed}" effort="{torque}"/>',
            "  </joint>",
        ]
    return out


def srdf():
    count = len(arm.JOINTS)
    names = [f"link{i}" for i in range(count)] + ["tool"]
    out = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="two_arms">']
    for side in SIDES:
        out.append(f'  <group name="{side}"><chain base_link="{side}_link0" tip_link="{side}_tool"/></group>')
    out.append('  <group name="both"><group name="left"/><group name="right"/></group>')
    joints = "".join(f'<joint name="{side}_joint{i + 1}" value="{v}"/>'
                     for side in SIDES for i, v in enumerate(READY))
    out.append(f'  <group_state name="ready" group="both">{joints}</group_state>')
    for side in SIDES:
        out.append(f'  <disable_collisions link1="table" link2="{side}_link0" reason="Adjacent"/>')
        for a, b in zip(names, names[1:]):
            out.append(f'  <disable_collisions link1="{side}_{a}" link2="{side}_{b}" reason="Adjacent"/>')
    out.append('  <disable_collisions link1="left_link0" link2="right_link0" reason="Never"/>')
    return out + ["</robot>"]


def main():
    box = '<origin xyz="0.1 0 -0.02"/><geometry><box size="0.6 1.1 0.04"/></geometry>'
    urdf = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="two_arms">',
            '  <link name="table">', f"    <visual>{box}</visual>", f"    <collision>{box}</collision>", "  </link>"]
    for side, y in SIDES.items():
        urdf += arm_urdf(side, y)
    urdf.append("</robot>")
    for name, lines in (("two_arms.urdf", urdf), ("two_arms.srdf", srdf())):
        with open(os.path.join(HERE, name), "w") as out:
            out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
