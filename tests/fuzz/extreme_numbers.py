"""Gives tasks and robots with extreme numbers to the command.

Run as: extreme_numbers.py BUILD_FOLDER SOURCE_FOLDER [--count N] [--seed S] [--first I]

Each mutant is an example's task with its robot in which a few numbers are made extreme, subnormal,
not a number, or are swapped. `check` and `plan` must answer each with a verdict (0, 3, 4) or refuse it
(2): no crash, no internal error, no run that lasts far beyond its limit. What is planned must hold:
its certificate for `certify --verify`, its proof for `allclear-verify`. Prints one line, and
what broke.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXTREMES = ["0", "-0", "1", "-1", "1e-308", "5e-324", "-5e-324", "1e-30", "1e9", "-1e9", "1.0000001e9", "1e12",
            "1e154", "-1e154", "1e300", "1e308", "-1e308", "1e400", ".nan", "nan", ".inf", "inf", "3.14159",
            "99999999999999999999", "0x10", "1e", "1_000"]
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])")
TASKS = ["shelf", "fenced_cell", "upright", "moving_obstacle", "two_arms", "collaborative"]
TIME_LIMIT = 2.0  # [s] for a plan
LONGEST = 60.0  # [s]: far beyond the limit, whatever else the machine does


def mutate(text, draw):
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        numbers = list(NUMBER.finditer(text))
        if not numbers:
            break
        at = draw.choice(numbers)
        new = draw.choice(EXTREMES)
        if draw.random() < 0.2:  # the value of another place
            new = draw.choice(numbers).group()
        text = text[:at.start()] + new + text[at.end():]
    return text


class Attack:
    def __init__(self, build, source):
        self.command = build / "apps" / "allclear"
        self.verifier = build / "verify" / "allclear-verify"
        self.source = source
        self.failures = []
        self.codes = {}
        self.slowest = 0.0

    def run(self, name, words, allowed):
        begin = time.monotonic()
        try:
            done = subprocess.run([str(w) for w in words], capture_output=True, timeout=LONGEST)
            code, text = done.returncode, (done.stdout + done.stderr)[-300:]
        except subprocess.TimeoutExpired:
            code, text = "timeout", b""
        self.slowest = max(self.slowest, time.monotonic() - begin)
        self.codes[code] = self.codes.get(code, 0) + 1
        if code not in allowed:
            self.failures.append(f"{name}: {' '.join(map(str, words[1:]))}: {code} {text!r}")
        return code

    def mutant(self, number, seed, scratch):
        draw = random.Random(seed * 1000003 + number)
        example = draw.choice(TASKS)
        folder = scratch / str(number)
        for part in {example, "shelf"}:  # whose robot the others have
            shutil.copytree(self.source / "examples" / part, folder / part)
        task = draw.choice(sorted((folder / example).glob("*.yaml")))
        urdfs = sorted(folder.glob("*/*.urdf"))
        victim = draw.choice([task] + urdfs)
        victim.write_text(mutate(victim.read_text(), draw))
        name = f"mutant {number}"
        before = len(self.failures)
        self.run(name, [self.command, "check", task], {0, 2, 3})
        out = folder / "out"
        code = self.run(name, [self.command, "plan", task, "--quiet", "-o", out, "--time-limit", TIME_LIMIT,
                               "--improve", "none"], {0, 2, 3, 4})
        if code == 0:
            self.run(name, [self.command, "certify", task, out / "trajectory.csv", "--verify",
                            out / "certificate.json"], {0})
            if (out / "plan.proof").exists() and self.verifier.exists():
                self.run(name, [self.verifier, out / "plan.proof"], {0})
        if len(self.failures) == before:
            shutil.rmtree(folder)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=Path)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("--count", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--first", type=int, default=0)
    options = arguments.parse_args()
    attack = Attack(options.build.resolve(), options.source.resolve())
    scratch = Path(tempfile.mkdtemp(prefix="allclear_extreme_"))
    for number in range(options.first, options.first + options.count):
        attack.mutant(number, options.seed, scratch)
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(attack.codes.items(), key=str))
    print(f"extreme numbers: {options.count} mutants, {len(attack.failures)} failures; exit codes {codes}; "
          f"slowest {attack.slowest:.1f} s")
    for failure in attack.failures:
        print(failure)
    if attack.failures:
        print(f"the inputs are in {scratch}")
        return 1
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
