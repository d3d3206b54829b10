// Fabrics that share no switch: what each of them carried, dropped and trimmed.

import { el, section } from './dom.js';
import { table } from './table.js';
import { keysOf } from './scenario.js';
import * as format from './format.js';

/** The plane of a port, by the names of its switches: `h3->p5-leaf0[2]` is in 5; null: in none. */
export function planeOf(port) {
  const found = /(?:^|->)p(\d+)-/.exec(port);
  return found ? Number(found[1]) : null;
}

const DROPS = ['buffer_drops', 'ttl_drops', 'fault_drops', 'error_drops', 'wred_drops', 'watchdog_drops'];
const leadsToHost = (port) => !port.endsWith(']');

/** Planes of a run, with what their ports did; a fabric without planes has none, whatever its switches are called. */
export function planesOf({ scenario, ports: { names, columns } }) {
  const said = keysOf(scenario ?? '').find(({ path }) => path === 'fabric.planes');
  if (!(Number(said?.value) > 1)) return [];
  const found = new Map();
  names.forEach((name, p) => {
    const plane = planeOf(name);
    if (plane === null) return;
    const of = (key) => columns[key]?.[p] ?? 0;
    const sum = found.get(plane) ?? { plane, bytes: 0, busiest: 0, marks: 0, trimmed: 0, drops: 0, idle: [] };
    if (leadsToHost(name)) {
      sum.bytes += of('bytes');
      if (!of('bytes')) sum.idle.push(name.replace(/^.*->/, ''));
    }
    sum.busiest = Math.max(sum.busiest, of('utilisation'));
    sum.marks += of('ecn_marks');
    sum.trimmed += of('trimmed');
    sum.drops += DROPS.reduce((all, key) => all + of(key), 0);
    found.set(plane, sum);
  });
  return found.size > 1 ? [...found.values()].sort((a, b) => a.plane - b.plane) : [];
}

/** Hosts that got nothing: a few by their names. */
export const idleText = ({ idle }) => (idle.length > 4 ? format.number(idle.length) : idle.join(', ') || '–');

/** By plane, of the bytes of all. */
export function sharesOf(list) {
  const all = list.reduce((sum, one) => sum + one.bytes, 0) || 1;
  return list.map((one) => one.bytes / all);
}

/** How evenly planes were used. */
export function planesText(list) {
  const [least, most] = [Math.min, Math.max].map((f) => f(...sharesOf(list)));
  return `Of what came to hosts, each plane carried ${format.percent(least)} to ${format.percent(most)}; an even share is ${format.percent(1 / list.length)}.`;
}

export function planes(run) {
  const list = planesOf(run);
  if (!list.length || run.ports.left_out) return null;
  const shares = new Map(sharesOf(list).map((share, i) => [list[i], share]));
  return section('planes', 'Planes', el('p', { class: 'hint' }, planesText(list)),
    table([
      { title: 'plane', value: (o) => o.plane },
      { title: 'bytes to hosts', value: (o) => o.bytes, show: (o) => format.bytes(o.bytes) },
      { title: 'share', value: (o) => shares.get(o), show: (o) => format.percent(shares.get(o)) },
      { title: 'busiest port', value: (o) => o.busiest, show: (o) => format.percent(o.busiest) },
      ...[['marks', 'ECN marks'], ['trimmed', 'packets trimmed'], ['drops', 'drops']].filter(([key]) => list.some((o) => o[key] > 0))
        .map(([key, title]) => ({ title, value: (o) => o[key], show: (o) => format.number(o[key]) })),
      ...(list.some((o) => o.idle.length) ? [{ title: 'hosts that got nothing', value: (o) => o.idle.length, show: idleText, isText: true }] : []),
    ], list, { caption: 'By plane' }));
}
