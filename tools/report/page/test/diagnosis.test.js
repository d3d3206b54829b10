import { test } from 'node:test';
import assert from 'node:assert/strict';
import { answerDiagnosis, curvesOf, matrixOf } from '../src/answer_diagnosis.js';

const row = (more) => ({ curve: 'all-reduce of 16 ranks', bytes: 1 << 20, measured_us: 20, expected_us: 10, measured_busbw: 5, expected_busbw: 10, band: 0.3, verdict: 'slower', ...more });
const none = { verdict: 'slower', culprits: [], undecided: [], nothing_explains_it: false, next_measurement: null, compared: [row()] };
const nic = { kind: 'slow-nic', place: ['a/nic0'], value: 0.5, explained: 0.9, confidence: 1, why: 'a slow port', packets_off: null };

const sentence = (more) => answerDiagnosis({ ...none, ...more }).sentence;

test('a culprit is said with what it still carries and what it explains', () => {
  assert.equal(sentence({ culprits: [nic] }), '`a/nic0` carries 50 % of its rate; it explains 90 % of what is slower than expected');
  assert.equal(sentence({ culprits: [{ ...nic, kind: 'all-nics', place: [] }] }), 'the NICs of all servers carry 50 % of their rate; it explains 90 % of what is slower than expected');
  assert.equal(sentence({ culprits: [{ ...nic, kind: 'straggler', value: 40 }] }), '`a/nic0` takes 40 us longer in every call; it explains 90 % of what is slower than expected');
  assert.equal(sentence({ culprits: [{ ...nic, kind: 'log', value: null, explained: 0, why: 'NCCL used sockets' }] }), '`a/nic0`: NCCL used sockets');
  const five = { ...nic, place: ['a', 'b', 'c', 'd', 'e'] };
  assert.equal(sentence({ culprits: [five] }), 'one of `a`, `b`, `c` or 2 others carries 50 % of its rate; it explains 90 % of what is slower than expected');
});

test('a NIC is said with its server, where its name hides it', () => {
  const hidden = { ...nic, place: ['gpu21'], whereabouts: ['NIC 5 of server2'] };
  assert.match(sentence({ culprits: [hidden] }), /^`gpu21` \(NIC 5 of server2\) carries 50 % of its rate; /);
  assert.match(sentence({ culprits: [{ ...nic, whereabouts: [''] }] }), /^`a\/nic0` carries /);
});

test('what cannot be told apart is listed', () => {
  const both = { undecided: [nic, { ...nic, kind: 'collisions', place: [] }], next_measurement: 'run pairs' };
  assert.match(sentence(both), /up to 2 times, and these measurements cannot tell 2 causes apart: slow-nic, collisions$/);
});

test('without a cause the verdict is said', () => {
  assert.match(sentence({ nothing_explains_it: true }), /^slower than expected, up to 2 times, and no single change/);
  assert.match(sentence({ verdict: 'faster than the wire allows' }), /of another machine$/);
  assert.match(sentence({ verdict: 'not comparable', compared: [] }), /^nothing that was measured/);
  const healthy = { verdict: 'as expected', compared: [row({ verdict: 'as expected' }), row({ pair: ['a', 'b'] })] };
  assert.equal(sentence(healthy), "as expected: 1 size and 1 pair within what weft's own error allows");
});

test('rows beyond their band that are no finding are not hidden by the verdict', () => {
  const alone = { verdict: 'as expected', compared: [row({ verdict: 'as expected' }), row({ verdict: 'beyond its band, not counted' })] };
  assert.equal(sentence(alone), 'as expected but for 1 size, which is taken for noise: 2 sizes were compared');
});

// The largest size is what engineers quote; pairs have none where sizes were measured.
test('figures are of the worst row and of the largest size', () => {
  const compared = [row({ measured_us: 30 }), row({ bytes: 1 << 30, measured_busbw: 150, expected_busbw: 300 }), row({ pair: ['a', 'b'], bytes: 1 << 31 })];
  assert.deepEqual(answerDiagnosis({ ...none, compared, culprits: [nic] }).figures, [
    ['times the expected time, at worst', '3'],
    ['bus bandwidth measured, 1 GiB', '150.00 GB/s'],
    ['expected, 1 GiB', '300.00 GB/s'],
    ['of the difference explained', '90 %'],
  ]);
});

test('a matrix has its servers in natural order, and of two measurements of a pair the slower', () => {
  const rows = [row({ pair: ['n10', 'n2'], measured_us: 11 }), row({ pair: ['n10', 'n2'], measured_us: 13 }), row({ pair: ['n2', 'n1'] })];
  const [curve] = curvesOf(rows);
  assert.equal(curve.isMatrix, true);
  const { names, cells } = matrixOf(curve);
  assert.deepEqual(names, ['n1', 'n2', 'n10']);
  assert.equal(cells[2][1].measured_us, 13);
  assert.equal(cells[1][0], rows[2]);
  assert.equal(cells[0][1], null);
});
