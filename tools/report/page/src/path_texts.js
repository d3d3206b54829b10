// What the section on path states says and counts, without a page.

import * as format from './format.js';

/**
 * How many values were assumed bad over time, by plane: {times, planes: [{plane, values}]}. A time is the end of an
 * interval; what changed in none is as before. null: nothing failed.
 */
export function badOverTime({ path_changes: changes = [], simulated_seconds: end }) {
  const failing = changes.filter((one) => one.failures > 0 || one.recoveries > 0);
  if (!failing.length) return null;
  const width = failing[0].end_seconds - failing[0].begin_seconds;
  const count = Math.ceil(end / width - 1e-6);
  const numbers = [...new Set(failing.map((one) => one.plane))].sort((a, b) => a - b);
  const planes = numbers.map((plane) => {
    const own = failing.filter((one) => one.plane === plane);
    const values = new Array(count + 1);
    let [bad, next] = [own[0].assumed_bad - own[0].failures + own[0].recoveries, 0];
    for (let i = 0; i <= count; ++i) {
      for (; next < own.length && own[next].end_seconds <= (i + 1e-6) * width; ++next) bad = own[next].assumed_bad;
      values[i] = bad;
    }
    return { plane, values };
  });
  return { times: Array.from({ length: count + 1 }, (_, i) => Math.min(i * width, end)), planes };
}

const sumOf = (list, key) => list.reduce((sum, one) => sum + one[key], 0);

/** What became of them, in a sentence. */
export function pathsText(planes) {
  const [skips, failures, recoveries, bad] = ['skips', 'failures', 'recoveries', 'assumed_bad'].map((key) => sumOf(planes, key));
  const skipped = skips ? `Entropy values were skipped ${format.counted(skips, 'time', 'times')}, after marks and trims` : 'No entropy value was skipped';
  if (!failures) return `${skipped}; none failed${bad ? `, and ${format.number(bad)} are assumed bad from before` : ''}.`;
  return `${skipped}; ${format.counted(failures, 'failure', 'failures')} after lost packets, ${format.counted(recoveries, 'recovery', 'recoveries')} by probes; ${format.number(bad)} assumed bad at the end.`;
}

export const number = (title, key) => ({ title, value: (one) => one[key], show: (one) => format.number(one[key]) });
const firstFailure = { title: 'first failure', value: (one) => one.first_failure_seconds, show: (one) => (one.first_failure_seconds === null || one.first_failure_seconds === undefined ? '–' : format.time(one.first_failure_seconds)) };
const CHANGES = [number('skips', 'skips'), number('failures', 'failures'), number('recoveries', 'recoveries'), firstFailure];
const STATES = [number('GOOD', 'good'), number('SKIP', 'skipped'), number('ASSUMED_BAD', 'assumed_bad'), number('reserve', 'reserve'), number('DENIED', 'denied')];

/** Columns by which rows are told apart, and those that all have; a run without planes has no column of them. */
export const columnsOf = (planes, names) => [...names, ...(planes.length > 1 ? [{ title: 'plane', value: (one) => one.plane }] : []), ...STATES, ...CHANGES];
