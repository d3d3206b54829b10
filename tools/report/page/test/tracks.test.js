import { test } from 'node:test';
import assert from 'node:assert/strict';
import { unpack, firstFrom, sliceAt, pieces, search, extent } from '../src/tracks.js';

const data = (slices, name = 'steps') => ({ names: ['send', 'receive'], tracks: [{ process: 'p', name, slices }] });

test('begins are sums of differences', () => {
  const [track] = unpack(data([10, 5, 0, 1, 10, 5, 1, 3]));
  assert.deepEqual([...track.begins], [10, 20]);
  assert.deepEqual([...track.ends], [15, 25]);
  assert.equal(firstFrom(track, 11), 1);
  assert.deepEqual(extent([track]), [10, 25]);
});

test('the innermost slice at a time is found, and gaps have none', () => {
  const [track] = unpack(data([0, 100, 0, 1, 40, 10, 1, 1, 160, 10, 0, 1]));
  assert.equal(sliceAt(track, 45), 1);
  assert.equal(sliceAt(track, 60), 0);
  assert.equal(sliceAt(track, 150), -1);
  assert.equal(sliceAt(track, 205), 2);
});

test('a million slices are at most two pieces per pixel', () => {
  const slices = [];
  for (let i = 0; i < 100_000; ++i) slices.push(10, 9, 0, 1);
  const [track] = unpack(data(slices));
  let count = 0;
  pieces(track, 0, 1_000_000, 800, () => { ++count; });
  assert.ok(count <= 1600 && count >= 800, `${count}`);
});

test('slices that begin before the window are painted', () => {
  const [track] = unpack(data([0, 1000, 0, 1]));
  const seen = [];
  pieces(track, 400, 600, 100, (x, width, i) => seen.push([x, width, i]));
  assert.deepEqual(seen, [[0, 100, 0]]);
});

test('search finds names in any case, by time', () => {
  const tracks = unpack({ names: ['Send 1', 'receive'], tracks: [{ process: 'b', name: 'x', slices: [5, 1, 0, 1] }, { process: 'a', name: 'x', slices: [9, 1, 0, 1, 1, 1, 1, 1] }] });
  const { found, count } = search(tracks, ['Send 1', 'receive'], 'sEND');
  assert.equal(count, 2);
  assert.deepEqual(found.map(([t, i]) => t.begins[i]), [5, 9]);
});

test('the critical path stands first', () => {
  const tracks = unpack({ names: ['a'], tracks: [{ process: 'a', name: 'steps', slices: [0, 1, 0, 1] }, { process: 'z', name: 'critical path', slices: [0, 1, 0, 1] }] });
  assert.ok(tracks[0].isCritical);
});
