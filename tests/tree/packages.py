"""Checks that every package is named once. Run as: packages.py SOURCE_DIR.

Fails when
- cmake/packages.txt names a Debian package twice, or a script names packages besides it,
- CMake looks for a package in two places,
- the installed CMake configuration does not look for exactly the packages that the libraries need.
"""

import re
import sys
from collections import Counter
from pathlib import Path

# What only the command, the tests, the benches and the examples need: not a consumer of the libraries.
NOT_FOR_CONSUMERS = {"CLI11", "GTest", "benchmark", "coal", "fcl", "octomap", "ompl", "Python3", "PkgConfig",
                     "SQLite3", "pybind11"}

FIND = re.compile(r"\b(?:find_package|find_dependency)\s*\(\s*(\w+)")
PKG_CONFIG = re.compile(r"\bpkg_check_modules\s*\([^)]*?\s([a-z]\w*)\s*\)")


def debian_packages(root):
    lines = (root / "cmake" / "packages.txt").read_text().splitlines()
    return [name for line in lines if line and not line.startswith("#") for name in line.split()[1:]]


def found_by_cmake(text):
    text = re.sub(r"#[^\n]*", "", text)
    return FIND.findall(text) + PKG_CONFIG.findall(text)


def cmake_files(root):
    files = [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")]
    return files + [p for p in root.glob("*/CMakeLists.txt")]


def main():
    root = Path(sys.argv[1])
    packages = debian_packages(root)
    assert len(packages) > 10, "found almost no packages"
    errors = [f"cmake/packages.txt: {name} is named {n} times"
              for name, n in Counter(packages).items() if n > 1]

    for script in [root / "bootstrap", *(root / ".ci").iterdir()]:
        for number, line in enumerate(script.read_text().splitlines(), 1):
            if re.search(r"apt(-get)? .*install [^\"]*\b[a-z]", line.split("#")[0].replace("-y", "").replace(
                    "-qq", "").replace("--no-install-recommends", "")):
                errors.append(f"{script.relative_to(root)}:{number}: packages belong into cmake/packages.txt")
            named = [p for p in packages if p.endswith("-dev") and re.search(rf"\b{re.escape(p)}\b", line)]
            errors += [f"{script.relative_to(root)}:{number}: {p} belongs into cmake/packages.txt alone"
                       for p in named if p != "dpkg-dev"]

    looked_for = {}
    for path in cmake_files(root):
        for name in set(found_by_cmake(path.read_text())):
            looked_for.setdefault(name, []).append(path.relative_to(root).as_posix())
    errors += [f"{name} is looked for in {' and '.join(places)}"
               for name, places in looked_for.items() if len(places) > 1]

    config = Counter(found_by_cmake((root / "cmake" / "allclear-config.cmake.in").read_text()))
    needed = set(looked_for) - NOT_FOR_CONSUMERS
    errors += [f"cmake/allclear-config.cmake.in: {name} is missing" for name in needed - set(config)]
    errors += [f"cmake/allclear-config.cmake.in: {name} is named {n} times" for name, n in config.items()
               if n > 1]
    errors += [f"cmake/allclear-config.cmake.in: the project does not look for {name}"
               for name in set(config) - set(looked_for)]
    if errors:
        sys.exit("Packages:\n  " + "\n  ".join(errors))
    print(f"packages: {len(packages)} of Debian, {len(looked_for)} that CMake looks for, each named once")


if __name__ == "__main__":
    main()
