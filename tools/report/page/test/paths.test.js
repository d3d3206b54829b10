import test from 'node:test';
import assert from 'node:assert/strict';
import { badOverTime, columnsOf, pathsText } from '../src/path_texts.js';

const change = (plane, at, failures, recoveries, bad) => ({ plane, begin_seconds: at, end_seconds: at + 1, skips: 0, failures, recoveries, assumed_bad: bad });

test('values are as many as after the last change, before the first as they were', () => {
  const summary = { simulated_seconds: 6, path_changes: [change(0, 1, 3, 0, 5), change(0, 3, 0, 4, 1), change(2, 4, 1, 0, 1)] };
  const { times, planes } = badOverTime(summary);
  assert.deepEqual(times, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(planes, [{ plane: 0, values: [2, 2, 5, 5, 1, 1, 1] }, { plane: 2, values: [0, 0, 0, 0, 0, 1, 1] }]);
});

test('a run that ends within an interval ends there', () => {
  const { times, planes } = badOverTime({ simulated_seconds: 1.5, path_changes: [change(0, 1, 1, 0, 1)] });
  assert.deepEqual(times, [0, 1, 1.5]);
  assert.deepEqual(planes[0].values, [0, 0, 1]);
});

// Ends of intervals and products of their width differ by rounding: 3 * 0.7 is less than 2.1.
test('an interval ends at its own time, whatever the rounding', () => {
  const { planes } = badOverTime({ simulated_seconds: 2.8, path_changes: [{ ...change(0, 1, 1, 0, 1), begin_seconds: 0, end_seconds: 0.7 }, { ...change(0, 3, 1, 0, 2), begin_seconds: 1.4, end_seconds: 2.1 }] });
  assert.deepEqual(planes[0].values, [0, 1, 1, 2, 2]);
});

test('skips alone give no curve', () => {
  assert.equal(badOverTime({ simulated_seconds: 2, path_changes: [{ ...change(0, 0, 0, 0, 0), skips: 9 }] }), null);
  assert.equal(badOverTime({ simulated_seconds: 2 }), null);
});

test('the sentence adds planes up', () => {
  const plane = { skips: 1, failures: 0, recoveries: 0, assumed_bad: 0 };
  assert.equal(pathsText([{ ...plane, skips: 0 }]), 'No entropy value was skipped; none failed.');
  assert.equal(pathsText([plane, { ...plane, assumed_bad: 2 }]), 'Entropy values were skipped 2 times, after marks and trims; none failed, and 2 are assumed bad from before.');
  assert.equal(pathsText([plane, { skips: 0, failures: 3, recoveries: 1, assumed_bad: 2 }]), 'Entropy values were skipped 1 time, after marks and trims; 3 failures after lost packets, 1 recovery by probes; 2 assumed bad at the end.');
});

test('each column has what its title says, and planes have one where there are several', () => {
  const row = { plane: 4, good: 1, skipped: 2, assumed_bad: 3, reserve: 5, denied: 6, skips: 7, failures: 8, recoveries: 9, first_failure_seconds: 0.5 };
  const of = (count) => columnsOf(new Array(count).fill(row), []).map(({ title, value }) => [title, value(row)]);
  assert.deepEqual(of(1), [['GOOD', 1], ['SKIP', 2], ['ASSUMED_BAD', 3], ['reserve', 5], ['DENIED', 6], ['skips', 7], ['failures', 8], ['recoveries', 9], ['first failure', 0.5]]);
  assert.deepEqual(of(2)[0], ['plane', 4]);
});
