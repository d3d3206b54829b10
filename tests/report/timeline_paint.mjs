// What the timeline paints, pixel by pixel, against the slices of the page's data.

import assert from 'node:assert/strict';
import { ofSlice } from '../../tools/report/page/src/colour.js';

/** Of `timeline_paint.js`, in pixels of the page: where slices begin, and what they have of a row. */
const [LEFT, BAR] = [210, 14];

/** Numbers that look random, and are the same each time. */
function randomly(seed) {
  let state = seed;
  return () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
}

/**
 * A critical path without gaps, whose slices are long and short in turn; a track whose slices have gaps; one with
 * slices in each other; and one with few short slices.
 */
export function timelineText() {
  const lines = [];
  const random = randomly(7);
  const any = (list) => list[Math.floor(random() * list.length)];
  const track = (number, name) => lines.push({ ph: 'M', pid: 1, tid: number, name: 'thread_name', args: { name } });
  const slice = (tid, ts, dur, name, args) => lines.push({ ph: 'X', pid: 1, tid, ts, dur, name, ...(args ? { args } : {}) });
  lines.push({ ph: 'M', pid: 1, name: 'process_name', args: { name: 'job j' } });
  track(1, 'critical path');
  for (let at = 0; at < 110_000;) {
    const dur = random() < 0.05 ? 2000 * random() : 10 * random() ** 3 + 0.001;
    slice(1, at, dur, any(['compute', 'queueing', 'serialisation', 'propagation', 'straggler']), { port: 'h0->leaf0[0]' });
    at += dur;
  }
  track(2, 'messages');
  for (let at = 50; at < 110_000;) {
    const dur = 400 * random() ** 6 + 0.01;
    slice(2, at, dur, `${any(['send', 'receive', 'reduce'])} ${Math.floor(9 * random())}`);
    at += dur + 500 * random() ** 6;
  }
  track(3, 'steps');
  for (let at = 0; at < 110_000; at += 11_000) {
    slice(3, at, 10_000, 'iteration 1');
    for (let i = 0; i < 300; ++i) slice(3, at + 30 * i, 30 * random(), any(['forward 1', 'backward 2']));
  }
  track(4, 'rare');
  for (let i = 0; i < 5; ++i) slice(4, 20_000 * i + 3, 0.5, 'retry 1');
  return `{"displayTimeUnit":"ns","traceEvents":[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]}\n`;
}

const colourOf = (track, name) => ofSlice(name, track.name === 'critical path');

/** In a window the share of each colour: of slices, and of what lies in one, the innermost counts. */
function sharesOfData({ names, tracks }, from, to) {
  return tracks.map((track) => {
    const shares = {};
    const open = [];
    let at = 0;
    const end = (until) => {
      while (open.length && open.at(-1).end <= until) {
        const { end: last, colour } = open.pop();
        count(colour, at, last);
        at = Math.max(at, last);
      }
      if (open.length) count(open.at(-1).colour, at, until);
      at = Math.max(at, until);
    };
    const count = (colour, begin, last) => {
      const time = Math.min(to, last) - Math.max(from, begin);
      if (time > 0) shares[colour] = (shares[colour] ?? 0) + time / (to - from);
    };
    let begin = 0;
    for (let i = 0; i < track.slices.length; i += 4) {
      begin += track.slices[i];
      end(begin);
      open.push({ end: begin + track.slices[i + 1], colour: colourOf(track, names[track.slices[i + 2]]) });
    }
    end(Infinity);
    return shares;
  });
}

/** In the page: the share of each colour in the bars of rows at some heights. */
function sharesOfPixels(heights, left, bar) {
  const canvas = document.querySelector('canvas.timeline');
  const scale = window.devicePixelRatio;
  const x = Math.round(left * scale);
  const width = canvas.width - x;
  const height = Math.round(bar * scale);
  return heights.map((y) => {
    const { data } = canvas.getContext('2d').getImageData(x, Math.round((y + 1) * scale), width, height);
    const counts = new Map();
    for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    return Object.fromEntries([...counts].map(([pixel, count]) => {
      const colour = `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
      return [colour, count / (width * height)];
    }));
  });
}

const ZOOMS = 10;

/** Ten zooms, at each pixel ratio another place: within half a percent of the row, whatever is how short. */
export async function paintsWhatThereIs(browser, file) {
  for (const ratio of [1, 1.5, 2]) {
    await browser.view({ ratio });
    await browser.open(file);
    // Words lie over slices.
    await browser.ask('(() => { for (const name of ["fillText", "strokeText"]) CanvasRenderingContext2D.prototype[name] = () => {}; })()');
    const [pixels, places] = await browser.ask('(({ width, clientWidth }) => [width, clientWidth * devicePixelRatio])(document.querySelector("canvas.timeline"))');
    assert.ok(Math.abs(pixels - places) <= 1, `${pixels} pixels for ${places} of the screen`);
    const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
    const rows = await browser.ask('JSON.parse(document.querySelector("canvas.timeline").dataset.rows).filter((row) => row.kind === "track")');
    assert.deepEqual(rows.map((row) => row.title), ['critical path', 'rare', 'steps', 'messages']);
    const order = rows.map((row) => timeline.tracks.find((track) => track.name === row.title));
    const heights = JSON.stringify(rows.map((row) => row.y));
    const known = [...new Set(order.flatMap((track) => timeline.names.map((name) => colourOf(track, name))))];
    for (let zoom = 0; zoom < ZOOMS; ++zoom) {
      const { from, to } = await browser.ask('({ ...document.querySelector("canvas.timeline").dataset })');
      const wanted = sharesOfData({ ...timeline, tracks: order }, Number(from), Number(to));
      const painted = await browser.ask(`(${sharesOfPixels})(${heights}, ${LEFT}, ${BAR})`);
      for (const [r, track] of order.entries()) {
        for (const colour of known) {
          const [is, should] = [painted[r][colour] ?? 0, wanted[r][colour] ?? 0];
          assert.ok(Math.abs(is - should) < 0.005, `${track.name}, ${colour} at zoom ${zoom}, ratio ${ratio}: ${is} for ${should}`);
        }
        assert.ok(track.name !== 'rare' || zoom > 0 || painted[r][ofSlice('retry 1', false)] > 0, 'what is rare is seen');
      }
      const keys = zoom % 3 === ratio ? ['+', 'ArrowLeft', 'ArrowLeft'] : ['+', 'ArrowRight'];
      await browser.ask(`for (const key of ${JSON.stringify(keys)}) document.querySelector('canvas.timeline').dispatchEvent(new KeyboardEvent('keydown', { key }))`);
      await browser.settle();
    }
  }
  await browser.view();
}
