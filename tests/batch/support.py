"""What the tests of `allclear batch` share: small tasks, runs, and what must be equal of two runs."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

TASK = """name: {name}
robot: {{urdf: arm.urdf, srdf: arm.srdf}}
group_name: arm
start_state: {{group_state: ready}}
goal: {{joint_constraints: {{shoulder: {shoulder}, elbow: 0.9}}}}
scene:
  collision_objects:
    - {{id: post, type: box, dimensions: [0.1, 0.1, 0.6], pose: {{position: [0.9, 0.5, 0.6]}}}}
solver: {{improve: none}}
"""
SCENE = "- {id: post, type: box, dimensions: [0.1, 0.1, 0.6], pose: {position: [0.9, 0.5, 0.6]}}\n"
SWEEP = """task: task.yaml
values:
  goal.joint_constraints.shoulder: {from: -0.9, to: 0.9, count: %d}
  goal.joint_constraints.elbow: [0.4, 0.9]
"""
TIMES = {"seconds", "load_seconds", "write_seconds", "finished"}


class Place:
    """A folder with the small arm and tasks; removed at the end."""

    def __init__(self, source):
        self.path = tempfile.mkdtemp(prefix="allclear_batch_")
        robot = os.path.join(source, "tests", "config", "robot")
        for name in os.listdir(robot):
            shutil.copy(os.path.join(robot, name), self.path)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def task(self, name, shoulder=0.5, file=None):
        return self.write(file or name + ".yaml", TASK.format(name=name, shoulder=shoulder))

    def sweep(self, count):
        self.task("task")
        return self.write("sweep.yaml", SWEEP % count)

    def run(self, name):
        return os.path.join(self.path, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def batch(command, *arguments, hooks=False, code=0, env=None):
    """Runs `allclear batch` to its end and checks its exit code. Returns what it printed."""
    environment = {**os.environ, **(env or {})}
    if hooks:
        environment["ALLCLEAR_BATCH_HOOKS"] = "1"
    done = subprocess.run([command, "batch", *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == code, (done.returncode, arguments, done.stdout, done.stderr)
    return done.stdout + done.stderr


def rows(run, skip=TIMES):
    """The rows by number, without what may differ between two runs."""
    with sqlite3.connect(os.path.join(run, "results.sqlite")) as database:
        database.row_factory = sqlite3.Row
        found = database.execute("SELECT * FROM results ORDER BY number").fetchall()
    return [{key: row[key] for key in row.keys() if key not in skip} for row in found]


def plans(run):
    """The content of every file of the plans by path."""
    out = {}
    top = os.path.join(run, "plans")
    for folder, _, names in os.walk(top):
        if ".unfinished" in folder:
            continue
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                out[os.path.relpath(path, top)] = file.read()
    return out


def check_same(run, reference, count):
    """Every query once, with the same row and the same plan."""
    assert [row["number"] for row in rows(run)] == list(range(count)), "every query has one row"
    for row, other in zip(rows(run), rows(reference)):
        assert row == other, (row, other)
    own, others = plans(run), plans(reference)
    assert own.keys() == others.keys(), own.keys() ^ others.keys()
    different = [path for path in own if own[path] != others[path]]
    assert not different, different
    for row in rows(run):
        assert not json.loads(row["files"]) or os.path.isdir(os.path.join(run, row["folder"]))


def children(pid):
    """Processes that this one has started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def is_sanitized(command):
    """Whether the program has a sanitizer in it, whose shadow memory no limit of memory leaves room for."""
    with open(command, "rb") as file:
        content = file.read()
    return b"__asan_" in content or b"__tsan_" in content


def main(tests):
    """Calls every test with the command and the source folder."""
    command, source = sys.argv[1:3]
    for test in tests:
        test(command, source)
        print("passed:", test.__doc__.split("\n")[0], flush=True)
    return 0
