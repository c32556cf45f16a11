"""Hard tasks against the time limit and Ctrl-C.

Run as: hard_tasks.py BUILD_FOLDER SOURCE_FOLDER [--only WORD] [--no-interrupts]

Every task (tasks.py) is planned, or its path retimed, twice: with a time limit, and without one until SIGINT comes after the same
time. What counts is the processor time that the command takes after that instant: other work on the machine
does not count. Where there is much of it, limits are stretched by what a spinning process takes longer, so
that the command gets as far as it would alone. Bars: 0.1 s and 10 % of the limit; 0.2 s after
SIGINT; both beyond the longest single call of MUMPS, qhull or assimp, which cannot be ended and which
`plan --json` names. Prints a table; exit code 1 when a bar is missed or a run takes more than 1 GB.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from tasks import Call, TASKS  # noqa: E402

LATE, LATE_SHARE, ANSWER = 0.1, 0.1, 0.2  # [s], share, [s]
MOST_MEMORY = 1000.0  # [MB]
HANGS = 300.0  # [s] of wall clock
UNLIMITED = 600.0  # [s]: the time limit where SIGINT is to come first


def stretch():
    """How many times longer than alone a process takes now."""
    start, begin = time.monotonic(), time.process_time()
    while time.process_time() - begin < 0.05:
        pass
    return max(1.0, (time.monotonic() - start) / (time.process_time() - begin))


def most_memory(pid):
    """[MB] of a process so far; 0 when it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024.0
    except OSError:
        pass
    return 0.0


def processor_seconds(pid):
    """Of all threads of a process so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(task.read_text().split()[0])
        except (OSError, IndexError):
            pass
    return 1e-9 * total


class Run:
    """One run of the command; `after` is the processor time it took after `instant` seconds."""

    def __init__(self, words, instant, sends_interrupt):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            begin = time.monotonic()
            process = subprocess.Popen([str(w) for w in words], stdout=out, stderr=errors)
            self.after, self.memory, at_instant = 0.0, 0.0, None
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                now = time.monotonic() - begin
                self.memory = max(self.memory, most_memory(process.pid))
                if at_instant is None and now >= instant:
                    at_instant = processor_seconds(process.pid)
                    if sends_interrupt:
                        process.send_signal(signal.SIGINT)
                if now > HANGS:
                    process.kill()
                time.sleep(0.002)
            self.seconds = time.monotonic() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            self.code = process.returncode
            if at_instant is not None:
                self.after = max(0.0, usage.ru_utime + usage.ru_stime - at_instant)
            out.seek(0)
            errors.seek(0)
            self.text = out.read().decode(errors="replace")
            self.errors = errors.read().decode(errors="replace")

    def longest_call(self):
        """(library, seconds) of the longest single call, from the command's JSON, or from what it says when the
        time was over before the task was read."""
        said = re.search(r"longest single call: (\S+) s of (\w+)", self.errors)
        if said:
            return said[2], float(said[1])
        try:
            call = json.loads(self.text)["longest_call"]
            return call["library"], call["seconds"]
        except (ValueError, KeyError, TypeError):
            return "", 0.0


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--no-interrupts", action="store_true")
    arguments.add_argument("--first", type=int, default=0)
    options = arguments.parse_args()
    command = options.build.resolve() / "apps" / "allclear"
    signal.signal(signal.SIGINT, signal.default_int_handler)  # started in the background, it is ignored
    faults = []
    print(f"{'task':34} {'limit':>6} {'exit':>4} {'after':>7} {'bar':>5} {'longest call':>16} "
          f"{'SIGINT':>7} {'exit':>4} {'MB':>6}")
    for name, seconds, make in TASKS[options.first:]:
        if options.only not in name:
            continue
        folder = Path(tempfile.mkdtemp(prefix="allclear_hard_"))
        call = make(folder, options.source.resolve())
        if not isinstance(call, Call):
            call = Call(["plan", call, "--threads", 1])
        words = [command, *call.words, "--json", "--no-cache", "-o", folder / "out"]
        parts = call.parts
        slow = stretch()
        limited = Run(words + ["--time-limit", seconds * slow / parts], seconds * slow, False)
        library, call = limited.longest_call()
        call /= slow
        bar = LATE + LATE_SHARE * seconds + call
        line = (f"{name:34} {seconds:6.2f} {limited.code:4} {limited.after:7.3f} {bar:5.2f} "
                f"{library + f' {call:.2f} s' if call >= 0.01 else '':>16} ")
        ends = {0, 2, 3, 4}
        if limited.code not in ends or limited.after > bar or limited.memory > MOST_MEMORY:
            faults.append(name)
        if not options.no_interrupts:
            slow = stretch()
            stopped = Run(words + ["--time-limit", UNLIMITED], seconds * slow, True)
            # Before the planning the signal ends the process by itself.
            allowed = ends | {130, -signal.SIGINT}
            if stopped.code not in allowed or stopped.after > ANSWER + stopped.longest_call()[1] / slow:
                faults.append(name + ", SIGINT")
            line += f"{stopped.after:7.3f} {stopped.code:4} {max(limited.memory, stopped.memory):6.0f}"
        print(line + ("  *" if faults and faults[-1].startswith(name) else ""), flush=True)
        if limited.code not in ends:
            print(limited.errors[-300:])
        shutil.rmtree(folder)
    print(f"hard tasks: {len(TASKS)} tasks, beyond a bar: {', '.join(faults) if faults else 'none'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
