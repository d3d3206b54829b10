// A fabric alone, as `weft topo` draws it: a picture that zooms, and a panel that says what a box or a line is.

import { el, svg, section, replace, action } from './dom.js';
import { boxesOf, curveOf, stretched, viewOf } from './drawing.js';
import { PanZoom } from './pan_zoom.js';
import { table } from './table.js';
import * as format from './format.js';

const MOST_NAMES = 200;

/** Boxes at the other ends of the lines of a box: {box, line}. */
export function neighboursOf({ ends }, box) {
  return ends.flatMap(([a, b], line) => (a === box ? [{ box: b, line }] : b === box ? [{ box: a, line }] : []));
}

/** The smallest box that has a node whose name holds the words; of equal ones the first. */
export function findNode({ names }, words) {
  const wanted = words.toLowerCase();
  const fits = (name, isWhole) => (isWhole ? name.toLowerCase() === wanted : name.toLowerCase().includes(wanted));
  for (const isWhole of [true, false]) {
    const found = names
      .flatMap((list, box) => (list.some((name) => fits(name, isWhole)) ? [[list.length, box]] : []))
      .sort((a, b) => a[0] - b[0]);
    if (found.length) return found[0][1];
  }
  return -1;
}

/** Of a cell the box that lines meet. */
function boxWithLines(drawing, box) {
  if (neighboursOf(drawing, box).length || !drawing.names[box].length) return box;
  const [node] = drawing.names[box];
  const around = drawing.names.findIndex(
    (list, b) => b !== box && list.includes(node) && neighboursOf(drawing, b).length,
  );
  return around < 0 ? box : around;
}

/** `8 x 400 Gbps`: what a line says behind its ends, without findings. */
const linksText = (line) => line.title.split('; finding: ')[0].split(': ').at(-1);

const titleOf = (drawing, box) =>
  drawing.boxes[box].text?.length ? drawing.boxes[box].text.join(', ') : (drawing.boxes[box].title ?? '');

class TopoView {
  constructor(drawing) {
    this.drawing = drawing;
    this.panel = el(
      'aside',
      { class: 'panel side', 'aria-live': 'polite' },
      el('p', { class: 'hint' }, 'A click on a box or a line says what it is.'),
    );
    this.lines = drawing.lines.map((line, i) => {
      return svg(
        'path',
        {
          ...curveOf(line),
          stroke: line.marked ? '#e8590c' : line.slow ? '#a855d8' : 'var(--faint)',
          'stroke-dasharray': line.slow ? '6 4' : null,
          'stroke-width': Math.max(1, line.pen),
          class: 'cable',
          onclick: () => this.chooseLine(i),
        },
        svg('title', {}, line.title),
      );
    });
    this.boxes = boxesOf(drawing, (i) => this.choose(i));
    this.rings = svg('g', {});
    const view = viewOf(drawing);
    const picture = svg(
      'svg',
      {
        viewBox: view.join(' '),
        class: 'fabric topo',
        style: `min-width:${Math.min(drawing.width, 640)}px`,
        role: 'group',
        'aria-label': 'fabric: arrows move, plus and minus zoom, Home shows all',
      },
      this.lines,
      this.boxes,
      this.rings,
    );
    this.view = new PanZoom(picture, view);
  }

  mark(boxes, lines) {
    this.boxes.forEach((group, i) => group.classList.toggle('chosen', boxes.includes(i)));
    this.lines.forEach((line, i) => {
      line.classList.toggle('lit', lines.includes(i));
      line.classList.toggle('dim', lines.length > 0 && !lines.includes(i));
    });
  }

  choose(box) {
    const { drawing } = this;
    const names = drawing.names[box];
    const around = neighboursOf(drawing, boxWithLines(drawing, box));
    this.mark(
      [box],
      around.map((n) => n.line),
    );
    const rest = names.length - MOST_NAMES;
    replace(
      this.panel,
      el('h3', { tabindex: -1 }, titleOf(drawing, box)),
      names.length > 1
        ? el(
            'details',
            { open: names.length <= 16 },
            el('summary', {}, format.counted(names.length, 'node', 'nodes')),
            el('p', {}, names.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${format.number(rest)} more` : '')),
          )
        : null,
      around.length
        ? table(
            [
              {
                title: 'joined with',
                value: (n) => titleOf(drawing, n.box),
                show: (n) => action(titleOf(drawing, n.box), () => this.go(n.box)),
                isText: true,
              },
              { title: 'links', value: (n) => linksText(drawing.lines[n.line]), isText: true },
            ],
            around,
            { caption: 'Links', filter: true, most: 20 },
          )
        : null,
    );
  }

  chooseLine(line) {
    const { drawing } = this;
    this.mark(drawing.ends[line], [line]);
    replace(
      this.panel,
      el('h3', { tabindex: -1 }, linksText(drawing.lines[line])),
      el(
        'p',
        {},
        drawing.ends[line].map((box, i) => [i ? ' to ' : '', action(titleOf(drawing, box), () => this.go(box))]),
      ),
      drawing.lines[line].slow ? el('p', {}, 'Slower than others of its kind.') : null,
      drawing.lines[line].marked ? el('div', {}, drawing.lines[line].title.split('; finding: ').slice(1).map((text) => el('p', {}, text))) : null,
    );
  }

  /** Rings around the smallest boxes that have what is marked: {nodes, words}; and its words. */
  ring(marks) {
    const { drawing } = this;
    const said = marks.flatMap(({ nodes, words }) => nodes.slice(0, 1).map((node) => ({ box: findNode(drawing, node), words }))).filter(({ box }) => box >= 0);
    for (const { box, words } of said) {
      const { x, y, w, h } = drawing.boxes[box];
      this.rings.append(svg('rect', { x: x - 6, y: y - 6, width: w + 12, height: h + 12, rx: 5, class: 'culprit' }, svg('title', {}, words)));
    }
    return said;
  }

  /** Chooses a box and brings it into view. */
  go(box) {
    this.choose(box);
    this.view.bring(this.drawing.boxes[box]);
  }
}

/** `marks`: what is to be seen at once, {nodes: names, words}. */
export function topoPart(drawing, marks) {
  const shown = new TopoView(stretched(drawing));
  const ringed = shown.ring(marks ?? []);
  const unplaced = (marks ?? []).filter(({ words }) => !ringed.some((one) => one.words === words));
  const said = el('output', { 'aria-live': 'polite' });
  const find = (e) => {
    if (e.key !== 'Enter') return;
    const box = findNode(drawing, e.target.value.trim());
    said.textContent = box < 0 ? 'no node is called so' : '';
    if (box >= 0) shown.go(box);
  };
  const isSlow = drawing.lines.some((line) => line.slow);
  return section(
    'topo',
    marks && !drawing.marks ? 'Fabric' : drawing.name,
    el(
      'div',
      { class: 'controls' },
      el('label', {}, 'Find a node ', el('input', { type: 'search', onkeydown: find })),
      said,
    ),
    el(
      'p',
      { class: 'hint' },
      `A box with a double border stands for several nodes; a line for all links between two boxes, wider the more they carry${isSlow ? '; slow links are dashed' : ''}. A drag moves, Ctrl and the wheel zoom.`,
    ),
    unplaced.map(({ words }) => el('p', {}, words)),
    ringed.length
      ? el('p', {}, ringed.map(({ box, words }) => [el('span', { class: 'ring' }), action(words, () => shown.go(box)), ' ']))
      : null,
    el('div', { class: 'with-side' }, el('div', { class: 'scroll picture', tabindex: 0, role: 'region', 'aria-label': 'picture' }, shown.view.node), shown.panel),
  );
}
