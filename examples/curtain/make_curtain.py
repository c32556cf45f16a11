#!/usr/bin/env python3
"""Writes a curtain that flaps in a draught, as a sequence of meshes with the same triangles: curtain_0000.obj, ...

The curtain hangs from a rail along y, in folds. A gust swings its lower part towards the robot (-x) and back while
waves run along it. z is up; the origin is the middle of the rail.
"""
import math

WIDTH, HEIGHT = 0.9, 0.8   # [m]
COLUMNS, ROWS = 14, 8      # of cells
RATE = 12.0                # frames a second
DURATION = 2.5             # [s]


def place(u, v, t):
    """Of the cloth at u, v in [0, 1], from left to right and from the rail down."""
    fold = 0.025 * math.sin(2 * math.pi * 4 * u)                       # hangs in folds
    swing = -0.17 * math.sin(math.pi * t / DURATION) ** 2 * v ** 1.5   # the gust
    wave = 0.05 * v * math.sin(2 * math.pi * (1.2 * u - 1.5 * t) + 2.0 * v)
    drop = HEIGHT * v - 0.5 * swing * swing - 0.5 * wave * wave        # the cloth keeps about its length
    return fold + swing + wave, WIDTH * (u - 0.5), -drop


def faces():
    for i in range(COLUMNS):
        for j in range(ROWS):
            a = i * (ROWS + 1) + j + 1
            yield f"f {a} {a + 1} {a + ROWS + 2} {a + ROWS + 1}\n"


for k in range(round(RATE * DURATION) + 1):
    with open(f"curtain_{k:04d}.obj", "w", encoding="utf-8") as file:
        for i in range(COLUMNS + 1):
            for j in range(ROWS + 1):
                file.write("v %.4f %.4f %.4f\n" % place(i / COLUMNS, j / ROWS, k / RATE))
        file.writelines(faces())
