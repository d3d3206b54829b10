import { test } from 'node:test';
import assert from 'node:assert/strict';
import { aligned, apartOnAxis, logLabels, logSplits } from '../src/quantiles.js';

test('curves share one list of values, and keep their own shares', () => {
  const [x, a, b] = aligned([[[0, 1], [0.5, 2], [1, 4]], [[0, 2], [1, 3]]], (p) => p);
  assert.deepEqual(x, [1, 2, 3, 4]);
  assert.deepEqual(a, [0, 0.5, null, 1]);
  assert.deepEqual(b, [null, 0, 1, null]);
});

test('values that many quantiles share have the greatest of them', () => {
  const [x, a] = aligned([[[0, 1], [0.5, 1], [1, 1]]], (p) => p);
  assert.deepEqual([x, a], [[1], [1]]);
});

test('logarithmic axes have lines where people count, evenly where there is less than half a decade', () => {
  assert.deepEqual(logSplits(0.8, 12), [0.8, 0.9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(logSplits(10.3, 26), [15, 20, 25]);
});

test('long logarithmic axes name decades alone', () => {
  const ticks = [1, 2, 5, 10, 100, 1000];
  assert.deepEqual(logLabels(ticks, String), ['1', '', '', '10', '100', '1000']);
  assert.deepEqual(logLabels([1, 2, 3, 5, 10], String), ['1', '2', '3', '5', '10']);
});

test('a narrow chart has fewer labels on a logarithmic axis', () => {
  const ticks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const shown = (width) => logLabels(ticks, String, width).filter(Boolean).map(Number);
  assert.deepEqual(shown(600), [1, 2, 3, 5, 7, 10]);
  assert.deepEqual(shown(300), [1, 2, 5, 10]);
});

test('labels of a logarithmic axis do not lie on each other, and decades stay', () => {
  const ticks = [20, 50, 100, 200, 500];
  const labels = ticks.map((v) => `${v} us`);
  const at = (pixels) => apartOnAxis(ticks, labels, (v) => (pixels * Math.log(v / 20)) / Math.log(25));
  assert.deepEqual(at(600), labels);
  assert.deepEqual(at(120), ['20 us', '', '100 us', '', '500 us']);
  assert.deepEqual(at(40).filter(Boolean), ['100 us']);
  // Two of 48 pixels that stand 50 apart are read as one.
  assert.deepEqual(apartOnAxis([1, 2], ['1234 us', '2345 us'], (v) => 50 * v), ['1234 us', '']);
});
