// What the fabric shows of a moment, what ports show of all of them, and steps of curves over time.

import { stepAt } from './time_range.js';

export const MOMENT_COUNT = 100;

/** Values by port at one of the moments; `data` has runs of equal values. */
export function momentOf(data, names, moment) {
  const numbers = new Map(names.map((name, i) => [name, i]));
  const values = new Array(names.length).fill(0);
  data.ports.forEach((name, p) => {
    const port = numbers.get(name);
    if (port === undefined) return;
    const runs = data.values[p];
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      at += runs[i + 1];
      if (moment < at) {
        values[port] = (runs[i] / data.shades) * data.most;
        break;
      }
    }
  });
  return values;
}

/** The values of a port at all moments. */
export function valuesOfPort(data, p) {
  const runs = data.values[p];
  const values = [];
  for (let i = 0; i < runs.length; i += 2)
    values.push(...new Array(runs[i + 1]).fill((runs[i] / data.shades) * data.most));
  return values;
}

/**
 * Ports with what they had over time, those with most first: {name, values}. Where all series are on the page, their
 * classes are added up at each step; else there are the moments.
 */
export function portsOverTime({ moments, series, left_out: missing }) {
  const sums = new Map();
  if (missing) {
    moments.ports.forEach((name, p) => sums.set(name, valuesOfPort(moments, p)));
  } else {
    for (const { name, values } of series) {
      const port = name.slice(0, name.lastIndexOf(' '));
      const sum = sums.get(port);
      sums.set(port, sum ? sum.map((v, i) => v + values[i]) : values);
    }
  }
  const total = (values) => values.reduce((a, b) => a + b, 0);
  return [...sums]
    .map(([name, values]) => ({ name, values, total: total(values) }))
    .filter((port) => port.total > 0)
    .sort((a, b) => b.total - a.total);
}

/** What a port had at a moment; values are even steps of what was recorded. Nothing is known before and after. */
export function valueAt(values, recorded, moment) {
  const step = stepAt(recorded, values.length, moment);
  return step === null ? null : values[step];
}

/** Curves as steps between borders: a value for each step holds until the last border, so it stands there once more. */
export const stepped = (borders, lists) =>
  [borders, ...lists.map((values) => (values.length < borders.length ? [...values, values.at(-1)] : values))];

/** The last of some times in order that is not after a moment: the step that it lies in. */
export function lastFrom(times, moment) {
  let low = 0;
  let high = times.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= moment * (1 + 1e-12)) low = middle;
    else high = middle;
  }
  return low;
}

/** The greatest value in each of `count` columns of a range; values are even steps of what was recorded. */
export function columnsOf(values, [least, most], [from, to], count) {
  const scale = values.length / (most - least);
  return Float64Array.from({ length: count }, (_, x) => {
    if (from + ((to - from) * (x + 1)) / count <= least) return 0;
    const begin = Math.max(0, Math.floor((from + ((to - from) * x) / count - least) * scale + 1e-9));
    const end = Math.min(      values.length,
      Math.max(begin + 1, Math.ceil((from + ((to - from) * (x + 1)) / count - least) * scale - 1e-9)),
    );
    let top = 0;
    for (let i = begin; i < end; ++i) top = Math.max(top, values[i]);
    return top;
  });
}
