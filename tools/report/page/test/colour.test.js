import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { heatOn, inkOn } from '../src/colour.js';
import { WIDE } from '../src/sweep_points.js';

const light = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const channels = (colour) => colour.match(/\d+/g).map((v) => light(Number(v)));
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

/** What is left of a colour without red or without green cones (Vienot, Brettel and Mollon 1999). */
const EYES = {
  all: (c) => c,
  'no red': ([r, g, b]) => [0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * r - 0.00401 * g + b],
  'no green': ([r, g, b]) => [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b],
};

test('magnitudes are in one order of lightness for every eye, in light and dark', () => {
  for (const [eye, seen] of Object.entries(EYES)) {
    for (const isDark of [false, true]) {
      const steps = Array.from({ length: 11 }, (_, i) => luminance(seen(channels(heatOn(isDark, i / 10)))));
      for (let i = 1; i < steps.length; ++i) {
        assert.ok(isDark ? steps[i] > steps[i - 1] : steps[i] < steps[i - 1], `${eye}, ${isDark ? 'dark' : 'light'}: ${i}`);
      }
      assert.ok(contrast(steps[0], steps.at(-1)) > 4, eye);
    }
  }
});

test('what stands in a cell is readable on each of its colours', () => {
  for (const isDark of [false, true]) {
    for (let i = 0; i <= 100; ++i) {
      const colour = heatOn(isDark, i / 100);
      assert.ok(contrast(luminance(channels(colour)), inkOn(colour) === '#000' ? 0 : 1) >= 4.5, colour);
    }
  }
});

// `weft plot` writes gnuplot's palette, and the page its own: both are read.
test('heat maps have the same colours, and the same ink on them, as a PNG of weft plot', () => {
  const plot = readFileSync(new URL('../../../sweep/report/plot.cpp', import.meta.url), 'utf8');
  const [, text] = /set palette defined \(((?:.|\n)*?)\)\\n/.exec(plot);
  const stops = [...text.replaceAll(/"\s*"/g, '').matchAll(/([\d.]+) '#([0-9a-f]{6})'/g)].map(([, at, hex]) => [Number(at), hex.match(/../g).map((v) => Number.parseInt(v, 16))]);
  assert.equal(stops.length, 6);
  for (const [at, rgb] of stops) assert.equal(heatOn(false, at), `rgb(${rgb.join(' ')})`, `${at}`);
  assert.equal(Number(/constexpr double kWideSpan = (\d+);/.exec(plot)[1]), WIDE, 'both are logarithmic from the same span on');
  // Between two stops both mix evenly.
  for (let i = 1; i < stops.length; ++i) assert.ok(Math.abs(stops[i][0] - i / 5) < 1e-12);
  const threshold = Number(/constexpr double kWhiteInkFrom = ([\d.]+);/.exec(plot)[1]);
  for (let i = 0; i <= 100; ++i) assert.equal(inkOn(heatOn(false, i / 100)), i / 100 > threshold ? '#fff' : '#000', `${i / 100}`);
});
