"""Poses: 4 x 4 arrays ``[R p; 0 0 0 1]``."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from .errors import InputError

Array = npt.NDArray[np.float64]
Vector = Union[Sequence[float], npt.NDArray[Any]]


def numbers(values: Any) -> Array:
    """An array of these numbers. A masked one is refused: what its mask hides would be read."""
    for part in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(part, np.ma.MaskedArray) and np.any(part.mask):
            raise InputError("a masked array has no values where it is masked: fill these or leave them out")
    return np.asarray(values, dtype=np.float64)


def _vector(values: Vector, size: int, key: str) -> Array:
    out = numbers(values)
    if out.shape != (size,) or not np.isfinite(out).all():
        raise InputError(f"{key}: must be {size} finite numbers", key=key)
    return out


def pose(position: Vector = (0.0, 0.0, 0.0), rpy: Optional[Vector] = None,
         quaternion: Optional[Vector] = None, matrix: Optional[npt.ArrayLike] = None) -> Array:
    """A pose from a position [m] and a rotation.

    The rotation is one of: ``rpy``, roll, pitch and yaw [rad] about the fixed axes x, y, z as in a
    URDF; ``quaternion``, (x, y, z, w) as in ROS; ``matrix``, 3 x 3, or 4 x 4 for the whole pose.

    >>> import allclear, math
    >>> X = allclear.pose((1.0, 2.0, 3.0), rpy=(0.0, 0.0, math.pi / 2))
    >>> X[:3, 3].tolist()
    [1.0, 2.0, 3.0]
    >>> X[:3, 0].round(12).tolist()
    [0.0, 1.0, 0.0]
    """
    out = np.eye(4)
    out[:3, 3] = _vector(position, 3, "position")
    if sum(x is not None for x in (rpy, quaternion, matrix)) > 1:
        raise InputError("pose: give one of rpy, quaternion and matrix", key="pose")
    if rpy is not None:
        roll, pitch, yaw = _vector(rpy, 3, "rpy")
        out[:3, :3] = _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    elif quaternion is not None:
        out[:3, :3] = _from_quaternion(_vector(quaternion, 4, "quaternion"))
    elif matrix is not None:
        given = numbers(matrix)
        if given.shape == (4, 4):
            if np.any(out[:3, 3]):
                raise InputError("pose: a 4 x 4 matrix has a position of its own", key="pose")
            return given.copy()
        if given.shape != (3, 3):
            raise InputError("pose: a matrix is 3 x 3 or 4 x 4", key="matrix")
        out[:3, :3] = given
    return out


def _about(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[j, j] = out[k, k] = c
    out[j, k], out[k, j] = -s, s
    return out


def _from_quaternion(q: Array) -> Array:
    norm = float(np.linalg.norm(q))
    if not abs(norm - 1.0) < 1e-3:  # rounded to four digits or so: any more is a mistake
        raise InputError("quaternion: must have length 1", key="quaternion")
    x, y, z, w = q / norm
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
