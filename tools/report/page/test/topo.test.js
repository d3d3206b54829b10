import { test } from 'node:test';
import assert from 'node:assert/strict';
import { findNode, neighboursOf } from '../src/topo.js';
import { roomsOf, shorten } from '../src/pan_zoom.js';
import { isNameOfFrame, stretched } from '../src/drawing.js';

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
  assert.deepEqual([a, b, c, d], [40, 40, 160, 231]);
  assert.equal(Math.round(roomsOf([word(20, 0)], [0, 1000])[0].room / 0.92), 42);
});

// A frame of several racks has a name of its own, which no want of room may take away: `4 x` at a line says less.
test('names of frames are told from what stands at lines', () => {
  const frame = { x: 10, y: 10, w: 100, h: 50, text: [], title: '28 racks: 7 to 34', frame: true };
  const name = { x: 20, y: 48, w: 80, h: 10, text: ['28 racks: 7 to 34'] };
  const of = (box, frames = [frame]) => isNameOfFrame({ boxes: [...frames, box] }, box);
  assert.ok(of(name));
  assert.ok(!of({ ...name, text: ['4 x'] }));
  assert.ok(!of({ ...name, x: 300 }), 'the same words elsewhere');
  assert.ok(!of({ ...name, nodes: 28 }));
  assert.ok(!of(name, []));
});

test('a name that is too long for its frame is as short as can be read', () => {
  const word = { text: '28 racks: 7 to 34', short: '28 racks', font: 10, room: 120, width: 1, node: {} };
  const at = (scale) => (shorten(word, scale), [word.node.textContent, Math.round(word.width)]);
  assert.deepEqual(at(1.8), ['28 racks: 7 to 34', 99]);
  assert.deepEqual(at(2.2), ['28 racks', 46]);
  assert.deepEqual(at(1.8), ['28 racks: 7 to 34', 99], 'whole again where it fits');
});

// 3,200 by 500 on 400 pixels are drawn 640 wide and would be 100 high: 300 is three times that. What is high stays.
test('tiers of a flat drawing lie further apart', () => {
  const flat = (height) => ({ width: 3200, height, boxes: [{ x: 1, y: 10, w: 5, h: 4 }], lines: [{ curve: [1, 2, 3, 4, 5, 6, 7, 8] }] });
  const drawn = stretched(flat(500), 400);
  assert.deepEqual([drawn.height, drawn.boxes[0]], [1500, { x: 1, y: 30, w: 5, h: 12 }]);
  assert.deepEqual(drawn.lines[0].curve, [1, 6, 3, 12, 5, 18, 7, 24]);
  assert.equal(stretched(flat(2000), 400).height, 2000);
  assert.equal(stretched(flat(100), 400).height, 300);
  assert.deepEqual(stretched({ reason: 'too large' }, 400), { reason: 'too large' });
});
