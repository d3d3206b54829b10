// What was recorded over time: ports by time as a strip, and single queues, marks, rates, pauses, waits for credits as
// curves.

import { el, section, choice, replace } from './dom.js';
import { on } from './bus.js';
import { axes, chart } from './curves.js';
import { css, ofSeries, onOtherColours, ramp } from './colour.js';
import { faultsOf } from './faults.js';
import { HeatStrip } from './heat_strip.js';
import { FAULT, markFaults } from './timeline_paint.js';
import { momentOf, onTime, pointAt, rangeOf, showRange } from './time_range.js';
import * as format from './format.js';

const TITLES = {
  queues: 'bytes in queues',
  marks: 'packets marked (ECN)',
  rates: 'rates that senders may take',
  goodput: 'goodput',
  pauses: 'share of time paused',
  credits: 'share of time without credits',
};
const SHOWN = 8;
/** Even steps of bytes are powers of two. */
const POWERS = Array.from({ length: 45 }, (_, i) => 2 ** i);

function show(unit, value) {
  if (value === null) return '–';
  return unit === 'share of the time' ? format.percent(value) : format.byUnit(unit, value);
}

/** Curves whose axis of time is that of the whole page: a drag sets it, and the pointer points for all. */
function curvesOver(place, run, kind, shown, index) {
  const { step, unit } = run.series[kind];
  const times = shown[0].values.map((_, i) => (i + 0.5) * step);
  return chart(
    place,
    {
      scales: {
        x: { time: false, range: () => rangeOf(index) },
        y: { range: (u, least, most) => [0, (most || 1) * 1.05] },
      },
      axes: axes(
        { label: 'time', show: format.time },
        {
          label: unit,
          show: (v) => (unit === 'share of the time' ? format.percentInFull(v) : show(unit, v)),
          more: unit === 'bytes' ? { incrs: POWERS } : {},
        },
        unit === 'marks/s' ? 112 : 80,
      ),
      series: [
        { label: 'time', value: (u, v) => (v === null ? '–' : format.time(v)) },
        ...shown.map((s, i) => ({
          label: s.name,
          stroke: ofSeries(i),
          width: 1.5,
          points: { show: false },
          value: (u, v) => show(unit, v),
        })),
      ],
      cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: {
        draw: [
          (u) => {
            const scale = window.devicePixelRatio || 1;
            u.ctx.fillStyle = css('--culprit');
            const whole = [u.scales.x.min, u.scales.x.max];
            markFaults(faultsOf(run), whole, (t) => u.valToPos(t, 'x', true), (x, width) => {
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
            if (u.cursor.event) pointAt(index, u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null, 'series');
          },
        ],
      },
    },
    [times, ...shown.map((s) => s.values)],
    `${TITLES[kind]} over time`,
  );
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

/** The strip of ports, for recordings that are of ports, with its scale. */
function stripOf(run, index) {
  let unit = '';
  const strip = new HeatStrip(index, (v) => show(unit, v), faultsOf(run));
  const legend = el('div', { class: 'scale' });
  const node = el(
    'div',
    {},
    el('h3', {}, 'Ports over time'),
    legend,
    el('div', { class: 'over' }, strip.canvas, strip.tip),
  );
  const use = (kind) => {
    const recording = run.series[kind];
    node.hidden = !recording.moments?.ports.length;
    if (node.hidden) return;
    ({ unit } = recording);
    const [count, all] = strip.use(recording);
    replace(
      legend,
      el('span', {}, show(unit, 0)),
      el('span', { class: 'ramp', style: ramp() }),
      el('span', {}, show(unit, strip.most)),
      el(
        'span',
        { class: 'hint' },
        `${TITLES[kind]}; ${count} of ${format.number(all)} ports, those with most first. A click leads to the port, a drag zooms all that has a time.`,
      ),
    );
  };
  return { node, use };
}

export function series(run, index) {
  const kinds = Object.keys(run.series ?? {}).filter((kind) => run.series[kind].series.length);
  if (!kinds.length) return null;
  let kind = kinds[0];
  let words = '';
  let made = null;
  const strip = stripOf(run, index);
  const place = el('div', {});
  const note = el('p', { class: 'hint', 'aria-live': 'polite' });
  const filter = el('input', {
    type: 'search',
    oninput: (e) => {
      words = e.target.value;
      draw();
    },
  });
  const kindChoice = choice(
    'show',
    kinds.map((k) => [k, TITLES[k]]),
    (v) => {
      kind = v;
      use();
    },
    kind,
  );
  const use = () => {
    strip.use(kind);
    draw();
  };
  function draw() {
    const { step, series: all, left_out: missing } = run.series[kind];
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = all.filter((s) => wanted.every((w) => s.name.toLowerCase().includes(w)));
    const shown = fits.slice(0, SHOWN);
    replace(place);
    made = null;
    replace(
      note,
      document.createTextNode(
        `${shown.length} of ${format.number(all.length + missing)} series${wanted.length ? ', those that fit' : ', those with most'}; the greatest (of rates and marks the mean) of each ${format.time(step)}.`,
      ),
    );
    if (shown.length) made = curvesOver(place, run, kind, shown, index);
  }
  on('series', ({ run: other, name }) => {
    if (other !== index) return;
    kind = kinds.find((k) => run.series[k].series.some((s) => s.name.startsWith(`${name} `))) ?? kind;
    kindChoice.querySelector('select').value = kind;
    words = name;
    filter.value = name;
    use();
  });
  onTime(index, 'series', () => follow(made?.plot, index));
  onOtherColours(() => strip.use(kind));
  requestAnimationFrame(use);
  return section(
    'series',
    'Over time',
    el(
      'div',
      { class: 'controls' },
      kindChoice,
      el('label', {}, 'Filter curves ', filter),
      el('button', { type: 'button', onclick: () => showRange(index, -Infinity, Infinity, '') }, 'all of the time'),
    ),
    strip.node,
    place,
    note,
  );
}
