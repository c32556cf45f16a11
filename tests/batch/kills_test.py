#!/usr/bin/env python3
"""A batch that is killed at random moments, and its workers, ends as one that nobody disturbed: every
query once, the same rows but for times, the same bytes. 20 moments with ALLCLEAR_LONG=1, else 6.

Usage: kills_test.py ALLCLEAR SOURCE_DIR
"""
import os
import random
import subprocess
import sys
import time

from support import Place, batch, check_same, children, kill, main

MOMENTS = 20 if os.environ.get("ALLCLEAR_LONG") == "1" else 6
QUERIES = 300


def killed_at_random_moments(command, source):
    """SIGKILL to the batch and to its workers."""
    draw = random.Random(22)
    with Place(source) as place:
        arguments = ["--sweep", place.sweep(QUERIES // 2), "--workers", "2"]
        begin = time.monotonic()
        batch(command, *arguments, "-o", place.run("calm"))
        seconds = time.monotonic() - begin
        killed = {"batch": 0, "worker": 0}
        for round_number in range(100):
            # Once all is solved, what is left of the moments goes to a run from the beginning.
            run = place.run(f"run{round_number}")
            while sum(killed.values()) < MOMENTS:
                process = subprocess.Popen([command, "batch", *arguments, "-o", run], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                workers = disturb(process, draw, seconds, killed)
                process.wait()
                for pid in workers:
                    wait_until_gone(pid)
                if process.returncode == 0:
                    break
            batch(command, *arguments, "-o", run)
            check_same(run, place.run("calm"), QUERIES)
            if sum(killed.values()) >= MOMENTS:
                break
        print("killed:", killed)


def disturb(process, draw, seconds, killed):
    """Kills a worker now and then, and at last the batch, unless that is faster. Returns all workers seen."""
    seen = set()
    end = time.monotonic() + draw.uniform(0.05, 0.6) * seconds
    while time.monotonic() < end and process.poll() is None:
        workers = children(process.pid)
        seen.update(workers)
        if workers and draw.random() < 0.06 and kill(draw.choice(workers)):
            killed["worker"] += 1
        time.sleep(draw.uniform(0.01, 0.2))
    seen.update(children(process.pid))
    if process.poll() is None and kill(process.pid):
        killed["batch"] += 1
    return seen


def wait_until_gone(pid):
    """A worker ends by itself when its batch has gone."""
    for _ in range(3000):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except OSError:
            return
        time.sleep(0.01)
    raise AssertionError(f"worker {pid} has outlived its batch")


if __name__ == "__main__":
    sys.exit(main([killed_at_random_moments]))
