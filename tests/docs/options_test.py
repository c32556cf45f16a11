#!/usr/bin/env python3
"""Every subcommand and option that `allclear --help` names is in the man page and in both shells'
completion, under its subcommand; and these name none that is not there.

Usage: options_test.py ALLCLEAR SOURCE_DIR
"""
import os
import re
import subprocess
import sys

# Subcommands that have one of their own: its options count.
NESTED = {"deform": "check"}
ROBOT = {"--srdf", "--package", "--base", "--soft-limits", "--pair-samples", "--skip-never",
         "--no-cache"}


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z0-9][a-z0-9-]*", text))


def help_of(command, *words):
    text = subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True).stdout
    named = set()
    for line in text.splitlines():  # the declaration, not the words that explain it
        declared = re.match(r"  (-\w,)?(--[a-z0-9-]+)", line)
        if declared:
            named.add(declared.group(2))
    return text, named - {"--help"}


def man_sections(text):
    text = text.replace("\\-", "-")
    return {name: options_in(re.split(r"\n\.S[SH] ", body)[0])
            for name, body in re.findall(r"\n\.SS (\w+)\n(.*?)(?=\n\.S[SH] |\Z)", text, re.S)}


def bash_cases(text):
    robot = options_in(re.search(r"local robot='(.*?)'", text).group(1))
    cases = {}
    for name, body in re.findall(r"^    (\w+)\) options=(.*?) ;;", text, re.M):
        cases[name] = options_in(body) | (robot if "$robot" in body else set())
    return cases


def zsh_cases(text):
    robot = options_in(re.search(r"robot=\((.*?)\n  \)", text, re.S).group(1))
    cases = {}
    for name, body in re.findall(r"^    (\w+)\)\n(.*?);;", text, re.M | re.S):
        body = re.sub(r"'\([^)]*\)", "'", body)  # what an option excludes
        cases[name] = options_in(body) | (robot if "$robot" in body else set())
    return cases


def main():
    command, source = sys.argv[1:]
    read = lambda *path: open(os.path.join(source, *path)).read()
    top, _ = help_of(command)
    commands = re.findall(r"^  (\w+) {3,}", top.split("Subcommands:")[1], re.M)
    man = man_sections(read("docs", "man", "allclear.1"))
    man["fit"] = man.get("fit", set()) | ROBOT  # told once, under inspect
    places = {"man page": man, "bash": bash_cases(read("cmake", "completion", "allclear.bash")),
              "zsh": zsh_cases(read("cmake", "completion", "_allclear"))}
    failures = [] if len(commands) >= 6 else [f"only {commands} in --help"]
    for place, known in places.items():
        if set(known) != set(commands):
            failures.append(f"{place}: commands {sorted(known)}, --help has {sorted(commands)}")
        for name in commands:
            _, options = help_of(command, name, *([NESTED[name]] if name in NESTED else []))
            differ = options ^ known.get(name, set())
            if differ:
                failures.append(f"{place}: {name}: only on one side: {sorted(differ)}")
    print("\n".join(failures) or f"{len(commands)} commands agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
