// Several runs beside each other: what was changed, what came of it, and one of them in detail.

import { el, section, choice, replace, action } from './dom.js';
import { sentences } from './blame.js';
import { on } from './bus.js';
import { visit } from './history.js';
import { table } from './table.js';
import { ofCause } from './colour.js';
import { differences } from './scenario.js';
import { COUNTS, expectationsView, warningsOf, warningsView } from './overview.js';
import { answerOfRuns } from './answer_compare.js';
import { answerView } from './answer.js';
import * as format from './format.js';

/** Quantities of a run, in the order in which one asks for them: title, value, how it is written, what it is one of. */
const QUANTITIES = [
  ['simulated', (s) => s.simulated_seconds, format.time],
  ['messages completed', (s) => s.messages?.completed, format.number],
  ['message slowdown p50', (s) => s.messages?.slowdown?.p50, format.slowdown, (s) => s.messages?.slowdown],
  ['message slowdown p99', (s) => s.messages?.slowdown?.p99, format.slowdown, (s) => s.messages?.slowdown],
  ['message completion p99', (s) => s.messages?.fct_seconds?.p99, format.time, (s) => s.messages?.fct_seconds],
  ['message completion max', (s) => s.messages?.fct_seconds?.max, format.time, (s) => s.messages?.fct_seconds],
  ['packet latency p50', (s) => s.packet_latency_seconds?.p50, format.time, (s) => s.packet_latency_seconds],
  ['packet latency p99', (s) => s.packet_latency_seconds?.p99, format.time, (s) => s.packet_latency_seconds],
  ...COUNTS.map(([key, name]) => [name, (s) => s.network?.[key], format.number]),
];

const none = (v) => v === null || v === undefined;
const over = (value, first) => (none(value) || !first ? null : value / first);
/** `1.25 x` beside what a run has; nothing where it is the first. */
const ratio = (value, first) => (none(over(value, first)) ? '' : ` (${format.number(over(value, first))} x)`);

function headline(runs) {
  const rows = QUANTITIES.map(([title, of, show, from]) => ({ title, show, values: runs.map((run) => of(run.summary)), cutOff: runs.map((run) => from?.(run.summary)?.cut_off) }))
    .filter(({ values }) => values.some((v) => !none(v) && v !== 0));
  return table([
    { title: 'quantity', value: (r) => r.title, isText: true },
    ...runs.map((run, i) => ({ title: run.label, value: (r) => r.values[i],
      show: (r) => el('span', { 'data-run': i, 'data-quantity': r.title, 'data-value': r.values[i] }, none(r.values[i]) ? '–' : format.partly(r.show(r.values[i]), r.cutOff[i]), i ? ratio(r.values[i], r.values[0]) : '') })),
  ], rows, { caption: 'Of the whole run, and over the first' });
}

/** A warning once, with the runs that have it. */
function warnings(runs) {
  const who = new Map();
  for (const run of runs) for (const text of warningsOf(run)) who.set(text, [...(who.get(text) ?? []), run.label]);
  return warningsView([...who].map(([text, labels]) => `${labels.length === runs.length ? 'all runs' : labels.join(', ')}: ${text}`));
}

/** As `--expect` calls them. */
const lettersOf = (runs) => runs.map((run, i) => `${String.fromCharCode(97 + i)} is ${run.label}`).join(', ');

function comparison(runs, expectations) {
  return section('overview', `${runs.length} runs`, answerView(answerOfRuns(runs, expectations)), expectationsView({ expectations }, lettersOf(runs)), warnings(runs),
    el('ol', { class: 'runs' }, runs.map((run, i) => el('li', {}, action(run.label, () => visit('run', { run: i }, 'run'), 'in detail'),
      `: ${run.summary.scenario}, ${run.summary.outcome}, seed ${run.summary.seed}`, run.summary.overrides?.length ? [', changed ', el('code', {}, run.summary.overrides.join('  '))] : '', run.summary.without ? `, without ${run.summary.without}` : ''))),
    headline(runs));
}

function keys(runs) {
  const rows = differences(runs.map((run) => run.scenario)).filter(({ path }) => !/^(weft|name)$/.test(path));
  return rows.length ? section('keys', 'Keys that differ', table([
    { title: 'key', value: (r) => r.path, isText: true },
    ...runs.map((run, i) => ({ title: run.label, value: (r) => r.values[i] ?? '', show: (r) => r.values[i] ?? 'not there', isText: true })),
  ], rows, { caption: 'Of resolved.yaml, defaults included', filter: true, most: 40 })) : null;
}

/** Of each job a row per run, and how often as long as in the first run that has it. */
export function jobRows(runs) {
  const names = [...new Set(runs.flatMap((run) => run.summary.jobs.map((job) => job.name)))];
  return names.flatMap((name) => {
    const own = runs.map((run, i) => ({ run, i, job: run.summary.jobs.find((j) => j.name === name) })).filter(({ job }) => job);
    const step = ({ run }) => (run.summary.training ?? []).find((t) => t.job === name || t.name === name)?.step_seconds?.mean;
    const first = own[0];
    return own.map((one) => ({ name, i: one.i, label: one.run.label, job: one.job, step: step(one), first: first.job, isFirst: one === first }));
  });
}

function jobs(runs) {
  const rows = jobRows(runs);
  const beside = (title, of, show, from) => ({ title, value: (r) => of(r.job), show: (r) => el('span', { 'data-job': r.name, 'data-run': r.i, 'data-value': of(r.job) }, none(of(r.job)) ? '–' : format.partly(show(of(r.job)), from?.(r.job)?.cut_off), r.isFirst ? '' : ratio(of(r.job), of(r.first))) });
  return section('compared-jobs', 'Jobs side by side', table([
    { title: 'job', value: (r) => r.name, isText: true },
    { title: 'run', value: (r) => r.label, isText: true },
    beside('time', (j) => j.jct_seconds, format.time),
    ...(rows.some((r) => !none(r.step)) ? [{ title: 'mean step', value: (r) => r.step, show: (r) => (none(r.step) ? '–' : format.time(r.step)) }] : []),
    beside('message p50', (j) => j.fct_seconds?.p50, format.time, (j) => j.fct_seconds),
    beside('p99', (j) => j.fct_seconds?.p99, format.time, (j) => j.fct_seconds),
    beside('max', (j) => j.fct_seconds?.max, format.time, (j) => j.fct_seconds),
    beside('slowdown p99', (j) => j.slowdown?.p99, format.slowdown, (j) => j.slowdown),
    { title: 'bus bandwidth', value: (r) => r.job.busbw_bytes_per_second, show: (r) => format.bandwidth(r.job.busbw_bytes_per_second) },
  ], rows, { caption: 'Jobs and their tails; in brackets over the first run', filter: true }));
}

/** A bar per run on one scale: what the time of a job went to. */
function bars(name, own, longest) {
  return el('div', { class: 'beside' }, own.map(({ run, job }) => {
    const sums = job.causes.map((cause) => [cause, job.rows.filter((r) => r[0] === cause).reduce((sum, r) => sum + r[4], 0)]);
    return [el('span', {}, run.label), el('div', { class: 'lying', style: `width:${Math.max(1, (100 * job.seconds) / longest).toFixed(3)}%` },
      sums.map(([cause, seconds]) => {
        const text = `${run.label}, ${cause}: ${format.time(seconds)}`;
        return el('button', { type: 'button', title: text, 'aria-label': text, style: `flex-grow:${(seconds / (job.seconds || 1)).toFixed(5)};background:${ofCause(cause)}`, onclick: () => visit('run', { run: run.index }, 'blame') });
      })), el('span', {}, format.time(job.seconds))];
  }));
}

function blame(runs) {
  const blamed = runs.filter((run) => run.blame?.length);
  if (!blamed.length) return null;
  const names = [...new Set(blamed.flatMap((run) => run.blame.map((job) => job.job)))];
  return section('compared-blame', 'Blame side by side', el('p', { class: 'hint' }, 'Bars of a job have one scale. A piece leads to the blame of its run.'), names.map((name) => {
    const own = blamed.map((run) => ({ run, job: run.blame.find((j) => j.job === name) })).filter(({ job }) => job);
    const longest = Math.max(...own.map(({ job }) => job.seconds)) || 1;
    const causes = [...new Set(own.flatMap(({ job }) => job.causes))];
    return el('article', {}, el('h3', {}, name), bars(name, own, longest),
      el('ul', { class: 'legend' }, causes.map((cause) => el('li', {}, el('i', { style: `background:${ofCause(cause)}` }), cause))));
  }), runs.filter((run) => run.difference)
    .map((run) => [el('h3', {}, `${run.label} against the first`), sentences(run.difference)]));
}

/** One run in detail; its parts are made when they are first looked at. */
function details(runs, partsOf) {
  const made = new Map();
  const place = el('div', { class: 'details' });
  const show = (index) => {
    if (!made.has(index)) made.set(index, partsOf(runs[index], index).filter(Boolean));
    pick.querySelector('select').value = String(index);
    replace(place, made.get(index));
  };
  const pick = choice('run', runs.map((run, i) => [String(i), run.label]), (v) => show(Number(v)), '0');
  for (const topic of ['run', 'series', 'rank']) on(topic, ({ run }) => show(run));
  show(0);
  return section('run', 'One run in detail', el('div', { class: 'controls' }, pick), place);
}

export function comparedParts(runs, expectations, shared, partsOf) {
  return [comparison(runs, expectations), keys(runs), jobs(runs), blame(runs), ...shared, details(runs, partsOf)];
}
