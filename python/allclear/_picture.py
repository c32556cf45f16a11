"""The picture of a plan in a notebook: its verdict, and clearances over time as a small SVG.

Solid lines are distances at instants; the steps below them are proven lower bounds, which hold
between the instants too; the dashed line is the margin. No script and no file from elsewhere.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, List, Tuple

if TYPE_CHECKING:
    from .planning import Clearance

_WIDTH, _HEIGHT = 560, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 12, 12, 34
#: Told apart by most who see colours differently (Okabe and Ito), readable on white and black.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_TARGET_TICKS = 4
#: The axis ends above the least distances by this factor: what is near is to be seen.
_SHOWN_RANGE = 1.3
_LEAST_RANGE = 0.02  # [m] of the axis: less would blow up what is a constant


def plan_html(status: str, certified: bool, message: str, clearances: "List[Clearance]") -> str:
    """The verdict, and the picture where there is something to draw."""
    colour = "#009e73" if certified else "#d55e00"
    title = status.replace("_", " ").capitalize()
    if certified and status != "certified":
        title += ", certified"
    if message.startswith(title):  # it says so itself
        message = message[len(title):]
    else:
        message = ". " + message
    parts = [f'<div style="max-width:{_WIDTH + 40}px;font-family:sans-serif;font-size:13px">',
             f'<p style="margin:4px 0"><b style="color:{colour}">{html.escape(title)}</b>'
             f"{html.escape(message)}</p>"]
    drawn = [c for c in clearances if len(c.times) > 1]
    if drawn:
        parts += [_svg(drawn), _legend(drawn)]
    return "".join([*parts, "</div>"])


def _svg(clearances: "List[Clearance]") -> str:
    """Millimetres over seconds."""
    end = float(clearances[0].times[-1])
    low, high = _range(clearances)

    def x(t: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * t / end

    def y(d: float) -> float:
        share = (d - low) / (high - low)
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
             f'width="{_WIDTH}" height="{_HEIGHT}" role="img" '
             'aria-label="clearances over time" font-size="11" fill="none">']
    for value in _ticks(0.0, end):
        lines.append(_tick_x(x(value), f"{value:g}"))
    for value in _ticks(1e3 * low, 1e3 * high):
        lines.append(_tick_y(y(1e-3 * value), f"{value:g}"))
    lines.append(f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 4}" text-anchor="end" fill="#777">'
                 't [s]</text>')
    lines.append(f'<text transform="translate(12 {_TOP + 4}) rotate(-90)" text-anchor="end" '
                 'fill="#777">distance [mm]</text>')
    # What is beyond the axis is cut off, not drawn along its end.
    lines.append(f'<svg x="0" y="{_TOP - 1}" width="{_WIDTH}" height="{_HEIGHT - _TOP - _BOTTOM + 2}" '
                 f'viewBox="0 {_TOP - 1} {_WIDTH} {_HEIGHT - _TOP - _BOTTOM + 2}">')
    margin = clearances[0].margin
    lines.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(margin):.1f}" '
                 f'y2="{y(margin):.1f}" stroke="#777" stroke-dasharray="5 4"/>')
    for k, c in enumerate(clearances):
        colour = _COLOURS[k % len(_COLOURS)]
        steps = " ".join(f"{x(min(t, end)):.1f},{y(lower):.1f}" for t0, t1, lower in c.bounds
                         for t in (t0, t1) if t0 < end)
        lines.append(f'<polyline points="{steps}" stroke="{colour}" stroke-opacity="0.45"/>')
        points = " ".join(f"{x(t):.1f},{y(d):.1f}" for t, d in zip(c.times, c.distances))
        lines.append(f'<polyline points="{points}" stroke="{colour}" stroke-width="1.8"/>')
    return "".join([*lines, "</svg></svg>"])


def _range(clearances: "List[Clearance]") -> Tuple[float, float]:
    """What the axis shows: zero, the margin, and the least distance of each pair."""
    least = [float(c.distances.min()) for c in clearances]
    margin = clearances[0].margin
    return min(0.0, *least), max(_SHOWN_RANGE * max(*least, margin), _LEAST_RANGE)


def _ticks(low: float, high: float) -> List[float]:
    """Round numbers between the ends."""
    step = 10.0 ** len(str(int(high - low)))
    for factor in (0.5, 0.4, 0.5, 0.5) * 8:  # 10, 5, 2, 1, 0.5, 0.2, ..
        if (high - low) / step >= _TARGET_TICKS:
            break
        step *= factor
    first = int(low / step) - 1
    values = [round(step * (first + i), 10) for i in range(4 * _TARGET_TICKS + 4)]
    return [v for v in values if low <= v <= high]


def _tick_x(x: float, label: str) -> str:
    bottom = _HEIGHT - _BOTTOM
    return (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#777" '
            f'stroke-opacity="0.2"/><text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" '
            f'fill="#777">{label}</text>')


def _tick_y(y: float, label: str) -> str:
    return (f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#777" '
            f'stroke-opacity="0.2"/><text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="#777">{label}</text>')


def _legend(clearances: "List[Clearance]") -> str:
    rows = []
    for k, c in enumerate(clearances):
        # The least sample is not the least distance: where a bound is proven, that is said.
        least = (f"&ge; {1e3 * float(c.bounds[:, 2].min()):.4g} mm" if len(c.bounds)
                 else f"{1e3 * float(c.distances.min()):.4g} mm at some instant")
        rows.append(f'<span style="white-space:nowrap;margin-right:14px"><span style="color:'
                    f'{_COLOURS[k % len(_COLOURS)]}">&#9644;</span> {html.escape(c.a)} &ndash; '
                    f"{html.escape(c.b)}: {least}</span>")
    return ('<div style="font-size:12px">' + " ".join(rows) +
            '<span style="color:#777">&#9476; margin; faint steps: proven bounds</span></div>')
