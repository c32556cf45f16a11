"""`pip install --no-build-isolation .` into a fresh environment with the system's packages, offline.

The compiled module is taken from the build folder: to compile it again would only cost time.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support import BUILD, SHELF, SOURCE, skip

PLAN = """
import allclear, os, sys
assert allclear.__file__.startswith(sys.prefix), allclear.__file__
os.chdir({folder!r})
assert allclear.plan("task.yaml", improve="none").certified
assert os.path.isfile(os.path.join(os.path.dirname(allclear.__file__), "py.typed"))
print("planned with", allclear.__file__)
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(venv)],
                              capture_output=True, text=True)
        if made.returncode != 0:
            skip("no python3-venv: " + made.stdout.strip().splitlines()[0])
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        python = venv / "bin" / "python"
        subprocess.run([str(python), "-m", "pip", "install", "--no-index", "--no-build-isolation",
                        "--no-deps", "--quiet", "--config-settings", f"build-dir={BUILD}", str(SOURCE)],
                       check=True, env=environment)
        subprocess.run([str(python), "-c", PLAN.format(folder=str(SHELF))], check=True, env=environment,
                       cwd=folder)


if __name__ == "__main__":
    main()
