"""Distances of shapes, without a robot."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .poses import Array, Vector, numbers
from .scenes import Shape, pose_list


class SignedDistance(NamedTuple):
    """The gap of two solids; negative: the shortest translation that separates them [m]."""

    distance: float
    witness_a: Array  #: the closest points, world [m]
    witness_b: Array
    normal: Array  #: unit, from a to b
    unique: bool  #: no other points and normal give the same distance


class LeastDistance(NamedTuple):
    """``lower <= least distance over time <= upper`` [m], both proven."""

    lower: float
    upper: float
    t: float  #: of the upper one [s]
    witness_a: Array
    witness_b: Array
    normal: Array


def signed_distance(a: Shape, b: Shape, pose_a: Optional[npt.ArrayLike] = None,
                    pose_b: Optional[npt.ArrayLike] = None) -> SignedDistance:
    """The signed distance of two shapes at rest.

    >>> import allclear
    >>> ball, box = allclear.Shape.sphere(0.5), allclear.Shape.box((2.0, 2.0, 2.0))
    >>> allclear.signed_distance(ball, box, allclear.pose((2.0, 0.0, 0.0))).distance
    0.5
    """
    return SignedDistance(*_core.signed_distance(a, _one(pose_a), b, _one(pose_b)))


def signed_distances(a: Shape, b: Shape, poses_a: npt.ArrayLike, poses_b: npt.ArrayLike) -> Array:
    """The same at many poses (n x 4 x 4 or n x 3 positions), or at one that stands for all.

    >>> import allclear, numpy as np
    >>> ball = allclear.Shape.sphere(0.5)
    >>> allclear.signed_distances(ball, ball, np.eye(4), [(2.0, 0, 0), (0, 3.0, 0)]).tolist()
    [1.0, 2.0]
    """
    return _core.signed_distances(a, pose_list(poses_a), b, pose_list(poses_b))


def least_distance(a: Shape, b: Shape, poses_a: npt.ArrayLike, poses_b: npt.ArrayLike,
                   times: Optional[Vector] = None, *, times_a: Optional[Vector] = None,
                   times_b: Optional[Vector] = None, tolerance: float = 1e-4) -> LeastDistance:
    """A proven bracket of the least distance of two moving shapes, at any instant.

    Each goes through its poses (n x 4 x 4, or n x 3 positions) at ``times`` [s], at constant speed
    between two of them; one pose is a body at rest. With times of their own (``times_a``,
    ``times_b``) both rest before and after; the whole of both is looked at.

    >>> import allclear
    >>> ball, post = allclear.Shape.sphere(0.1), allclear.Shape.cylinder(0.2, 2.0)
    >>> near = allclear.least_distance(ball, post, [(-2, 1, 0), (2, 0.5, 0)], [(0, 0, 0)], [0.0, 1.0])
    >>> near.lower <= 0.444208 <= near.upper, near.upper - near.lower <= 1e-4
    (True, True)
    """
    first = _times(times if times_a is None else times_a)
    second = _times(times if times_b is None else times_b)
    every = first + second
    if len(every) < 2:
        raise InputError("times: at least one of the two must move", key="times")
    poses = pose_list(poses_a), pose_list(poses_b)
    return LeastDistance(*_core.least_distance(a, first, poses[0], b, second, poses[1],
                                               (min(every), max(every)), tolerance))


def ellipsoid_gauges(radii_a: npt.ArrayLike, radii_b: npt.ArrayLike, rotations: npt.ArrayLike,
                     positions: npt.ArrayLike, *, lower: bool = False) -> Array:
    """How far n pairs of ellipsoids are from touching, as factors: below 1 they overlap, at 1 they
    touch. The gauge is the distance of their centres over that at which they touch when moved along
    the line between them. ``lower`` gives lower bounds instead, in a fraction of the time.

    ``radii_a`` and ``radii_b`` are n x 3 semi-axes, ``rotations`` (n x 3 x 3) and ``positions``
    (n x 3) those of b in the frame of a, in any one unit. Arrays of doubles in Fortran order
    (``order="F"``) are read where they are; others are copied into that order first.

    >>> import allclear, numpy as np
    >>> ones, turn = np.ones((2, 3)), np.tile(np.eye(3), (2, 1, 1))
    >>> allclear.ellipsoid_gauges(ones, ones, turn, [(4.0, 0, 0), (0, 1.0, 0)]).round(12).tolist()
    [2.0, 0.5]
    """
    return _core.ellipsoid_gauges(_array(radii_a), _array(radii_b), _array(rotations),
                                  _array(positions), lower)


def _array(values: npt.ArrayLike) -> Array:
    return numbers(values)


def _one(pose: Optional[npt.ArrayLike]) -> Array:
    return np.eye(4) if pose is None else _array(pose)


def _times(times: Optional[Vector]) -> "list[float]":
    return [] if times is None else [float(t) for t in numbers(times)]


