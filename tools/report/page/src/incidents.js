// What failed in a run: when, who noticed it when, what was lost, and what it cost a step.

import { el, section } from './dom.js';
import { table } from './table.js';
import * as format from './format.js';

/** Who notices, and the time of it in a summary, in the words of incidents.csv. */
const WAYS = [['port', 'port_seconds'], ['watchdog', 'watchdog_seconds'], ['plane', 'plane_seconds'], ['sender', 'sender_seconds'], ['routes', 'routes_seconds']];

const isKnown = (value) => value !== null && value !== undefined;

/** `port at once, then sender after 1 ms`: how long each took from the begin. */
export function noticedText(incident) {
  return WAYS.filter(([, key]) => isKnown(incident[key]))
    .map(([who, key]) => [who, incident[key] - incident.begin_seconds])
    .sort((a, b) => a[1] - b[1])
    .map(([who, after]) => `${who} ${after > 0 ? `after ${format.time(after)}` : 'at once'}`)
    .join(', then ');
}

export const placeOf = (incident) => `${incident.kind} of ${incident.place}`;

/** A fault without an end lasts; that no route leads on ends when nothing comes any more, which is the last loss. */
export const endText = ({ end_seconds: end, kind }) => (isKnown(end) ? format.time(end) : kind === 'no-route' ? '–' : 'the end');

const time = (title, key) => ({ title, value: (i) => i[key], show: (i) => (isKnown(i[key]) ? format.time(i[key]) : '–') });
/** By how much an iteration was slower; null: by nothing. */
export const slower = (i) => (i.slower_seconds > 0 ? i.slower_seconds : null);

/** What all of them cost; `missing` more are not in the list. */
export function incidentsText(list, missing = 0) {
  const lost = list.reduce((sum, one) => sum + one.lost_packets, 0);
  const slowest = Math.max(0, ...list.map((one) => slower(one) ?? 0));
  return `${format.counted(list.length + missing, 'incident', 'incidents')}; ${lost ? `${format.counted(lost, 'packet', 'packets')} lost` : 'nothing lost'}${slowest ? `; iterations slower by up to ${format.time(slowest)}` : ''}. An iteration may be slower for another reason, too.`;
}

export function incidents(run) {
  const list = run.summary.incidents ?? [];
  if (!list.length) return null;
  return section('incidents', 'Incidents', el('p', { class: 'hint' }, incidentsText(list, run.left_out?.incidents)),
  table([
    { title: 'what failed', value: placeOf, show: (i) => [`${i.kind} of `, el('span', { class: 'whole' }, i.place)], isText: true },
    time('from', 'begin_seconds'),
    { title: 'until', value: (i) => i.end_seconds, show: (i) => endText(i) },
    { title: 'noticed by', value: noticedText, show: (i) => noticedText(i) || 'nobody', isText: true },
    { title: 'packets lost', value: (i) => i.lost_packets, show: (i) => format.number(i.lost_packets) },
    { title: 'bytes lost', value: (i) => i.lost_bytes, show: (i) => format.bytes(i.lost_bytes) },
    { title: 'of queue pairs', value: (i) => i.queue_pairs, show: (i) => format.number(i.queue_pairs) },
    time('last loss', 'last_loss_seconds'),
    { title: 'iteration slower by', value: slower, show: (i) => (slower(i) ? format.time(slower(i)) : '–') },
  ], list, { caption: 'By their begin', filter: true, most: 12 }));
}
