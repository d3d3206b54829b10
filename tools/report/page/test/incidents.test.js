import { test } from 'node:test';
import assert from 'node:assert/strict';
import { endText, incidentsText, noticedText, placeOf, slower } from '../src/incidents.js';
import { idleText, planeOf, planesOf, planesText, sharesOf } from '../src/planes.js';
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

test('what incidents cost is said of all of them', () => {
  const [one, other] = [{ lost_packets: 1200, lost_bytes: 5e6, slower_seconds: 2e-3 }, { lost_packets: 34, lost_bytes: 9, slower_seconds: -1e-3 }];
  assert.match(incidentsText([one, other]), /^2 incidents; 1,234 packets lost; iterations slower by up to 2 ms\. /);
  assert.match(incidentsText([{ ...other, lost_packets: 0 }], 1000), /^1,001 incidents; nothing lost\. An iteration/);
  assert.deepEqual([one, other, {}].map(slower), [2e-3, null, null], 'one that was faster was not slower');
});

test('planes share what came to hosts', () => {
  const list = [{ bytes: 30, idle: [] }, { bytes: 50, idle: ['h1', 'h2', 'h3', 'h4'] }, { bytes: 20, idle: ['h1', 'h2', 'h3', 'h4', 'h5'] }, { bytes: 0, idle: ['h7'] }];
  assert.deepEqual(sharesOf(list), [0.3, 0.5, 0.2, 0]);
  assert.equal(planesText(list.slice(0, 3)), 'Of what came to hosts, each plane carried 20.0 % to 50.0 %; an even share is 33.3 %.');
  assert.deepEqual(list.map(idleText), ['–', 'h1, h2, h3, h4', '5', 'h7']);
  assert.deepEqual(sharesOf([{ bytes: 0 }]), [0], 'nothing came');
});

test('whatever drops a packet counts for its plane', () => {
  const names = ['p0-leaf0[0]->h0', 'p1-leaf0[0]->h0'];
  for (const key of ['buffer_drops', 'ttl_drops', 'fault_drops', 'error_drops', 'wred_drops', 'watchdog_drops']) {
    const found = planesOf({ scenario: 'fabric:\n  planes: 2', ports: { names, columns: { bytes: [1, 1], [key]: [0, 3] } } });
    assert.deepEqual(found.map((one) => one.drops), [0, 3], key);
  }
});
