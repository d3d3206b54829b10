// What was measured beside what is expected: curves with their bands, pairs of servers, causes, and the fabric.

import { el, section, replace } from './dom.js';
import { answerView } from './answer.js';
import { answerDiagnosis, culpritWords, curvesOf, matrixOf, ratioOf } from './answer_diagnosis.js';
import { culpritPart, nextPart, notesPart, undecidedPart } from './diagnosis_causes.js';
import { axes, chart } from './curves.js';
import { css, heat, inkOn, ofSeries, onOtherColours, ramp } from './colour.js';
import { logAxis } from './quantiles.js';
import { table } from './table.js';
import { topoPart } from './topo.js';
import * as format from './format.js';

const size = format.bytes;
const bandwidth = (gigabytes) => format.bandwidth(gigabytes === null ? null : gigabytes * 1e9);
const onAxis = (gigabytes) => `${format.number(gigabytes)} GB/s`;
const times = (row) => ratioOf(row).toFixed(2);

const ROWS = [
  { title: 'size', value: (row) => row.bytes, show: (row) => size(row.bytes) },
  { title: 'measured', value: (row) => row.measured_us, show: (row) => format.time(row.measured_us * 1e-6) },
  { title: 'expected', value: (row) => row.expected_us, show: (row) => format.time(row.expected_us * 1e-6) },
  { title: 'times as long', value: ratioOf, show: times },
  { title: 'band', value: (row) => row.band, show: (row) => `±${format.roughly(row.band)}` },
  { title: 'bus bandwidth', value: (row) => row.measured_busbw, show: (row) => bandwidth(row.measured_busbw) },
  { title: 'expected', value: (row) => row.expected_busbw, show: (row) => bandwidth(row.expected_busbw) },
  { title: '', value: (row) => (row.verdict === 'as expected' ? '' : row.verdict), isText: true },
];
const PAIR = { title: 'pair', value: (row) => row.pair.join(' and '), isText: true };

const fitted = (u, least, most) => (least === null ? [1, 10] : [least / 1.3, most * 1.3]);

/** At most this number of sizes stands below the axis. */
const MOST_SIZES = 9;

const someOf = (sizes) => sizes.filter((_, i) => i % Math.ceil(sizes.length / MOST_SIZES) === 0);

/** The data of a chart: sizes, measured, expected, and the band around what is expected, in GB/s. */
export function curveData(rows) {
  const inOrder = [...rows].sort((a, b) => a.bytes - b.bytes);
  return [
    inOrder.map((row) => row.bytes),
    inOrder.map((row) => row.expected_busbw * (1 + row.band)),
    inOrder.map((row) => row.expected_busbw / (1 + row.band)),
    inOrder.map((row) => row.expected_busbw),
    inOrder.map((row) => row.measured_busbw),
  ];
}

function curveOf({ name, rows }) {
  const place = el('div', {});
  const data = curveData(rows);
  const show = (v) => (v === null ? '–' : bandwidth(v));
  const hidden = { stroke: 'transparent', width: 0, points: { show: false }, value: (u, v) => show(v) };
  requestAnimationFrame(() => chart(place, {
    height: 320,
    scales: { x: { time: false, distr: 3, range: fitted }, y: { distr: 3, range: fitted } },
    axes: axes({ label: 'size (log)', show: size, more: { splits: () => someOf(data[0]), values: (u, at) => at.map(size), filter: (u, at) => at } }, { label: 'bus bandwidth (log)', show: onAxis, more: logAxis(onAxis) }, 84),
    series: [{ label: 'size', value: (u, v) => (v === null ? '–' : size(v)) },
      { label: 'band, highest', ...hidden }, { label: 'band, lowest', ...hidden },
      { label: 'expected', stroke: ofSeries(0), width: 2, dash: [8, 4], points: { show: true, size: 6 }, value: (u, v) => show(v) },
      { label: 'measured', stroke: ofSeries(1), width: 2, points: { show: true, size: 8 }, value: (u, v) => show(v) }],
    bands: [{ series: [1, 2], fill: () => `${css('--link') || '#0072b2'}22` }],
    cursor: { drag: { x: true, y: false } },
  }, data, `bus bandwidth of ${name}, measured and expected`));
  return el('div', {}, el('h3', {}, name), place, el('details', {}, el('summary', {}, 'The same as a table'), table(ROWS, rows, { caption: name })));
}

/** How much longer a pair takes, at the end of the scale of colours. */
const MOST = 2;

function matrixView({ name, rows }) {
  const { names, cells } = matrixOf({ rows });
  const body = el('tbody');
  const draw = () => replace(body, cells.map((line, a) => el('tr', {}, el('th', { scope: 'row' }, names[a]), line.map((row) => {
    if (!row) return el('td', { class: 'none' }, '');
    const colour = heat((Math.max(1, ratioOf(row)) - 1) / (MOST - 1));
    return el('td', { style: `background:${colour};color:${inkOn(colour)};padding:6px 10px`, title: `${row.pair.join(' and ')}: ${bandwidth(row.measured_busbw)}, expected ${bandwidth(row.expected_busbw)}` }, times(row));
  }))));
  draw();
  onOtherColours(draw);
  return el('div', {}, el('h3', {}, name),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name }, el('table', { class: 'heat' },
      el('caption', {}, 'Times as long as expected'),
      el('thead', {}, el('tr', {}, el('th', {}, ''), names.map((n) => el('th', { scope: 'col' }, n)))), body)),
    el('details', {}, el('summary', {}, 'The same as a table'), table([PAIR, ...ROWS], rows, { caption: name, filter: true })));
}

const scale = () => el('div', { class: 'scale' }, 'as expected ', el('span', { class: 'ramp', style: ramp() }), ` ${MOST} times as long, and more`);

const list = (title, lines) => (lines.length ? el('details', {}, el('summary', {}, `${title}: ${lines.length}`), el('ul', {}, lines.map((line) => el('li', {}, line)))) : null);

/** Names of nodes that a place of a culprit stands for: a NIC of a host, a server with its hosts, a switch. */
export function nodesAt(place, names) {
  const exact = names.filter((name) => name === place);
  return exact.length ? exact : names.filter((name) => name.startsWith(`${place}/`));
}

/** Culprits have a ring; where several causes are possible, nobody is one. */
function marksOf({ culprits }, drawing) {
  const names = drawing.names.flat();
  return culprits.flatMap((culprit) => culprit.place.map((place, i) => ({ nodes: nodesAt(place, names), words: culpritWords({ ...culprit, place: [place], whereabouts: [culprit.whereabouts?.[i]] }).replaceAll('`', '') })));
}

export function diagnosisParts({ diagnosis, topo }) {
  const curves = curvesOf(diagnosis.compared);
  const sizes = curves.filter((curve) => !curve.isMatrix);
  const matrices = curves.filter((curve) => curve.isMatrix);
  return [
    section('overview', topo.name, answerView(answerDiagnosis(diagnosis)), list('Findings', diagnosis.findings)),
    culpritPart(diagnosis),
    undecidedPart(diagnosis),
    nextPart(diagnosis),
    notesPart(diagnosis),
    sizes.length ? section('sizes', 'By size', el('p', { class: 'hint' }, "The band is weft's own error, by operation and size. What lies below it is slower than it should be."), el('div', { class: 'pair' }, sizes.map(curveOf))) : null,
    matrices.length ? section('pairs', 'By pair of servers', scale(), matrices.map(matrixView)) : null,
    topoPart(topo, marksOf(diagnosis, topo)),
  ];
}
