import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Points, front, isWide } from '../src/sweep_points.js';
import { wrapped } from '../src/format.js';
import { momentOf } from '../src/moments.js';

// Two sizes, two modes, two seeds; the result is 10 times the size, and the seed on top where the mode is `x`.
const point = (id, size, mode, seed) => ({ id, configuration: Math.floor(id / 2), status: 'done', outcome: 'finished', counts: true,
  values: [size, mode, seed], texts: [`${size}KB`, mode, String(seed)], metrics: [10 * size + (mode === 'x' ? seed : 0), -size] });
const sweep = () => ({
  parameters: [{ name: 'size', unit: 'B' }, { name: 'mode', unit: '' }, { name: 'seed', unit: '', seed: true }],
  objectives: [{ name: 'time', metric: 'a.b', goal: 'min' }], metrics: [{ name: 'a.b', unit: 's' }, { name: 'c', unit: '' }],
  student: [null, null, 12.7062], // of two values
  points: [1, 2].flatMap((size, s) => ['x', 'y'].flatMap((mode, m) => [1, 2].map((seed, i) => point(4 * s + 2 * m + i, size, mode, seed)))),
});

test('axes are what differs but for seeds, numbers in their order', () => {
  const points = new Points(sweep());
  assert.deepEqual(points.axes().map((a) => [a.name, a.isNumeric, a.levels.map((l) => l.text)]), [['size', true, ['1KB', '2KB']], ['mode', false, ['x', 'y']]]);
});

test('lines have means over seeds with their intervals', () => {
  const points = new Points(sweep());
  const [size, mode] = points.axes();
  const [x, y] = points.lines(points.filtered(new Map()), size, mode, 'a.b');
  assert.equal(x.at[0].mean, 11.5); // of 11 and 12: half a step is 0.5 = s / sqrt(2), times 12.7
  assert.ok(Math.abs(x.at[0].high - 11.5 - 12.7062 * 0.5) < 1e-12);
  assert.deepEqual([y.at[1].mean, y.at[1].low, y.at[1].high], [20, 20, 20]);
  const [all] = points.lines(points.filtered(new Map()), size, null, 'a.b');
  assert.deepEqual([all.at[0].low, all.at[0].mean, all.at[0].high, all.at[0].isInterval], [10, 10.75, 11.5, false]);
});

test('filters keep texts, or a range', () => {
  const points = new Points(sweep());
  assert.equal(points.filtered(new Map([[1, new Set(['x'])]])).length, 4);
  assert.equal(points.filtered(new Map([[0, { from: 1.5, to: 9 }], [1, new Set(['x'])]])).length, 2);
});

test('runs that did not end count in nothing, estimates of them do', () => {
  const data = sweep();
  data.points[0].counts = false;
  data.points[0].outcome = 'stuck';
  const points = new Points(data);
  assert.equal(points.value(data.points[0], 'a.b'), null);
  data.metrics[0].estimate = true;
  assert.equal(new Points(data).value(data.points[0], 'a.b'), 11);
});

test('nothing on a front is beaten in both', () => {
  const of = (number, a, b) => ({ number, estimates: [{ mean: a }, { mean: b }] });
  const all = [of(1, 1, 9), of(2, 2, 9), of(3, 3, 4), of(4, 4, 5), of(5, 5, 1)];
  assert.deepEqual(front(all, ['min', 'min']).map((c) => c.number), [1, 3, 5]);
  assert.deepEqual(front(all, ['max', 'max']).map((c) => c.number), [5, 4, 2]);
  assert.ok(isWide([1, 31]) && !isWide([1, 30]) && !isWide([0, 31]) && !isWide([1, 2]));
});

test('moments are runs of equal values', () => {
  const data = { count: 100, most: 8, shades: 250, ports: ['a', 'c'], values: [[250, 51, 125, 49], [0, 100]] };
  assert.deepEqual(momentOf(data, ['b', 'a'], 50), [0, 8]);
  assert.deepEqual(momentOf(data, ['b', 'a'], 51), [0, 4]);
});

test('texts below an axis are broken, and elided where they are too long', () => {
  assert.equal(wrapped('uec', 9), 'uec');
  assert.equal(wrapped('flow_control: none, trimming: on', 20), 'flow_control: none,\ntrimming: on');
  assert.equal(wrapped('a, b, c, d, e, f', 2), 'a,\nb,\nc,\nd…');
  assert.equal(wrapped('congestion_control', 8), 'congest…');
});
