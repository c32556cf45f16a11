#!/usr/bin/env python3
"""Plans per second and core of `allclear batch`, beside the same work in one process.

    bench_batch.py ALLCLEAR [--bench BENCH_PROBLEMS] [--every K] [--files F.json ...] [--workers 1 2]
                   [--dask] [--empty N] [--chunk C] [--json F]

The same problems of the shared data are solved by `bench_problems` in one process (no pool, no files), by the
local pool with each number of workers, and with --dask by two Dask workers of this machine. With --empty, N
queries that do nothing go through the pool, and through Dask in chunks: what is left is the overhead.

Rates are by wall clock, and by processor time of all processes together: on a machine that others use, too, only
the second says something.
"""
import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

DATA = os.environ.get("ALLCLEAR_DATA", os.path.join(os.path.dirname(__file__), "..", "..", "shared", "data"))


def used():
    of = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of.ru_utime + of.ru_stime


def timed(command, env=None):
    """Wall clock and processor time of a command and of what it starts."""
    before, begin = used(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})})
    if done.returncode not in (0, 3):
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return time.monotonic() - begin, used() - before


def processor_time(pids):
    """Of processes that are not our children: user and system time so far [s]."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += sum(int(field) for field in fields[11:15])  # own, and of children that have ended
    return total / os.sysconf("SC_CLK_TCK")


def tree(pid):
    """A process and all below it."""
    out = [pid]
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            for child in file.read().split():
                out += tree(int(child))
    return out


def sums(run):
    """Seconds that the rows tell, and how many plans and bytes there are."""
    with sqlite3.connect(os.path.join(run, "results.sqlite")) as database:
        row = database.execute("SELECT count(*), sum(status='certified'), sum(seconds), sum(load_seconds), "
                               "sum(write_seconds) FROM results").fetchone()
    size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(os.path.join(run, "plans"))
               for name in names)
    return {"queries": row[0], "certified": row[1], "plan_s": row[2], "load_s": row[3], "write_s": row[4],
            "bytes": size, "database_bytes": os.path.getsize(os.path.join(run, "results.sqlite"))}


class Bench:
    def __init__(self, options):
        self.options = options
        self.place = tempfile.mkdtemp(prefix="bench_batch_")
        self.figures = {}
        self.count = 0

    def problems(self):
        """Copies of the sets with every K-th problem, so that all do the same."""
        out = []
        os.makedirs(os.path.join(self.place, "problems"))
        os.symlink(os.path.abspath(os.path.join(DATA, "robots")), os.path.join(self.place, "robots"))
        os.symlink(os.path.abspath(os.path.join(DATA, "problems", "meshes")), os.path.join(self.place, "problems", "meshes"))
        for name in self.options.files:
            with open(os.path.join(DATA, "problems", name)) as file:
                problems = json.load(file)
            problems["problems"] = problems["problems"][:: self.options.every]
            problems["count"] = len(problems["problems"])
            self.count += problems["count"]
            path = os.path.join(self.place, "problems", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                json.dump(problems, file)
            out.append(path)
        return out

    def report(self, name, wall, processor, cores, count):
        per_core = count / wall / cores
        print(f"{name:34} {wall:9.1f} s {per_core:9.3f} plans/s/core {count / processor:9.3f} plans per processor second")
        self.figures[name] = {"wall_s": wall, "processor_s": processor, "plans_per_s_and_core": per_core,
                              "plans_per_processor_s": count / processor}
        return self.figures[name]

    def compare(self, name, to):
        """Shares of the other's rates."""
        a, b = self.figures[name], self.figures[to]
        print(f"  {name} / {to}: {a['plans_per_s_and_core'] / b['plans_per_s_and_core']:.3f} by wall clock, "
              f"{a['plans_per_processor_s'] / b['plans_per_processor_s']:.3f} by processor time")

    def batch(self, name, files, *more, env=None):
        run = os.path.join(self.place, name.replace(" ", "_"))
        command = [self.options.allclear, "batch", "-o", run, "--quiet", "--time-limit", str(self.options.time)]
        for file in files:
            command += ["--problems", file]
        return (*timed([*command, *more], env), run)

    def solve(self):
        files = self.problems()
        print(f"{self.count} problems")
        if self.options.bench:
            wall, processor = timed([self.options.bench, *files, "--check", "0", "--time", str(self.options.time), "--csv",
                                     os.path.join(self.place, "rows.csv")])
            self.report("bench_problems, one process", wall, processor, 1, self.count)
        for workers in self.options.workers:
            name = f"pool of {workers}"
            wall, processor, run = self.batch(name, files, "--workers", str(workers), "--files", "none")
            self.report(name, wall, processor, workers, self.count)
            if self.options.bench:
                self.compare(name, "bench_problems, one process")
        wall, processor, run = self.batch("with files", files, "--workers", str(self.options.workers[-1]))
        self.report("with files", wall, processor, self.options.workers[-1], self.count)
        self.figures["rows"] = sums(run)
        print("  ", self.figures["rows"])
        if self.options.dask:
            with DaskCluster() as cluster:
                before = cluster.processor_time()
                wall, processor, run = self.batch("dask of 2", files, "--files", "none", "--scheduler", cluster.address,
                                                  env={"ALLCLEAR_PYTHON": sys.executable})
                self.report("dask of 2", wall, processor + cluster.processor_time() - before, 2, self.count)
                if 2 in self.options.workers:
                    self.compare("dask of 2", "pool of 2")

    def empty(self, count):
        """Queries that do nothing: what remains is the way there and back, and the record."""
        robot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "config", "robot")
        for name in ("arm.urdf", "arm.srdf"):
            shutil.copy(os.path.join(robot, name), self.place)
        with open(os.path.join(self.place, "task.yaml"), "w") as file:
            file.write("name: hook:none\nrobot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
                       "start_state: {group_state: ready}\ngoal: {joint_constraints: {shoulder: 0.5}}\n")
        sweep = os.path.join(self.place, "sweep.yaml")
        with open(sweep, "w") as file:
            file.write("task: task.yaml\nvalues:\n  goal.joint_constraints.shoulder: {from: 0, to: 1, count: %d}\n" % count)
        hooks = {"ALLCLEAR_BATCH_HOOKS": "1", "ALLCLEAR_PYTHON": sys.executable}
        base = [self.options.allclear, "batch", "--sweep", sweep, "--quiet", "-o"]
        run = os.path.join(self.place, "empty")
        wall, processor = timed([*base, run, "--workers", "2"], hooks)
        self.tell_empty("pool of 2", count, wall, processor)
        print(f"  {os.path.getsize(os.path.join(run, 'results.sqlite')) / count:.0f} bytes of database each")
        if self.options.dask:
            with DaskCluster() as cluster:
                before = cluster.processor_time()
                wall, processor = timed([*base, os.path.join(self.place, "empty_dask"), "--scheduler", cluster.address, "--chunk",
                                 str(self.options.chunk)], hooks)
                processor += cluster.processor_time() - before
            self.tell_empty(f"Dask of 2 in chunks of {self.options.chunk}", count, wall, processor)

    def tell_empty(self, name, count, wall, processor):
        print(f"{count} empty queries, {name}: {1e6 * wall / count:.0f} us each by wall clock, "
              f"{1e6 * processor / count:.0f} us of processor time in all processes")
        self.figures["empty, " + name] = {"wall_us": 1e6 * wall / count, "processor_us": 1e6 * processor / count}


class DaskCluster:
    def __enter__(self):
        from distributed import LocalCluster

        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                    silence_logs=50, host="127.0.0.1")
        self.address = self.cluster.scheduler_address
        return self

    def processor_time(self):
        return processor_time(set(tree(os.getpid())) - {os.getpid()})

    def __exit__(self, *_):
        self.cluster.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("allclear")
    parser.add_argument("--bench")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--time", type=float, default=10.0)
    parser.add_argument("--files", nargs="*", default=[f"{robot}/{scene}.json" for robot in ("fetch", "panda", "ur5")
                                                       for scene in ("bookshelf_small", "box", "table_pick")] + ["panda/table_bars.json"])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--empty", type=int, default=0)
    parser.add_argument("--chunk", type=int, default=200)
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.dask and sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # Debian's packages are those of its own Python
    bench = Bench(options)
    try:
        if options.files:
            bench.solve()
        if options.empty:
            bench.empty(options.empty)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(bench.figures, file, indent=1)
    finally:
        shutil.rmtree(bench.place, ignore_errors=True)


if __name__ == "__main__":
    main()
