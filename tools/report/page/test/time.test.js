import { test } from 'node:test';
import assert from 'node:assert/strict';
import { isWhole, momentOf, onTime, pointAt, rangeOf, recordedOf, setRecorded, setWhole, showRange, stepAt, stepOf } from '../src/time_range.js';
import { addressOf, parseAddress } from '../src/history.js';
import { columnsOf, lastFrom, portsOverTime, stepped, valueAt, valuesOfPort } from '../src/moments.js';
import { markOf, nodeOf, wrongMetric } from '../src/wrong.js';

test('a range stays within the run, and everybody but who chose it hears of it', () => {
  setWhole(7, 0, 10);
  const heard = [];
  for (const who of ['a', 'b']) onTime(7, who, ({ range, moment }) => heard.push([who, ...range, moment]));
  showRange(7, 8, 12, 'a');
  assert.deepEqual(heard, [['b', 6, 10, null]]);
  pointAt(7, 9, 'b');
  assert.deepEqual(heard.at(-1), ['a', 6, 10, 9]);
  assert.equal(momentOf(7), 9);
  showRange(7, 6, 10, 'a');
  assert.equal(heard.length, 2, 'what is the same is no news');
  showRange(7, -Infinity, Infinity, 'b');
  assert.ok(isWhole(7));
});

test('a run that turns out to be longer is shown as a whole still', () => {
  setWhole(8, 0, 1);
  setWhole(8, 0, 2);
  assert.deepEqual(rangeOf(8), [0, 2]);
});

test('an address says where one is, and comes back as it was', () => {
  const step = {
    section: 'fabric',
    topic: 'port',
    about: { run: 1, name: 'a[0]->b&c', ports: [1, 2] },
    time: { from: 1.5e-3, to: 2e-3 },
  };
  const hash = addressOf(step);
  assert.match(hash, /^#fabric\?topic=port&run=1&name=a%5B0%5D-%3Eb%26c&from=0.0015&to=0.002$/);
  assert.deepEqual(parseAddress(hash), {
    section: 'fabric',
    topic: 'port',
    about: { run: 1, name: 'a[0]->b&c' },
    time: { from: 1.5e-3, to: 2e-3 },
  });
  assert.deepEqual(parseAddress('#blame-title'), { section: 'blame', topic: undefined, about: {}, time: {} });
  assert.equal(parseAddress('#<script>'), null);
});

const MOMENTS = {
  count: 4,
  most: 8,
  shades: 250,
  ports: ['a->b', 'c->d'],
  values: [
    [250, 1, 0, 3],
    [125, 4],
  ],
};

test('ports over time add classes where all are known, and are moments else', () => {
  assert.deepEqual(valuesOfPort(MOMENTS, 0), [8, 0, 0, 0]);
  const series = [
    { name: 'a->b x', values: [1, 2] },
    { name: 'a->b y', values: [3, 0] },
    { name: 'c->d x', values: [0, 0] },
  ];
  assert.deepEqual(
    portsOverTime({ moments: MOMENTS, series, left_out: 0 }).map((p) => [p.name, p.values]),
    [['a->b', [4, 2]]],
  );
  assert.deepEqual(
    portsOverTime({ moments: MOMENTS, series, left_out: 5 }).map((p) => [p.name, p.values]),
    [
      ['c->d', [4, 4, 4, 4]],
      ['a->b', [8, 0, 0, 0]],
    ],
  );
});

test('columns have the greatest value of what they cover, at every zoom', () => {
  const values = [0, 5, 1, 0, 0, 0, 0, 9];
  assert.deepEqual([...columnsOf(values, [0, 8], [0, 8], 4)], [5, 1, 0, 9]);
  assert.deepEqual([...columnsOf(values, [0, 8], [1, 2], 3)], [5, 5, 5]);
  assert.deepEqual([...columnsOf(values, [0, 8], [6, 8], 2)], [0, 9]);
});

// A curve, the strip, and the fabric have the same steps: what they say of a moment is one value.
test('a moment has one value, wherever it is pointed at', () => {
  const [values, end] = [[0, 5, 1, 9], 8];
  const [begins, ...curves] = stepped([0, 2, 4, 6, end], [values]);
  assert.deepEqual([begins, curves], [[0, 2, 4, 6, 8], [[0, 5, 1, 9, 9]]]);
  assert.deepEqual(stepped([0, 2], [[4, 5]]), [[0, 2], [4, 5]], 'values that are known at all borders');
  for (const [moment, value] of [[0, 0], [1.99, 0], [2, 5], [3.9, 5], [5, 1], [6, 9], [7.99, 9], [8, 9]]) {
    assert.equal(valueAt(values, [0, end], moment), value, `the strip at ${moment}`);
    assert.equal(curves[0][lastFrom(begins, moment)], value, `a curve at ${moment}`);
  }
  assert.deepEqual([valueAt(values, [0, end], -0.1), valueAt(values, [0, end], 8.1)], [null, null], 'nothing was recorded there');
  // Borders of steps are products, and moments come from pixels.
  for (let i = 0; i < 800; ++i) assert.equal(stepAt([0, 800 * 4.7e-5], 800, i * 4.7e-5), i);
  assert.equal(lastFrom([0, 0.1, 0.2, 0.30000000000000004], 0.3), 3);
});

test('what was recorded ends with the run, though a timeline reaches further', () => {
  setRecorded(9, 4);
  setWhole(9, -1, 6);
  assert.deepEqual([recordedOf(9), rangeOf(9)], [[0, 4], [-1, 6]]);
  assert.deepEqual([...columnsOf([3, 1], recordedOf(9), rangeOf(9), 7)], [0, 3, 3, 1, 1, 0, 0]);
});

test('a part that is drawn again listens once', () => {
  let heard = 0;
  setWhole(10, 0, 1);
  for (let i = 0; i < 3; ++i) onTime(10, 'curve', () => { heard += 1; });
  pointAt(10, 0.5, 'strip');
  assert.equal(heard, 1);
});

const job = { name: 'j', jct_seconds: 3, ideal_seconds: 1 };
const sick = (cause, who, port = '', columns = {}) => ({
  summary: { jobs: [job] },
  ports: { names: ['h0->leaf0[0]', 'leaf0[0]->h0'], columns },
  blame: [{ job: 'j', seconds: 3, causes: [cause], rows: [[cause, 'x', who, port, 2.5]] }],
});

test('the fabric begins with what is wrong in the run', () => {
  const options = ['utilisation', 'paused_s', 'blame_s', 'drops'].map((name) => [name, name]);
  assert.equal(wrongMetric(sick('pause', 'NIC of h0'), options), 'paused_s');
  assert.equal(wrongMetric(sick('queueing', 'other'), [...options, ['peak_queue_bytes', '']]), 'peak_queue_bytes');
  assert.equal(wrongMetric(sick('window', 'rank 1 (h1)'), options), 'blame_s');
  assert.equal(wrongMetric(sick('pause', 'NIC of h0', '', { buffer_drops: [0, 3] }), options), 'drops');
  assert.equal(wrongMetric(sick('pause', 'NIC of h0'), [...options, ['error_drops', '']]), 'paused_s', 'nothing was lost to errors');
  assert.equal(wrongMetric(sick('pause', 'NIC of h0', '', { error_drops: [0, 1] }), [...options, ['error_drops', '']]), 'error_drops');
  assert.equal(wrongMetric({ ...sick('pause', 'x'), blame: undefined }, [['utilisation', '']]), 'utilisation');
});

test('who is to blame is marked where it stands', () => {
  assert.deepEqual(['NIC of h0', 'rank 16 (h16)', 'rank 8 -> rank 9 (h39 -> h40)', 'other'].map(nodeOf), [
    'h0',
    'h16',
    'h39',
    '',
  ]);
  assert.deepEqual(markOf(sick('pause', 'NIC of h0')), { node: 'h0', text: 'culprit: NIC of h0' });
  assert.equal(markOf(sick('queueing', 'other', 'leaf0[0]->h0')).port, 'leaf0[0]->h0');
  assert.equal(markOf(sick('queueing', 'other', 'gone->away')), null);
  assert.equal(markOf({ ...sick('pause', 'NIC of h0'), summary: { jobs: [{ ...job, jct_seconds: 1 }] } }), null);
});

test('an axis has a line per 90 pixels at most, at 1, 2 or 5 of a decade', () => {
  assert.equal(stepOf([0, 100], 900), 10);
  assert.equal(stepOf([0, 100], 450), 20);
  assert.equal(stepOf([0, 100], 200), 50);
  assert.equal(stepOf([0, 4e6], 400), 1e6);
});
