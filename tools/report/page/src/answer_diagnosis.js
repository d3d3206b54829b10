// What a diagnosis comes to, in a sentence with at most four figures. No drawing.

import * as format from './format.js';

const MOST_PLACES = 3;

/** What a part that is slow still carries, in words. */
const LEFT = {
  'slow-nic': (value) => `carries ${format.roughly(value)} of its rate`,
  'slow-server': (value) => `has NICs that carry ${format.roughly(value)} of their rate`,
  'slow-uplinks': (value) => `has uplinks that carry ${format.roughly(value)} of their rate`,
  'all-nics': (value) => `carry ${format.roughly(value)} of their rate`,
  channels: (value) => `moves ${format.roughly(value)} of what it could`,
  straggler: (value) => `takes ${format.time(value * 1e-6)} longer in every call`,
};
/** Who it is where there is no place. */
const WHO = { 'all-nics': 'the NICs of all servers', channels: "NCCL's channels on every link", collisions: 'flows that meet on one path', straggler: 'a rank' };

/** How many times as long as expected. */
export const ratioOf = (row) => row.measured_us / row.expected_us;
const byRatio = (a, b) => ratioOf(b) - ratioOf(a);

/** The rows of each curve or matrix, in the order in which they first stand there. */
export function curvesOf(compared) {
  const curves = new Map();
  for (const row of compared) {
    if (!curves.has(row.curve)) curves.set(row.curve, { name: row.curve, rows: [], isMatrix: Boolean(row.pair) });
    curves.get(row.curve).rows.push(row);
  }
  return [...curves.values()];
}

/** Of a matrix: servers in order, and for each two [a][b] the row; of several with these ends the slowest. */
export function matrixOf({ rows }) {
  const names = [...new Set(rows.flatMap((row) => row.pair))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const cells = names.map(() => names.map(() => null));
  for (const row of rows) {
    const [a, b] = row.pair.map((name) => names.indexOf(name));
    if (!cells[a][b] || ratioOf(row) > ratioOf(cells[a][b])) cells[a][b] = row;
  }
  return { names, cells };
}

/** Of a place its server, where its name does not say it: ` (NIC 5 of server2)`. */
export const whereabouts = (culprit, i) => (culprit.whereabouts?.[i] ? ` (${culprit.whereabouts[i]})` : '');

const placesOf = (culprit) => {
  const { place } = culprit;
  const rest = place.length - MOST_PLACES;
  return place.slice(0, MOST_PLACES).map((name, i) => `\`${name}\`${whereabouts(culprit, i)}`).join(', ') + (rest > 0 ? ` or ${format.counted(rest, 'other', 'others')}` : '');
};

function whoOf(culprit) {
  return culprit.place.length ? `${culprit.place.length > 1 ? 'one of ' : ''}${placesOf(culprit)}` : (WHO[culprit.kind] ?? culprit.kind);
}

export function culpritWords(culprit) {
  const left = culprit.value === null ? null : LEFT[culprit.kind]?.(culprit.value);
  return left ? `${whoOf(culprit)} ${left}` : culprit.place.length ? `${whoOf(culprit)}: ${culprit.why}` : whoOf(culprit);
}

function sentenceOf(diagnosis, slow) {
  const { verdict, culprits, undecided, compared } = diagnosis;
  const size = compared.filter((row) => !row.pair).length;
  const pairs = compared.length - size;
  const of = [size ? format.counted(size, 'size', 'sizes') : '', pairs ? format.counted(pairs, 'pair', 'pairs') : ''].filter(Boolean).join(' and ');
  if (culprits.length) {
    const [first] = culprits;
    const explains = first.explained > 0 ? `; it explains ${format.roughly(first.explained)} of what is slower than expected` : '';
    return culpritWords(first) + explains;
  }
  if (verdict === 'not comparable') return 'nothing that was measured can be compared with this cluster';
  if (undecided.length) {
    const kinds = undecided.map((c) => c.kind).join(', ');
    return `slower than expected, up to ${format.times(ratioOf(slow))} times, and these measurements cannot tell ${format.counted(undecided.length, 'cause', 'causes')} apart: ${kinds}`;
  }
  if (diagnosis.nothing_explains_it) return `slower than expected, up to ${format.times(ratioOf(slow))} times, and no single change of the cluster explains it`;
  if (verdict === 'faster than the wire allows') return 'faster than the wire allows: more bytes per NIC and second than it carries, so the log is of another machine';
  const alone = compared.filter((row) => row.verdict === 'beyond its band, not counted');
  if (alone.length) {
    const sizes = alone.filter((row) => !row.pair).length;
    const what = sizes ? format.counted(sizes, 'size', 'sizes') : format.counted(alone.length, 'pair', 'pairs');
    return `as expected but for ${what}, which ${(sizes || alone.length) === 1 ? 'is' : 'are'} taken for noise: ${of} were compared`;
  }
  return `as expected: ${of} within what weft's own error allows`;
}

function figuresOf({ compared, culprits }, slow) {
  const figures = [];
  if (slow) {
    figures.push(['times the expected time, at worst', format.times(ratioOf(slow))]);
    const largest = compared.filter((row) => !row.pair).reduce((a, b) => (!a || b.bytes >= a.bytes ? b : a), null) ?? slow;
    const what = largest.pair ? largest.pair.join(' and ') : format.bytes(largest.bytes);
    figures.push([`bus bandwidth measured, ${what}`, format.bandwidth(largest.measured_busbw * 1e9)], [`expected, ${what}`, format.bandwidth(largest.expected_busbw * 1e9)]);
  }
  if (culprits[0]?.explained > 0) figures.push(['of the difference explained', format.roughly(culprits[0].explained)]);
  return figures;
}

export function answerDiagnosis(diagnosis) {
  const slow = [...diagnosis.compared].sort(byRatio)[0];
  return { sentence: sentenceOf(diagnosis, slow), figures: figuresOf(diagnosis, slow), tries: [] };
}
