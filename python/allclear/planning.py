"""Plans and certificates."""

from __future__ import annotations

import copy
import os
import pathlib
import tempfile
import warnings
import webbrowser
from typing import Any, Callable, Dict, List, Literal, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._picture import plan_html
from .errors import InputError
from .poses import Array
from .problems import (Bracket, OutputSettings, PlanOptions, Problem, Task, TaskLike,
                       as_task)
from .robots import PathLike
from .trajectories import Samples, Trajectory

Status = Literal["certified", "not_found", "timed_out", "interrupted"]


class Clearance(NamedTuple):
    """How near two bodies come along a trajectory."""

    a: str
    b: str
    margin: float  #: [m]
    times: Array  #: [s]
    distances: Array  #: signed, at ``times`` [m]
    bounds: Array  #: rows ``t0, t1, lower``: from t0 to t1 the distance is proven to be ``lower`` at least


class Reached(NamedTuple):
    """One of a goal's alternatives."""

    alternative: int  #: its index
    of: int  #: how many there are
    name: str  #: may be empty


class Certificate:
    """The verdict about a trajectory, with its proof.

    ``clear`` says that at every instant every pair of bodies keeps its margin and every limit is
    kept; ``message`` says it in words. What is taken for granted is in ``assumptions``.
    """

    def __init__(self, core: _core.Certificate, problem: Optional[Problem] = None) -> None:
        self._core = core
        self._problem = problem

    @classmethod
    def load(cls, path: PathLike) -> "Certificate":
        """Reads a certificate without checking what it claims: that is :func:`verify`."""
        return cls(_core.load_certificate(os.fspath(path)))

    @property
    def clear(self) -> bool:
        return self._core.clear

    @property
    def message(self) -> str:
        return self._core.message

    @property
    def margin(self) -> float:
        return self._core.margin

    @property
    def minimum_clearance(self) -> Tuple[float, float]:
        """A proven bracket of the least distance of all pairs [m]."""
        return self._core.minimum_clearance

    @property
    def closest(self) -> Tuple[str, str, float]:
        """The two bodies of the least distance, and when [s]."""
        return self._core.closest

    @property
    def closest_pairs(self) -> List[Dict[str, Any]]:
        """The pairs nearest to their own margins, the nearest first: `a`, `b`, a proven bracket of
        their `distance` [m], their `margin` [m] and the instant `t` [s]."""
        return self._core.closest_pairs

    @property
    def torque_beyond_rating(self) -> Optional[Dict[str, Any]]:
        """The joint that is farthest beyond its effort limit at sampled instants, where the task
        does not limit torques: `joint`, `torque`, `effort`, `t`; None where there is none."""
        return self._core.torque_beyond_rating

    @property
    def faults(self) -> List[str]:
        """Why it is not clear, the worst first."""
        return self._core.faults

    @property
    def assumptions(self) -> List[Tuple[str, str]]:
        """What is taken for granted: kind and text."""
        return self._core.assumptions

    @property
    def assumes(self) -> str:
        """The assumptions in one line."""
        return self._core.assumes

    @property
    def not_covered(self) -> List[str]:
        """What the problem asks for and the certificate says nothing about."""
        return self._core.not_covered

    @property
    def exempt_pairs(self) -> List[Tuple[str, str, str]]:
        """Pairs whose distance is not looked at, and why."""
        return self._core.exempt_pairs

    @property
    def limits(self) -> List[Dict[str, Any]]:
        """Proven bounds of joints and path constraints beside their limits."""
        return self._core.limits

    @property
    def tube(self) -> Optional[Dict[str, Any]]:
        """How far joints may stray from the plan, where that was asked for (:func:`certify`)."""
        return self._core.tube

    @property
    def valid_until(self) -> float:
        """[s] Infinite when the robot rests after the end and nothing moves any more."""
        return self._core.valid_until

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory._of(self._core.trajectory)

    def json(self) -> str:
        return self._core.json()

    def write(self, path: PathLike) -> None:
        self._core.write(os.fspath(path))

    def proof(self, problem: Optional[Problem] = None) -> str:
        """The text that ``allclear-verify`` checks without any code of the planner (docs/proof.md)."""
        return self._core.proof(self._of_problem(problem)._core)

    def report(self, problem: Optional[Problem] = None) -> str:
        """A page in HTML that shows the motion."""
        return self._core.report(self._of_problem(problem)._core)

    def _of_problem(self, problem: Optional[Problem]) -> Problem:
        found = problem or self._problem
        if found is None:
            raise InputError("certificate: say of which problem it is", key="problem")
        return found

    def __bool__(self) -> bool:
        return self.clear

    def __repr__(self) -> str:
        return f"Certificate(clear={self.clear}, {self.trajectory!r})"


class Plan:
    """What :func:`plan` found: with ``certified`` a trajectory that is proven clear; else ``message``
    says what stands in the way, and ``trajectory`` is the best one, if there is any. In a notebook
    it shows itself."""

    def __init__(self, core: _core.Plan, robot_of: Problem) -> None:
        self._core = core
        self._problem = Problem._of(core.problem)
        self._problem._robot = robot_of.robot
        self._clearances: Optional[List[Clearance]] = None

    @property
    def status(self) -> Status:
        """``certified``, ``not_found``, ``timed_out`` or ``interrupted``. An interrupted plan may be
        certified."""
        status: Status = self._core.status
        return status

    @property
    def certified(self) -> bool:
        return self._core.certified

    @property
    def message(self) -> str:
        """The verdict in words."""
        return self._core.message

    @property
    def trajectory(self) -> Optional[Trajectory]:
        core = self._core.trajectory
        return None if core is None else Trajectory._of(core)

    @property
    def certificate(self) -> Optional[Certificate]:
        core = self._core.certificate
        return None if core is None else Certificate(core, self._problem)

    @property
    def problem(self) -> Problem:
        """As it was when it was planned."""
        return self._problem

    @property
    def statistics(self) -> Dict[str, Any]:
        """Times, attempts, iterations, cost, and each better plan (``steps``)."""
        return self._core.statistics

    @property
    def reached(self) -> Optional[Reached]:
        """Of a goal with alternatives (:class:`AnyOf`) the one that the certified plan ends at."""
        found = self._core.reached
        return None if found is None else Reached(*found)

    @property
    def left_out(self) -> Dict[int, str]:
        """Alternatives of the goal that cannot be, or that no configuration was found for, and why."""
        return dict(self._core.left_out)

    @property
    def duration(self) -> float:
        """Of the trajectory [s]."""
        return self._need_trajectory().duration

    def sample(self, rate: float) -> Samples:
        """The motion of the planned joints at a rate [Hz]: :meth:`Trajectory.sample`."""
        return self._need_trajectory().sample(rate)

    def configurations(self, t: Any) -> Array:
        """Configurations of the whole robot at instants, as rows (held joints as at the start)."""
        planned = np.atleast_2d(self._need_trajectory()(t))
        return np.array([self._problem.configuration(row) for row in planned])

    def least_distance(self, a: str, b: str, tolerance: float = 1e-4) -> Bracket:
        """A proven bracket of how near two bodies come, at any instant of the trajectory."""
        return least_distance_of(self._problem, self._need_trajectory(), a, b, tolerance)

    def clearances(self, pairs: int = 4) -> List[Clearance]:
        """Distances over time of the pairs that come nearest to their margin."""
        times, found = self._core.clearances(pairs)
        return [Clearance(a, b, margin, np.array(times), np.array(distances),
                          np.array(bounds).reshape(-1, 3))
                for a, b, margin, distances, bounds in found]

    def write(self, folder: Optional[PathLike] = None, *, csv: Optional[PathLike] = None,
              trajectory: Optional[PathLike] = None, certificate: Optional[PathLike] = None,
              proof: Optional[PathLike] = None, ros2: Optional[PathLike] = None,
              report: Optional[PathLike] = None, rate: float = 0.0) -> List[pathlib.Path]:
        """Writes files, each whole or not at all, and returns their paths.

        Into ``folder``: ``trajectory.csv``, ``trajectory.json``, ``certificate.json`` and
        ``plan.proof``; besides or instead, files by name. ``rate`` [Hz] adds rows for controllers
        that cannot interpolate. Only a certified plan is written; a report can be of any.
        """
        output = OutputSettings()
        if folder is not None:
            where = pathlib.Path(folder)
            where.mkdir(parents=True, exist_ok=True)
            output.csv, output.trajectory = str(where / "trajectory.csv"), str(where / "trajectory.json")
            output.certificate, output.proof = str(where / "certificate.json"), str(where / "plan.proof")
        for name, path in (("csv", csv), ("trajectory", trajectory), ("certificate", certificate),
                           ("proof", proof), ("ros2", ros2), ("report", report)):
            if path is not None:
                setattr(output, name, os.fspath(path))
        output.rate = rate
        written, notes = self._core.write(output)
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return [pathlib.Path(path) for path in written]

    def report(self) -> str:
        """The page that :meth:`show` opens, as text: one HTML file that needs no network."""
        return self._core.report()

    def show(self) -> pathlib.Path:
        """Opens the report in a browser; returns the file."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="allclear_", delete=False,
                                         encoding="utf-8") as file:
            file.write(self.report())
        path = pathlib.Path(file.name)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        if self._clearances is None:
            self._clearances = self.clearances()
        return plan_html(self.status, self.certified, self.message, self._clearances)

    def _need_trajectory(self) -> Trajectory:
        trajectory = self.trajectory
        if trajectory is None:
            raise InputError(f"plan: has no trajectory: {self.message}", key="plan")
        return trajectory

    def __bool__(self) -> bool:
        return self.certified

    def __repr__(self) -> str:
        return f"Plan({self.status!r}: {self.message})"


def plan(task: Union[TaskLike, Task, Problem], *, folder: Optional[PathLike] = None,
         time_limit: Optional[float] = None, attempts: Optional[int] = None,
         seed: Optional[int] = None, threads: Optional[int] = None, improve: Optional[str] = None,
         progress: Optional[Callable[[Mapping[str, Any]], None]] = None) -> Plan:
    """Plans a task (a YAML file, a dict, a :class:`Task`) or a :class:`Problem`.

    Other threads run meanwhile. Ctrl-C ends the search: the best certified plan so far is returned
    (``status`` is ``"interrupted"``); ``KeyboardInterrupt`` is raised only where there is none.
    ``progress`` is called with a dict of figures after each iteration; an exception that it raises
    ends the search. The options (docs/task.md, ``solver``) replace those of the task.

    >>> import allclear
    >>> plan = allclear.plan("task.yaml", improve="none")
    >>> plan.certified
    True
    >>> times, positions, velocities, accelerations = plan.sample(rate=100)
    >>> positions.shape == (len(times), 7)
    True
    >>> plan.least_distance("tool", "board_low").lower > plan.problem.margin
    True
    """
    found = as_task(task, folder)
    options = with_options(found.options, time_limit=time_limit, attempts=attempts, seed=seed,
                           threads=threads, improve=improve)
    return Plan(_core.plan(found.problem._core, options, progress), found.problem)


def with_options(options: PlanOptions, **values: Any) -> PlanOptions:
    """A copy of options in which those values that are given replace theirs."""
    options = copy.copy(options)
    for name, value in values.items():
        if value is not None:
            if name == "time_limit" and not 0.0 < float(value) < float("inf"):
                raise InputError("time_limit: must be positive [s]", key="time_limit")
            if name in ("threads", "attempts") and value < (0 if name == "threads" else 1):
                raise InputError(f"{name}: must not be less than {0 if name == 'threads' else 1}", key=name)
            setattr(options, name, value)
    return options


def certify(problem: Problem, trajectory: Trajectory, *, tube: bool = False) -> Certificate:
    """Proves a trajectory clear at every instant, or says what is not. It may come from anywhere.
    ``tube`` also proves how far joints may stray from it.

    >>> import allclear
    >>> plan = allclear.plan("task.yaml", improve="none")
    >>> certificate = allclear.certify(plan.problem, plan.trajectory)
    >>> certificate.clear
    True
    >>> allclear.verify(plan.problem, certificate)[0]
    True
    """
    return Certificate(_core.certify(problem._core, trajectory._core, tube), problem)


def verify(problem: Problem, certificate: Certificate) -> Tuple[bool, str]:
    """Checks every claim of a certificate anew: whether it holds, and why (not)."""
    return _core.verify(problem._core, certificate._core)


def least_distance_of(problem: Problem, trajectory: Trajectory, a: str, b: str,
                      tolerance: float = 1e-4) -> Bracket:
    """A proven bracket of the least distance of two bodies of a problem (links, obstacles, attached
    objects) at any instant of a trajectory, to ``tolerance`` [m]; bodies where the problem has them,
    without what its uncertainty lets them stray."""
    return Bracket(*problem._core.least_distance(trajectory._core, a, b, tolerance))
