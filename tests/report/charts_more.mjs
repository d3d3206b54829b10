// Charts of the recordings that few runs have, read back: rates, goodput, waits for credits, strips of moments; and the
// distributions of several runs on one axis.

import assert from 'node:assert/strict';
import { SERIES, heatOn } from '../../tools/report/page/src/colour.js';
import * as format from '../../tools/report/page/src/format.js';
import { dataOf, isPainted, near, plots } from './charts.mjs';
import { curvesOf, momentOfFabric } from './charts_data.mjs';

/** Rates that senders may take, and what came of them: each flow's means, in bits per second. */
export async function rates(browser) {
  const tick = /^[\d.]+ [KMGT]?bps$/;
  await curvesOf(browser, { kind: 'rates', title: 'rates that senders may take', tick, isCrowded: true });
  await curvesOf(browser, { kind: 'goodput', title: 'goodput', tick, isCrowded: true });
  assert.ok(await browser.ask('document.querySelector("canvas.strip").closest("div:has(> h3)").hidden'), 'flows are no ports');
}

/** In the page: the colours of the first rows of the strip in the middle of some moments. */
function cells(places, count) {
  const canvas = document.querySelector('canvas.strip');
  const scale = canvas.width / canvas.clientWidth;
  const labels = canvas.clientWidth < 700 ? 120 : 210;
  const pen = canvas.getContext('2d');
  return places.map(([row, moment]) => {
    const x = Math.floor((labels + ((moment + 0.5) / count) * (canvas.clientWidth - labels)) * scale);
    return [...pen.getImageData(x, Math.round((20 + row * 15 + 6) * scale), 1, 1).data];
  });
}

/**
 * Of more queues than the page has curves for, the strip has the moments of all ports: those with most first, each cell
 * in the colour of its value, and a tip that says from when to when, and "up to".
 */
export async function stripOfMoments(browser) {
  const [run] = (await dataOf(browser)).runs;
  const { moments, left_out: missing } = run.series.queues;
  assert.ok(missing > 0);
  const lists = moments.ports.map((name, p) => {
    const list = [];
    for (let i = 0; i < moments.values[p].length; i += 2)
      list.push(...new Array(moments.values[p][i + 1]).fill((moments.values[p][i] / moments.shades) * moments.most));
    return { name, list, total: list.reduce((a, b) => a + b, 0) };
  });
  const order = lists.filter(({ total }) => total > 0).sort((a, b) => b.total - a.total).slice(0, 32);
  assert.deepEqual(JSON.parse(await browser.ask('document.querySelector("canvas.strip").dataset.ports')), order.map(({ name }) => name));
  const most = Math.max(...order.flatMap(({ list }) => list));
  const places = [0, 1, 2, 3, 4, 5].flatMap((row) => [3, 20, 41, 66, 90].map((moment) => [row, moment]));
  const pixels = await browser.ask(`(${cells})(${JSON.stringify(places)}, ${moments.count})`);
  places.forEach(([row, moment], k) => {
    const value = order[row].list[moment];
    const [r, g, b, alpha] = pixels[k];
    if (value === 0) assert.equal(alpha, 0, `${order[row].name} at ${moment}`);
    else {
      const wanted = heatOn(false, value / most).match(/\d+/g).map(Number);
      assert.ok(alpha > 0 && Math.abs(wanted[0] - r) + Math.abs(wanted[1] - g) + Math.abs(wanted[2] - b) < 12, `${order[row].name} at ${moment}: ${pixels[k]} for ${wanted}`);
    }
  });
  const moment = order[0].list.findIndex((value) => value > 0);
  await browser.ask(`(() => { const c = document.querySelector('canvas.strip'); const box = c.getBoundingClientRect(); const labels = c.clientWidth < 700 ? 120 : 210; c.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + labels + (c.clientWidth - labels) * ${(moment + 0.5) / moments.count}, clientY: box.top + 27 })); })()`);
  await browser.settle();
  const [from, to] = [moment, moment + 1].map((at) => format.time((at / moments.count) * run.summary.simulated_seconds));
  assert.equal(await browser.ask('document.querySelector("#series .tip").textContent'), `${order[0].name} from ${from} to ${to}: up to ${format.bytes(order[0].list[moment])}`);
}

/** Waits for credits: the share of the time, as curves, as a strip, and on the fabric at a moment. */
export async function credits(browser) {
  await curvesOf(browser, { kind: 'credits', title: 'share of time without credits', tick: /^[\d.]+ %$/, isCrowded: true });
  await momentOfFabric(browser, { kind: 'credits', title: 'without credits at a moment' });
}

/** Of two runs with one job each run has a colour, and its curve the points of that run. */
export async function distributionsOfRuns(browser) {
  const { runs } = await dataOf(browser);
  const [whole] = await plots(browser, 'distributions');
  const groups = runs.flatMap((run, i) => run.distributions.filter((g) => g.size === '' && g.count > 0 && (g.job !== '' || !run.distributions.some((o) => o.job !== ''))).map((g) => ({ ...g, run: i })));
  assert.deepEqual(new Set(whole.series.map((s) => s.label)).size, groups.length, 'each has a name of its own');
  groups.forEach((g, k) => {
    for (const [value, share] of new Map(g.slowdown.map(([p, v]) => [v, p])))
      assert.ok(whole.xs.some((x, i) => near(x, value) && near(whole.series[k].values[i] ?? -1, share)), `${whole.series[k].label}: ${value} at ${share}`);
  });
  isPainted(whole, 0.3);
  const jobs = new Set(groups.map((g) => g.job));
  const looks = await browser.ask("(({ series }) => series.slice(1).map((s, i) => [s._stroke ?? s.stroke(null, i + 1), (s.dash ?? []).length]))(document.querySelector('#distributions .chart').plot)");
  groups.forEach((g, k) => {
    const [colour, dash] = looks[k];
    assert.equal(colour, SERIES[jobs.size === 1 ? g.run : [...jobs].indexOf(g.job)], 'jobs are colours; of one job, runs are');
    assert.equal(dash > 0, jobs.size > 1 && g.run > 0, 'runs are dashes');
  });
}
