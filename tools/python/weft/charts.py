"""The charts of the report page as SVG, for notebooks: times of jobs, blame, distributions, and the fullest ports."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from weft.tables import Table

if TYPE_CHECKING:
    from weft.results import Results

_WIDTH = 640
_NAMES = 190  # of a bar, on its left
_ROW = 22
_BARS_SHOWN = 8
# As on the report page; the ink is that of the notebook, light or dark.
_COLOURS = ("#2f7ed8", "#e07b00", "#3a9d5d", "#8e5bd0", "#d5006d", "#7a6a4f", "#00899b", "#a33b20")
_CAUSES = {"compute": "#2f7ed8", "serialisation": "#3a9d5d", "straggler": "#c62828", "jitter": "#c62828"}


def of_results(results: Results) -> str:
    """What the tables of a run can show, one chart below the other."""
    charts = [_jobs(results), _blame(results), _completions(results), _ports(results)]
    return "\n".join(chart for chart in charts if chart)


def duration(picoseconds: float) -> str:
    """As the summary prints it."""
    for size, unit in ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns")):
        if picoseconds >= size:
            return f"{picoseconds / size:.4g} {unit}"
    return f"{picoseconds:.0f} ps"


def _table(results: Results, name: str) -> Table | None:
    return results.table(name) if name in results.table_names else None


def _text(x: float, y: float, text: str, anchor: str = "start", faint: bool = False) -> str:
    opacity = ' opacity=".7"' if faint else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{opacity}>{html.escape(text)}</text>'


def _figure(title: str, height: float, body: list[str]) -> str:
    return (
        f'<figure style="margin:.6em 0"><figcaption style="font-weight:600">{html.escape(title)}</figcaption>'
        f'<svg role="img" aria-label="{html.escape(title)}" viewBox="0 0 {_WIDTH} {height:.0f}" width="100%" '
        f'style="max-width:{_WIDTH}px" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        f'{"".join(body)}</svg></figure>'
    )


def _bar(row: int, share: float, colour: str, name: str, value: str, tick: float | None = None) -> str:
    """A row with its name, a bar of this share of the width, and a value; `tick` marks another share."""
    room = _WIDTH - _NAMES - 110
    y = row * _ROW
    shown = name if len(name) <= 30 else name[:29] + "…"
    text = _text(_NAMES - 8, y + 15, shown, "end")
    text += f'<rect x="{_NAMES}" y="{y + 4}" width="{max(share, 0) * room:.1f}" height="14" rx="2" fill="{colour}"/>'
    end = max(share, tick or 0)
    if tick is not None:
        x = _NAMES + tick * room
        text += f'<path d="M{x:.1f} {y + 2}v18" stroke="currentColor" stroke-width="2"/>'
    return text + _text(_NAMES + end * room + 6, y + 15, value)


def _jobs(results: Results) -> str:
    jobs = results.table("jobs")
    jct = jobs.column("jct_ps")
    ideal = jobs.column("ideal_ps")
    rows = [i for i in range(len(jobs)) if jct.missing is None or not jct.missing[i]][:_BARS_SHOWN]
    if not rows:
        return ""
    longest = max(max(int(jct.values[i]), int(ideal.values[i])) for i in rows)
    body = []
    for row, i in enumerate(rows):
        has_ideal = ideal.missing is None or not ideal.missing[i]
        tick = int(ideal.values[i]) / longest if has_ideal and ideal.values[i] > 0 else None
        value = duration(int(jct.values[i]))
        body.append(_bar(row, int(jct.values[i]) / longest, _COLOURS[0], str(jobs["job"][i]), value, tick))
    return _figure("Time of each job (mark: its ideal time)", len(rows) * _ROW + 4, body)


def _blame(results: Results) -> str:
    """Along the critical path of each job, the causes, the greatest first."""
    blame = _table(results, "blame")
    if blame is None or len(blame) == 0:
        return ""
    names = blame["job"]
    causes = blame["cause"]
    times = blame["time_ps"]
    body = []
    row = 0
    for job in list(dict.fromkeys(names))[:_BARS_SHOWN]:
        of_job = names == job
        total = int(times[of_job].sum())
        sums = {cause: int(times[of_job & (causes == cause)].sum()) for cause in set(causes[of_job])}
        for cause, time in sorted(sums.items(), key=lambda item: -item[1])[:4]:
            colour = _CAUSES.get(cause, _COLOURS[1])
            body.append(_bar(row, time / total, colour, f"{job}: {cause}", f"{100 * time / total:.1f} %"))
            row += 1
    return _figure("Blame: shares of the critical path", row * _ROW + 4, body)


def _completions(results: Results) -> str:
    """Message completion times by job: which share took no longer, over a logarithmic axis."""
    messages = _table(results, "messages")
    if messages is None or len(messages) == 0:
        return ""
    fct = messages.column("fct_ps")
    words = messages.column("job").words
    codes = messages.column("job").values
    ended = np.ones(len(messages), dtype=bool) if fct.missing is None else ~fct.missing
    ended &= fct.values > 0
    if not ended.any():
        return ""
    low = float(np.log10(fct.values[ended].min())) - 0.05
    high = max(float(np.log10(fct.values[ended].max())) + 0.05, low + 0.3)
    left, top, height, room = 44, 8, 150, _WIDTH - 60
    shares = np.linspace(0, 1, 101)

    def x(picoseconds: float) -> float:
        return left + (float(np.log10(picoseconds)) - low) / (high - low) * room

    body = []
    for share in (0, 0.5, 0.99, 1):
        y = top + height * (1 - share)
        body.append(f'<path d="M{left} {y:.1f}h{room}" stroke="currentColor" opacity=".2"/>')
        if share != 0.99:
            body.append(_text(left - 6, y + 4, f"{100 * share:.0f} %", "end", faint=True))
    for exponent in range(int(np.floor(low)), int(np.ceil(high)) + 1):
        for factor in (1, 2, 5) if high - low > 0.8 else range(1, 10):
            at = factor * 10.0**exponent
            if low <= np.log10(at) <= high:
                body.append(_text(x(at), top + height + 16, duration(at), "middle", faint=True))
    legends = 0
    for i, word in enumerate(words[: len(_COLOURS)]):
        of_job = fct.values[ended & (codes == i)]
        if len(of_job) == 0:
            continue
        values = np.quantile(of_job, shares, method="higher")
        points = " ".join(f"{x(v):.1f},{top + height * (1 - s):.1f}" for v, s in zip(values, shares))
        body.append(f'<polyline points="{points}" fill="none" stroke="{_COLOURS[i]}" stroke-width="2"/>')
        label = f"{word}: p99 {duration(float(np.quantile(of_job, 0.99, method='higher')))}"
        across = left + legends % 2 * room / 2
        down = top + height + 26 + legends // 2 * 18
        body.append(f'<rect x="{across}" y="{down}" width="10" height="10" fill="{_COLOURS[i]}"/>')
        body.append(_text(across + 15, down + 9, label))
        legends += 1
    bottom = top + height + 26 + (legends + 1) // 2 * 18
    return _figure("Message completion: share of messages that took no longer", bottom, body)


def _ports(results: Results) -> str:
    ports = _table(results, "ports")
    if ports is None or len(ports) == 0:
        return ""
    used = ports["utilisation"]
    peak = ports["peak_queue_bytes"] if "peak_queue_bytes" in ports else None
    # The fullest first, where queues are known; equal ones in the order of the table.
    order = np.argsort(-(used if peak is None else peak).astype(float), kind="stable")[:_BARS_SHOWN]
    body = []
    for row, i in enumerate(order):
        queue = "" if peak is None else f", {peak[i] / 2**20:.3g} MiB"
        name = str(ports["port"][i])
        body.append(_bar(row, float(used[i]), _COLOURS[2], name, f"{100 * used[i]:.1f} %{queue}"))
    title = "Busiest ports: share used" + ("" if peak is None else ", and peak queue")
    return _figure(title, len(order) * _ROW + 4, body)
