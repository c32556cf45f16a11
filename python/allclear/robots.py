"""Robots, and the groups of joints that are planned together."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .poses import Array, Vector, numbers

if TYPE_CHECKING:
    from .scenes import Scene

PathLike = Union[str, "os.PathLike[str]"]
#: A configuration of the whole robot, or joints by name.
Configuration = Union[Vector, Mapping[str, float]]


class Robot:
    """A robot, read from a URDF and, for groups and states, an SRDF.

    Configurations are arrays with an entry [rad or m] for every name of :attr:`joints`. Poses are
    4 x 4 arrays in the world, which is the root link's frame. A name that the robot does not have
    raises :class:`InputError` with the nearest one that it has.

    >>> import allclear
    >>> robot = allclear.Robot("seven.urdf", "seven.srdf")
    >>> robot.name, len(robot.joints), robot.groups
    ('seven', 7, ['arm'])
    >>> ready = robot.group("arm").state("ready")
    >>> robot.pose(ready, "tool")[:3, 3].round(3).tolist()
    [0.303, 0.0, 0.823]
    """

    def __init__(self, urdf: PathLike, srdf: Optional[PathLike] = None, *,
                 packages: Optional[Mapping[str, PathLike]] = None, base: str = "fixed",
                 soft_limits: bool = False, visuals: bool = False,
                 visual_as_collision: bool = False, open_meshes: str = "shell") -> None:
        """Reads the robot.

        ``packages`` are folders of ROS packages by name; ``base`` is ``fixed``, ``planar``,
        ``floating`` or ``srdf``; ``visuals`` also reads what it looks like, for reports;
        ``visual_as_collision`` encloses the visuals of links without collision geometry;
        ``open_meshes`` is ``shell``, ``fill`` or ``error`` (docs/task.md).
        """
        folders = {name: os.fspath(folder) for name, folder in (packages or {}).items()}
        self._core = _core.Robot(os.fspath(urdf), os.fspath(srdf) if srdf is not None else "",
                                 folders, base, soft_limits, visuals, visual_as_collision,
                                 open_meshes)

    @classmethod
    def _of(cls, core: _core.Robot) -> "Robot":
        robot = cls.__new__(cls)
        robot._core = core
        return robot

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def joints(self) -> List[str]:
        """The names of the coordinates: of joints with several, "base/x", "base/yaw", .."""
        return self._core.joints

    @property
    def links(self) -> List[str]:
        return self._core.links

    @property
    def groups(self) -> List[str]:
        return self._core.groups

    @property
    def warnings(self) -> List[str]:
        """What was odd in the files, and how it was read."""
        return self._core.warnings

    @property
    def mass(self) -> float:
        """[kg]"""
        return self._core.mass

    @property
    def neutral(self) -> Array:
        """Zero, moved to the nearest limit where zero is outside."""
        return self._core.neutral

    @property
    def lower(self) -> Array:
        """Position limits [rad or m]; infinite where there is none."""
        return self._core.lower

    @property
    def upper(self) -> Array:
        return self._core.upper

    @property
    def velocity_limits(self) -> Array:
        """[rad/s or m/s]"""
        return self._core.velocity

    @property
    def effort_limits(self) -> Array:
        """[N m or N]"""
        return self._core.effort

    def group(self, name: str) -> "Group":
        """The joints of an SRDF group; ``"all"`` is every joint."""
        return Group(self, self._core.group(name))

    def configuration(self, values: Optional[Configuration] = None,
                      base: Optional[Vector] = None) -> Array:
        """An array from joints by name (an array passes through); the others are those of ``base``,
        or neutral.

        >>> robot.configuration({"joint2": 0.5})[:3].tolist()
        [0.0, 0.5, 0.0]
        """
        if values is None or isinstance(values, Mapping):
            start = numbers(base if base is not None else [])
            return self._core.configuration(dict(values or {}), start)
        q = numbers(values)
        if q.shape != (len(self.joints),):
            raise InputError(f"configuration: must be {len(self.joints)} values",
                             key="configuration")
        return q

    def pose(self, q: Configuration, link: str) -> Array:
        """The pose of a link, 4 x 4; for n configurations as rows, n x 4 x 4."""
        index = self._core.link_index(link)
        rows = self._rows(q)
        poses: Array = self._core.poses(np.atleast_2d(rows), [index])[:, 0]
        return _first_or_all(poses, rows.ndim)

    def poses(self, q: Configuration) -> Array:
        """The poses of all :attr:`links` in their order, links x 4 x 4; for n configurations as
        rows, n x links x 4 x 4. Rows of doubles are read where they are, without a copy."""
        rows = self._rows(q)
        poses = self._core.poses(np.atleast_2d(rows), list(range(len(self.links))))
        return _first_or_all(poses, rows.ndim)

    def jacobian(self, q: Configuration, link: str, point: Vector = (0.0, 0.0, 0.0)) -> Array:
        """The geometric Jacobian at a point of a link, in the link's frame: 6 x joints, rows 0-2
        velocity [m/s], 3-5 angular velocity [rad/s] along the world's axes.

        >>> robot.jacobian(robot.neutral, "tool").shape
        (6, 7)
        """
        return self._core.jacobian(self.configuration(q), link, numbers(point))

    def torques(self, q: Configuration, velocity: Optional[Vector] = None,
                acceleration: Optional[Vector] = None) -> Array:
        """Torques and forces of the joints for a motion, gravity included (inverse dynamics)."""
        zero = np.zeros(len(self.joints))
        return self._core.torques(
            self.configuration(q), zero if velocity is None else numbers(velocity),
            zero if acceleration is None else numbers(acceleration))

    def center_of_mass(self, q: Configuration) -> Array:
        """Of the whole robot [m], in the world."""
        return self._core.center_of_mass(self.configuration(q))

    def _rows(self, q: Any) -> npt.NDArray[np.float64]:
        if isinstance(q, Mapping):
            return self.configuration(q)
        return numbers(q)

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {len(self.joints)} joints, groups {self.groups})"


def _first_or_all(found: Array, dimensions: int) -> Array:
    first: Array = found[0]
    return first if dimensions == 1 else found


class Group:
    """Joints that are planned together.

    >>> arm = robot.group("arm")
    >>> arm.states
    ['home', 'ready']
    """

    def __init__(self, robot: Robot, core: _core.JointGroup) -> None:
        self.robot = robot
        self._core = core

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def joints(self) -> List[str]:
        return self._core.joints

    @property
    def indices(self) -> List[int]:
        """Where the group's joints are in a configuration of the robot."""
        return self._core.indices

    @property
    def states(self) -> List[str]:
        return self._core.states

    def state(self, name: str) -> Array:
        """The configuration of the whole robot in a named state of the SRDF; joints that it does not
        name are neutral."""
        return self._core.state(name)

    def part(self, q: Vector) -> Array:
        """The group's part of a configuration of the robot."""
        return self._core.part(numbers(q))

    def inverse_kinematics(self, pose: npt.ArrayLike, link: str, near: Optional[Configuration] = None,
                           scene: Optional["Scene"] = None, *, tool: Optional[npt.ArrayLike] = None,
                           position_tolerance: float = 1e-3, angle_tolerance: float = 1e-2,
                           time_limit: float = 2.0) -> Array:
        """The configuration nearest to ``near`` that brings the link (its frame, or ``tool`` in it)
        to a pose, within limits and clear of itself and the scene. Only this group's joints move.
        Raises :class:`Unreachable` with the reason where none is found in the time [s].

        >>> target = robot.pose(arm.state("ready"), "tool")
        >>> q = arm.inverse_kinematics(target, "tool", near={"joint2": -0.3, "joint4": 1.5})
        >>> abs(robot.pose(q, "tool") - target).max() < 0.01
        True
        """
        from .problems import PoseGoal, Problem
        goal = PoseGoal(link, pose, tool=tool, position_tolerance=position_tolerance,
                        angle_tolerance=angle_tolerance)
        start = self.robot.configuration(near)
        problem = Problem(self.robot, self.name, start=start, goal=goal, scene=scene)
        return problem.inverse_kinematics(goal, time_limit)

    def __repr__(self) -> str:
        return f"Group({self.name!r}, {self.joints})"


class Unreachable(ValueError):
    """No configuration meets the pose; the message says what stands in the way."""


def joint_values(robot: Robot, values: Configuration, joints: Sequence[str]) -> Mapping[str, float]:
    """Joints by name, of these joints alone."""
    if isinstance(values, Mapping):
        return values
    q = robot.configuration(values)
    return {name: float(q[robot.joints.index(name)]) for name in joints}
