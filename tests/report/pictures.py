#!/usr/bin/env python3
"""Makes docs/pictures anew: the reports of the examples, as a headless Chromium shows them.

Usage: pictures.py ALLCLEAR SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

import browser

# The instant of each picture, as a part of the plan's duration.
INSTANTS = {"shelf": 0.6, "two_arms": 0.45, "moving_obstacle": 0.48, "upright": 0.5, "humanoid": 0.4}


def main():
    allclear, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        for name, part in INSTANTS.items():
            report = os.path.join(folder, name + ".html")
            subprocess.run([allclear, "plan", "task.yaml", "--quiet", "--report", report], check=True,
                           cwd=os.path.join(source, "examples", name))
            page.open(report, "window.allclearReport && allclearReport.state.ready")
            page.evaluate(f"allclearReport.state.setTime({part} * allclearReport.data.duration)")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(os.path.join(source, "docs", "pictures", name + ".jpg"), format="jpeg",
                            quality=82)


if __name__ == "__main__":
    main()
