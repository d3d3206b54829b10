import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as format from '../src/format.js';

test('times have four digits in the unit that suits', () => {
  assert.equal(format.time(0.00068826408), '688.3 us');
  assert.equal(format.time(0.016203741934), '16.2 ms');
  assert.equal(format.time(-3e-7), '-300 ns');
  assert.equal(format.time(0), '0 s');
  assert.equal(format.time(null), '–');
  assert.equal(format.time(5400), '1.5 h');
});

test('a value just below a unit is written in that unit', () => {
  assert.equal(format.time(0.99999999), '1 s');
});

test('bytes and rates are scaled as weft scales them', () => {
  assert.equal(format.bytes(1048576), '1 MiB');
  assert.equal(format.rate(4e11), '400 Gbps');
  assert.equal(format.percent(0.9607), '96.07 %');
});

test('the name of a column says its unit', () => {
  assert.equal(format.byName('paused_s', 0.001), '1 ms');
  assert.equal(format.byName('peak_queue_bytes', 2048), '2 KiB');
  assert.equal(format.byName('jobs.a.jct_seconds', 0.5), '500 ms');
  assert.equal(format.byName('fct_seconds.p99', 0.5), '500 ms');
  assert.equal(format.byName('ecn_marks', 1234), '1,234');
});

test('bandwidths are those of nccl-tests', () => {
  assert.equal(format.byName('busbw_bytes_per_second', 3.71e11), '371 GB/s');
  assert.equal(format.words('busbw_bytes_per_second'), 'busbw');
  assert.equal(format.words('critical_path.launch'), 'critical path launch');
});

test('what stands beside each other is told apart', () => {
  assert.deepEqual(format.apart([4.3344e-4, 4.3345e-4], format.time), ['433.44 us', '433.45 us']);
  assert.deepEqual(format.apart([1e-3, 1e-3, 2e-3], format.time), ['1 ms', '1 ms', '2 ms']);
  assert.equal(format.time(4.3344e-4), '433.4 us');
  assert.equal(format.counted(1, 'point has', 'points have'), '1 point has');
});
