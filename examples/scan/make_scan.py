"""Writes scan.pcd: the shelf of examples/shelf as a scanner sees it, with the robot in the picture.

Points lie 16 mm apart on the boards and on the robot's base, each off by up to 1 mm; a few have no
place (NaN), as where a ray meets nothing.
"""

import math
import random
import struct
from pathlib import Path

SPACING = 0.016  # [m]
NOISE = 0.001  # [m]

# Boxes of examples/shelf/task.yaml: size and centre.
SHELF = [
    ((0.30, 0.90, 0.02), (0.80, 0.0, 0.36)),
    ((0.30, 0.90, 0.02), (0.80, 0.0, 0.84)),
    ((0.30, 0.02, 1.00), (0.80, 0.44, 0.50)),
    ((0.30, 0.02, 1.00), (0.80, -0.30, 0.50)),
    ((0.02, 0.90, 1.00), (0.96, 0.0, 0.50)),
]


def faces(size, centre):
    """Points of the six faces of a box."""
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        counts = [max(1, round(size[k] / SPACING)) for k in (u, v)]
        for side in (-0.5, 0.5):
            for i in range(counts[0] + 1):
                for j in range(counts[1] + 1):
                    p = [0.0, 0.0, 0.0]
                    p[axis] = side * size[axis]
                    p[u] = (i / counts[0] - 0.5) * size[u]
                    p[v] = (j / counts[1] - 0.5) * size[v]
                    yield [p[k] + centre[k] for k in range(3)]


def base():
    """Points of the robot's base, a column of 8 cm radius."""
    for i in range(20):
        for j in range(40):
            angle = 2.0 * math.pi * j / 40
            yield [0.08 * math.cos(angle), 0.08 * math.sin(angle), 0.012 * i]


def main():
    draw = random.Random(1)
    points = [p for box in SHELF for p in faces(*box)] + list(base())
    rows = []
    for p in points:
        hit = draw.random() > 0.002
        rows.append([x + draw.uniform(-NOISE, NOISE) if hit else math.nan for x in p])
    header = (
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
        f"WIDTH {len(rows)}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {len(rows)}\nDATA binary\n"
    )
    data = b"".join(struct.pack("<3f", *row) for row in rows)
    (Path(__file__).parent / "scan.pcd").write_bytes(header.encode() + data)


if __name__ == "__main__":
    main()
