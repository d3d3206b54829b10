// What the pictures of fabrics have in common: boxes and lines of a drawing that the layout has placed.

import { svg } from './dom.js';
import { wordsOf } from './pan_zoom.js';

/** The attributes of a line: its curve, as Graphviz has bent it. */
export function curveOf({ curve: [a, b, c, d, e, f, g, h] }) {
  return { d: `M${a} ${b}C${c} ${d} ${e} ${f} ${g} ${h}`, fill: 'none' };
}

/** Pixels: how wide a picture is on wide screens, a letter of a caption there, and what is around a picture. */
const [WIDE, LETTER, AROUND] = [960, 5.8, 8];

/** Pixels that a picture is high and wide at least; how often its own height it is made at most. */
const [LEAST_HEIGHT, LEAST_WIDTH, MOST_STRETCH] = [300, 640, 3];

/** A drawing whose tiers lie further apart where it would be flat: words then have room above each other. */
export function stretched(drawing, screen = document.documentElement.clientWidth) {
  if (!drawing?.boxes) return drawing;
  const wide = Math.max(LEAST_WIDTH, Math.min(WIDE, screen));
  const by = Math.max(1, Math.min(MOST_STRETCH, (LEAST_HEIGHT * drawing.width) / (wide * drawing.height)));
  return {
    ...drawing,
    height: by * drawing.height,
    boxes: drawing.boxes.map((box) => ({ ...box, y: by * box.y, h: by * box.h })),
    lines: drawing.lines.map((line) => ({ ...line, curve: line.curve.map((at, i) => (i % 2 ? by * at : at)) })),
  };
}

/** Captions of tiers stand left of all boxes. They end beside these, and grow to the left. */
const endOfCaptions = (drawing) =>
  Math.min(...drawing.boxes.filter((box) => box.nodes || box.frame).map((box) => box.x)) - 12;
const isCaption = (box, end) => !box.nodes && !box.frame && box.x + box.w <= end + 12;

/** What to show of a drawing, [x, y, width, height], so that its captions can be read on so wide a screen. */
export function viewOf(drawing, screen = document.documentElement.clientWidth) {
  const end = endOfCaptions(drawing);
  const letters = drawing.boxes.filter((box) => isCaption(box, end)).flatMap((box) => box.text.map((t) => t.length));
  const share = Math.min(0.24, (LETTER * Math.max(0, ...letters)) / Math.max(LEAST_WIDTH, Math.min(WIDE, screen)));
  const right = Math.ceil(drawing.width + AROUND);
  const left = Math.floor(Math.min(-AROUND, (end - share * right) / (1 - share)));
  return [left, -AROUND, right - left, drawing.height + 2 * AROUND];
}

/** Of a frame, such as `28 racks: 7 to 34`: what is in it has no other name. */
export const isNameOfFrame = (drawing, box) =>
  !box.nodes &&
  !box.frame &&
  drawing.boxes.some((o) => o.frame && o.title === box.text?.[0] && o.x <= box.x + box.w / 2 && box.x + box.w / 2 <= o.x + o.w && o.y <= box.y && box.y <= o.y + o.h);

/** The boxes of a drawing; a click on one with nodes calls `act` with its place. */
export function boxesOf(drawing, act) {
  const end = endOfCaptions(drawing);
  return drawing.boxes.map((box, i) => boxOf(box, () => act(i), isCaption(box, end) ? end : null, isNameOfFrame(drawing, box)));
}

/** A box with its words; of nodes, a click or Enter calls `act`. */
function boxOf(box, act, end, isName) {
  const isNode = box.nodes > 0;
  const group = svg(
    'g',
    isNode
      ? {
          class: 'node',
          tabindex: 0,
          role: 'button',
          'aria-label': box.title,
          onclick: act,
          onkeydown: (e) => {
            if (e.key === 'Enter') act();
          },
        }
      : { class: box.frame ? 'frame' : 'words' },
  );
  if (isNode || box.frame) group.append(svg('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 2 }));
  if (box.stack)
    group.append(
      svg('rect', { x: box.x - 3, y: box.y - 3, width: box.w + 6, height: box.h + 6, rx: 3, class: 'behind' }),
    );
  group.append(...wordsOf(box, end, isName));
  if (box.title) group.append(svg('title', {}, box.title));
  return group;
}
