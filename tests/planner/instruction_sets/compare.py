#!/usr/bin/env python3
"""Every instruction set gives the same plans and certificates, to the byte.

compare.py PROGRAM_1 PROGRAM_3 PROGRAM_4 TASK...: the program as its kernels run on the plainest
x86-64, with AVX2 and with AVX-512. Levels that this machine does not have are left out.
"""
import difflib
import subprocess
import sys


def run(program, arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    programs, tasks = sys.argv[1:4], sys.argv[4:]
    flags = set(open("/proc/cpuinfo").read().split("flags", 1)[-1].split("\n", 1)[0].split())
    needed = [set(), {"avx2", "fma", "bmi2"}, {"avx512f", "avx512bw", "avx512vl", "avx512dq"}]
    first = None
    for program, level, need in zip(programs, "134", needed):
        if not need <= flags:
            print(f"level {level}: not on this machine")
            continue
        chosen = run(program, ["--level"]).strip()
        if chosen == "0":
            print("the kernels of this build have one version: nothing to compare")
            return 77
        assert chosen == level, f"the kernels are those of level {chosen}, not {level}"
        text = run(program, tasks)
        assert '"clear": true' in text
        if first is None:
            first = text
        elif text != first:
            lines = list(difflib.unified_diff(first.split("\n"), text.split("\n"), lineterm="", n=0))
            print(f"level {level} differs from level 1:")
            print("\n".join(line[:200] for line in lines[:20]))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
