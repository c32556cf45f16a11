#!/usr/bin/env python3
"""Draws the plots of a bench from the file that it wrote with --json.

Usage: plot.py FILE.json [FOLDER] [--format svg|png|pdf]    (FOLDER: where to draw; default: here)
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

RED, GREEN, BLUE = "#c62828", "#2e7d32", "#1565c0"
CURVE_COLORS = ["#757575", "#ef6c00", "#1565c0", "#2e7d32", "#6a1b9a"]
JUMP = np.cos(np.radians(10.0))  # steps that turn further are dashed


def draw_distance(plot):
    """A distance over time, red, with its minimum over each stretch of time, green."""
    figure, axes = plt.subplots(figsize=(6.4, 3.3))
    axes.plot(plot["times"], plot["distances"], color=RED)
    stretches = plot["minima"]
    axes.plot([t for t0, t1, _ in stretches for t in (t0, t1)],
              [value for _, _, value in stretches for _ in range(2)], color=GREEN)
    axes.set(title=plot["title"], xlabel="time [s]", ylabel="distance [m]")
    axes.title.set_fontsize(10)
    axes.set_xlim(plot["times"][0], plot["times"][-1])
    axes.set_ylim(bottom=min(0.0, *plot["distances"]))
    axes.grid(axis="y", color="#dddddd")
    return figure


def draw_bars(plot):
    """One or two bars to a label, each with its value."""
    labels, names = [bar["label"] for bar in plot["bars"]], plot["names"]
    slot = max(1.1, 0.07 * max(len(label) for label in labels))
    figure, axes = plt.subplots(figsize=(max(0.9 + slot * len(labels), 0.8 + 1.8 * len(names)), 3.2))
    width = 0.7 / len(names)
    for k, name in enumerate(names):
        places = np.arange(len(labels)) + width * (k - 0.5 * (len(names) - 1))
        bars = axes.bar(places, [bar["values"][k] for bar in plot["bars"]], 0.95 * width,
                        color=[BLUE, RED][k % 2], label=name)
        axes.bar_label(bars, fmt="%.3g", fontsize=8)
    axes.set_xticks(np.arange(len(labels)), labels, fontsize=8)
    axes.set(title=plot["title"], ylabel=f"[{plot['unit']}]")
    axes.title.set_fontsize(10)
    axes.margins(y=0.2)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    axes.legend(fontsize=8, ncol=len(names), frameon=False, loc="upper left")
    return figure


def view_of(normals):
    """Rows: right, up and toward the viewer, who looks at where most of the directions are."""
    toward = normals.mean(axis=0)
    if np.linalg.norm(toward) < 0.3:  # they go all round: look obliquely at the plane they go round in
        _, axes = np.linalg.eigh(normals.T @ normals)
        toward = axes[:, 0] + 0.5 * axes[:, 2]
    toward = toward / np.linalg.norm(toward)
    up = np.array([0.0, 0.0, 1.0] if abs(toward[2]) < 0.9 else [0.0, 1.0, 0.0])
    right = np.cross(up, toward)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(toward, right), toward])


def draw_sphere(axes, normals, view, color):
    """The path of directions on the unit sphere; those behind are paler."""
    axes.add_patch(plt.Circle((0, 0), 1.0, facecolor="#fafafa", edgecolor="#bbbbbb"))
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    for axis in range(3):
        circle = np.zeros((73, 3))
        circle[:, (axis + 1) % 3], circle[:, (axis + 2) % 3] = np.cos(angles), np.sin(angles)
        axes.plot(*(circle @ view.T)[:, :2].T, color="#e4e4e4", linewidth=0.8)
    seen = normals @ view.T
    jumps = np.sum(normals[1:] * normals[:-1], axis=1) < JUMP
    behind = seen[1:, 2] + seen[:-1, 2] < 0.0
    styles = [(behind & ~jumps, dict(linewidth=1.5, alpha=0.35)),
              (jumps, dict(linewidth=0.8, linestyle=(0, (3, 3)))),
              (~behind & ~jumps, dict(linewidth=2.0))]
    for chosen, style in styles:
        # A gap (NaN) after each step, so that only the chosen ones are joined.
        steps = np.full((np.count_nonzero(chosen), 3, 2), np.nan)
        steps[:, 0], steps[:, 1] = seen[:-1][chosen, :2], seen[1:][chosen, :2]
        axes.plot(*steps.reshape(-1, 2).T, color=color, solid_capstyle="round", **style)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_directions(plot):
    """Distances over the steps of a motion, and below them one sphere of directions per method."""
    curves = plot["curves"]
    figure = plt.figure(figsize=(2.0 * max(3, len(curves)) + 0.4, 5.7))
    grid = figure.add_gridspec(2, len(curves), height_ratios=[1.1, 1.0], hspace=0.35)
    axes = figure.add_subplot(grid[0, :])
    view = view_of(np.array(curves[-1]["normals"]))
    for i, curve in enumerate(curves):
        color = CURVE_COLORS[i % len(CURVE_COLORS)]
        axes.plot(curve["distances"], color=color, linewidth=2.4 if i == 0 else 1.3, label=curve["name"])
        sphere = figure.add_subplot(grid[1, i])
        draw_sphere(sphere, np.array(curve["normals"]), view, color)
        sphere.set_title(curve["name"], fontsize=9)
        sphere.text(0.0, -1.25, curve["caption"], ha="center", fontsize=7)
    axes.set(xlabel="step", ylabel="distance [m]")
    axes.set_title(plot["title"], fontsize=10, pad=22)
    axes.margins(x=0.0)
    axes.axhline(0.0, color="#999999", linewidth=0.8)
    axes.grid(axis="y", color="#e4e4e4")
    axes.legend(fontsize=8, ncol=len(curves), frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    return figure


DRAW = {"distance": draw_distance, "bars": draw_bars, "directions": draw_directions}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("."))
    parser.add_argument("--format", choices=["svg", "png", "pdf"], default="svg")
    arguments = parser.parse_args()
    plots = json.loads(arguments.file.read_text()).get("plots", [])
    if not plots:
        parser.exit(1, f"{arguments.file}: has no plots (this bench prints a table only)\n")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        figure = DRAW[plot["kind"]](plot)
        drawn = arguments.folder / f"{plot['name']}.{arguments.format}"
        figure.savefig(drawn, bbox_inches="tight", dpi=120)
        plt.close(figure)
        print(drawn)


if __name__ == "__main__":
    main()
