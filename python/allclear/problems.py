"""Problems: what to plan, from files, from dicts or built in code."""

from __future__ import annotations

import copy
import json
import os
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .poses import Array, Vector, numbers, pose as make_pose
from .robots import Configuration, PathLike, Robot, Unreachable, joint_values
from .scenes import Scene

PlanOptions = _core.PlanOptions
OutputSettings = _core.OutputSettings


class PoseGoal(NamedTuple):
    """A pose for a link's frame, or for the frame ``tool`` in it, within tolerances [m, rad]; an
    infinite tolerance leaves the position or the orientation free.

    A tolerance is a number, or three: one along or about each axis of ``pose``. ``free`` names axes
    (``x``, ``y``, ``z``, ``rx``, ``ry``, ``rz``) that do not count: ``free=("rz",)`` for a cylinder that
    may be grasped from any side (docs/task.md)."""

    link: str
    pose: npt.ArrayLike
    tool: Optional[npt.ArrayLike] = None
    position_tolerance: Union[float, Sequence[float]] = 1e-3
    angle_tolerance: Union[float, Sequence[float]] = 1e-2
    free: Sequence[str] = ()

    def _target(self, robot: Robot) -> _core.PoseTarget:
        tool = np.eye(4) if self.tool is None else make_pose(matrix=self.tool)
        return _core.pose_target(robot._core, self.link, make_pose(matrix=self.pose), tool,
                                 self.position_tolerance, self.angle_tolerance, list(self.free))


class LookAt(NamedTuple):
    """An axis of a link, or of the frame ``tool`` in it, that points at a point of the world: the
    angle between them is at most ``tolerance`` [rad]."""

    link: str
    point: Vector
    axis: Vector = (0.0, 0.0, 1.0)
    tool: Optional[npt.ArrayLike] = None
    tolerance: float = 1e-2

    def _target(self, robot: Robot) -> _core.LookAtTarget:
        tool = np.eye(4) if self.tool is None else make_pose(matrix=self.tool)
        return _core.look_at_target(robot._core, self.link, numbers(self.axis),
                                    numbers(self.point), tool, self.tolerance)


class AllOf:
    """Several poses and directions at once: both hands, a hand and the head.

    Of the configurations that meet all of them the one nearest to the start is taken."""

    def __init__(self, *goals: Union[PoseGoal, LookAt]) -> None:
        self.goals = goals


#: A named state of the group, a configuration of the robot, joints by name, a pose, a direction, or
#: several of these two at once.
SingleGoal = Union[str, Configuration, PoseGoal, LookAt, AllOf]


class AnyOf:
    """Goals of which one is to be reached: grasps. The plan says which (:attr:`Plan.reached`).

    Made of goals, or of goals by name: ``AnyOf({"top": PoseGoal(..), "side": PoseGoal(..)})``."""

    def __init__(self, goals: Union[Sequence[SingleGoal], Mapping[str, SingleGoal]]) -> None:
        if isinstance(goals, Mapping):
            self.goals: List[Tuple[str, SingleGoal]] = list(goals.items())
        else:
            self.goals = [("", goal) for goal in goals]


#: One goal, or several of which any would do.
Goal = Union[SingleGoal, AnyOf]


class LinearGoal(NamedTuple):
    """A pose, or several one after the other, that a link's frame, or the frame ``tool`` in it,
    reaches along straight lines from where the start has it, its orientation turning in proportion:
    at every instant within the tolerances [m, rad] of a pose of the line. It rests at the corners.
    An infinite angle tolerance leaves the orientation free."""

    link: str
    poses: Union[npt.ArrayLike, Sequence[npt.ArrayLike]]
    tool: Optional[npt.ArrayLike] = None
    position_tolerance: float = 1e-3
    angle_tolerance: float = 1e-2


def _frame(tool: Optional[npt.ArrayLike]) -> Array:
    return np.eye(4) if tool is None else make_pose(matrix=tool)


class PairDistance(NamedTuple):
    """Two bodies at rest, their signed distance and the margin that they are to keep [m]."""

    a: str
    b: str
    distance: float
    margin: float


class Bracket(NamedTuple):
    """``lower <= least distance <= upper`` [m], both proven; ``t`` [s] is where the upper one is."""

    lower: float
    upper: float
    t: float


class Check(NamedTuple):
    """What there is to say of a problem before it is planned."""

    well_posed: bool
    faults: List[str]  #: why there is no plan
    notes: List[str]
    start: List[PairDistance]  #: the pairs that move, the nearest to its margin first
    goal: List[PairDistance]
    static_contacts: List[PairDistance]  #: constant pairs that touch or are nearer than their margin


class Problem:
    """A start, a goal, and all that is to be kept on the way. The world is the root link's frame.

    ``start`` and ``goal`` are a named state of the group, a configuration of the whole robot, or
    joints by name (then the goal's other joints stay as at the start); ``goal`` may be a
    :class:`PoseGoal`, a :class:`LookAt`, several at once (:class:`AllOf`), alternatives
    (:class:`AnyOf`) or a :class:`LinearGoal`. Later changes of ``scene`` do not change the problem.

    >>> import allclear
    >>> robot = allclear.Robot("seven.urdf", "seven.srdf")
    >>> scene = allclear.Scene()
    >>> scene.add_box("post", size=(0.1, 0.1, 1.2), position=(0.45, 0.45, 0.6))
    >>> problem = allclear.Problem(robot, "arm", start="ready", goal={"joint1": 1.5}, scene=scene,
    ...                            margin=0.005)
    >>> problem.closest_pair().b, problem.margin
    ('tool', 0.005)

    Everything that a task file can say (docs/task.md) can be said by a dict: :func:`load_task`.
    """

    def __init__(self, robot: Robot, group: str = "all", *, start: Union[str, Configuration],
                 goal: Union[Goal, LinearGoal], scene: Optional[Scene] = None,
                 margin: Optional[float] = None, tolerance: Optional[float] = None,
                 objective: Optional[str] = None, max_duration: Optional[float] = None) -> None:
        """``margin`` [m] is kept at every instant; ``tolerance`` [m] is the width of the certified
        bracket; ``objective`` is ``min_time``, ``balanced``, ``smooth`` or ``short``."""
        joints = robot.group(group)
        at_start = joints.state(start) if isinstance(start, str) else robot.configuration(start)
        self._core = _core.problem_to_joints(robot._core, group, at_start, at_start,
                                             (scene or Scene())._core)
        self._robot = robot
        if isinstance(goal, LinearGoal):
            self._keep_on_line(goal, True)
        else:
            self._core.set_goal(self._goal(goal))
        if margin is not None:
            self.margin = margin
        if tolerance is not None:
            self.tolerance = tolerance
        if objective is not None:
            self._core.set_objective(objective)
        if max_duration is not None:
            self._core.max_duration = max_duration

    def _goal(self, goal: Goal) -> _core.Target:
        """What the planner is asked for."""
        if isinstance(goal, AnyOf):
            return _core.any_target([(name, self._goal(one)) for name, one in goal.goals])
        if isinstance(goal, PoseGoal):
            return _core.Target(goal._target(self._robot))
        if isinstance(goal, (LookAt, AllOf)):
            parts = goal.goals if isinstance(goal, AllOf) else (goal,)
            return self._core.posture_target(
                [part._target(self._robot) for part in parts if isinstance(part, PoseGoal)],
                [part._target(self._robot) for part in parts if isinstance(part, LookAt)])
        if isinstance(goal, str):
            return self._core.joint_target(self._robot.group(self._core.group).state(goal))
        return self._core.joint_target(self._robot.configuration(goal, self.start))

    @classmethod
    def _of(cls, core: _core.Problem) -> "Problem":
        problem = cls.__new__(cls)
        problem._core = core
        problem._robot = Robot._of(core.robot)
        return problem

    def copy(self) -> "Problem":
        """Another problem that may be changed."""
        return Problem._of(copy.copy(self._core))

    @property
    def robot(self) -> Robot:
        return self._robot

    @property
    def joints(self) -> List[str]:
        """The joints that are planned, in the order of trajectories."""
        return self._core.joints

    @property
    def start(self) -> Array:
        """A configuration of the whole robot."""
        return self._core.start

    @property
    def goal(self) -> Optional[Array]:
        """The goal's configuration; ``None`` where it is a pose."""
        return self._core.goal

    @property
    def warnings(self) -> List[str]:
        """Doubtful input, and how it was read."""
        return self._core.warnings

    @property
    def margin(self) -> float:
        """The clearance kept at every instant [m]."""
        return self._core.margin

    @margin.setter
    def margin(self, margin: float) -> None:
        self._core.margin = margin

    @property
    def tolerance(self) -> float:
        """The width of the certified bracket of the least distance [m]."""
        return self._core.tolerance

    @tolerance.setter
    def tolerance(self, tolerance: float) -> None:
        self._core.tolerance = tolerance

    def set_limits(self, *, velocity: Optional[float] = None, acceleration: Optional[float] = None,
                   torque: Optional[bool] = None, min_duration: Optional[float] = None,
                   max_duration: Optional[float] = None) -> None:
        """Shares in (0, 1] of the velocity and acceleration limits; whether torques count;
        durations [s]. What is not given stays."""
        for name, value in (("velocity_scaling", velocity), ("acceleration_scaling", acceleration),
                            ("torque_limits", torque), ("min_duration", min_duration),
                            ("max_duration", max_duration)):
            if value is not None:
                setattr(self._core, name, value)

    def set_start_motion(self, velocity: Vector, acceleration: Optional[Vector] = None) -> None:
        """The planned :attr:`joints` move at the start: velocities, and accelerations (else zero)."""
        self._core.set_start_velocity(numbers(velocity))
        if acceleration is not None:
            self._core.set_start_acceleration(numbers(acceleration))

    def set_geometry(self, geometry: str) -> None:
        """How meshes of links count: ``auto``, ``capsule``, ``mesh`` or ``primitive`` (docs/task.md)."""
        self._core.set_geometry(geometry)

    def set_end_margin(self, end_margin: str) -> None:
        """``relax``: where start or goal is nearer than a margin, that pair keeps about its distance
        near that end; ``strict`` (the default): then there is no plan."""
        self._core.set_end_margin(end_margin)

    def set_rests(self, rests: bool) -> None:
        """Whether the robot stays where it is after the end (the default), so that obstacles that
        still move must pass it there; else nothing is claimed of that time."""
        self._core.set_rests(rests)

    def set_objective(self, objective: str) -> None:
        """``min_time``, ``balanced``, ``smooth`` or ``short``."""
        self._core.set_objective(objective)

    def set_margin(self, a: str, b: str, margin: float) -> None:
        """Another margin [m] for two bodies; ``b`` may be ``""``: any other body."""
        self._core.set_pair_margin(a, b, margin)

    def leave(self, a: str, b: str) -> None:
        """Lets two bodies touch at the start and part (docs/task.md, ``collision.leaves``)."""
        self._core.leave(a, b)

    def land(self, a: str, b: str) -> None:
        """Lets two bodies come together at the goal (docs/task.md, ``collision.lands``)."""
        self._core.land(a, b)

    def allow(self, a: str, b: str) -> None:
        """Lets two bodies touch."""
        self._core.allow(a, b)

    def add_waypoint(self, target: Union[Configuration, PoseGoal, LookAt, AllOf],
                     time: Optional[float] = None) -> None:
        """A target to pass on the way, at ``time`` [s] or at any. Joints may be named in part."""
        if isinstance(target, (PoseGoal, LookAt, AllOf)):
            self._core.add_waypoint(self._goal(target), time)
        else:
            values = joint_values(self.robot, target, self.joints)
            self._core.add_joint_waypoint(dict(values), time)

    def keep_axis(self, link: str, axis: Vector = (0.0, 0.0, 1.0),
                  direction: Vector = (0.0, 0.0, 1.0), tolerance: float = 0.1) -> None:
        """Keeps an axis of a link within ``tolerance`` [rad] of a direction of the world, always: a
        cup upright."""
        self._core.keep_axis(link, numbers(axis), numbers(direction), tolerance)

    def keep_in_box(self, link: str, size: Vector, pose: Optional[npt.ArrayLike] = None,
                    point: Vector = (0.0, 0.0, 0.0)) -> None:
        """Keeps a point of a link inside a box of the world, always."""
        at = np.eye(4) if pose is None else make_pose(matrix=pose)
        self._core.keep_in_box(link, numbers(point), at, numbers(size))

    def keep_pose(self, link: str, relative_to: str = "", pose: Optional[npt.ArrayLike] = None,
                  tool: Optional[npt.ArrayLike] = None, position_tolerance: float = 2e-3,
                  angle_tolerance: float = 2e-2) -> None:
        """Keeps a link, or the frame ``tool`` in it, at a pose relative to another link (or in the
        world), always: two hands on a tray. ``pose`` is where the start has it, if not given. An
        infinite tolerance leaves the position or the orientation free."""
        at = None if pose is None else make_pose(matrix=pose)
        self._core.keep_pose(link, _frame(tool), relative_to, at, position_tolerance,
                             angle_tolerance)

    def keep_on_line(self, line: LinearGoal) -> None:
        """Keeps a link on a line, always, whatever the goal is."""
        self._keep_on_line(line, False)

    def _keep_on_line(self, line: LinearGoal, is_goal: bool) -> None:
        poses = numbers(line.poses)
        if poses.ndim == 2:
            poses = poses[np.newaxis]
        self._core.keep_on_line(line.link, [make_pose(matrix=pose) for pose in poses],
                                _frame(line.tool), line.position_tolerance, line.angle_tolerance,
                                is_goal)

    def configuration(self, planned: Vector) -> Array:
        """The configuration of the robot in which the planned :attr:`joints` have these values."""
        values = numbers(planned)
        if values.shape != (len(self.joints),):
            raise InputError(f"planned: must be {len(self.joints)} values", key="planned")
        return self._core.configuration(values)

    def distances(self, q: Optional[Configuration] = None, t: float = 0.0) -> List[PairDistance]:
        """The signed distances of all pairs of bodies that planned joints can move, at a
        configuration (the start), the nearest to its margin first; obstacles as at time t."""
        at = self.start if q is None else self.robot.configuration(q, self.start)
        return [PairDistance(*pair) for pair in self._core.pairs(at, t)]

    def closest_pair(self, q: Optional[Configuration] = None, t: float = 0.0) -> PairDistance:
        """The first of :meth:`distances`."""
        pairs = self.distances(q, t)
        if not pairs:
            raise InputError("problem: no two bodies have a distance to keep", key="problem")
        return pairs[0]

    def inverse_kinematics(self, goal: PoseGoal, time_limit: float = 2.0) -> Array:
        """The configuration nearest to the start that meets a pose, within limits, clear, and within
        the path constraints; :class:`Unreachable` with the reason where none is found. Most are found
        at once; the search, and after it that for the reason, end after ``time_limit`` [s]."""
        q, message = self._core.inverse_kinematics(goal._target(self.robot), time_limit)
        if q is None:
            raise Unreachable(message)
        return q

    def check(self) -> Check:
        """Measures start and goal, without planning."""
        return _check_of(self._core.check())

    def __repr__(self) -> str:
        return f"Problem({self.robot.name!r}, {len(self.joints)} joints, margin {self.margin:g} m)"


def _check_of(found: Mapping[str, Any]) -> Check:
    def pairs(key: str) -> List[PairDistance]:
        return [PairDistance(*pair) for pair in found.get(key, [])]

    return Check(not found["faults"], list(found["faults"]), list(found["notes"]), pairs("start"),
                 pairs("goal"), pairs("static_contacts"))


class Task(NamedTuple):
    """A task as its file describes it."""

    problem: Problem
    options: PlanOptions  #: its section ``solver``
    output: OutputSettings  #: its section ``output``


TaskLike = Union[PathLike, Mapping[str, Any]]
#: The name that stands for the file of a task that is a dict.
_DICT = "<dict>"


def load_task(task: TaskLike, folder: Optional[PathLike] = None, visuals: bool = False) -> Task:
    """Reads a task: a YAML file, or a dict with the same keys (docs/task.md), whose file names are
    relative to ``folder`` (the current one). ``visuals`` also reads what the robot looks like, for
    reports.

    >>> import allclear
    >>> task = allclear.load_task({
    ...     "robot": {"urdf": "seven.urdf", "srdf": "seven.srdf"}, "group_name": "arm",
    ...     "start_state": {"group_state": "ready"}, "goal": {"joint_constraints": {"joint1": 0.8}},
    ...     "collision": {"margin": 0.01}, "solver": {"time_limit": 5}})
    >>> task.problem.margin, task.options.time_limit
    (0.01, 5.0)
    """
    if not isinstance(task, Mapping):
        return _task_of(_core.load_task(os.fspath(task), visuals))
    text = json.dumps(task, default=_plain)
    path = os.path.join(os.fspath(folder) if folder is not None else "", _DICT)
    try:
        return _task_of(_core.parse_task(text, path, visuals))
    except InputError as error:
        if error.file != path:
            raise
        # The text was made here: its name and lines mean nothing to the caller.
        place = f"{path}:{error.line}: " if error.line else f"{path}: "
        raise InputError(str(error).replace(place, "", 1), None, None, error.key,
                         error.value) from None


def _task_of(parts: Tuple[_core.Problem, PlanOptions, OutputSettings]) -> Task:
    problem, options, output = parts
    return Task(Problem._of(problem), options, output)


def _plain(value: Any) -> Any:
    """What JSON does not know: arrays, NumPy's numbers, paths."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a task cannot hold a {type(value).__name__}")


def check(task: Union[TaskLike, Task, Problem], folder: Optional[PathLike] = None) -> Check:
    """Whether a task or problem is well posed: start and goal within limits and clear.

    >>> import allclear
    >>> allclear.check("task.yaml").well_posed
    True
    """
    return as_task(task, folder).problem.check()


def as_task(task: Union[TaskLike, Task, Problem], folder: Optional[PathLike] = None) -> Task:
    """A task from whatever stands for one."""
    if isinstance(task, Task):
        return task
    if isinstance(task, Problem):
        return Task(task, PlanOptions(), OutputSettings())
    return load_task(task, folder)


