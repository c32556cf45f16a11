"""Long use, and ends at any moment.

Run as: soak.py BUILD_FOLDER SOURCE_FOLDER [--plans N] [--kills N] [--rounds N] [--part NAME]

Parts:
  plans   N plans in one process, on two threads: flat memory, and the bytes of fresh processes
  kills   N kills (SIGKILL) at random instants of `plan`, `certify` and `batch`: every file is that of the
          run before or that of this one, and the next run leaves none but its own
  folder  three processes that write one folder at once, N rounds: its files are whole
  disk    a full disk leaves the old files, and is an error
  locale  a comma locale changes no byte
  clock   a wall clock that jumps by days, both ways, changes neither plan nor time limit (skipped without
          faketime)
Prints a line for each part; exit code 1 when one fails.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = ["trajectory.csv", "trajectory.json", "certificate.json", "plan.proof"]
TASK = """robot: {{urdf: arm.urdf, srdf: arm.srdf}}
group_name: arm
start_state: {{group_state: ready}}
goal: {{joint_constraints: {{shoulder: {shoulder}, elbow: {elbow}}}}}
scene:
  collision_objects:
    - {{id: post, type: box, dimensions: [0.1, 0.1, 0.6], pose: {{position: [0.9, 0.5, 0.6]}}}}
solver: {{improve: none, time_limit: 600, threads: 1}}
"""
SWEEP = """task: task0.yaml
values:
  goal.joint_constraints.shoulder: {from: -0.9, to: 0.9, count: 12}
"""


def digests(folder):
    """SHA-256 of the files of a plan by name; of those that are there."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES
            if (folder / name).exists()}


class Soak:
    def __init__(self, build, source, options):
        self.command = build / "apps" / "allclear"
        self.program = build / "tests" / "reliability" / "soak_plans"
        self.options = options
        self.home = Path(tempfile.mkdtemp(prefix="allclear_soak_"))
        self.draw = random.Random(24)
        for file in (source / "tests" / "config" / "robot").iterdir():
            shutil.copy(file, self.home)
        self.tasks = []
        for i, (shoulder, elbow) in enumerate([(0.5, 0.9), (-0.7, 0.4), (0.9, -0.6), (0.2, 1.6)]):
            self.tasks.append(self.home / f"task{i}.yaml")
            self.tasks[-1].write_text(TASK.format(shoulder=shoulder, elbow=elbow))
        self.fresh = []  # digests of each task's files from a process of its own
        for i, task in enumerate(self.tasks):
            self.plan(task, self.home / f"fresh{i}")
            self.fresh.append(digests(self.home / f"fresh{i}"))
            assert len(self.fresh[-1]) == len(FILES), "a light task has a plan"

    def words(self, task, out):
        return [self.command, "plan", task, "--quiet", "--no-cache", "-o", out]

    def run(self, words, code=0, **more):
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
        assert done.returncode == code, (done.returncode, words, done.stdout[-500:], done.stderr[-500:])
        return done.stdout + done.stderr

    def plan(self, task, out, **more):
        return self.run(self.words(task, out), **more)

    def killed(self, words, longest):
        """Starts a process group and kills it after a random part of `longest` seconds; whether it was alive."""
        process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            process.wait(self.draw.uniform(0.0, longest))
        except subprocess.TimeoutExpired:
            pass
        alive = process.poll() is None
        if alive:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return alive

    def seconds_of(self, words):
        begin = time.monotonic()
        self.run(words)
        return time.monotonic() - begin

    # Parts. Each returns what it did.

    def plans(self):
        count = self.options.plans
        text = self.run([self.program, count, 2, *self.tasks])
        seen = {}
        for line in text.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in FILES:
                seen.setdefault(words[0], {})[words[1]] = words[2]
        for task, fresh in zip(self.tasks, self.fresh):
            assert seen[str(task)] == fresh, ("other bytes than a fresh process", task)
        return text.splitlines()[-1].removeprefix("soak: ") + "; the bytes of fresh processes"

    def kills(self):
        each = self.options.kills // 3
        return (f"{self.kill_plans(each)} of plan, {self.kill_certificates(each)} of certify, "
                f"{self.kill_batches(self.options.kills - 2 * each)} of batch")

    def kill_plans(self, count):
        out = self.home / "killed"
        self.plan(self.tasks[0], out)
        seconds = self.seconds_of(self.words(self.tasks[0], out))
        before, kills, mixed = 0, 0, 0
        while kills < count:
            now = self.draw.randrange(len(self.tasks))
            kills += self.killed(self.words(self.tasks[now], out), 1.1 * seconds)
            found = digests(out)
            assert found.keys() == set(FILES), ("a file is gone", found.keys())
            known = [self.fresh[before], self.fresh[now]]
            for name in FILES:
                assert found[name] in [k[name] for k in known], ("neither the old file nor the new one", name)
            # Between two renames a kill leaves files of two runs; the certificate's hashes tell.
            if found not in known:
                mixed += 1
                self.run([self.command, "certify", self.tasks[now], out / "trajectory.csv", "--verify",
                          out / "certificate.json"], code=3)
            self.plan(self.tasks[now], out)
            before = now
            assert sorted(os.listdir(out)) == sorted(FILES), ("the next run cleans up", os.listdir(out))
        return f"{kills} ({mixed} between two renames)"

    def kill_certificates(self, count):
        folder = self.home / "certified"
        folder.mkdir()
        words, wholes = [], []
        for i in range(2):
            words.append([self.command, "certify", self.tasks[i], self.home / f"fresh{i}" / "trajectory.csv",
                          "--certificate", folder / "c.json", "--proof", folder / "p.proof"])
            seconds = self.seconds_of(words[i])
            wholes.append({name: (folder / name).read_bytes() for name in ["c.json", "p.proof"]})
        kills = 0
        while kills < count:
            kills += self.killed(words[self.draw.randrange(2)], 1.1 * seconds)
            for name in ["c.json", "p.proof"]:
                assert (folder / name).read_bytes() in [w[name] for w in wholes], ("half a file", name)
        self.run(words[0])
        assert sorted(os.listdir(folder)) == ["c.json", "p.proof"], os.listdir(folder)
        return kills

    def kill_batches(self, count):
        sweep = self.home / "sweep.yaml"
        sweep.write_text(SWEEP)
        words = [self.command, "batch", "--sweep", sweep, "--workers", 2, "--quiet"]
        calm = self.home / "calm"
        seconds = self.seconds_of(words + ["-o", calm])
        kills = runs = 0
        while kills < count:
            run = self.home / f"batch{runs}"
            runs += 1
            # Killed again and again until all is done: what is left becomes shorter.
            while kills < count and self.killed(words + ["-o", run], seconds):
                kills += 1
            self.run(words + ["-o", run])
            assert self.rows(run) == self.rows(calm), "every query once, as without kills"
            assert self.files(run) == self.files(calm), "the same files"
            shutil.rmtree(run)
        return kills

    @staticmethod
    def rows(run):
        with sqlite3.connect(run / "results.sqlite") as database:
            return database.execute("SELECT number,id,status,duration,clearance,trajectory_sha256,folder FROM results "
                                    "ORDER BY number").fetchall()

    @staticmethod
    def files(run):
        return {str(p.relative_to(run)): p.read_bytes() for p in sorted((run / "plans").rglob("*")) if p.is_file()}

    def folder(self):
        out = self.home / "shared"
        for _ in range(self.options.rounds):
            processes = [subprocess.Popen([str(w) for w in self.words(task, out)], stdout=subprocess.DEVNULL)
                         for task in self.tasks[:3]]
            for process in processes:
                assert process.wait() == 0
            found = digests(out)
            for name in FILES:
                assert found[name] in [f[name] for f in self.fresh], ("no run's whole file", name)
            assert sorted(os.listdir(out)) == sorted(FILES), os.listdir(out)
        return f"{self.options.rounds} rounds of three processes"

    def disk(self):
        out = self.home / "small"
        out.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(out)],
                                 capture_output=True).returncode == 0
        try:
            if mounted:
                old = {name: b"old" for name in FILES}
                for name in FILES:
                    (out / name).write_bytes(old[name])
                with open(out / "ballast", "wb", buffering=0) as ballast:  # until there is no room
                    try:
                        while ballast.write(b"x" * 4096):
                            pass
                    except OSError:
                        pass
                text = self.plan(self.tasks[0], out, code=2)
                assert "No space left" in text, text
                assert all((out / name).read_bytes() == old[name] for name in FILES), "the old files stay"
                assert sorted(os.listdir(out)) == sorted(FILES + ["ballast"]), os.listdir(out)
        finally:
            if mounted:
                subprocess.run(["umount", str(out)], check=True)
        with open("/dev/full", "w") as full:
            done = subprocess.run([str(self.command), "plan", str(self.tasks[0]), "--json"], stdout=full,
                                  stderr=subprocess.PIPE)
        assert done.returncode == 2, done
        self.run([self.command, "plan", self.tasks[0], "--csv", "/dev/full", "--quiet"], code=2)
        return "a small disk and /dev/full" if mounted else "/dev/full (no right to mount a small disk)"

    def locale(self):
        out = self.home / "foreign"
        is_made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", str(self.home / "de_DE.UTF-8")],
            capture_output=True).returncode == 0
        environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LOCPATH": str(self.home)}
        self.plan(self.tasks[0], out, env=environment)
        assert digests(out) == self.fresh[0], "other bytes"
        return "de_DE.UTF-8" if is_made else "de_DE.UTF-8, which could not be made here (package locales)"

    def clock(self):
        if shutil.which("faketime") is None:
            return "skipped: no faketime"
        # faketime would move the steady clock too, which no system call can set.
        environment = {**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}
        out = self.home / "clock"
        tries = 0
        for offset in ["-2000d", "+2000d"]:
            self.run(["faketime", "-f", offset, *self.words(self.tasks[0], out)], env=environment)
            assert digests(out) == self.fresh[0], ("other bytes", offset)
            tries += 1
        # The clock jumps back by a day during the run: what it shows is in a file.
        stamp = self.home / "now"
        stamp.write_text("@2030-01-02 00:00:00\n")
        environment["FAKETIME_TIMESTAMP_FILE"] = str(stamp)
        hard = self.home / "long.yaml"
        hard.write_text(self.tasks[0].read_text().replace("improve: none", "improve: all"))
        preload = self.run(["faketime", "-f", "+0", "printenv", "LD_PRELOAD"]).strip()
        environment["LD_PRELOAD"] = preload  # without the program's own variable, which would win
        words = [*self.words(hard, out), "--time-limit", "1"]
        shown = self.run(["date", "+%Y"], env=environment).strip()
        assert shown == "2030", ("the wall clock is not faked", shown)
        begin = time.monotonic()
        process = subprocess.Popen([str(w) for w in words], env=environment, stdout=subprocess.PIPE, text=True)
        time.sleep(0.4)
        stamp.write_text("@2030-01-01 00:00:00\n")
        process.communicate(timeout=60)
        assert process.returncode == 0 and time.monotonic() - begin < 30.0, "the time limit is the steady clock's"
        return f"{tries + 1} jumps by up to 2000 days"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--plans", type=int, default=10000)
    arguments.add_argument("--kills", type=int, default=500)
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--part", action="append")
    options = arguments.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    soak = Soak(options.build.resolve(), options.source.resolve(), options)
    failed = False
    for part in options.part or ["plans", "kills", "folder", "disk", "locale", "clock"]:
        try:
            print(f"soak: {part}: {getattr(soak, part)()}", flush=True)
        except AssertionError as error:
            failed = True
            print(f"soak: {part}: FAILED: {error}", flush=True)
    shutil.rmtree(soak.home, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
