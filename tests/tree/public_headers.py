"""Holds the public headers to what is promised of them.

Run as: public_headers.py SOURCE_DIR LIST UMBRELLA. LIST names the installed headers, one a line, and
UMBRELLA is the file <allclear/allclear.h>. Fails when
- there are more than MOST of them, or one of them includes a header that is not installed,
- the umbrella does not include exactly these,
- the two headers of README's example pull in more than they need: trees of volumes, link curves,
  kinematics or anything else beside values and declarations.
"""

import re
import sys
from pathlib import Path

MOST = 45
INCLUDE = re.compile(r'^#include [<"]allclear/([^>"]+)[>"]', re.M)

# What a program that plans a task has to know: the robot, the problem, the plan and its proof.
README_MAY_REACH = re.compile(
    r"core/(types|pose|input_error)\.h|config/task_file\.h|exports/output_settings\.h"
    r"|distance/(shape|body_curve|convex_cover)\.h|robot_models/robot_model\.h"
    r"|planner/(planner|problem|scene|settings|certificate|run_context)\.h"
    r"|trajectories/(trajectory|named_trajectory|bspline|hermite|bernstein_span)\.h")


def closure(root, headers):
    reached = {}
    queue = [(h, "") for h in headers]
    while queue:
        header, by = queue.pop()
        if header not in reached:
            reached[header] = by
            queue += [(h, header) for h in INCLUDE.findall((root / header).read_text())]
    return reached


def readme_example(root):
    text = (root / "README.md").read_text()
    code = next(c for c in re.findall(r"```cpp\n(.*?)```", text, re.S) if "planner/planner.h" in c)
    return INCLUDE.findall(code)


def main():
    root = Path(sys.argv[1])
    public = Path(sys.argv[2]).read_text().split()
    errors = []
    if len(public) > MOST:  # beside allclear.h and version.h, which are made from these
        errors.append(f"{len(public)} public headers, more than {MOST}")
    for header, by in closure(root, public).items():
        if header not in public:
            errors.append(f"{by} is installed and includes {header}, which is not")
    umbrella = INCLUDE.findall(Path(sys.argv[3]).read_text())
    if sorted(umbrella) != sorted(public + ["version.h"]):
        errors.append(f"allclear.h and the list differ: {set(umbrella) ^ set(public + ['version.h'])}")
    example = readme_example(root)
    if not example:
        errors.append("README.md: no example that includes planner/planner.h")
    for header, by in closure(root, example).items():
        if not README_MAY_REACH.fullmatch(header):
            errors.append(f"README's example reaches {header} (through {by})")
    if errors:
        sys.exit("Public headers:\n  " + "\n  ".join(errors))
    print(f"public headers: {len(public)}; README's example reaches {len(closure(root, example))}")


if __name__ == "__main__":
    main()
