"""Robot motion plans that are clear at every instant, with a certificate.

>>> import allclear
>>> robot = allclear.Robot("seven.urdf", "seven.srdf")
>>> scene = allclear.Scene()
>>> scene.add_box("post", size=(0.1, 0.1, 1.2), position=(0.45, 0.45, 0.6))
>>> problem = allclear.Problem(robot, "arm", start="ready", goal={"joint1": 1.5}, scene=scene)
>>> plan = allclear.plan(problem, improve="none")
>>> plan.certified
True

docs/python.md tells it from the start. Units are metres, radians and seconds.
"""

from __future__ import annotations

from . import _core
from .batch import batch
from .distances import (LeastDistance, SignedDistance, ellipsoid_gauges, least_distance,
                        signed_distance, signed_distances)
from .errors import InputError
from .planning import Certificate, Clearance, Plan, certify, plan, verify
from .planning import least_distance_of as least_distance_along
from .planners import Planner
from .poses import pose
from .problems import (AllOf, AnyOf, Bracket, Check, LinearGoal, LookAt, OutputSettings, PairDistance,
                       PlanOptions, PoseGoal, Problem, Task, check, load_task)
from .retiming import Retimed, retime
from .robots import Group, Robot, Unreachable
from .scenes import Scene, Shape
from .sequences import Event, Segment, SequencePlan, plan_sequence
from .trajectories import Samples, Trajectory, load_trajectory

__version__: str = _core.version

__all__ = [
    "AllOf", "AnyOf", "Bracket", "Certificate", "Check", "Clearance", "Event", "Group", "InputError",
    "LeastDistance", "LinearGoal", "LookAt", "OutputSettings", "PairDistance", "Plan", "PlanOptions", "Planner",
    "PoseGoal", "Problem", "Retimed", "Robot", "Samples", "Scene", "Segment", "SequencePlan", "Shape",
    "SignedDistance", "Task", "Trajectory", "Unreachable",
    "batch", "certify", "check", "ellipsoid_gauges", "least_distance", "least_distance_along", "load_task",
    "load_trajectory", "plan", "plan_sequence", "pose", "retime", "signed_distance", "signed_distances", "verify",
]
