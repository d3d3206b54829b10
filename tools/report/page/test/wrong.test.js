import { test } from 'node:test';
import assert from 'node:assert/strict';
import { wrongMetric } from '../src/wrong.js';

const OPTIONS = ['utilisation', 'blame_s', 'drops', 'trimmed', 'paused_s'].map((name) => [name, name]);
const run = (columns, rows) => ({ summary: { jobs: [{ name: 'a', jct_seconds: 2, ideal_seconds: 1 }] }, ports: { names: ['x'], columns },
  blame: rows && [{ job: 'a', seconds: 1, causes: rows.map(([c]) => c), rows: rows.map(([cause, seconds]) => [cause, 'port', 'x', 'x', seconds]), slow_links: [], advice: [] }] });

test('the fabric begins with drops of every kind', () => {
  for (const name of ['buffer_drops', 'fault_drops', 'wred_drops', 'watchdog_drops']) assert.equal(wrongMetric(run({ [name]: [3] }, [['pause', 1]]), OPTIONS), 'drops', name);
  assert.equal(wrongMetric(run({ watchdog_drops: [0] }, [['pause', 1]]), OPTIONS), 'paused_s');
});

test('where packets are sent again and none was dropped, the fabric begins with what was trimmed', () => {
  const options = OPTIONS.filter(([name]) => name !== 'drops');
  assert.equal(wrongMetric(run({ trimmed: [3] }, [['retransmission', 1]]), options), 'trimmed');
  assert.equal(wrongMetric(run({ trimmed: [3] }), options), 'trimmed');
  assert.equal(wrongMetric(run({ trimmed: [3] }, [['pause', 1]]), options), 'paused_s');
});
