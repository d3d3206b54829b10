// A picture that is moved by dragging and zoomed by the wheel, by buttons, and by keys.

import { el, svg } from './dom.js';

const STEP = 1.3;
const MOST_ZOOM = 60;
/** On the screen, in pixels: words are as large where there is room, and words smaller than the least are not drawn. */
const WANTED_FONT = 10;
const LEAST_FONT = 6.5;
/** Of a letter, as wide as its font is high. */
const LETTER = 0.58;
const CLICK = 4; // pixels that a hand may tremble

/** `picture` is an SVG with a viewBox; the node has it with buttons beside it. */
export class PanZoom {
  constructor(picture, [x, y, width, height]) {
    this.picture = picture;
    this.whole = { x, y, width, height };
    this.shown = { ...this.whole };
    this.words = roomsOf(
      [...picture.querySelectorAll('text')].map((node) => node.words),
      [x, x + width],
    );
    // The lines of a box are as large as each other.
    this.boxes = [...new Set(this.words.map((word) => word.lines))].sort((a, b) => a[0].rank - b[0].rank);
    picture.setAttribute('tabindex', 0);
    const button = (text, label, act) =>
      el('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text);
    this.buttons = el(
      'div',
      { class: 'zooms' },
      button('+', 'zoom in', () => this.zoom(1 / STEP)),
      button('−', 'zoom out', () => this.zoom(STEP)),
      button('⤢', 'show all', () => this.fit()),
    );
    this.node = el('div', { class: 'over' }, this.buttons, picture);
    this.listen();
    new ResizeObserver(() => this.thin()).observe(picture);
  }

  /** Of the picture's lengths to one pixel of the screen. */
  get scale() {
    const box = this.picture.getBoundingClientRect();
    return Math.max(this.shown.width / Math.max(1, box.width), this.shown.height / Math.max(1, box.height));
  }

  listen() {
    const { picture } = this;
    picture.addEventListener(
      'wheel',
      (e) => {
        if (!e.ctrlKey && !e.metaKey) return;
        e.preventDefault();
        this.zoom(e.deltaY > 0 ? STEP : 1 / STEP, this.pointAt(e));
      },
      { passive: false },
    );
    let drag = null;
    picture.addEventListener('pointerdown', (e) => {
      drag = { x: e.clientX, y: e.clientY, shown: { ...this.shown }, moved: false };
    });
    picture.addEventListener('pointermove', (e) => {
      if (!drag) return;
      drag.moved ||= Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > CLICK;
      if (!drag.moved) return;
      const { scale } = this;
      this.show({
        ...drag.shown,
        x: drag.shown.x - (e.clientX - drag.x) * scale,
        y: drag.shown.y - (e.clientY - drag.y) * scale,
      });
    });
    for (const end of ['pointerup', 'pointerleave', 'pointercancel'])
      picture.addEventListener(end, () => {
        this.wasMoved = drag?.moved ?? false;
        drag = null;
      });
    // What a drag ends on is not clicked.
    picture.addEventListener(
      'click',
      (e) => {
        if (this.wasMoved) e.stopPropagation();
        this.wasMoved = false;
      },
      { capture: true },
    );
    picture.addEventListener('keydown', (e) => {
      const by = (x, y) =>
        this.show({
          ...this.shown,
          x: this.shown.x + (x * this.shown.width) / 8,
          y: this.shown.y + (y * this.shown.height) / 8,
        });
      const acts = {
        '+': () => this.zoom(1 / STEP),
        '-': () => this.zoom(STEP),
        Home: () => this.fit(),
        ArrowLeft: () => by(-1, 0),
        ArrowRight: () => by(1, 0),
        ArrowUp: () => by(0, -1),
        ArrowDown: () => by(0, 1),
      };
      if (!acts[e.key] || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      acts[e.key]();
    });
  }

  pointAt(e) {
    const box = this.picture.getBoundingClientRect();
    return {
      x: this.shown.x + ((e.clientX - box.left) / box.width) * this.shown.width,
      y: this.shown.y + ((e.clientY - box.top) / box.height) * this.shown.height,
    };
  }

  /** Around a point, or the middle. */
  zoom(factor, at = { x: this.shown.x + this.shown.width / 2, y: this.shown.y + this.shown.height / 2 }) {
    const least = this.whole.width / MOST_ZOOM;
    const width = Math.max(least, Math.min(this.whole.width, this.shown.width * factor));
    const by = width / this.shown.width;
    this.show({
      x: at.x - (at.x - this.shown.x) * by,
      y: at.y - (at.y - this.shown.y) * by,
      width,
      height: this.shown.height * by,
    });
  }

  /** Within the whole. */
  show({ x, y, width, height }) {
    const { whole } = this;
    this.shown = {
      width,
      height,
      x: Math.max(whole.x, Math.min(x, whole.x + whole.width - width)),
      y: Math.max(whole.y, Math.min(y, whole.y + whole.height - height)),
    };
    this.picture.setAttribute(
      'viewBox',
      Object.values({ x: this.shown.x, y: this.shown.y, width, height })
        .map((v) => v.toFixed(2))
        .join(' '),
    );
    this.thin();
  }
  fit() {
    this.show(this.whole);
  }

  /** Brings a place into the middle, as large as is read easily. */
  bring({ x, y, w, h }) {
    const width = Math.min(this.shown.width, Math.max(this.whole.width / MOST_ZOOM, w * 12));
    const height = (width / this.whole.width) * this.whole.height;
    this.show({ x: x + w / 2 - width / 2, y: y + h / 2 - height / 2, width, height });
  }

  /**
   * Far away words are larger than their boxes, as far as other words leave room; else they are not there. Names of
   * nodes come first, then captions of tiers, then what stands at lines.
   */
  thin() {
    const { scale } = this;
    if (scale === this.thinned) return;
    this.thinned = scale;
    const taken = [];
    const isFree = ([left, right, top, bottom]) =>
      !taken.some((t) => left < t[1] && t[0] < right && top < t[3] && t[2] < bottom);
    for (const word of this.words) if (word.short) shorten(word, scale);
    // Where not all lines of a box can be read, those are shown that can.
    const isRead = (word) => Math.max(word.font, fits(word)) / scale >= LEAST_FONT;
    const parts = this.boxes.flatMap((lines) => (lines.every(isRead) ? [lines] : lines.map((one) => [one])));
    for (const lines of parts) {
      const [{ font, rank }] = lines;
      const apart = (word) => Math.max(LEAST_FONT * scale, ((word.room - GAP * scale) * word.font) / word.width);
      const wanted = lines.flatMap((word) => [fits(word), apart(word)]);
      let size = Math.max(font, Math.min(WANTED_FONT * scale, ...wanted));
      const areFree = () => lines.every((word) => isFree(placeOf(word, size)));
      while (size > font && !areFree()) size = Math.max(font, size * SHRINK);
      const isTiny = size / scale < LEAST_FONT || (rank === LAST && !areFree());
      if (!isTiny) taken.push(...lines.map((word) => placeOf(word, size)));
      for (const word of lines) {
        word.node.classList.toggle('tiny', isTiny);
        word.node.setAttribute('font-size', size.toFixed(2));
        word.node.setAttribute('y', baselineOf(word, size).toFixed(2));
      }
    }
  }
}

/** The font at which words are as wide as their room. */
const fits = ({ font, room, width }) => (font * room) / width;
const widthOf = (font, text) => LETTER * font * Math.max(1, text.length);

/** `28 racks` in place of `28 racks: 7 to 34` where the whole name could not be read. */
export function shorten(word, scale) {
  const whole = { ...word, width: widthOf(word.font, word.text) };
  const shown = fits(whole) / scale >= LEAST_FONT ? word.text : word.short;
  word.width = widthOf(word.font, shown);
  word.node.textContent = shown;
}

/** Pixels between words that stand in a row, as far as they can still be read. */
const GAP = 4;
/** By how much words become smaller until they are free of others. */
const SHRINK = 0.88;
/** Of what may be left out: `4 x` at a line, whose tip says the same. */
const LAST = 2;

/** Lines of words stand around their middle. */
const baselineOf = ({ font, middle, n, count }, size) =>
  middle + (n - (count - 1) / 2) * (size + (3 * size) / font) + size * 0.35;

/** What words cover: [left, right, top, bottom]. */
function placeOf(word, size) {
  const width = (word.width * size) / word.font;
  const left = word.isAtEnd ? word.x - width : word.x - width / 2;
  const bottom = baselineOf(word, size);
  const margin = (word.rank === LAST ? 0.25 : 0.04) * size;
  return [left - margin, left + width + margin, bottom - 0.78 * size, bottom + 0.2 * size];
}

/** How wide words may be: to the middle between them and their neighbours at the same height, within the picture. */
export function roomsOf(words, [left, right]) {
  const rows = new Map();
  for (const word of words.filter((one) => one.isAtEnd)) word.room = 0.98 * (word.x - left);
  for (const word of words.filter((one) => !one.isAtEnd)) {
    const key = `${Math.round(word.middle)} ${word.n} ${word.count}`;
    rows.set(key, [...(rows.get(key) ?? []), word]);
  }
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    row.forEach((word, i) => {
      const gaps = [row[i - 1], row[i + 1]].filter(Boolean).map((other) => Math.abs(other.x - word.x));
      const toEdge = 2.1 * Math.min(word.x - left, right - word.x);
      word.room = (word.rank === LAST ? 0.75 : 0.92) * Math.min(...gaps, 6 * word.width, toEdge);
    });
  }
  return words;
}

/** Words in the middle of a box, line by line; with `end`, they end there. Names are not left out for want of room. */
export function wordsOf({ x, y, w, h, text = [], font, nodes = 0 }, end = null, isName = false) {
  const lines = [];
  return text.map((line, n) => {
    const node = svg(
      'text',
      {
        x: end ?? x + w / 2,
        y: y + h / 2 + (n - (text.length - 1) / 2) * (font + 3) + font * 0.35,
        'font-size': font,
        'text-anchor': end === null ? 'middle' : 'end',
      },
      line,
    );
    node.words = {
      node,
      font,
      text: line,
      short: isName && line.includes(': ') ? line.slice(0, line.indexOf(':')) : '',
      width: widthOf(font, line),
      x: end ?? x + w / 2,
      middle: y + h / 2,
      n,
      count: text.length,
      isAtEnd: end !== null,
      rank: nodes > 0 ? 0 : end !== null || isName ? 1 : LAST,
      lines,
    };
    lines.push(node.words);
    return node;
  });
}
