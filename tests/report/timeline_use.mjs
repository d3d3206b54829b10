// What one does with the timeline: rows that open and close, keys, a range that is added up, arrows, addresses, Back.

import assert from 'node:assert/strict';
import { ofSlice } from '../../tools/report/page/src/colour.js';
import * as format from '../../tools/report/page/src/format.js';

const CANVAS = "document.querySelector('canvas.timeline')";
const rows = async (browser) => JSON.parse(await browser.ask(`${CANVAS}.dataset.rows`));
const windowOf = async (browser) =>
  Object.values(await browser.ask(`(({ from, to }) => [Number(from), Number(to)])(${CANVAS}.dataset)`));

async function key(browser, name) {
  await browser.ask(
    `${CANVAS}.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(name)}, bubbles: true }))`,
  );
  await browser.settle();
}

/** Events of a pointer at places on the canvas. */
async function pointer(browser, ...events) {
  await browser.ask(`(() => {
    const canvas = ${CANVAS};
    canvas.setPointerCapture = () => {};
    canvas.scrollIntoView({ block: 'center' });
    const box = canvas.getBoundingClientRect();
    for (const [type, x, y] of ${JSON.stringify(events)}) canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1 }));
  })()`);
  await browser.settle();
}
const click = (browser, x, y) => pointer(browser, ['pointerdown', x, y], ['pointerup', x, y]);
const rowOf = async (browser, title) => {
  const row = (await rows(browser)).find((r) => r.title === title);
  assert.ok(row, `${title}: ${JSON.stringify(await rows(browser))}`);
  return row;
};

/** Jobs are open, and all in them is closed, culprits first; a click opens a group and closes it. */
export async function opensRows(browser, { culprit }) {
  const first = await rows(browser);
  assert.deepEqual([...new Set(first.filter((r) => r.isOpen).map((r) => r.kind))], ['job']);
  assert.ok(first.every((r) => r.depth <= 1));
  const hosts = first.filter((r) => r.depth === 1 && r.kind !== 'track');
  assert.ok(hosts[0].isCulprit && hosts[0].title === culprit, JSON.stringify(hosts[0]));
  await click(browser, 60, hosts[0].y + 8);
  const opened = await rows(browser);
  const at = opened.findIndex((r) => r.title === culprit);
  assert.ok(opened[at].isOpen && opened[at + 1].depth === 2 && opened[at + 1].isCulprit);
  await click(browser, 60, opened[at].y + 8);
  assert.deepEqual(
    (await rows(browser)).map((r) => r.title),
    first.map((r) => r.title),
  );
}

/** In the page: of the bar of a row the share of each colour. */
function sharesOfRow(y) {
  const canvas = document.querySelector('canvas.timeline');
  const { data } = canvas.getContext('2d').getImageData(210, y + 1, canvas.width - 210, 14);
  const shares = {};
  for (const pixel of new Uint32Array(data.buffer)) {
    const colour = `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
    shares[colour] = (shares[colour] ?? 0) + 4 / data.length;
  }
  return shares;
}

/** A closed host shows of its ranks the shares that do what: as much of each colour as there is time of it. */
export async function showsShares(browser, { title, hosts }) {
  const row = await rowOf(browser, title);
  const painted = await browser.ask(`(${sharesOfRow})(${row.y})`);
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const [from, to] = await windowOf(browser);
  const wanted = {};
  for (const track of timeline.tracks.filter(
    (t) => t.name === 'steps' && hosts.some((host) => t.process.endsWith(`(${host})`)),
  )) {
    for (let i = 0; i < track.slices.length; i += 4) {
      const colour = ofSlice(timeline.names[track.slices[i + 2]], false);
      wanted[colour] = (wanted[colour] ?? 0) + track.slices[i + 1] / (to - from) / hosts.length;
    }
  }
  assert.ok(Object.keys(wanted).length > 0);
  for (const [colour, share] of Object.entries(wanted))
    assert.ok(Math.abs((painted[colour] ?? 0) - share) < 0.03, `${colour}: ${painted[colour]} for ${share}`);
}

/** W and S zoom, A and D move, Home shows all; the minimap has the window. */
export async function obeysKeys(browser) {
  await key(browser, 'Home');
  const whole = await windowOf(browser);
  await key(browser, 'w');
  const zoomed = await windowOf(browser);
  assert.ok(Math.abs((zoomed[1] - zoomed[0]) / (whole[1] - whole[0]) - 0.5) < 1e-9);
  await key(browser, 'd');
  const moved = await windowOf(browser);
  assert.ok(Math.abs((moved[0] - zoomed[0]) / (zoomed[1] - zoomed[0]) - 1 / 8) < 1e-9);
  await key(browser, 'a');
  assert.deepEqual((await windowOf(browser)).map(Math.round), zoomed.map(Math.round));
  const [left, right, width] = await browser.ask(
    "(({ dataset: { left, right }, clientWidth }) => [Number(left), Number(right), clientWidth])(document.querySelector('canvas.minimap'))",
  );
  assert.ok(Math.abs((right - left) / (width - 210) - 0.5) < 0.01, `${left} ${right} of ${width}`);
  await key(browser, 's');
  assert.deepEqual((await windowOf(browser)).map(Math.round), whole.map(Math.round));
}

/** The current row is pinned by P: it stands at the top, whatever is scrolled. */
export async function pinsRows(browser) {
  const row = await rowOf(browser, 'iterations');
  await click(browser, 60, row.y + 8);
  await key(browser, 'p');
  const pinned = (await rows(browser)).filter((r) => r.isPin);
  assert.deepEqual(
    pinned.map((r) => [r.title, r.y]),
    [['iterations', 22]],
  );
  await key(browser, 'p');
  assert.deepEqual(
    (await rows(browser)).filter((r) => r.isPin),
    [],
  );
}

/** A drag over a row sums what its slices take of the range, as the data have it. */
export async function addsUp(browser) {
  await key(browser, 'Home');
  const row = await rowOf(browser, 'critical path');
  const width = await browser.ask(`${CANVAS}.clientWidth`);
  const [x, right] = [210 + (width - 210) * 0.25, 210 + (width - 210) * 0.75];
  await pointer(
    browser,
    ['pointerdown', x, row.y + 5],
    ['pointermove', right, row.y + 6],
    ['pointerup', right, row.y + 6],
  );
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const track = timeline.tracks.find((t) => t.name === 'critical path' && t.process === row.process);
  const [from, to] = await windowOf(browser);
  const range = [from + (to - from) * 0.25, from + (to - from) * 0.75];
  const wanted = new Map();
  let begin = 0;
  for (let i = 0; i < track.slices.length; i += 4) {
    begin += track.slices[i];
    const time = Math.min(range[1], begin + track.slices[i + 1]) - Math.max(range[0], begin);
    const [name] = timeline.names[track.slices[i + 2]].split('\t');
    if (time > 0) wanted.set(name, (wanted.get(name) ?? 0) + time);
  }
  const shown = await browser.ask(
    "[...document.querySelectorAll('#timeline .totals tbody tr')].map((r) => [...r.children].map((c) => c.textContent))",
  );
  const order = [...wanted].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  assert.deepEqual(shown.map(([name]) => name).slice(0, 2), order.slice(0, 2));
  const share = wanted.get(order[0]) / (range[1] - range[0]);
  assert.ok(Math.abs(parseFloat(shown[0][3]) / 100 - share) < 0.003, `${shown[0]} for ${share}`);
  // The longest slice of a name is one click away.
  let [at, longest] = [0, 0];
  for (let i = 0; i < track.slices.length; i += 4) {
    at += track.slices[i];
    const isIn = at < range[1] && at + track.slices[i + 1] > range[0] && timeline.names[track.slices[i + 2]].split('\t')[0] === order[0];
    if (isIn) longest = Math.max(longest, track.slices[i + 1] / track.slices[i + 3]);
  }
  assert.equal(shown[0][4], format.time(longest * 1e-9));
  await browser.ask("document.querySelector('#timeline .totals tbody button').click()");
  await browser.settle();
  assert.ok((await browser.ask("document.querySelector('#timeline .panel').textContent")).includes(order[0]));
  await key(browser, 'f');
  const fitted = await windowOf(browser);
  assert.ok(
    Math.abs(fitted[0] - range[0]) < (to - from) * 0.002 && Math.abs(fitted[1] - range[1]) < (to - from) * 0.002,
  );
  await key(browser, 'Escape');
  assert.equal(await browser.ask("document.querySelector('#timeline .totals').textContent"), '');
  await key(browser, 'Home');
}

/** Names have room beside the pin and the disc of culprits, on narrow windows in a shorter form. */
export async function namesFit(browser, { names }) {
  const shown = (await rows(browser)).filter((row) => row.kind === 'host');
  assert.deepEqual(shown.map((row) => row.name), names);
  assert.ok(shown.some((row) => row.isCulprit));
}

/** A tip at a slice, and three pixels beside one that is alone, says what it is; times tell its ends apart. */
export async function tipsAreReached(browser) {
  await key(browser, 'Home');
  const row = await rowOf(browser, 'iterations');
  const tip = () => browser.ask("(({ hidden, textContent }) => (hidden ? '' : textContent))(document.querySelector('#timeline .tip'))");
  const width = await browser.ask(`${CANVAS}.clientWidth`);
  await pointer(browser, ['pointermove', (210 + width) / 2, row.y + 8]);
  const text = await tip();
  const [, from, to] = /: from ([\d.]+ \w+) to ([\d.]+ \w+), [\d.]+ \w+ long/.exec(text) ?? [];
  assert.ok(from && from !== to, text);
  const group = (await rows(browser)).find((one) => one.kind === 'host');
  await pointer(browser, ['pointermove', 60, group.y + 8]);
  assert.match(await tip(), /^hosts gpu\d+ to gpu\d+: 8 ranks; /);
}

/** A slice that is one pixel wide is reached from three pixels beside it, and from ten it is not. */
export async function reachesThinSlices(browser, { title }) {
  const row = await rowOf(browser, title);
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const { slices } = timeline.tracks.find((track) => track.name === title);
  const [from, to] = await windowOf(browser);
  const width = await browser.ask(`${CANVAS}.clientWidth - 210`);
  const x = 210 + ((slices[0] + slices[4] - from) / (to - from)) * width; // the second slice
  const tip = () => browser.ask("(({ hidden, textContent }) => (hidden ? '' : textContent))(document.querySelector('#timeline .tip'))");
  for (const [by, is] of [[-3, true], [3, true], [-10, false], [10, false]]) {
    await pointer(browser, ['pointermove', Math.floor(x) + by, row.y + 8]);
    assert.equal((await tip()).includes('retry'), is, `${by} pixels beside it: ${await tip()}`);
  }
}

/** What colours mean: only what is there. */
export async function legendIsTrue(browser) {
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const used = new Set();
  for (const { name, slices } of timeline.tracks)
    for (let i = 2; i < slices.length; i += 4) used.add(ofSlice(timeline.names[slices[i]].split('\t')[0], name === 'critical path'));
  const shown = await browser.ask("[...document.querySelectorAll('#timeline .legend li')].map((n) => [n.textContent, n.querySelector('i').style.background])");
  const hex = (rgb) => `#${rgb.match(/\d+/g).map((v) => Number(v).toString(16).padStart(2, '0')).join('')}`;
  for (const [title, colour] of shown) assert.ok(used.has(hex(colour)), `${title} is in the data`);
  assert.deepEqual([...used].sort(), [...new Set(shown.map(([, colour]) => hex(colour)))].sort(), 'and all colours are explained');
}

/** Full stop and comma choose the slices after and before the chosen one, F shows it, and a slash leads to the search. */
export async function stepsThroughSlices(browser) {
  const said = () => browser.ask("document.querySelector('#timeline .panel').textContent");
  const row = await rowOf(browser, 'critical path');
  // Of what comes last: before it a straggler is waited for, and a slice longer than half the run cannot be shown so.
  await click(browser, (await browser.ask(`${CANVAS}.clientWidth`)) - 40, row.y + 8);
  const first = await said();
  assert.match(first, /critical path: from .* long/);
  await key(browser, '.');
  assert.notEqual(await said(), first);
  await key(browser, ',');
  assert.equal(await said(), first);
  await key(browser, 'r');
  assert.match(await browser.ask("document.querySelector('#timeline .totals').textContent"), /^1 track from /, 'R sums up the range of the slice');
  await key(browser, 'Escape');
  const isOpen = () => browser.ask("document.querySelector('#timeline .keys').open");
  for (const is of [true, false]) {
    await key(browser, '?');
    assert.equal(await isOpen(), is);
  }
  await key(browser, 'f');
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const { slices } = timeline.tracks.find((t) => t.name === 'critical path' && t.process === row.process);
  const [from, to] = await windowOf(browser);
  let begin = 0;
  const fits = slices.some((by, i) => {
    if (i % 4) return false;
    begin += by;
    const length = slices[i + 1];
    return begin >= from && begin + length <= to && Math.abs(2 * length - (to - from)) <= 1;
  });
  assert.ok(fits, `${from} ${to}`);
  await key(browser, 'Home');
  await key(browser, '/');
  assert.equal(await browser.ask('document.activeElement.type'), 'search');
}

/** A fault is marked from when on until when it is there, on the axis, and a tip says which it is. */
export async function marksFaults(browser, { text, from, until }) {
  const [least, most] = await windowOf(browser);
  const width = await browser.ask(`${CANVAS}.clientWidth - 210`);
  const placeOf = (time) => 210 + ((time - least) / (most - least)) * width;
  const { axis, isMarked } = { axis: 19, isMarked: (x, y) => browser.ask(`(${isOfCulprits})(${x}, ${y})`) };
  for (const [time, is] of [[(from + until) / 2, true], [from / 2, false], [until + from / 2, false]]) {
    assert.equal(await isMarked(placeOf(time), axis), is, `${time}`);
    await pointer(browser, ['pointermove', placeOf(time), 8]);
    assert.equal(await browser.ask("document.querySelector('#timeline .tip').hidden"), !is);
    if (is) assert.equal(await browser.ask("document.querySelector('#timeline .tip').textContent"), text);
  }
}

/** Over a slice a tip says what it is; a chosen message has an arrow to where it came. */
export async function showsArrows(browser, { rank }) {
  const row = await rowOf(browser, 'critical path');
  await pointer(browser, ['pointermove', 400, row.y + 8]);
  assert.match(
    await browser.ask("document.querySelector('#timeline .tip').textContent"),
    /of job .*, critical path: from .* long/,
  );
  await browser.ask(
    "(() => { const i = document.querySelector('#timeline input[type=search]'); i.value = 'to '; i.dispatchEvent(new Event('input')); })()",
  );
  await browser.ask(
    "[...document.querySelectorAll('#timeline .controls button')].find((b) => b.textContent === 'next').click()",
  );
  await browser.settle();
  let arrows = 0;
  for (let i = 0; i < 40 && !arrows; ++i) {
    await browser.ask(
      "[...document.querySelectorAll('#timeline .controls button')].find((b) => b.textContent === 'next').click()",
    );
    await browser.settle();
    arrows = Number(await browser.ask(`${CANVAS}.dataset.arrows`));
  }
  assert.ok(arrows > 0, `messages of ${rank} have arrows`);
  await browser.ask(
    "(() => { const i = document.querySelector('#timeline input[type=search]'); i.value = ''; i.dispatchEvent(new Event('input')); })()",
  );
}

/** In the page: at a place of the canvas, is a pixel near of the colour of culprits? */
function isOfCulprits(x, y) {
  const canvas = document.querySelector('canvas.timeline');
  const pen = document.createElement('canvas').getContext('2d');
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--culprit');
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
  const { data } = canvas.getContext('2d').getImageData(Math.round(x) - 2, Math.round(y) - 2, 5, 5);
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24) return true;
  return false;
}

/** Messages of the critical path, from the flat list of the data. */
async function hopsOfData(browser) {
  const { hops } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0].timeline;
  let begin = 0;
  return Array.from({ length: hops.flat.length / 5 }, (_, i) => {
    const [, from, to, later, length] = hops.flat.slice(5 * i, 5 * i + 5);
    begin += later;
    return { from: hops.ranks[from], to: hops.ranks[to], begin, end: begin + length };
  });
}

/** What is drawn is in the data, at its times and rows, and painted there. */
async function arrowsAreRight(browser, known) {
  const [drawn, all, [from, to], width, height] = [
    JSON.parse(await browser.ask(`${CANVAS}.dataset.hops`)),
    await rows(browser),
    await windowOf(browser),
    await browser.ask(`${CANVAS}.clientWidth - 210`),
    await browser.ask(`${CANVAS}.clientHeight`),
  ];
  const place = (time) => 210 + ((time - from) / (to - from)) * width;
  const rankRow = (process) => all.find((row) => row.kind === 'rank' && process.endsWith(row.title));
  for (const arrow of drawn) {
    const own = known.filter((hop) => ['from', 'to', 'begin', 'end'].every((key) => hop[key] === arrow[key]));
    assert.equal(own.length, 1, JSON.stringify(arrow));
    assert.ok(Math.abs(arrow.x - place(arrow.begin)) < 0.5 && Math.abs(arrow.right - place(arrow.end)) < 0.5);
    for (const [end, y] of [
      ['from', arrow.y],
      ['to', arrow.bottom],
    ]) {
      const row = rankRow(arrow[end]);
      if (row && !row.isOpen) assert.ok(Math.abs(y - row.y - 8.5) < 0.6, `${arrow[end]}: ${y} for ${row.y}`);
    }
    const isInSight = arrow.right > 216 && arrow.right < 210 + width && arrow.bottom > 30 && arrow.bottom < height - 5;
    if (!isInSight) continue;
    assert.ok(await browser.ask(`(${isOfCulprits})(${arrow.right - 4}, ${arrow.bottom})`), JSON.stringify(arrow));
  }
  return drawn;
}

/** The critical path has its messages as arrows from rank to rank, at every zoom, as many as can be told apart. */
export async function followsPath(browser, { host }) {
  const known = await hopsOfData(browser);
  assert.ok(known.length > 20);
  await key(browser, 'Home');
  assert.equal(await browser.ask(`${CANVAS}.dataset.hops`), '[]', 'nothing is chosen');
  const group = await rowOf(browser, host);
  await click(browser, 60, group.y + 8);
  const path = await rowOf(browser, 'critical path');
  await click(browser, 60, path.y + 8);
  const counts = [];
  for (let zoom = 0; zoom < 9; ++zoom) {
    const drawn = await arrowsAreRight(browser, known);
    counts.push(drawn.length);
    assert.ok(drawn.length <= 80);
    // On to the next zoom, with the middle of the path in sight.
    await key(browser, 'w');
    const middle = known[Math.floor(known.length / 2)].begin;
    for (let move = 0; move < 12; ++move) {
      const [from, to] = await windowOf(browser);
      const share = (middle - from) / (to - from);
      if (share > 0.3 && share < 0.7) break;
      await key(browser, share < 0.5 ? 'a' : 'd');
    }
  }
  assert.ok(counts.some((count) => count > 3), counts.join());
  // A piece of it says which message it is part of, and that one is drawn over the others.
  await key(browser, 'Home');
  await browser.ask(
    "[...document.querySelectorAll('#timeline .controls button')].find((b) => b.textContent.includes('critical')).click()",
  );
  for (let i = 0; i < 30; ++i) {
    await browser.settle();
    if ((await browser.ask("document.querySelector('#timeline .panel').textContent")).includes('a message from')) break;
    await browser.ask(
      "[...document.querySelectorAll('#timeline .controls button')].find((b) => b.textContent.includes('critical')).click()",
    );
  }
  const drawn = await arrowsAreRight(browser, known);
  const [chosen] = drawn.filter((arrow) => arrow.isChosen);
  assert.ok(chosen, 'the message of the piece is marked');
  const said = await browser.ask("document.querySelector('#timeline .panel').textContent");
  assert.ok(said.includes(`part of a message from ${chosen.from} to ${chosen.to}`), said);
  await key(browser, 'Home');
}

/** A step has an address; Back leads to the one before, and the address alone to the same place. */
export async function remembers(browser, file) {
  const said = () => browser.ask('[location.hash, document.activeElement?.id]');
  const piece = "[...document.querySelectorAll('#blame td button')].find((b) => b.textContent.includes('->'))";
  const port = await browser.ask(`${piece}.textContent`);
  await browser.ask(`${piece}.click()`);
  const [hash, place] = await said();
  assert.equal(place, 'fabric-title');
  assert.equal(new URLSearchParams(hash.split('?')[1]).get('name'), port);
  const other =
    "[...document.querySelectorAll('#blame td button')].find((b) => b.textContent.includes('->') && b.textContent !== " +
    JSON.stringify(port) +
    ')';
  const second = await browser.ask(`${other}.textContent`);
  await browser.ask(`${other}.click()`);
  await browser.until(`document.querySelector('#fabric .panel h3')?.textContent === ${JSON.stringify(second)}`);
  await browser.ask('history.back()');
  await browser.until(`document.querySelector('#fabric .panel h3')?.textContent === ${JSON.stringify(port)}`);
  assert.equal((await said())[0], hash);
  await key(browser, 'w');
  await browser.until("location.hash.includes('from=')");
  const address = await browser.ask('location.hash');
  await browser.open(`${file}`);
  await browser.open(`${file}${address}`);
  await browser.send('Page.reload');
  await browser.until(`document.querySelector('#fabric .panel h3')?.textContent === ${JSON.stringify(port)}`);
  await browser.settle();
  const [from, to] = await windowOf(browser);
  const words = new URLSearchParams(address.split('?')[1]);
  assert.ok(Math.abs(from - Number(words.get('from')) * 1e9) < 1 && Math.abs(to - Number(words.get('to')) * 1e9) < 1);
}
