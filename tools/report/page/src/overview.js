// What was simulated, what was changed, and warnings before anything else.

import { el, section } from './dom.js';
import { keysOf } from './scenario.js';
import * as format from './format.js';

/** What is counted of the network, by keys of summary.json; where nothing was, it is left out. */
export const COUNTS = [
  ['packets_dropped', 'packets dropped'],
  ['error_drops', 'of them lost to errors of links'],
  ['ecn_marked', 'ecn marked'],
  ['pfc_pauses', 'pfc pauses'],
  ['timeouts', 'timeouts'],
  ['credit_stalls', 'credit stalls'],
  ['packets_retransmitted', 'packets retransmitted'],
];

export const nameOf = (run) => run.label ?? run.summary.scenario;

function facts(rows) {
  return el('dl', { class: 'facts' }, rows.filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

export function warningsOf(run) {
  const summary = run.summary;
  const list = [...(summary.explanation ?? []), ...(summary.warnings ?? [])];
  if (summary.outcome !== 'finished') list.unshift(`The run did not finish by itself: ${summary.outcome}.`);
  for (const [name, count] of Object.entries(run.left_out ?? {})) {
    list.push(`The page has the first 1,000 of ${name}; ${format.number(count)} more are in summary.json.`);
  }
  if (run.ports.left_out) {
    list.push(`The page has the ${format.number(run.ports.names.length)} ports with the longest queues; ports.csv has all.`);
  }
  return list;
}

function scenarioText(run) {
  const keys = keysOf(run.scenario);
  const own = keys.filter((key) => !key.source);
  return el('details', {}, el('summary', {}, `The scenario: ${own.length} keys said, ${keys.length - own.length} by default`),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'scenario' },
      el('pre', {}, run.scenario.split('\n').map((line) =>
        el('span', { class: /# default|^#/.test(line) ? 'faint' : '' }, `${line}\n`)))));
}

/** Headline numbers are those of summary.json, to the digit in `data-value`. */
function headline(run) {
  const { summary } = run;
  const one = (name, value, text) => [name, el('span', { 'data-fact': name, 'data-value': value }, text)];
  const rows = [
    one('simulated', summary.simulated_seconds, format.time(summary.simulated_seconds)),
    one('outcome', summary.outcome, summary.outcome),
  ];
  const messages = summary.messages;
  if (messages) {
    rows.push(one('messages', messages.count, `${format.number(messages.completed)} of ${format.number(messages.count)} completed`));
    if (messages.slowdown) {
      rows.push(one('slowdown p99', messages.slowdown.p99, format.partly(format.slowdown(messages.slowdown.p99), messages.slowdown.cut_off)));
      rows.push(one('completion p99', messages.fct_seconds.p99, format.partly(format.time(messages.fct_seconds.p99), messages.fct_seconds.cut_off)));
    }
  }
  const network = summary.network ?? {};
  for (const [key, name] of COUNTS) {
    if (network[key]) rows.push(one(name, network[key], format.number(network[key])));
  }
  if (summary.packet_latency_seconds) {
    const l = summary.packet_latency_seconds;
    rows.push(...['p50', 'p99'].map((p) => one(`packet latency ${p}`, l[p], format.partly(format.time(l[p]), l.cut_off))));
  }
  return facts(rows);
}

function origin(run) {
  const { summary } = run;
  return facts([
    ['engine', summary.engine],
    ['seed', summary.seed],
    ['scenario file', summary.scenario_file],
    ['changed', summary.overrides?.length ? el('ul', {}, summary.overrides.map((o) => el('li', {}, el('code', {}, o)))) : 'nothing: as the file says'],
    ['taken out', summary.without],
    ['command', el('code', {}, summary.command_line ?? '–')],
    ['results in', el('code', {}, run.folder)],
    ['run took', `${format.time(summary.wall_seconds)}, ${format.number(summary.packet_hops)} packet-hops`],
  ]);
}

export function overview(run, id = 'overview') {
  const warnings = warningsOf(run);
  return section(id, nameOf(run),
    warnings.length ? el('ul', { class: 'warnings', 'aria-label': 'warnings' }, warnings.map((w) => el('li', {}, w))) : null,
    headline(run), origin(run), scenarioText(run));
}
