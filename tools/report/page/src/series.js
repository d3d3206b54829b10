// What was recorded over time: ports by time as a strip, and single queues, marks, rates, pauses, waits for credits as
// curves.

import { el, section, choice, replace } from './dom.js';
import { on } from './bus.js';
import { onOtherColours, ramp } from './colour.js';
import { faultsOf } from './faults.js';
import { HeatStrip } from './heat_strip.js';
import { timeChart } from './time_chart.js';
import { showRange } from './time_range.js';
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

function curvesOver(place, run, kind, shown, index) {
  const { step, unit } = run.series[kind];
  const count = shown[0].values.length;
  timeChart(place, {
    index,
    who: 'series',
    faults: faultsOf(run),
    label: `${TITLES[kind]} over time`,
    unit: {
      label: unit,
      show: (v) => show(unit, v),
      onAxis: (v) => (unit === 'share of the time' ? format.percentInFull(v) : show(unit, v)),
      incrs: unit === 'bytes' ? POWERS : null,
      size: unit === 'marks/s' ? 112 : 80,
    },
    borders: Array.from({ length: count + 1 }, (_, i) => i * step),
    curves: shown.map((s) => ({ label: s.name, values: s.values })),
  });
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
    replace(
      note,
      document.createTextNode(
        `${shown.length} of ${format.number(all.length + missing)} series${wanted.length ? ', those that fit' : ', those with most'}; the greatest (of rates and marks the mean) of each ${format.time(step)}.`,
      ),
    );
    if (shown.length) curvesOver(place, run, kind, shown, index);
  }
  on('series', ({ run: other, name }) => {
    if (other !== index) return;
    kind = kinds.find((k) => run.series[k].series.some((s) => s.name.startsWith(`${name} `))) ?? kind;
    kindChoice.querySelector('select').value = kind;
    words = name;
    filter.value = name;
    use();
  });
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
