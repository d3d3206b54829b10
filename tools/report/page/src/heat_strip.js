// Ports by time as a strip of colours: how much each had in its queue, how many packets it marked, or how long it was
// paused or without credits.

import { el } from './dom.js';
import { css, heat, onOtherColours } from './colour.js';
import { columnsOf, portsOverTime, valueAt } from './moments.js';
import { visit } from './history.js';
import { momentOf, onTime, pointAt, rangeOf, recordedOf, showRange, stepAt, stepOf } from './time_range.js';
import { FAULT, labelsOf, labeller, markFaults } from './timeline_paint.js';
import { faultsAt } from './faults.js';
import * as format from './format.js';

const ROW = 15;
const BAR = 13;
const AXIS = 20;
const MOST_ROWS = 32;
const CLICK = 4;

/** `show(value)` gives a value with its unit. */
export class HeatStrip {
  constructor(index, show, faults = []) {
    this.index = index;
    this.faults = faults;
    this.show = show;
    this.ports = [];
    this.canvas = el('canvas', {
      class: 'strip',
      tabindex: 0,
      role: 'application',
      'aria-label': 'ports over time: arrows choose a port and a moment, Enter leads to its port on the fabric',
    });
    this.tip = el('div', { class: 'tip', hidden: true });
    this.current = 0;
    this.listen();
    onTime(index, 'strip', () => this.later());
    onOtherColours(() => this.later());
    new ResizeObserver(() => this.later()).observe(this.canvas);
  }

  /** Which recording is shown; how many of its ports. */
  use(recording) {
    const all = portsOverTime(recording);
    this.isOfMoments = Boolean(recording.left_out);
    this.ports = all.slice(0, MOST_ROWS);
    this.most = this.ports.reduce((top, port) => port.values.reduce((a, b) => Math.max(a, b), top), 0) || 1;
    this.current = 0;
    this.later();
    return [this.ports.length, all.length];
  }

  get labels() {
    return labelsOf(this.canvas);
  }
  get height() {
    return AXIS + this.ports.length * ROW + 2;
  }
  get width() {
    return Math.max(50, this.canvas.clientWidth - this.labels);
  }
  placeOf(time) {
    const [from, to] = rangeOf(this.index);
    return this.labels + ((time - from) / (to - from)) * this.width;
  }
  timeAt(x) {
    const [from, to] = rangeOf(this.index);
    return from + ((x - this.labels) / this.width) * (to - from);
  }
  portAt(y) {
    return this.ports[Math.floor((y - AXIS) / ROW)] ?? null;
  }
  /** What a port had at a time, in words: its value then, or where only moments of many steps are known the most of one. */
  textAt(port, time) {
    const recorded = recordedOf(this.index);
    const value = valueAt(port.values, recorded, time);
    if (value === null) return '';
    if (!this.isOfMoments) return `${port.name} at ${format.time(time)}: ${this.show(value)}`;
    const step = stepAt(recorded, port.values.length, time);
    const [from, to] = [step, step + 1].map((at) => format.time((at * recorded[1]) / port.values.length));
    return `${port.name} from ${from} to ${to}: up to ${this.show(value)}`;
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener('pointerdown', (e) => {
      drag = { x: e.offsetX, moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (drag) drag.moved ||= Math.abs(e.offsetX - drag.x) > CLICK;
      this.hover(e.offsetX, e.offsetY);
    });
    canvas.addEventListener('pointerup', (e) => {
      const port = this.portAt(e.offsetY);
      if (drag?.moved)
        showRange(
          this.index,
          ...[drag.x, e.offsetX].map((x) => this.timeAt(Math.max(this.labels, x))).sort((a, b) => a - b),
          'strip',
        );
      else if (port) visit('port', { run: this.index, name: port.name }, 'fabric');
      drag = null;
      this.later();
    });
    canvas.addEventListener('dblclick', () => {
      showRange(this.index, -Infinity, Infinity, 'strip');
      this.later();
    });
    canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
      pointAt(this.index, null, 'strip');
      this.later();
    });
    canvas.addEventListener('keydown', (e) => this.key(e));
  }

  key(e) {
    const [from, to] = rangeOf(this.index);
    const move = (by) =>
      pointAt(
        this.index,
        Math.max(from, Math.min(to, (momentOf(this.index) ?? from) + (by * (to - from)) / 50)),
        'strip',
      );
    const acts = {
      ArrowUp: () => {
        this.current = Math.max(0, this.current - 1);
      },
      ArrowDown: () => {
        this.current = Math.min(this.ports.length - 1, this.current + 1);
      },
      ArrowLeft: () => move(-1),
      ArrowRight: () => move(1),
      Enter: () => visit('port', { run: this.index, name: this.ports[this.current].name }, 'fabric'),
    };
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
    this.later();
  }

  hover(x, y) {
    const port = this.portAt(y);
    const isOver = Boolean(port) && x >= this.labels;
    pointAt(this.index, isOver ? this.timeAt(x) : null, 'strip');
    this.later();
    const wrong = y < AXIS && x >= this.labels ? faultsAt(this.faults, this.timeAt(x)) : '';
    const text = wrong || (isOver ? this.textAt(port, this.timeAt(x)) : '');
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

  later() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (this.canvas.isConnected) this.paint();
    });
  }

  paint() {
    const { canvas } = this;
    const start = performance.now();
    const scale = window.devicePixelRatio || 1;
    canvas.style.height = `${this.height}px`;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(this.height * scale);
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.font = '11px system-ui, sans-serif';
    this.ports.forEach((port, r) =>
      this.paintRow(pen, port, AXIS + r * ROW, r === this.current && document.activeElement === canvas, scale),
    );
    this.paintAxis(pen);
    const [from, to] = rangeOf(this.index);
    Object.assign(canvas.dataset, {
      from,
      to,
      most: this.most,
      moment: momentOf(this.index) ?? '',
      ports: JSON.stringify(this.ports.map((p) => p.name)),
      milliseconds: (performance.now() - start).toFixed(1),
    });
  }

  paintRow(pen, port, y, isCurrent, scale) {
    const count = Math.max(1, Math.round(this.width * scale));
    const columns = columnsOf(port.values, recordedOf(this.index), rangeOf(this.index), count);
    for (let x = 0; x < count;) {
      const value = columns[x];
      let end = x + 1;
      while (end < count && columns[end] === value) ++end;
      if (value > 0) {
        pen.fillStyle = heat(value / this.most);
        pen.fillRect(this.labels + x / scale, y, (end - x) / scale, BAR);
      }
      x = end;
    }
    pen.fillStyle = isCurrent ? css('--link') : css('--ink');
    pen.save();
    pen.beginPath();
    pen.rect(0, y - 1, this.labels - 6, ROW);
    pen.clip();
    pen.fillText(port.name, 2, y + 11);
    pen.restore();
  }

  paintAxis(pen) {
    const [from, to] = rangeOf(this.index);
    const wide = stepOf([from, to], this.width);
    pen.fillStyle = css('--culprit');
    markFaults(this.faults, [from, to], (t) => this.placeOf(t), (x, width) => pen.fillRect(x, AXIS - FAULT - 1, width, FAULT));
    pen.fillStyle = css('--faint');
    const label = labeller(pen, this.labels + this.width, AXIS - 7);
    const times = [];
    for (let k = Math.ceil(from / wide); k * wide <= to; ++k) times.push(k * wide);
    format.apart(times, format.timeOnAxis).forEach((text, i) => {
      const x = this.placeOf(times[i]);
      pen.fillRect(x, AXIS - 6, 1, 4);
      label(text, x);
    });
    const moment = momentOf(this.index);
    if (moment === null || moment < from || moment > to) return;
    pen.fillStyle = css('--link');
    pen.fillRect(this.placeOf(moment), AXIS - 6, 1, this.height);
  }
}
