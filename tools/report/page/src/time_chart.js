// Curves of what was recorded over time, on the axis of time of the whole page. Each value is drawn as a step, since it
// holds for a step of the recording: so a curve says of a moment what the strip of ports and the fabric say of it.

import uPlot from 'uplot';
import { axes, chart } from './curves.js';
import { css, ofSeries } from './colour.js';
import { FAULT, markFaults } from './timeline_paint.js';
import { momentOf, onTime, pointAt, rangeOf, showRange } from './time_range.js';
import { lastFrom, stepped } from './moments.js';
import * as format from './format.js';

const none = (value, show) => (value === null || value === undefined ? '–' : show(value));

/** What uPlot calls while a chart is drawn and used: marks of faults, a drag that zooms, a pointer that all follow. */
function hooksOf(index, faults, who) {
  return {
    draw: [
      (u) => {
        const scale = window.devicePixelRatio || 1;
        u.ctx.fillStyle = css('--culprit');
        const whole = [u.scales.x.min, u.scales.x.max];
        markFaults(faults, whole, (t) => u.valToPos(t, 'x', true), (x, width) => {
          u.ctx.fillRect(x, u.bbox.top, width, FAULT * scale);
        });
      },
    ],
    setSelect: [
      (u) => {
        if (u.select.width > 2)
          showRange(index, u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'), '');
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      },
    ],
    setCursor: [
      (u) => {
        if (u.cursor.event) pointAt(index, u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null, who);
      },
    ],
  };
}

/** The plot follows the range and the moment that other parts show. */
function follow(plot, index) {
  if (!plot) return;
  const [min, max] = rangeOf(index);
  if (plot.scales.x.min !== min || plot.scales.x.max !== max) plot.setScale('x', { min, max });
  const moment = momentOf(index);
  plot.cursor.event = null;
  plot.setCursor(moment === null ? { left: -10, top: -10 } : { left: plot.valToPos(moment, 'x'), top: 10 });
}

/**
 * `curves` are {label, values}; each value holds from one of the `borders` to the next. `unit` is {label, show, onAxis,
 * incrs, size}.
 */
export function timeChart(place, { index, who, faults = [], label, unit, borders, curves }) {
  const data = stepped(borders, curves.map((one) => one.values));
  const made = chart(
    place,
    {
      scales: {
        x: { time: false, range: () => rangeOf(index) },
        y: { range: (u, least, most) => [0, (most || 1) * 1.05] },
      },
      axes: axes(
        { label: 'time', show: format.time },
        { label: unit.label, show: unit.onAxis ?? unit.show, more: unit.incrs ? { incrs: unit.incrs } : {} },
        unit.size ?? 80,
      ),
      series: [
        // The moment that is pointed at, and not the begin of its step.
        { label: 'time', value: (u, v) => none(v, () => format.time(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : v)) },
        ...curves.map((one, i) => ({
          label: one.label,
          stroke: ofSeries(i),
          width: 1.5,
          paths: uPlot.paths.stepped({ align: 1 }),
          points: { show: false },
          value: (u, v) => none(v, unit.show),
        })),
      ],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        dataIdx: (u, s, closest, time) => lastFrom(u.data[0], time),
        points: { show: false },
      },
      hooks: hooksOf(index, faults, who),
    },
    data,
    label,
  );
  onTime(index, who, () => follow(made.plot, index));
  return made;
}
