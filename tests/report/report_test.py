#!/usr/bin/env python3
"""Opens reports in a headless Chromium: nothing on the console, nothing from the network, slider,
layers and plots move the picture, and the page fits a screen and a telephone.

Usage: report_test.py ALLCLEAR SOURCE_DIR [REPORT.html ..]   (exit code 77: no browser, skipped)
Without reports it makes its own: a plan, a plan that fails, a task, a trajectory's rows; and plans of
5 s of the Panda and of JVRC-1 when the shared data are there (ALLCLEAR_DATA, else ../shared/data).
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

# Plans of 5 s with real robots, and how large their reports may be [bytes].
PANDA = """
robot: {{urdf: {0}/panda_description/urdf/panda.urdf, srdf: {0}/panda_description/srdf/panda.srdf}}
group_name: panda_arm
start_state: {{panda_joint1: -0.8, panda_joint2: 0.3, panda_joint3: 0, panda_joint4: -1.9,
              panda_joint5: 0, panda_joint6: 2.2, panda_joint7: 0.785}}
goal:
  joint_constraints: {{panda_joint1: 0.8}}
scene:
  collision_objects:
    - {{id: box, type: box, dimensions: [0.2, 0.1, 0.7], pose: {{position: [0.5, 0.0, 0.3]}}}}
duration: {{fixed: 5.0}}
"""
# It raises both hands around a board in front of it; at zero its arms touch its body.
JVRC = """
robot: {{urdf: {0}/jvrc_description/urdf/jvrc1.urdf}}
joints: [R_SHOULDER_P, R_SHOULDER_R, R_SHOULDER_Y, R_ELBOW_P, R_ELBOW_Y, R_WRIST_R, R_WRIST_Y,
         L_SHOULDER_P, L_SHOULDER_R, L_SHOULDER_Y, L_ELBOW_P, L_ELBOW_Y, L_WRIST_R, L_WRIST_Y]
start_state: {{
  R_SHOULDER_P: -0.05, R_SHOULDER_R: -0.3, R_SHOULDER_Y: 0, R_ELBOW_P: -0.52, R_ELBOW_Y: 0, R_WRIST_R: 0, R_WRIST_Y: 0,
  L_SHOULDER_P: -0.05, L_SHOULDER_R: 0.3, L_SHOULDER_Y: 0, L_ELBOW_P: -0.52, L_ELBOW_Y: 0, L_WRIST_R: 0, L_WRIST_Y: 0}}
goal:
  joint_constraints: {{R_SHOULDER_P: -0.6, R_SHOULDER_R: -0.25, R_ELBOW_P: -1.4,
                      L_SHOULDER_P: -0.6, L_SHOULDER_R: 0.25, L_ELBOW_P: -1.4}}
scene:
  collision_objects:
    - {{id: board, type: box, dimensions: [0.2, 0.7, 0.04], pose: {{position: [0.4, 0, 0.05]}}}}
duration: {{fixed: 5.0}}
"""
ROBOTS = {"panda": (PANDA, "panda_description", 5e6), "jvrc1": (JVRC, "jvrc_description", 15e6)}

# Counts the WebGL contexts that a page asks for: each is slow to get.
COUNT_CONTEXTS = """
const getContext = HTMLCanvasElement.prototype.getContext;
window.contexts = 0;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  const context = getContext.call(this, kind, ...rest);
  if (context && /webgl/.test(kind)) ++window.contexts;
  return context;
};
"""

# The drawn picture, and how many of its pixels differ from the copy before.
HELPERS = """
window.grab = () => {
  allclearReport.viewer.drawNow();
  const gl = allclearReport.viewer.renderer.getContext();
  const out = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, out);
  return out;
};
allclearReport.viewer.renderer.setPixelRatio(0.5);  // drawn without a graphics card: a quarter of the work
allclearReport.viewer.width = 0;
allclearReport.viewer.resize();
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
        (0, ["plan", os.path.join(source, "examples", "humanoid", "crossing.yaml"), "--quiet", "--report",
             path("standing.html")]),
    )
    for code, arguments in runs:
        run = subprocess.run([allclear, *arguments], capture_output=True, text=True)
        expected = (3, 4) if code is None else (code,)
        expect(run.returncode in expected, f"allclear {arguments[0]} ended with {run.returncode}: "
               f"{run.stdout}{run.stderr}")
    return [run[1][-1] for run in runs]


def make_robot_reports(allclear, source, folder):
    data = os.environ.get("ALLCLEAR_DATA") or os.path.join(source, "..", "shared", "data")
    robots = os.path.realpath(os.path.join(data, "robots"))
    reports = []
    for name, (task, package, most) in ROBOTS.items():
        if not os.path.isdir(os.path.join(robots, package)):
            print(f"{name}: not looked at, {os.path.join(robots, package)} is not there")
            continue
        file, report = os.path.join(folder, name + ".yaml"), os.path.join(folder, name + ".html")
        with open(file, "w") as out:
            out.write(task.format(robots))
        run = subprocess.run([allclear, "plan", file, "--quiet", "--report", report], capture_output=True,
                             text=True, cwd=folder)
        expect(run.returncode == 0, f"{name} is not planned: {run.stdout}{run.stderr}")
        if os.path.exists(report):
            expect(os.path.getsize(report) <= most, f"{name}: {os.path.getsize(report)} bytes")
            reports.append(report)
    return reports


def opened(page, name):
    """What it took until the page could be used. Counts are the page's own, and the same on every
    machine; times are told, not judged."""
    m = page.metrics()
    at = page.evaluate("[allclearReport.state.readable, allclearReport.state.ready].map((t) => t / 1e3)")
    print(f"{name}: read after {at[0]:.2f} s, used after {at[1]:.2f} s; {m['TaskDuration']:.2f} s of work, "
          f"{m['ScriptDuration']:.2f} s of it scripts")
    expect(page.evaluate("contexts") == 1, f"{name}: {page.evaluate('contexts')} WebGL contexts")
    expect(page.evaluate("allclearReport.viewer.drawn") <= 3,
           f"{name}: {page.evaluate('allclearReport.viewer.drawn')} pictures before it is ready")
    expect(m["LayoutCount"] <= 30, f"{name}: laid out {m['LayoutCount']} times")


def stands_still(page, name):
    """Nothing is drawn while nothing changes, once the page has settled."""
    for _ in range(40):
        before = page.evaluate("allclearReport.viewer.drawn")
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
        if page.evaluate("allclearReport.viewer.drawn") == before:
            return
    expect(False, f"{name}: draws while nothing changes")


def keys(page, name):
    """Time, view and layers without a mouse."""
    page.evaluate("document.activeElement.blur(); allclearReport.state.setTime(0); changed()")
    page.key("ArrowRight")
    expect(page.evaluate("allclearReport.state.time()") > 0, f"{name}: the right arrow does not move the time")
    at = page.evaluate("changed(); document.querySelector('#view canvas').focus(); allclearReport.state.time()")
    page.key("ArrowLeft")
    expect(page.evaluate("changed()") > 25, f"{name}: arrows do not turn the view")
    expect(page.evaluate("allclearReport.state.time()") == at, f"{name}: turning the view moves the time")
    unnamed = page.evaluate("""[...document.querySelectorAll('button, input, select, canvas, summary')].filter((node) =>
      !(node.textContent.trim() || node.getAttribute('aria-label') || node.labels && node.labels.length))
      .map((node) => node.outerHTML.slice(0, 80))""")
    expect(not unnamed, f"{name}: without a name for a screen reader: {unnamed}")
    page.evaluate("document.activeElement.blur()")


def printed(page, name):
    """On paper: the verdict and the plots, no buttons."""
    page.call("Emulation.setEmulatedMedia", media="print")
    for where, is_there in (("#verdict", True), ("#clearance svg", True), ("#view canvas", True), ("#transport", False),
                            ("#layers", False)):
        shown = page.evaluate(f"document.querySelector('{where}').getClientRects().length > 0")
        expect(shown == is_there, f"{name}: {where} on paper: {shown}")
    page.call("Emulation.setEmulatedMedia", media="")


def look(page, name, is_motion, thorough):
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
        expect(page.evaluate("changed()") > 25, f"{name}: the slider moves nothing")
        expect(page.evaluate("document.getElementById('clock').textContent") != "0.000 s",
               f"{name}: the clock stands still")
        hover(page, name)
    else:
        page.evaluate("allclearReport.state.setTime(0); changed()")
        page.evaluate("[...document.querySelectorAll('.ends button')].at(-1).click()")
        expect(page.evaluate("changed()") > 25, f"{name}: start and goal look the same")
    contacts(page, name)
    if not thorough:
        return
    layers = page.evaluate("[...document.querySelectorAll('#layers input')].map((box) => box.id)")
    expect(len(layers) >= 4, f"{name}: layers {layers}")
    for layer in layers:
        page.evaluate(f"document.getElementById('{layer}').click()")
        expect(page.evaluate("changed()") > 0, f"{name}: {layer} changes nothing")
        page.evaluate(f"document.getElementById('{layer}').click(); changed()")


def contacts(page, name):
    """Of a robot that stands: soles from above, forces, friction and room to the soles' edges."""
    count = page.evaluate("allclearReport.data.contacts.list.length")
    expect(count > 0 or "standing" not in name, f"{name}: no contacts")
    shown = page.evaluate("document.querySelectorAll('#contacts:not([hidden]) .plot').length")
    expect(shown == (4 if count else 0), f"{name}: {shown} plots of contacts")
    if count:
        sums = page.evaluate("""allclearReport.data.contacts.list.reduce((sum, c) => sum + c.force[2], 0)
          / allclearReport.data.contacts.weight""")
        expect(abs(sums - 1) < 1e-3, f"{name}: at rest the contacts bear {sums} of the weight")


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
    expect(page.evaluate("changed()") > 25, f"{name}: hovering does not move the scene")


# Millimetres in the heading of the clearances: [distance, what is proven] at many instants.
HEADINGS = """[...Array(400).keys()].map((i) => {
  allclearReport.state.setTime(i / 399 * allclearReport.data.duration);
  const words = document.querySelector("#clearance .read").textContent;
  return [...words.matchAll(/(-?[0-9.]+) mm/g)].map((found) => Number(found[1]));
})"""


def closest(page, name):
    """The button and the key c go to the closest instant; no distance is below what is proven."""
    has_minimum = page.evaluate("Boolean(allclearReport.data.minimum)")
    shown = page.evaluate("!document.getElementById('closest').hidden")
    expect(shown == has_minimum, f"{name}: the button for the closest instant: {shown}")
    if not has_minimum:
        return
    wanted = page.evaluate("allclearReport.data.minimum.t")
    page.evaluate("document.activeElement.blur(); allclearReport.state.setTime(0)")
    page.key("c")
    expect(page.evaluate("allclearReport.state.time()") == wanted, f"{name}: the key c does not go to the closest instant")
    page.evaluate("allclearReport.state.setTime(0); document.getElementById('closest').click()")
    expect(page.evaluate("allclearReport.state.time()") == wanted, f"{name}: the button does not either")
    for numbers in page.evaluate(HEADINGS):
        expect(len(numbers) < 2 or numbers[0] >= numbers[1], f"{name}: {numbers[0]} mm, proven at least {numbers[1]} mm")
    ranked = page.evaluate("allclearReport.data.ranked.length")
    rows = page.evaluate("document.querySelectorAll('#nearest tr').length")
    expect(not ranked or rows == ranked + 1, f"{name}: {rows} rows for {ranked} pairs")
    if ranked:  # at that instant the curve meets the distance that the table names
        page.evaluate("allclearReport.state.setTime(allclearReport.data.minimum.t)")
        off = page.evaluate("Math.abs(allclearReport.viewer.currentPair().distance - allclearReport.data.minimum.distance)")
        expect(off < 1e-5, f"{name}: off by {off} m at the closest instant")


def play_and_turn(page, name):
    page.evaluate("scrollTo(0, 0); allclearReport.state.setTime(0); document.getElementById('play').click()")
    page.evaluate("""new Promise((done) => {
      const limit = performance.now() + 20000;
      const look = () => allclearReport.state.time() > 0 || performance.now() > limit ? done() : setTimeout(look, 20);
      look();
    })""")
    expect(page.evaluate("allclearReport.state.time()") > 0.0, f"{name}: does not play")
    page.evaluate("allclearReport.state.play(false); changed()")
    x, y = page.evaluate("""(() => { const b = document.getElementById('view').getBoundingClientRect();
      return [b.left + b.width / 2, b.top + b.height / 2]; })()""")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 20, button="left", buttons=1)
    page.mouse("mouseReleased", x + 60, y + 20, button="left", clickCount=1)
    expect(page.evaluate("changed()") > 25, f"{name}: dragging does not turn the view")
    keys(page, name)
    page.evaluate("document.querySelectorAll('#joints .chips button')[2].click()")
    expect(page.evaluate("document.querySelector('#joints .plot b').textContent.includes('[rad]')"),
           f"{name}: choosing a joint does not show its units")


def main():
    if browser.find() is None:
        print("skipped: no Chromium (Debian: chromium)")
        return 77
    allclear, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=COUNT_CONTEXTS)
        reports = sys.argv[3:] or [*make_reports(allclear, source, folder),
                                   *make_robot_reports(allclear, source, folder)]
        for report in reports:
            if not os.path.exists(report):
                expect(False, f"{report} was not written")
                continue
            for width, height, mobile in SIZES:
                name = f"{os.path.basename(report)} at {width}x{height}"
                page.resize(width, height, mobile)
                page.open(report, "window.allclearReport && allclearReport.state.ready")
                print(f"{name}: {os.path.getsize(report) / 1e6:.2f} MB")
                opened(page, name)
                stands_still(page, name)
                is_motion = page.evaluate("allclearReport.data.isMotion")
                look(page, name, is_motion, not mobile)
                if is_motion and not mobile:
                    play_and_turn(page, name)
                    closest(page, name)
                    printed(page, name)
                expect(not page.errors, f"{name}: the console says {page.errors}")
                expect(len(page.requests) <= 1, f"{name}: asks the network for {page.requests[1:]}")
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
