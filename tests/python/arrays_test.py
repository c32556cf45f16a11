"""Arrays are not copied where they are read."""

import gc
import tracemalloc
import unittest

import numpy as np

import allclear
from support import problem, robot


def peak_of(call):
    """Bytes that NumPy (and Python) had allocated at most during the call, beyond those before."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = call()
        return tracemalloc.get_traced_memory()[1], kept
    finally:
        tracemalloc.stop()


class Views(unittest.TestCase):
    def test_rows_of_a_trajectory_are_views_of_it(self):
        times = np.linspace(0.0, 1.0, 100)
        rows = np.random.default_rng(1).normal(size=(100, 7))
        trajectory = allclear.Trajectory(times, rows, np.zeros_like(rows), np.zeros_like(rows),
                                         joints=[f"j{k}" for k in range(7)])
        np.testing.assert_array_equal(trajectory.positions, rows)
        for name in ("times", "positions", "velocities", "accelerations"):
            view, again = getattr(trajectory, name), getattr(trajectory, name)
            self.assertFalse(view.flags.owndata)
            self.assertTrue(np.shares_memory(view, again))
            self.assertFalse(view.flags.writeable)
            with self.assertRaises(ValueError):
                view[0] = 1.0

    def test_a_view_keeps_its_trajectory_alive(self):
        view = allclear.plan(problem(), improve="none").trajectory.positions
        copy = view.copy()
        gc.collect()
        np.random.default_rng(1).normal(size=view.shape)  # would reuse the memory, were it free
        np.testing.assert_array_equal(view, copy)


class Inputs(unittest.TestCase):
    def test_columns_of_ellipsoids_are_read_where_they_are(self):
        n = 100_000
        rng = np.random.default_rng(2)
        radii_a = np.asfortranarray(rng.uniform(0.5, 1.0, (n, 3)))
        radii_b = np.asfortranarray(rng.uniform(0.5, 1.0, (n, 3)))
        turns = np.asfortranarray(np.tile(np.eye(3), (n, 1, 1)))
        centres = np.asfortranarray(rng.normal(size=(n, 3)))
        result = 8 * n
        peak, fast = peak_of(lambda: allclear.ellipsoid_gauges(radii_a, radii_b, turns, centres))
        self.assertLess(peak, 1.5 * result)  # the result, and no input again
        rows = [np.ascontiguousarray(x) for x in (radii_a, radii_b, turns, centres)]
        peak, slow = peak_of(lambda: allclear.ellipsoid_gauges(*rows))
        self.assertGreater(peak, 3 * result)  # what a copy would look like
        np.testing.assert_array_equal(fast, slow)

    def test_masks_are_not_dropped(self):
        rows = np.ma.masked_equal([[0.0, 1.0], [9.0, 3.0]], 9.0)
        good = [[0.0, 1.0], [1.0, 3.0]]
        names = ["a", "b"]
        for call in (lambda: allclear.Trajectory([0.0, 2.0], rows, joints=names),
                     lambda: allclear.Trajectory([0.0, 2.0], list(rows), joints=names),
                     lambda: allclear.Trajectory(np.ma.masked_equal([0.0, 2.0], 2.0), good, joints=names),
                     lambda: allclear.Trajectory([0.0, 2.0], good, rows, joints=names),
                     lambda: allclear.pose(np.ma.masked_equal([0.0, 2.0, 9.0], 9.0))):
            with self.assertRaisesRegex(allclear.InputError, "masked"):
                call()
        whole = allclear.Trajectory([0.0, 2.0], np.ma.masked_equal(good, 9.0), joints=names)
        np.testing.assert_array_equal(whole.positions, good)

    def test_motions_that_are_none_are_refused_at_once(self):
        scene = allclear.Scene()
        scene.add_sphere("ball", 0.1)
        places = [(1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]
        for times in ([0.0, np.nan], [np.nan, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, np.inf]):
            with self.assertRaisesRegex(allclear.InputError, "'ball'"):
                scene.move("ball", times, places)
        scene.move("ball", [0.0, 1.0], places)
        with self.assertRaises(allclear.InputError):
            scene.move("ball", [0.0, -1.0], places)
        self.assertEqual(scene.pose("ball", 0.5)[0, 3], 1.5)  # what was there stays

    def test_configurations_are_read_where_they_are(self):
        arm = robot()
        q = np.zeros((20_000, 7))
        peak, poses = peak_of(lambda: arm.pose(q, "tool"))
        self.assertLess(peak, poses.nbytes + q.nbytes // 2)
        transposed = np.zeros((7, 20_000)).T
        peak, poses = peak_of(lambda: arm.pose(transposed, "tool"))
        self.assertGreater(peak, poses.nbytes + q.nbytes // 2)


if __name__ == "__main__":
    unittest.main()
