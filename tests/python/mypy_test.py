"""mypy --strict finds nothing in the package, its stubs, and the examples of README and docs."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from support import SOURCE, skip


def examples():
    """Each example in Python as the text of a module."""
    for page in ("README.md", "docs/python.md"):
        text = (SOURCE / page).read_text()
        for k, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.S)):
            if ">>>" in code:
                code = "\n".join(line[4:] for line in code.splitlines()
                                 if line.startswith((">>> ", "... ")))
            if "import allclear" in code:
                yield f"{re.sub(r'[^a-z]', '_', page.lower())}_{k}.py", code


def main():
    if importlib.util.find_spec("mypy") is None:
        skip("no mypy")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, code in examples():
            files.append(Path(folder) / name)
            files[-1].write_text(code)
        files += sorted((SOURCE / "examples").glob("*.py"))
        assert len(files) > 2, "found almost no examples"
        environment = {**os.environ, "MYPYPATH": str(SOURCE / "python"),
                       "MYPY_CACHE_DIR": str(Path(folder) / "cache")}
        del environment["PYTHONPATH"]
        for what in (["-p", "allclear"], [str(f) for f in files]):
            run = subprocess.run([sys.executable, "-m", "mypy", "--strict", *what], cwd=folder,
                                 env=environment, text=True, capture_output=True)
            print(run.stdout, run.stderr)
            if run.returncode != 0:
                sys.exit(1)


if __name__ == "__main__":
    main()
