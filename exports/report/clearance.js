"use strict";
// Distances: the curves of the closest pairs with what is proven of them, and the table of those pairs.

/** A distance drawn in proportion between two frames may lie below what is proven there: then that counts. */
function atLeastProven(a, b, distance) {
  if (!data.isMotion) return distance;
  const pair = data.clearance.pairs.find((p) => p.a === a && p.b === b);
  const bound = pair ? boundAt(pair.bounds, time) : data.minimum ? data.minimum.proven : null;
  return bound === null || bound === undefined ? distance : Math.max(distance, bound);
}

/** The distance of a pair at t. */
function distanceAt(pair, t) {
  const s = indexAt(data.times, t), i = Math.floor(s), j = Math.min(i + 1, lastFrame);
  const between = i === j ? pair.distance[i] : (1 - s + i) * pair.distance[i] + (s - i) * pair.distance[j];
  const bound = boundAt(pair.bounds, t);
  return bound === null ? between : Math.max(between, bound);
}

function clearanceRange(series, margins) {
  let low = 0, high = 0;
  const least = series.map((s) => Math.min(...s.values));
  for (const s of series) for (const v of s.values) if (isFinite(v)) high = Math.max(high, v);
  low = Math.min(0, ...least.filter(isFinite));
  const wanted = 2.2 * Math.max(...least.slice(0, 4).filter(isFinite), ...margins, 10);
  high = Math.min(1.06 * high, Math.max(wanted, 60));
  return { low: low < 0 ? 1.1 * low : 0, high: high > low ? high : low + 1 };
}

function setUpClearance() {
  const pairs = data.clearance.pairs;
  const card = byId("clearance");
  if (!pairs.length) { element("p", "No pairs of bodies to keep apart.", card, "hint"); return; }
  if (!data.isMotion) { card.hidden = true; return; }
  const all = pairs.map((pair, i) => ({
    values: Array.from(pair.distance, (d) => 1000 * d), color: lineColor(i), dash: lineDash(i),
    steps: Array.from(pair.bounds, (v, k) => k % 3 === 2 ? 1000 * v : v),
  }));
  const margins = [...new Set(pairs.map((pair) => 1000 * pair.margin))];
  const marginLines = margins.map((m) => ({ y: m, label: `margin ${millimetres(m / 1000)}`, color: "#b3261e" }));
  const series = () => all.map((s, i) => ({ ...s,
    fill: i === Math.max(0, chosen), width: i === chosen || (chosen < 0 && i === 0) ? 2.6 : 1.5,
    opacity: chosen < 0 || i === chosen ? 1 : 0.35 }));
  const marks = data.minimum && pairs[0].bounds.length
    ? [{ x: data.minimum.t, y: 1000 * data.minimum.distance, color: "#1c2733" }] : [];
  const hasBounds = pairs.some((pair) => pair.bounds.length);
  const plot = addTimePlot(card, {
    title: "Distance of the closest pairs", unit: "mm", height: window.innerWidth < 900 ? 180 : 168,
    series: series(), lines: marginLines, marks, ...clearanceRange(all, margins),
    read: (t) => {
      const k = Math.max(0, chosen);
      const bound = boundAt(pairs[k].bounds, t);
      return `${pairName(data, pairs[k].a, pairs[k].b)}: ${millimetres(distanceAt(pairs[k], t))}`
        + (bound === null ? "" : `, proven at least ${millimetres(bound)}`);
    },
  });
  if (hasBounds) element("p", "Shaded, and thin lines: what is proven of each stretch of time; the distance cannot be below it.", card, "hint");
  const buttons = makeLegend(card, pairs.map((pair, i) => ({
    name: pairName(data, pair.a, pair.b), color: lineColor(i), dash: lineDash(i) })), (i) => {
    chosen = chosen === i ? -1 : i;
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === chosen)));
    plot.set({ series: series() });
    setTime(time);
  });
}

function boundAt(bounds, t) {
  for (let i = 0; i + 2 < bounds.length; i += 3) if (t <= bounds[i + 1]) return bounds[i + 2];
  return null;
}

/** A cell with a button that goes to an instant. */
function addInstant(t, row) {
  const button = element("button", `${t.toFixed(2)} s`, element("td", null, row, "number"));
  button.type = "button";
  button.addEventListener("click", () => { setPlaying(false); setTime(t); });
}

/** The pairs that the certificate ranks, each between its proven bound and a distance that it has. */
function fillRanked(table) {
  const head = element("tr", null, table);
  for (const title of ["pair", "proven between", "margin", "at"]) element("th", title, head);
  for (const pair of data.ranked) {
    const row = element("tr", null, table);
    element("td", `${pair.a} – ${pair.b}`, row);
    element("td", `${millimetres(pair.lower).replace(/ mm$/, "")} and ${millimetres(pair.upper)}`, row, "number");
    element("td", millimetres(pair.margin), row, "number");
    addInstant(pair.t, row);
  }
}

function fillNearest() {
  const pairs = data.clearance.pairs;
  if (!pairs.length) return;
  byId("nearest").hidden = false;
  const table = document.querySelector("#nearest table");
  if (data.ranked.length) {
    document.querySelector("#nearest h2").textContent = "Nearest to their margins";
    fillRanked(table);
    return;
  }
  const head = element("tr", null, table);
  element("th", "pair", head);
  const columns = data.isMotion ? ["least of all frames", "at"] : data.labels;
  for (const column of columns) element("th", column, head);
  for (const pair of pairs) {
    const row = element("tr", null, table);
    const least = pair.distance[pair.nearest];
    element("td", pairName(data, pair.a, pair.b), row);
    if (data.isMotion) {
      element("td", millimetres(least), row, numberClass(least, pair));
      addInstant(data.times[pair.nearest], row);
    } else {
      for (const d of pair.distance) element("td", isFinite(d) ? millimetres(d) : "–", row, numberClass(d, pair));
    }
  }
}

const numberClass = (distance, pair) => distance < pair.margin ? "number bad" : "number";
