// Who is to blame: bars by iteration, the sentences of `weft explain`, and every culprit with its port.

import { el, svg, section, action } from './dom.js';
import { worstFirst } from './answer_run.js';
import { visit } from './history.js';
import { table } from './table.js';
import { ofCause } from './colour.js';
import * as format from './format.js';

const WIDTH = 900;
const HEIGHT = 200;

function worstRow(job, cause) {
  return job.rows.find((row) => row[0] === cause && row[3]) ?? job.rows.find((row) => row[0] === cause);
}

export function showPort(index, name) {
  visit('port', { run: index, name }, 'fabric');
}

/** A rank leads to its tracks where there is a timeline, else to its host on the fabric. */
function showRank(job, culprit, index) {
  const [, rank, host] = /^rank (\d+)(?: \((.*)\))?/.exec(culprit) ?? [];
  if (job.hasTracks) {
    visit('rank', { run: index, process: `${job.job} rank ${rank}` }, 'timeline');
  } else if (host) {
    visit('host', { run: index, name: host }, 'fabric');
  }
}

const leadsOn = (row) => Boolean(row?.[3]) || row?.[1] === 'rank';
const follow = (job, row, index) => (row[3] ? showPort(index, row[3]) : showRank(job, row[2], index));

function bar(job, values, x, width, most, index, label) {
  let y = HEIGHT;
  const pieces = values.map((seconds, c) => {
    const height = (seconds / most) * HEIGHT;
    y -= height;
    const row = worstRow(job, job.causes[c]);
    const text = `${label}${job.causes[c]}: ${format.time(seconds)}${row?.[2] ? `, most through ${row[2]}` : ''}`;
    return svg('rect', { x, y, width: Math.max(width - 1, 0.6), height: Math.max(height, 0), fill: ofCause(job.causes[c]), class: leadsOn(row) ? 'leads' : '', ...(leadsOn(row) ? { tabindex: 0, role: 'button', 'aria-label': text } : {}), onclick: leadsOn(row) ? () => follow(job, row, index) : null, onkeydown: leadsOn(row) ? (e) => { if (e.key === 'Enter') follow(job, row, index); } : null },
      svg('title', {}, text));
  });
  return svg('g', {}, pieces);
}

/** Stacked bars by iteration; of a single one, one bar that lies on its side. */
function bars(job, index) {
  const { seconds, together } = job.bars;
  if (seconds.length === 1) return lyingBar(job, index);
  const most = Math.max(...seconds.map((values) => values.reduce((a, b) => a + b, 0)), 1e-15);
  const width = WIDTH / seconds.length;
  return el('figure', {},
    svg('svg', { viewBox: `0 -4 ${WIDTH} ${HEIGHT + 8}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `time of each iteration of ${job.job} by cause`, class: 'bars' },
      seconds.map((values, i) => bar(job, values, i * width, width, most, index, `iteration ${i * together}: `))),
    // Words outside of what is scaled: they can be read in narrow windows, too.
    el('div', { class: 'bars-axis' }, el('span', {}, 'iteration 0'),
      el('span', {}, `${job.iterations - 1}${together > 1 ? `; ${together} per bar` : ''}, longest ${format.time(most)}`)));
}

function lyingBar(job, index) {
  const values = job.bars.seconds[0];
  const whole = values.reduce((a, b) => a + b, 0) || 1;
  return el('div', { class: 'lying' }, values.map((seconds, c) => {
    const row = worstRow(job, job.causes[c]);
    const text = `${job.causes[c]}: ${format.time(seconds)}${row?.[2] ? `, most through ${row[2]}` : ''}`;
    return el('button', { type: 'button', title: text, 'aria-label': text, style: `flex-grow:${(seconds / whole).toFixed(5)};background:${ofCause(job.causes[c])}`, onclick: leadsOn(row) ? () => follow(job, row, index) : null });
  }));
}

function legend(job) {
  const sums = job.causes.map((cause) => job.rows.filter((r) => r[0] === cause).reduce((sum, r) => sum + r[4], 0));
  return el('ul', { class: 'legend' }, job.causes.map((cause, c) =>
    el('li', {}, el('i', { style: `background:${ofCause(cause)}` }), `${cause} ${format.percent(sums[c] / (job.seconds || 1))}`)));
}

function culprits(job, index) {
  return table([
    { title: 'cause', value: (r) => r[0], isText: true },
    { title: 'time', value: (r) => r[4], show: (r) => format.time(r[4]) },
    { title: 'share', value: (r) => r[4] / job.seconds, show: (r) => format.percent(r[4] / job.seconds) },
    { title: 'culprit', value: (r) => r[2] || 'the rest', show: (r) => (r[1] === 'rank' ? action(r[2], () => showRank(job, r[2], index), 'show what it did, or its host') : r[1] && r[1] !== 'port' ? `${r[1]} ${r[2]}` : el('span', { class: 'whole' }, r[2] || 'the rest')), isText: true },
    { title: 'at port', value: (r) => r[3], show: (r) => (r[3] ? action(r[3], () => showPort(index, r[3]), 'show on the fabric') : '–'), isText: true },
  ], job.rows, { caption: `Culprits of ${job.job}`, filter: true, most: 8 });
}

/** The sentences, as text; each names the port that the table below leads to. Names of ports stay on a line. */
export function sentences(text) {
  const parts = text.trimEnd().split(/(\S+->[^\s,;)]+)/);
  const shown = parts.map((part, i) => (i % 2 ? el('span', { class: 'whole' }, part) : part));
  return el('pre', { class: 'sentences' }, shown);
}

/** The job that the answer is about stands first. */
function inOrder(run) {
  const order = worstFirst(run);
  const placeOf = ({ job }) => order.indexOf(job);
  return [...run.blame].sort((a, b) => placeOf(a) - placeOf(b));
}

export function blame(run, index) {
  if (!run.blame?.length) return null;
  for (const job of run.blame) job.hasTracks = Boolean(run.timeline?.tracks?.length);
  return section('blame', 'Blame', el('p', { class: 'hint' }, 'Time along the critical path of each job. A piece of a bar, and a port in a table, lead to the fabric; a rank leads to what it did.'),
    inOrder(run).map((job) =>
      el('article', {}, el('h3', {}, job.job), bars(job, index), legend(job), sentences(job.sentences),
        culprits(job, index))));
}
