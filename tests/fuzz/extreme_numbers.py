"""Gives tasks and robots with extreme numbers to the command.

Run as: extreme_numbers.py BUILD_FOLDER SOURCE_FOLDER [--count N] [--seed S] [--first I]

Each mutant is a task with its robot, or a file that it names (a scan, a grid, a picture, a world, a
motion, a mesh that bends, a path), in which a few numbers are made extreme, subnormal, not a number, or
are swapped. `check` and `plan` must answer each with a verdict (0, 3, 4) or refuse it (2), and so must
`retime` and `certify` (5: not clear): no crash, no internal error, no run that lasts far beyond its limit.
What is planned must hold: its certificate for `certify --verify`, its proof for `allclear-verify`. Prints
one line, and what broke.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXTREMES = ["0", "-0", "1", "-1", "1e-308", "5e-324", "-5e-324", "1e-30", "1e9", "-1e9", "1.0000001e9", "1e12",
            "1e154", "-1e154", "1e300", "1e308", "-1e308", "1e400", ".nan", "nan", ".inf", "inf", "3.14159",
            "99999999999999999999", "0x10", "1e", "1_000"]
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])")
TASKS = ["shelf", "fenced_cell", "upright", "moving_obstacle", "two_arms", "collaborative", "pick_and_place",
         "surroundings", "surroundings", "path", "path"]
TIME_LIMIT = 2.0  # [s] for a plan
LONGEST = 60.0  # [s]: far beyond the limit, whatever else the machine does


HEAD = """robot: {urdf: ../shelf/seven.urdf, srdf: ../shelf/seven.srdf}
group_name: arm
start_state: {group_state: ready}
goal: {group_state: home}
"""

# Files of every kind that a scene may name, all of text, beside the robot.
SURROUNDINGS = {
    "task.yaml": HEAD + """scene:
  file: world.sdf
  collision_objects:
    - {id: a, type: point_cloud, file: scan.pcd, radius: 0.01, scale: 2, filter_robot: 0.1}
    - {id: b, type: point_cloud, file: scan.ply, radius: 0.01, pose: {position: [9, 0, 0]}}
    - {id: c, type: point_cloud, file: scan.xyz, radius: 0.02}
    - {id: f, type: height_map, file: heights.csv, resolution: 0.1, base: -9.5, offset: -9}
    - {id: g, type: height_map, file: depth.pgm, size: [1, 2], scale: 0.001, pose: {position: [0, 0, -9]}}
    - {id: h, type: depth_image, file: depth.pgm, intrinsics: {fx: 5, fy: 5, cx: 1, cy: 1}, depth_scale: 0.1,
       stride: 1, min: 0.1, max: 30, radius: 0.01, pose: {position: [0, 9, 0]}}
    - {id: i, type: mesh_sequence, file: sheet_%d.obj, rate: 10}
    - {id: k, type: box, dimensions: [0.1, 0.1, 0.1], motion: cart.csv}
""",
    "scan.pcd": "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n"
                "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n4 1 2\n3 1 2.5\n",
    "scan.ply": "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
                "end_header\n4 1 2\n3 4 5\n",
    "scan.xyz": "4 1 2\n3,4,5,255\n",
    "heights.csv": "0, 0.1, 0.2\n0, 0, 0.3\n",
    "depth.pgm": "P2\n2 2\n255\n0 1 2 255\n",
    "sheet_0.obj": "v 3 0 0\nv 3 1 0\nv 3 0 1\nv 3 1 1\nf 1 2 3\nf 2 4 3\n",
    "sheet_1.obj": "v 3 0 0\nv 3.1 1 0\nv 3 0 1\nv 3.2 1 1\nf 1 2 3\nf 2 4 3\n",
    "cart.csv": "time,x,y,z,roll,pitch,yaw\n0,3,3,1,0,0,0\n1,3.5,3,1,0,0,0.5\n",
    "world.sdf": "<sdf version='1.7'><world name='w'><model name='post'><static>true</static><pose>5 0 0 0 0 1</pose>"
                 "<link name='l'><collision name='a'><pose>0 0 1 0 0 0</pose><geometry><cylinder><radius>0.1</radius>"
                 "<length>2</length></cylinder></geometry></collision></link></model></world></sdf>",
}
ROW = "[0, {}, 0, {}, 0, {}, 0]"
JOINTS = "[" + ", ".join(f"joint{i}" for i in range(1, 8)) + "]"
FROM, OVER, TO = ROW.format(-0.4, 1.6, 0.9), ROW.format(-0.2, 0.8, 0.5), ROW.format(0, 0, 0)
# Paths from the start to the goal, as OMPL, MoveIt and ROS 1 have them.
PATHS = {
    "path.txt": "".join(row.strip("[]") + "\n" for row in (FROM, OVER, TO)),
    "path.json": f'{{"joint_names": {json.dumps(JOINTS.strip("[]").split(", "))}, "path": [{FROM}, {OVER}, {TO}]}}',
    "moveit.yaml": f"trajectory:\n- joint_trajectory:\n    joint_names: {JOINTS}\n    points:\n"
                   f"    - {{positions: {FROM}, time_from_start: {{sec: 0, nanosec: 0}}}}\n"
                   f"    - {{positions: {OVER}, time_from_start: {{sec: 2, nanosec: 5}}}}\n"
                   f"    - {{positions: {TO}, time_from_start: {{sec: 4, nanosec: 0}}}}\n",
    "ros1.yaml": f"joint_names: {JOINTS}\npoints:\n"
                 f"- {{positions: {FROM}, velocities: {TO}, time_from_start: {{secs: 0, nsecs: 0}}}}\n"
                 f"- {{positions: {TO}, velocities: {TO}, time_from_start: {{secs: 4, nsecs: 9}}}}\n",
}


def mutate(text, draw):
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        numbers = list(NUMBER.finditer(text))
        if not numbers:
            break
        at = draw.choice(numbers)
        new = draw.choice(EXTREMES)
        if draw.random() < 0.2:  # the value of another place
            new = draw.choice(numbers).group()
        text = text[:at.start()] + new + text[at.end():]
    return text


class Attack:
    def __init__(self, build, source):
        self.command = build / "apps" / "allclear"
        self.verifier = build / "verify" / "allclear-verify"
        self.source = source
        self.failures = []
        self.codes = {}
        self.slowest = 0.0

    def run(self, name, words, allowed):
        begin = time.monotonic()
        try:
            done = subprocess.run([str(w) for w in words], capture_output=True, timeout=LONGEST)
            code, text = done.returncode, (done.stdout + done.stderr)[-300:]
        except subprocess.TimeoutExpired:
            code, text = "timeout", b""
        self.slowest = max(self.slowest, time.monotonic() - begin)
        self.codes[code] = self.codes.get(code, 0) + 1
        if code not in allowed:
            self.failures.append(f"{name}: {' '.join(map(str, words[1:]))}: {code} {text!r}")
        return code

    def mutant(self, number, seed, scratch):
        draw = random.Random(seed * 1000003 + number)
        example = draw.choice(TASKS)
        folder = scratch / str(number)
        shutil.copytree(self.source / "examples" / "shelf", folder / "shelf")  # whose robot the others have
        made = {"surroundings": SURROUNDINGS, "path": {"task.yaml": HEAD, **PATHS}}.get(example)
        if made:
            (folder / example).mkdir()
            for file, text in made.items():
                (folder / example / file).write_text(text)
            task = folder / example / "task.yaml"
            victims = [folder / example / file for file in made]
        else:
            if example != "shelf":
                shutil.copytree(self.source / "examples" / example, folder / example)
            task = draw.choice(sorted((folder / example).glob("*.yaml")))
            victims = [task] + sorted(folder.glob("*/*.urdf"))
        victim = draw.choice(victims)
        victim.write_text(mutate(victim.read_text(), draw))
        name = f"mutant {number}"
        before = len(self.failures)
        self.run(name, [self.command, "check", task], {0, 2, 3})
        out = folder / "out"
        if example == "path":
            path = victim if victim != task else folder / example / draw.choice(sorted(PATHS))
            self.follow(name, task, path, out)
        elif example == "pick_and_place":
            self.run(name, [self.command, "plan", task, "--quiet", "-o", out, "--time-limit", TIME_LIMIT], {0, 2, 3, 4})
        else:
            self.plan(name, task, out)
        if len(self.failures) == before:
            shutil.rmtree(folder)

    def plan(self, name, task, out):
        code = self.run(name, [self.command, "plan", task, "--quiet", "-o", out, "--time-limit", TIME_LIMIT,
                               "--improve", "none"], {0, 2, 3, 4})
        if code == 0:
            self.run(name, [self.command, "certify", task, out / "trajectory.csv", "--verify",
                            out / "certificate.json"], {0})
            if (out / "plan.proof").exists() and self.verifier.exists():
                self.run(name, [self.verifier, out / "plan.proof"], {0})

    def follow(self, name, task, path, out):
        self.run(name, [self.command, "certify", task, path], {0, 2, 5})
        code = self.run(name, [self.command, "retime", task, path, "-o", out], {0, 2, 5})
        if code == 0:
            self.run(name, [self.command, "certify", task, out / "trajectory.csv", "--verify",
                            out / "certificate.json"], {0})


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--count", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--first", type=int, default=0)
    options = arguments.parse_args()
    attack = Attack(options.build.resolve(), options.source.resolve())
    scratch = Path(tempfile.mkdtemp(prefix="allclear_extreme_"))
    for number in range(options.first, options.first + options.count):
        attack.mutant(number, options.seed, scratch)
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(attack.codes.items(), key=str))
    print(f"extreme numbers: {options.count} mutants, {len(attack.failures)} failures; exit codes {codes}; "
          f"slowest {attack.slowest:.1f} s")
    for failure in attack.failures:
        print(failure)
    if attack.failures:
        print(f"the inputs are in {scratch}")
        return 1
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
