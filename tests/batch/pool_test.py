#!/usr/bin/env python3
"""`allclear batch` as a user meets it: any number of workers, queries that crash, hang and eat memory,
many tiny ones, Ctrl-C, other inputs.

Usage: pool_test.py ALLCLEAR SOURCE_DIR
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

from support import SCENE, TASK, Place, batch, check_same, is_sanitized, main, plans, rows

LONG = os.environ.get("ALLCLEAR_LONG") == "1"


def workers_do_not_matter(command, source):
    """One worker and three leave the same rows and the same bytes."""
    with Place(source) as place:
        sweep = place.sweep(4)
        bad = place.task("bad", shoulder="'far'")
        printed = batch(command, bad, "--sweep", sweep, "-o", place.run("one"), "--workers", "1", code=3)
        assert "9 of 9 queries: 8 certified, 1 bad_input" in printed, printed
        batch(command, bad, "--sweep", sweep, "-o", place.run("three"), "--workers", "3", "--quiet", code=3)
        check_same(place.run("three"), place.run("one"), 9)
        assert len(plans(place.run("one"))) == 4 * 8
        found = rows(place.run("one"))
        assert "bad.yaml:5: goal.joint_constraints.shoulder" in found[0]["message"], found[0]
        assert '"goal.joint_constraints.elbow":0.4' in found[1]["parameters"], found[1]
        # A second call has nothing to do, and says so.
        again = batch(command, bad, "--sweep", sweep, "-o", place.run("one"), code=3)
        assert "9 of 9 queries" in again, again


def sequences_are_queries(command, source):
    """A task with segments is one row, with the folder that `allclear plan -o` leaves; and has a report."""
    with Place(source) as place:
        text = open(place.task("task")).read()
        goal = text[text.index("goal:"):text.index("scene:")]
        text = text.replace(goal, "")
        task = place.write("two.yaml", text + "segments:\n  - {name: there, %s}\n  - {attach: post, link: forearm}\n"
                           "  - {name: back, goal: {group_state: ready}}\n" % goal.strip().replace("post", "pole"))
        wrong = place.write("wrong.yaml", open(task).read().replace("attach: post", "attach: past"))
        batch(command, task, wrong, "-o", place.run("run"), "--workers", "1", code=3)
        found = rows(place.run("run"))
        assert [row["status"] for row in found] == ["certified", "bad_input"], found
        assert found[0]["duration"] > 0.0 and "'post' is taken up by 'forearm'" in found[0]["message"], found
        folder = os.path.join(place.run("run"), found[0]["folder"])
        assert sorted(os.listdir(folder)) == ["1_there", "2_back", "sequence.json", "trajectory.csv", "trajectory.json"]
        subprocess.run([command, "certify", task, folder, "--verify", os.path.join(folder, "sequence.json")], check=True,
                       capture_output=True)
        subprocess.run([command, "report", place.run("run"), "--plan", "0"], check=True, capture_output=True)
        assert "report.html" in os.listdir(folder)
        # What is not kept is not there.
        batch(command, task, "-o", place.run("few"), "--workers", "1", "--files", "csv")
        kept = os.path.join(place.run("few"), rows(place.run("few"))[0]["folder"])
        assert sorted(os.listdir(kept)) == ["1_there", "2_back", "trajectory.csv"], os.listdir(kept)
        assert os.listdir(os.path.join(kept, "1_there")) == ["trajectory.csv"]


def one_failure_is_one_row(command, source):
    """A query that aborts, one that hangs, one that eats memory: one row each, the others untouched."""
    with Place(source) as place:
        if is_sanitized(command):
            print("skipped: memory cannot be limited under a sanitizer")
            return
        names = ["good", "hook:abort", "hook:hang", "hook:eat", "fine"]
        tasks = [place.task(name, file=f"{at}.yaml") for at, name in enumerate(names)]
        limits = ["--kill-after", "20", "--memory-limit", "1500", "--workers", "2"]
        batch(command, *tasks, "-o", place.run("run"), *limits, hooks=True, code=3)
        found = rows(place.run("run"))
        assert [row["status"] for row in found] == ["certified", "crashed", "hung", "out_of_memory", "certified"], found
        assert "SIGABRT" in found[1]["message"], found[1]
        batch(command, tasks[0], tasks[4], "-o", place.run("alone"), "--workers", "1")
        calm, wild = plans(place.run("alone")), plans(place.run("run"))
        assert sorted(calm.values()) == sorted(wild.values())
        # The cause gone, the failed ones are solved, and no others.
        before = rows(place.run("run"), skip=set())
        batch(command, *tasks, "-o", place.run("run"), "--retry-failed")
        after = rows(place.run("run"), skip=set())
        assert [row["status"] for row in after] == ["certified"] * 5, after
        assert after[0]["finished"] == before[0]["finished"] and after[1]["finished"] > before[1]["finished"]


def many_tiny_ones(command, source):
    """Tiny queries go through the pool in bounded memory."""
    count = 100_000 if LONG else 2_000
    with Place(source) as place:
        place.task("hook:none", file="task.yaml")
        sweep = place.write("sweep.yaml", "task: task.yaml\nvalues:\n  goal.joint_constraints.shoulder: "
                            "{from: 0, to: 1, count: %d}\n" % count)
        begin = time.monotonic()
        batch(command, "--sweep", sweep, "-o", place.run("run"), "--workers", "2", hooks=True)
        seconds = time.monotonic() - begin
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{count} queries: {count / seconds:.0f} per second, the largest process took {peak:.0f} MB")
        assert [row["number"] for row in rows(place.run("run"))] == list(range(count))
        assert peak < 400


def ctrl_c_stops_cleanly(command, source):
    """Ctrl-C ends the batch and its workers; the same command goes on."""
    with Place(source) as place:
        arguments = ["--sweep", place.sweep(8), "-o", place.run("run"), "--workers", "2"]
        process = subprocess.Popen([command, "batch", *arguments], stdout=subprocess.PIPE, text=True)
        wait_for_rows(place.run("run"), 2)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 130 and "Interrupted" in printed, (process.returncode, printed)
        assert not os.path.exists(os.path.join(place.run("run"), "scratch"))
        batch(command, *arguments)
        batch(command, "--sweep", place.run("sweep.yaml"), "-o", place.run("calm"))
        check_same(place.run("run"), place.run("calm"), 16)


def wait_for_rows(run, count):
    """Until that many rows are there."""
    for _ in range(6000):
        try:
            if len(rows(run)) >= count:
                return
        except Exception:  # not made yet
            pass
        time.sleep(0.01)
    raise AssertionError("no rows")


def others_are_refused(command, source):
    """A run is not gone on with by other inputs or settings, and wrong ones leave nothing behind."""
    with Place(source) as place:
        task, other = place.task("task"), place.task("other")
        batch(command, task, "-o", place.run("run"))
        assert "other inputs" in batch(command, task, other, "-o", place.run("run"), code=2)
        assert "other settings" in batch(command, task, "--seed", "3", "-o", place.run("run"), code=2)
        place.task("task", shoulder=0.25)
        assert "have changed" in batch(command, task, "-o", place.run("run"), code=2)
        # The robot of a sweep is looked at, too.
        sweep, run = place.sweep(2), place.run("sweep")
        batch(command, "--sweep", sweep, "-o", run, "--quiet")
        shutil.rmtree(os.path.join(run, "plans", "000000", "000000002"))
        with open(place.run("arm.urdf"), "a") as file:
            file.write("<!-- another -->")
        assert "4 rows rest on files that have changed since: " + place.run("arm.urdf") in \
            batch(command, "--sweep", sweep, "-o", run, code=2)
        # Where all is solved again it may be another one.
        batch(command, "--sweep", sweep, "-o", run, "--quiet", "--retry-changed")
        assert len({row["robot_sha256"] for row in rows(run)}) == 1
        assert "no such file" in batch(command, "nothing.yaml", "-o", place.run("none"), code=2)
        assert "name tasks" in batch(command, "-o", place.run("none"), code=2)
        assert "-o: must name a folder" in batch(command, task, "-o", "", code=2)
        assert "is empty" in batch(command, "", "-o", place.run("none"), code=2)
        for option in ("--time-limit", "--kill-after"):
            assert option in batch(command, task, option, "nan", "-o", place.run("none"), code=2)
        assert "leads nowhere" in batch(command, "--sweep", place.write("s.yaml", "task: task.yaml\nvalues: {name.x: [1]}\n"),
                                        "-o", place.run("none"), code=2)
        assert not os.path.exists(place.run("none"))


def changed_files_are_seen(command, source):
    """A row rests on the robot, the scene and the meshes that it was made of: as they are now, or it does not count."""
    with Place(source) as place:
        scene, run = place.write("scene.yaml", SCENE), place.run("run")
        tasks = [place.write(f"{name}.yaml", TASK.format(name=name, shoulder=0.5).split("scene:")[0] + more)
                 for name, more in (("with", "scene: {file: scene.yaml}\n"), ("without", ""))]
        batch(command, *tasks, "-o", run)
        before = rows(run)
        batch(command, *tasks, "-o", run)
        os.utime(scene)  # touched, and the same
        batch(command, *tasks, "-o", run)
        assert rows(run) == before
        place.write("scene.yaml", SCENE.replace("0.9, 0.5, 0.6", "0.9, 0.5, 0.7"))
        said = batch(command, *tasks, "-o", run, code=2)
        assert f"1 row rests on files that have changed since: {scene}." in said and "--retry-changed" in said, said
        shown = subprocess.run([command, "report", run], capture_output=True, text=True)
        assert shown.returncode == 0, shown
        assert "1 row rests on files" in open(os.path.join(run, "report.html")).read()
        refused = subprocess.run([command, "report", run, "--plan", "0"], capture_output=True, text=True)
        assert refused.returncode == 2 and "its files have changed" in refused.stderr, refused
        batch(command, *tasks, "-o", run, "--retry-changed")
        after = rows(run)
        assert before[1] == after[1] and before[0]["task_sha256"] != after[0]["task_sha256"]
        batch(command, *tasks, "-o", run)
        # What could not be read is tried again once it is another.
        place.write("scene.yaml", "- {id: post, typ: box}\n")
        batch(command, *tasks, "-o", run, "--retry-changed", code=3)
        assert [row["status"] for row in rows(run)] == ["bad_input", "certified"]
        place.write("scene.yaml", SCENE)
        batch(command, *tasks, "-o", run, "--retry-changed")
        assert [row["status"] for row in rows(run)] == ["certified", "certified"]


def the_report_shows_the_run(command, source):
    """`allclear report RUN` writes a page, and the report of a plan where asked for."""
    with Place(source) as place:
        sweep, run = place.sweep(2), place.run("run")
        batch(command, "--sweep", sweep, "-o", run)
        shown = subprocess.run([command, "report", run], capture_output=True, text=True)
        assert shown.returncode == 0, shown
        plan = subprocess.run([command, "report", run, "--plan", "3"], capture_output=True, text=True)
        assert plan.returncode == 0, plan
        assert os.path.exists(os.path.join(run, "plans", "000000", "000000003", "report.html"))
        subprocess.run([command, "report", run], check=True, capture_output=True)
        page = open(os.path.join(run, "report.html")).read()
        assert "4 of 4 queries have a certified plan" in page and "000000003/report.html" in page
        missing = subprocess.run([command, "report", run, "--plan", "17"], capture_output=True, text=True)
        assert missing.returncode == 2 and "no such query" in missing.stderr, missing


if __name__ == "__main__":
    # The tiny ones first: the peak of memory is that of all processes so far.
    sys.exit(main([many_tiny_ones, workers_do_not_matter, sequences_are_queries, one_failure_is_one_row, ctrl_c_stops_cleanly,
                   others_are_refused, changed_files_are_seen, the_report_shows_the_run]))
