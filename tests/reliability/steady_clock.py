"""No source waits for, or measures by, a clock that can be set: only the steady one.

Run as: steady_clock.py SOURCE_FOLDER. So a wall clock that is set back during a run changes neither time
limits nor plans; soak.py tries it where faketime is installed.
"""

import re
import sys
from pathlib import Path

FOLDERS = ["core", "distance", "trajectories", "robot_models", "planner", "exports", "config", "apps", "python", "verify"]
WALL = re.compile(r"system_clock|high_resolution_clock|gettimeofday|CLOCK_REALTIME|std::time\(|[^_\w.>]time\(nullptr\)|"
                  r"pthread_cond_timedwait|timespec_get")


def main():
    source = Path(sys.argv[1])
    found = []
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if WALL.search(line.split("//")[0]):
                    found.append(f"{file.relative_to(source)}:{number}: {line.strip()}")
    print("\n".join(found) or "only the steady clock")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
