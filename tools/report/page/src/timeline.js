// What ranks did when: a canvas that zooms, with search and the critical path.

import { el, section, choice, replace, action } from './dom.js';
import { unpack, fill, lift, pieces, extent, search } from './tracks.js';
import { Strips } from './strips.js';
import { css, ofName, ofCause, onOtherColours } from './colour.js';
import { showPort } from './blame.js';
import { on } from './bus.js';
import * as format from './format.js';

const ROW = 17;
/** Of a row, what slices have. */
const BAR = 14;
/** Narrower pieces have no name. */
const LEAST_NAMED = 42;
/** Where two that are as wide and look alike meet, there is a notch. */
const LEAST_SEAMED = 24;
const LABELS = 210;
const AXIS = 22;
const MOST_HEIGHT = 520;

const seconds = (ns) => format.time(ns * 1e-9);

export class Timeline {
  constructor(data, index) {
    this.names = data.names;
    this.all = unpack(data);
    this.tracks = this.all;
    this.index = index;
    [this.least, this.most] = extent(this.all);
    this.from = this.least;
    this.to = Math.max(this.most, this.least + 1);
    this.hits = null;
    this.chosen = null;
    this.top = 0;
    this.canvas = el('canvas', { class: 'timeline', tabindex: 0, role: 'application', 'aria-label': 'timeline: arrows move, plus and minus zoom, Home shows all', height: 100 });
    this.about = el('div', { class: 'panel', 'aria-live': 'polite' });
    this.listen();
  }

  get height() { return Math.min(MOST_HEIGHT, this.tracks.length * ROW + AXIS + 4); }
  /** Of what shows the time, in pixels of the page. */
  get width() { return this.strips ? this.strips.width / this.scale : Math.max(100, this.canvas.clientWidth - LABELS); }

  listen() {
    const { canvas } = this;
    canvas.addEventListener('wheel', (e) => {
      if (e.ctrlKey || e.shiftKey || e.metaKey) {
        e.preventDefault();
        this.zoom(e.deltaY > 0 ? 1.25 : 0.8, (e.offsetX - LABELS) / this.width);
      } else if (this.tracks.length * ROW + AXIS > this.height) {
        e.preventDefault();
        this.scroll(e.deltaY);
      }
    }, { passive: false });
    let drag = null;
    canvas.addEventListener('pointerdown', (e) => { drag = { x: e.offsetX, y: e.offsetY, from: this.from, to: this.to, moved: false }; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointermove', (e) => {
      if (!drag) return;
      drag.moved ||= Math.abs(e.offsetX - drag.x) > 4;
      if (drag.moved) this.show(drag.from - ((e.offsetX - drag.x) / this.width) * (drag.to - drag.from), drag.to - ((e.offsetX - drag.x) / this.width) * (drag.to - drag.from));
    });
    canvas.addEventListener('pointerup', (e) => { if (drag && !drag.moved) this.pick(e.offsetX, e.offsetY); drag = null; });
    canvas.addEventListener('dblclick', (e) => this.zoom(0.25, (e.offsetX - LABELS) / this.width));
    canvas.addEventListener('keydown', (e) => this.key(e));
    this.watchPixels();
    onOtherColours(() => this.paint());
  }

  key(e) {
    const width = this.to - this.from;
    const acts = {
      ArrowLeft: () => this.show(this.from - width / 8, this.to - width / 8),
      ArrowRight: () => this.show(this.from + width / 8, this.to + width / 8),
      ArrowUp: () => this.scroll(-3 * ROW), ArrowDown: () => this.scroll(3 * ROW),
      '+': () => this.zoom(0.5, 0.5), '=': () => this.zoom(0.5, 0.5), '-': () => this.zoom(2, 0.5),
      Home: () => this.show(this.least, this.most),
    };
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  }

  scroll(by) {
    this.top = Math.max(0, Math.min(this.top + by, this.tracks.length * ROW + AXIS - this.height + 4));
    this.later();
  }

  zoom(factor, at) {
    const middle = this.from + (this.to - this.from) * Math.max(0, Math.min(1, at));
    this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
  }

  show(from, to) {
    const width = Math.min(Math.max(to - from, 1), Math.max(1, this.most - this.least));
    this.from = Math.max(this.least, Math.min(from, this.most - width));
    this.to = this.from + width;
    this.later();
  }

  later() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.paint(); });
  }

  colourOf(name, isCritical) {
    if (isCritical) return ofCause(name.split('\t')[0]);
    return ofName(name.replace(/[\d.]+.*$/, ''));
  }

  /** Where a browser tells how many pixels of the screen the canvas has, it is told when that changes. */
  watchPixels() {
    const observer = new ResizeObserver(([entry]) => {
      this.device = entry.devicePixelContentBoxSize?.[0].inlineSize;
      this.later();
    });
    try {
      observer.observe(this.canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(this.canvas);
    }
  }

  /** As many pixels as the screen has there: with others the picture would be stretched, and blurred. */
  fitPixels() {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    canvas.style.height = `${this.height}px`;
    const width = Math.round(canvas.clientWidth * scale);
    canvas.width = Math.abs(this.device - width) <= 1 ? this.device : width;
    canvas.height = Math.round(this.height * scale);
    const size = [Math.max(1, canvas.width - Math.round(LABELS * scale)), canvas.height, Math.round(BAR * scale)];
    if (this.strips?.isFor(...size)) this.strips.clear();
    else this.strips = new Strips(...size);
    this.scale = scale;
  }

  paint() {
    const start = performance.now();
    const { canvas } = this;
    this.fitPixels();
    const pen = canvas.getContext('2d');
    pen.scale(this.scale, this.scale);
    this.ink = css('--ink'); this.faint = css('--faint'); this.line = css('--line'); this.paper = css('--paper'); this.marking = css('--alarm');
    pen.fillStyle = this.paper;
    pen.fillRect(0, 0, canvas.clientWidth, this.height);
    pen.font = '11px system-ui, sans-serif';
    this.paintGrid(pen);
    const first = Math.floor(this.top / ROW);
    const last = Math.min(this.tracks.length, Math.ceil((this.top + this.height) / ROW));
    const rows = this.tracks.slice(first, last).map((track, r) => ({ track, before: this.tracks[first + r - 1], y: AXIS + (first + r) * ROW - this.top }));
    for (const row of rows) Object.assign(row, this.paintSlices(row.track, row.y));
    this.strips.putOn(pen, Math.round(LABELS * this.scale));
    for (const row of rows) this.paintWords(pen, row);
    this.paintAxis(pen);
    Object.assign(canvas.dataset, { from: this.from, to: this.to });
    canvas.dataset.milliseconds = (performance.now() - start).toFixed(1);
  }

  /** Calls `act(time, x)` for the lines of the axis. */
  ticks(act) {
    const step = 10 ** Math.floor(Math.log10((this.to - this.from) / 4));
    const wide = [1, 2, 5, 10].map((k) => k * step).find((s) => (this.to - this.from) / s <= this.width / 90) ?? 10 * step;
    for (let t = Math.ceil(this.from / wide) * wide; t <= this.to; t += wide) act(t, LABELS + ((t - this.from) / (this.to - this.from)) * this.width);
  }

  /** Behind the slices, which it would take pixels of. */
  paintGrid(pen) {
    pen.strokeStyle = this.line;
    pen.globalAlpha = 0.5;
    this.ticks((t, x) => { pen.beginPath(); pen.moveTo(x, AXIS - 6); pen.lineTo(x, this.height); pen.stroke(); });
    pen.globalAlpha = 1;
  }

  paintAxis(pen) {
    pen.fillStyle = this.paper;
    pen.fillRect(0, 0, this.canvas.clientWidth, AXIS);
    pen.fillStyle = this.faint;
    this.ticks((t, x) => pen.fillText(seconds(t), Math.min(x + 3, LABELS + this.width - 50), AXIS - 8));
  }

  isHit(track, i) { return !this.hits || this.hits[track.names[i]]; }

  /** Fills the parts of a row; what is searched for, and what is chosen, is a pixel wide at least. */
  look(track) {
    const { cells, bar } = this.strips;
    fill(cells, track, this.from, this.to, bar);
    if (this.hits) lift(cells, bar, track, this.from, this.to, (i) => this.isHit(track, i));
    if (this.chosen?.[0] === track) lift(cells, bar, track, this.from, this.to, (i) => i === this.chosen[1]);
  }

  /** Paints a row; what it has that names fit into: [slice, x, width], and where like slices meet. */
  paintSlices(track, y) {
    this.look(track);
    const { strips, scale } = this;
    const colour = (i) => this.colourOf(this.names[track.names[i]], track.isCritical);
    strips.paint(Math.round((y + 1) * scale), (i) => [colour(i), !this.isHit(track, i)]);
    const parts = strips.bar * scale;
    const found = { wide: [], seams: [] };
    let last = null;
    pieces(strips.cells, (begin, count, i) => {
      if (count > LEAST_NAMED * parts) found.wide.push([i, LABELS + begin / parts, count / parts]);
      const isWide = count > LEAST_SEAMED * parts;
      if (isWide && last?.end === begin && colour(last.i) === colour(i)) found.seams.push(LABELS + begin / parts);
      last = isWide ? { end: begin + count, i } : null;
    });
    return found;
  }

  paintWords(pen, { track, before, y, wide, seams }) {
    const isMarked = this.marked && (track.process === this.marked || track.process.startsWith(`${this.marked} `));
    if (isMarked) { pen.fillStyle = this.marking; pen.fillRect(0, y, LABELS - 4, ROW); }
    pen.fillStyle = track.isCritical || isMarked ? this.ink : this.faint;
    const label = before?.process === track.process ? `    ${track.name}` : `${track.process}: ${track.name}`;
    pen.save(); pen.beginPath(); pen.rect(0, y, LABELS - 6, ROW); pen.clip(); pen.fillText(label, 2, y + 12); pen.restore();
    pen.fillStyle = this.paper;
    for (const x of seams) pen.fillRect(x, y + 1 + BAR - 3, 1 / this.scale, 3);
    for (const [i, x, width] of wide) if (this.isHit(track, i)) this.paintName(pen, track, i, x, y, width);
    if (this.chosen?.[0] === track) this.frame(pen, track, this.chosen[1], y);
  }

  frame(pen, track, i, y) {
    const place = (time) => Math.max(0, Math.min(this.width, ((time - this.from) / (this.to - this.from)) * this.width));
    const [x, right] = [place(track.begins[i]), place(track.ends[i])];
    if (track.ends[i] < this.from || track.begins[i] > this.to) return;
    pen.strokeStyle = this.ink; pen.lineWidth = 2;
    pen.strokeRect(LABELS + x, y + 1, Math.max(2, right - x), BAR);
    pen.lineWidth = 1;
  }

  paintName(pen, track, i, x, y, width) {
    const name = this.names[track.names[i]].split('\t')[0];
    pen.save(); pen.beginPath(); pen.rect(x, y, width - 3, ROW); pen.clip();
    pen.fillStyle = '#fff'; pen.strokeStyle = '#000a'; pen.lineWidth = 2.5;
    const text = track.counts[i] > 1 ? `${track.counts[i]} x ${name}` : name;
    pen.strokeText(text, x + 3, y + 12); pen.fillText(text, x + 3, y + 12); pen.restore();
  }

  /** What is painted at a place; beside it, what else its column of pixels has. */
  pick(x, y) {
    const row = Math.floor((y - AXIS + this.top) / ROW);
    const track = this.tracks[row];
    if (!track || x < LABELS || y < AXIS) return;
    this.look(track);
    const { cells, bar } = this.strips;
    const column = Math.min(cells.length / bar - 1, Math.floor((x - LABELS) * this.scale));
    const parts = [...cells.subarray(column * bar, (column + 1) * bar)];
    const down = Math.max(0, Math.min(bar - 1, Math.floor((y - (AXIS + row * ROW - this.top) - 1) * this.scale)));
    const cell = parts[down] || parts.find(Boolean) || 0;
    this.choose(cell ? [track, cell - 1] : null);
  }

  /** Says what a slice is; one of the critical path leads to its port. */
  choose(slice) {
    this.chosen = slice;
    if (!slice) {
      replace(this.about);
    } else {
      const [track, i] = slice;
      const [name, culprit, port] = this.names[track.names[i]].split('\t');
      replace(this.about, el('p', {}, el('strong', {}, track.counts[i] > 1 ? `${track.counts[i]} short slices, such as ${name}` : name), ` of ${track.process}, ${track.name}: from ${seconds(track.begins[i])}, ${seconds(track.ends[i] - track.begins[i])} long${track.counts[i] > 1 ? ' together' : ''}`,
        culprit ? `; through ${culprit}` : '', port ? ['; at ', action(port, () => showPort(this.index, port), 'show on the fabric')] : ''));
    }
    this.later();
  }

  /** Brings a slice into view. */
  jump([track, i]) {
    const middle = (track.begins[i] + track.ends[i]) / 2;
    const width = Math.min(this.to - this.from, Math.max(20 * (track.ends[i] - track.begins[i]), 100));
    this.show(middle - width / 2, middle + width / 2);
    const row = this.tracks.indexOf(track);
    if (row * ROW < this.top || (row + 2) * ROW + AXIS > this.top + this.height) this.scroll(row * ROW - this.top - this.height / 3);
    this.choose([track, i]);
  }

  /** Brings the first track of a process into view. */
  showProcess(name) {
    const fits = (t) => t.process === name || t.process.startsWith(`${name} `);
    let row = this.tracks.findIndex(fits);
    if (row < 0) { this.only(''); row = this.tracks.findIndex(fits); }
    if (row < 0) return;
    const own = this.tracks.filter(fits).filter((t) => t.begins.length);
    const [begin, end] = extent(own);
    if (end > begin) this.show(begin - (end - begin) / 20, end + (end - begin) / 20);
    this.top = 0;
    this.scroll((row - 3) * ROW);
    this.marked = name;
    replace(this.about, el('p', {}, el('strong', {}, this.tracks[row].process), ' is marked.'));
    this.later();
  }

  only(name) {
    this.tracks = name ? this.all.filter((t) => t.isCritical || t.name === name) : this.all;
    this.top = 0;
    this.later();
  }
}

function searcher(view) {
  const said = el('output', { 'aria-live': 'polite' });
  let found = [];
  let at = -1;
  const step = (by) => {
    if (!found.length) return;
    at = (at + by + found.length) % found.length;
    view.jump(found[at]);
    said.textContent = `${format.number(at + 1)} of ${format.number(found.length)}`;
  };
  const input = el('input', { type: 'search', oninput: (e) => {
    const words = e.target.value.trim();
    const result = words ? search(view.tracks, view.names, words) : null;
    found = result?.found ?? [];
    at = -1;
    view.hits = result?.hit ?? null;
    said.textContent = result ? `${format.number(result.count)} slices` : '';
    view.later();
  }, onkeydown: (e) => { if (e.key === 'Enter') step(e.shiftKey ? -1 : 1); } });
  return [el('label', {}, 'Search ', input), el('button', { type: 'button', onclick: () => step(-1) }, 'previous'), el('button', { type: 'button', onclick: () => step(1) }, 'next'), said];
}

/** The longest pieces of the critical path, one after the other. */
function critical(view) {
  const list = view.all.filter((t) => t.isCritical).flatMap((t) => [...t.begins].map((_, i) => [t, i]))
    .sort((a, b) => (b[0].ends[b[1]] - b[0].begins[b[1]]) - (a[0].ends[a[1]] - a[0].begins[a[1]]));
  let at = -1;
  if (!list.length) return el('span', { class: 'hint' }, 'with --blame the critical path is here, too');
  return el('button', { type: 'button', onclick: () => { at = (at + 1) % list.length; view.jump(list[at]); } }, 'next longest piece of the critical path');
}

/** Below which lengths slices are joined with others of their kind: of ranks, and of critical paths. */
function joined(data) {
  const lengths = [[data.joined_below, ''], [data.critical_joined_below, ' of critical paths']].filter(([below]) => below);
  return lengths.map(([below, of]) => `; neighbours${of} shorter than ${format.time(below * 1e-6)} are joined with others like them`).join('');
}

export function timeline(run, index) {
  const data = run.timeline;
  if (!data.tracks?.length) return null;
  const shown = new Timeline(data, index);
  on('rank', ({ run: other, process }) => { if (other === index) shown.showProcess(process); });
  const streams = [...new Set(shown.all.filter((t) => !t.isCritical).map((t) => t.name))];
  const step = (factor) => el('button', { type: 'button', onclick: () => shown.zoom(factor, 0.5), 'aria-label': factor < 1 ? 'zoom in' : 'zoom out' }, factor < 1 ? '+' : '−');
  return section('timeline', 'Timeline',
    el('p', { class: 'hint' }, `${format.number(shown.all.reduce((n, t) => n + t.begins.length, 0))} slices on ${format.number(shown.all.length)} tracks${joined(data)}. Drag moves, Ctrl and the wheel zoom, a double click zooms in.`),
    el('div', { class: 'controls' }, choice('streams', [['', 'all'], ...streams.slice(0, 60).map((s) => [s, s])], (v) => shown.only(v), ''), searcher(shown), step(0.5), step(2),
      el('button', { type: 'button', onclick: () => shown.show(shown.least, shown.most) }, 'all of it'), critical(shown)),
    shown.canvas, shown.about);
}
