// The moments of a run: a slider, and a button that plays them.

import { el, replace } from './dom.js';
import { MOMENT_COUNT } from './moments.js';
import { pointAt, recordedOf, stepAt } from './time_range.js';
import * as format from './format.js';

/** Milliseconds for each moment of a play, which takes six seconds. */
const FRAME = 60;

/** A slider over the moments of the run, tied to the time that other parts point at, and a button that plays them. */
export class Moments {
  constructor(act) {
    this.act = act;
    this.slider = el('input', {
      type: 'range',
      min: 0,
      max: MOMENT_COUNT - 1,
      value: 0,
      'aria-label': 'moment',
      oninput: () => this.tell(),
    });
    this.said = el('output', {});
    this.button = el('button', { type: 'button', 'aria-label': 'play', onclick: () => this.toggle() }, '▶');
    this.node = el('span', { class: 'moment' }, this.button, this.slider, this.said);
  }

  get step() {
    return Number(this.slider.value);
  }
  set step(value) {
    this.slider.value = String(value);
  }

  /** Of which run. */
  use(run) {
    this.run = run;
  }

  show() {
    const [from, to] = recordedOf(this.run);
    const width = (to - from) / MOMENT_COUNT;
    replace(
      this.said,
      document.createTextNode(
        `${format.time(from + this.step * width)} to ${format.time(from + (this.step + 1) * width)}`,
      ),
    );
  }

  tell() {
    const [from, to] = recordedOf(this.run);
    pointAt(this.run, from + ((this.step + 0.5) / MOMENT_COUNT) * (to - from), 'fabric');
    this.act();
  }

  /** Follows the moment of other parts of the page. */
  follow(moment) {
    const [from, to] = recordedOf(this.run);
    const step = stepAt([from, to], MOMENT_COUNT, Math.max(from, Math.min(to, moment)));
    if (step === this.step) return;
    this.step = step;
    this.act();
  }

  toggle() {
    if (this.timer) this.stop();
    else this.start();
  }
  start() {
    if (this.step >= MOMENT_COUNT - 1) this.step = 0;
    this.timer = setInterval(() => {
      if (this.step >= MOMENT_COUNT - 1 || !this.node.isConnected) {
        this.stop();
        return;
      }
      this.step += 1;
      this.tell();
    }, FRAME);
    this.name('pause', '❚❚');
  }
  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.name('play', '▶');
  }
  name(text, sign) {
    this.button.setAttribute('aria-label', text);
    this.button.textContent = sign;
  }
}
