"""Motions along paths that come from elsewhere."""

from __future__ import annotations

import math
import os
from typing import Literal, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .planning import Certificate
from .poses import numbers
from .problems import Problem
from .robots import PathLike
from .trajectories import Trajectory

RetimeStatus = Literal["certified", "path_not_clear", "not_certified", "timed_out", "interrupted"]


class Retimed:
    """A motion along a path, certified, or why there is none."""

    def __init__(self, core: _core.RetimedPath, problem: Problem) -> None:
        self._core = core
        self._problem = problem

    @property
    def status(self) -> RetimeStatus:
        """``path_not_clear`` when the path itself is nearer to something than the margin; ``timed_out``
        when the time limit came first."""
        return self._core.status

    @property
    def certified(self) -> bool:
        return self.status == "certified"

    @property
    def message(self) -> str:
        """The verdict in words."""
        return self._core.message

    @property
    def trajectory(self) -> Optional[Trajectory]:
        """The motion; the last that was tried when none is certified."""
        certificate = self.certificate
        return None if certificate is None else certificate.trajectory

    @property
    def certificate(self) -> Optional[Certificate]:
        core = self._core.certificate
        return None if core is None else Certificate(core, self._problem)

    @property
    def within(self) -> Optional[float]:
        """How far from the path any joint is at any time, proven [rad or m]."""
        return self._core.within

    @property
    def rests(self) -> int:
        """Corners of the path at which the motion rests."""
        return self._core.rests

    def __repr__(self) -> str:
        return f"Retimed({self.status!r})"


def retime(problem: Problem, path: Union[Trajectory, npt.ArrayLike, PathLike], *,
           tolerance: float = 0.01, time_limit: float = math.inf) -> Retimed:
    """Makes a certified motion of a path, in nearly the least time within the problem's limits.

    ``path`` is a polyline (a row of the problem's joints for each point), a :class:`Trajectory`
    whose times do not matter, or a file of either. No joint is farther from it than ``tolerance``
    [rad, or m for slides] at any time, which is proven; with 0 the motion rests at every corner.
    It ends after ``time_limit`` seconds (``status`` is ``"timed_out"`` then), and by Ctrl-C with
    ``KeyboardInterrupt``.

    >>> import allclear, numpy
    >>> plan = allclear.plan("task.yaml", improve="none")
    >>> rows = plan.trajectory(numpy.linspace(0.0, plan.trajectory.duration, 200))
    >>> retimed = allclear.retime(plan.problem, rows)
    >>> retimed.certified, retimed.within <= 0.01
    (True, True)
    """
    if isinstance(path, Trajectory):
        core = path._core
    elif isinstance(path, (str, os.PathLike)):
        core = _core.load_path(os.fspath(path), problem._core)
    else:
        rows = numbers(path)
        core = Trajectory(np.arange(len(rows)), rows, joints=problem.joints)._core
    return Retimed(_core.retime(problem._core, core, tolerance, time_limit), problem)
