"""Trajectories: curves over time, as a controller runs them."""

from __future__ import annotations

import os
from typing import List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .poses import Array, numbers
from .robots import PathLike


class Samples(NamedTuple):
    """A motion at instants: row i of the arrays belongs to ``times[i]``."""

    times: Array  #: [s]
    positions: Array  #: instants x joints [rad or m]
    velocities: Array
    accelerations: Array


class Trajectory:
    """A curve of joint positions over time, polynomial by piece: it has a value at every instant,
    and between its rows too.

    Made from rows as a controller has them: straight between positions, cubic between positions and
    velocities, quintic with accelerations.

    >>> import allclear
    >>> line = allclear.Trajectory([0.0, 2.0], [[0.0, 1.0], [1.0, 3.0]], joints=["a", "b"])
    >>> line(0.5).tolist()
    [0.25, 1.5]
    >>> line.velocity([0.0, 1.0]).tolist()
    [[0.5, 1.0], [0.5, 1.0]]
    """

    def __init__(self, times: npt.ArrayLike, positions: npt.ArrayLike,
                 velocities: Optional[npt.ArrayLike] = None,
                 accelerations: Optional[npt.ArrayLike] = None, *, joints: Sequence[str]) -> None:
        none = np.zeros((0, 0))
        self._core = _core.Trajectory(
            [float(t) for t in numbers(times)],
            numbers(positions),
            none if velocities is None else numbers(velocities),
            none if accelerations is None else numbers(accelerations),
            list(joints))

    @classmethod
    def _of(cls, core: _core.Trajectory) -> "Trajectory":
        trajectory = cls.__new__(cls)
        trajectory._core = core
        return trajectory

    @classmethod
    def from_json(cls, text: str) -> "Trajectory":
        """Reads what :meth:`json` gives, to the bit."""
        return cls._of(_core.parse_trajectory_json(text, "trajectory"))

    @property
    def duration(self) -> float:
        """[s]"""
        return self._core.duration

    @property
    def joints(self) -> List[str]:
        return self._core.joints

    @property
    def interpolation(self) -> str:
        """How the curve goes between its rows, in words."""
        return self._core.interpolation

    @property
    def warnings(self) -> List[str]:
        """What a file left open, and how it was read."""
        return self._core.warnings

    @property
    def assumptions(self) -> List[str]:
        """Those of the warnings that a certificate of it lists: times that are missing or shifted."""
        return self._core.assumptions

    @property
    def times(self) -> Array:
        """Of the rows [s]. Like :attr:`positions`, :attr:`velocities` and :attr:`accelerations` a
        read-only view of the curve itself, not a copy."""
        return self._rows().times_view

    @property
    def positions(self) -> Array:
        """At the rows, rows x joints."""
        return self._rows().view(0)

    @property
    def velocities(self) -> Array:
        return self._rows().view(1)

    @property
    def accelerations(self) -> Array:
        return self._rows().view(2)

    def __call__(self, t: Union[float, npt.ArrayLike], order: int = 0) -> Array:
        """The positions at an instant, or at many as rows; or their ``order``-th derivative. Before
        the start and after the end they are those at the end."""
        times = numbers(t)
        values = self._core.values(np.atleast_1d(times).ravel(), order)
        first: Array = values[0] if len(values) else values
        return first if times.ndim == 0 else values

    def velocity(self, t: Union[float, npt.ArrayLike]) -> Array:
        return self(t, 1)

    def acceleration(self, t: Union[float, npt.ArrayLike]) -> Array:
        return self(t, 2)

    def sample(self, rate: float) -> Samples:
        """The motion at k / rate [Hz], and at its end.

        >>> line.sample(rate=2).times.tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
        """
        if not rate > 0.0:
            raise InputError("rate: must be positive", key="rate")
        count = int(np.floor(self.duration * rate * (1.0 + 1e-12)))  # rounding loses no last instant
        times = np.minimum(np.arange(count + 1) / rate, self.duration)
        if times[-1] < self.duration:
            times = np.append(times, self.duration)
        return Samples(times, self(times), self(times, 1), self(times, 2))

    def controller_rows(self, rate: float = 0.0) -> "Trajectory":
        """The same curve as rows for a controller that goes from row to row as a quintic polynomial:
        at the joints of its pieces, and at k / rate [Hz] between them."""
        return Trajectory._of(self._core.controller_rows(rate))

    def json(self) -> str:
        """The text of a trajectory file, which reads back to the bit."""
        return self._core.json()

    def _rows(self) -> "_Rows":
        return _Rows(self._core)

    def __repr__(self) -> str:
        return f"Trajectory({self.duration:.4g} s, {len(self.joints)} joints)"


class _Rows:
    """Views of the rows; a spline has none."""

    def __init__(self, core: _core.Trajectory) -> None:
        self._core = core

    @property
    def times_view(self) -> Array:
        return self._some(self._core.times, "rows")

    def view(self, order: int) -> Array:
        name = ("positions", "velocities", "accelerations")[order]
        return self._some(self._core.rows(order), name)

    def _some(self, array: Optional[Array], name: str) -> Array:
        if array is None:
            raise InputError(f"trajectory: has no {name}: {self._core.interpolation}; call it, or "
                             "use controller_rows()", key=name)
        return array


def load_trajectory(path: PathLike, problem: "object", interpolation: str = "") -> Trajectory:
    """Reads the trajectory of a problem: CSV, JSON, or a ROS 2 JointTrajectory in YAML.

    ``interpolation`` (``linear``, ``cubic`` or ``quintic``) says how a controller runs rows of CSV;
    without it as ROS 2's joint_trajectory_controller does with the columns that are there.
    """
    from .problems import Problem
    if not isinstance(problem, Problem):
        raise TypeError("problem must be an allclear.Problem")
    return Trajectory._of(_core.load_trajectory(os.fspath(path), problem._core, interpolation))
