import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as format from '../src/format.js';

// The same file is read by tests/report/quantities_test.cpp, which asks what the terminal prints.
test('quantities are those of the terminal', () => {
  const lines = readFileSync(new URL('../../../../tests/report/quantities.txt', import.meta.url), 'utf8').split('\n');
  const cases = lines.filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
  assert.ok(cases.length > 20);
  for (const [kind, value, text] of cases) assert.equal(format[kind](Number(value)), text, `${kind} ${value}`);
  assert.equal(format.time(null), '–');
});

test('shares have a decimal, small ones two digits, and the smallest a bound', () => {
  assert.deepEqual([0.9607, 1, 0.0095224, 0.0102, 0.0004, 0].map(format.percent), ['96.1 %', '100.0 %', '0.95 %', '1.0 %', '< 0.1 %', '0 %']);
  assert.equal(format.percentInFull(0.0001), '0.01 %');
  assert.deepEqual([0.928, 0.0342, 0.9996, 1].map(format.roughly), ['93 %', '3.4 %', '99.9 %', '100 %']);
});

test('training is measured as on the terminal', () => {
  assert.equal(format.flops(9421508208469.02), '9.4 TFLOP/s');
  assert.equal(format.tokens(74584.0759551964), '74.6 k tokens/s');
  assert.equal(format.tokens(5133138.03), '5.13 M tokens/s');
  assert.equal(format.byName('tokens_per_second', 53148.66), '53.1 k tokens/s');
  assert.equal(format.byUnit('s', 53148.66, 'training.a.tokens_per_second'), '53.1 k tokens/s');
  assert.equal(format.byUnit('', 0.0095224, 'training.a.mfu'), '0.95 %');
  assert.equal(format.byName('model_flops_per_second', 9421508208469.02), '9.4 TFLOP/s');
  assert.equal(format.byName('training.a.dollars_per_step', 0.012345), '$0.01235');
  assert.equal(format.byUnit('$', 0.9, 'a step costs'), '$0.9');
  assert.equal(format.dollars(null), '–');
});

test('factors have the digits of the tables, and fewer in sentences', () => {
  assert.equal(format.overIdeal(1.00265), '1.003');
  assert.equal(format.slowdown(25.461), '25.46x');
  assert.deepEqual([148.1, 32.79, 3.49, 1.273, 1.002].map(format.times), ['148', '33', '3.5', '1.27', '1']);
});

test('the name of a column says its unit', () => {
  assert.equal(format.byName('paused_s', 0.001), '1 ms');
  assert.equal(format.byName('peak_queue_bytes', 2048), '2 KiB');
  assert.equal(format.byName('jobs.a.jct_seconds', 0.5), '500 ms');
  assert.equal(format.byName('fct_seconds.p99', 0.5), '500 ms');
  assert.equal(format.byName('ecn_marks', 1234), '1,234');
});

test('bandwidths are those of nccl-tests', () => {
  assert.equal(format.byName('busbw_bytes_per_second', 3.71e11), '371.00 GB/s');
  assert.equal(format.words('busbw_bytes_per_second'), 'busbw');
  assert.equal(format.words('critical_path.launch'), 'critical path launch');
  assert.equal(format.words('slowdown.p999'), 'slowdown p99.9');
  assert.deepEqual(['p50', 'p999', 'p9999', 'max'].map(format.percentile), ['p50', 'p99.9', 'p99.99', 'max']);
});

test('what stands beside each other is told apart', () => {
  assert.deepEqual(format.apart([4.3344e-4, 4.3345e-4], format.time), ['433.44 us', '433.45 us']);
  assert.deepEqual(format.apart([1e-3, 1e-3, 2e-3], format.time), ['1 ms', '1 ms', '2 ms']);
  assert.equal(format.time(4.3344e-4), '433.4 us');
  // Even steps look even, and times within a few microseconds differ.
  assert.deepEqual(format.apart([0.015225, 0.01525, 0.015275, 0.0153], format.time), ['15.225 ms', '15.25 ms', '15.275 ms', '15.3 ms']);
  assert.deepEqual(format.apart([0.089651, 0.089652, 0.089653], format.timeOnAxis), ['89.651 ms', '89.652 ms', '89.653 ms']);
  assert.deepEqual(format.apart([0, 0.5, 1], format.timeOnAxis), ['0', '500 ms', '1 s']);
  assert.equal(format.counted(1, 'point has', 'points have'), '1 point has');
});
