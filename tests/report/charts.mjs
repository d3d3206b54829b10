// What charts show, read back from the page: values, order, units, and that they are painted where they belong.

import assert from 'node:assert/strict';
import { heatOn, ofCause } from '../../tools/report/page/src/colour.js';
import { WIDE } from '../../tools/report/page/src/sweep_points.js';
import * as format from '../../tools/report/page/src/format.js';

export const dataOf = (browser) => browser.ask('JSON.parse(document.getElementById("data").textContent)');

/** In the page: the charts of a section, and of each curve at how many of its points its colour is painted. */
function plotsOf(section) {
  const rgb = (text) => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  return [...document.querySelectorAll(`#${section} .chart`)].map((frame) => {
    const u = frame.plot;
    const pen = u.ctx;
    const isNear = (x, y, colour) => {
      const { data } = pen.getImageData(Math.round(x) - 3, Math.round(y) - 3, 7, 7);
      for (let i = 0; i < data.length; i += 4)
        if ([0, 1, 2].every((c) => Math.abs(data[i + c] - colour[c]) < 40) && data[i + 3] > 100) return true;
      return false;
    };
    const axis = (i, scale) => ({
      label: u.axes[i].label,
      min: u.scales[scale].min,
      max: u.scales[scale].max,
      ticks: u.axes[i]._values,
    });
    const series = u.series.slice(1).map((s, k) => {
      const colour = rgb(s.stroke(u, k + 1));
      const values = u.data[k + 1];
      const known = values.flatMap((v, i) =>
        v === null ||
        v === undefined ||
        u.data[0][i] < u.scales.x.min ||
        u.data[0][i] > u.scales.x.max ||
        v < u.scales.y.min ||
        v > u.scales.y.max
          ? []
          : [i],
      );
      // Later curves are painted over this one.
      const isOver = (i) =>
        u.data
          .slice(k + 2)
          .some((other) => Math.abs(u.valToPos(other[i] ?? NaN, 'y', true) - u.valToPos(values[i], 'y', true)) < 5);
      const tried = known.filter((i) => !isOver(i)).filter((_, n) => n % Math.ceil(known.length / 40) === 0);
      const painted = tried.filter((i) =>
        isNear(u.valToPos(u.data[0][i], 'x', true), u.valToPos(values[i], 'y', true), colour),
      );
      return { label: s.label, values: [...values], tried: tried.length, painted: painted.length };
    });
    return { label: frame.getAttribute('aria-label'), x: axis(0, 'x'), y: axis(1, 'y'), xs: [...u.data[0]], series };
  });
}
export const plots = (browser, section) => browser.ask(`(${plotsOf})(${JSON.stringify(section)})`);

/** Other curves cross a curve, and dashed ones have gaps. */
export function isPainted(plot, least = 0.6) {
  for (const { label, tried, painted } of plot.series)
    assert.ok(!tried || painted >= least * tried, `${plot.label}, ${label}: ${painted} of ${tried} points`);
  const all = plot.series.reduce((sum, s) => [sum[0] + s.painted, sum[1] + s.tried], [0, 0]);
  assert.ok(all[0] > 0.7 * all[1], `${plot.label}: ${all}`);
}

export const near = (a, b, within = 1e-6) => Math.abs(a - b) <= within * Math.max(Math.abs(a), Math.abs(b), 1e-300);

/** Each curve has the points of its job, as shares of messages. */
export async function distributions(browser) {
  const [run] = (await dataOf(browser)).runs;
  const [whole, tail] = await plots(browser, 'distributions');
  isPainted(whole);
  assert.deepEqual([whole.y.min, whole.y.max], [0, 1]);
  assert.match(whole.x.label, /^slowdown \(log\)$/);
  assert.match(tail.y.label, /longer \(log\)/);
  assert.ok(
    whole.x.ticks.filter(Boolean).every((t) => t.endsWith('x')),
    whole.x.ticks.join(),
  );
  const jobs = run.distributions.filter((g) => g.size === '' && g.job !== '' && g.count > 0);
  assert.deepEqual(
    whole.series.map((s) => s.label),
    jobs.length ? jobs.map((g) => g.job) : ['all jobs'],
  );
  jobs.forEach((g, k) => {
    // Of messages that took the same, all took at most this.
    for (const [value, share] of new Map(g.slowdown.map(([p, v]) => [v, p]))) {
      const i = whole.xs.findIndex((x, at) => near(x, value) && near(whole.series[k].values[at] ?? -1, share));
      assert.ok(i >= 0, `${g.job}: ${value} at ${share}`);
      const tailed = Math.max(...g.slowdown.filter(([p, v]) => v === value && p < 1).map(([p]) => p));
      if (share < 1)
        assert.ok(
          tail.xs.some((x, at) => near(x, value) && near(tail.series[k].values[at] ?? -1, 1 - tailed)),
          `${g.job} in the tail: ${value}`,
        );
    }
  });
}

/** In the page: between the two points of the highest jump upwards, is the curve painted low at three quarters of the way? */
function jumpOf(section) {
  const u = document.querySelector(`#${section} .chart`).plot;
  const scale = window.devicePixelRatio;
  const [times, values] = u.data;
  let at = 1;
  for (let i = 1; i < values.length - 1; ++i) if (values[i] - values[i - 1] > values[at] - values[at - 1]) at = i;
  // A range of a few steps around the jump makes a step wider than the pen.
  history.replaceState(null, '', `#${section}?from=${times[Math.max(0, at - 2)]}&to=${times[Math.min(times.length - 1, at + 2)]}`);
  window.dispatchEvent(new PopStateEvent('popstate'));
  return new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const x = u.valToPos(times[at - 1] + 0.75 * (times[at] - times[at - 1]), 'x', true);
      const [low, between] = [values[at - 1], values[at - 1] + 0.75 * (values[at] - values[at - 1])].map((v) => u.valToPos(v, 'y', true));
      const isPainted = (y) => {
        const { data } = u.ctx.getImageData(Math.round(x) - 2, Math.round(y) - 2 * scale, 4, 4 * scale);
        for (let i = 3; i < data.length; i += 4) if (data[i] > 200) return true;
        return false;
      };
      done({ low: isPainted(low), between: isPainted(between), jump: values[at] - values[at - 1] });
    }));
  });
}

/** What jumps is drawn as a step: it stays low until it jumps, and nothing lies on the slope between the two values. */
async function isStepped(browser, section) {
  const { low, between, jump } = await browser.ask(`(${jumpOf})(${JSON.stringify(section)})`);
  assert.ok(jump > 0 && low && !between, JSON.stringify({ low, between, jump }));
  await browser.ask(`(() => { history.replaceState(null, '', '#${section}?from=0&to=1e9'); window.dispatchEvent(new PopStateEvent('popstate')); })()`);
  await browser.settle();
}

/** The strip and the curves say the same of a moment that either points at, and it is that of the data. */
export async function oneValueForOneMoment(browser) {
  const [run] = (await dataOf(browser)).runs;
  const { series, step } = run.series.queues;
  // A port with one class, whose curve is shown; and a step before a jump, of which a slope would say another value.
  const k = series.slice(0, 8).findIndex(({ name }) => series.filter((s) => s.name.startsWith(`${name.slice(0, name.lastIndexOf(' '))} `)).length === 1);
  assert.ok(k >= 0);
  const { name, values } = series[k];
  const port = name.slice(0, name.lastIndexOf(' '));
  const at = values.findIndex((v, i) => i > 0 && i < values.length - 1 && values[i + 1] > 1.5 * v && v > 0);
  assert.ok(at > 0, name);
  for (const share of [0.1, 0.9]) {
    const moment = (at + share) * step;
    const row = JSON.parse(await browser.ask('document.querySelector("canvas.strip").dataset.ports')).indexOf(port);
    // Zoomed, so that a pixel is less than a step.
    await browser.ask(`(() => {
      const canvas = document.querySelector('canvas.strip');
      const box = canvas.getBoundingClientRect();
      const labels = canvas.clientWidth < 700 ? 120 : 210;
      const x = labels + (${moment} / ${values.length * step}) * (canvas.clientWidth - labels);
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + x, clientY: box.top + ${20 + row * 15 + 6} }));
    })()`);
    await browser.settle();
    const pointed = Number(await browser.ask('document.querySelector("canvas.strip").dataset.moment'));
    const value = values[Math.floor(pointed / step)];
    const tip = await browser.ask('document.querySelector("#series .tip").textContent');
    assert.equal(tip, `${port} at ${format.time(pointed)}: ${format.bytes(value)}`);
    const legend = await browser.ask(`[...document.querySelectorAll('#series .u-series')][${k + 1}].textContent`);
    assert.ok(legend.startsWith(name) && legend.endsWith(format.bytes(value)), `${legend} for ${tip}`);
    assert.ok((await browser.ask("document.querySelector('#series .u-series').textContent")).endsWith(format.time(pointed)), 'the moment itself');
  }
  // The other way round: the curve's pointer leads the strip.
  const over = "document.querySelector('#series .chart .u-over')";
  await browser.ask(`(() => { const box = ${over}.getBoundingClientRect(); for (const type of ['mouseenter', 'mousemove']) ${over}.dispatchEvent(new MouseEvent(type, { clientX: box.left + box.width * 0.42, clientY: box.top + 30, bubbles: true })); })()`);
  await browser.settle();
  const moment = Number(await browser.ask('document.querySelector("canvas.strip").dataset.moment'));
  assert.ok(Math.abs(moment / (values.length * step) - 0.42) < 0.01, `${moment}`);
  const legend = await browser.ask(`[...document.querySelectorAll('#series .u-series')][${k + 1}].textContent`);
  assert.ok(legend.endsWith(format.bytes(values[Math.floor(moment / step)])), legend);
}

/** Curves over time are those of the data, from 0 on, in the unit of the recording. */
export async function overTime(browser) {
  const [run] = (await dataOf(browser)).runs;
  const [plot] = await plots(browser, 'series');
  isPainted(plot);
  const { unit, series, step } = run.series.queues;
  assert.equal(plot.y.label, unit);
  assert.equal(plot.y.min, 0);
  assert.ok(
    plot.y.ticks.filter(Boolean).every((t) => t === '0' || /^[\d.]+ [KMG]?i?B$/.test(t)),
    plot.y.ticks.join(),
  );
  assert.deepEqual(
    plot.series.map((s) => s.label),
    series.slice(0, 8).map((s) => s.name),
  );
  // Steps: each value holds from its begin on, and the last one until the end.
  plot.series.forEach((s, k) => assert.deepEqual(s.values, [...series[k].values, series[k].values.at(-1)]));
  assert.ok(near(plot.xs[10], 10 * step) && near(plot.xs.at(-1), series[0].values.length * step));
  await isStepped(browser, 'series');
}

/** In the page: colours of the strip at some places, [row, share of the time] each. */
function stripPixels(places) {
  const canvas = document.querySelector('canvas.strip');
  const scale = canvas.width / canvas.clientWidth;
  const pen = canvas.getContext('2d');
  return places.map(([row, share]) => {
    const x = Math.floor((210 + share * (canvas.clientWidth - 210)) * scale);
    return [...pen.getImageData(x, Math.round((20 + row * 15 + 6) * scale), 1, 1).data];
  });
}

/** A cell of the strip has the colour of the greatest value of its time; ports with most stand first. */
export async function strip(browser, kind = 'queues', show = format.bytes) {
  const [run] = (await dataOf(browser)).runs;
  const { series, left_out: missing } = run.series[kind];
  assert.equal(missing, 0);
  const sums = new Map();
  for (const { name, values } of series) {
    const port = name.slice(0, name.lastIndexOf(' '));
    sums.set(
      port,
      values.map((v, i) => v + (sums.get(port)?.[i] ?? 0)),
    );
  }
  const total = (list) => list.reduce((a, b) => a + b, 0);
  const order = [...sums]
    .filter(([, v]) => total(v) > 0)
    .sort((a, b) => total(b[1]) - total(a[1]))
    .slice(0, 32);
  const most = Math.max(...order.flatMap(([, v]) => v));
  const shown = await browser.ask('({ ...document.querySelector("canvas.strip").dataset })');
  assert.deepEqual(
    JSON.parse(shown.ports),
    order.map(([name]) => name),
  );
  assert.equal(Number(shown.most), most);
  const legend = await browser.ask('document.querySelector("#series .scale").textContent');
  assert.ok(legend.includes(show(most)), legend);
  const places = order
    .slice(0, 10)
    .flatMap((_, row) => [0.11, 0.23, 0.37, 0.52, 0.71, 0.88].map((share) => [row, share]));
  const pixels = await browser.ask(`(${stripPixels})(${JSON.stringify(places)})`);
  places.forEach(([row, share], k) => {
    // A pixel is wider than a step or narrower: one of the steps that it touches has its colour.
    const at = Math.floor(share * 800);
    const values = [at - 1, at, at + 1, at + 2].map((i) => order[row][1][i] ?? 0);
    const colours = values.map((v) =>
      v > 0
        ? heatOn(false, v / most)
            .match(/\d+/g)
            .map(Number)
        : null,
    );
    const [r, g, b, alpha] = pixels[k];
    const isOne = colours.some((c) =>
      c ? alpha > 0 && Math.abs(c[0] - r) + Math.abs(c[1] - g) + Math.abs(c[2] - b) < 12 : alpha === 0,
    );
    assert.ok(isOne, `${order[row][0]} at ${share}: ${pixels[k]} for ${colours.map(String).join(' | ')}`);
  });
}

/** Each arrow points from the box of the port to the box of its peer. */
async function pointsWhereItSends(browser, { ports, fabric: { places, boxes } }) {
  const heads = await browser.ask(
    `[...document.querySelectorAll('#fabric .direction:not([hidden])')].map((n) => [n.dataset.port, Number(/rotate\\(([-\\d.]+)/.exec(n.getAttribute('transform'))[1])])`,
  );
  for (const [name, degrees] of heads) {
    const p = ports.names.indexOf(name);
    const [from, to] = [1, 2].map((end) => boxes[places[3 * p + end]]);
    const [dx, dy] = [to.x + to.w / 2 - from.x - from.w / 2, to.y + to.h / 2 - from.y - from.h / 2];
    const angle = (degrees * Math.PI) / 180;
    const along = (dx * Math.cos(angle) + dy * Math.sin(angle)) / Math.hypot(dx, dy);
    assert.ok(along > 0.7, `${name} points ${degrees} degrees`);
  }
}

/** Lines of the fabric have the colour of their worst port, an arrow the way it sends, and the culprit a ring. */
export async function fabric(browser, { metric, column, culprit }) {
  const [run] = (await dataOf(browser)).runs;
  assert.equal(
    await browser.ask('[...document.querySelectorAll("#fabric select")].at(-1).selectedOptions[0].textContent'),
    metric,
  );
  const values = run.ports.columns[column];
  const top = Math.max(...values);
  const worst = run.fabric.lines.map(() => -1);
  run.ports.names.forEach((_, p) => {
    const line = run.fabric.places[3 * p];
    if (line >= 0 && (worst[line] < 0 || values[p] > values[worst[line]])) worst[line] = p;
  });
  const strokes = await browser.ask(
    '[...document.querySelectorAll("#fabric .cable")].map((n) => n.getAttribute("stroke"))',
  );
  strokes.forEach((stroke, i) => {
    if (worst[i] >= 0) assert.equal(stroke, heatOn(false, values[worst[i]] / top), run.ports.names[worst[i]]);
  });
  const heads = await browser.ask(
    '[...document.querySelectorAll("#fabric .direction:not([hidden])")].map((n) => n.dataset.port)',
  );
  assert.ok(heads.length > 0 && heads.every((port) => worst.some((p) => run.ports.names[p] === port)), heads.join());
  await pointsWhereItSends(browser, run);
  assert.ok(heads.includes(run.ports.names[values.indexOf(top)]));
  assert.ok(
    (await browser.ask('document.querySelector("#fabric .scale").textContent')).includes(`culprit: ${culprit}`),
  );
  assert.ok((await browser.ask('document.querySelectorAll("#fabric .culprit").length')) > 0);
  const legend = await browser.ask('document.querySelector("#fabric .scale").textContent');
  assert.ok(legend.includes(format.byName(column, top)), legend);
}

/** Plays moments: the slider, the line in the strip, and the colours of the fabric move together. */
export async function plays(browser, kind = 'queues', unit = /B$/) {
  await browser.ask(
    `(() => { const list = [...document.querySelectorAll('#fabric select')].at(-1); list.value = 'at ${kind}'; list.dispatchEvent(new Event('change')); })()`,
  );
  const step = () => browser.ask('Number(document.querySelector("#fabric input[type=range]").value)');
  const strokes = () =>
    browser.ask('[...document.querySelectorAll("#fabric .cable")].map((n) => n.getAttribute("stroke")).join()');
  const [before, colours] = [0, await strokes()];
  await browser.ask(
    `(() => { const s = document.querySelector('#fabric input[type=range]'); s.value = 0; s.dispatchEvent(new Event('input')); })()`,
  );
  await browser.ask('document.querySelector("#fabric .moment button").click()');
  await browser.until(`Number(document.querySelector("#fabric input[type=range]").value) >= ${before + 5}`);
  await browser.ask('document.querySelector("#fabric .moment button").click()');
  assert.notEqual(await strokes(), colours);
  const stopped = await step();
  await browser.settle();
  const [run] = (await dataOf(browser)).runs;
  const moment = Number(await browser.ask('document.querySelector("canvas.strip").dataset.moment'));
  assert.ok(near(moment, ((stopped + 0.5) / 100) * run.summary.simulated_seconds), `${moment} at step ${stopped}`);
  await browser.settle();
  assert.equal(await step(), stopped);
  await browser.ask(
    `(() => { const c = document.querySelector('canvas.strip'); const box = c.getBoundingClientRect(); c.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 210 + (box.width - 210) * 0.605, clientY: box.top + 27 })); })()`,
  );
  await browser.settle();
  assert.equal(await step(), 60, 'the fabric shows the moment that the strip points at');
  const tip = await browser.ask('document.querySelector("#series .tip").textContent');
  assert.match(tip, /->.* at .*: /);
  assert.match(tip, unit);
}

/** Pieces of a bar that lies: in the order of causes, as wide as their shares, in their colours, with their times. */
export async function lyingBars(browser) {
  const [run] = (await dataOf(browser)).runs;
  const shown = await browser.ask(
    `[...document.querySelectorAll('#blame .lying')].map((bar) => ({ job: bar.closest('article').querySelector('h3').textContent, width: bar.getBoundingClientRect().width, pieces: [...bar.children].map((n) => [n.getAttribute('aria-label'), n.getBoundingClientRect().width, n.style.background]) }))`,
  );
  const jobs = shown.map((bar) => run.blame.find(({ job }) => job === bar.job));
  assert.equal(jobs.length, run.blame.filter((job) => job.bars.seconds.length === 1).length);
  // The job that the answer is about stands first.
  const answer = await browser.ask('document.querySelector("#overview .answer").textContent');
  assert.ok(answer.includes(`${shown[0].job} took`), answer);
  jobs.forEach((job, j) => {
    const [values] = job.bars.seconds;
    const whole = values.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(whole - job.seconds) < 1e-6 * job.seconds, 'the pieces are all of it');
    shown[j].pieces.forEach(([label, width, background], c) => {
      assert.ok(label.startsWith(`${job.causes[c]}: ${format.time(values[c])}`), label);
      assert.ok(Math.abs(width - shown[j].width * (values[c] / whole)) < 2 * values.length + 2, `${label}: ${width}`);
      assert.equal(
        background,
        `rgb(${[1, 3, 5].map((at) => parseInt(ofCause(job.causes[c]).slice(at, at + 2), 16)).join(', ')})`,
      );
    });
  });
}

/** Bars that stand: a piece for each iteration and cause, as high as its time on one scale from 0. */
export async function standingBars(browser) {
  const [run] = (await dataOf(browser)).runs;
  const job = run.blame.find((one) => one.bars.seconds.length > 1);
  const rects = await browser.ask(
    `[...document.querySelectorAll('#blame svg.bars g')].map((g) => [...g.children].map((n) => [Number(n.getAttribute('y')), Number(n.getAttribute('height')), n.querySelector('title').textContent]))`,
  );
  assert.equal(rects.length, job.bars.seconds.length);
  const most = Math.max(...job.bars.seconds.map((values) => values.reduce((a, b) => a + b, 0)));
  rects.forEach((pieces, i) => {
    let floor = 200;
    pieces.forEach(([y, height, title], c) => {
      assert.ok(Math.abs(height - (200 * job.bars.seconds[i][c]) / most) < 1e-6);
      assert.ok(Math.abs(y + height - floor) < 1e-6, 'one on the other');
      assert.ok(title.includes(`${job.causes[c]}: ${format.time(job.bars.seconds[i][c])}`), title);
      floor = y;
    });
  });
  assert.ok(
    (await browser.ask('document.querySelector("#blame .bars-axis").textContent')).includes(
      `longest ${format.time(most)}`,
    ),
  );
}

/** Of a sweep: lines and front have the means of points, and cells of the heat map their texts and colours. */
export async function sweep(browser) {
  const { sweep: data } = await dataOf(browser);
  const mean = (fits, metric) => {
    const values = data.points.filter((p) => p.counts && fits(p)).map((p) => p.metrics[metric]);
    return values.reduce((a, b) => a + b, 0) / values.length;
  };
  const sizes = [...new Set(data.points.map((p) => p.texts[0]))];
  const spines = [...new Set(data.points.map((p) => p.texts[1]))];
  const [lines] = await plots(browser, 'lines');
  assert.deepEqual(
    lines.series.map((s) => s.label),
    spines.map((s) => `spines ${s}`),
  );
  lines.series.forEach((s, k) =>
    s.values.forEach((v, i) =>
      assert.ok(
        near(
          v,
          mean((p) => p.texts[0] === sizes[i] && p.texts[1] === spines[k], 0),
        ),
        `${s.label} at ${sizes[i]}`,
      ),
    ),
  );
  isPainted(lines);
  assert.ok(lines.y.min === 0 || /not from 0|log/.test(lines.y.label), `${lines.y.label} from ${lines.y.min}`);
  const cells = await browser.ask(
    `[...document.querySelectorAll('#heat tbody tr')].map((tr) => [tr.querySelector('th').textContent, [...tr.querySelectorAll('td')].map((td) => [td.textContent, td.style.background])])`,
  );
  const means = cells.flatMap(([row]) =>
    sizes.map((size) => mean((p) => p.texts[0] === size && p.texts[1] === row, 0)),
  );
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const isLog = least > 0 && most > WIDE * least;
  cells.forEach(([row, list]) =>
    list.forEach(([text, background], i) => {
      const value = mean((p) => p.texts[0] === sizes[i] && p.texts[1] === row, 0);
      assert.equal(text, format.time(value));
      if (isLog) return;
      const [wanted, is] = [heatOn(false, (value - least) / (most - least)), background].map((c) =>
        c.match(/\d+/g).map(Number),
      );
      assert.ok(
        wanted.every((v, c) => Math.abs(v - is[c]) <= 1),
        `${text}: ${background}`,
      );
    }),
  );
  const [front] = await plots(browser, 'pareto');
  isPainted({ ...front, series: front.series.slice(0, 1) }, 0);
  assert.equal(front.xs.length, sizes.length * spines.length);
  // Both objectives want the least: on the front is whom no other beats in both.
  const pairs = sizes.flatMap((size) =>
    spines.map((spine) => [0, 1].map((metric) => mean((p) => p.texts[0] === size && p.texts[1] === spine, metric))),
  );
  const known = front.xs.map((x, i) => [x, front.series[0].values[i]]);
  for (const [a, b] of pairs) assert.ok(known.some(([x, y]) => near(x, a) && near(y, b)), `${a}, ${b}`);
  known.forEach(([x, y], i) => {
    const isBeaten = known.some(([a, b]) => a <= x && b <= y && (a < x || b < y));
    assert.equal(front.series[1].values[i] === null, isBeaten, `${x}, ${y}`);
  });
}

/** Words that are seen, at least those that are wanted, do not lie on one another, and lie within the picture. */
export async function wordsApart(browser, wanted) {
  const words = await browser.ask(
    `[...document.querySelectorAll('svg.topo text')].filter((n) => n.getClientRects().length).map((n) => { const r = n.getBoundingClientRect(); return [n.textContent, r.left, r.right, r.top + r.height * 0.2, r.bottom - r.height * 0.2]; })`,
  );
  for (const one of wanted)
    assert.ok(
      words.some(([text]) => text === one),
      `${one}: ${words.map(([text]) => text).join()}`,
    );
  words.forEach((a, i) =>
    words
      .slice(0, i)
      .forEach((b) =>
        assert.ok(a[1] >= b[2] - 1 || b[1] >= a[2] - 1 || a[3] >= b[4] || b[3] >= a[4], `${a} over ${b}`),
      ),
  );
  // Names that stand in a row have a gap between them, so that two are not read as one.
  const rows = await browser.ask(
    `[...document.querySelectorAll('svg.topo .node text')].filter((n) => n.getClientRects().length).map((n) => { const r = n.getBoundingClientRect(); return [n.textContent, r.left, r.right, Math.round(r.top)]; }).sort((a, b) => a[3] - b[3] || a[1] - b[1])`,
  );
  const isWide = (await browser.ask('document.documentElement.clientWidth')) > 1000;
  rows.slice(isWide ? 1 : rows.length).forEach(([text, left, , top], i) => {
    const [before, , right, height] = rows[i];
    if (height === top) assert.ok(left - right >= 2, `${before} and ${text} touch: ${(left - right).toFixed(1)}`);
  });
  const frame = await browser.ask(
    "(({ left, right }) => [left, right])(document.querySelector('svg.topo').getBoundingClientRect())",
  );
  for (const [text, left, right] of words)
    assert.ok(left >= frame[0] - 1 && right <= frame[1] + 1, `${text} lies within the picture`);
  return words.length;
}

/** Switches have their names, words do not lie on one another, and the picture zooms and finds. */
export async function topo(browser, { node, box, neighbours }) {
  const wanted = ['spine0', 'leaf15', '512 GPUs', 'leaf - spine: 128 x 400 Gbps', '62 domains: 1 to 62'];
  assert.ok((await wordsApart(browser, wanted)) > 60);
  const viewBox = () =>
    browser.ask("document.querySelector('svg.topo').getAttribute('viewBox').split(' ').map(Number)");
  const whole = await viewBox();
  await browser.ask("document.querySelector('.zooms button').click()");
  assert.ok(Math.abs((await viewBox())[2] - whole[2] / 1.3) < 1);
  await browser.ask(
    `(() => { const i = document.querySelector('input[type=search]'); i.value = ${JSON.stringify(node)}; i.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })); })()`,
  );
  assert.equal(await browser.ask("document.querySelector('.side h3').textContent"), box);
  const shown = await browser.ask("[...document.querySelectorAll('.side td button')].map((b) => b.textContent)");
  assert.deepEqual([...shown].sort(), [...neighbours].sort());
  await browser.ask("document.querySelector('.side td button').click()");
  assert.equal(await browser.ask("document.querySelector('.side h3').textContent"), shown[0]);
  await browser.ask("[...document.querySelectorAll('.zooms button')].at(-1).click()");
  assert.deepEqual(await viewBox(), whole);
  assert.deepEqual(browser.problems(), []);
}

/** Bars of several runs lie on one scale: as long as the time of the job, with pieces by cause. */
export async function comparedBars(browser) {
  const { runs } = await dataOf(browser);
  const shown = await browser.ask(
    `[...document.querySelectorAll('#compared-blame article')].map((a) => [a.querySelector('h3').textContent, a.querySelector('.beside').clientWidth, [...a.querySelectorAll('.lying')].map((n) => [n.getBoundingClientRect().width, [...n.children].map((c) => c.title)])])`,
  );
  assert.ok(shown.length > 0);
  for (const [name, , bars] of shown) {
    const jobs = runs.map((run) => run.blame.find((job) => job.job === name));
    const longest = Math.max(...jobs.map((job) => job.seconds));
    const whole = Math.max(...bars.map(([width]) => width));
    jobs.forEach((job, i) => {
      assert.ok(Math.abs(bars[i][0] - (whole * job.seconds) / longest) < 2, `${name}: ${bars[i][0]} of ${whole}`);
      job.causes.forEach((cause, c) => {
        const seconds = job.rows.filter((row) => row[0] === cause).reduce((sum, row) => sum + row[4], 0);
        assert.ok(bars[i][1][c].endsWith(`, ${cause}: ${format.time(seconds)}`), bars[i][1][c]);
      });
    });
  }
}
