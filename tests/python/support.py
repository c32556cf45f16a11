"""What the tests of the Python package share: where things are, and a small workcell."""

import math
import os
import sys
from pathlib import Path

import allclear

SOURCE = Path(os.environ["ALLCLEAR_SOURCE"])
BUILD = Path(os.environ["ALLCLEAR_BUILD"])
SHELF = SOURCE / "examples" / "shelf"
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def robot():
    return allclear.Robot(SHELF / "seven.urdf", SHELF / "seven.srdf")


def impossible():
    """Two walls leave a gap of 25 cm at the arm's column; the ball in its hand measures 30 cm."""
    arm, scene, c = robot(), allclear.Scene(), math.sqrt(0.5)
    for name, along in (("left", 1.12), ("right", -1.13)):
        scene.add_box(name, (2.0, 0.02, 6.0), (along * c, along * c, 0.0), rpy=(0, 0, math.pi / 4))
    scene.attach("ball", arm, "tool", allclear.Shape.sphere(0.15), (0.0, 0.0, 0.18),
                 touch_links=["link5", "link6"])
    return allclear.Problem(arm, "arm", start="ready", goal={"joint1": 1.5}, scene=scene)


def problem(**options):
    """The arm turns past a post."""
    scene = allclear.Scene()
    scene.add_box("post", size=(0.1, 0.1, 1.2), position=(0.45, 0.45, 0.6))
    return allclear.Problem(robot(), "arm", start="ready", goal={"joint1": 1.5}, scene=scene,
                            **options)
