// What slices and groups of the timeline are, in words. No drawing.

import { ranksOf } from './track_groups.js';
import * as format from './format.js';

const seconds = (ns) => format.time(ns * 1e-9);

/**
 * `from 12.3512 ms to 12.3544 ms`: with as many digits as tell the two apart, and what lies between them from as much
 * again behind.
 */
export function fromTo(begin, end) {
  const [from, to] = format.apart([begin, end, end + (end - begin)], seconds);
  return `from ${from} to ${to}`;
}

/** What a slice is: its name, and where and when; names have their culprit and port behind tabulators. */
export function textOf(names, [track, i]) {
  const [name] = names[track.names[i]].split('\t');
  const [begin, end, count] = [track.begins[i], track.ends[i], track.counts[i]];
  return {
    what: count > 1 ? `${count} short slices, such as ${name}` : name,
    rest: ` of ${track.process}, ${track.name}: ${fromTo(begin, end)}, ${seconds(end - begin)} long${count > 1 ? ' together' : ''}`,
  };
}

/** Of slices that lie at one place the first in whole, and of the others what they are and how long. */
const MOST_MORE = 3;

export function slicesText(names, [first, ...others]) {
  const { what, rest } = textOf(names, first);
  const [, culprit, port] = names[first[0].names[first[1]]].split('\t');
  const more = others.slice(0, MOST_MORE).map(([track, i]) => `${names[track.names[i]].split('\t')[0]} (${seconds(track.ends[i] - track.begins[i])})`);
  const rest2 = others.length > MOST_MORE ? ` and ${format.number(others.length - MOST_MORE)} more` : '';
  const beside = others.length ? `; at the same pixel: ${more.join(', ')}${rest2}; W zooms in` : '';
  return `${what}${rest}${culprit ? `; through ${culprit}` : ''}${port ? `; at ${port}` : ''}${beside}`;
}

/**
 * Names of a group or a track, the longest first: what is said twice in one goes first, `hosts gpu16 to gpu23` ->
 * `gpu16 to 23`.
 */
export function namesOf({ kind, title }) {
  if (kind === 'rank') return [title, title.replace(/ \(.*\)$/, '')];
  if (kind !== 'host') return [title];
  const [, first, last] = /^hosts (.+) to (.+)$/.exec(title) ?? [];
  if (!first) return [title, title.replace(/^host /, '')];
  const [a, b] = [first, last].map((name) => /^(.*?)(\d*)$/.exec(name));
  return [title, `${first} to ${last}`, ...(a[1] === b[1] && b[2] ? [`${first} to ${b[2]}`, `${first}–${b[2]}`] : [])];
}

/** The longest of some names that is no wider than `room`; where all are, the last with what fits of both its ends. */
export function fitting(names, room, widthOf) {
  const known = names.find((name) => widthOf(name) <= room);
  if (known !== undefined) return known;
  const name = names.at(-1);
  for (let kept = name.length - 1; kept > 1; --kept) {
    const text = `${name.slice(0, Math.ceil(kept / 2))}…${name.slice(name.length - Math.floor(kept / 2))}`;
    if (widthOf(text) <= room) return text;
  }
  return '…';
}

/** Titles of jobs are names; those of hosts and ranks say what they are. */
export function groupText(node, isOpen) {
  const who = node.kind === 'job' ? `job ${node.title}` : node.title;
  const blamed = node.blamed > 0 ? `; to blame for ${format.time(node.blamed)} of its job` : '';
  const shows = isOpen ? 'a click closes it' : 'closed, it shows which share of them does what; a click opens it';
  return `${who}: ${format.counted(ranksOf(node), 'rank', 'ranks')}${blamed}; ${shows}`;
}
