"""Many queries on the workers of a Dask cluster.

    import allclear
    from distributed import Client

    for result in allclear.batch(["a.yaml", "b.yaml"], client=Client("tcp://HOST:8786")):
        print(result.name, result.status, result.duration)
        result.save(f"plans/{result.number}")

Each Dask worker keeps one process of the command `allclear` for each of its threads, which solves one
query after the other in a process of its own: what crashes or hangs there is a result that says so, as
with `allclear batch` on one machine, and the plans are the same to the byte. The files that a query
reads (task, robot, meshes, scene) are found here, and sent to a Dask worker when it first needs them,
each once, by its SHA-256. No more queries than a few for each thread are under way at a time.

This file needs the standard library and, where a client is given, `distributed`. As a program it is the
bridge of `allclear batch --scheduler` (see docs/batch.md):

    python3 batch.py tcp://HOST:8786 --command /usr/bin/allclear
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import importlib
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterable, Iterator

PROTOCOL = 1
MOST_FUTURES = 256  # under way at a time, whatever the cluster
FUTURES_PER_THREAD = 2  # one is solved while the next is on its way
MOST_TRIES = 5  # of a query whose Dask worker died or lacked files
DAMAGE = (OSError, ValueError, EOFError)


# ---------------------------------------------------------------------------------------------------
# A worker process: one `allclear batch-worker` behind two pipes.


class WorkerProcess:
    """One `allclear batch-worker`, which answers line by line."""

    def __init__(self, command: str, arguments: Iterable[str] = (), environment: dict[str, str] | None = None):
        self.process = subprocess.Popen(
            [command, "batch-worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self.hello = json.loads(self._line() or "{}")
        if self.hello.get("protocol") != PROTOCOL:
            self.close()
            raise RuntimeError(f"{command} speaks another language than this batch.py: {self.hello}")

    def _line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and waits for its answer. EOFError when the process has ended."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self._line()
        if not line.endswith(b"\n"):
            raise EOFError("the worker process has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was written to it is not read any more
                    pass


def find_command(wanted: str | None) -> str:
    """The program: as told, where it is there; else `allclear` of the PATH."""
    if wanted and os.path.isfile(wanted):
        return wanted
    found = os.environ.get("ALLCLEAR_COMMAND") or shutil.which("allclear")
    if not found:
        raise RuntimeError(f"no command 'allclear' on {os.uname().nodename} (looked for {wanted} and in the PATH)")
    return found


def version_of(command: str) -> str:
    """What the program calls itself."""
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.strip()


# ---------------------------------------------------------------------------------------------------
# On a Dask worker. Everything here is sent to it by value: nothing has to be installed there but
# the command itself.


class FileStore:
    """Files by SHA-256 in a folder, and trees of links in which they have their paths again."""

    def __init__(self, folder: str):
        self.folder = folder
        self.stored = 0  # files that were brought here
        os.makedirs(folder, exist_ok=True)

    def _blob(self, digest: str) -> str:
        return os.path.join(self.folder, digest)

    def missing(self, manifest: dict[str, str]) -> list[str]:
        return sorted(d for d in set(manifest.values()) if not os.path.exists(self._blob(d)))

    def store(self, files: dict[str, bytes]) -> None:
        for digest, content in files.items():
            if os.path.exists(self._blob(digest)):
                continue
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(content)
            os.replace(file.name, self._blob(digest))
            self.stored += 1

    def tree(self, manifest: dict[str, str]) -> str:
        """The folder below which every file of the manifest stands at its path."""
        name = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
        tree = os.path.join(self.folder, "tree-" + name[:32])
        if os.path.isdir(tree):
            return tree
        unfinished = tempfile.mkdtemp(dir=self.folder)
        for path, digest in manifest.items():
            link = unfinished + path
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.link(self._blob(digest), link)
        try:
            os.rename(unfinished, tree)
        except OSError:  # another thread was faster
            shutil.rmtree(unfinished, ignore_errors=True)
        return tree


def answer_on_worker(config: dict[str, Any], manifest: dict[str, str], requests: list[dict[str, Any]]) -> Any:
    """Answers queries on a Dask worker: a list of answers, or {"missing": digests, "worker": address}."""
    from distributed import get_worker

    worker = get_worker()
    state = worker.__dict__.setdefault("allclear", {"lock": threading.Lock(), "idle": {}})
    with state["lock"]:
        if "store" not in state:
            state["store"] = FileStore(os.path.join(worker.local_directory, "allclear"))
        missing = state["store"].missing(manifest)
        if missing:
            return {"missing": missing, "worker": worker.address}
        tree = state["store"].tree(manifest)
        idle = state["idle"].setdefault(json.dumps(config, sort_keys=True), [])
        process = idle.pop() if idle else None
    if process is None:
        process = WorkerProcess(find_command(config["command"]), config["arguments"], config["environment"])
        if process.hello["version"] != config["version"]:
            process.close()
            raise RuntimeError(f"{worker.address} has allclear {process.hello['version']}, not {config['version']}")
    try:
        answers = []
        for request in requests:
            answer = process.ask({**request, "file": tree + request["file"]})
            answer["message"] = answer.get("message", "").replace(tree, "")
            answer["rests_on"] = [[path.removeprefix(tree), digest] for path, digest in answer.get("rests_on", [])]
            answers.append(answer)
    except BaseException:
        process.close()
        raise
    with state["lock"]:
        idle.append(process)
    return answers


def store_on_worker(files: dict[str, bytes], dask_worker: Any = None) -> int:
    """Brings files to a Dask worker; returns how many it had not."""
    state = dask_worker.__dict__["allclear"]
    before = state["store"].stored
    with state["lock"]:
        state["store"].store(files)
    return int(state["store"].stored - before)


def version_on_worker(command: str | None) -> str:
    """What the command of a Dask worker calls itself; an error message where there is none."""
    try:
        return version_of(find_command(command))
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        return str(error)


# ---------------------------------------------------------------------------------------------------
# Here: what brings queries to workers.


class Files:
    """The files that queries read, as a worker process of this machine names them."""

    def __init__(self, command: str):
        self.command = command
        self.process: WorkerProcess | None = None
        self.manifests: dict[str, dict[str, str]] = {}
        self.paths: dict[str, str] = {}  # by digest
        self.sent = 0

    def manifest(self, request: dict[str, Any]) -> dict[str, str]:
        """Path to digest, of all files that this query reads; the same object for a bundle."""
        bundle = request.get("bundle") or request["file"]
        known = self.manifests.get(bundle)
        if known is not None:
            return known
        if self.process is None:
            self.process = WorkerProcess(self.command)
        paths = self.process.ask({**request, "list": True})["paths"]
        manifest = {}
        for path in filter(os.path.isfile, paths):
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            manifest[path] = digest
            self.paths[digest] = path
        if len(self.manifests) >= 1024:  # of single tasks there may be any number
            self.manifests.pop(next(iter(self.manifests)))
        self.manifests[bundle] = manifest
        return manifest

    def contents(self, digests: list[str]) -> dict[str, bytes]:
        out = {}
        for digest in digests:
            with open(self.paths[digest], "rb") as file:
                out[digest] = file.read()
            if hashlib.sha256(out[digest]).hexdigest() != digest:
                raise RuntimeError(f"{self.paths[digest]} has changed since the batch was begun")
        self.sent += len(out)
        return out

    def close(self) -> None:
        if self.process is not None:
            self.process.close()


class DaskPool:
    """Queries on the workers of a Dask cluster, with a bound on those under way."""

    def __init__(
        self,
        client: Any,
        command: str,
        arguments: list[str],
        chunk: int = 1,
        environment: dict[str, str] | None = None,
    ):
        self.client = client
        self.files = Files(command)
        self.chunk = chunk
        self.finished: queue.Queue[Any] = queue.Queue()
        self.under_way = 0
        local = version_of(command)
        self.check_versions(command, local)
        version = local.split()[-1]
        self.config = {
            "command": command, "arguments": arguments, "version": version, "environment": environment or {}
        }
        threads = sum(self.client.nthreads().values())
        self.slots: int = max(1, min(MOST_FUTURES, FUTURES_PER_THREAD * threads))
        register_by_value()

    def check_versions(self, command: str, local: str) -> None:
        """All workers have the command in this version, and a Dask that this one can speak with."""
        self.client.wait_for_workers(1, timeout=60)
        self.client.get_versions(check=True)
        found = self.client.run(_by_value(version_on_worker), command)
        other = {address: version for address, version in found.items() if version != local}
        if other:
            text = "; ".join(f"{address}: {version}" for address, version in sorted(other.items()))
            raise RuntimeError(f"workers with another allclear than {local}: {text}")

    def has_room(self) -> bool:
        return bool(self.under_way < self.slots)

    def submit(self, requests: list[dict[str, Any]], tries: int = 0) -> None:
        """Queries of one bundle, as one Dask task."""
        manifest = self.files.manifest(requests[0])
        future = self.client.submit(answer_on_worker, self.config, manifest, requests, pure=False, retries=0)
        self.under_way += 1
        future.add_done_callback(lambda done: self.finished.put((done, requests, tries + 1)))

    def wait(self, seconds: float | None = None) -> list[dict[str, Any]]:
        """The answers of the next task that ends; none when that has to be done again, or none came."""
        try:
            future, requests, tries = self.finished.get(timeout=seconds)
        except queue.Empty:
            return []
        self.under_way -= 1
        problem = self._problem_of(future)
        result: Any = None if problem else future.result()
        future.release()
        if problem is None and isinstance(result, list):
            return result
        if problem is None:
            files = self.files.contents(result["missing"])
            try:
                self.client.run(_by_value(store_on_worker), files, workers=[result["worker"]])
            except Exception as error:  # the worker has died meanwhile: another one may do
                problem = error
        if tries >= MOST_TRIES:
            text = f"The query had no answer in {tries} tries" + (f": {problem}" if problem else "") + "."
            return [{"number": request["number"], "status": "crashed", "message": text} for request in requests]
        self.submit(requests, tries)
        return []

    @staticmethod
    def _problem_of(future: Any) -> BaseException | None:
        if future.status == "finished":
            return None
        if future.status == "cancelled":
            return RuntimeError("it was cancelled")
        return future.exception()  # type: ignore[no-any-return]

    def close(self) -> None:
        self.files.close()


def register_by_value() -> None:
    """Functions of this file go to the workers as they are, whatever is installed there."""
    import cloudpickle  # type: ignore[import]

    if __name__ != "__main__":
        cloudpickle.register_pickle_by_value(sys.modules[__name__])


def _by_value(function: Any) -> Any:
    register_by_value()
    return function


# ---------------------------------------------------------------------------------------------------
# allclear.batch


class Result:
    """What became of one task: `status`, `message`, `seconds`, `duration`, `clearance`, `files`, ...

    `status` is "certified" or why there is no plan (docs/batch.md); `files` has the content of each
    file of the plan by name, as bytes.
    """

    def __init__(self, name: str, answer: dict[str, Any]):
        self.name = name
        self.number: int = answer["number"]
        self.status: str = answer["status"]
        self.message: str = answer.get("message", "")
        self.seconds: float | None = answer.get("seconds")
        self.duration: float | None = answer.get("duration")
        self.clearance: float | None = answer.get("clearance")
        self.cost: float | None = answer.get("cost")
        self.seed: int | None = answer.get("seed")
        self.files = {name: text.encode() for name, text in answer.get("files", [])}

    @property
    def certified(self) -> bool:
        return self.status == "certified"

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files of the plan into a folder, whole or not at all."""
        folder = os.path.abspath(folder)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        unfinished = tempfile.mkdtemp(dir=os.path.dirname(folder), prefix=".unfinished-")
        for name, content in self.files.items():
            path = os.path.join(unfinished, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)  # of a sequence: a folder for each segment
            with open(path, "wb") as file:
                file.write(content)
        if os.path.isdir(folder):
            shutil.rmtree(folder)
        os.rename(unfinished, folder)

    def __repr__(self) -> str:
        return f"Result({self.name!r}, {self.status!r})"


def _requests(tasks: Iterable[Any], settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A request for each task: a path, or a dict as the YAML of a task would be (names relative to
    the current folder)."""
    for number, task in enumerate(tasks):
        request = {"number": number, "index": -1, **settings}
        if isinstance(task, dict):
            name = str(task.get("name") or f"task {number}")
            text = json.dumps(task)
            # A file of that name need not be there: its folder is what names are relative to.
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            yield name, {**request, "file": os.path.abspath(f"task-{digest}.yaml"), "text": text, "bundle": digest}
        else:
            path = os.path.abspath(os.fspath(task))
            yield str(task), {**request, "file": path, "text": "", "bundle": path}


class LocalPool:
    """The same on this machine, without Dask: threads that each have a worker process."""

    def __init__(self, command: str, arguments: list[str], workers: int, environment: dict[str, str] | None = None):
        self.command, self.arguments, self.environment = command, arguments, environment
        self.slots = workers
        self.under_way = 0
        self.threads = concurrent.futures.ThreadPoolExecutor(workers)
        self.idle: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
        self.finished: queue.Queue[Any] = queue.Queue()

    def has_room(self) -> bool:
        return bool(self.under_way < self.slots)

    def _answer(self, requests: list[dict[str, Any]], tries: int = 1) -> list[dict[str, Any]]:
        try:
            process = self.idle.get_nowait()
        except queue.Empty:
            process = WorkerProcess(self.command, self.arguments, self.environment)
        try:
            answers = [process.ask(request) for request in requests]
        except DAMAGE:  # somebody killed it
            process.close()
            if tries >= MOST_TRIES:
                raise
            return self._answer(requests, tries + 1)
        self.idle.put(process)
        return answers

    def submit(self, requests: list[dict[str, Any]]) -> None:
        self.under_way += 1
        self.threads.submit(self._answer, requests).add_done_callback(self.finished.put)

    def wait(self, seconds: float | None = None) -> list[dict[str, Any]]:
        try:
            future = self.finished.get(timeout=seconds)
        except queue.Empty:
            return []
        self.under_way -= 1
        answers: list[dict[str, Any]] = future.result()
        return answers

    def close(self) -> None:
        while not self.idle.empty():
            self.idle.get().close()
        self.threads.shutdown(wait=False)


def _arguments(memory_limit: int, kill_after: float) -> list[str]:
    out = ["--supervised", "--kill-after", str(kill_after)]
    return [*out, "--memory-limit", str(memory_limit)] if memory_limit else out


def batch(
    tasks: Iterable[Any],
    *,
    client: Any = None,
    workers: int | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    improve: str = "",
    files: Iterable[str] = ("csv", "trajectory", "certificate", "proof"),
    memory_limit: int = 0,
    kill_after: float = 600.0,
    command: str | None = None,
) -> Iterator[Result]:
    """Plans tasks by many processes and yields a `Result` for each, in the order in which they end.

    A task is the path of a task's file, or a dict as its YAML would be. With a `distributed.Client` the
    workers of its cluster solve, else `workers` processes of this machine. Tasks are taken from the
    iterable as there is room, so there may be any number. `memory_limit` is in MB, `kill_after` in
    seconds after which a query counts as hung.
    """
    program = find_command(command)
    settings = {"time_limit": time_limit, "seed": seed, "improve": improve, "files": list(files)}
    arguments = _arguments(memory_limit, kill_after)
    if client is None:
        pool: Any = LocalPool(program, arguments, workers or os.cpu_count() or 1)
    else:
        pool = DaskPool(client, program, arguments)
    names: dict[int, str] = {}
    try:
        requests = _requests(tasks, settings)
        request = next(requests, None)
        while request is not None or names:
            while request is not None and pool.has_room():
                names[request[1]["number"]] = request[0]
                pool.submit([request[1]])
                request = next(requests, None)
            for answer in pool.wait():
                yield Result(names.pop(answer["number"]), answer)
    finally:
        pool.close()


# ---------------------------------------------------------------------------------------------------
# The bridge of `allclear batch --scheduler`.


def _read_lines(lines: queue.Queue[bytes | None]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    lines.put(None)


def _bundled(lines: list[bytes], chunk: int) -> Iterator[list[dict[str, Any]]]:
    """Queries of the same files, no more than `chunk` of them together."""
    requests = [json.loads(line) for line in lines]
    for _, group in itertools.groupby(requests, key=lambda request: str(request.get("bundle"))):
        some = list(group)
        for at in range(0, len(some), chunk):
            yield some[at : at + chunk]


def serve(pool: DaskPool, version: str) -> None:
    """Answers lines of standard input on standard output, until that ends."""
    lines: queue.Queue[bytes | None] = queue.Queue()

    def write(message: dict[str, Any]) -> None:
        sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")

    write({"hello": "allclear", "protocol": PROTOCOL, "version": version, "slots": pool.slots * pool.chunk})
    sys.stdout.buffer.flush()
    threading.Thread(target=_read_lines, args=(lines,), daemon=True).start()
    while True:
        batch_of_lines: list[bytes] = []
        while len(batch_of_lines) < pool.chunk:
            try:
                line = lines.get(block=not pool.under_way and not batch_of_lines)
            except queue.Empty:
                break
            if line is None:  # nobody waits for the answers any more
                return
            batch_of_lines.append(line)
        for requests in _bundled(batch_of_lines, pool.chunk):
            pool.submit(requests)
        # Nothing more to read for now: wait for an answer, but not long, as queries may come.
        for answer in pool.wait(0.0005 if batch_of_lines else 0.01) if pool.under_way else []:
            write(answer)
        sys.stdout.buffer.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="The bridge of `allclear batch --scheduler`.")
    parser.add_argument("scheduler")
    parser.add_argument("--command", required=True)
    parser.add_argument("--chunk", type=int, default=1)
    parser.add_argument("--memory-limit", type=int, default=0)
    parser.add_argument("--kill-after", type=float, default=600.0)
    options = parser.parse_args()
    try:
        Client: Any = importlib.import_module("distributed").Client
    except ImportError:
        print("allclear: --scheduler needs Dask (Debian: python3-distributed)", file=sys.stderr)
        return 2
    # For tests, which make workers crash and hang.
    hooks = {key: os.environ[key] for key in ("ALLCLEAR_BATCH_HOOKS",) if key in os.environ}
    try:
        client: Any = Client(options.scheduler, timeout=30, set_as_default=False)
        arguments = _arguments(options.memory_limit, options.kill_after)
        pool = DaskPool(client, options.command, arguments, options.chunk, hooks)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"allclear: {options.scheduler}: {error}", file=sys.stderr)
        return 2
    try:
        serve(pool, str(pool.config["version"]))
    except BrokenPipeError:  # the batch was killed
        os._exit(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
