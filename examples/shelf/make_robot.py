#!/usr/bin/env python3
"""Makes the example robot: a seven-axis arm of our own (URDF, SRDF and STL meshes), beside this file.

Every link is a solid of revolution about the axis that joins its two joints, with a round housing
across it where the next joint turns. Run it again after changing a number; the files are committed.
"""
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = 24

# Joint: axis, distance from the joint before it [m] along z, limit [rad], speed [rad/s], torque [N m].
JOINTS = [
    ("z", 0.16, 2.95, 1.8, 180.0),
    ("y", 0.20, 2.05, 1.8, 180.0),
    ("z", 0.20, 2.95, 2.0, 110.0),
    ("y", 0.20, 2.05, 2.2, 110.0),
    ("z", 0.20, 2.95, 2.4, 110.0),
    ("y", 0.20, 2.05, 3.1, 40.0),
    ("z", 0.10, 3.00, 3.1, 40.0),
]
RADII = [0.085, 0.075, 0.070, 0.066, 0.062, 0.058, 0.050, 0.036]
MASSES = [6.0, 4.2, 3.6, 3.2, 2.6, 2.2, 1.4, 0.5]
TOOL = 0.14


def revolve(profile):
    """Triangles of the solid of revolution about z of (radius, z) points, from bottom to top."""
    rings = [[(r * math.cos(2 * math.pi * k / SIDES), r * math.sin(2 * math.pi * k / SIDES), z)
              for k in range(SIDES)] for r, z in profile]
    bottom, top = (0.0, 0.0, profile[0][1]), (0.0, 0.0, profile[-1][1])
    out = []
    for k in range(SIDES):
        n = (k + 1) % SIDES
        out.append((bottom, rings[0][n], rings[0][k]))
        out.append((top, rings[-1][k], rings[-1][n]))
        for low, high in zip(rings, rings[1:]):
            out.append((low[k], low[n], high[n]))
            out.append((low[k], high[n], high[k]))
    return out


def rounded(radius, z0, z1, steps=4):
    """Profile of a cylinder with rounded ends (a quarter of the radius)."""
    edge = 0.5 * min(radius, z1 - z0) * 0.8
    low = [(radius - edge * (1 - math.sin(a)), z0 + edge * (1 - math.cos(a)))
           for a in (0.5 * math.pi * i / steps for i in range(steps + 1))]
    high = [(r, z1 - (z - z0)) for r, z in reversed(low)]
    return low + high


def write_stl(path, triangles):
    with open(path, "wb") as out:
        out.write(b"allclear example arm".ljust(80) + struct.pack("<I", len(triangles)))
        for a, b, c in triangles:
            u = [b[i] - a[i] for i in range(3)]
            v = [c[i] - a[i] for i in range(3)]
            n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
            size = math.sqrt(sum(x * x for x in n)) or 1.0
            out.write(struct.pack("<12fH", *[x / size for x in n], *a, *b, *c, 0))


def inertia(mass, radius, length):
    across = mass * (3 * radius**2 + length**2) / 12
    return across, across, mass * radius**2 / 2


def main():
    os.makedirs(os.path.join(HERE, "meshes"), exist_ok=True)
    lengths = [j[1] for j in JOINTS] + [TOOL]
    urdf = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="seven">']
    for i, length in enumerate(lengths):
        radius = RADII[i]
        name = "tool" if i == len(lengths) - 1 else f"link{i}"
        z0 = 0.0 if i == 0 else -0.6 * radius
        z1 = length if i == len(lengths) - 1 else length - 0.35 * RADII[i + 1]
        mesh = f"meshes/{name}.stl"
        write_stl(os.path.join(HERE, mesh), revolve(rounded(radius, z0, z1)))
        ixx, iyy, izz = inertia(MASSES[i], radius, z1 - z0)
        geometry = f'<geometry><mesh filename="{mesh}"/></geometry>'
        urdf += [
            f'  <link name="{name}">',
            f'    <inertial><origin xyz="0 0 {(z0 + z1) / 2:.6g}"/><mass value="{MASSES[i]}"/>'
            f'<inertia ixx="{ixx:.6g}" ixy="0" ixz="0" iyy="{iyy:.6g}" iyz="0" izz="{izz:.6g}"/>'
            '</inertial>',
            f"    <visual>{geometry}</visual>",
            f"    <collision>{geometry}</collision>",
            "  </link>",
        ]
    for i, (axis, offset, limit, speed, torque) in enumerate(JOINTS):
        child = "tool" if i == len(JOINTS) - 1 else f"link{i + 1}"
        xyz = {"z": "0 0 1", "y": "0 1 0"}[axis]
        urdf += [
            f'  <joint name="joint{i + 1}" type="revolute">',
            f'    <parent link="link{i}"/><child link="{child}"/>',
            f'    <origin xyz="0 0 {offset}"/><axis xyz="{xyz}"/>',
            f'    <limit lower="{-limit}" upper="{limit}" velocity="{speed}" effort="{torque}"/>',
            "  </joint>",
        ]
    urdf.append("</robot>")
    with open(os.path.join(HERE, "seven.urdf"), "w") as out:
        out.write("\n".join(urdf) + "\n")

    names = [f"link{i}" for i in range(len(JOINTS))] + ["tool"]
    states = {
        "home": [0, 0, 0, 0, 0, 0, 0],
        "ready": [0, -0.4, 0, 1.6, 0, 0.9, 0],
    }
    srdf = ['<?xml version="1.0"?>', "<!-- Made by make_robot.py. -->", '<robot name="seven">',
            '  <group name="arm"><chain base_link="link0" tip_link="tool"/></group>']
    for state, values in states.items():
        joints = "".join(f'<joint name="joint{i + 1}" value="{v}"/>' for i, v in enumerate(values))
        srdf.append(f'  <group_state name="{state}" group="arm">{joints}</group_state>')
    for a, b in zip(names, names[1:]):
        srdf.append(f'  <disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>')
    srdf.append("</robot>")
    with open(os.path.join(HERE, "seven.srdf"), "w") as out:
        out.write("\n".join(srdf) + "\n")


if __name__ == "__main__":
    main()
