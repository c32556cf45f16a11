"""The whole of it without a file: a robot by names, a scene in code, a plan, its samples, and how near
two bodies come. Usage: workcell.py ROBOT.urdf ROBOT.srdf"""

import sys

import allclear


def main(urdf: str, srdf: str) -> int:
    robot = allclear.Robot(urdf, srdf)
    start = robot.group("arm").state("ready")

    scene = allclear.Scene()
    scene.add_box("post", size=(0.1, 0.1, 1.2), position=(0.45, 0.45, 0.6))
    scene.add_floor(height=-0.001)
    scene.attach("part", robot, "tool", allclear.Shape.sphere(0.03), position=(0.0, 0.0, 0.1))

    problem = allclear.Problem(robot, "arm", start=start, goal={"joint1": 1.5, "joint2": 0.2},
                               scene=scene, margin=0.005)
    print("at the start:", problem.closest_pair())

    plan = allclear.plan(problem)
    print(plan.message)
    if not plan.certified:
        return 3
    samples = plan.sample(rate=100.0)
    print(f"{len(samples.times)} samples; joint1 ends at {samples.positions[-1, 0]:.3f} rad")
    least = plan.least_distance("part", "post")
    print(f"'part' and 'post' are never nearer than {least.lower:.4f} m: at t = {least.t:.2f} s")
    return 0 if least.lower >= problem.margin else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except allclear.InputError as error:
        sys.exit(f"{error}")
