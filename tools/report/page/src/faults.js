// When something was wrong with the fabric, as the scenario says it: marks over all that has a time. No drawing.

import { keysOf } from './scenario.js';

const SECONDS = { ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };

/** `700us` in seconds; null: no time, such as `forever`. */
function secondsOf(text) {
  const found = /^([\d.]+)(ps|ns|us|ms|s)$/.exec(text ?? '');
  return found ? Number(found[1]) * SECONDS[found[2]] : null;
}

/** What a fault is of: `h3 to p5-leaf0`, a host, or a switch. */
const placeOf = ({ from, to, host, switch: node }) => [from && to ? `${from} to ${to}` : from, host, node].find(Boolean) ?? '';

/** Those that begin or end within a run: {from, to, text}, in seconds; `to` is null where it stays. */
export function faultsOf(run) {
  const faults = [];
  for (const { path, value } of keysOf(run.scenario ?? '')) {
    const [, place, key] = /^faults\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
    if (key) (faults[place] ??= {})[key] = value;
  }
  // Of a cable that flaps, each outage.
  const outages = (run.summary?.incidents ?? []).filter(({ kind }) => kind === 'flapping');
  const marks = outages.map((one) => ({ from: one.begin_seconds, to: one.end_seconds ?? null, text: `flapping ${one.place}` }));
  return faults
    .filter(({ type }) => type !== 'flapping' || !outages.length)
    .map((fault) => ({ from: secondsOf(fault.at) ?? 0, to: secondsOf(fault.until), text: `${fault.type} ${placeOf(fault)}`.trim() }))
    .concat(marks)
    .filter(({ from, to }) => from > 0 || to !== null);
}

/** What is wrong at a moment, in words; empty: nothing. */
export const faultsAt = (faults, moment) =>
  faults.filter(({ from, to }) => moment >= from && (to === null || moment <= to)).map(({ text }) => text).join(', ');
