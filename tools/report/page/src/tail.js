// The slowest messages, each with the way that it took.

import { el, section, action } from './dom.js';
import { visit } from './history.js';
import { table } from './table.js';
import * as format from './format.js';

export function tail(run, index) {
  if (!run.tail?.length) return null;
  const rows = run.tail.map(([job, from, to, source, destination, bytes, start, seconds, slowdown], i) =>
    ({ job, from, to, source, destination, bytes, start, seconds, slowdown, message: i, way: run.fabric.ways?.[i], hosts: run.fabric.hosts?.[i] ?? [source, destination] }));
  const show = (row) => {
    const text = `${row.job}, rank ${row.from} to ${row.to}: ${format.time(row.seconds)}, ${format.times(row.slowdown)} times its zero-load time`;
    visit('way', { run: index, message: row.message, text }, 'fabric');
  };
  return section('tail', 'The slowest messages',
    el('p', { class: 'hint' }, run.fabric.one_way ? 'Each leads to its way over the fabric.' : 'Each leads to the ways over the fabric that its packets may have taken.'),
    table([
      { title: 'job', value: (r) => r.job, isText: true },
      { title: 'ranks', value: (r) => `${r.from} to ${r.to}`, show: (r) => (r.way?.length ? action(`${r.from} to ${r.to}`, () => show(r), 'show its way') : `${r.from} to ${r.to}`), isText: true },
      { title: 'hosts', value: (r) => `${r.hosts[0]} to ${r.hosts[1]}`, isText: true },
      { title: 'size', value: (r) => r.bytes, show: (r) => format.bytes(r.bytes) },
      { title: 'posted at', value: (r) => r.start, show: (r) => format.time(r.start) },
      { title: 'time', value: (r) => r.seconds, show: (r) => format.time(r.seconds) },
      { title: 'slowdown', value: (r) => r.slowdown, show: (r) => format.slowdown(r.slowdown) },
    ], rows, { caption: format.partly('Messages that were slowed down most', run.summary.messages?.slowdown?.cut_off), filter: true, most: 12, sort: 6, falling: true }));
}
