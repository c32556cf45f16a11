#!/usr/bin/env python3
"""Makes docs/pictures anew: the reports of the examples, as a headless Chromium shows them.

Usage: pictures.py ALLCLEAR SOURCE_DIR [PICTURE..]
"""
import os
import subprocess
import sys
import tempfile

import browser

# By picture: the task under examples/, and the instant as a part of the plan's duration.
PICTURES = {
    "shelf": ("shelf/task.yaml", 0.6),
    "grasps": ("grasps/task.yaml", 1.0),
    "two_arms": ("two_arms/task.yaml", 0.45),
    "moving_obstacle": ("moving_obstacle/task.yaml", 0.48),
    "upright": ("upright/task.yaml", 0.5),
    "humanoid": ("humanoid/task.yaml", 0.4),
    "crossing": ("humanoid/crossing.yaml", 0.5),
    "picking_behind": ("humanoid/picking_behind.yaml", 0.9),
    "walking_person": ("walking_person/task.yaml", 0.5),
    "curtain": ("curtain/task.yaml", 0.5),
    "fenced_cell": ("fenced_cell/task.yaml", 0.5),
    "dress_pack": ("dress_pack/task.yaml", 0.33),
    "collaborative": ("collaborative/task.yaml", 0.5),
    "drawing": ("drawing/task.yaml", 0.62),
    "tray": ("tray/task.yaml", 0.5),
    "leaning": ("humanoid/leaning.yaml", 0.95),
    "pick_and_place": ("pick_and_place/task.yaml", 0.5),
}


def main():
    allclear, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        for name, (task, part) in PICTURES.items():
            if len(sys.argv) > 3 and name not in sys.argv[3:]:
                continue
            folder_of_task, file = os.path.split(os.path.join(source, "examples", task))
            report = os.path.join(folder, name + ".html")
            subprocess.run([allclear, "plan", file, "--quiet", "--report", report], check=True,
                           cwd=folder_of_task)
            page.open(report, "window.allclearReport && allclearReport.state.ready")
            page.evaluate(f"allclearReport.state.setTime({part} * allclearReport.data.duration)")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(os.path.join(source, "docs", "pictures", name + ".jpg"), format="jpeg",
                            quality=82)


if __name__ == "__main__":
    main()
