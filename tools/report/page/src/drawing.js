// What the pictures of fabrics have in common: boxes and lines of a drawing that the layout has placed.

import { svg } from './dom.js';
import { wordsOf } from './pan_zoom.js';

/** The attributes of a line: its curve, as Graphviz has bent it. */
export function curveOf({ curve: [a, b, c, d, e, f, g, h] }) {
  return { d: `M${a} ${b}C${c} ${d} ${e} ${f} ${g} ${h}`, fill: 'none' };
}

/** A box with its words; of nodes, a click or Enter calls `act`. */
export function boxOf(box, act) {
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
  group.append(...wordsOf(box));
  if (box.title) group.append(svg('title', {}, box.title));
  return group;
}
