// What the pictures of fabrics have in common: boxes and lines of a drawing that the layout has placed.

import { svg } from './dom.js';
import { wordsOf } from './pan_zoom.js';

/** The attributes of a line: its curve, as Graphviz has bent it. */
export function curveOf({ curve: [a, b, c, d, e, f, g, h] }) {
  return { d: `M${a} ${b}C${c} ${d} ${e} ${f} ${g} ${h}`, fill: 'none' };
}

/** Pixels: how wide a picture is on wide screens, a letter of a caption there, and what is around a picture. */
const [WIDE, LETTER, AROUND] = [960, 5.8, 8];

/** Captions of tiers stand left of all boxes. They end beside these, and grow to the left. */
const endOfCaptions = (drawing) =>
  Math.min(...drawing.boxes.filter((box) => box.nodes || box.frame).map((box) => box.x)) - 12;
const isCaption = (box, end) => !box.nodes && !box.frame && box.x + box.w <= end + 12;

/** What to show of a drawing, [x, y, width, height], so that its captions can be read on so wide a screen. */
export function viewOf(drawing, screen = document.documentElement.clientWidth) {
  const end = endOfCaptions(drawing);
  const letters = drawing.boxes.filter((box) => isCaption(box, end)).flatMap((box) => box.text.map((t) => t.length));
  const share = Math.min(0.24, (LETTER * Math.max(0, ...letters)) / Math.min(WIDE, screen));
  const right = Math.ceil(drawing.width + AROUND);
  const left = Math.floor(Math.min(-AROUND, (end - share * right) / (1 - share)));
  return [left, -AROUND, right - left, drawing.height + 2 * AROUND];
}

/** The boxes of a drawing; a click on one with nodes calls `act` with its place. */
export function boxesOf(drawing, act) {
  const end = endOfCaptions(drawing);
  return drawing.boxes.map((box, i) => boxOf(box, () => act(i), isCaption(box, end) ? end : null));
}

/** A box with its words; of nodes, a click or Enter calls `act`. */
function boxOf(box, act, end) {
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
  group.append(...wordsOf(box, end));
  if (box.title) group.append(svg('title', {}, box.title));
  return group;
}
