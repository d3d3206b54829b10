// The whole timeline in a narrow strip, and on it the window that is shown.

import { el } from './dom.js';
import { Strips, clearTo } from './strips.js';
import { fill } from './tracks.js';
import { css, onOtherColours } from './colour.js';
import { ranksOf, sharesOf, tellingOf } from './track_groups.js';
import { rangeOf, showRange, wholeOf } from './time_range.js';
import { fitting } from './track_texts.js';
import { labelsOf } from './timeline_paint.js';

const HEIGHT = 34;
const NS = 1e9;

/** The longest critical path; without one, what the ranks of the first job do. Returns its names, the longest first. */
function picture(view, strips) {
  const [from, to] = wholeOf(view.index).map((t) => t * NS);
  const [critical] = view.all.filter((t) => t.isCritical).sort((a, b) => b.ends.at(-1) - a.ends.at(-1));
  if (critical) {
    fill(strips.cells, critical, from, to, strips.bar);
    strips.paint(0, (i) => [view.looks.ofPaths[critical.names[i]], false]);
    return [`critical path of ${critical.process}`, 'critical path'];
  }
  const [node] = view.groups;
  strips.paintShares(
    0,
    sharesOf(tellingOf(node), Math.max(1, ranksOf(node)), from, to, strips.width, view.looks.ofRanks),
  );
  return [`ranks of ${node.title}`, 'ranks'];
}

export function minimap(view) {
  const canvas = el('canvas', { class: 'minimap', height: HEIGHT, 'aria-hidden': true });
  let strips = null;
  let said = [];
  const paint = () => {
    const scale = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * scale);
    if (!width) return;
    clearTo(canvas, width, Math.round(HEIGHT * scale));
    const size = [Math.max(1, width - Math.round(labelsOf(canvas) * scale)), canvas.height, canvas.height];
    if (!strips?.isFor(...size)) {
      strips = new Strips(...size);
      said = picture(view, strips);
    }
    const pen = canvas.getContext('2d');
    strips.putOn(pen, Math.round(labelsOf(canvas) * scale));
    pen.scale(scale, scale);
    pen.font = '11px system-ui, sans-serif';
    pen.fillStyle = css('--faint');
    pen.fillText(fitting(said, labelsOf(canvas) - 8, (text) => pen.measureText(text).width), 2, HEIGHT / 2 + 4);
    const [x, right] = rangeOf(view.index).map((t) => placeOf(t));
    pen.fillStyle = css('--paper');
    pen.globalAlpha = 0.7;
    pen.fillRect(labelsOf(canvas), 0, x - labelsOf(canvas), HEIGHT);
    pen.fillRect(right, 0, canvas.clientWidth - right, HEIGHT);
    pen.globalAlpha = 1;
    pen.strokeStyle = css('--link');
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, 1, Math.max(3, right - x - 2), HEIGHT - 2);
    Object.assign(canvas.dataset, { left: x, right });
  };
  const placeOf = (t) => {
    const [from, to] = wholeOf(view.index);
    return labelsOf(canvas) + ((t - from) / (to - from)) * (canvas.clientWidth - labelsOf(canvas));
  };
  /** The window moves to where the pointer is. */
  const centre = (e) => {
    const [from, to] = wholeOf(view.index);
    const [a, b] = rangeOf(view.index);
    const at = from + ((e.offsetX - labelsOf(canvas)) / (canvas.clientWidth - labelsOf(canvas))) * (to - from);
    showRange(view.index, at - (b - a) / 2, at + (b - a) / 2, 'minimap');
    paint();
  };
  let isDragging = false;
  canvas.addEventListener('pointerdown', (e) => {
    isDragging = true;
    canvas.setPointerCapture(e.pointerId);
    centre(e);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (isDragging) centre(e);
  });
  canvas.addEventListener('pointerup', () => {
    isDragging = false;
  });
  onOtherColours(() => {
    strips = null;
    paint();
  });
  new ResizeObserver(paint).observe(canvas);
  return { canvas, paint };
}
