// What ranks did when: rows that open and close, on a canvas that zooms.

import { el } from './dom.js';
import { fill, lift, nearestColumn, shortIn } from './tracks.js';
import { groupsOf, pathTo, rowsOf, tracksOf } from './track_groups.js';
import { unpackArrows, unpackHops } from './track_totals.js';
import { faultsOf } from './faults.js';
import { ofSlice, onOtherColours } from './colour.js';
import { pointAt, rangeOf, showRange, onTime } from './time_range.js';
import { AXIS, PIN, ROW, fitPixels, labelsOf, paint } from './timeline_paint.js';

const MOST_HEIGHT = 520;
const NS = 1e9;
/** Of all that is shown, a step of a key. */
const STEP = 1 / 8;
const CLICK = 4; // pixels that a hand may tremble

export class TimelineView {
  constructor(run, index, tracks) {
    this.index = index;
    this.names = run.timeline.names;
    this.all = tracks;
    /** Colours by name: ranks have many slices, and few names. */
    this.looks = {
      ofRanks: this.names.map((name) => ofSlice(name, false)),
      ofPaths: this.names.map((name) => ofSlice(name, true)),
    };
    this.faults = faultsOf(run);
    this.arrows = unpackArrows(run.timeline);
    this.hops = unpackHops(run.timeline);
    this.groups = groupsOf(tracks, { domains: run.fabric?.domains, blame: run.blame });
    // Few jobs are open, and show their culprits first; all else is closed.
    this.open = new Set(this.groups.length <= 4 ? this.groups.map((g) => g.key) : []);
    this.pinned = new Set();
    this.hits = null;
    this.chosen = null;
    this.selection = null;
    this.current = null;
    this.stream = '';
    this.top = 0;
    this.labels = 0;
    this.canvas = el('canvas', {
      class: 'timeline',
      tabindex: 0,
      role: 'application',
      'aria-label':
        'timeline: W and S zoom, A and D move, arrows choose a row, Enter opens it, P pins it, F fits what is selected or chosen, R selects the range of the chosen slice, question mark lists all keys, comma and full stop choose the slice before and after, Home shows all',
      height: 100,
    });
    this.tip = el('div', { class: 'tip', hidden: true });
    this.onChoose = () => {};
    this.onSelect = () => {};
    this.onPaint = () => {};
    this.onHelp = () => {};
    this.layOut();
    this.listen();
    onTime(index, 'timeline', () => this.later());
  }

  get from() {
    return rangeOf(this.index)[0] * NS;
  }
  get to() {
    return rangeOf(this.index)[1] * NS;
  }
  get height() {
    return Math.min(MOST_HEIGHT, (this.rows.length + this.pins.length) * ROW + AXIS + 4);
  }
  /** The middle of a row, by its number; it may lie out of sight. */
  middleOf(r) {
    return this.head + (r + 0.5) * ROW - this.top;
  }
  /** Where rows that move begin: below the axis and the pinned ones. */
  get head() {
    return AXIS + this.pins.length * ROW;
  }
  /** Of what shows the time, in pixels of the page. */
  get width() {
    return this.strips
      ? this.strips.width / this.scale
      : Math.max(100, this.canvas.clientWidth - labelsOf(this.canvas));
  }
  timeAt(x) {
    return this.from + ((x - this.labels) / this.width) * (this.to - this.from);
  }
  placeOf(time) {
    return this.labels + ((time - this.from) / (this.to - this.from)) * this.width;
  }

  /** Rows anew, after groups were opened or closed, pinned, or streams chosen. */
  layOut() {
    const fits = (t) => !this.stream || t.isCritical || t.name === this.stream;
    this.rows = rowsOf(this.groups, this.open, fits);
    this.rowOfProcess = null;
    const known = rowsOf(this.groups, { has: () => true });
    this.pins = known.filter((row) => this.pinned.has(row.node.key)).map((row) => ({ ...row, isPin: true }));
    this.top = Math.max(0, Math.min(this.top, this.rows.length * ROW + this.head - this.height + 4));
    this.later();
  }

  toggle(key, set = this.open) {
    if (!set.delete(key)) set.add(key);
    this.layOut();
  }

  /** The critical path whose messages are drawn: of the current row, or of the chosen slice. */
  get path() {
    const current = this.rows.find((row) => row.node.key === this.current)?.node.track;
    return [current, this.chosen?.[0]].find((track) => track?.isCritical) ?? null;
  }

  /** The number of the row that shows a process: its first track, or the closed group that it is in; null: none. */
  placeOfProcess(process) {
    if (!this.rowOfProcess) {
      this.rowOfProcess = new Map();
      this.rows.forEach(({ node }, r) => {
        if (node.kind !== 'track' && this.open.has(node.key)) return;
        for (const track of tracksOf(node))
          if (!this.rowOfProcess.has(track.process)) this.rowOfProcess.set(track.process, r);
      });
    }
    return this.rowOfProcess.get(process) ?? null;
  }

  /** Opens the groups around a track. */
  reveal(track) {
    for (const key of pathTo(this.groups, track) ?? []) this.open.add(key);
    this.layOut();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener(
      'wheel',
      (e) => {
        if (e.ctrlKey || e.metaKey) {
          e.preventDefault();
          this.zoom(e.deltaY > 0 ? 1.25 : 0.8, (e.offsetX - this.labels) / this.width);
        } else if (e.shiftKey) {
          e.preventDefault();
          this.move(Math.sign(e.deltaY || e.deltaX) * STEP);
        } else if (this.rows.length * ROW + this.head > this.height) {
          e.preventDefault();
          this.scroll(e.deltaY);
        }
      },
      { passive: false },
    );
    let drag = null;
    canvas.addEventListener('pointerdown', (e) => {
      drag = {
        x: e.offsetX,
        y: e.offsetY,
        range: [this.from, this.to],
        isMove: e.shiftKey || e.button === 1 || e.pointerType === 'touch',
        moved: false,
      };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (drag) this.drag(drag, e);
      else this.hover(e.offsetX, e.offsetY);
    });
    canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
      pointAt(this.index, null, 'timeline');
      this.later();
    });
    canvas.addEventListener('pointerup', (e) => {
      if (drag && !drag.moved) this.pick(e.offsetX, e.offsetY);
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => {
      drag = null;
    });
    canvas.addEventListener('dblclick', (e) => this.zoom(0.25, (e.offsetX - this.labels) / this.width));
    canvas.addEventListener('keydown', (e) => this.key(e));
    this.watchPixels();
    onOtherColours(() => this.later());
  }

  /** A drag selects a range of the rows that it passes; with Shift it moves what is shown. */
  drag(drag, e) {
    drag.moved ||= Math.abs(e.offsetX - drag.x) > CLICK;
    if (!drag.moved) return;
    this.tip.hidden = true;
    if (drag.isMove || drag.x < this.labels) {
      const by = ((e.offsetX - drag.x) / this.width) * (drag.range[1] - drag.range[0]);
      this.show(drag.range[0] - by, drag.range[1] - by);
      return;
    }
    const clamp = (x) => Math.max(this.from, Math.min(this.to, this.timeAt(x)));
    const [from, to] = [clamp(drag.x), clamp(e.offsetX)].sort((a, b) => a - b);
    const isOfAll = drag.y < AXIS;
    const [first, last] = [drag.y, e.offsetY]
      .sort((a, b) => a - b)
      .map((y) => this.rowAt(Math.max(this.head, y)) ?? this.rows.at(-1));
    const [a, b] = [this.rows.indexOf(first), this.rows.indexOf(last)];
    this.select({
      from,
      to,
      rows: isOfAll || a < 0 ? this.groups.map((node) => ({ node })) : this.rows.slice(a, b + 1),
      isOfAll,
    });
  }

  select(selection) {
    this.selection = selection;
    this.onSelect(selection);
    this.later();
  }

  /** The tracks of what is selected, each once. */
  selectedTracks() {
    return [...new Set((this.selection?.rows ?? []).flatMap(({ node }) => tracksOf(node)))];
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const acts = {
      w: () => this.zoom(0.5, 0.5),
      s: () => this.zoom(2, 0.5),
      a: () => this.move(-STEP),
      d: () => this.move(STEP),
      ArrowLeft: () => this.move(-STEP),
      ArrowRight: () => this.move(STEP),
      ArrowUp: () => this.step(-1),
      ArrowDown: () => this.step(1),
      '+': () => this.zoom(0.5, 0.5),
      '=': () => this.zoom(0.5, 0.5),
      '-': () => this.zoom(2, 0.5),
      Home: () => this.showAll(),
      Enter: () => this.current && this.toggle(this.current),
      p: () => this.current && this.toggle(this.current, this.pinned),
      f: () => this.fit(),
      ',': () => this.neighbour(-1),
      '.': () => this.neighbour(1),
      r: () => this.selectChosen(),
      '?': () => this.onHelp(),
      Escape: () => this.select(null),
    };
    const act = acts[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  /** Shows what is selected, or else the chosen slice with half its length on both sides. */
  fit() {
    if (this.selection) this.show(this.selection.from, this.selection.to);
    else if (this.chosen) {
      const [track, i] = this.chosen;
      const half = (track.ends[i] - track.begins[i]) / 2;
      this.show(track.begins[i] - half, track.ends[i] + half);
    }
  }

  /** Selects the range of the chosen slice on its row. */
  selectChosen() {
    if (!this.chosen) return;
    const [track, i] = this.chosen;
    const row = this.rows.find(({ node }) => node.track === track);
    if (row) this.select({ from: track.begins[i], to: track.ends[i], rows: [row], isOfAll: false });
  }

  /** Chooses the slice before or after the chosen one on its track, and moves to it where it is out of sight. */
  neighbour(by) {
    if (!this.chosen) return;
    const [track, i] = this.chosen;
    const next = Math.max(0, Math.min(track.begins.length - 1, i + by));
    const middle = (track.begins[next] + track.ends[next]) / 2;
    const half = (this.to - this.from) / 2;
    if (middle < this.from || middle > this.to) this.show(middle - half, middle + half);
    this.choose([track, next]);
  }

  /** The current row is the next one up or down. */
  step(by) {
    const at = this.rows.findIndex((row) => row.node.key === this.current);
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, at < 0 ? 0 : at + by))];
    this.current = row?.node.key ?? null;
    this.bringIntoView(row);
    this.later();
  }

  bringIntoView(row) {
    const y = this.rows.indexOf(row) * ROW;
    if (y < this.top) this.scroll(y - this.top);
    else if (y + ROW + this.head > this.top + this.height)
      this.scroll(y + 2 * ROW + this.head - this.top - this.height);
  }

  scroll(by) {
    this.top = Math.max(0, Math.min(this.top + by, this.rows.length * ROW + this.head - this.height + 4));
    this.later();
  }

  move(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  zoom(factor, at) {
    const middle = this.from + (this.to - this.from) * Math.max(0, Math.min(1, at));
    this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
  }

  show(from, to) {
    showRange(this.index, from / NS, Math.max(to, from + 1) / NS, 'timeline');
    this.later();
  }
  showAll() {
    this.show(-Infinity, Infinity);
  }

  later() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.canvas.isConnected) return;
      paint(this);
      this.onPaint();
    });
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

  isHit(track, i) {
    return !this.hits || this.hits[track.names[i]];
  }

  /** Fills the parts of a row; what is searched for, and what is chosen, is a pixel wide at least. */
  look(track) {
    const { cells, bar } = this.strips;
    const [from, to] = [this.from, this.to];
    fill(cells, track, from, to, bar);
    if (this.hits) lift(cells, bar, track, from, to, (i) => this.isHit(track, i));
    if (this.chosen?.[0] === track) lift(cells, bar, track, from, to, (i) => i === this.chosen[1]);
  }

  /** The row at a height: pinned ones stand still. */
  rowAt(y) {
    if (y < AXIS) return null;
    if (y < this.head) return this.pins[Math.floor((y - AXIS) / ROW)] ?? null;
    return this.rows[Math.floor((y - this.head + this.top) / ROW)] ?? null;
  }
  yOf(row) {
    return row.isPin ? AXIS + this.pins.indexOf(row) * ROW : this.head + this.rows.indexOf(row) * ROW - this.top;
  }

  /** What is painted at a place, or else what its column of pixels has: [track, slice]. */
  sliceAt(x, y) {
    return this.slicesAt(x, y)[0] ?? null;
  }

  /**
   * The slices at a place, that first which is painted there: of the column of pixels, or where it has none of the
   * nearest that a hand may have meant.
   */
  slicesAt(x, y) {
    const row = this.rowAt(y);
    if (!row?.node.track || x < this.labels || !this.strips) return [];
    const { track } = row.node;
    this.look(track);
    const { cells, bar } = this.strips;
    const column = nearestColumn(cells, bar, Math.floor((x - this.labels) * this.scale), Math.round(CLICK * this.scale));
    if (column === null) return [];
    const parts = [...cells.subarray(column * bar, (column + 1) * bar)];
    const down = Math.max(0, Math.min(bar - 1, Math.floor((y - this.yOf(row) - 1) * this.scale)));
    const first = (parts[down] || parts.find(Boolean)) - 1;
    const width = (this.to - this.from) * (bar / cells.length);
    const begin = this.from + column * width;
    const others = shortIn(track, begin, begin + width, 2 * width).filter((i) => i !== first);
    return [first, ...others].map((i) => [track, i]);
  }

  hover(x, y) {
    pointAt(this.index, x < this.labels ? null : this.timeAt(x) / NS, 'timeline');
    this.later();
    const text = this.textAt?.(x, y) ?? '';
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const isRight = x > this.canvas.clientWidth / 2;
    Object.assign(this.tip.style, {
      left: isRight ? '' : `${x + 14}px`,
      right: isRight ? `${this.canvas.clientWidth - x + 14}px` : '',
      top: `${y + 16}px`,
    });
  }

  pick(x, y) {
    const row = this.rowAt(y);
    if (!row) return;
    this.current = row.node.key;
    if (x >= this.labels - PIN && x < this.labels) this.toggle(row.node.key, this.pinned);
    else if (row.node.kind !== 'track') this.toggle(row.node.key);
    else if (x >= this.labels) this.choose(this.sliceAt(x, y));
    this.later();
  }

  choose(slice) {
    this.chosen = slice;
    this.onChoose(slice);
    this.later();
  }

  /** Brings a slice into view. */
  jump([track, i]) {
    const middle = (track.begins[i] + track.ends[i]) / 2;
    const width = Math.min(this.to - this.from, Math.max(20 * (track.ends[i] - track.begins[i]), 100));
    this.show(middle - width / 2, middle + width / 2);
    this.reveal(track);
    const row = this.rows.find((one) => one.node.track === track);
    this.current = row?.node.key ?? null;
    this.bringIntoView(row);
    this.choose([track, i]);
  }

  /** Opens a process and brings it into view; the row, or null where there is none. */
  showProcess(name) {
    const fits = (t) => t.process === name || t.process.startsWith(`${name} `);
    const own = this.all.filter(fits).filter((t) => t.begins.length);
    if (!own.length) return null;
    this.stream = '';
    this.reveal(own[0]);
    const [begin, end] = [
      Math.min(...own.map((t) => t.begins[0])),
      Math.max(...own.map((t) => t.ends[t.ends.length - 1])),
    ];
    if (end > begin) this.show(begin - (end - begin) / 20, end + (end - begin) / 20);
    const row =
      this.rows.find((r) => r.node.kind === 'rank' && tracksOf(r.node).includes(own[0])) ??
      this.rows.find((r) => r.node.track === own[0]);
    this.current = row?.node.key;
    this.marked = name;
    fitPixels(this);
    this.scroll(this.rows.indexOf(row) * ROW - this.top - ROW);
    return own[0].process;
  }

  only(stream) {
    this.stream = stream;
    this.top = 0;
    // A stream is seen where its ranks are open.
    if (stream)
      for (const row of rowsOf(this.groups, { has: () => true }))
        if (row.node.kind !== 'track') this.open.add(row.node.key);
    this.layOut();
  }
}
