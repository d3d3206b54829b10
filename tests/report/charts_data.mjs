// More charts, read back from the page: other quantities, recordings, moments, storms, differences, the minimap.

import assert from 'node:assert/strict';
import { heatOn, difference, ofSlice } from '../../tools/report/page/src/colour.js';
import * as format from '../../tools/report/page/src/format.js';
import { dataOf, isPainted, near, plots } from './charts.mjs';

/** Takes a choice of a section by its words. */
export async function choose(browser, section, text) {
  await browser.ask(`(() => {
    const option = [...document.querySelectorAll('${section} option')].find((o) => o.textContent === ${JSON.stringify(text)});
    option.parentNode.value = option.value;
    option.parentNode.dispatchEvent(new Event('change'));
  })()`);
  await browser.settle();
}

const strokes = (browser) =>
  browser.ask('[...document.querySelectorAll("#fabric .cable")].map((n) => n.getAttribute("stroke"))');

/** Completion times of messages and latencies of packets: a curve for each job, in units of time. */
export async function otherDistributions(browser) {
  const [run] = (await dataOf(browser)).runs;
  for (const [title, groups] of [
    ['message completion time', run.distributions.filter((g) => g.job && !g.size && g.count > 0)],
    ['packet latency', run.latencies.filter((g) => g.job && !g.size)],
  ]) {
    await choose(browser, '#distributions', title);
    await browser.until('document.querySelectorAll("#distributions .chart canvas").length === 2');
    await browser.settle();
    const [whole, tail] = await plots(browser, 'distributions');
    assert.deepEqual(whole.series.map((s) => s.label), groups.map((g) => g.job), title);
    assert.ok(whole.x.ticks.filter(Boolean).every((t) => /^[\d.]+ [numk]?s$/.test(t)), whole.x.ticks.join());
    groups.forEach((g, k) => {
      for (const [value, share] of new Map(g.seconds.map(([p, v]) => [v, p]))) {
        const isThere = whole.xs.some((x, i) => near(x, value) && near(whole.series[k].values[i] ?? -1, share));
        assert.ok(isThere, `${title} of ${g.job}: ${value} at ${share}`);
      }
    });
    isPainted(whole, 0.4);
    assert.match(tail.y.label, /longer \(log\)/);
  }
  const p = run.summary.packet_latency_seconds;
  const cells = await browser.ask('[...document.querySelectorAll("#distributions .scroll td")].map((n) => n.textContent)');
  assert.deepEqual(cells, ['p50', 'p95', 'p99', 'p999', 'max'].map((name) => format.time(p[name])));
  const heads = await browser.ask('[...document.querySelectorAll("#distributions .scroll thead th")].map((n) => n.textContent)');
  assert.deepEqual(heads, ['', 'p50', 'p95', 'p99', 'p99.9', 'max'], 'as on the terminal');
}

/** Curves of a recording over time: its series in order, from 0 on, with its unit. */
export async function curvesOf(browser, { kind, title, tick, isCrowded = false }) {
  await choose(browser, '#series', title);
  await browser.until('document.querySelectorAll("#series .chart canvas").length === 1');
  await browser.settle();
  const [run] = (await dataOf(browser)).runs;
  const [plot] = await plots(browser, 'series');
  const { series, unit } = run.series[kind];
  assert.equal(plot.y.label, unit);
  assert.equal(plot.y.min, 0);
  assert.deepEqual(plot.series.map((s) => s.label), series.slice(0, 8).map((s) => s.name));
  plot.series.forEach((s, k) => assert.deepEqual(s.values, [...series[k].values, series[k].values.at(-1)]));
  assert.ok(plot.y.ticks.filter(Boolean).every((t) => t === '0' || tick.test(t)), plot.y.ticks.join());
  // Curves that jump between the same values lie on each other.
  if (!isCrowded) isPainted(plot, 0.3);
}

/** At a moment each line has the colour of its port with most, of the most of all moments. */
export async function momentOfFabric(browser, { kind, title }) {
  const [run] = (await dataOf(browser)).runs;
  const { moments } = run.series[kind];
  const lists = moments.ports.map((_, p) => {
    const list = [];
    for (let i = 0; i < moments.values[p].length; i += 2)
      list.push(...new Array(moments.values[p][i + 1]).fill(moments.values[p][i]));
    assert.equal(list.length, moments.count);
    return list;
  });
  // The moment at which most ports have something.
  const busy = Array.from({ length: moments.count }, (_, step) => lists.filter((list) => list[step] > 0).length);
  const step = busy.indexOf(Math.max(...busy));
  await choose(browser, '#fabric', title);
  await browser.ask(
    `(() => { const s = document.querySelector('#fabric input[type=range]'); s.value = ${step}; s.dispatchEvent(new Event('input')); })()`,
  );
  const values = new Map(moments.ports.map((name, p) => [name, (lists[p][step] / moments.shades) * moments.most]));
  assert.ok([...values.values()].some((v) => v > 0), `${kind} at ${step}`);
  const worst = run.fabric.lines.map(() => null);
  run.ports.names.forEach((name, p) => {
    const line = run.fabric.places[3 * p];
    if (line >= 0) worst[line] = Math.max(worst[line] ?? 0, values.get(name) ?? 0);
  });
  (await strokes(browser)).forEach((stroke, i) => {
    if (worst[i] !== null) assert.equal(stroke, heatOn(false, worst[i] / moments.most));
  });
  const said = await browser.ask('document.querySelector("#fabric .moment output").textContent');
  const [from, to] = [step, step + 1].map((s) => format.time((s / 100) * run.summary.simulated_seconds));
  assert.equal(said, `${from} to ${to}`);
}

/** Storms: a line for each, and in its tree who paused whom, with pauses and times. */
export async function storms(browser) {
  const [run] = (await dataOf(browser)).runs;
  const list = run.summary.pause_storms.storms;
  const shown = await browser.ask(`[...document.querySelectorAll('#storms .storm')].map((n) => [
    n.querySelector('summary').textContent, [...n.querySelectorAll('.tree li')].map((li) => {
      const own = li.querySelector(':scope > details > summary') ?? li;
      const up = li.parentNode.closest('li');
      return [own.textContent, up ? (up.querySelector(':scope > details > summary') ?? up).querySelector('button').textContent : null];
    })])`);
  assert.equal(shown.length, list.length);
  list.forEach((storm, i) => {
    const [head, branches] = shown[i];
    assert.ok(head.includes(`${format.number(storm.pauses)} pauses at ${format.number(storm.paused_ports)} ports`), head);
    assert.ok(head.endsWith(`${format.time(storm.paused_seconds)} in all`), head);
    assert.equal(branches.length, storm.tree.length);
    for (const { port, parent, pauses, paused_seconds: paused } of storm.tree) {
      const above = parent === null || parent === undefined ? null : storm.tree[parent].port;
      const text = `${port}: ${format.number(pauses)} pause${pauses === 1 ? '' : 's'}, ${format.time(paused)}, from `;
      assert.ok(branches.some(([said, up]) => said.startsWith(text) && up === above), `${text} below ${above}`);
    }
  });
}

/** Of two runs a line has the colour of what its port has more than in the first. */
export async function fabricOfDifferences(browser, { title, column }) {
  await choose(browser, '#fabric', title);
  const [first, second] = (await dataOf(browser)).runs;
  const before = new Map(first.ports.names.map((name, p) => [name, first.ports.columns[column][p]]));
  const more = second.ports.names.map((name, p) => second.ports.columns[column][p] - (before.get(name) ?? 0));
  const most = Math.max(...more.map(Math.abs));
  assert.ok(most > 0);
  const worst = second.fabric.lines.map(() => null);
  more.forEach((value, p) => {
    const line = second.fabric.places[3 * p];
    if (line >= 0 && (worst[line] === null || Math.abs(value) > Math.abs(worst[line]))) worst[line] = value;
  });
  const shown = await strokes(browser);
  assert.equal(shown.length, worst.length);
  shown.forEach((stroke, i) => {
    if (worst[i] !== null) assert.equal(stroke, difference(worst[i] / most), second.fabric.lines[i].title);
  });
  const legend = await browser.ask('document.querySelector("#fabric .scale").textContent');
  assert.ok(legend.includes(format.byName(column, most)) && legend.includes('more than in the first run'), legend);
}

/** In the page: shares of colours of the minimap, right of its label, inside its window. */
function coloursOfMinimap() {
  const canvas = document.querySelector('canvas.minimap');
  const { data } = canvas.getContext('2d').getImageData(213, 3, canvas.width - 216, canvas.height - 6);
  const shares = {};
  for (const pixel of new Uint32Array(data.buffer)) {
    const colour = `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
    shares[colour] = (shares[colour] ?? 0) + 4 / data.length;
  }
  return shares;
}

/** The strip above the timeline is the critical path of the whole run: of each colour as much as there is time. */
export async function minimap(browser) {
  const { timeline } = (await dataOf(browser)).runs[0];
  const track = timeline.tracks.find((t) => t.name === 'critical path');
  const wanted = {};
  let whole = 0;
  for (let i = 0; i < track.slices.length; i += 4) {
    const colour = ofSlice(timeline.names[track.slices[i + 2]], true);
    wanted[colour] = (wanted[colour] ?? 0) + track.slices[i + 1];
    whole += track.slices[i + 1];
  }
  const shown = await browser.ask(`(${coloursOfMinimap})()`);
  for (const [colour, time] of Object.entries(wanted))
    assert.ok(Math.abs((shown[colour] ?? 0) - time / whole) < 0.02, `${colour}: ${shown[colour]} for ${time / whole}`);
}
