"""Several motions planned as one: tasks with ``segments``."""

from __future__ import annotations

import json
import os
import pathlib
import warnings
from typing import Any, Callable, List, Mapping, NamedTuple, Optional

from . import _core
from .errors import InputError
from .planning import Certificate, Status, with_options
from .problems import Problem, TaskLike, _DICT, _plain
from .robots import PathLike
from .trajectories import Samples, Trajectory


class Segment(NamedTuple):
    """One motion of a sequence."""

    name: str
    start: float  #: [s] since the start of the whole
    problem: Problem  #: what it was planned for: with the scene as the motions before it leave it
    certificate: Certificate  #: of its own trajectory, whose times count from its start


class Event(NamedTuple):
    """An object changes hands."""

    object: str
    link: str
    attaches: bool  #: it is taken up; else it is put down
    time: float  #: [s] since the start of the whole


class SequencePlan:
    """What :func:`plan_sequence` found: with ``certified`` every motion is proven clear, for the
    problem that the ones before it lead to; else ``message`` names the first that has no plan."""

    def __init__(self, core: _core.SequencePlan) -> None:
        self._core = core

    @property
    def status(self) -> Status:
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
    def failed(self) -> Optional[str]:
        """The motion that has no plan; ``None`` with a plan."""
        return self._core.failed

    @property
    def trajectory(self) -> Trajectory:
        """The whole: all joints that any segment moves."""
        core = self._core.trajectory
        if core is None:
            raise InputError(f"plan: has no trajectory: {self.message}", key="plan")
        return Trajectory._of(core)

    @property
    def duration(self) -> float:
        """Of the whole [s]."""
        return self.trajectory.duration

    @property
    def segments(self) -> List[Segment]:
        out = []
        for name, start, core, certificate in self._core.segments:
            problem = Problem._of(core)
            out.append(Segment(name, start, problem, Certificate(certificate, problem)))
        return out

    @property
    def events(self) -> List[Event]:
        return [Event(*event) for event in self._core.events]

    def sample(self, rate: float) -> Samples:
        """The motion of all joints at a rate [Hz]: :meth:`Trajectory.sample`."""
        return self.trajectory.sample(rate)

    def write(self, folder: PathLike) -> List[pathlib.Path]:
        """Writes the files of the whole and of each segment, and ``sequence.json``, which ties them
        together; returns their paths."""
        written, notes = self._core.write(os.fspath(folder))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return [pathlib.Path(path) for path in written]

    def report(self) -> str:
        """A page in HTML that plays the whole."""
        return self._core.report()

    def __bool__(self) -> bool:
        return self.certified

    def __repr__(self) -> str:
        return f"SequencePlan({self.status!r}: {self.message})"


def plan_sequence(task: TaskLike, *, folder: Optional[PathLike] = None,
                  time_limit: Optional[float] = None, attempts: Optional[int] = None,
                  seed: Optional[int] = None, threads: Optional[int] = None,
                  improve: Optional[str] = None, visuals: bool = False,
                  progress: Optional[Callable[[Mapping[str, Any]], None]] = None) -> SequencePlan:
    """Plans a task with ``segments`` (docs/sequences.md): a YAML file, or a dict with the same keys.

    The options are those of :func:`plan`; ``time_limit`` [s] is that of each motion.
    """
    if isinstance(task, Mapping):
        path = os.path.join(os.fspath(folder) if folder is not None else "", _DICT)
        core = _core.parse_sequence(json.dumps(task, default=_plain), path, visuals)
    else:
        core = _core.load_sequence(os.fspath(task), visuals)
    options = with_options(core.options, time_limit=time_limit, attempts=attempts, seed=seed,
                           threads=threads, improve=improve)
    return SequencePlan(_core.plan_sequence(core, options, progress))
