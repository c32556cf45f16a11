#!/usr/bin/env python3
"""Mistakes that a robotics engineer makes: each row has the input, what the message must say (file, line, key,
what to do), and the exit code. Every error is one line on stderr; every warning and verdict is in the output.

Usage: mistakes_test.py ALLCLEAR SOURCE_DIR [NAME ..]   (NAME: rows to run, their messages are printed)
"""
import os
import shutil
import subprocess
import sys
import tempfile

TASK = """robot: {urdf: arm.urdf, srdf: arm.srdf}
group_name: arm
start_state: {group_state: ready}
goal: {joint_constraints: {shoulder: 0.8}}
scene:
  collision_objects:
    - {id: wall, type: box, dimensions: [0.1, 0.2, 0.3], pose: {position: [1.5, 0.6, 0.5]}}
solver: {time_limit: 4, improve: none}
"""
GOAL, POSITION, BOX = "joint_constraints: {shoulder: 0.8}", "[1.5, 0.6, 0.5]", "dimensions: [0.1, 0.2, 0.3]"
OBJECT = "id: wall, type: box, dimensions: [0.1, 0.2, 0.3], pose: {position: [1.5, 0.6, 0.5]}"
SPHERE_AT = "id: wall, type: sphere, dimensions: [0.05], pose: {position: %s}"
DONE, BAD, NO_PLAN, NOT_CLEAR = 0, 2, 3, 5


def task(*changes, more=""):
    """The task with parts of its text replaced, and lines after its end."""
    text = TASK
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text + more


# Name, task (None: the words name their files), words of the command, exit code, parts of the message.
ROWS = [
    # Units.
    ("a joint in degrees", task(("0.8", "45")), "plan", BAD,
     ["task.yaml:4: goal.joint_constraints.shoulder: '45'", "beyond its upper limit 2", "degrees? 45° is 0.785 rad"]),
    ("a start in degrees", task(("group_state: ready", "group_state: ready, elbow: 90")), "plan", BAD,
     ["task.yaml:3: start_state.elbow: '90'", "degrees? 90° is 1.57 rad"]),
    ("a waypoint in degrees", task(more="waypoints: [{joint_constraints: {elbow: -60}}]\n"), "plan", BAD,
     ["task.yaml:9: waypoints[0].joint_constraints.elbow: '-60'", "degrees?"]),
    ("rpy in degrees", task((POSITION, POSITION + ", rpy: [0, 0, 90]")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].pose.rpy[2]: '90'", "degrees? 90° is 1.571 rad"]),
    ("a tolerance in degrees", task((GOAL, "pose: {link: hand, position: [0.5, 0.3, 0.65], rpy: [0, 0, 0], tolerance: "
                                           "{angle: 5}}")), "plan", BAD,
     ["task.yaml:4: goal.pose.tolerance.angle: '5'", "degrees? 5° is 0.08727 rad"]),
    ("a velocity in degrees", task(("0.8}", "0.8}, velocity: {shoulder: 30}")), "plan", BAD,
     ["task.yaml:4: goal.velocity.shoulder: '30'", "beyond the upper limit 2"]),
    ("a unit in a number", task(("0.8", "45 deg")), "plan", BAD,
     ["task.yaml:4: goal.joint_constraints.shoulder: '45 deg'", "without a unit", "1 degree is 0.0174532925 rad"]),
    ("an expression", task(("0.8", "pi/4")), "plan", BAD, ["shoulder: 'pi/4'", "expressions are not computed"]),
    ("a decimal comma", task(("0.8", "'0,8'")), "plan", BAD, ["shoulder: '0,8'", "with a decimal point: 0.8"]),
    ("a number in quotes", task(("0.8", "'0.8'")), "plan", BAD, ["shoulder: '0.8'", "leave the quotes out"]),
    ("a position in millimetres", task((POSITION, "[1500, 600, 500]")), "plan", DONE,
     ["warning: ", "task.yaml:7: scene.collision_objects[0].pose.position: is 1500 m away", "position in metres?"]),
    ("dimensions in millimetres", task((BOX, "dimensions: [100, 200, 300]")), "plan", NO_PLAN,
     ["scene.collision_objects[0].dimensions: is 100 m to 300 m wide: dimensions in metres?",
      "'base_link' and 'wall' overlap by"]),
    ("a mesh in millimetres", task(("type: box, " + BOX, "type: mesh, file: statue.obj, scale: 1")), "check", DONE,
     ["scene.collision_objects[0].scale: is 100 m", "millimetres need the scale 0.001"]),
    ("an offset in millimetres", task((OBJECT, "id: floor, type: plane, normal: z, offset: -800")), "check", DONE,
     ["scene.collision_objects[0].offset: is 800 m away", "offset in metres?"]),
    ("a goal in millimetres", task((GOAL, "pose: {link: hand, position: [500, 300, 550]}")), "plan", NO_PLAN,
     ["the goal is out of reach: the position for 'hand' is ", "gets no farther than", "positions are in metres"]),
    ("a margin in millimetres", task(more="collision: {margin: 10}\n"), "check", NO_PLAN,
     ["task.yaml:9: collision.margin: 10 m on all sides of every body: metres?"]),
    # Names.
    ("a misspelt joint", task(("shoulder", "sholder")), "plan", BAD,
     ["task.yaml:4: goal.joint_constraints.sholder", "did you mean 'shoulder'?"]),
    ("a joint of another robot", task(("shoulder", "panda_joint1")), "plan", BAD,
     ["no joint 'panda_joint1'; it has: lift, shoulder, elbow, wrist, finger"]),
    ("a wrong link", task((GOAL, "pose: {link: gripper, position: [0.5, 0.3, 0.65]}")), "plan", BAD,
     ["task.yaml:4: goal.pose.link: 'gripper'", "it has: base_link, column"]),
    ("a wrong group", task(("group_name: arm", "group_name: manipulator")), "plan", BAD,
     ["task.yaml:2: group_name: 'manipulator'", "it has: all, arm, gripper"]),
    ("a wrong group state", task(("ready", "home")), "plan", BAD,
     ["task.yaml:3: start_state.group_state: 'home'", "it has: ready, folded, open"]),
    ("a wrong frame", task(("pose: {position: [1.5", "frame: map, pose: {position: [1.5")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].frame: 'map'", "it has: base_link", "world"]),
    ("a pair of an unknown body", task(more="collision: {pair_margins: {wal: 0.01}}\n"), "plan", BAD,
     ["task.yaml:9: collision.pair_margins.wal", "did you mean 'wall'?"]),
    ("an object with a link's name", task(("id: wall", "id: hand")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].id: 'hand'", "rename the object"]),
    ("two objects of one name", task(("solver:", "    - {id: wall, type: sphere, dimensions: [0.1]}\nsolver:")), "plan",
     BAD, ["task.yaml:8: scene.collision_objects[1].id: 'wall'", "already"]),
    # Poses, starts and goals.
    ("a quaternion w first", task((GOAL, "pose: {link: hand, position: [0.6, 0.3, 0.65], orientation: [1, 0, 0, 0]}"),
                                  ("ready}", "ready, lift: 0.1}")), "plan", (DONE, NO_PLAN), ["oal"]),
    ("a quaternion w first that is out of reach",
     task((GOAL, "pose: {link: hand, position: [0.5, 0.3, 0.65], orientation: [0.7071, 0, 0.7071, 0]}")), "plan", NO_PLAN,
     ["the joints do not get there, or not with that orientation (orientation: [x, y, z, w]"]),
    ("a quaternion of length 1.4", task((GOAL, "pose: {link: hand, position: [0.5, 0.3, 0.6], orientation: [0, 0, 1, 1]}")),
     "plan", BAD, ["task.yaml:4: goal.pose.orientation", "must have length 1, not 1.414214"]),
    ("a position of two", task((GOAL, "pose: {link: hand, position: [0.5, 0.3]}")), "plan", BAD,
     ["task.yaml:4: goal.pose.position: must have 3 entries, [x, y, z], not 2"]),
    ("a pose as a list", task(("pose: {position: [1.5, 0.6, 0.5]}", "pose: [1.5, 0.6, 0.5]")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].pose: must be a map, {position: [x, y, z], orientation"]),
    ("a position beside the pose", task(("pose: {position: [1.5, 0.6, 0.5]}", "position: [1.5, 0.6, 0.5]")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].position: unknown key here", "'pose': {position: [x, y, z]}"]),
    ("two goals", task((GOAL, GOAL + ", group_state: folded")), "plan", BAD,
     ["task.yaml:4: goal.group_state: give 'joint_constraints' or 'group_state', not both"]),
    ("a goal as MoveIt's list", task((GOAL, "joint_constraints: [{joint_name: shoulder, position: 0.8}]")), "plan", BAD,
     ["task.yaml:4: goal.joint_constraints: must be a map of values by joint name, {joint: value, ..}"]),
    ("a start as a list", task(("{group_state: ready}", "[0.1, 0, 0.5]")), "plan", BAD,
     ["task.yaml:3: start_state: has 3 values for 4 planned joints", "in this order: lift, shoulder, elbow, wrist"]),
    ("a start that leaves joints out", task(("group_state: ready", "shoulder: 0.1")), "plan", BAD,
     ["task.yaml:3: start_state: gives no value for 'lift', 'elbow', 'wrist'"]),
    ("no group", task(("group_name: arm\n", "")), "plan", BAD,
     ["gives no value for 'finger'", "without 'group_name' or 'joints' all joints are planned"]),
    ("a goal that is the start", task(("0.8", "0.0")), "plan", DONE, ["Certified: clear at every instant of"]),
    ("a goal out of reach", task((GOAL, "pose: {link: hand, position: [1.5, 0.3, 0.65]}")), "plan", NO_PLAN,
     ["the goal is out of reach: the position for 'hand' is 1.", " m from joint 'lift', and 'hand' gets no farther than"]),
    ("the same, checked", task((GOAL, "pose: {link: hand, position: [1.5, 0.3, 0.65]}")), "check", NO_PLAN,
     ["At fault: the goal is out of reach"]),
    ("a goal in an obstacle", task((OBJECT, SPHERE_AT % "[0.139, 0.143, 0.65]")), "plan", NO_PLAN,
     ["at the goal, 'upper_arm' and 'wall' overlap by", "move the goal or 'wall', or, if these two may touch, list the pair: "
      "collision.allowed: [[upper_arm, wall]]"]),
    ("the same, checked", task((OBJECT, SPHERE_AT % "[0.139, 0.143, 0.65]")), "check", NO_PLAN,
     ["At fault: goal: 'upper_arm' and 'wall' overlap by", "collision.allowed: [[upper_arm, wall]]"]),
    ("a goal pose in an obstacle", task((OBJECT, SPHERE_AT % "[0.6, 0.3, 0.65]"),
                                        (GOAL, "pose: {link: hand, position: [0.6, 0.3, 0.65]}")), "plan", NO_PLAN,
     ["where it is reached, ", "and 'wall' overlap by", "Move the goal or 'wall'", "collision.allowed: [["]),
    ("a start in contact", task((POSITION, "[0.75, 0.1, 0.65]")), "plan", NO_PLAN,
     ["at the start, 'hand' and 'wall' overlap by 72.2 mm", "move the start or 'wall'", "collision.allowed: [[hand, wall]]"]),
    ("the same, checked", task((POSITION, "[0.75, 0.1, 0.65]")), "check", NO_PLAN,
     ["At fault: start: 'hand' and 'wall' overlap by 72.2 mm", "collision.allowed: [[hand, wall]]"]),
    ("a start nearer than the margin", task((OBJECT, SPHERE_AT % "[0.25, -0.0804, 0.65]")), "plan", NO_PLAN,
     ["'upper_arm' and 'wall' are 0.4 mm apart, nearer than their margin of 1 mm", "collision.pair_margins",
      "collision.end_margin: relax"]),
    ("a base sunk into its table", task((OBJECT, "id: table, type: box, dimensions: [1, 1, 0.1], pose: {position: "
                                                 "[0, 0, -0.02]}")), "plan", NO_PLAN,
     ["'base_link' and 'table' overlap by 30 mm", "collision.allowed: [[base_link, table]]"]),
    ("a base nearer to its table than the margin",
     task((OBJECT, "id: table, type: box, dimensions: [1, 1, 0.1], pose: {position: [0, 0, -0.0505]}")), "plan", DONE,
     ["Constant, as no planned joint parts them: 'base_link' and 'table' are 0.5 mm apart, nearer than their margin"]),
    ("a floor above the base", task((OBJECT, "id: floor, type: plane, normal: z, offset: 0.3")), "check", NO_PLAN,
     ["'base_link' and 'floor' overlap by 300 mm", "collision.allowed: [[base_link, floor]]"]),
    ("a cart that runs into the base", task((OBJECT, "id: cart, type: box, " + BOX + ", motion: cart.csv")), "plan", NO_PLAN,
     ["'base_link' and 'cart' overlap by", "at t = 1.9", "no planned joint moves 'base_link'", "change the motion of 'cart'"]),
    ("the same, checked", task((OBJECT, "id: cart, type: box, " + BOX + ", motion: cart.csv")), "check", NO_PLAN,
     ["At fault: 'base_link' and 'cart' overlap by"]),
    ("a carried object in the fingers", task(("scene:\n", "scene:\n  attached:\n    - {id: tool, link: hand, type: sphere, "
                                                         "dimensions: [0.2]}\n")), "plan", NO_PLAN,
     ["and 'tool' overlap by", "collision.allowed: [["]),
    # Files.
    ("a missing URDF", task(("urdf: arm.urdf", "urdf: robot.urdf")), "plan", BAD,
     ["task.yaml:1: robot.urdf: 'robot.urdf': no such file; looked for "]),
    ("a path from home", task(("urdf: arm.urdf", "urdf: ~/arm.urdf")), "plan", BAD,
     ["task.yaml:1: robot.urdf: '~/arm.urdf'", "'~' is not expanded here: write the whole path"]),
    ("a path with a variable", task(("urdf: arm.urdf", "urdf: $HOME/arm.urdf")), "plan", BAD, ["'$' is not expanded here"]),
    ("a missing package", task(("urdf: arm.urdf, srdf: arm.srdf", "urdf: package.urdf")), "plan", BAD,
     ["package.urdf:1: link 'b': mesh", "package_map: {my_robot: FOLDER}"]),
    ("a missing mesh", task(("type: box, " + BOX, "type: mesh, file: wall.stl")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].file: 'wall.stl': no such file; looked for "]),
    ("a URDF for the SRDF", task(("srdf: arm.srdf", "srdf: arm.urdf")), "plan", BAD, ["arm.urdf:3: ", "is a URDF: give the SRDF"]),
    ("an SRDF for the URDF", task(("urdf: arm.urdf", "urdf: arm.srdf")), "plan", BAD, ["arm.srdf:2: ", "is it an SRDF?"]),
    ("the SRDF of another robot", task(("srdf: arm.srdf", "srdf: other.srdf")), "plan", BAD,
     ["task.yaml:2: group_name: 'arm'", "the SRDF is for the robot 'panda', not for 'arm'"]),
    ("xacro that cannot be expanded", task(("urdf: arm.urdf", "urdf: arm.urdf.xacro")), "plan", BAD, ["arm.urdf.xacro", "xacro"]),
    ("a joint state for a scene", task(("scene:\n", "scene:\n  file: state.yaml\n")), "plan", BAD,
     ["state.yaml:2: position: this is a JointState", "moveit_msgs/PlanningScene"]),
    ("a planning request for a scene", task(("scene:\n", "scene:\n  file: request.yaml\n")), "plan", BAD,
     ["request.yaml:2: goal_constraints: this is a MotionPlanRequest"]),
    ("a URDF for a scene", task(("scene:\n", "scene:\n  file: arm.urdf\n")), "plan", BAD, ["arm.urdf:1: is XML"]),
    ("a sequence without its number", task((OBJECT, "id: c, type: mesh_sequence, file: statue.obj, rate: 30")), "plan", BAD,
     ["statue.obj: names no sequence", "frame_%04d.obj"]),
    ("a sequence that starts in the year 30000",
     task((OBJECT, "id: c, type: mesh_sequence, file: frame_%d.obj, rate: 30, start: 1e12")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].start: '1e12'", "must be an instant in seconds"]),
    # YAML.
    ("a tab", "robot:\n\turdf: arm.urdf\n", "plan", BAD, ["task.yaml:2: not valid YAML", "indented by a tab"]),
    ("a section at the wrong depth", task(("scene:\n  collision_objects", "scene:\ncollision_objects")), "plan", BAD,
     ["task.yaml:6: collision_objects: unknown key here: it belongs under 'scene' (indent it)"]),
    ("a robot that is not indented", "robot:\nurdf: arm.urdf\n", "plan", BAD,
     ["task.yaml:2: urdf: unknown key here: it belongs under 'robot'"]),
    ("a key given twice", task(more="group_name: gripper\n"), "plan", BAD,
     ["task.yaml:9: key 'group_name' is given twice, first on line 2"]),
    ("a map for a list", task(("    - {id: wall", "    {id: wall")), "plan", BAD,
     ["task.yaml:6: scene.collision_objects: must be a list, not a map"]),
    ("yes for true", task(more="limits: {torque: yes}\n"), "plan", BAD, ["task.yaml:9: limits.torque: 'yes': must be true or false"]),
    ("a radius in place of dimensions", task(("type: box, " + BOX, "type: sphere, radius: 0.1")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].radius: unknown key here: 'dimensions'", "sphere: [radius]"]),
    ("a number for dimensions", task(("type: box, " + BOX, "type: sphere, dimensions: 0.1")), "plan", BAD,
     ["task.yaml:7: scene.collision_objects[0].dimensions: '0.1': must be a list, [radius]"]),
    ("a negative dimension", task(("0.2, 0.3]", "-0.2, 0.3]")), "plan", BAD, ["dimensions[1]: '-0.2': must be positive"]),
    # Numbers that no plan can keep.
    ("a duration that is too short", task(more="duration: {fixed: 0.1}\n"), "plan", NO_PLAN,
     ["joint 'shoulder' needs at least 0.6 s", "fixed at 0.1 s. Raise it (duration)"]),
    ("the same, checked", task(more="duration: {fixed: 0.1}\n"), "check", NO_PLAN, ["At fault: joint 'shoulder' needs at least 0.6 s"]),
    ("a duration as a number", task(more="duration: 3\n"), "plan", BAD, ["task.yaml:9: duration: '3': must be a map: {fixed: 3}"]),
    ("a limit of zero", task(more="limits: {acceleration: 0}\n"), "plan", BAD, ["task.yaml:9: limits.acceleration: '0': must be positive"]),
    ("a speed in percent", task(more="limits: {max_velocity_scaling_factor: 50}\n"), "plan", BAD,
     ["task.yaml:9: limits.max_velocity_scaling_factor: '50': must not exceed 1"]),
    ("a tolerance above the margin", task(more="collision: {margin: 0.001, tolerance: 0.01}\n"), "plan", DONE,
     ["task.yaml:9: collision.tolerance: 0.01 m is more than the margin"]),
    ("a path constraint that the start breaks",
     task(more="path_constraints: [{link: hand, keep_axis: x, direction: z}]\n"), "plan", BAD,
     ["task.yaml:9: path_constraints[0]: the start is 1.570796 rad away", "move the start, or give another 'direction'"]),
    # Output.
    ("output below a file", task(), "plan TASK -o arm.urdf", BAD, ["'arm.urdf' is a file, not a folder"]),
    ("output where nothing can be written", task(), "plan TASK -o /proc/out", BAD, ["/proc/out", "cannot be written"]),
    ("a report where nothing can be written", task(), "check TASK --report /proc/x.html", BAD, ["/proc/x.html", "cannot be written"]),
    ("output over the task", task(), "plan TASK --csv task.yaml", BAD, ["task.yaml: is an input"]),
    # Trajectories.
    ("a CSV of other joints", None, "certify good.yaml other.csv", BAD, ["other.csv:1: column: these joints of the task are missing: 'lift'"]),
    ("a CSV without a joint", None, "certify good.yaml missing.csv", BAD, ["missing.csv:1: column: this joint of the task is missing: 'wrist'"]),
    ("a CSV in degrees", None, "certify good.yaml degrees.csv", NOT_CLEAR,
     ["degrees.csv: joint 'shoulder' reaches 45.8: degrees? positions are in radians", "beyond its limit"]),
    ("a CSV in milliseconds", None, "certify good.yaml milliseconds.csv", NOT_CLEAR,
     ["milliseconds.csv: the trajectory takes 2000 s: milliseconds? times are in seconds"]),
    ("a CSV with semicolons", None, "certify good.yaml semicolons.csv", BAD, ["semicolons.csv:1: header", "not semicolons"]),
    ("a CSV without a header", None, "certify good.yaml bare.csv", BAD, ["bare.csv:1: has 5 numbers for 4 planned joints"]),
    ("a certificate for a trajectory", None, "certify good.yaml out/certificate.json", BAD, ["is a certificate, not a trajectory"]),
    ("a proof for a trajectory", None, "certify good.yaml out/plan.proof", BAD, ["out/plan.proof: is a proof: give the trajectory"]),
    ("a task for a trajectory", None, "certify good.yaml good.yaml", BAD, ["good.yaml:4: goal.joint_constraints: unknown key", "joint_names"]),
    ("the certificate of another task", None, "certify else.yaml out/trajectory.csv --verify out/certificate.json", NOT_CLEAR,
     ["The certificate does not hold: it is of another task"]),
    ("the plan of another task", None, "certify else.yaml out/trajectory.csv", NOT_CLEAR,
     ["at the goal joint 'shoulder' is at 0.8, not at 0.7"]),
    ("a trajectory for the task", None, "certify out/trajectory.csv good.yaml", BAD, ["out/trajectory.csv:1: must be a map of keys (YAML or JSON)"]),
    ("a robot in millimetres", "robot: millimetres.urdf\nstart_state: {j: 0}\ngoal: {joint_constraints: {j: 1}}\n", "check",
     DONE, ["warning: link 'b' is 500 m long: metres?", 'scale="0.001 0.001 0.001"']),
    ("a robot with expressions of xacro", "robot: expressions.urdf\nstart_state: {j: 0}\ngoal: {joint_constraints: {j: 1}}\n",
     "check", BAD, ["expressions.urdf:1: link 'b': box: '${l} 0.1 0.1'", "xacro FILE > robot.urdf"]),
    # Goals that cannot be.
    ("no time for a pose", task((GOAL, "pose: {link: hand, position: [0.5, 0.5, 0.65], offset: {position: [0.1, 0, 0]}}"), more="duration: {fixed: 0.05}\n"),
     "plan", NO_PLAN, ["configuration", "none is reached in time; to the nearest, joint '", "the duration is fixed at 0.05 s. "
                       "Raise it (duration)"]),
    ("a line among alternatives", task((GOAL, "any_of: [{linear: {link: hand, by: [0, 0, 0.1]}}]")), "plan", BAD,
     ["task.yaml:4: goal.any_of[0].linear", "cannot be one of several goals", "name poses"]),
    ("an alternative out of reach", task((GOAL, "any_of: [{name: far, pose: {link: hand, position: [9, 0, 0]}}]")), "plan", NO_PLAN,
     ["'far' (1 of 1): out of reach: the position for 'hand' is ", "gets no farther than"]),
    ("a cloud that is taken up", task(("goal: {" + GOAL + "}\n", "segments: [{goal: {" + GOAL + "}}, {attach: wall, link: hand}, "
                                       "{goal: {group_state: ready}}]\n"),
                                      (OBJECT, "id: wall, type: point_cloud, points: [[9, 9, 9]], radius: 0.1")), "plan", BAD,
     ["task.yaml:4: segments[1]: 'wall' is a cloud", "cannot be carried"]),
    # The command line.
    ("no such task", None, "plan nothing.yaml", BAD, ["nothing.yaml: no such file"]),
    ("a URDF for the task", None, "plan arm.urdf", BAD, ["arm.urdf:1: is XML (a URDF or SRDF?), and not YAML or JSON"]),
    ("a misspelt subcommand", None, "plna good.yaml", BAD, ["'plna' is no subcommand (did you mean 'plan'?)"]),
    ("an unknown option", None, "plan good.yaml --time-limt 3", BAD, ["'--time-limt' is no option of 'plan' (did you mean '--time-limit'?)"]),
    ("a report of nothing", None, "report nothing", BAD, ["nothing: no such file or folder"]),
    ("a report without a trajectory", None, "report good.yaml", BAD, ["a trajectory is required beside the task"]),
    ("a task for a robot", None, "inspect good.yaml", BAD, ["good.yaml:1: not well-formed XML"]),
    ("a batch of nothing", None, "batch nothing.yaml -o run", BAD, ["nothing.yaml: no such file"]),
]

MESH = ('<robot name="r"><link name="a"/><link name="b"><collision><geometry><mesh filename="package://my_robot/b.stl"/>'
        '</geometry></collision></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>\n')
HEAD = "time,lift,shoulder,elbow,wrist\n"
TETRAHEDRON = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
FILES = {
    "millimetres.urdf": MESH.replace('<mesh filename="package://my_robot/b.stl"/>', '<box size="500 100 100"/>'),
    "expressions.urdf": MESH.replace('<mesh filename="package://my_robot/b.stl"/>', '<box size="${l} 0.1 0.1"/>'),
    "good.yaml": TASK, "else.yaml": task(("0.8", "0.7")), "package.urdf": MESH,
    "other.srdf": '<robot name="panda"><group name="panda_arm"><joint name="shoulder"/></group></robot>\n',
    "state.yaml": "name: [a]\nposition: [1]\n", "request.yaml": "workspace_parameters: {}\ngoal_constraints: []\n",
    "cart.csv": "time,x,y,z\n0,2,0,0.15\n2,0,0,0.15\n4,2,0,0.15\n",
    "frame_0.obj": TETRAHEDRON, "frame_1.obj": TETRAHEDRON,
    "other.csv": "time,panda_joint1\n0,0\n1,0.1\n", "missing.csv": "time,lift,shoulder,elbow\n0,0.1,0,0.5\n2,0.1,0.8,0.5\n",
    "degrees.csv": HEAD + "0,0.1,0,28.6,0\n2,0.1,45.8,28.6,0\n",
    "milliseconds.csv": HEAD + "0,0.1,0,0.5,0\n2000,0.1,0.8,0.5,0\n",
    "semicolons.csv": "time;lift;shoulder;elbow;wrist\n0;0,1;0;0,5;0\n", "bare.csv": "0,0.1,0,0.5,0\n2,0.1,0.8,0.5,0\n",
}
failures = []


def expect(condition, row, what, output):
    if condition:
        return
    failures.append(row)
    print(f"FAILED: {row}: {what}\n{output}")


def prepare(allclear, source, folder):
    robot = os.path.join(source, "tests", "config", "robot")
    for name in os.listdir(robot):
        shutil.copy(os.path.join(robot, name), folder)
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    with open(os.path.join(folder, "arm.urdf")) as urdf, open(os.path.join(folder, "arm.urdf.xacro"), "w") as out:
        out.write(urdf.read().replace('<robot name="arm">', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                                      '<xacro:include filename="$(find no_such_package)/x.xacro"/>'))
    run(allclear, folder, ["plan", "good.yaml", "-o", "out", "--quiet"])


def run(allclear, folder, words):
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"), LC_ALL="C.UTF-8")
    return subprocess.run([allclear, *words], cwd=folder, env=environment, capture_output=True, text=True)


def check(allclear, folder, row):
    name, text, words, code, parts = row
    words = words.split()
    if text is not None:
        with open(os.path.join(folder, "task.yaml"), "w") as out:
            out.write(text)
        words = [word.replace("TASK", "task.yaml") for word in words] if "TASK" in words else [words[0], "task.yaml", *words[1:]]
    done = run(allclear, folder, words)
    output = done.stdout + done.stderr
    if len(sys.argv) > 3:
        print(f"{name}: {done.returncode}\n{output}")
    codes = code if isinstance(code, tuple) else (code,)
    expect(done.returncode in codes, name, f"exit code {done.returncode}, not {code}", output)
    for part in parts:
        expect(part in output, name, f"no '{part}'", output)
    if done.returncode == BAD:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
        expect(len(lines) == 1 and not done.stdout, name, "an error is one line, and nothing else", output)


def main():
    allclear, source, wanted = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory(prefix="allclear_mistakes_") as folder:
        prepare(allclear, source, folder)
        for row in ROWS:
            if not wanted or row[0] in wanted:
                check(allclear, folder, row)
    assert len(ROWS) >= 60
    print(f"{len(ROWS)} mistakes, {len(set(failures))} with another message")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
