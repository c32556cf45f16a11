#!/usr/bin/env python3
"""The same queries by the workers of a Dask cluster on this machine: the same rows and bytes, whoever is
killed; files are sent once; other versions are refused; `allclear.batch` of Python.

Usage: dask_test.py ALLCLEAR SOURCE_DIR   (exit code 77: no python3-distributed, skipped)
"""
import importlib.util
import os
import random
import subprocess
import sys
import time

try:
    from distributed import Client, LocalCluster
except ImportError:
    # Debian's packages are those of its own Python.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: no python3-distributed")
    sys.exit(77)

from support import Place, batch, check_same, is_sanitized, kill, main, rows

QUERIES = 16
ENVIRONMENT = {"ALLCLEAR_PYTHON": sys.executable}


def python_module(source):
    """batch.py alone, as it must work without the rest of the package."""
    spec = importlib.util.spec_from_file_location("allclear_batch", os.path.join(source, "python", "allclear", "batch.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["allclear_batch"] = module
    spec.loader.exec_module(module)
    return module


class Cluster:
    """A scheduler and two workers of one thread each."""

    def __enter__(self):
        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                    silence_logs=50, host="127.0.0.1")
        self.client = Client(self.cluster)
        self.address = self.cluster.scheduler_address
        return self

    def worker_pids(self):
        try:
            return list(self.client.run(os.getpid).values())
        except Exception:  # one of them has just been killed
            return []

    def __exit__(self, *_):
        self.client.close()
        self.cluster.close()


def the_same_as_locally(command, source):
    """Rows and plans over Dask are those of the local pool; crashes and hangs are rows there, too."""
    with Place(source) as place, Cluster() as cluster:
        arguments = ["--sweep", place.sweep(QUERIES // 2)]
        batch(command, *arguments, "-o", place.run("local"))
        for name, more in (("dask", []), ("chunks", ["--chunk", "4"])):
            batch(command, *arguments, *more, "-o", place.run(name), "--scheduler", cluster.address, env=ENVIRONMENT)
            check_same(place.run(name), place.run("local"), QUERIES)
        if is_sanitized(command):
            print("skipped in part: memory cannot be limited under a sanitizer")
            return
        names = ["good", "hook:abort", "hook:hang", "hook:eat", "fine"]
        tasks = [place.task(name, file=f"{at}.yaml") for at, name in enumerate(names)]
        bad = place.task("bad", shoulder="'far'")
        limits = ["--kill-after", "20", "--memory-limit", "1500"]
        batch(command, *tasks, bad, "-o", place.run("local_bad"), *limits, "--workers", "2", hooks=True, code=3)
        batch(command, *tasks, bad, "-o", place.run("dask_bad"), *limits, "--scheduler", cluster.address, env=ENVIRONMENT,
              hooks=True, code=3)
        check_same(place.run("dask_bad"), place.run("local_bad"), 6)
        assert [row["status"] for row in rows(place.run("dask_bad"))][1:4] == ["crashed", "hung", "out_of_memory"]


def killed_workers_cost_nothing(command, source):
    """SIGKILL to Dask workers and to the batch at random moments: the same rows and bytes at the end."""
    draw = random.Random(5)
    queries = 30 * QUERIES
    with Place(source) as place, Cluster() as cluster:
        arguments = ["--sweep", place.sweep(queries // 2)]
        batch(command, *arguments, "-o", place.run("calm"), "--workers", "2")
        run = place.run("run")
        killed = {"batch": 0, "worker": 0}
        for stop_batch in (True, False):
            process = subprocess.Popen([command, "batch", *arguments, "-o", run, "--scheduler", cluster.address],
                                       env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL)
            time.sleep(draw.uniform(2.0, 4.0))
            for pid in cluster.worker_pids()[:1]:
                killed["worker"] += kill(pid)
            time.sleep(draw.uniform(0.2, 1.5))
            if stop_batch and process.poll() is None:
                killed["batch"] += kill(process.pid)
            process.wait(timeout=300)
        batch(command, *arguments, "-o", run, "--scheduler", cluster.address, env=ENVIRONMENT)
        check_same(run, place.run("calm"), queries)
        print("killed:", killed)
        assert killed["worker"] > 0


def the_python_function(command, source):
    """allclear.batch: paths and dicts, here and over Dask; every file goes to a worker once."""
    module = python_module(source)
    with Place(source) as place, Cluster() as cluster:
        batch(command, place.task("task"), "-o", place.run("run"))
        before = os.getcwd()
        os.chdir(place.path)  # where names in a dict are relative to
        task = {"robot": {"urdf": "arm.urdf", "srdf": "arm.srdf"}, "group_name": "arm", "name": "a dict",
                "start_state": {"group_state": "ready"}, "goal": {"joint_constraints": {"shoulder": 0.3}}}
        wrong = {**task, "goal": {"joint_constraints": {"sholder": 0.3}}, "name": "wrong"}
        found = {}
        for name, options in (("here", {"workers": 2}), ("dask", {"client": cluster.client})):
            results = list(module.batch(["task.yaml", task, wrong], command=command, **options))
            found[name] = sorted(results, key=lambda result: result.number)
            assert [r.status for r in found[name]] == ["certified", "certified", "bad_input"], [r.message for r in results]
        os.chdir(before)
        for here, dask in zip(found["here"], found["dask"]):
            assert here.files == dask.files and here.message == dask.message, (here.message, dask.message)
        assert "did you mean 'shoulder'" in found["here"][2].message, found["here"][2].message
        saved = place.run("saved")
        found["here"][0].save(saved)
        folder = os.path.join(place.run("run"), "plans", "000000", "000000000")
        for name in os.listdir(folder):
            assert open(os.path.join(folder, name), "rb").read() == open(os.path.join(saved, name), "rb").read(), name
        stored = cluster.client.run(lambda dask_worker: dask_worker.allclear["store"].stored
                                    if hasattr(dask_worker, "allclear") else 0)
        # Of task.yaml, the robot's two files, and the mesh-free scene: three files, and no more for the dicts.
        assert all(count <= 3 for count in stored.values()), stored


def there_is_back_pressure(command, source):
    """No more tasks are taken than there is room for."""
    module = python_module(source)
    with Place(source) as place, Cluster() as cluster:
        path = place.task("hook:none", file="task.yaml")
        taken, done, most = [0], [0], [0]

        def tasks():
            for _ in range(300):
                taken[0] += 1
                yield path

        os.environ["ALLCLEAR_BATCH_HOOKS"] = "1"
        cluster.client.run(os.environ.__setitem__, "ALLCLEAR_BATCH_HOOKS", "1")
        for result in module.batch(tasks(), client=cluster.client, command=command):
            assert result.certified, result.message
            done[0] += 1
            most[0] = max(most[0], taken[0] - done[0])
        del os.environ["ALLCLEAR_BATCH_HOOKS"]
        assert done[0] == 300 and most[0] <= 2 * module.FUTURES_PER_THREAD + 2, (done, most)


def others_are_refused(command, source):
    """Without a scheduler there is a line and exit code 2; workers with another version are refused."""
    module = python_module(source)
    with Place(source) as place:
        printed = batch(command, place.task("task"), "-o", place.run("run"), "--scheduler", "tcp://127.0.0.1:9",
                        env=ENVIRONMENT, code=2)
        assert "127.0.0.1:9" in printed and "nothing was solved" in printed, printed
        assert not os.path.exists(place.run("run")), os.listdir(place.run("run"))
    with Place(source) as place, Cluster() as cluster:
        other = place.write("allclear", "#!/bin/sh\necho allclear 0.0.1\n")
        os.chmod(other, 0o755)
        try:
            module.DaskPool(cluster.client, command, []).check_versions(other, "allclear 9.9.9")
            raise AssertionError("another version was accepted")
        except RuntimeError as error:
            assert "another allclear" in str(error) and "0.0.1" in str(error), error


if __name__ == "__main__":
    sys.exit(main([the_same_as_locally, killed_workers_cost_nothing, the_python_function, there_is_back_pressure,
                   others_are_refused]))
