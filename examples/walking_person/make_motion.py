#!/usr/bin/env python3
"""Writes where the legs, the torso and the head of a walking person are over time: legs.csv, torso.csv, head.csv.

The person walks straight past the robot's table, at 1.1 m/s. The head sways to the side of the leg that stands, once
in two steps, and bobs with each step; the torso does half as much. x is forward, y to the left.
"""
import math

FLOOR = -0.75        # [m]: the robot stands on a table
START = (1.0, -1.1)  # of the walk
YAW = math.radians(97.0)
SPEED = 1.1          # [m/s]
STEPS = 1.8          # [1/s]
DURATION = 2.6       # [s]
ROW = 0.2            # [s]
PARTS = {"legs": (0.43, 0.0), "torso": (1.12, 0.5), "head": (1.58, 1.0)}  # height; share of the sway


def row(t, height, share):
    sway = 0.02 * share * math.sin(math.pi * STEPS * t)
    bob = 0.015 * share * math.cos(2 * math.pi * STEPS * t)
    x = START[0] + SPEED * t * math.cos(YAW) - sway * math.sin(YAW)
    y = START[1] + SPEED * t * math.sin(YAW) + sway * math.cos(YAW)
    return f"{t:.1f},{x:.4f},{y:.4f},{FLOOR + height + bob:.4f},0,0,{YAW:.6f}"


for name, (height, share) in PARTS.items():
    with open(f"{name}.csv", "w", encoding="utf-8") as file:
        file.write("time,x,y,z,roll,pitch,yaw\n")
        for i in range(round(DURATION / ROW) + 1):
            file.write(row(ROW * i, height, share) + "\n")
