"""Everything that a user does, once: load, build, check, plan, certify, measure, write."""

import json
import math
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import allclear
from support import SHELF, SOURCE, impossible, problem, robot


class Robots(unittest.TestCase):
    def test_jacobian_is_the_derivative_of_the_pose(self):
        arm = robot()
        q = arm.group("arm").state("ready")
        jacobian = arm.jacobian(q, "tool")
        step = 1e-6
        for k in range(len(q)):
            up, down = q.copy(), q.copy()
            up[k] += step
            down[k] -= step
            slope = (arm.pose(up, "tool") - arm.pose(down, "tool"))[:3, 3] / (2 * step)
            np.testing.assert_allclose(jacobian[:3, k], slope, atol=1e-8)

    def test_many_configurations_are_rows(self):
        arm = robot()
        q = np.random.default_rng(1).uniform(arm.lower, arm.upper, (5, 7))
        all_links = arm.poses(q)
        self.assertEqual(all_links.shape, (5, len(arm.links), 4, 4))
        np.testing.assert_array_equal(all_links[3, arm.links.index("tool")], arm.pose(q[3], "tool"))
        np.testing.assert_array_equal(arm.pose(q, "tool")[3], arm.pose(q[3], "tool"))

    def test_names_and_limits(self):
        arm = robot()
        self.assertEqual(arm.group("all").joints, arm.joints)
        self.assertEqual(arm.group("arm").indices, list(range(7)))
        self.assertAlmostEqual(arm.upper[0], 2.95)
        self.assertEqual(arm.velocity_limits[0], 1.8)
        self.assertEqual(arm.effort_limits[0], 180.0)
        self.assertGreater(arm.mass, 0.0)
        self.assertEqual(arm.torques(arm.neutral).shape, (7,))
        self.assertEqual(arm.center_of_mass(arm.neutral).shape, (3,))
        self.assertIn("seven", repr(arm))

    def test_inverse_kinematics(self):
        arm = robot()
        group = arm.group("arm")
        target = arm.pose(arm.configuration({"joint1": 0.4, "joint4": 1.3}, group.state("ready")), "tool")
        q = group.inverse_kinematics(target, "tool", near=group.state("ready"))
        self.assertLess(np.linalg.norm(arm.pose(q, "tool")[:3, 3] - target[:3, 3]), 1e-3)
        with self.assertRaises(allclear.Unreachable):
            group.inverse_kinematics(allclear.pose((5.0, 0.0, 0.0)), "tool", time_limit=0.2)


class Errors(unittest.TestCase):
    def test_file_and_line_and_key(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "task.yaml"
            path.write_text(f"robot: {SHELF / 'seven.urdf'}\nstart_state: {{joint99: 0}}\ngoal: {{}}\n")
            with self.assertRaises(allclear.InputError) as caught:
                allclear.load_task(path)
        error = caught.exception
        self.assertEqual((error.file, error.line), (str(path), 2))
        self.assertIn("joint99", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.file, again.line, again.key), (error.file, error.line, error.key))

    def test_of_a_dict_there_is_a_key_and_no_line(self):
        with self.assertRaises(allclear.InputError) as caught:
            allclear.load_task({"robot": "seven.urdf", "joints": ["joint1", 3]}, folder=SHELF)
        self.assertIsNone(caught.exception.line)
        self.assertIsNone(caught.exception.file)
        self.assertNotIn("<dict>", str(caught.exception))

    def test_the_nearest_name(self):
        arm = robot()
        for call in (lambda: arm.group("amr"), lambda: arm.group("arm").state("reday"),
                     lambda: arm.pose(arm.neutral, "toool"), lambda: problem(objective="min_tme")):
            with self.assertRaisesRegex(allclear.InputError, "did you mean"):
                call()

    def test_options_are_as_strict_as_those_of_a_task(self):
        options = allclear.load_task(SHELF / "task.yaml").options
        for wrong in ({"time_limit": -1.0}, {"time_limit": math.nan}, {"time_limit": math.inf}, {"threads": -1},
                      {"attempts": 0}):
            with self.assertRaises(allclear.InputError) as caught:
                allclear.planning.with_options(options, **wrong)
            self.assertEqual(caught.exception.key, next(iter(wrong)))

    def test_wrong_shapes_and_poses(self):
        arm = robot()
        scene = allclear.Scene()
        for call in (lambda: arm.poses(np.zeros((2, 3))), lambda: arm.configuration([1.0]),
                     lambda: scene.add_box("b", (1, 1, 1), pose=2.0 * np.eye(4)),
                     lambda: scene.add_box("b", (1, 1, 1), pose=np.diag([1.0, 1.0, -1.0, 1.0])),
                     lambda: scene.add_box("b", (1, -1, 1)),
                     lambda: scene.add_sphere("b", math.nan),
                     lambda: allclear.pose(quaternion=(0, 0, 0, 2)),
                     lambda: allclear.Trajectory([0, 0], [[1], [2]], joints=["a"]),
                     lambda: allclear.Trajectory([0, 1], [[1], [math.nan]], joints=["a"]),
                     lambda: allclear.Trajectory([0, 1], [[1, 2], [2, 3]], joints=["a"])):
            with self.assertRaises(allclear.InputError):
                call()

    def test_rotations_are_those_of_task_files(self):
        arm = robot()
        ready = arm.group("arm").state("ready")
        quaternion = np.array([0.1, -0.5, 0.3, 0.8])
        quaternion /= np.linalg.norm(quaternion)
        for place in ({"rpy": [0.3, -0.7, 1.1]}, {"orientation": quaternion.tolist()}):
            task = allclear.load_task({
                "robot": {"urdf": "seven.urdf", "srdf": "seven.srdf"}, "group_name": "arm",
                "start_state": {"group_state": "ready"}, "goal": {"joint_constraints": {"joint1": 0.1}},
                "scene": {"collision_objects": [{
                    "id": "bar", "type": "box", "dimensions": [0.3, 0.2, 0.1],
                    "pose": {"position": [0.9, 0.2, 0.5], **place}}]}}, folder=SHELF)
            scene = allclear.Scene()
            scene.add_box("bar", (0.3, 0.2, 0.1), (0.9, 0.2, 0.5), rpy=place.get("rpy"),
                          quaternion=place.get("orientation"))
            ours = allclear.Problem(arm, "arm", start=ready, goal={"joint1": 0.1}, scene=scene)
            for a, b in zip(ours.distances(), task.problem.distances()):
                self.assertEqual(a[:2], b[:2])
                self.assertAlmostEqual(a.distance, b.distance, delta=1e-12)

    def test_names_are_unique(self):
        scene = allclear.Scene()
        scene.add_sphere("ball", 0.1)
        with self.assertRaisesRegex(allclear.InputError, "'ball'"):
            scene.add_sphere("ball", 0.1)
        self.assertIn("ball", scene)
        scene.remove("ball")
        self.assertEqual(len(scene), 0)


class Tasks(unittest.TestCase):
    def test_a_dict_is_the_file(self):
        sections = {"robot": {"urdf": "seven.urdf", "srdf": "seven.srdf"}, "group_name": "arm",
                    "start_state": {"group_state": "ready"},
                    "goal": {"joint_constraints": {"joint1": np.float64(0.8)}}}
        from_dict = allclear.load_task(sections, folder=SHELF)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "task.json"
            sections["robot"] = {"urdf": str(SHELF / "seven.urdf"), "srdf": str(SHELF / "seven.srdf")}
            path.write_text(json.dumps(sections))
            from_file = allclear.load_task(path)
        np.testing.assert_array_equal(from_dict.problem.start, from_file.problem.start)
        np.testing.assert_array_equal(from_dict.problem.goal, from_file.problem.goal)

    def test_check(self):
        report = allclear.check(SHELF / "task.yaml")
        self.assertTrue(report.well_posed)
        self.assertGreaterEqual(report.start[0].distance, report.start[0].margin)
        scene = allclear.Scene()
        arm = robot()
        scene.add_sphere("blob", 0.2, arm.pose(arm.group("arm").state("ready"), "tool")[:3, 3])
        stuck = allclear.Problem(arm, "arm", start="ready", goal={"joint1": 1.0}, scene=scene)
        self.assertIn("overlap", allclear.check(stuck).faults[0])

    def test_built_in_code(self):
        p = problem(margin=0.01, objective="smooth")
        p.set_limits(velocity=0.5, max_duration=20.0)
        p.keep_in_box("tool", size=(3.0, 3.0, 3.0))
        p.add_waypoint({"joint1": 0.7})
        p.set_margin("post", "", 0.02)
        other = p.copy()
        other.margin = 0.003
        self.assertEqual((p.margin, other.margin), (0.01, 0.003))
        self.assertEqual(p.closest_pair().a, p.distances()[0].a)
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        self.assertEqual(plan.problem.margin, 0.01)

    def test_a_moving_start_and_an_upright_tool(self):
        p = problem()
        velocity = np.zeros(7)
        velocity[0] = 0.2
        p.set_start_motion(velocity)
        p.set_end_margin("relax")
        p.set_geometry("capsule")
        p.set_rests(False)
        axis = p.robot.pose(p.start, "tool")[:3, 2]
        p.keep_axis("tool", direction=axis, tolerance=3.0)
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        np.testing.assert_allclose(plan.trajectory.velocity(0.0), velocity, atol=1e-9)
        self.assertIn("angle of the kept axis", [l["quantity"] for l in plan.certificate.limits])
        with self.assertRaisesRegex(allclear.InputError, "relax"):
            p.set_end_margin("relaxed")

    def test_a_line_to_the_goal_and_a_held_pose(self):
        arm = robot()
        start = {"joint2": 0.5, "joint4": 1.6, "joint6": 1.0}
        there = arm.pose(arm.configuration(start), "tool")
        there[1, 3] += 0.2
        p = allclear.Problem(arm, "arm", start=start, goal=allclear.LinearGoal("tool", there))
        self.assertIsNone(p.goal)
        p.keep_pose("tool", relative_to="link0", position_tolerance=np.inf, angle_tolerance=0.05)
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        quantities = [limit["quantity"] for limit in plan.certificate.limits]
        for quantity in ("distance from the line", "turn from the line", "held orientation"):
            self.assertIn(quantity, quantities)
        self.assertNotIn("held position", quantities)
        several = allclear.LinearGoal("tool", [there, p.robot.pose(p.start, "tool")])
        back = allclear.Problem(arm, "arm", start=start, goal={"joint1": 0.1})
        back.keep_on_line(several)
        self.assertIsNotNone(back.goal)
        with self.assertRaisesRegex(allclear.InputError, "link"):
            back.keep_pose("no such link")

    def test_a_scene_from_a_file_and_an_uncertain_obstacle(self):
        arm = robot()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.yaml"
            path.write_text("- {id: crate, type: box, dimensions: [0.2, 0.2, 0.2], "
                            "pose: {position: [0.9, 0.0, 0.1]}}\n")
            scene = allclear.Scene.load(path, arm)
        self.assertEqual(scene.pose("crate")[:3, 3].tolist(), [0.9, 0.0, 0.1])
        exact = allclear.Problem(arm, "arm", start="ready", goal={"joint1": 0.5}, scene=scene)
        scene.set_uncertainty("crate", 1e-4 * np.eye(3), sigma=2.0)
        vague = allclear.Problem(arm, "arm", start="ready", goal={"joint1": 0.5}, scene=scene)
        distance = [next(d.distance for d in p.distances() if d.b == "crate" and d.a == "tool")
                    for p in (exact, vague)]
        self.assertAlmostEqual(distance[0] - distance[1], 0.02, delta=1e-6)

    def test_a_pose_goal_and_something_in_the_hand(self):
        arm = robot()
        scene = allclear.Scene()
        scene.add_floor(-0.01)
        scene.attach("part", arm, "tool", allclear.Shape.sphere(0.02), (0.0, 0.0, 0.1))
        goal = arm.configuration({"joint1": 0.6}, arm.group("arm").state("ready"))
        p = allclear.Problem(arm, "arm", start="ready", scene=scene,
                             goal=allclear.PoseGoal("tool", arm.pose(goal, "tool")))
        self.assertIsNone(p.goal)
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        end = plan.configurations(plan.duration)[0]
        self.assertLess(np.linalg.norm((arm.pose(end, "tool") - arm.pose(goal, "tool"))[:3, 3]), 1e-3)

    def test_goals_of_which_one_is_reached(self):
        arm = robot()
        ready = arm.group("arm").state("ready")
        there = arm.configuration({"joint1": 0.5}, ready)
        goal = allclear.AnyOf({
            "far": allclear.PoseGoal("tool", allclear.pose((9.0, 0.0, 0.0))),
            "turned": allclear.PoseGoal("tool", arm.pose(there, "tool"), free=("rz",),
                                        position_tolerance=(0.002, 0.002, 0.002))})
        p = allclear.Problem(arm, "arm", start="ready", goal=goal)
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        self.assertEqual((plan.reached.alternative, plan.reached.of, plan.reached.name),
                         (1, 2, "turned"))
        self.assertEqual(list(plan.left_out), [0])
        end = arm.pose(plan.configurations(plan.duration)[0], "tool")
        np.testing.assert_allclose(end[:3, 2], arm.pose(there, "tool")[:3, 2], atol=0.011)
        loaded = allclear.Planner(p, improve="none").plan(ready, goal)
        self.assertEqual(loaded.reached, plan.reached)
        with self.assertRaises(allclear.InputError):
            allclear.plan(allclear.Problem(arm, "arm", start="ready", goal=allclear.AnyOf([])))

    def test_a_direction_to_look_in(self):
        arm = robot()
        point = (1.0, 0.6, 0.4)
        p = allclear.Problem(arm, "arm", start="ready", goal=allclear.LookAt("tool", point))
        plan = allclear.plan(p, improve="none")
        self.assertTrue(plan.certified, plan.message)
        self.assertIsNone(plan.reached)
        end = arm.pose(plan.configurations(plan.duration)[0], "tool")
        sight = np.asarray(point) - end[:3, 3]
        self.assertGreater(end[:3, 2] @ sight / np.linalg.norm(sight), math.cos(0.0101))
        both = allclear.AllOf(allclear.LookAt("tool", point),
                              allclear.PoseGoal("link4", np.eye(4), position_tolerance=1.5,
                                                angle_tolerance=math.inf))
        self.assertTrue(allclear.plan(allclear.Problem(arm, "arm", start="ready", goal=both),
                                      improve="none").certified)


class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.steps = []
        cls.plan = allclear.plan(problem(), improve="none", seed=3, progress=cls.steps.append)

    def test_it_is_certified(self):
        plan = self.plan
        self.assertTrue(plan and plan.certified)
        self.assertEqual(plan.status, "certified")
        low, high = plan.certificate.minimum_clearance
        self.assertLessEqual(plan.problem.margin, low)
        self.assertLessEqual(low, high)
        self.assertEqual(plan.certificate.faults, [])
        self.assertGreater(len(plan.certificate.limits), 7)
        self.assertIn("seconds", plan.statistics)
        self.assertTrue(self.steps and "iteration" in self.steps[0])

    def test_samples(self):
        plan = self.plan
        samples = plan.sample(50)
        self.assertEqual(samples.times[-1], plan.duration)
        np.testing.assert_allclose(np.diff(samples.times)[:-1], 0.02)
        np.testing.assert_array_equal(samples.positions[0], plan.problem.start)
        np.testing.assert_allclose(samples.positions[-1], plan.problem.goal, atol=1e-9)
        self.assertTrue((np.abs(samples.velocities) <= plan.problem.robot.velocity_limits + 1e-9).all())

    def test_least_distance(self):
        plan = self.plan
        near = plan.least_distance("tool", "post")
        self.assertLessEqual(near.upper - near.lower, 1.1e-4)
        sampled = min(pair.distance for t in np.linspace(0, plan.duration, 200)
                      for pair in plan.problem.distances(plan.configurations(t)[0])
                      if {pair.a, pair.b} == {"tool", "post"})
        self.assertLessEqual(near.lower, sampled)
        self.assertLess(abs(sampled - near.upper), 1e-3)

    def test_certify_and_verify(self):
        plan = self.plan
        certificate = allclear.certify(plan.problem, plan.trajectory, tube=True)
        self.assertTrue(certificate)
        self.assertGreater(certificate.tube["joints_to_contact"], 0.0)
        self.assertTrue(allclear.verify(plan.problem, certificate)[0])
        straight = allclear.Trajectory([0.0, 0.1], [plan.problem.start, plan.problem.goal],
                                       joints=plan.problem.joints)
        refused = allclear.certify(plan.problem, straight)
        self.assertFalse(refused.clear)
        self.assertTrue(refused.faults)
        with self.assertRaises(allclear.InputError):
            refused.proof()

    def test_files(self):
        plan = self.plan
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            written = plan.write(folder / "out", ros2=folder / "ros2.yaml", rate=100.0)
            self.assertEqual(sorted(p.name for p in written),
                             ["certificate.json", "plan.proof", "ros2.yaml", "trajectory.csv",
                              "trajectory.json"])
            for path in written:
                self.assertGreater(path.stat().st_size, 100)
            rows = allclear.load_trajectory(folder / "out/trajectory.csv", plan.problem)
            self.assertTrue(allclear.certify(plan.problem, rows).clear)
            stored = allclear.Certificate.load(folder / "out/certificate.json")
            self.assertTrue(allclear.verify(plan.problem, stored)[0])
            self.assertTrue(plan.certificate.proof().startswith("allclear"))
            text = plan.trajectory.json()
            self.assertEqual(allclear.Trajectory.from_json(text).json(), text)

    def test_only_certified_plans_are_written(self):
        stuck = allclear.plan(impossible(), time_limit=1.0)
        self.assertFalse(stuck)
        self.assertIn(stuck.status, ("not_found", "timed_out"))
        self.assertTrue(stuck.message)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(allclear.InputError):
                stuck.write(csv=Path(folder) / "rows.csv")
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertIn(stuck.status.replace("_", " ").capitalize(), stuck._repr_html_())

    def test_a_notebook_shows_it(self):
        page = self.plan._repr_html_()
        self.assertIn("<b style=\"color:#009e73\">Certified</b>", page)
        self.assertEqual(page.count("<svg"), page.count("</svg>"))
        self.assertGreaterEqual(page.count("<polyline"), 2)
        self.assertIn("post", page)
        self.assertNotIn("<script", page)
        for pair in self.plan.clearances():
            # A proven bound is below every distance during its time.
            for start, end, lower in pair.bounds:
                inside = (pair.times >= start) & (pair.times <= end)
                self.assertTrue((pair.distances[inside] >= lower - 1e-9).all())

    def test_the_same_seed_gives_the_same_plan(self):
        again = allclear.plan(problem(), improve="none", seed=3, threads=1)
        self.assertEqual(again.trajectory.json(), self.plan.trajectory.json())


class Distances(unittest.TestCase):
    def test_of_two_shapes(self):
        ball, box = allclear.Shape.sphere(0.5), allclear.Shape.box((2, 2, 2))
        found = allclear.signed_distance(ball, box, allclear.pose((0.0, 0.0, 2.5)))
        self.assertAlmostEqual(found.distance, 1.0)
        np.testing.assert_allclose(found.witness_b - found.witness_a, found.normal * found.distance)

    def test_over_time_brackets_samples(self):
        rng = np.random.default_rng(2)
        box = allclear.Shape.box((0.3, 0.2, 0.1))
        hull = allclear.Shape.hull(rng.normal(size=(12, 3)) * 0.2)
        times = [0.0, 0.7, 2.0]
        poses = [allclear.pose(rng.normal(size=3), rpy=rng.normal(size=3)) for _ in times]
        found = allclear.least_distance(box, hull, poses, np.eye(4), times, tolerance=1e-4)
        scene = allclear.Scene()
        scene.add("box", box)
        scene.move("box", times, poses)
        sampled = min(allclear.signed_distances(
            box, hull, [scene.pose("box", t) for t in np.linspace(0, 2, 2001)], np.eye(4)))
        self.assertLessEqual(found.lower, sampled)
        self.assertLess(abs(found.upper - sampled), 1e-3)
        self.assertLessEqual(found.upper - found.lower, 1.1e-4)

    def test_ellipsoids_agree_with_spheres(self):
        rng = np.random.default_rng(3)
        n = 100
        a, b = rng.uniform(0.1, 1.0, (2, n))
        turns = np.tile(np.eye(3), (n, 1, 1))
        centres = rng.normal(size=(n, 3))
        gauges = allclear.ellipsoid_gauges(np.repeat(a[:, None], 3, 1), np.repeat(b[:, None], 3, 1),
                                           turns, centres)
        np.testing.assert_allclose(gauges, np.linalg.norm(centres, axis=1) / (a + b), rtol=1e-12)

    def test_ellipsoids_are_turned_the_right_way(self):
        # A long ellipsoid turned onto the y axis touches a ball there, and not along x.
        turn = allclear.pose(rpy=(0, 0, math.pi / 2))[:3, :3]
        gauge = allclear.ellipsoid_gauges([(1, 1, 1)], [(3, 1, 1)], [turn], [(0, 4, 0)])
        np.testing.assert_allclose(gauge, [1.0], rtol=1e-9)
        lower = allclear.ellipsoid_gauges([(1, 1, 1)], [(3, 1, 1)], [turn], [(0, 5, 0)], lower=True)
        self.assertLessEqual(lower[0], 1.25 + 1e-9)
        with self.assertRaises(allclear.InputError):
            allclear.ellipsoid_gauges([(1, 1, 0)], [(3, 1, 1)], [turn], [(0, 4, 0)])


class Version(unittest.TestCase):
    def test_it_is_the_projects(self):
        self.assertIn(f"VERSION {allclear.__version__} ", (SOURCE / "CMakeLists.txt").read_text())
        self.assertTrue(all(hasattr(allclear, name) for name in allclear.__all__))


if __name__ == "__main__":
    unittest.main()
