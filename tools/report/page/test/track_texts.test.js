import { test } from 'node:test';
import assert from 'node:assert/strict';
import { unpack, nearestColumn, shortIn } from '../src/tracks.js';
import { fitting, fromTo, groupText, namesOf, slicesText } from '../src/track_texts.js';
import { legendOf, ofCause, ofSlice } from '../src/colour.js';

const NAMES = ['receive from 3', 'send to 4', 'queueing\tother\tleaf0[0]->h0'];
// Begin less the one before, length, name, count; nanoseconds.
const [track] = unpack({ names: NAMES, tracks: [{ process: 'gpt rank 3 (gpu3)', name: 'steps', slices: [12_351_200, 3_200, 0, 1, 3_400, 800, 1, 1, 1_000, 500, 0, 7, 1_000, 500, 1, 1, 600, 300, 2, 1] }] });

test('a tip of a few microseconds late in a run has the digits that tell its ends apart', () => {
  assert.equal(slicesText(NAMES, [[track, 0]]), 'receive from 3 of gpt rank 3 (gpu3), steps: from 12.3512 ms to 12.3544 ms, 3.2 us long');
  assert.equal(fromTo(0, 5e6), 'from 0 ps to 5 ms');
});

test('a tip says what else lies at its pixel, the culprit, and of how many slices it is', () => {
  const all = [4, 0, 1, 2, 3].map((i) => [track, i]);
  const text = slicesText(NAMES, all);
  assert.match(text, /^queueing of .*, 300 ns long; through other; at leaf0\[0\]->h0; at the same pixel: receive from 3 \(3\.2 us\), send to 4 \(800 ns\), receive from 3 \(500 ns\) and 1 more; W zooms in$/);
  assert.match(slicesText(NAMES, [[track, 2]]), /^7 short slices, such as receive from 3 of .* 500 ns long together$/);
});

test('a group is named once', () => {
  const rank = { kind: 'rank', title: 'rank 0 (gpu0)', blamed: 0, children: [] };
  assert.match(groupText(rank, true), /^rank 0 \(gpu0\): 1 rank; a click closes it$/);
  assert.match(groupText({ kind: 'host', title: 'hosts gpu0 to gpu7', blamed: 5e-4, children: [rank, rank] }, false), /^hosts gpu0 to gpu7: 2 ranks; to blame for 500 us of its job; closed, it shows/);
  assert.match(groupText({ kind: 'job', title: 'gpt', blamed: 0, children: [] }, false), /^job gpt: 0 ranks/);
});

test('names of folded hosts are shortened before they are cut', () => {
  assert.deepEqual(namesOf({ kind: 'host', title: 'hosts gpu16 to gpu23' }), ['hosts gpu16 to gpu23', 'gpu16 to gpu23', 'gpu16 to 23', 'gpu16–23']);
  assert.deepEqual(namesOf({ kind: 'host', title: 'hosts a1 to b2' }), ['hosts a1 to b2', 'a1 to b2']);
  assert.deepEqual(namesOf({ kind: 'host', title: 'hosts x1 to x' }), ['hosts x1 to x', 'x1 to x']);
  assert.deepEqual(namesOf({ kind: 'host', title: 'host h3' }), ['host h3', 'h3']);
  assert.deepEqual(namesOf({ kind: 'rank', title: 'rank 19 (gpu19)' }), ['rank 19 (gpu19)', 'rank 19']);
  assert.deepEqual(namesOf({ kind: 'track', title: 'steps (a)' }), ['steps (a)']);
  const fit = (names, room) => fitting(names, room, (text) => text.length);
  assert.equal(fit(['hosts gpu16 to gpu23', 'gpu16 to gpu23', 'gpu16 to 23'], 14), 'gpu16 to gpu23');
  assert.equal(fit(['hosts gpu16 to gpu23', 'gpu16 to gpu23', 'gpu16 to 23'], 11), 'gpu16 to 23');
  assert.equal(fit(['critical path'], 9), 'crit…path', 'both ends tell names apart');
  assert.equal(fit(['critical path'], 13), 'critical path');
  assert.equal(fit(['abc'], 0), '…');
  assert.equal(fitting(['abc'], 2, (text) => text.replace('…', '').length), 'a…c', 'as much as there is room for');
});

test('slices that are thinner than a hand is steady can be pointed at', () => {
  // Four columns of two parts; only the second has a slice.
  const cells = Uint32Array.from([0, 0, 0, 5, 0, 0, 0, 0]);
  assert.deepEqual([0, 1, 2, 3].map((column) => nearestColumn(cells, 2, column, 1)), [1, 1, 1, null]);
  assert.equal(nearestColumn(cells, 2, 9, 2), 1, 'beyond the edge is at the edge');
  assert.equal(nearestColumn(Uint32Array.from([1, 0, 0, 0, 2, 0]), 2, 1, 4), 0, 'of two as near the one before');
  assert.deepEqual(shortIn(track, 12_351_000, 12_356_200, 1_000), [1, 2]);
  assert.deepEqual(shortIn(track, 12_355_000, 12_355_100, 1_000), [1], 'one that begins before and ends behind');
  assert.deepEqual(shortIn(track, 12_355_400, 12_355_600, 1_000), [], 'ends count no more, begins not yet');
});

test('the legend lists what the data have, causes first, and each colour once', () => {
  assert.deepEqual(legendOf([], ['receive from 3', 'receive from 4', 'iteration 1']).map(([title]) => title), ['iterations, jobs', 'receiving, waiting']);
  assert.deepEqual(legendOf(['compute', 'queueing', 'compute'], ['forward 0', 'backward 0', 'unknown 3', 'unknown 4']), [
    ['compute', ofCause('compute')], ['queueing', ofCause('queueing')], ['backward', ofSlice('backward 0', false)], ['unknown', ofSlice('unknown 3', false)]]);
});
