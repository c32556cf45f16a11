"""Runs README's Python example as it is written, beside the files that it names."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from support import SHELF, SOURCE

MOST_LINES = 25


def main():
    examples = re.findall(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.S)
    assert examples, "README.md has no example in Python"
    for example in examples:
        lines = [line for line in example.splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES, f"{len(lines)} lines, more than {MOST_LINES}"
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SHELF, folder, dirs_exist_ok=True)
            os.chdir(folder)
            names = {"__name__": "readme"}
            exec(compile(example, "README.md", "exec"), names)
            assert names["plan"].certified
            assert Path("out/plan.proof").is_file()
            os.chdir("/")
    print(f"{len(examples)} example(s) ran")


if __name__ == "__main__":
    main()
