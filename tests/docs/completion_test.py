#!/usr/bin/env python3
"""bash completes commands, options, their values and files as a user types them; zsh, where there
is one, reads its completion without complaint.

Usage: completion_test.py SOURCE_DIR   (exit code 77: no bash, skipped)
"""
import os
import shutil
import subprocess
import sys
import tempfile

# What is typed, the last word being completed, and what is offered.
CASES = (
    (["pl"], {"plan"}),
    ([""], {"plan", "retime", "batch", "check", "posture", "distance", "fk", "ik", "certify", "impact", "report", "fit", "inspect",
            "deform", "--help", "--version"}),
    (["plan", "--re"], {"--report"}),
    (["plan", "ta"], {"task.yaml", "table folder"}),
    (["plan", "task.yaml", "--report", "o"], {"out.html"}),
    (["plan", "--threads", ""], set()),
    (["certify", "task.yaml", "out.html", "--ver"], {"--verify"}),
    (["check", "task.yaml", "--"], {"--report", "--json", "--no-cache", "--help"}),
    (["inspect", "--base", "fl"], {"floating"}),
    (["impact", "task.yaml", "out.html", "--re"], {"--restitution"}),
    (["impact", "--at", ""], set()),
    (["report", "--o"], {"--output"}),
    (["deform", "ch"], {"check"}),
    (["deform", "check", "--r"], {"--rate"}),
    (["batch", "--ch"], {"--chunk"}),
    (["batch", "--files", "pr"], {"proof"}),
)
FILES = ("task.yaml", "table folder", "out.html")


def completed(script, words, folder):
    quoted = " ".join("'" + word + "'" for word in ["allclear", *words])
    program = (f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _allclear; "
               "printf '%s\\n' \"${COMPREPLY[@]}\"")
    run = subprocess.run(["bash", "--norc", "-c", program], cwd=folder, capture_output=True, text=True)
    return set(filter(None, run.stdout.split("\n"))), run.stderr


def main():
    if shutil.which("bash") is None:
        print("skipped: no bash")
        return 77
    folder = os.path.join(os.path.abspath(sys.argv[1]), "cmake", "completion")
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        for name in FILES:
            open(os.path.join(place, name), "w").close()
        for words, expected in CASES:
            offered, complaint = completed(os.path.join(folder, "allclear.bash"), words, place)
            if offered != expected or complaint:
                failures += 1
                print("FAILED:", words, "offers", offered, "not", expected, complaint)
    if shutil.which("zsh"):
        run = subprocess.run(["zsh", "-f", "-n", os.path.join(folder, "_allclear")], capture_output=True,
                             text=True)
        if run.returncode or run.stderr:
            failures += 1
            print("FAILED: zsh:", run.stderr)
    else:
        print("no zsh: its completion is not read")
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
