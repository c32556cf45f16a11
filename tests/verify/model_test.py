#!/usr/bin/env python3
"""allclear-verify-model accepts the proofs of plans, and refuses each of them once its robot, its task or its
own text says something else, naming what.

Usage: model_test.py ALLCLEAR ALLCLEAR_VERIFY MODEL SOURCE_DIR [DATA]
DATA: the folder of shared robots and problems; without it their part is left out.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ALLCLEAR, VERIFY, MODEL, SOURCE = sys.argv[1:5]
DATA = sys.argv[5] if len(sys.argv) > 5 else os.path.join(SOURCE, "..", "shared", "data")
sys.dont_write_bytecode = True
try:
    import yaml  # noqa: F401
except ImportError:
    sys.exit(77)
loader = importlib.machinery.SourceFileLoader("model", MODEL)
model = importlib.util.module_from_spec(importlib.util.spec_from_loader("model", loader))
loader.exec_module(model)

# A task with something of everything: mimics, a carried object, a motion that turns, meshes of each format,
# a scene file, both path constraints.
TASK = """
robot: {urdf: arm.urdf, srdf: arm.srdf, package_map: {arm_description: .}}
joints: [lift, shoulder, elbow, finger]
start_state: {group_state: ready, finger: 0.03}
goal:
  pose: {link: hand, position: [0.6, 0.5, 0.65], offset: {position: [0.1, 0, 0]}, tolerance: {position: 0.01}}
waypoints:
  - {joint_constraints: {elbow: 0.8}, time: 0.6}
path_constraints:
  - {link: hand, point: [0.1, 0, 0], box: {size: [4, 4, 4], pose: {position: [0, 0, 1]}}}
  - {link: hand, keep_axis: z, direction: [0, 0, 1], tolerance: 0.5}
scene:
  file: scene.yaml
  collision_objects:
    - {id: cart, type: cylinder, dimensions: [1.0, 0.3], motion: agv.csv}
    - {id: statue, type: mesh, file: package://arm_description/statue.obj, scale: 0.001, pose: {position: [0.7, -0.5, 0.6]}}
    - {id: stone, type: mesh, file: stone.dae, scale: [0.1, 0.2, -0.1], pose: {position: [0.7, -0.7, 0.8], rpy: [1, 0, 0]}}
    - {id: brick, type: mesh, file: brick.stl, convex: true, pose: {position: [0.7, -1.7, 0.8]}}
    - {id: ramp, type: mesh, vertices: [[3, 0, 0], [4, 0, 0], [3, 1, 0], [3, 0, 1]], triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}
    - {id: egg, type: ellipsoid, dimensions: [0.1, 0.2, 0.3], frame: hand, pose: {position: [1, 0, 0]}}
    - {id: hat, type: cone, dimensions: [0.2, 0.3], pose: {position: [-1, 1, 0.5], rpy: [0.1, 0.2, 0.3]}}
    - {id: pill, type: capsule, dimensions: [0.2, 0.3], pose: {position: [-1, -1, 0.5], rpy: [0.1, 0.2, 0.3]}}
    - {id: floor, type: plane, normal: [0, 0, 1], offset: -0.5}
  attached:
    - {id: tool, link: hand, type: capsule, dimensions: [0.1, 0.02], pose: {position: [0, 0, 0.15]}, touch_links: [left_finger, right_finger]}
collision: {margin: 0.002, pair_margins: {floor: 0.02, hand: {cart: 0.1}}, allowed: [[upper_arm, tool]]}
limits: {max_velocity_scaling_factor: 0.9, acceleration: {shoulder: 8.0}, jerk: 100}
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plan(task, folder):
    done = subprocess.run([ALLCLEAR, "plan", task, "--output", folder, "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return os.path.join(folder, "plan.proof")


def compare(*arguments):
    """What the program prints, and whether it accepts."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            model.main(list(arguments))
    except Exception as error:  # as the program's own last lines, all are refusals
        return False, str(error)
    return True, said.getvalue()


POSE = "pose: {link: hand, position: [0.6, 0.5, 0.65], offset: {position: [0.1, 0, 0]}, tolerance: {position: 0.01}}"


def turned(quaternion, version):
    """An edit that turns the wrist's origin by a quaternion."""
    def edit(text):
        text = text.replace('<robot name="arm">', f'<robot name="arm" version="{version}">', 1)
        return text.replace('xyz="0.35 0 0"', f'xyz="0.35 0 0" quat_xyzw="{quaternion}"', 1)
    return edit


class Files(unittest.TestCase):
    """Edits of files and of the proof of one task."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("arm.urdf", "arm.srdf", "scene.yaml", "agv.csv", "statue.obj"):
            shutil.copy(os.path.join(SOURCE, "tests", "config", "robot", name), cls.folder)
        shutil.copy(os.path.join(SOURCE, "tests", "robot_models", "broken", "good.dae"),
                os.path.join(cls.folder, "stone.dae"))
        shutil.copy(os.path.join(SOURCE, "tests", "robot_models", "broken", "good_binary.stl"),
                os.path.join(cls.folder, "brick.stl"))
        cls.task = os.path.join(cls.folder, "task.yaml")
        write(cls.task, TASK)
        cls.proof = plan(cls.task, os.path.join(cls.folder, "out"))

    def path(self, name):
        return os.path.join(self.folder, {"plan.proof": "out/plan.proof",
                "trajectory.json": "out/trajectory.json"}.get(name, name))

    def refused(self, name, old, new, says, trajectory=False):
        """Once `old` is `new` in the file, the comparison refuses and says so."""
        with self.subTest(file=name, old=old, new=new):
            path = self.path(name)
            text = read(path)
            edited = old(text) if callable(old) else text.replace(old, new, 1)
            self.assertNotEqual(text, edited)
            write(path, edited)
            try:
                accepted, said = compare(self.proof, "--task", self.task,
                        *(["--trajectory", self.path("trajectory.json")] if trajectory else []))
            finally:
                write(path, text)
            self.assertFalse(accepted, said)
            self.assertIn(says, said)

    def test_accepts_what_was_planned(self):
        accepted, said = compare(self.proof, "--task", self.task, "--trajectory", self.path("trajectory.json"))
        self.assertTrue(accepted, said)
        self.assertTrue(said.startswith("model: it is that of the robot and the task\n"))
        self.assertIn("the task allows it: 'upper_arm' and 'tool'", said)
        self.assertIn("hash of the robot: that of its files", said)

    def test_accepts_the_robot_alone(self):
        for more in ([], ["--srdf", self.path("arm.srdf")]):
            accepted, said = compare(self.proof, "--urdf", self.path("arm.urdf"), *more)
            # Without a task nobody says that the upper arm may touch the tool; these are not compared.
            self.assertEqual(accepted, bool(more), said)
        self.assertIn("not compared: the task; joints held are where the proof holds them: wrist at 0", said)

    def test_other_robots(self):
        for old, new, says in (
                ('xyz="0.45 0 0"', 'xyz="0.45 0.000001 0"', "the axis of the joint that 'elbow' moves is elsewhere"),
                ('xyz="0 0 0.1"/><axis xyz="0 0 1"/>', 'xyz="0 0 0.1"/><axis xyz="0 0.01 1"/>',
                 "that 'lift' moves points elsewhere"),
                ('xyz="0 0 0.45"/><axis xyz="0 0 1"/>', 'xyz="0 0 0.45"/><axis xyz="0 0 -1"/>',
                 "'shoulder' moves a joint by another factor"),
                ('xyz="0.35 0 0"', 'xyz="0.35 0 0" rpy="0 0 0.001"', "points elsewhere"),
                (turned("0 0 0.0005 1", "1.2"), "", "points elsewhere"),
                (turned("0 0 0 1", "1.1"), "", 'the URDF does not say version="1.2"'),
                ('xyz="0.35 0 0"', 'xyz="0.35 0 0" rpy="0 0 0" quat_xyzw="0 0 0 1"', "gives its rotation twice"),
                ('xyz="0.35 0 0"', 'xyz="0.35 0 0" rpy="0 0 6.3"', "beyond a full turn"),
                ('xyz="0.35 0 0"', 'pos="0.35 0 0"', "has an unknown attribute and lacks one: ['pos']"),
                ('type="prismatic">\n    <parent link="base', 'type="continuous">\n    <parent link="base',
                 "where joint 'lift' should be"),
                ('<mimic joint="finger"/>', '<mimic joint="finger" multiplier="0.5"/>',
                 "'finger' moves a joint by another factor or offset"),
                ('<mimic joint="finger"/>', '<mimic joint="finger" offset="0.001"/>',
                 "'finger' moves a joint by another factor or offset"),
                ('<mimic joint="finger"/>', '<mimic joint="elbow"/>', "where joint 'elbow' should be is 'finger'"),
                ('velocity="2" effort="50"', 'velocity="1.9" effort="50"',
                 "joint 'shoulder': its velocity is not proven"),
                ('upper="2.5"', 'upper="2.4"', "joint 'elbow': its position is not proven"),
                ('size="0.4 0.06 0.06"', 'size="0.4 0.06 0.060001"', "no piece of 'upper_arm' holds its shape"),
                ('radius="0.04"', 'radius="0.041"', "no piece of 'hand' holds its shape"),
                ('radius="0.05" length="0.4"', 'radius="0.05" length="0.41"', "no piece of 'column' is its cylinder"),
                ('xyz="0.15 0 0"', 'xyz="0.15 0 0.001"', "no piece of 'forearm' holds its shape"),
                ('<collision><geometry><sphere radius="0.04"/></geometry></collision>', '', "no body 'hand'"),
                ('<link name="tool_tip"/>',
                 '<link name="tool_tip"><collision><geometry><sphere radius="0.001"/></geometry></collision></link>',
                 "'tool_tip' is not a body of the proof"),
                ('A small lift', 'A smaller lift', "the hash of the robot is that of other files")):
            self.refused("arm.urdf", old, new, says)
        for old, new, says in (
                ('<disable_collisions link1="column" link2="upper_arm" reason="Adjacent"/>', '',
                 "'column' and 'upper_arm' are exempt"),
                ('<disable_collisions link1="hand" link2="left_finger"',
                 '<disable_collisions link1="column" link2="left_finger"',
                 "'hand' and 'left_finger' are exempt"),
                ('</robot>', '<enable_collisions link1="base_link" link2="hand"/></robot>', "the hash of the robot"),
                ('<joint name="elbow" value="0.5"/>', '<joint name="elbow" value="0.6"/>', "no piece of 'egg'"),
                ('value="0"/>\n    <joint name="elbow" value="0.5"',
                 'value="0.1"/>\n    <joint name="elbow" value="0.5"', "")):
            self.refused("arm.srdf", old, new, says)

    def test_other_tasks(self):
        for old, new, says in (
                ("[0.7, -0.5, 0.6]", "[0.7, -0.5, 0.6001]", "'statue' leave a part of its mesh out"),
                ("scale: 0.001", "scale: 0.00101", "'statue' leave a part of its mesh out"),
                ("scale: [0.1, 0.2, -0.1]", "scale: [0.1, 0.2, 0.1]", "'stone'"),
                ("[0.7, -1.7, 0.8]", "[0.7, -1.7, 0.81]", "no piece of 'brick'"),
                ("[4, 0, 0], [3, 1, 0]", "[4.1, 0, 0], [3, 1, 0]", "'ramp' leave a part of its mesh out"),
                ("dimensions: [0.1, 0.2, 0.3]", "dimensions: [0.1, 0.2, 0.31]", "no piece of 'egg' is its ellipsoid"),
                ("frame: hand", "frame: forearm", "no piece of 'egg' is its ellipsoid"),
                ("type: cone, dimensions: [0.2", "type: cone, dimensions: [0.21", "no piece of 'hat' is its cone"),
                ("type: cone, dimensions: [0.2", "type: cylinder, dimensions: [0.2",
                 "no piece of 'hat' is its cylinder"),
                ("[-1, -1, 0.5], rpy: [0.1, 0.2", "[-1, -1, 0.5], rpy: [0.1, 0.21", "no piece of 'pill' holds"),
                ("offset: -0.5", "offset: -0.499", "no piece of 'floor' is its half-space"),
                ("normal: [0, 0, 1]", "normal: [0, 0.001, 1]", "no piece of 'floor' is its half-space"),
                ("    - {id: hat, type: cone, dimensions: [0.2, 0.3], pose: {position: [-1, 1, 0.5], rpy: [0.1, 0.2, 0.3]}}\n", "", "the task has no body 'hat'"),
                ("    - {id: hat,", "    - {id: ball, type: sphere, dimensions: [0.1]}\n    - {id: hat,",
                 "'ball' is not a body of the proof"),
                ("touch_links: [left_finger, right_finger]", "touch_links: [right_finger]",
                 "'left_finger' and 'tool' are exempt"),
                ("{id: tool, link: hand", "{id: tool, link: forearm", "no piece of 'tool' holds"),
                ("dimensions: [0.1, 0.02]", "dimensions: [0.1, 0.021]", "no piece of 'tool' holds"),
                ("margin: 0.002", "margin: 0.003", "must keep 0.003 m, in the proof 0.002 m"),
                ("floor: 0.02", "floor: 0.03", "must keep 0.03 m, in the proof 0.02 m"),
                ("{cart: 0.1}", "{cart: 0.11}", "'hand' and 'cart' must keep 0.11 m"),
                ("allowed: [[upper_arm, tool]]", "allowed: []",
                 "'upper_arm' and 'tool' are exempt (task: collision.allowed), but nothing in the files says so"),
                ("max_velocity_scaling_factor: 0.9", "max_velocity_scaling_factor: 0.8", "its velocity is not proven"),
                ("shoulder: 8.0", "shoulder: 7.0", "joint 'shoulder': its acceleration is not proven"),
                ("shoulder: 8.0", "elbow: 8.0", "its acceleration is not proven"),
                ("jerk: 100", "jerk: 99", "its jerk is not proven"),
                ("finger: 0.03", "finger: 0.031", "start: joint 'finger' is not proven to be at 0.031"),
                ("{group_state: ready,", "{group_state: ready, velocity: {elbow: 0.1},",
                 "the velocity of joint 'elbow'"),
                ("{group_state: ready, ", "{group_state: ready, wrist: 0.1, ",
                 "joint 'wrist' is held at 0.1, in the proof at 0"),
                ("[0.6, 0.5, 0.65]", "[0.6, 0.5, 0.651]", "goal: another position"),
                ("tolerance: {position: 0.01}", "tolerance: {position: 0.009}", "goal: another position"),
                ("position: [0.6, 0.5, 0.65],", "position: [0.6, 0.5, 0.65], orientation: [0, 0, 0, 1],",
                 "goal: another orientation"),
                ("offset: {position: [0.1, 0, 0]}", "offset: {position: [0.11, 0, 0]}", "goal: another frame"),
                ("pose: {link: hand, position", "pose: {link: forearm, position", "goal: "),
                # Several poses: those of the proof, and one of another place.
                (POSE, POSE.replace("pose: ", "poses: [") + "]", "the hash of the task is that of other files"),
                (POSE, POSE.replace("pose: ", "poses: [") + ", " + POSE[len("pose: "):].replace("0.65", "0.66") + "]",
                 "goal: another position"),
                ("elbow: 0.8}, time", "elbow: 0.81}, time", "waypoint 1: joint 'elbow'"),
                ("time: 0.6", "time: 0.61", "waypoint 1: the proof has no break at 0.61 s"),
                ("size: [4, 4, 4]", "size: [4, 4, 3.9]", "path constraint 1: its side 5 is elsewhere"),
                ("point: [0.1, 0, 0]", "point: [0.2, 0, 0]", "path constraint 1: another point"),
                ("direction: [0, 0, 1], tolerance: 0.5", "direction: [0, 0.1, 1], tolerance: 0.5",
                 "path constraint 2: its beyond its rim is elsewhere"),
                ("tolerance: 0.5", "tolerance: 0.4", "path constraint 2: its beyond its rim is elsewhere"),
                ("keep_axis: z", "keep_axis: y", "path constraint 2: another point"),
                ("scene:\n", "  - {link: hand, keep_axis: z}\nscene:\n",
                 "path constraint 3: its beyond its rim is not in the proof"),
                ("joints: [lift, shoulder, elbow, finger]", "joints: [lift, shoulder, elbow, finger, wrist]",
                 "joint 'wrist': its velocity is not proven"),
                ("joints: [lift, shoulder, elbow, finger]", "joints: [lift, shoulder, elbow]",
                 "joint 'finger' is not planned, but the proof moves it"),
                ("collision: {", "uncertainty: {joints: {default: 0, elbow: 0.001}}\ncollision: {",
                 "joint 'elbow' may stray by 0.001"),
                ("collision: {", "uncertainty: {obstacles: {cart: 0.01}}\ncollision: {", "'cart' may stray by 0.01 m"),
                ("collision: {", "uncertainty: {base: 0.01}\ncollision: {", "may stray by 0.01 m"),
                ("collision: {", "duration: {max: 0.7}\ncollision: {", "the motion takes"),
                ("hand: {cart: 0.1}", "hand: {cart: 0.11}, cart: {hand: 0.05}", "'hand' and 'cart' must keep 0.11 m"),
                ("jerk: 100", "jerk: 100, gaps: {finger: 0.0021, hand: 0.0022}", "must keep 0.0022 m, in the proof 0.002 m"),
                ("collision: {", "contacts: [{link: hand, friction: 1, wish: 1}]\ncollision: {", "asks for 'wish'"),
                ("{group_state: ready,", "{project: true, group_state: ready,", "start_state: project"),
                ("collision: {", "wishes: {}\ncollision: {",
                 "the task asks for 'wishes', which this comparison does not know"),
                ("margin: 0.002", "margin: 0.002, margin: 0.001", "a key is given twice"),
                ("\nrobot:", "\n# of mine\nrobot:", "the hash of the task is that of other files")):
            self.refused("task.yaml", old, new, says)

    def test_other_files_of_the_task(self):
        self.refused("agv.csv", "2.0,0.0,0.5,0,0,0.7", "2.0,0.001,0.5,0,0,0.7", "the motion of 'cart' is another at")
        self.refused("agv.csv", "\n1.0,2.0", "\n1.1,2.0", "the motion of 'cart': the knot at 1.1 s is no break")
        self.refused("agv.csv", "\n3.0,2.0", "\n4.0,2.0", "the motion of 'cart' goes on until 4.0 s")
        self.refused("agv.csv", "0,0,0.7071067811865476,0.7071067811865476",
                "0,0,-0.7071067811865476,0.7071067811865476", "the motion of 'cart' is another at")
        self.refused("statue.obj", "v 100 0 0", "v 101 0 0", "'statue' leave a part of its mesh out")
        self.refused("scene.yaml", "dimensions: [0.3, 1.0, 0.02]", "dimensions: [0.3, 1.0, 0.03]",
                "no piece of 'shelf' holds")
        self.refused("scene.yaml", "translation: [1, 0, 0]", "translation: [1.001, 0, 0]", "no piece of 'shelf'")
        self.refused("scene.yaml", "- [false, true, true, true]", "- [false, false, true, true]", "")

    def test_other_proofs(self):
        def line(pattern, new):
            return lambda text: re.sub(pattern, new, text, count=1, flags=re.M)
        text = read(self.proof)
        names = re.findall(r'^body "(.*)" ', text, re.M)
        hat, base, forearm, statue = (names.index(n) for n in ("hat", "base_link", "forearm", "statue"))
        covers = [int(m) for m in re.findall(r"^cover (\d+)", text, re.M)]
        pair = r"^pair {} {} .*$".format(*sorted((covers.index(base), covers.index(forearm)),
                reverse=covers.index(base) > covers.index(forearm)))

        def smaller(text):  # the hand's sphere
            at = covers.index(names.index("hand"))
            block = [m.start() for m in re.finditer(r"^cover ", text, re.M)][at]
            return text[:block] + text[block:].replace("hull 0.04 ", "hull 0.0399 ", 1)

        def without_a_corner(text):
            block = [m.start() for m in re.finditer(r"^cover ", text, re.M)][covers.index(statue)]
            return text[:block] + re.sub(r"(hull 0) 4 \S+ \S+ \S+", r"\1 3", text[block:], count=1)

        def mirrored(match):  # the first column
            words = match[2].split()
            return " ".join([match[1], *(str(-float(w)) if i in (0, 3, 6) else w for i, w in enumerate(words))])
        for edit, says in (
                (line(r'^body "hat"', 'body "hut"'), "'hat' is not a body of the proof"),
                (line(r'^body "hat"', 'body "egg"'), "two bodies of the proof have one name"),
                (smaller, "no piece of 'hand' holds its shape"),
                (line(r"hull 0 4 ", "hull -1e-6 4 "), "leave a part of its mesh out"),
                (without_a_corner, "'statue' leave a part of its mesh out"),
                (line(pair, f'exempt {base} {forearm} "the SRDF: Never"'),
                 "'base_link' and 'forearm' are exempt (the SRDF: Never), but nothing"),
                (line(pair, f'exempt {base} {hat} "both are obstacles"'),
                 "'base_link' and 'forearm' are not in the proof"),
                (line(r'^(track "cart y" 0 2 -?[\d.e-]+) (\S+)', r"\1 0.2"), "the motion of 'cart' is another"),
                (line(r'^(joint "shoulder" 0 \d+ )0 ', r"\1 0.001 "), ""),
                (line(r"^(node \d+ turn 1) 1 0", r"\1 1 0.01"), "'shoulder' moves a joint by another factor or offset"),
                (line(r"^(node \d+ turn 1 1 0) (.*)", mirrored), "a pose is not a rotation and a place"),
                (line(r"^limit 2 0 -2.5 2.5\n", ""), "joint 'elbow': its position is not proven"),
                (line(r"^limit 2 0 -2.5 2.5$", "limit 2 0 -2.5 1e300"), "joint 'elbow': its position is not proven"),
                (line(r"^limit 0 0 \S+ \S+ 0\n", ""), "start: joint 'lift' is not proven"),
                (line(r"^limit 1 1 \S+ \S+ 0\n", ""), "start_state: the velocity of joint 'shoulder'"),
                (line(r"^limit 1 3 .*\n", ""), "joint 'shoulder': its jerk is not proven"),
                (line(r"^pose .*\n", ""), "goal: no pose of link 'hand' is proven"),
                (line(r'^hash "task" "..', 'hash "task" "00'), "the hash of the task is that of other files"),
                (line(r'^hash "task" .*\n', ""), "the proof has no hash of the task"),
                (line(r'^hash "robot" .*\n', ""), "the proof has no hash of the robot"),
                (line(r"^breaks 0 .*\n", "breaks 0 1\n"), "not a span for each interval"),
                (line(r"^allclear-proof 1", "allclear-proof 2"), "not an allclear-proof 1")):
            trajectory = says == ""
            self.refused("plan.proof", edit, None, says or "trajectory: joint 'shoulder' is elsewhere", trajectory)

    def test_exact_meshes(self):
        """The ramp as a closed surface in place of its hull, right and wrong."""
        text = read(self.proof)
        bodies = re.findall(r'^body "(.*)" ', text, re.M)
        start = re.search(rf"^cover {bodies.index('ramp')} 1$", text, re.M).end() + 1
        end = text.index("\n", start)
        right = "piece -1 1 0 0 0 1 0 0 0 1 0 0 0 solid 4 3 0 0 4 0 0 3 1 0 3 0 1 4 0 2 1 0 1 3 0 3 2 1 2 3"
        path = os.path.join(self.folder, "solid.proof")
        for piece_line, is_right in (
                (right, True), (right.replace("4 0 2 1 ", "4 2 1 0 "), True), (right.replace("4 0 2 1 ", "4 0 1 2 "), False),
                (right.replace("4 0 2 1 ", "3 "), False), (right.replace("3 0 1 4", "3 0 1.000001 4"), False),
                (right.replace("1 4 0 2 1 ", "1 5 0 2 1 ") + " 0 2 1", False)):
            write(path, text[:start] + piece_line + text[end:])
            accepted, said = compare(path, "--task", self.task)
            self.assertEqual(accepted, is_right, said)
            self.assertTrue(is_right or "the pieces of 'ramp' leave a part of its mesh out" in said, said)

    def test_uncertainty(self):
        """A proof whose tubes and bodies are as wide as the task asks for."""
        text = re.sub(r'^joint "(.*?)" 0 ', r'joint "\1" 0.002 ', read(self.proof), flags=re.M)
        text = text.replace('joint "wrist" 0.002 ', 'joint "wrist" 0 ')
        text = re.sub(r'^body "(.*)" 0$', r'body "\1" 0.01', text, flags=re.M)
        proof, task = os.path.join(self.folder, "wide.proof"), os.path.join(self.folder, "wide.yaml")
        for demand, accepts in (
                ("joints: {default: 0, elbow: 0.002}", True), ("joints: {default: 0, elbow: 0.0021}", False),
                # The proof holds the wrist: it cannot stray there, nor can the base turn.
                ("joints: 0.002", False), ("joints: {default: 0.002, wrist: 0}", True),
                ("obstacles: 0.01", True), ("obstacles: {default: 0.01, cart: 0.03}", False),
                ("obstacles: 0.01, base: 0.01", True), ("obstacles: 0.01, base: {position: 0.011}", False),
                ("base: {angle: 0.001}", False)):
            write(task, TASK + f"uncertainty: {{{demand}}}\n")
            digest = model.Task(task).files.sha256()
            write(proof, re.sub(r'^hash "task".*$', f'hash "task" "{digest}"', text, flags=re.M))
            accepted, said = compare(proof, "--task", task)
            self.assertEqual(accepted, accepts, said)
            self.assertTrue(accepts or re.search("may (stray|turn) by", said), said)

    def test_planned_spreads(self):
        """What the planner writes for obstacles whose position is a covariance: still ones and moving ones, one
        whose axes turn with it, one that grows until the end."""
        demand = """uncertainty:
  obstacles:
    default: 0.001
    cart: {covariance: [4e-4, 1e-4, 1e-4, 5e-5, 0, 0], sigma: 2, frame: obstacle, distance: 0.002}
    egg: {covariance: [{time: 0, covariance: [1e-6, 1e-6, 1e-6, 0, 0, 0]}, {time: 0.3, covariance: [4e-6, 1e-6, 1e-6, 0, 0, 0]}]}
    hat: {covariance: [[1e-4, 0, 5e-5], [0, 1e-4, 0], [5e-5, 0, 1e-4]], sigma: 1, frame: obstacle}
    pill: {covariance: [0, 0, 0, 0, 0, 0], growth: [1e-5, 0, 0, 0, 0, 0], until: 0.8}
    floor: {covariance: [0, 0, 1e-6, 0, 0, 0]}
"""
        task, other = os.path.join(self.folder, "spread.yaml"), os.path.join(self.folder, "other.yaml")
        text = TASK + demand
        write(task, text)
        path = plan(task, os.path.join(self.folder, "spread"))
        proof = read(path)
        self.assertEqual(len(re.findall(r"^spread ", proof, re.M)), 5)
        done = subprocess.run([VERIFY, path, "--task", task], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for old, new, says in (
                ("[4e-4, 1e-4, 1e-4, 5e-5, 0, 0], sigma: 2", "[4e-4, 1e-4, 1e-4, 5e-5, 0, 0]", "where 'cart' may be is more"),
                ("sigma: 2, frame: obstacle", "sigma: 2", "the hash of the task"),  # the ball holds that, too
                ("time: 0.3", "time: 0.31", "where 'egg' may be: the knot at 0.31 s is no break"),
                ("[4e-6, 1e-6", "[4.001e-6, 1e-6", "where 'egg' may be is more than in the proof"),
                ("[4e-6, 1e-6", "[3.999e-6, 1e-6", "the hash of the task"),
                ("[5e-5, 0, 1e-4]], sigma: 1", "[5e-5, 0, 1e-4]], sigma: 1.001", "where 'hat' may be is more"),
                ("sigma: 1, frame: obstacle", "sigma: 1", "where 'hat' may be is more"),
                ("[1e-5, 0, 0, 0, 0, 0], until: 0.8", "[1e-5, 0, 0, 0, 0, 0], until: 0.9", "where 'pill' may be"),
                ("[1e-5, 0, 0, 0, 0, 0], until: 0.8", "[1.1e-5, 0, 0, 0, 0, 0], until: 0.8", "where 'pill' may be is more"),
                ("[1e-5, 0, 0, 0, 0, 0], until: 0.8", "[1e-5, 1e-9, 0, 0, 0, 0], until: 0.8", "where 'pill' may be is more"),
                ("floor: {covariance: [0, 0, 1e-6", "floor: {covariance: [1e-9, 0, 1e-6", "where 'floor' may be is more"),
                ("distance: 0.002", "distance: 0.0021", "may stray by 0.0021 m"),
                ("    floor: {", "    ramp: {covariance: [1e-9, 0, 0, 0, 0, 0]}\n    floor: {", "where 'ramp' may be is not in the proof"),
                (demand, "", "the hash of the task")):
            self.assertIn(old, text)
            write(other, text.replace(old, new, 1))
            accepted, said = compare(path, "--task", other)
            self.assertFalse(accepted, said)
            self.assertIn(says, said, (old, new))
        # Another proof: without a spread's line.
        first = re.search(r"^spread .*\n", proof, re.M)[0]
        self.assertRefusedProof(proof.replace(first, ""), task, "where 'cart' may be is not in the proof")

    def assertRefusedProof(self, text, task, says):
        path = os.path.join(self.folder, "forged.proof")
        lines = text.rstrip("\n").split("\n")
        write(path, "\n".join(lines[:-1] + [f"end {len(lines)}"]) + "\n")
        accepted, said = compare(path, "--task", task)
        self.assertFalse(accepted, said)
        self.assertIn(says, said)

    def test_planned_uncertainty(self):
        """What the planner writes for a task with one of everything, a joint held and a base that turns."""
        demand = "uncertainty: {joints: {default: 0.001, wrist: 0.002}, obstacles: {default: 0.001, cart: 0.003}, " \
                 "base: {position: 0.001, angle: 0.002}}\n"
        task, wider = os.path.join(self.folder, "stray.yaml"), os.path.join(self.folder, "wider.yaml")
        text = TASK + demand
        write(task, text)
        path = plan(task, os.path.join(self.folder, "stray"))
        proof = read(path)
        done = subprocess.run([VERIFY, path, "--task", task], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("not in this proof: path constraint 1, which is of the planned motion alone", done.stdout)
        for old, new, says in (
                ("wrist: 0.002", "wrist: 0.0021", "joint 'wrist' may stray by 0.0021, in the proof by 0.002"),
                ("default: 0.001, wrist", "default: 0.0011, wrist", "may stray by 0.0011"),
                ("cart: 0.003", "cart: 0.0031", "'cart' may stray by 0.0041"),
                ("position: 0.001, angle", "position: 0.0011, angle", "may stray by 0.0041"),
                ("angle: 0.002", "angle: 0.0021", "its base may turn by 0.0021 rad, in the proof by 0.002"),
                ("wrist: 0.002", "wrist: 0.001", "the hash of the task"),
                ("angle: 0.002", "angle: 0", "the hash of the task"),
                (demand, "", "path constraint 1: its side 1 is not in the proof"),
                ("{group_state: ready,", "{group_state: ready, wrist: 0.1,", "joint 'wrist' is held at 0.1")):
            self.assertIn(old, text)
            write(wider, text.replace(old, new, 1))
            accepted, said = compare(path, "--task", wider)
            self.assertFalse(accepted, said)
            self.assertIn(says, said)
        other = os.path.join(self.folder, "stray.proof")
        roots = [m.start() for m in re.finditer(r"^node -1 turn", proof, re.M)]
        first = int(re.match(r"node -1 turn (\d+)", proof[roots[0]:])[1])  # the source of the turn about x
        for old, new, says in (
                (r'^(track "base turn y") 0.002', r"\1 0.001", "its base may turn by 0.002 rad, in the proof by 0.001"),
                (r'^(track "base turn z" 0.002 1) 0 ', r"\1 0.1 ", "stands on 'base turn z', which is not 0"),
                (rf"^node 0 turn {first + 1} ", f"node 0 turn {first} ", "its base may turn by 0.002 rad, but not"),
                (rf"^(node 0) turn {first + 1} ", rf"\1 slide {first + 1} ", "its base may turn by 0.002 rad, but not"),
                (rf"^(node 0 turn {first + 1}) 1 0", r"\1 0.5 0", "by 0.002 rad, in the proof by 0.001"),
                (rf"^(node 0 turn {first + 1}) 1 0", r"\1 1 0.1", "which is not 0"),
                (rf"^(node 0 turn {first + 1} .*) 0$", r"\1 0.1", "its base may turn by 0.002 rad, but not"),
                (r'^(joint "wrist") 0.002', r"\1 0", "joint 'wrist' may stray by 0.002, in the proof by 0"),
                (r'^(track "cart y") 0 ', r"\1 0.001 ", "the motion of 'cart' strays")):
            edited = re.sub(old, new, proof, count=1, flags=re.M)
            self.assertNotEqual(edited, proof, old)
            write(other, edited)
            accepted, said = compare(other, "--task", task)
            self.assertFalse(accepted, said)
            self.assertIn(says, said)
        accepted, said = compare(path, "--urdf", self.path("arm.urdf"), "--srdf", self.path("arm.srdf"))
        self.assertTrue(accepted, said)

    def test_visuals_that_stand_in(self):
        with tempfile.TemporaryDirectory() as folder:
            urdf = read(self.path("arm.urdf")).replace(
                '<link name="tool_tip"/>',
                '<link name="tool_tip"><visual><geometry><mesh filename="brick.stl" scale="0.01 0.01 0.01"/></geometry></visual></link>')
            write(os.path.join(folder, "arm.urdf"), urdf)
            for name in ("arm.srdf", "brick.stl"):
                shutil.copy(self.path(name), folder)
            task = os.path.join(folder, "task.yaml")
            text = """
robot: {urdf: arm.urdf, srdf: arm.srdf}
joints: [elbow]
start_state: {group_state: ready}
goal: {joint_constraints: {elbow: 0.8}}
collision: {missing: HOW, allowed: [[left_finger, tool_tip], [right_finger, tool_tip], [hand, tool_tip]]}
"""
            write(task, text.replace("HOW", "visual"))
            proof = plan(task, folder)
            accepted, said = compare(proof, "--task", task)
            self.assertTrue(accepted, said)
            write(task, text.replace("HOW", "ignore"))
            accepted, said = compare(proof, "--task", task)
            self.assertFalse(accepted, said)
            proof = plan(task, folder)
            accepted, said = compare(proof, "--task", task)
            self.assertTrue(accepted, said)
            self.assertIn("nothing of these links, which have visuals but no collision geometry: tool_tip", said)

    def test_other_trajectories(self):
        def bent(text):
            curve = json.loads(text)
            curve["positions"][5][1] += 1e-7
            return json.dumps(curve)

        def longer(text):
            curve = json.loads(text)
            curve["times"][-1] += 1e-3
            return json.dumps(curve)
        self.refused("trajectory.json", bent, None, "trajectory: joint 'shoulder' is elsewhere", True)
        self.refused("trajectory.json", longer, None, "trajectory: ", True)

    def test_the_checker_runs_it(self):
        done = subprocess.run([VERIFY, self.proof, "--task", self.task], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("accepted", done.stdout)
        self.assertIn("model: it is that of the robot and the task", done.stdout)
        other = os.path.join(self.folder, "other.yaml")
        write(other, TASK.replace("margin: 0.002", "margin: 0.003"))
        done = subprocess.run([VERIFY, self.proof, "--task", other], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("must keep 0.003 m, in the proof 0.002 m", done.stdout)
        self.assertNotIn("accepted", done.stdout)

    def test_files_that_cannot_be_read(self):
        for name in ("arm.urdf", "arm.srdf", "task.yaml", "scene.yaml", "statue.obj", "stone.dae", "agv.csv",
                "plan.proof"):
            text = read(self.path(name))
            for share in (0.0, 0.3, 0.7):
                write(self.path(name), text[:int(share * len(text))])
                done = subprocess.run([sys.executable, MODEL, self.proof, "--task", self.task], capture_output=True,
                        text=True)
                write(self.path(name), text)
                self.assertEqual((done.returncode, done.stderr), (1, ""), name)
                self.assertTrue(done.stdout.startswith("refused: "), done.stdout)


BASES = """
robot: {urdf: arm.urdf, srdf: arm.srdf, base: BASE}
joints: [JOINTS]
start_state: {lift: 0.1, shoulder: 0.2, elbow: 0.5, START}
goal: {joint_constraints: {elbow: 0.8, GOAL}}
"""


GOALS = """
robot: {urdf: arm.urdf, srdf: arm.srdf}
joints: [lift, shoulder, elbow, wrist]
start_state: [0.1, 0, 0.5, 0]
goal: GOAL
waypoints:
  - {joints: [0.12, 0.1, 0.6, 0], time: 0.6}
scene: {collision_objects: [{id: cup, type: sphere, dimensions: [0.05], pose: {position: [1.05, 1.10, 0.7]}}]}
"""
ANY = """{any_of: [
  {name: far, pose: {link: hand, position: [9, 0, 0]}},
  {name: near, pose: {link: hand, position: [0.60, 0.5, 0.62], rpy: [0, 0, 1], tolerance: {position: [0.01, 0.01, 0.05], angle: 0.05}, free: [rz]}}]}"""
LOOK = """{poses: [{link: hand, position: [0.62, 0.43, 0.7], tolerance: {position: 0.03}}, {look_at: {link: hand, axis: x, object: cup}}]}"""


class Goals(unittest.TestCase):
    """Alternatives, tolerances by axis, directions and lists: the proof says where the end is, the task where it
    may be."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("arm.urdf", "arm.srdf", "statue.obj"):
            shutil.copy(os.path.join(SOURCE, "tests", "config", "robot", name), cls.folder)

    def planned(self, goal):
        task = os.path.join(self.folder, "task.yaml")
        write(task, GOALS.replace("GOAL", goal))
        proof = plan(task, os.path.join(self.folder, "out"))
        done = subprocess.run([VERIFY, proof], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        accepted, said = compare(proof, "--task", task)
        self.assertTrue(accepted, said)
        return task, proof, said

    def check(self, goal, *edits):
        """What is planned is accepted, and refused once the task says something else."""
        task, proof, said = self.planned(goal)
        text = read(task)
        for old, new, says in edits:
            with self.subTest(old=old, new=new):
                edited = text.replace(old, new, 1)
                self.assertNotEqual(text, edited)
                write(task, edited)
                accepted, refusal = compare(proof, "--task", task)
                self.assertFalse(accepted, refusal)
                self.assertIn(says, refusal)
        return said

    def test_alternatives_and_free_axes(self):
        said = self.check(
            ANY,
            ("0.60, 0.5, 0.62", "0.63, 0.5, 0.62", "none of its 2 alternatives is proven"),
            (", rpy: [0, 0, 1], tolerance: {position: [0.01, 0.01, 0.05], angle: 0.05}, free: [rz]",
             ", rpy: [0, 0.2, 1], tolerance: {position: [0.01, 0.01, 0.05], angle: 0.05}, free: [rz]",
             "none of its 2 alternatives is proven"),
            ("link: hand, position: [0.60", "link: forearm, position: [0.60", "none of its 2 alternatives"),
            ("[0.12, 0.1, 0.6, 0]", "[0.12, 0.1, 0.61, 0]", "waypoint 1: joint 'elbow'"),
            ("[0.12, 0.1, 0.6, 0]", "[0.12, 0.1, 0.6]", "3 values for 4 planned joints"),
            ("[0.1, 0, 0.5, 0]", "[0.1, 0, 0.51, 0]", "start: joint 'elbow'"))
        self.assertIn("goal: alternative 2 of 2", said)

    def test_directions(self):
        self.check(
            LOOK,
            ("axis: x", "axis: y", "goal: another direction"),
            ("object: cup", "point: [1.05, 1.2, 0.7]", "goal: another direction"),
            ("link: hand, axis", "link: forearm, axis", "goal: "),
            ("[0.62, 0.43, 0.7]", "[0.62, 0.43, 0.75]", "goal: another position"))

    def test_membership_is_that_of_the_definition(self):
        """`within` against the words of docs/task.md, around tolerances of all sizes."""
        rng = random.Random(3)
        for _ in range(2000):
            most = rng.choice([math.inf, 10 ** rng.uniform(-3, 0)])
            each = [rng.choice([math.inf, 10 ** rng.uniform(-3, 0)]) for _ in range(3)]
            free = [rng.random() < 0.3 for _ in range(3)]
            off = [rng.uniform(-1, 1) * 10 ** rng.uniform(-3, 0) for _ in range(3)]
            held = [abs(x) for x, f in zip(off, free) if not f]
            limits = [m for m, f in zip(each, free) if not f]
            beyond = max([math.hypot(*held) - most] + [x - m for x, m in zip(held, limits)]) if held else -1
            if abs(beyond) < 1e-5:
                continue
            self.assertEqual(model.Comparison.within((most, each, free), off, 0.0, True), beyond < 0)

    def test_turns(self):
        """The rotation vector, and with a free turn that of the least rotation between the free axes."""
        rng = random.Random(4)
        for trial in range(500):
            axis = model.unit([rng.gauss(0, 1) for _ in range(3)])
            angle = rng.choice([10 ** rng.uniform(-6, 0), rng.uniform(0, math.pi), math.pi])
            target = model.PoseTarget("a", model.HERE, model.HERE, None, (1, [1, 1, 1], [False] * 3))
            X = (model.turn_about(axis, angle), model.ORIGIN)
            turn = model.Comparison.turn_off(target, X)
            back = model.turn_about(model.unit(turn), model.norm(turn)) if model.norm(turn) > 0 else model.AXES
            self.assertTrue(model.same_pose((back, model.ORIGIN), X, 2e-9), (trial, angle))
            k = rng.randrange(3)
            free = [i == k for i in range(3)]
            turn = model.Comparison.turn_off(target._replace(turn=(1, [1, 1, 1], free)), X)
            column = model.transposed(X[0])[k]
            self.assertAlmostEqual(turn[k], 0)
            self.assertAlmostEqual(model.norm(turn), math.acos(max(-1, min(1, column[k]))), delta=1e-6)




class MovingBases(unittest.TestCase):
    """Joints of several coordinates, and axes that are no axis of a frame."""

    def check(self, urdf, base, joints, srdf=True):
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "arm.urdf"), urdf)
            shutil.copy(os.path.join(SOURCE, "tests", "config", "robot", "arm.srdf"), folder)
            text = BASES.replace("BASE", base).replace("JOINTS", ", ".join([*joints, "elbow"]))
            text = text.replace("START", ", ".join(f"{j}: {0.1 * (i + 1)}" for i, j in enumerate(joints)))
            text = text.replace("GOAL", ", ".join(f"{j}: {0.1 * (i + 1) + 0.05}" for i, j in enumerate(joints)))
            text = text if srdf else text.replace(", srdf: arm.srdf", "").replace("shoulder: 0.2, ", "")
            path = os.path.join(folder, "task.yaml")
            write(path, text)
            proof = plan(path, folder)
            accepted, said = compare(proof, "--task", path, "--trajectory", os.path.join(folder, "trajectory.json"))
            self.assertTrue(accepted, said)
            accepted, said = compare(proof, "--urdf", os.path.join(folder, "arm.urdf"))
            self.assertEqual(accepted, base == "fixed", said)
            return said

    def test_planar_and_floating(self):
        urdf = read(os.path.join(SOURCE, "tests", "config", "robot", "arm.urdf"))
        self.check(urdf, "planar", ["virtual_joint/" + c for c in ("x", "y", "angle")])
        self.check(urdf, "floating", ["virtual_joint/" + c for c in ("x", "y", "z", "roll", "pitch", "yaw")])

    def test_oblique_axes(self):
        urdf = read(os.path.join(SOURCE, "tests", "config", "robot", "arm.urdf"))
        urdf = urdf.replace('xyz="0 0 0.45"/><axis xyz="0 0 1"/>\n    <limit lower="-2" upper="2" velocity="2" effort="50"/>',
                            'xyz="0 0 0.45"/><axis xyz="0.3 0.5 0.8"/>')
        urdf = urdf.replace('name="shoulder" type="revolute"', 'name="shoulder" type="planar"')
        urdf = urdf.replace('xyz="0.45 0 0"/><axis xyz="0 0 1"',
                'xyz="0.45 0 0" rpy="0.1 0.2 0.3"/><axis xyz="-0.1 0.2 -0.9"')
        said = self.check(urdf, "fixed", ["shoulder/x", "shoulder/y", "shoulder/angle"], srdf=False)
        self.assertIn("taken for granted: adjacent links: 'column' and 'upper_arm'", said)


ODD = """
robot: {urdf: arm.urdf, srdf: arm.srdf, package_map: {arm_description: .}}
group_name: arm
start_state: {group_state: ready}
goal: {joint_constraints: {elbow: 0.8}}
"""
CHAIN = """<link name="third"><collision><geometry><sphere radius="0.005"/></geometry></collision></link>
<joint name="third_finger" type="prismatic"><parent link="hand"/><child link="third"/><origin xyz="0.2 0 0"/>
<axis xyz="0 0 1"/><limit lower="0" upper="0.1" velocity="1" effort="1"/><mimic joint="finger_mirror" multiplier="-1.5"
offset="0.01"/></joint></robot>"""
SWAY = """<link name="weight"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
<joint name="sway" type="KIND"><parent link="hand"/><child link="weight"/><origin xyz="0.2 0 0" rpy="0.1 0.2 0.3"/>
</joint></robot>"""
FOOT = '<virtual_joint name="foot" type="floating" parent_frame="world" child_link="base_link"/>'


class OddRobots(unittest.TestCase):
    """Robot files that are read in a way of their own: certificate and proof hold, and name how."""
    extra = {}  # files beside the task

    def prove(self, urdf=(), srdf=(), task=()):
        """Plans with edited files. Returns a folder, the texts of the certificate's assumptions about the robot's
        files, and what the model checker says of the proof."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        texts = {"arm.urdf": (read(os.path.join(SOURCE, "tests", "config", "robot", "arm.urdf")), urdf),
                 "arm.srdf": (read(os.path.join(SOURCE, "tests", "config", "robot", "arm.srdf")), srdf),
                 "task.yaml": (ODD, task)}
        for name, (text, edits) in texts.items():
            for old, new in edits:
                self.assertIn(old, text)
                text = text.replace(old, new, 1)
            write(os.path.join(folder, name), text)
        for name, text in self.extra.items():
            write(os.path.join(folder, name), text)
        path = os.path.join(folder, "task.yaml")
        out = os.path.join(folder, "out")
        proof = plan(path, out)
        done = subprocess.run([VERIFY, proof, "--task", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("accepted", done.stdout)
        certificate = os.path.join(out, "certificate.json")
        again = subprocess.run([ALLCLEAR, "certify", path, os.path.join(out, "trajectory.csv"), "--verify", certificate],
                               capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        said = [a["text"] for a in json.loads(read(certificate))["assumptions"] if a["kind"] == "robot files"]
        return folder, "".join(said), done.stdout

    def test_as_they_should_be(self):
        self.assertEqual(self.prove()[1], "")

    def test_names_and_states(self):
        end, ready = "</robot>", '<group_state name="ready" group="arm">'
        for edits, says in (
                ([(ready, '<group_state name="ready">')], "group_state 'ready': names no group"),
                ([(ready, '<group_state name="ready" group="am">')], "there is no group 'am'"),
                ([(ready, ready + '<joint name="knee" value="1"/>')], "'knee': no such joint"),
                ([(end, ready + '<joint name="lift" value="0.2"/><joint name="shoulder" value="0"/>'
                   '<joint name="elbow" value="0.4"/><joint name="wrist" value="0"/></group_state></robot>')],
                 "a second state of that name"),
                ([('<joint name="lift"/>', '<joint name="lift"/><joint name="knee"/><link name="foot"/>'
                   '<chain base_link="base_link" tip_link="toe"/><group name="leg"/><group name="arm"/>')],
                 "group 'arm': is within itself"),
                ([(end, '<group name="arm"><joint name="lift"/></group></robot>')], "a second group of that name"),
                ([(end, '<passive_joint name="knee"/></robot>')], "'knee': no such joint"),
                ([(end, '<disable_collisions link1="hand" link2="toe"/></robot>')], "names no link of the URDF ('toe')"),
                ([(end, FOOT + end)], "virtual_joint 'foot' lets the base move"),
                ([(end, FOOT.replace("base_link", "hand") + end)], "the virtual joint is left out"),
                ([('<robot name="arm">', '<robot name="leg">')], "is for the robot 'leg'")):
            with self.subTest(says):
                self.assertIn(says, self.prove(srdf=edits)[1])

    def test_bytes_that_are_not_utf8(self):
        folder = self.prove()[0]
        srdf = os.path.join(folder, "arm.srdf")
        with open(srdf, "rb") as file:
            text = file.read()
        with open(srdf, "wb") as file:
            file.write(text.replace(b'<robot name="arm">', b'<!-- Gr\xf6\xdfe --><robot name="\xe4rm">'))
        out = os.path.join(folder, "again")
        proof = plan(os.path.join(folder, "task.yaml"), out)
        self.assertIn("is for the robot '?rm', not for 'arm'", read(os.path.join(out, "certificate.json")))
        accepted, said = compare(proof, "--task", os.path.join(folder, "task.yaml"))
        self.assertTrue(accepted, said)

    def test_urdfs(self):
        limit, mirror = 'velocity="2" effort="50"', '<mimic joint="finger"/>'
        for edits, says in (
                ([('<mass value="4"/>', '<mass value="0"/>')], "mass and inertia count as unknown"),
                ([(limit, 'velocity="-2" effort="50"')], "is taken without its sign"),
                ([(limit, 'velocity="0" effort="50"')], "the velocity limit is zero"),
                ([(mirror, '<mimic joint="tip_mount" offset="0.02"/>')], "repeats the fixed joint 'tip_mount'"),
                ([(mirror, '<mimic joint="thumb"/>')], "'thumb': no such joint; it moves on its own"),
                ([('<axis xyz="0 0 1"/>', '<axis xyz="0 0 3"/>')], "axis is scaled to length 1"),
                ([('<inertia ixx="0.1"', '<inertia ixx="-0.1"')], "moment of inertia is negative"),
                ([(limit, limit + ' acceleration="9"')], "attribute 'acceleration' of <limit> is not read"),
                ([('<robot name="arm">', '<robot name="arm" version="1.2">'), ('<origin xyz="0.35 0 0"/>',
                  '<origin xyz="0.35 0 0" quat_xyzw="0.1 0.2 -0.2 0.9539392014169456"/>')], ""),
                ([('<robot name="arm">', '<robot name="arm" version="1.2">'),
                  ('<collision><origin xyz="0.2 0 0"/>', '<collision><origin xyz="0 0 0.2" quat_xyzw="0 0.6 0 0.8"/>')],
                 ""),
                ([("</robot>", CHAIN)], ""),
                ([("</robot>", SWAY.replace("KIND", "planar"))], ""),
                ([("</robot>", SWAY.replace("KIND", "floating"))], "")):
            with self.subTest(says):
                folder, said, _ = self.prove(urdf=edits)
                self.assertIn(says, said)

    def test_chains_of_mimics_that_move(self):
        tasks = [("group_name: arm", "joints: [finger]"), ("ready}", "ready, finger: 0.0}"), ("elbow: 0.8", "finger: 0.02")]
        folder, _, _ = self.prove(urdf=[("</robot>", CHAIN)], task=tasks)
        urdf = os.path.join(folder, "arm.urdf")
        planned = read(urdf)
        for old, new, says in (('multiplier="-1.5"', 'multiplier="-1.4"', "moves a joint by another factor"),
                               ('upper="0.1" velocity="1"', 'upper="0.1" velocity="0.001"',
                                "joint 'finger': its velocity is not proven")):
            self.assertIn(old, planned)
            write(urdf, planned.replace(old, new))
            accepted, said = compare(os.path.join(folder, "out", "plan.proof"),
                                     "--task", os.path.join(folder, "task.yaml"))
            self.assertFalse(accepted, said)
            self.assertIn(says, said)

    def test_floating_bases_of_seven_values(self):
        base, name = ("arm.srdf, package", "arm.srdf, base: srdf, package"), '<group_state name="ready" group="arm">'
        half = math.sqrt(0.5)
        turned = f'<group_state name="ready"><joint name="foot" value="1 2 3 0 0 {half} {half}"/>'
        folder, said, _ = self.prove(srdf=[("</robot>", FOOT + "</robot>"), (name, turned)], task=[base])
        self.assertIn("names no group", said)
        by_task = ("ready}", f"ready, foot: [1, 2, 3, 0, 0, {half}, {half}]}}")
        folder, _, _ = self.prove(srdf=[("</robot>", FOOT + "</robot>")], task=[base, by_task])
        certificate = json.loads(read(os.path.join(folder, "out", "certificate.json")))
        held = next(a["text"] for a in certificate["assumptions"] if a["kind"] == "held joints")
        self.assertIn("foot/x = 1, foot/y = 2, foot/z = 3", held)
        self.assertIn("foot/yaw = 1.57079632679489", held)
        # The same pose in a scene's message.
        message = "robot_state: {multi_dof_joint_state: {joint_names: [foot, other], transforms: [{translation: {x: 1, " \
                  f"y: 2, z: 3}}, rotation: {{x: 0, y: 0, z: {half}, w: {half}}}}}, {{}}]}}}}\n"
        scene = ("{elbow: 0.8}}", "{elbow: 0.8}}\nscene: {file: scene.yaml}")
        self.extra = {"scene.yaml": message}
        folder, _, _ = self.prove(srdf=[("</robot>", FOOT + "</robot>")], task=[base, scene])
        self.extra = {}
        text = read(os.path.join(folder, "out", "certificate.json"))
        self.assertIn("foot/x = 1, foot/y = 2, foot/z = 3", text)
        self.assertIn("foot/yaw = 1.57079632679489", text)
        # The base moves to another pose, all of it in one list.
        moves = [base, by_task, ("group_name: arm", "joints: [elbow, foot/x, foot/y, foot/z, foot/roll, foot/pitch, foot/yaw]"),
                 ("{elbow: 0.8}", f"{{elbow: 0.8, foot: [1.1, 2, 3, 0, 0, {math.sin(0.8)}, {math.cos(0.8)}]}}")]
        folder, _, _ = self.prove(srdf=[("</robot>", FOOT + "</robot>")], task=moves)
        task = os.path.join(folder, "task.yaml")
        write(task, read(task).replace("[1.1, 2", "[1.1, 2.1"))
        accepted, said = compare(os.path.join(folder, "out", "plan.proof"), "--task", task)
        self.assertFalse(accepted, said)

    def test_masses_that_are_unknown_are_refused_where_they_count(self):
        for edit in (('<mass value="4"/>', '<mass value="0"/>'), ('<inertia ixx="0.1"', '<inertia ixx="-0.1"')):
            with self.assertRaises(AssertionError) as refusal:
                self.prove(urdf=[edit], task=[("{elbow: 0.8}}", "{elbow: 0.8}}\nlimits: {torque: true}")])
            self.assertIn("link 'column' has no mass and inertia to count on", str(refusal.exception))
        zero = [('velocity="2" effort="50"', 'velocity="2" effort="0"')]
        with self.assertRaises(AssertionError) as refusal:
            self.prove(urdf=zero, task=[("{elbow: 0.8}}", "{elbow: 0.8}}\nlimits: {torque: true}")])
        self.assertIn("gives joint 'shoulder' an effort limit of 0", str(refusal.exception))

    def test_pairs_that_are_exempt_by_no_file(self):
        """A proof exempts a pair; the file that did so is edited to name another link."""
        folder, _, _ = self.prove()
        srdf = os.path.join(folder, "arm.srdf")
        write(srdf, read(srdf).replace('link1="forearm" link2="hand"', 'link1="forearm" link2="hnd"'))
        accepted, said = compare(os.path.join(folder, "out", "plan.proof"), "--task", os.path.join(folder, "task.yaml"))
        self.assertFalse(accepted, said)
        self.assertIn("'forearm' and 'hand' are exempt", said)

    def test_xacro(self):
        """A program that only takes a macro out stands in for ROS's."""
        with tempfile.TemporaryDirectory() as programs:
            program = os.path.join(programs, "xacro")
            write(program, "#!/bin/sh\nsed \"1a <!-- made from $1 -->\" \"$1\" | sed 's/<xacro:[^>]*>//'\n")
            os.chmod(program, 0o755)
            path = os.environ["PATH"]
            os.environ["PATH"] = programs + ":" + path
            try:
                folder, said, _ = self.prove(urdf=[("</robot>", "<xacro:none/></robot>")])
                self.assertIn("is a xacro file, read as 'xacro FILE' expands it", said)
                for body in ("exit 1", ""):  # a program that fails, and none
                    write(program, "#!/bin/sh\n" + body)
                    os.chmod(program, 0o755 if body else 0o644)
                    os.environ["PATH"] = programs
                    done = subprocess.run([sys.executable, MODEL, os.path.join(folder, "out", "plan.proof"), "--task",
                                           os.path.join(folder, "task.yaml")], capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (1, ""))
                    self.assertTrue(done.stdout.startswith("refused: "), done.stdout)
            finally:
                os.environ["PATH"] = path


STANDING = """<robot name="r">
<link name="torso"><collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
<joint name="hip" type="revolute"><parent link="torso"/><child link="shin"/><origin xyz="0 0.02 -0.25" rpy="0 0.1 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="2" effort="100"/></joint>
<link name="shin"/>
<joint name="mount" type="fixed"><parent link="shin"/><child link="calf"/><origin xyz="0 0 -0.1"/></joint>
<link name="calf"/>
<joint name="ankle" type="revolute"><parent link="calf"/><child link="foot"/><origin xyz="0 0 -0.15" rpy="0 -0.1 0"/><axis xyz="0 1 0.1"/><mimic joint="hip" multiplier="-0.5" offset="0.01"/><limit lower="-3" upper="3" velocity="2" effort="100"/></joint>
<link name="foot"><collision><origin xyz="0 0 -0.05"/><geometry><box size="0.3 0.2 0.04"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="torso"/><child link="hand"/><origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="2" effort="100"/></joint>
<link name="hand"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.2 0.05 0.05"/></geometry></collision></link>
</robot>
"""
STANDS = """
robot: {urdf: r.urdf, base: floating}
start_state: {hip: 0, shoulder: 0, virtual_joint: [0, 0.1, 0.6, 0, 0, 0.2]}
goal: {joint_constraints: {hip: 0.3, shoulder: 0.5}}
contacts: [{link: foot}]
collision: {allowed: [[torso, foot]]}
scene:
  collision_objects:
    - {id: floor, type: plane, normal: z}
    - {id: ball, type: sphere, dimensions: [0.1], pose: {position: [2, 0, 0.8]}}
"""


class Standing(unittest.TestCase):
    """A robot whose base follows from the contact that it stands on."""

    def test_its_base_moves_with_the_joints(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {"r.urdf": STANDING, "task.yaml": STANDS}
            for name, text in files.items():
                write(os.path.join(folder, name), text)
            task = os.path.join(folder, "task.yaml")
            proof = plan(task, os.path.join(folder, "out"))
            done = subprocess.run([VERIFY, proof, "--task", task], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("the robot hangs on the world by 'foot', its first flat contact", done.stdout)
            self.assertIn("The base ('virtual_joint') is not planned, but it moves", done.stdout)
            self.assertNotIn("virtual_joint/x = 0", done.stdout)
            for name, old, new in (
                    ("task.yaml", "0.1, 0.6, 0", "0.1, 0.6001, 0"), ("task.yaml", "0, 0.2]", "0, 0.201]"),
                    ("task.yaml", "contacts: [{link: foot}]", ""), ("task.yaml", "[{link: foot}]", "[{link: hand}]"),
                    ("task.yaml", "{link: foot}", "{link: foot, kind: point, frame: {position: [0, 0, 0]}}"),
                    ("task.yaml", "{link: foot}", "{link: foot, fixed: false}"),
                    ("task.yaml", "start_state: {hip: 0,", "start_state: {hip: 0.01,"),
                    ("task.yaml", "hip: 0.3", "hip: 0.31"), ("r.urdf", "0.02 -0.25", "0.021 -0.25"),
                    ("r.urdf", "0 0 -0.1\"", "0 0 -0.1001\""), ("r.urdf", "0 1 0.1", "0 1 0.11"),
                    ("r.urdf", 'multiplier="-0.5"', 'multiplier="-0.51"'), ("r.urdf", 'offset="0.01"', 'offset="0.02"'),
                    ("r.urdf", 'rpy="0 -0.1 0"', 'rpy="0 -0.11 0"'), ("r.urdf", "0.1 0 0.2", "0.1 0 0.21")):
                with self.subTest(name=name, new=new):
                    self.assertIn(old, files[name])
                    write(os.path.join(folder, name), files[name].replace(old, new, 1))
                    accepted, said = compare(proof, "--task", task)
                    write(os.path.join(folder, name), files[name])
                    self.assertFalse(accepted, said)
                    self.assertNotIn("hash", said)
            accepted, said = compare(proof, "--urdf", os.path.join(folder, "r.urdf"))
            self.assertFalse(accepted, said)
            self.assertIn("a base that is not fixed is the task's", said)


class Examples(unittest.TestCase):
    def test_are_accepted(self):
        for name in ("shelf", "two_arms", "upright", "moving_obstacle", "humanoid", "drawing", "grasps", "tray",
                     "fenced_cell", "collaborative", "walking_person"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                task = os.path.join(SOURCE, "examples", name, "task.yaml")
                proof = plan(task, folder)
                accepted, said = compare(proof, "--task", task, "--trajectory", os.path.join(folder, "trajectory.json"))
                self.assertTrue(accepted, said)

    def test_cables_are_not_in_the_proof(self):
        with tempfile.TemporaryDirectory() as folder:
            task = os.path.join(SOURCE, "examples", "dress_pack", "task.yaml")
            accepted, said = compare(plan(task, folder), "--task", task)
            self.assertTrue(accepted, said)
            self.assertIn("not in this proof: cable 'hose'", said)

    def test_what_bends_is_not_in_the_proof(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("curtain", "shelf"):
                shutil.copytree(os.path.join(SOURCE, "examples", name), os.path.join(folder, name))
            task = os.path.join(folder, "curtain", "task.yaml")
            proof = plan(task, os.path.join(folder, "out"))
            accepted, said = compare(proof, "--task", task)
            self.assertTrue(accepted, said)
            self.assertIn("NOT IN THIS PROOF", said)
            self.assertIn("not in this proof: obstacle 'curtain', which bends", read(proof))
            frame = os.path.join(folder, "curtain", "curtain_0007.obj")
            write(frame, read(frame).replace("v 0.", "v 0.1", 1))
            accepted, said = compare(proof, "--task", task)
            self.assertFalse(accepted, said)


class Sequences(unittest.TestCase):
    """Of a task with segments each proof is compared with its own motion, which begins where the proofs beside it
    end."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("pick_and_place", "shelf"):
            shutil.copytree(os.path.join(SOURCE, "examples", name), os.path.join(cls.folder, name))
        cls.task, cls.out = os.path.join(cls.folder, "pick_and_place", "task.yaml"), os.path.join(cls.folder, "out")
        lift = "    goal: {linear: {link: tcp, by: [0, 0, 0.1]}}\n"
        text = read(cls.task)
        assert lift in text
        write(cls.task, text.replace(lift, lift + "    avoid: [[hand, column]]\n"
                                                  "    limits: {max_velocity_scaling_factor: 0.9}\n"))
        done = subprocess.run([ALLCLEAR, "plan", cls.task, "-o", cls.out, "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def proof(self, segment):
        return os.path.join(self.out, segment, "plan.proof")

    def test_every_segment_is_accepted(self):
        segments = sorted(f for f in os.listdir(self.out) if os.path.isdir(os.path.join(self.out, f)))
        self.assertEqual(len(segments), 9)
        for i, segment in enumerate(segments, 1):
            with self.subTest(segment):
                done = subprocess.run([VERIFY, self.proof(segment)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout)
                accepted, said = compare(self.proof(segment), "--task", self.task)
                self.assertTrue(accepted, said)
                self.assertIn(f"segment '{segment[2:]}', {i} of 9", said)
                for earlier in segments[:i - 1]:
                    self.assertIn(f"'{earlier}'", said)

    def test_another_task_is_refused(self):
        text = read(self.task)
        for segment, old, new, says in (
                ("1_reach", "position: [0, 0, 0.11]", "position: [0, 0, 0.12]", "goal: another position"),
                ("2_approach", "by: [0, 0, 0.1], tol", "by: [0, 0, 0.11], tol", "goal: another position"),
                ("3_close", "left_finger_joint: 0.02}", "left_finger_joint: 0.021}", "goal: joint 'left_finger_joint'"),
                ("3_close", "    lands: [[left_finger, part], [right_finger, part]]\n", "", "are exempt"),
                ("3_close", "    group_name: fingers\n", "", "joint 'left_finger_joint' is not planned"),
                ("4_lift", "  - {attach: part, link: hand, touch_links: [left_finger, right_finger], mass: 0.2}\n", "",
                 "'part'"),
                ("4_lift", "{attach: part, link: hand", "{attach: part, link: link6", "'part'"),
                ("4_lift", "    leaves: [[part, table]]\n", "", "'table' and 'part' are exempt"),
                ("4_lift", "max_velocity_scaling_factor: 0.9", "max_velocity_scaling_factor: 0.5", "its velocity is not"),
                ("4_lift", "avoid: [[hand, column]]", "avoid: [[link1, link2]]", "'link1' and 'link2' are exempt"),
                ("5_carry", "position: [0.5, 0.25, 0.35]", "position: [0.5, 0.26, 0.35]", "goal: another position"),
                ("7_open", "touch_links: [left_finger, right_finger]", "touch_links: []", "hash of the task"),
                ("8_retreat", "  - {detach: part}\n", "", "'part'"),
                ("9_home", "{group_state: ready}", "{joint_constraints: {joint1: 0.1}}", "goal: joint '")):
            with self.subTest(segment=segment, new=new):
                changed = text.replace(old, new, 1)
                self.assertNotEqual(changed, text)
                write(self.task, changed)
                try:
                    accepted, said = compare(self.proof(segment), "--task", self.task)
                finally:
                    write(self.task, text)
                self.assertFalse(accepted, said)
                self.assertIn(says, said)

    def test_a_proof_in_the_place_of_another_is_refused(self):
        def swapped(a, b):
            folder = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, folder)
            out = os.path.join(folder, "out")
            shutil.copytree(self.out, out)
            shutil.copy(self.proof(a), os.path.join(out, b, "plan.proof"))
            return out
        # The segment is not that of the task; and a segment that begins elsewhere than the one before it ends.
        for at, out in (("8_retreat", swapped("2_approach", "8_retreat")), ("3_close", swapped("1_reach", "2_approach")),
                        ("9_home", swapped("5_carry", "8_retreat"))):
            accepted, said = compare(os.path.join(out, at, "plan.proof"), "--task", self.task)
            self.assertFalse(accepted, said)
        alone = os.path.join(tempfile.mkdtemp(), "4_lift")
        self.addCleanup(shutil.rmtree, os.path.dirname(alone))
        shutil.copytree(os.path.join(self.out, "4_lift"), alone)
        accepted, said = compare(os.path.join(alone, "plan.proof"), "--task", self.task)
        self.assertFalse(accepted, said)
        self.assertIn("0 folders beside the proof's are of segment 1", said)
        elsewhere = os.path.join(os.path.dirname(alone), "plan.proof")
        shutil.copy(self.proof("1_reach"), elsewhere)
        accepted, said = compare(elsewhere, "--task", self.task)
        self.assertFalse(accepted, said)
        self.assertIn("names none of them", said)


WORLD = """<?xml version="1.0"?>
<sdf version="1.9"><world name="w">
<frame name="corner"><pose>2 1 0 0 0 0.3</pose></frame>
<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal>
  <size>9 9</size></plane></geometry></collision></link></model>
<model name="shelf"><static>true</static><pose relative_to="corner">-0.8 0.4 0.9 0 0 30</pose>
  <link name="board"><pose>0 0 0.1 0.1 0 0</pose>
    <collision name="a"><geometry><box><size>0.3 0.3 0.02</size></box></geometry></collision>
    <collision name="b"><pose relative_to="hook">0 0 0.3 0 0 0</pose><geometry><cylinder><radius>0.03</radius>
      <length>0.1</length></cylinder></geometry></collision></link>
  <link name="side"><pose relative_to="hook">0.1 0 0 0 0 0</pose><collision name="a"><geometry><capsule><radius>0.02</radius>
    <length>0.2</length></capsule></geometry></collision></link>
  <frame name="hook" attached_to="board"><pose degrees="true">0.2 0 0 0 0 45</pose></frame>
  <joint name="j" type="fixed"><parent>board</parent><child>side</child></joint>
  <model name="lamp" placement_frame="foot"><pose relative_to="j">0 0.5 0 0 0 0</pose><link name="foot"><pose>0 0 -0.4 0 0 0</pose>
    <collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link></model>
</model>
<include><uri>model://stone</uri><name>rock</name><pose>2 -1 0.5 0.2 0 0</pose></include>
</world></sdf>
"""
STONE = """<sdf version="1.7"><model name="stone"><static>true</static><link name="l"><pose>0 0 0.1 0 0 0</pose>
<collision name="c"><geometry><mesh><uri>model://stone/stone.obj</uri><scale>0.5 0.5 1</scale></mesh></geometry></collision>
<collision name="d"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision></link></model></sdf>
"""


class SdfWorlds(unittest.TestCase):
    """The frames, shapes and includes of a world, read by libsdformat there and by a few lines here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("arm.urdf", "arm.srdf", "statue.obj"):
            shutil.copy(os.path.join(SOURCE, "tests", "config", "robot", name), cls.folder)
        os.mkdir(os.path.join(cls.folder, "stone"))
        cls.stone, cls.world = os.path.join(cls.folder, "stone", "stone.sdf"), os.path.join(cls.folder, "cell.sdf")
        write(os.path.join(cls.folder, "stone", "model.config"),
              '<model><name>stone</name><version>1.0</version><sdf version="1.7">stone.sdf</sdf></model>')
        shutil.copy(os.path.join(cls.folder, "statue.obj"), os.path.join(cls.folder, "stone", "stone.obj"))
        write(cls.stone, STONE)
        write(cls.world, WORLD)
        cls.task = os.path.join(cls.folder, "task.yaml")
        write(cls.task, "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\nstart_state: {group_state: ready}\n"
                        "goal: {joint_constraints: {elbow: 0.1}}\nscene: {file: cell.sdf, pose: {position: [0, 0.2, -0.7]}}\n")
        done = subprocess.run([ALLCLEAR, "plan", cls.task, "--output", os.path.join(cls.folder, "out"), "--quiet"],
                              capture_output=True, text=True)
        if "no libsdformat" in done.stderr:
            raise unittest.SkipTest("this build reads no SDF worlds")
        assert done.returncode == 0, done.stdout + done.stderr
        cls.proof = os.path.join(cls.folder, "out", "plan.proof")

    def test_are_accepted(self):
        accepted, said = compare(self.proof, "--task", self.task)
        self.assertTrue(accepted, said)
        self.assertIn("hash of the task: that of its files", said)

    def test_another_world_is_refused(self):
        for path, text, old, new, says in (
                (self.world, WORLD, "2 1 0 0 0 0.3", "2 1 0 0 0 0.31", "'shelf::board'"),
                (self.world, WORLD, "0 0 0.1 0.1 0 0", "0 0 0.1 0.11 0 0", "'shelf::board'"),
                (self.world, WORLD, 'degrees="true"', "", "'shelf::"),
                (self.world, WORLD, ' attached_to="board"', "", "'shelf::"),
                (self.world, WORLD, "<radius>0.05</radius>", "<radius>0.06</radius>", "'shelf::lamp'"),
                (self.world, WORLD, ' placement_frame="foot"', "", "'shelf::lamp'"),
                (self.world, WORLD, "<length>0.2</length>", "<length>0.3</length>", "'shelf::side'"),
                (self.world, WORLD, "2 -1 0.5 0.2", "2 -1 0.6 0.2", "'rock'"),
                (self.world, WORLD, "<normal>0 0 1</normal>", "<normal>0 0.1 1</normal>", "'ground'"),
                (self.stone, STONE, "0.1 0.2 0.3", "0.1 0.25 0.3", "'rock'"),
                (self.stone, STONE, "<scale>0.5 0.5 1</scale>", "<scale>0.6 0.5 1</scale>", "'rock'"),
                (self.world, WORLD, "</world>", "<!-- else --></world>", "hash of the task"),
                (self.world, WORLD, "</world>", "<actor name='a'/></world>", "'actor'"),
                (self.task, read(self.task), "[0, 0.2, -0.7]", "[0, 0.2, -0.71]", "'")):
            with self.subTest(new=new):
                self.assertIn(old, text)
                write(path, text.replace(old, new, 1))
                try:
                    accepted, said = compare(self.proof, "--task", self.task)
                finally:
                    write(path, text)
                self.assertFalse(accepted, said)
                self.assertIn(says, said)


def shared_task(robot, scene, number):
    document = json.loads(read(os.path.join(DATA, "problems", robot, scene + ".json")))
    problem, objects = document["problems"][number], []
    for o in problem["obstacles"]:
        w, x, y, z = o["pose"]["quat_wxyz"]
        item = {"id": "the_" + o["name"], "type": o["type"],
                "pose": {"position": o["pose"]["xyz"], "orientation": [x, y, z, w]}}
        if o["type"] == "mesh":
            item["file"] = os.path.join(os.path.abspath(DATA), "problems", o["mesh"])
        else:
            item["dimensions"] = o["size"] if o["type"] == "box" else [o["length"], o["radius"]]
        objects.append(item)
    robots = os.path.join(os.path.abspath(DATA), "robots")
    return {"robot": {"urdf": os.path.join(robots, document["urdf"]), "srdf": os.path.join(robots, document["srdf"])},
            "joints": problem["joint_names"],
            "start_state": {**problem["fixed_joints"], **dict(zip(problem["joint_names"], problem["start"]))},
            "goal": {"joint_constraints": dict(zip(problem["joint_names"], problem["goals"][0]))},
            "scene": {"collision_objects": objects}}


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "problems")), "no shared problems")
class SharedProblems(unittest.TestCase):
    def test_are_accepted(self):
        for robot, scene, number in (("panda", "box", 0), ("panda", "table_bars", 5), ("ur5", "table_pick", 7),
                ("fetch", "box", 0)):
            with self.subTest(robot, scene=scene), tempfile.TemporaryDirectory() as folder:
                task = shared_task(robot, scene, number)
                path = os.path.join(folder, "task.yaml")
                write(path, json.dumps(task))
                proof = plan(path, folder)
                accepted, said = compare(proof, "--task", path, "--trajectory", os.path.join(folder, "trajectory.json"))
                self.assertTrue(accepted, said)
                task["start_state"].update({name: q + 1e-3 for name,
                        q in task["start_state"].items() if "finger" in name or "knuckle" in name})
                write(path, json.dumps(task))
                accepted, said = compare(proof, "--task", path)
                self.assertFalse(accepted, said)


SHARED = """
robot: {urdf: robot.urdf, srdf: robot.srdf, package_map: {PACKAGE: FOLDER}}
group_name: GROUP
start_state: {START}
goal: {joint_constraints: {GOAL}}
"""


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "robots")), "no shared robots")
class OddSharedRobots(unittest.TestCase):
    """Plans of robots as they are sold, with a slip in their files."""

    def prove(self, package, name, edits, task, says):
        source = os.path.join(os.path.abspath(DATA), "robots", package)
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("urdf", "srdf"):
                text = read(os.path.join(source, kind, f"{name}.{kind}"))
                for old, new in edits.get(kind, ()):
                    self.assertIn(old, text)
                    text = text.replace(old, new, 1)
                write(os.path.join(folder, f"robot.{kind}"), text)
            path, text = os.path.join(folder, "task.yaml"), SHARED
            for old, new in {"PACKAGE": package, "FOLDER": source, **task}.items():
                text = text.replace(old, new)
            write(path, text)
            proof = plan(path, folder)
            done = subprocess.run([VERIFY, proof, "--task", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            certificate = json.loads(read(os.path.join(folder, "certificate.json")))
            text = "".join(a["text"] for a in certificate["assumptions"] if a["kind"] == "robot files")
            for part in says:
                self.assertIn(part, text)

    def test_panda(self):
        srdf = (('<group_state group="panda_arm" name="ready">', '<group_state name="ready">'),
                ('<group name="panda_arm">', '<group name="panda_arm"><joint name="virtual_joint"/><link name="camera"/>'),
                ("</robot>", '<disable_collisions link1="camera" link2="panda_hand"/><passive_joint name="lens"/></robot>'))
        self.prove("panda_description", "panda", {"srdf": srdf, "urdf": (('velocity="2.3925"', 'velocity="0"'),)},
                   {"GROUP": "panda_arm", "START": "group_state: ready", "GOAL": "panda_joint1: 0.3"},
                   ("names no group", "which does not move here", "'camera': no such link", "('camera')",
                    "'lens': no such joint", "the velocity limit is zero", "lets the base move"))

    def test_ur5(self):
        urdf = (('<mimic joint="robotiq_85_left_knuckle_joint"', '<mimic joint="robotiq_85_left_inner_knuckle_joint"'),
                ('<mass value="3.7" />', '<mass value="0" />'))
        self.prove("ur5_description", "ur5_robotiq85", {"urdf": urdf},
                   {"GROUP": "manipulator", "START": "group_state: home", "GOAL": "wrist_1_joint: 0.3"},
                   ("mass of a link with collision geometry is zero",))

    def test_fetch(self):
        srdf = (("</robot>", '<group_state name="up" group="body"><joint name="torso_lift_joint" value="0.2"/></group_state>'
                 '</robot>'),)
        self.prove("fetch_description", "fetch", {"srdf": srdf, "urdf": (('ixx="1.225"', 'ixx="-1.225"'),)},
                   {"GROUP": "arm_with_torso", "GOAL": "torso_lift_joint: 0.3", "START": "group_state: up, "
                    "shoulder_pan_joint: 1.32, shoulder_lift_joint: 0.7, upperarm_roll_joint: 0, elbow_flex_joint: -2.0, "
                    "forearm_roll_joint: 0, wrist_flex_joint: -0.57, wrist_roll_joint: 0"},
                   ("there is no group 'body'", "a principal moment of inertia is negative"))


def box(low, high):
    return [tuple((low, high)[b][k] for k, b in enumerate(bits)) for bits in model.itertools.product((0, 1), repeat=3)]


QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
BOX = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def piece(points):
    return model.Piece("hull", model.HERE, (0.0,), points, [])


def solid(points, triangles):
    return model.Solid("mesh", model.HERE, mesh=model.Mesh(points, triangles, model.NEAR))


class Geometry(unittest.TestCase):
    def test_hulls_hold_combinations_of_their_points_and_nothing_beyond(self):
        pick = random.Random(1)
        for trial in range(60):
            flat = trial % 4  # coordinates on a coarse grid make coplanar corners; some clouds are flat
            points = [tuple(round(pick.uniform(-1, 1),
                    1 if flat else 12) * (flat < 3 or k > 0) for k in range(3)) for _ in range(40)]
            hull = piece(points)
            for _ in range(40):
                weights = [pick.random() ** 8 for _ in points]
                inner = [sum(w * p[k] for w, p in zip(weights, points)) / sum(weights) for k in range(3)]
                self.assertTrue(hull.holds(inner, model.NEAR))
                n = model.unit([pick.gauss(0, 1) for _ in range(3)])
                reach = max(model.dot(n, p) for p in points)
                far = max(points, key=lambda p: model.dot(n, p))
                beyond = [c + (reach - model.dot(n, far) + 1e-6) * e for c, e in zip(far, n)]
                self.assertFalse(hull.holds(beyond, model.NEAR))

    def test_every_plane_of_a_hull_is_needed_and_none_cuts_a_point_off(self):
        pick = random.Random(2)
        for _ in range(20):
            points = [tuple(pick.gauss(0, 1) for _ in range(3)) for _ in range(60)]
            for n, d in model.hull_planes(points):
                heights = sorted(model.dot(n, p) - d for p in points)
                self.assertLess(heights[-1], 1e-11)
                self.assertGreater(heights[-3], -1e-11)  # three corners are on it

    def test_covers_of_several_pieces(self):
        # An L: a box of 2 x 1 x 1 and one of 1 x 1 x 1 on its end, as one closed surface.
        outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
        points = [(x, y, float(z)) for z in (0, 1) for x, y in outline]
        caps = [(0, 1, 3), (1, 2, 3), (0, 3, 4), (0, 4, 5)]
        triangles = [t[::-1] for t in caps] + [tuple(i + 6 for i in t) for t in caps]
        for i in range(6):
            j = (i + 1) % 6
            triangles += [(i, j, j + 6), (i, j + 6, i + 6)]
        mesh = solid(points, triangles)
        self.assertAlmostEqual(model.winding(points, triangles, (0.5, 0.5, 0.5)), 1)
        self.assertAlmostEqual(model.winding(points, triangles, (1.5, 1.5, 0.5)), 0)
        left, right = piece(box((0, 0, 0), (1, 2, 1))), piece(box((1, 0, 0), (2, 1, 1)))
        self.assertIsNotNone(model.enclose([left, right], mesh, "the L"))
        self.assertIsNone(model.enclose([piece(box((0, 0, 0), (2, 2, 1)))], mesh, "the L"))
        exact = model.Piece("solid", model.HERE, (), points, triangles)
        self.assertIsNone(model.enclose([exact], mesh, "the L"))
        for pieces in ([left], [right], [left, piece(box((1 + 1e-6, 0, 0), (2, 1, 1)))],
                [left, piece(box((1, 0, 0), (2, 1 - 1e-6, 1)))],
                       [model.Piece("solid", model.HERE, (), points, triangles[1:])],
                       [model.Piece("solid", model.HERE, (), points, [t[::-1] for t in triangles])]):
            with self.assertRaises(model.Refused):
                model.enclose(pieces, mesh, "the L")

    CUBE = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6),
            (1, 3, 5), (3, 7, 5)]

    def test_closed_parts_face_outward_whatever_way_they_are_given(self):
        pick = random.Random(4)
        cube = [(float(i & 1), float(i >> 1 & 1), float(i >> 2)) for i in range(8)]
        for _ in range(50):
            triangles = [t[::-1] if pick.random() < 0.4 else t for t in self.CUBE]
            triangles += pick.sample(triangles, 3)  # repeated
            pick.shuffle(triangles)
            surface = model.Surface(cube, triangles)
            self.assertEqual((len(surface.closed), surface.open, surface.open_edges), (1, [], 0))
            self.assertAlmostEqual(model.winding(cube, surface.closed[0], (0.5, 0.4, 0.3)), 1)
            # Without a triangle it is open, and has an edge for each of its sides.
            gone = model.Surface(cube, [t for t in triangles if set(t) != set(triangles[0])])
            self.assertEqual((gone.closed, len(gone.open), gone.open_edges), ([], 11, 3))
        # A cavity is one only if the file turns it inward; a part inside out on its own is turned.
        inner = [(0.25 + 0.5 * x, 0.25 + 0.5 * y, 0.25 + 0.5 * z) for x, y, z in cube]
        shifted = [tuple(i + 8 for i in t) for t in self.CUBE]
        for second, expected in (([t[::-1] for t in shifted], 0), (shifted, 2)):
            surface = model.Surface(cube + inner, self.CUBE + second)
            winds = sum(model.winding(cube + inner, part, (0.5, 0.4, 0.3)) for part in surface.closed)
            self.assertAlmostEqual(winds, expected)
        far = [(x + 3, y, z) for x, y, z in cube]
        surface = model.Surface(cube + far, self.CUBE + [t[::-1] for t in shifted])
        self.assertAlmostEqual(sum(model.winding(cube + far, p, (3.5, 0.4, 0.3)) for p in surface.closed), 1)
        # A sheet with two sides bounds nothing.
        self.assertEqual(model.Surface(cube, [(0, 1, 3), (0, 3, 2), (0, 2, 1), (1, 2, 3)]).closed, [])

    def test_exact_pieces_of_open_meshes(self):
        cube = [(float(i & 1), float(i >> 1 & 1), float(i >> 2)) for i in range(8)]
        lidless, lid = self.CUBE[:2] + self.CUBE[4:], self.CUBE[2:4]

        def exact(kind, triangles, points=cube):
            return model.Piece(kind, model.HERE, (), points, triangles)

        def held(mesh_triangles, pieces, rule="shell"):
            mesh = model.Solid("mesh", model.HERE, mesh=model.Mesh(cube, mesh_triangles, model.NEAR, rule))
            try:
                return model.enclose(pieces, mesh, "the box") or True
            except model.Refused as refusal:
                return str(refusal)
        left = "leave a part of its mesh out"
        self.assertEqual(held(lidless, [exact("shell", lidless)])[1:], ([], 4))
        self.assertEqual(held(lidless, [exact("shell", [t[::-1] for t in lidless])])[1:], ([], 4))
        self.assertIn(left, held(lidless, [exact("shell", lidless[1:])]))
        self.assertIn(left, held(lidless, [exact("shell", lidless, [(x, y, z * 1.0001) for x, y, z in cube])]))
        self.assertIn("taken as a surface", held(self.CUBE, [exact("shell", self.CUBE)]))
        self.assertIn("taken as a surface", held(self.CUBE, [exact("shell", self.CUBE[1:]), exact("shell", self.CUBE[:1])]))
        self.assertIn("taken as a surface", held(self.CUBE, [exact("solid", self.CUBE), exact("shell", self.CUBE[:1])]))
        # Closed by a lid that the file does not have: more is solid than must be.
        self.assertEqual(held(lidless, [exact("solid", lidless + lid)])[2], 4)
        # Flipped and repeated triangles of a closed mesh.
        worse = [t[::-1] for t in self.CUBE[:5]] + self.CUBE[5:] + self.CUBE[7:9]
        self.assertIn(held(worse, [exact("solid", self.CUBE)]), (True, (cube, [], 0)))
        # A solid with an inner copy turned round has no inside at all, and is another one.
        self.assertIn(left, held(self.CUBE, [exact("solid", self.CUBE + [t[::-1] for t in self.CUBE])]))
        # The faces cut the other way, turned round: the file's own closed part still tells what is inside.
        other = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2),
                 (1, 3, 7), (1, 7, 5)]
        both = held(self.CUBE, [exact("solid", self.CUBE + [t[::-1] for t in other])])
        self.assertTrue(both != True and len(both[1]) == 12, both)
        # What is to be filled is no surface.
        self.assertIn(left, held(lidless, [exact("shell", lidless)], "fill"))
        self.assertEqual(held(lidless, [piece([cube[i] for i in t]) for t in lidless], "fill")[1], lidless)
        self.assertEqual(held(lidless, [piece([cube[i] for i in t]) for t in lidless])[1], [])
        self.assertEqual(len(held(self.CUBE, [piece([cube[i] for i in t]) for t in self.CUBE])[1]), 12)

    def test_a_body_inside_of_a_shell_is_found(self):
        # Six plates cover the surface of a box, not its inside: only the winding number sees what is in it.
        points = [tuple(map(float, p)) for p in box((0, 0, 0), (1, 1, 1))]
        plates = [piece([p for p in box((0, 0, 0),
                (1, 1, 1)) if p[k] == side] + [tuple(0.9 * c + 0.05 for c in p) for p in points if p[k] == side])
                  for k in range(3) for side in (0, 1)]
        mesh = solid(points, BOX)
        self.assertIsNotNone(model.enclose(plates, mesh, "the box"))

        def outside(x):
            shell, ball = model.Body("box", None, [mesh]), model.Body("ball", None, [], (model.AXES, x))
            comparison = model.Comparison.__new__(model.Comparison)
            comparison.open_meshes = {0: [(points, BOX)]}
            comparison.require_outside(shell, 0, ball, [piece([model.ORIGIN])])
        outside((1.5, 0.5, 0.5))
        with self.assertRaises(model.Refused):
            outside((0.5, 0.5, 0.5))

    def test_meshes_of_all_formats(self):
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        triangles = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        binary = b"\0" * 80 + struct.pack("<I", 4) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *(c for i in t for c in corners[i]), 0) for t in triangles)
        text = "solid s\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*corners[i]) for i in t) +
                                     "endloop\nendfacet\n" for t in triangles) + "endsolid s\n"
        obj = "".join("v {} {} {}\n".format(*v) for v in corners) + "f 1/1 3/2 2\nf 1 2 4\nf -4 -1 -2\nf 2 3 4\n"
        dae = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit meter="0.5"/><up_axis>Y_UP</up_axis></asset>
            <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">9 0 0 0 2 0 0 0 2 0 0 0 2</float_array>
            <technique_common><accessor source="#a" count="4" stride="3" offset="1"/></technique_common></source>
            <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
            <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
            <vcount>3 3 3 3</vcount><p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3 0</p></polylist></mesh></geometry></library_geometries>
            <library_nodes><node id="k"><translate>1 0 0</translate><instance_geometry url="#g"/></node></library_nodes>
            <library_visual_scenes><visual_scene id="s"><node><matrix>1 0 0 -1 0 1 0 0 0 0 1 0 0 0 0 1</matrix><rotate>0 0 1 90</rotate>
            <rotate>0 0 1 -90</rotate><instance_node url="#k"/></node></visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
        for read, data in ((model.read_stl, binary), (model.read_stl, text.encode()), (model.read_obj, obj.encode()),
                           (lambda data: model.Collada(data).read(), dae.encode())):
            mesh = model.indexed(read(data)[0], (1.0, 2.0, 3.0), False)
            found = {frozenset(tuple(round(c, 9) + 0.0 for c in mesh.vertices[i]) for i in t) for t in mesh.triangles}
            self.assertEqual(found, {frozenset((x, 2 * y, 3 * z) for x, y,
                    z in (corners[i] for i in t)) for t in triangles})
            self.assertAlmostEqual(model.winding(mesh.vertices, mesh.triangles, (0.1, 0.1, 0.1)), 1)
            mirrored = model.indexed(read(data)[0], (-1.0, 1.0, 1.0), False)
            self.assertAlmostEqual(model.winding(mirrored.vertices, mirrored.triangles, (-0.1, 0.1, 0.1)), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
