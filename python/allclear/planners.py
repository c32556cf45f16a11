"""A planner that stays loaded."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .planning import Plan, with_options
from .poses import Array, Vector, numbers
from .poses import pose as make_pose
from .problems import (AllOf, AnyOf, Goal, LookAt, PoseGoal, Problem, Task, TaskLike,
                       as_task)
from .robots import Configuration, PathLike
from .scenes import Scene


class Planner:
    """Holds a robot, its scene and all that is made of their meshes, and plans again and again.

    Made of a task or problem: all but its start and goal counts for every plan. A plan is the same, to
    the bit, as that of :func:`plan`; unless ``warm_start`` is set: then the last certified plan is the
    first guess of the next, and plans depend on those before.

    >>> import allclear
    >>> planner = allclear.Planner("task.yaml", improve="none")
    >>> there = planner.plan("ready", {"joint1": 0.8})
    >>> there.certified
    True
    >>> back = planner.plan(there.trajectory.positions[-1], "ready")
    >>> back.certified
    True

    Several threads may share one; they plan one after the other.
    """

    def __init__(self, task: Union[TaskLike, Task, Problem], *, folder: Optional[PathLike] = None,
                 time_limit: Optional[float] = None, attempts: Optional[int] = None,
                 seed: Optional[int] = None, threads: Optional[int] = None,
                 improve: Optional[str] = None, warm_start: bool = False) -> None:
        found = as_task(task, folder)
        options = with_options(found.options, time_limit=time_limit, attempts=attempts, seed=seed,
                               threads=threads, improve=improve)
        self._problem = found.problem
        self._planned = np.asarray(found.problem._core.planned)
        self._core = _core.Planner(found.problem._core, options)
        self._warm_start = False
        self.warm_start = warm_start

    @property
    def joints(self) -> List[str]:
        """The joints that are planned, in the order of all arrays here."""
        return self._core.joints

    @property
    def problem(self) -> Problem:
        """What every query is planned with, its obstacles as they are now."""
        problem = Problem._of(self._core.problem)
        problem._robot = self._problem.robot
        return problem

    def plan(self, start: Union[str, Configuration], goal: Goal, *,
             start_velocity: Optional[Vector] = None, start_acceleration: Optional[Vector] = None,
             goal_velocity: Optional[Vector] = None, goal_acceleration: Optional[Vector] = None,
             progress: Optional[Callable[[Mapping[str, Any]], None]] = None) -> Plan:
        """Plans from a state to a goal as a :class:`Problem` has them: a named state of the group, joints by name (the
        others as the problem's start has them), or values of :attr:`joints`. Velocities and
        accelerations are at rest unless given. Interrupted as :func:`plan` is."""
        target: Union[Array, _core.Target] = (
            self._problem._goal(goal) if isinstance(goal, (PoseGoal, LookAt, AllOf, AnyOf))
            else self._values(goal))
        core = self._core.plan(self._values(start), target, _array(start_velocity),
                               _array(start_acceleration), _array(goal_velocity),
                               _array(goal_acceleration), progress)
        return Plan(core, self._problem)

    def move(self, obstacle: str, pose: npt.ArrayLike) -> None:
        """Moves an obstacle that stands still."""
        self._core.move(obstacle, make_pose(matrix=pose))

    def add(self, scene: Scene) -> None:
        """Adds the obstacles of a scene."""
        self._core.add(scene._core)

    def remove(self, obstacle: str) -> None:
        """Takes an obstacle out."""
        self._core.remove(obstacle)

    @property
    def warm_start(self) -> bool:
        """Whether the last certified plan is the first guess of the next."""
        return self._warm_start

    @warm_start.setter
    def warm_start(self, is_on: bool) -> None:
        self._core.use_warm_start(is_on)
        self._warm_start = is_on

    def forget(self) -> None:
        """Forgets the last plan."""
        self._core.forget()

    def _values(self, state: Union[str, Configuration]) -> Array:
        robot, problem = self._problem.robot, self._problem
        if isinstance(state, str):
            whole = robot.group(problem._core.group).state(state)
        elif isinstance(state, Mapping):
            whole = robot.configuration(state, problem.start)
        else:
            values = numbers(state)
            if values.shape != (len(self._planned),):
                raise InputError(f"state: must be {len(self._planned)} values, those of "
                                 f"{', '.join(self.joints)}", key="state")
            return values
        planned: Array = whole[self._planned]
        return planned

    def __repr__(self) -> str:
        return f"Planner({self._problem.robot.name!r}, {len(self._planned)} joints)"


def _array(values: Optional[Vector]) -> Optional[Array]:
    return None if values is None else numbers(values)
