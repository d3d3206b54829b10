// The answer of a run, its warnings, and folded away what was simulated, what was changed, and by which command.

import { el, section } from './dom.js';
import { answerOfRun } from './answer_run.js';
import { answerView, said } from './answer.js';
import { keysOf } from './scenario.js';
import { table } from './table.js';
import * as format from './format.js';

/** What is counted of the network, by keys of summary.json; where nothing was, it is left out. */
export const COUNTS = [
  ['packets_dropped', 'packets dropped'],
  ['error_drops', 'of them lost to errors of links'],
  ['wred_drops', 'of them dropped by WRED'],
  ['watchdog_drops', 'of them dropped by PFC watchdogs'],
  ['packets_trimmed', 'packets trimmed'],
  ['losses_inferred', 'losses inferred'],
  ['frames_replayed', 'frames sent again by links'],
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

const MOST_WARNINGS = 3;

/** Warnings in a list; of many the rest is folded away. */
export function warningsView(warnings) {
  if (!warnings.length) return null;
  const list = (texts) => el('ul', {}, texts.map((w) => el('li', {}, said(w))));
  const rest = warnings.slice(MOST_WARNINGS);
  return el('div', { class: 'warnings', role: 'group', 'aria-label': 'warnings' }, list(warnings.slice(0, MOST_WARNINGS)),
    rest.length ? el('details', {}, el('summary', {}, `${format.counted(rest.length, 'more warning', 'more warnings')}`), list(rest)) : null);
}

/** What was expected of a run, or with `of` of several, and whether it holds. */
export function expectationsView({ expectations = [] }, of = '') {
  if (!expectations.length) return null;
  const failed = expectations.some((one) => !one.holds);
  return el('details', { class: 'expectations', open: failed }, el('summary', {}, `What was expected of the ${of ? 'runs' : 'run'}`), of ? el('p', { class: 'hint' }, of) : null, table([
    { title: 'expectation', value: (one) => one.expectation, show: (one) => el('code', {}, one.expectation), isText: true },
    ...(of && expectations.some((one) => one.run) ? [{ title: 'of', value: (one) => one.run ?? 'all', isText: true }] : []),
    { title: 'holds', value: (one) => (one.holds ? 'yes' : 'no'), show: (one) => el(one.holds ? 'span' : 'strong', {}, one.holds ? 'yes' : 'no'), isText: true },
    { title: 'found', value: (one) => one.because ?? Object.entries(one.values).map(([name, value]) => `${name} is ${format.byName(name, value)}`).join(', '), isText: true },
  ], [...expectations].sort((a, b) => a.holds - b.holds), { caption: 'Expectations, those that do not hold first' }));
}

/** What the page would show, had it been recorded: [what, how]. */
function notRecorded(run) {
  const has = (kind) => run.series?.[kind]?.series.length;
  const list = [
    [!run.blame, 'who is to blame for the time of each job', '--blame'],
    [
      !['queues', 'marks', 'rates', 'pauses', 'credits'].some(has),
      'queues, marks, rates and pauses over time',
      "--set observe.pauses=true --set 'observe.queues=[leaf0]' --set 'observe.marks=[leaf0]' --set " +
        "'observe.rates=[\"JOB:*->*\"]'",
    ],
    [!run.timeline?.tracks?.length, 'a timeline of the ranks', '--timeline'],
    [!run.distributions?.length, 'distributions of messages', '--set observe.messages=true'],
  ].filter(([isMissing]) => isMissing);
  if (!list.length) return null;
  return el('details', {}, el('summary', {}, 'What this run did not record'), el('ul', {}, list.map(([, what, how]) => el('li', {}, `${what}: `, el('code', {}, `weft run SCENARIO ${how}`)))));
}

export function overview(run, id = 'overview') {
  return section(id, nameOf(run), answerView(answerOfRun(run)), expectationsView(run), warningsView(warningsOf(run)),
    el('details', { class: 'facts-of-run' }, el('summary', {}, 'The run in numbers, its seed, and its command'), headline(run), origin(run)),
    scenarioText(run), notRecorded(run));
}
