"""Runs every example in the docstrings of the package, and in docs/python.md.

The examples find `seven.urdf`, `seven.srdf` and `task.yaml` in the current folder: examples/shelf.
"""

import doctest
import importlib
import os
import pkgutil
import sys
import tempfile

import allclear
from support import SHELF, SOURCE, robot

LEAST = 30  # examples: fewer were not found


def globals_of_examples():
    line = allclear.Trajectory([0.0, 2.0], [[0.0, 1.0], [1.0, 3.0]], joints=["a", "b"])
    arm = robot()
    return {"robot": arm, "arm": arm.group("arm"), "line": line}


def main():
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    tests = []
    modules = [allclear] + [importlib.import_module(f"allclear.{m.name}")
                            for m in pkgutil.iter_modules(allclear.__path__) if m.name != "_core"]
    for module in modules:
        tests += finder.find(module, extraglobs=globals_of_examples())
    stub = (SOURCE / "python/allclear/_core.pyi").read_text()
    page = (SOURCE / "docs/python.md").read_text()
    for name, text in (("_core.pyi", stub), ("docs/python.md", page)):
        tests.append(doctest.DocTestParser().get_doctest(text.replace("```", "\n"),
                                                         globals_of_examples(), name, name, 0))
    with tempfile.TemporaryDirectory() as folder:
        for file in SHELF.iterdir():
            os.symlink(file, os.path.join(folder, file.name))
        os.chdir(folder)
        for test in tests:
            runner.run(test)
        os.chdir("/")
    results = runner.summarize()
    print(f"{results.attempted} examples of {len([t for t in tests if t.examples])} docstrings and pages")
    if results.failed or results.attempted < LEAST:
        sys.exit(1)


if __name__ == "__main__":
    main()
