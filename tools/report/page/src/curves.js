// Distributions as curves: the whole on a linear axis, and the tail on a logarithmic one.

import uPlot from 'uplot';
import { el, section, choice, replace } from './dom.js';
import { css, ofSeries, onOtherColours } from './colour.js';
import { aligned, logAxis } from './quantiles.js';
import * as format from './format.js';

const LINE = () => css('--line') || '#ccc';
const INK = () => css('--ink') || '#222';

const ticksOf = (ticks, show) => format.apart(ticks, (v) => (v === null ? '' : v === 0 ? '0' : show(v)));

export function axes(x, y, sizeY = 62) {
  const one = { stroke: () => INK(), grid: { stroke: () => LINE(), width: 1 }, ticks: { stroke: () => LINE() }, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif' };
  return [{ ...one, label: x.label, values: (u, ticks) => ticksOf(ticks, x.show), space: 70, ...x.more },
    { ...one, label: y.label, values: (u, ticks) => ticksOf(ticks, y.show), size: sizeY, ...y.more }];
}

/** What fits between the margins of A4, in pixels. */
const PRINTED = 660;

/** A chart as wide as its place; who tests it finds it at its frame. */
export function chart(place, options, data, label) {
  const frame = el('div', { class: 'chart', role: 'img', 'aria-label': label });
  place.append(frame);
  let plot = null;
  let most = Infinity;
  const draw = () => {
    const width = Math.min(most, Math.max(280, Math.floor(frame.clientWidth)));
    if (!plot) frame.plot = plot = new uPlot({ width, height: 300, ...options }, data, frame);
    else if (plot.width !== width) plot.setSize({ width, height: plot.height });
  };
  new ResizeObserver(draw).observe(frame);
  // Paper is narrower than most windows, and nobody tells an observer of its width.
  window.addEventListener('beforeprint', () => { most = PRINTED; draw(); });
  window.addEventListener('afterprint', () => { most = Infinity; draw(); });
  onOtherColours(() => plot?.redraw());
  return { get plot() { return plot; }, redraw: () => plot?.redraw() };
}

/** A logarithmic scale that fits its values instead of whole decades. */
const fitted = { time: false, distr: 3, range: (u, least, most) => (least === null ? [1, 10] : [least / 1.05, most * 1.05]) };

/** What is on the axis, in the legend, and for who hears the page, by quantity. */
const NAMES = {
  seconds: ['completion time', 'time', 'completion times'],
  slowdown: ['slowdown', 'slowdown', 'slowdowns'],
  packets: ['packet latency', 'time', 'packet latencies'],
};

function cdf(place, groups, quantity, isTail) {
  const [axis, short, all] = NAMES[quantity];
  const show = quantity === 'slowdown' ? (v) => `${format.number(v)}x` : format.time;
  const lists = groups.map((g) => g[quantity === 'slowdown' ? 'slowdown' : 'seconds']);
  const data = isTail
    ? aligned(lists.map((c) => c.filter(([p]) => p < 1)), (p) => 1 - p)
    : aligned(lists, (p) => p);
  if (data[0].length < 2) {
    place.append(el('p', { class: 'hint' }, 'All values are the same.'));
    return;
  }
  const options = {
    scales: { x: fitted, y: isTail ? { distr: 3, range: (u, least) => [least / 1.2, 1.2] } : { range: [0, 1] } },
    axes: axes({ label: `${axis} (log)`, show, more: logAxis(show) },
      { label: isTail ? 'share that took longer (log)' : 'share that took at most this', show: format.percentInFull, more: isTail ? logAxis(format.percentInFull) : {} }),
    series: [{ label: short, value: (u, v) => (v === null ? '–' : show(v)) },
      ...groups.map((g, i) => ({ label: g.label, stroke: ofSeries(g.colour ?? i), dash: DASHES[(g.dash ?? 0) % DASHES.length], width: 2, spanGaps: true, points: { show: data[0].length < 12 }, value: (u, v) => format.percentInFull(v) }))],
    cursor: { drag: { x: true, y: false } },
    legend: { live: groups.length <= 12 },
  };
  chart(place, options, data, `${isTail ? 'tail' : 'distribution'} of ${all}`);
}

/** Of several runs, jobs have colours and runs dashes. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

function dressed(groups, runs) {
  if (runs.length === 1) return groups;
  const kinds = [...new Set(groups.map((g) => `${g.job}\t${g.size}`))];
  return groups.map((g) => ({ ...g, colour: kinds.length === 1 ? g.index : kinds.indexOf(`${g.job}\t${g.size}`), dash: kinds.length === 1 ? 0 : g.index }));
}

const label = (g, many) => format.partly([many ? g.run : '', g.job || 'all jobs', g.size].filter(Boolean).join(', '), g.cut_off);

/** Keys of a summary. */
const PERCENTILES = ['p50', 'p95', 'p99', 'p999', 'max'];

/** The packets' latencies: the percentiles that a run keeps. */
function latency(runs) {
  const rows = runs.filter((run) => run.summary.packet_latency_seconds);
  if (!rows.length) return null;
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'packet latency' }, el('table', {}, el('caption', {}, 'Packet latency'),
    el('thead', {}, el('tr', {}, el('th', {}, ''), PERCENTILES.map((p) => el('th', { scope: 'col' }, format.percentile(p))))),
    el('tbody', {}, rows.map((run) => el('tr', {}, el('th', { scope: 'row' }, format.partly(runs.length > 1 ? run.label : 'all packets', run.summary.packet_latency_seconds.cut_off)),
      PERCENTILES.map((p) => el('td', {}, format.time(run.summary.packet_latency_seconds[p]))))))));
}

/**
 * What is drawn of each run: jobs, jobs and sizes, or the run. Where a job has no curves by size, its messages are of
 * one, and the job's own stands for it; where jobs are not told apart, all of them stand for each.
 */
function chosenBy(by, groups, runs) {
  return runs.flatMap((run) => {
    const own = groups.filter((g) => g.index === run.index);
    const [jobs, all] = [own.filter((g) => g.job !== ''), own.filter((g) => g.job === '')];
    const [wanted, other] = by === 'all' ? [all, jobs] : [jobs, all];
    const shown = wanted.length ? wanted : other;
    return shown.filter((g) => (by === 'size' ? g.size !== '' || !shown.some((o) => o.size !== '' && o.job === g.job) : g.size === ''));
  });
}

/** Packets' latencies as curves: latency.csv, or the five points of summary.json. A run with one job has them of all. */
function latencyGroups(runs) {
  const points = { p50: 0.5, p95: 0.95, p99: 0.99, p999: 0.999 };
  return runs.filter((run) => run.summary.packet_latency_seconds).flatMap((run) => {
    const p = run.summary.packet_latency_seconds;
    const { jobs } = run.summary;
    const known = run.latencies?.length ? run.latencies
      : [{ job: '', size: '', seconds: [...Object.entries(points).map(([name, share]) => [share, p[name]]), [1, p.max]] }];
    return known.map((g) => ({ ...g, job: jobs.length === 1 ? jobs[0].name : g.job, run: run.label, index: run.index, cut_off: p.cut_off }))
      .map((g) => ({ ...g, label: label(g, runs.length > 1) }));
  });
}

/** What is said of packets that the choice does not show. */
function untold(runs, by) {
  const isUntold = (run) => run.summary.jobs.length > 1 && !run.latencies?.some((g) => g.job !== '');
  return by !== 'all' && runs.some(isUntold) ? 'Of more than 64 jobs they are not told apart by job. ' : '';
}

export function curves(runs) {
  const many = runs.length > 1;
  const messages = runs.flatMap((run) => run.distributions.map((g) => ({ ...g, run: run.label, index: run.index })))
    .filter((g) => g.count > 0).map((g) => ({ ...g, label: label(g, many) }));
  const packets = latencyGroups(runs);
  if (!messages.length && !packets.length) return null;
  const quantities = [...(messages.length ? [['slowdown', 'message slowdown'], ['seconds', 'message completion time']] : []), ...(packets.length ? [['packets', 'packet latency']] : [])];
  let by = 'job';
  let [[quantity]] = quantities;
  const whole = el('div', {});
  const tail = el('div', {});
  const note = el('p', { class: 'hint', 'aria-live': 'polite' });
  const draw = () => {
    const isOfPackets = quantity === 'packets';
    const all = chosenBy(by, isOfPackets ? packets : messages, runs);
    const cut = dressed(all.slice(0, 20), runs);
    replace(whole); replace(tail);
    cdf(whole, cut, quantity, false);
    cdf(tail, cut, quantity, true);
    const unfinished = isOfPackets ? 0 : all.reduce((sum, g) => sum + g.unfinished, 0);
    const said = isOfPackets ? `Latency of packets from NIC to NIC${by === 'size' ? ', by the size of their messages' : ''}. ${untold(runs, by)}`
      : unfinished ? `${format.number(unfinished)} messages never completed and are not in them. ` : '';
    replace(note, `${cut.length} of ${all.length} curves. ${said}Within 0.8 %; a drag over a chart zooms, a double click shows all.`);
  };
  const node = section('distributions', 'Distributions',
    el('div', { class: 'controls' },
      choice('of', quantities, (v) => { quantity = v; draw(); }),
      choice('by', [['job', 'job'], ['size', 'job and size class'], ['all', 'run']], (v) => { by = v; draw(); }, by)),
    el('div', { class: 'pair' }, whole, tail), note, latency(runs));
  requestAnimationFrame(draw);
  return node;
}
