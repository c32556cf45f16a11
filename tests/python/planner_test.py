"""The planner that stays loaded: the plans of `plan`, obstacles that move, threads."""

import threading
import unittest

import numpy as np

import allclear
from support import problem


class Planners(unittest.TestCase):
    def test_plans_are_those_of_plan(self):
        planner = allclear.Planner(problem(), improve="none", seed=3)
        there = planner.plan(problem().start, problem().goal)
        self.assertTrue(there.certified, there.message)
        again = allclear.plan(problem(), improve="none", seed=3)
        np.testing.assert_array_equal(there.trajectory.positions, again.trajectory.positions)
        end = there.trajectory.positions[-1]
        back = planner.plan(end, problem().start)
        self.assertTrue(back.certified, back.message)
        np.testing.assert_allclose(back.trajectory.positions[0], end)

    def test_a_moving_start_and_a_warm_one(self):
        planner = allclear.Planner(problem(), improve="none", warm_start=True)
        first = planner.plan(problem().start, problem().goal)
        velocity = np.full(7, 0.02)
        moving = planner.plan(problem().start, problem().goal, start_velocity=velocity)
        self.assertTrue(first.certified and moving.certified, moving.message)
        np.testing.assert_allclose(moving.trajectory.velocity(0.0), velocity, atol=1e-9)
        planner.forget()
        fresh = planner.plan(problem().start, problem().goal)
        np.testing.assert_array_equal(first.trajectory.positions, fresh.trajectory.positions)

    def test_obstacles_come_move_and_go(self):
        planner = allclear.Planner(problem(), improve="none")
        scene = allclear.Scene()
        scene.add_box("crate", size=(0.1, 0.1, 0.1), position=(0.0, 0.0, 5.0))
        planner.add(scene)
        before = planner.problem.distances()
        planner.move("crate", allclear.pose((0.0, 0.0, 4.0)))
        after = planner.problem.distances()
        crate = [d.distance for d in before if "crate" in (d.a, d.b)]
        nearer = [d.distance for d in after if "crate" in (d.a, d.b)]
        self.assertLess(min(nearer), min(crate))
        planner.remove("crate")
        self.assertFalse([d for d in planner.problem.distances() if "crate" in (d.a, d.b)])
        with self.assertRaises(allclear.InputError):
            planner.move("crate", np.eye(4))

    def test_mistakes_are_named(self):
        planner = allclear.Planner(problem())
        with self.assertRaisesRegex(allclear.InputError, "7 values"):
            planner.plan([0.0, 1.0], problem().goal)
        carried = allclear.Scene()
        carried.allow("tool", "link7")
        with self.assertRaises(allclear.InputError):
            planner.add(carried)

    def test_two_threads_plan_one_after_the_other(self):
        planner = allclear.Planner(problem(), improve="none")
        plans = []
        threads = [
            threading.Thread(target=lambda: plans.append(planner.plan(problem().start, problem().goal)))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(plan.certified for plan in plans))
        np.testing.assert_array_equal(plans[0].trajectory.positions, plans[1].trajectory.positions)


if __name__ == "__main__":
    unittest.main()
