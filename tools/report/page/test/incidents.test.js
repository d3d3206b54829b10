import { test } from 'node:test';
import assert from 'node:assert/strict';
import { endText, noticedText, placeOf } from '../src/incidents.js';
import { planeOf, planesOf } from '../src/planes.js';
import { faultsOf } from '../src/faults.js';

const outage = { kind: 'flapping', place: 'leaf0 to spine3', begin_seconds: 0.02, end_seconds: 0.021, port_seconds: 0.02, watchdog_seconds: null, plane_seconds: null, sender_seconds: 0.025, routes_seconds: 0.0201 };

test('who noticed an incident is said in the order of time, from its begin on', () => {
  assert.equal(noticedText(outage), 'port at once, then routes after 100 us, then sender after 5 ms');
  assert.equal(noticedText({ begin_seconds: 1, port_seconds: null }), '');
  assert.deepEqual([outage, { kind: 'link-down', end_seconds: null }, { kind: 'no-route', end_seconds: null }].map(endText), ['21 ms', 'the end', '–']);
  assert.equal(placeOf(outage), 'flapping of leaf0 to spine3');
});

test('of a cable that flaps each outage is a mark over time', () => {
  const scenario = 'faults:\n  - type: flapping\n    from: leaf0\n    to: spine3\n    at: 20ms\n    until: 70ms';
  assert.deepEqual(faultsOf({ scenario, summary: { incidents: [outage, { kind: 'no-route', begin_seconds: 0.03 }] } }), [{ from: 0.02, to: 0.021, text: 'flapping leaf0 to spine3' }]);
  assert.deepEqual(faultsOf({ scenario, summary: {} }).map(({ from, to }) => [from, to]), [[0.02, 0.07]]);
});

test('planes have what their ports did, and hosts that got nothing of one', () => {
  assert.deepEqual(['h3->p5-leaf0[2]', 'p12-leaf0[1]->p12-spine1[0]', 'p0-leaf0[0]->h1', 'pod0-agg1[2]->core0[1]', 'leaf0[1]->h2'].map(planeOf), [5, 12, 0, null, null]);
  const ports = { names: ['p0-leaf0[0]->h0', 'h0->p0-leaf0[0]', 'p1-leaf0[0]->h0', 'p1-leaf0[1]->h1', 'h1->p1-leaf0[1]'],
    columns: { bytes: [30, 20, 10, 0, 9], utilisation: [0.5, 0.1, 0.2, 0, 0.9], trimmed: [1, 0, 0, 2, 0], fault_drops: [0, 0, 3, 4, 0] } };
  assert.deepEqual(planesOf({ scenario: 'fabric:\n  planes: 2', ports }), [
    { plane: 0, bytes: 30, busiest: 0.5, marks: 0, trimmed: 1, drops: 0, idle: [] },
    { plane: 1, bytes: 10, busiest: 0.9, marks: 0, trimmed: 2, drops: 7, idle: ['h1'] }]);
  assert.deepEqual(planesOf({ scenario: 'fabric:\n  planes: 1', ports }), [], 'names alone make no planes');
});
