import { test } from 'node:test';
import assert from 'node:assert/strict';
import { findNode, neighboursOf } from '../src/topo.js';
import { roomsOf } from '../src/pan_zoom.js';

const drawing = {
  names: [[], ['spine0'], ['leaf0'], ['gpu1', 'gpu10', 'gpu11'], ['gpu10']],
  ends: [
    [2, 1],
    [3, 2],
  ],
};

test('a node is found by its whole name first, in the smallest box that has it', () => {
  assert.equal(findNode(drawing, 'GPU10'), 4);
  assert.equal(findNode(drawing, 'gpu1'), 3);
  assert.equal(findNode(drawing, 'leaf'), 2);
  assert.equal(findNode(drawing, 'nothing'), -1);
});

test('neighbours of a box are at the other ends of its lines', () => {
  assert.deepEqual(neighboursOf(drawing, 2), [
    { box: 1, line: 0 },
    { box: 3, line: 1 },
  ]);
  assert.deepEqual(neighboursOf(drawing, 4), []);
});

test('words have the room to their neighbours at the same height', () => {
  const word = (x, middle) => ({ x, middle, width: 50, n: 0, count: 1 });
  const [a, b, c, d] = roomsOf([word(100, 10), word(140, 10), word(300, 10), word(110, 90)], [0, 1000]).map((w) =>
    Math.round(w.room / 0.92),
  );
  assert.deepEqual([a, b, c, d], [40, 40, 160, 200]);
  assert.equal(Math.round(roomsOf([word(20, 0)], [0, 1000])[0].room / 0.92), 42);
});
