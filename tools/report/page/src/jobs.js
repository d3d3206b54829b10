// Jobs, their steps and their tails, as summary.json has them.

import { el, section } from './dom.js';
import { table } from './table.js';
import * as format from './format.js';

function jobTable(rows) {
  const time = (title, value) => ({ title, value, show: (j) => el('span', { 'data-value': value(j) }, format.time(value(j))) });
  return table([
    { title: 'job', value: (j) => j.name, isText: true },
    { title: 'type', value: (j) => (j.algorithm ? `${j.type}, ${j.algorithm}` : j.type), isText: true },
    { title: 'ranks', value: (j) => j.ranks },
    time('time', (j) => j.jct_seconds),
    time('ideal', (j) => j.ideal_seconds),
    { title: 'over ideal', value: (j) => (j.jct_seconds && j.ideal_seconds ? j.jct_seconds / j.ideal_seconds : null), show: (j) => format.overIdeal(j.jct_seconds && j.ideal_seconds ? j.jct_seconds / j.ideal_seconds : null) },
    { title: 'ideal set by', value: (j) => j.ideal_set_by, isText: true },
    { title: 'messages', value: (j) => j.messages, show: (j) => format.number(j.messages) },
    time('message p50', (j) => j.fct_seconds?.p50),
    time('p99', (j) => j.fct_seconds?.p99),
    time('max', (j) => j.fct_seconds?.max),
    ...(rows.some((j) => j.fct_seconds?.cut_off) ? [{ title: 'percentiles', value: (j) => j.fct_seconds?.cut_off ?? '', isText: true }] : []),
    { title: 'slowdown p50', value: (j) => j.slowdown?.p50, show: (j) => format.slowdown(j.slowdown?.p50) },
    { title: 'p99', value: (j) => j.slowdown?.p99, show: (j) => format.slowdown(j.slowdown?.p99) },
    { title: 'bus bandwidth', value: (j) => j.busbw_bytes_per_second, show: (j) => format.bandwidth(j.busbw_bytes_per_second) },
  ], rows, { caption: 'Jobs', filter: true });
}

/** Columns of a list of flat objects; nested ones by `a.b`. */
function flat(object, prefix = '') {
  return Object.entries(object).flatMap(([name, value]) =>
    (value && typeof value === 'object' && !Array.isArray(value) ? flat(value, `${prefix}${name}.`) : [[prefix + name, value]]));
}

/** The path of a collective goes by messages, that of blame by packets: what is not the same has not the same name. */
const OF_PATH = {
  late: 'wait for the first rank', launch: 'launches', wire: 'messages at zero load', queueing: 'messages beyond that',
  paused: 'messages while paused', protocol: 'protocol latency', reducing: 'reductions', copying: 'copies',
  window: 'waits for ACKs', not_simulated: 'not simulated',
};
const HOW_THEY_DIFFER = 'Columns of the path go from message to message: one that is on the path counts whole, at its zero-load time with all latency, and what it took longer. Blame goes from packet to packet: its serialisation is what ports sent, its own packets what waited in line. So the two split one time in two ways.';

/** Of a column of a list: `jct_seconds` is `jct`, `critical_path_seconds.wire` is `path: messages at zero load`. */
export function titleOf(name) {
  const [, part] = /^critical_path_seconds\.(.+)$/.exec(name) ?? [];
  if (part) return `path: ${OF_PATH[part] ?? format.words(part)}`;
  return format.words(name.replace(/_?seconds/g, '').replace(/\.$/, '').replace(/^\./, '') || 'time');
}

function listTable(items, caption) {
  const rows = items.map((item) => Object.fromEntries(flat(item)));
  const names = Object.keys(rows[0]).filter((name) => rows.some((row) => row[name] !== 0 && row[name] !== null));
  return table(names.map((name) => ({
    title: titleOf(name),
    value: (row) => row[name],
    show: (row) => format.byName(name, row[name]),
    isText: typeof rows[0][name] === 'string',
  })), rows, { caption, filter: true, most: 20 });
}

export function jobs(run) {
  const { summary } = run;
  const parts = [jobTable(summary.jobs)];
  const lists = [['training', 'Training'], ['iterations', 'Steps'], ['collectives', 'Iterations of collectives'], ['isolated', 'Beside others and alone']];
  for (const [name, caption] of lists) {
    if (!summary[name]?.length) continue;
    if (name === 'collectives') parts.push(el('p', { class: 'hint' }, HOW_THEY_DIFFER));
    parts.push(listTable(summary[name], caption));
  }
  return section('jobs', 'Jobs and steps', ...parts);
}
