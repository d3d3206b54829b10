import { test } from 'node:test';
import assert from 'node:assert/strict';
import { faultsAt, faultsOf } from '../src/faults.js';
import { markFaults } from '../src/timeline_paint.js';

const SCENARIO = `name: a
faults:
  - type: link-down
    at: 700us
    until: forever                    # default: it stays
    from: h3
    to: p5-leaf0
  - type: link-rate
    at: 0ps                           # default: the start of the run
    until: forever                    # default: it stays
    from: h1
  - type: nic-pause
    at: 0ps                           # default: the start of the run
    until: 0.2ms
    host: h0
  - type: switch-down
    at: 300us
    until: 1200us
    switch: spine3
run:
  warmup: 0ps
`;

test('faults that begin or end within a run are marked; what is there all the time is none', () => {
  const faults = faultsOf({ scenario: SCENARIO });
  assert.deepEqual(faults.map(({ text, to }) => [text, to]), [['link-down h3 to p5-leaf0', null], ['nic-pause h0', 0.2e-3], ['switch-down spine3', 1200e-6]]);
  assert.deepEqual(faults.map(({ from }) => Math.round(from * 1e6)), [700, 0, 300]);
  assert.equal(faultsAt(faults, 1e-4), 'nic-pause h0');
  assert.equal(faultsAt(faults, 0.8e-3), 'link-down h3 to p5-leaf0, switch-down spine3');
  assert.equal(faultsAt(faults, 0.25e-3), '');
  assert.equal(faultsAt([{ from: 1, to: 2, text: 'a' }], 2), 'a', 'its mark ends there');
  assert.deepEqual(faultsOf({ scenario: 'name: a' }), []);
  assert.deepEqual(faultsOf({}), []);
});

test('marks stay within what is shown, and are seen however short', () => {
  const shown = [];
  markFaults(faultsOf({ scenario: SCENARIO }), [0.5e-3, 1e-3], (t) => 1000 * Math.round(t * 1e6), (x, width, fault) => shown.push([fault.text.split(' ')[0], x / 1000, width / 1000]));
  assert.deepEqual(shown, [['link-down', 700, 300], ['switch-down', 500, 500]]);
  markFaults([{ from: 1, to: 1.0001 }], [0, 2], (t) => t, (x, width) => shown.push(width));
  assert.equal(shown.at(-1), 2);
});
