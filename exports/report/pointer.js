"use strict";
// The view follows fingers, mouse and keys.

function listenTo(canvas, view) {
  const fingers = new Map();
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.setPointerCapture(event.pointerId);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before[0], dy = event.clientY - before[1];
    if (fingers.size > 1) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const span = (x, y) => Math.hypot(x - other[0], y - other[1]) || 1;
      view.zoom(span(before[0], before[1]) / span(event.clientX, event.clientY));
      view.shift(0.5 * dx, 0.5 * dy);
    } else if (event.buttons & 2 || event.shiftKey || event.ctrlKey) {
      view.shift(dx, dy);
    } else {
      view.turn(dx, dy);
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("keydown", (event) => {
    const turns = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] };
    const zooms = { "+": 1 / 1.15, "=": 1 / 1.15, "-": 1.15 };
    if (turns[event.key]) (event.shiftKey ? view.shift(...turns[event.key]) : view.turn(...turns[event.key]));
    else if (zooms[event.key]) view.zoom(zooms[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();  // the arrows move time elsewhere
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom(Math.exp(0.0012 * Math.max(-300, Math.min(300, event.deltaY))));
  }, { passive: false });
}
