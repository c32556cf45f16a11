"""What the guards of the hardened build cost.

Run as: slowdown.py BUILD_FOLDER HARDENED_FOLDER SOURCE_FOLDER [--rounds N]

Plans and certifies the same examples by both builds in turns, so that other work on the machine meets
both alike, and compares the least processor times. Exit code 1 when the hardened build takes over 5 % more
in all.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 1.05
TASKS = ["shelf", "upright", "moving_obstacle", "two_arms"]


def processor_seconds(words):
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return usage.ru_utime + usage.ru_stime


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("release", type=Path)
    arguments.add_argument("hardened", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--rounds", type=int, default=7)
    options = arguments.parse_args()
    commands = [(folder / "apps" / "allclear").resolve() for folder in (options.release, options.hardened)]
    sums = [0.0, 0.0]
    with tempfile.TemporaryDirectory(prefix="allclear_slowdown_") as scratch:
        out = Path(scratch) / "out"
        for name in TASKS:
            task = options.source / "examples" / name / "task.yaml"
            jobs = {"plan": lambda c: [c, "plan", task, "--threads", 1, "--time-limit", 600, "--no-cache", "-o", out],
                    "certify": lambda c: [c, "certify", task, out / "trajectory.csv"]}
            for job, words in jobs.items():
                least = [min(times) for times in zip(*[[processor_seconds(words(c)) for c in commands]
                                                       for _ in range(options.rounds)])]
                sums = [s + t for s, t in zip(sums, least)]
                print(f"{job:8} {name:18} {least[0]:7.3f} s {least[1]:7.3f} s  {least[1] / least[0]:.3f}", flush=True)
    ratio = sums[1] / sums[0]
    print(f"the hardened build takes {ratio:.3f} times the release build's time")
    return 1 if ratio > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
