"""The objects around a robot."""

from __future__ import annotations

import os
from typing import List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .poses import Array, Vector, numbers, pose as make_pose
from .robots import Configuration, PathLike, Robot

Shape = _core.Shape


class Scene:
    """Obstacles, and what the robot carries. Lengths in metres; poses in the world.

    Every ``add_..`` takes a place: ``position``, with ``rpy`` or ``quaternion`` (see
    :func:`allclear.pose`), or ``pose``, 4 x 4. Names are unique.

    >>> import allclear
    >>> scene = allclear.Scene()
    >>> scene.add_box("post", size=(0.1, 0.1, 1.2), position=(0.45, 0.45, 0.6))
    >>> scene.add_floor(height=-0.001)
    >>> scene.names
    ['post', 'floor']
    """

    def __init__(self) -> None:
        self._core = _core.Scene()

    @classmethod
    def load(cls, path: PathLike, robot: Robot, q: Optional[Configuration] = None) -> "Scene":
        """Reads a scene file (docs/task.md), with frames of links as at the configuration ``q``."""
        scene = cls.__new__(cls)
        scene._core = _core.load_scene(os.fspath(path), robot._core, robot.configuration(q), {})
        return scene

    def add(self, id: str, shape: Shape, position: Vector = (0.0, 0.0, 0.0), *,
            rpy: Optional[Vector] = None, quaternion: Optional[Vector] = None,
            pose: Optional[npt.ArrayLike] = None) -> None:
        """Adds an obstacle of any shape, such as ``allclear.Shape.hull(points)``."""
        self._core.add(id, shape, make_pose(position, rpy, quaternion, pose))

    def add_box(self, id: str, size: Vector, position: Vector = (0.0, 0.0, 0.0), *,
                rpy: Optional[Vector] = None, quaternion: Optional[Vector] = None,
                pose: Optional[npt.ArrayLike] = None) -> None:
        """``size``: full edge lengths; the frame is in its middle."""
        self.add(id, Shape.box(numbers(size)), position, rpy=rpy, quaternion=quaternion,
                 pose=pose)

    def add_sphere(self, id: str, radius: float, position: Vector = (0.0, 0.0, 0.0)) -> None:
        self.add(id, Shape.sphere(radius), position)

    def add_cylinder(self, id: str, radius: float, length: float,
                     position: Vector = (0.0, 0.0, 0.0), *, rpy: Optional[Vector] = None,
                     quaternion: Optional[Vector] = None,
                     pose: Optional[npt.ArrayLike] = None) -> None:
        """About the z axis of its frame, which is in its middle."""
        self.add(id, Shape.cylinder(radius, length), position, rpy=rpy, quaternion=quaternion,
                 pose=pose)

    def add_capsule(self, id: str, radius: float, length: float,
                    position: Vector = (0.0, 0.0, 0.0), *, rpy: Optional[Vector] = None,
                    quaternion: Optional[Vector] = None,
                    pose: Optional[npt.ArrayLike] = None) -> None:
        """All points within ``radius`` of a segment of ``length`` along z, centred."""
        self.add(id, Shape.capsule(radius, length), position, rpy=rpy, quaternion=quaternion,
                 pose=pose)

    def add_ellipsoid(self, id: str, radii: Vector, position: Vector = (0.0, 0.0, 0.0), *,
                      rpy: Optional[Vector] = None, quaternion: Optional[Vector] = None,
                      pose: Optional[npt.ArrayLike] = None) -> None:
        """``radii``: semi-axes along x, y and z."""
        self.add(id, Shape.ellipsoid(numbers(radii)), position, rpy=rpy,
                 quaternion=quaternion, pose=pose)

    def add_mesh(self, id: str, file: PathLike, position: Vector = (0.0, 0.0, 0.0), *,
                 rpy: Optional[Vector] = None, quaternion: Optional[Vector] = None,
                 pose: Optional[npt.ArrayLike] = None, scale: Union[float, Vector] = 1.0,
                 convex: bool = False) -> None:
        """An STL, COLLADA or Wavefront file; with ``convex`` its hull."""
        factors = np.broadcast_to(numbers(scale), (3,))
        self.add(id, Shape.load(os.fspath(file), factors, convex), position, rpy=rpy,
                 quaternion=quaternion, pose=pose)

    def add_plane(self, id: str, normal: Vector, offset: float = 0.0) -> None:
        """Everything where ``normal . x <= offset`` is solid."""
        self._core.add_plane(id, numbers(normal), offset)

    def add_floor(self, height: float = 0.0, id: str = "floor") -> None:
        """Everything below this height is solid."""
        self.add_plane(id, (0.0, 0.0, 1.0), height)

    def add_points(self, id: str, points: npt.ArrayLike, radius: float,
                   position: Vector = (0.0, 0.0, 0.0), *, rpy: Optional[Vector] = None,
                   quaternion: Optional[Vector] = None,
                   pose: Optional[npt.ArrayLike] = None) -> None:
        """A scan: n x 3 points, each of them a ball of ``radius``. A million is fine. Only the
        balls are solid: choose the radius so that those of a surface overlap.

        >>> import allclear, numpy
        >>> scene = allclear.Scene()
        >>> scene.add_points("scan", numpy.random.default_rng(1).random((1000, 3)), radius=0.02,
        ...                  position=(1.0, 0.0, 0.0))
        >>> scene.names
        ['scan']
        """
        self._core.add_points(id, numbers(points), radius,
                              make_pose(position, rpy, quaternion, pose))

    def attach(self, id: str, robot: Robot, link: str, shape: Shape,
               position: Vector = (0.0, 0.0, 0.0), *, rpy: Optional[Vector] = None,
               quaternion: Optional[Vector] = None, pose: Optional[npt.ArrayLike] = None,
               touch_links: Sequence[str] = ()) -> None:
        """Puts an object into the robot's hand; its place is that in the link's frame."""
        self._core.attach(id, robot._core, link, shape,
                          make_pose(position, rpy, quaternion, pose), list(touch_links))

    def move(self, id: str, times: Vector, poses: npt.ArrayLike) -> None:
        """Makes an obstacle move through ``poses`` (n x 4 x 4, or n x 3 positions) at ``times`` [s],
        at constant speed between them and at rest before and after.

        >>> import allclear
        >>> scene = allclear.Scene()
        >>> scene.add_sphere("ball", 0.1)
        >>> scene.move("ball", [0.0, 2.0], [(1.0, -1.0, 0.5), (1.0, 1.0, 0.5)])
        >>> scene.pose("ball", 1.0)[:3, 3].tolist()
        [1.0, 0.0, 0.5]
        """
        self._core.set_motion(id, [float(t) for t in numbers(times)], pose_list(poses))

    def set_uncertainty(self, id: str, covariance: npt.ArrayLike, sigma: float = 3.0) -> None:
        """The obstacle may be displaced by any vector within ``sigma`` standard deviations of this
        3 x 3 covariance [m^2]; it is kept clear of at all of these places."""
        self._core.set_spread(id, numbers(covariance), sigma)

    def pose(self, id: str, t: float = 0.0) -> Array:
        """Where an obstacle is at time t."""
        return self._core.pose(id, t)

    def allow(self, a: str, b: str) -> None:
        """Lets two bodies touch."""
        self._core.allow(a, b)

    def remove(self, id: str) -> None:
        self._core.remove(id)

    @property
    def names(self) -> List[str]:
        return self._core.names

    @property
    def allowed(self) -> List[Tuple[str, str]]:
        return self._core.allowed

    def __contains__(self, id: str) -> bool:
        return id in self.names

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Scene({self.names})"


def pose_list(poses: npt.ArrayLike) -> Array:
    """n x 4 x 4, from that, from one pose, or from n x 3 positions."""
    given = numbers(poses)
    if given.shape == (4, 4):
        return given[None]
    if given.ndim == 2 and given.shape[1] == 3:
        out = np.tile(np.eye(4), (len(given), 1, 1))
        out[:, :3, 3] = given
        return out
    if given.ndim != 3 or given.shape[1:] != (4, 4):
        raise InputError("poses: must be n x 4 x 4, or n x 3 positions", key="poses")
    return given
