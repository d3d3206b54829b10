// What was recorded over time: queues, rates, pauses, waits for credits.

import { el, section, choice, replace } from './dom.js';
import { on } from './bus.js';
import { axes, chart } from './curves.js';
import { ofSeries } from './colour.js';
import * as format from './format.js';

const TITLES = { queues: 'bytes in queues', rates: 'rates that senders may take', goodput: 'goodput', pauses: 'share of time paused', credits: 'share of time without credits' };
const SHOWN = 8;
/** Even steps of bytes are powers of two. */
const POWERS = Array.from({ length: 45 }, (_, i) => 2 ** i);

function show(unit, value) {
  if (value === null) return '–';
  return unit === 'share of the time' ? format.percent(value) : format.byUnit(unit, value);
}

export function series(run, index) {
  const kinds = Object.keys(run.series ?? {}).filter((kind) => run.series[kind].series.length);
  if (!kinds.length) return null;
  let kind = kinds[0];
  let words = '';
  const place = el('div', {});
  const note = el('p', { class: 'hint', 'aria-live': 'polite' });
  const filter = el('input', { type: 'search', oninput: (e) => { words = e.target.value; draw(); } });
  const kindChoice = choice('show', kinds.map((k) => [k, TITLES[k]]), (v) => { kind = v; draw(); }, kind);
  function draw() {
    const { step, unit, series: all, left_out: missing } = run.series[kind];
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = all.filter((s) => wanted.every((w) => s.name.toLowerCase().includes(w)));
    const shown = fits.slice(0, SHOWN);
    replace(place);
    replace(note, document.createTextNode(`${shown.length} of ${format.number(all.length + missing)} series${wanted.length ? ', those that fit' : ', those with most'}; the greatest (of rates the mean) of each ${format.time(step)}.`));
    if (!shown.length) return;
    const times = all[0].values.map((_, i) => (i + 0.5) * step);
    chart(place, {
      scales: { x: { time: false }, y: { range: (u, least, most) => [0, (most || 1) * 1.05] } },
      axes: axes({ label: 'time', show: format.time }, { label: unit, show: (v) => (unit === 'share of the time' ? format.percentInFull(v) : show(unit, v)), more: unit === 'bytes' ? { incrs: POWERS } : {} }, 80),
      series: [{ label: 'time', value: (u, v) => (v === null ? '–' : format.time(v)) }, ...shown.map((s, i) => ({ label: s.name, stroke: ofSeries(i), width: 1.5, points: { show: false }, value: (u, v) => show(unit, v) }))],
      cursor: { drag: { x: true, y: false } },
    }, [times, ...shown.map((s) => s.values)], `${TITLES[kind]} over time`);
  }
  on('series', ({ run: other, name }) => {
    if (other !== index) return;
    kind = kinds.find((k) => run.series[k].series.some((s) => s.name.startsWith(`${name} `))) ?? kind;
    kindChoice.querySelector('select').value = kind;
    words = name;
    filter.value = name;
    draw();
  });
  requestAnimationFrame(draw);
  return section('series', 'Over time', el('div', { class: 'controls' }, kindChoice, el('label', {}, 'Filter ', filter)), place, note);
}
