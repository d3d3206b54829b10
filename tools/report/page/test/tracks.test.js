import { test } from 'node:test';
import assert from 'node:assert/strict';
import { unpack, firstFrom, fill, lift, pieces, search, extent } from '../src/tracks.js';

const data = (slices, name = 'steps') => ({ names: ['send', 'receive'], tracks: [{ process: 'p', name, slices }] });

test('begins are sums of differences', () => {
  const [track] = unpack(data([10, 5, 0, 1, 10, 5, 1, 3]));
  assert.deepEqual([...track.begins], [10, 20]);
  assert.deepEqual([...track.ends], [15, 25]);
  assert.equal(firstFrom(track, 11), 1);
  assert.deepEqual(extent([track]), [10, 25]);
});

/** What is seen of slices between two times on `parts` parts. */
function seen(track, from, to, parts) {
  const cells = new Uint32Array(parts);
  fill(cells, track, from, to, 1);
  const list = [];
  pieces(cells, (begin, count, i) => list.push([begin, count, i]));
  return list;
}

test('of slices in each other the innermost is seen, and gaps are gaps', () => {
  const [track] = unpack(data([0, 100, 0, 1, 40, 10, 1, 1, 160, 10, 0, 1]));
  assert.deepEqual(seen(track, 0, 300, 300), [[0, 40, 0], [40, 10, 1], [50, 50, 0], [200, 10, 2]]);
});

test('slices that begin before the window are seen', () => {
  const [track] = unpack(data([0, 1000, 0, 1]));
  assert.deepEqual(seen(track, 400, 600, 100), [[0, 100, 0]]);
});

test('a long slice is seen whole behind a short one in the same part', () => {
  const [track] = unpack(data([0, 1, 0, 1, 1, 999, 1, 1]));
  assert.deepEqual(seen(track, 0, 1000, 10), [[0, 10, 1]]);
});

// A hundred windows of any width: of each name as many parts as its slices are long, within a part for each piece.
test('of each name as much is seen as its slices are long, at every zoom', () => {
  let state = 1;
  const random = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
  const slices = [];
  for (let i = 0; i < 20_000; ++i) slices.push(1 + Math.floor(random() ** 8 * 3000), Math.floor(random() ** 8 * 3000), random() < 0.5 ? 0 : 1, 1);
  for (let i = 4; i < slices.length; i += 4) slices[i] += slices[i - 3]; // none in another
  const [track] = unpack(data(slices));
  const end = track.ends.at(-1);
  for (let k = 0; k < 100; ++k) {
    const width = end * 0.5 ** (k % 10);
    const from = random() * (end - width);
    const parts = [0, 0];
    const count = 14_000;
    for (const [, length, i] of seen(track, from, from + width, count)) parts[track.names[i]] += length / count;
    const wanted = [0, 0];
    track.begins.forEach((begin, i) => { wanted[track.names[i]] += Math.max(0, Math.min(from + width, track.ends[i]) - Math.max(from, begin)) / width; });
    parts.forEach((share, name) => assert.ok(Math.abs(share - wanted[name]) < 0.01, `${width}: ${share}, ${wanted[name]}`));
  }
});

test('slices that are alone and shorter than a part are shown, but of many only a few', () => {
  const few = unpack(data([55, 1, 0, 1]))[0];
  assert.deepEqual(seen(few, 0, 100_000, 1000), [[0, 1, 0]]);
  const many = unpack(data(new Array(500).fill([200, 1, 0, 1]).flat()))[0];
  const shown = seen(many, 0, 100_000, 1000).length;
  assert.ok(shown > 0 && shown < 20, `${shown}`);
});

test('what is searched for is a pixel wide at least', () => {
  const [track] = unpack(data([0, 10, 0, 1, 355, 1, 1, 1]));
  const cells = new Uint32Array(20 * 7);
  fill(cells, track, 0, 2000, 7);
  lift(cells, 7, track, 0, 2000, (i) => track.names[i] === 1);
  assert.deepEqual([...cells.subarray(0, 7)], [1, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual([...cells.subarray(14, 28)], [0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2]);
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
