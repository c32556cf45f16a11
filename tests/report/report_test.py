#!/usr/bin/env python3
"""Opens reports in a headless Chromium: nothing on the console, nothing from the network, slider,
layers and plots move the picture, and the page fits a screen and a telephone.

Usage: report_test.py ALLCLEAR SOURCE_DIR [REPORT.html ..]   (exit code 77: no browser, skipped)
Without reports it makes its own: a plan, a plan that fails, a task, a trajectory's rows.
"""
import os
import subprocess
import sys
import tempfile

import browser

SIZES = ((1280, 800, False), (390, 844, True))

# A wall with no way around it.
WALLED = """
robot: {{urdf: {0}/seven.urdf, srdf: {0}/seven.srdf}}
group_name: arm
start_state: {{joint1: -1.4, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, joint7: 0}}
goal:
  joint_constraints: {{joint1: {1}, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, joint7: 0}}
scene:
  collision_objects:
    - {{id: "wall <b>&", type: box, dimensions: [4, 0.02, 4], pose: {{position: [2.12, 0, 0]}}}}
    - {{id: behind, type: box, dimensions: [4, 0.02, 4], pose: {{position: [-2.12, 0, 0]}}}}
    - {{id: above, type: box, dimensions: [4, 0.02, 2], pose: {{position: [0, 0, 1.8]}}}}
solver: {{time_limit: 3, attempts: 1}}
"""

# Copies of the drawn picture, and how many of its pixels differ from the copy before.
HELPERS = """
window.grab = () => {
  allclearReport.viewer.drawNow();
  const from = document.querySelector("#view canvas");
  const to = document.createElement("canvas");
  [to.width, to.height] = [from.width, from.height];
  to.getContext("2d").drawImage(from, 0, 0);
  return to.getContext("2d").getImageData(0, 0, to.width, to.height).data;
};
window.before = grab();
window.changed = () => {
  const now = grab();
  let count = 0;
  for (let i = 0; i < now.length; i += 4) {
    const d = Math.abs(now[i] - before[i]) + Math.abs(now[i + 1] - before[i + 1]) + Math.abs(now[i + 2] - before[i + 2]);
    count += d > 24;
  }
  before = now;
  return count;
};
window.colors = () => {
  const seen = new Set(), now = grab();
  for (let i = 0; i < now.length; i += 4) seen.add(now[i] << 16 | now[i + 1] << 8 | now[i + 2]);
  return seen.size;
};
0
"""

SMALL_TEXT = """
[...document.querySelectorAll("body *")].filter((node) => node.childNodes.length && node.offsetParent !== null
  && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())
  && parseFloat(getComputedStyle(node).fontSize) < 11).map((node) => node.textContent.slice(0, 40))
"""

OUTSIDE = """
[...document.querySelectorAll("main *, header *, #help *")].filter((node) => {
  const box = node.getBoundingClientRect();
  let clipped = false;
  for (let up = node.parentElement; up; up = up.parentElement) clipped = clipped || getComputedStyle(up).overflowX !== "visible";
  return !clipped && box.width && (box.right > innerWidth + 1 || box.left < -1) && !node.closest("svg");
}).map((node) => node.outerHTML.slice(0, 80))
"""

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def make_reports(allclear, source, folder):
    shelf = os.path.join(source, "examples", "shelf")
    path = lambda name: os.path.join(folder, name)
    for name, goal in (("walled.yaml", 1.4), ("stuck.yaml", 0.0)):
        with open(path(name), "w") as out:
            out.write(WALLED.format(shelf, goal))
    task, csv = os.path.join(shelf, "task.yaml"), path("plan.csv")
    runs = (
        (0, ["plan", task, "--quiet", "--csv", csv, "--report", path("plan.html")]),
        (None, ["plan", path("walled.yaml"), "--quiet", "--report", path("failed.html")]),
        (3, ["check", path("stuck.yaml"), "--report", path("stuck.html")]),
        (0, ["check", task, "--report", path("task.html")]),
        (0, ["report", task, csv, "-o", path("rows.html")]),
    )
    for code, arguments in runs:
        run = subprocess.run([allclear, *arguments], capture_output=True, text=True)
        expected = (3, 4) if code is None else (code,)
        expect(run.returncode in expected, f"allclear {arguments[0]} ended with {run.returncode}: "
               f"{run.stdout}{run.stderr}")
    return [run[1][-1] for run in runs]


def look(page, name, is_motion):
    """The page as a user sees it, at its present size."""
    expect(page.evaluate("document.querySelector('#verdict h1').textContent.length") > 8,
           f"{name}: no verdict")
    expect(page.evaluate("document.querySelector('#verdict').getBoundingClientRect().bottom < innerHeight"),
           f"{name}: the verdict is not on the first screen")
    expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
           f"{name}: wider than the screen")
    expect(not page.evaluate(SMALL_TEXT), f"{name}: small text: {page.evaluate(SMALL_TEXT)}")
    expect(not page.evaluate(OUTSIDE), f"{name}: beyond the edge: {page.evaluate(OUTSIDE)}")
    expect(not page.evaluate("document.querySelector('b b, td b, #badge b, li b')"), f"{name}: names became markup")
    page.evaluate(HELPERS)
    expect(page.evaluate("colors()") > 40, f"{name}: the scene is blank")
    if is_motion:
        page.evaluate("""(() => { const s = document.getElementById('slider');
          s.value = 0; s.dispatchEvent(new Event('input')); changed(); })()""")
        page.evaluate("""(() => { const s = document.getElementById('slider');
          s.value = 0.7 * s.max; s.dispatchEvent(new Event('input')); })()""")
        expect(page.evaluate("changed()") > 100, f"{name}: the slider moves nothing")
        expect(page.evaluate("document.getElementById('clock').textContent") != "0.000 s",
               f"{name}: the clock stands still")
        hover(page, name)
    else:
        page.evaluate("allclearReport.state.setTime(0); changed()")
        page.evaluate("[...document.querySelectorAll('.ends button')].at(-1).click()")
        expect(page.evaluate("changed()") > 100, f"{name}: start and goal look the same")
    layers = page.evaluate("[...document.querySelectorAll('#layers input')].map((box) => box.id)")
    expect(len(layers) >= 4, f"{name}: layers {layers}")
    for layer in layers:
        page.evaluate(f"document.getElementById('{layer}').click()")
        expect(page.evaluate("changed()") > 0, f"{name}: {layer} changes nothing")
        page.evaluate(f"document.getElementById('{layer}').click(); changed()")


def hover(page, name):
    """Over the plot of clearances, at two instants."""
    page.evaluate("document.querySelector('#clearance svg').scrollIntoView({block: 'end'})")
    box = page.evaluate("""(() => { const b = document.querySelector('#clearance svg').getBoundingClientRect();
      return [b.left, b.top, b.width, b.height]; })()""")
    times = []
    for part in (0.25, 0.8):
        page.evaluate("changed()")
        page.mouse("mouseMoved", box[0] + part * box[2], box[1] + 0.5 * box[3])
        times.append(page.evaluate("allclearReport.state.time()"))
    expect(times[1] > times[0], f"{name}: hovering does not move the time: {times}")
    expect(page.evaluate("changed()") > 100, f"{name}: hovering does not move the scene")


def play_and_turn(page, name):
    page.evaluate("scrollTo(0, 0); allclearReport.state.setTime(0); document.getElementById('play').click()")
    page.evaluate("new Promise((done) => setTimeout(done, 400))")
    expect(page.evaluate("allclearReport.state.time()") > 0.0, f"{name}: does not play")
    page.evaluate("allclearReport.state.play(false); changed()")
    x, y = page.evaluate("""(() => { const b = document.getElementById('view').getBoundingClientRect();
      return [b.left + b.width / 2, b.top + b.height / 2]; })()""")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 20, button="left", buttons=1)
    page.mouse("mouseReleased", x + 60, y + 20, button="left", clickCount=1)
    expect(page.evaluate("changed()") > 100, f"{name}: dragging does not turn the view")
    page.evaluate("document.querySelectorAll('#joints .chips button')[2].click()")
    expect(page.evaluate("document.querySelector('#joints .plot b').textContent.includes('[rad]')"),
           f"{name}: choosing a joint does not show its units")


def main():
    if browser.find() is None:
        print("skipped: no Chromium (Debian: chromium)")
        return 77
    allclear, source = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        reports = sys.argv[3:] or make_reports(allclear, source, folder)
        for report in reports:
            if not os.path.exists(report):
                expect(False, f"{report} was not written")
                continue
            for width, height, mobile in SIZES:
                name = f"{os.path.basename(report)} at {width}x{height}"
                page.resize(width, height, mobile)
                page.open(report, "window.allclearReport && allclearReport.state.ready")
                print(f"{name}: {os.path.getsize(report) / 1e6:.2f} MB, interactive after "
                      f"{page.evaluate('allclearReport.state.ready') / 1e3:.2f} s here")
                is_motion = page.evaluate("allclearReport.data.isMotion")
                look(page, name, is_motion)
                if is_motion and not mobile:
                    play_and_turn(page, name)
                expect(not page.errors, f"{name}: the console says {page.errors}")
                expect(len(page.requests) <= 1, f"{name}: asks the network for {page.requests[1:]}")
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
