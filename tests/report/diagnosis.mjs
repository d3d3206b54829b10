// The page of `weft diagnose`, read back: the culprit with its evidence, what is undecided, the next commands, notes and
// warnings, curves with their bands, the matrix of pairs, and the ring of the culprit on the fabric.

import assert from 'node:assert/strict';
import { heatOn } from '../../tools/report/page/src/colour.js';
import { dataOf, plots } from './charts.mjs';

const ratioOf = (row) => row.measured_us / row.expected_us;
const near = (a, b) => Math.abs(a - b) < 1e-9 * Math.abs(b);

/** Measured and expected bandwidth by size, and what is around what is expected. */
export async function curves(browser) {
  const { diagnosis } = await dataOf(browser);
  await browser.until('document.querySelectorAll("#sizes .chart canvas").length > 0');
  const [chart] = await plots(browser, 'sizes');
  const rows = diagnosis.compared.filter((row) => !row.pair).sort((a, b) => a.bytes - b.bytes);
  assert.ok(rows.length > 8);
  assert.deepEqual(chart.xs, rows.map((row) => row.bytes));
  const [highest, lowest, expected, measured] = chart.series;
  assert.deepEqual(measured.values, rows.map((row) => row.measured_busbw));
  assert.deepEqual(expected.values, rows.map((row) => row.expected_busbw));
  rows.forEach((row, i) => {
    assert.ok(near(highest.values[i], row.expected_busbw * (1 + row.band)));
    assert.ok(near(lowest.values[i], row.expected_busbw / (1 + row.band)));
  });
  assert.equal(measured.painted, measured.tried);
  assert.ok(measured.tried > 8);
  assert.match(chart.y.label, /bus bandwidth \(log\)/);
  assert.ok(chart.x.ticks.every((text) => /^[\d.]+ ([KMG]i)?B$/.test(text)), chart.x.ticks.join());
}

/** A cell for two servers that were measured, with its ratio and the colour of that. */
export async function matrices(browser) {
  const { diagnosis } = await dataOf(browser);
  const shown = await browser.ask(
    `[...document.querySelectorAll('#pairs table.heat')].map((t) => [t.closest('.scroll').getAttribute('aria-label'), [...t.querySelectorAll('thead th')].slice(1).map((h) => h.textContent), [...t.querySelectorAll('tbody tr')].map((r) => [r.querySelector('th').textContent, [...r.querySelectorAll('td')].map((d) => [d.textContent, d.style.background])])])`,
  );
  const names = [...new Set(diagnosis.compared.filter((row) => row.pair).map((row) => row.curve))];
  assert.deepEqual(shown.map(([name]) => name), names);
  const isDark = await browser.ask("matchMedia('(prefers-color-scheme: dark)').matches");
  const rgb = (text) => text.match(/\d+/g).map(Number);
  for (const [name, columns, lines] of shown) {
    const rows = diagnosis.compared.filter((row) => row.curve === name);
    let cells = 0;
    for (const [from, values] of lines) {
      values.forEach(([text, colour], i) => {
        const own = rows.filter((row) => row.pair[0] === from && row.pair[1] === columns[i]).map(ratioOf);
        if (!own.length) return assert.equal(text, '');
        cells += 1;
        const most = Math.max(...own);
        assert.equal(text, most.toFixed(2));
        assert.deepEqual(rgb(colour), rgb(heatOn(isDark, Math.min(1, Math.max(0, most - 1)))));
        return undefined;
      });
    }
    assert.equal(cells, rows.length, name);
  }
}

/** The ring is around the box of the culprit, and leads to it. */
export async function ring(browser, node) {
  const { topo } = await dataOf(browser);
  const box = topo.names.findIndex((list) => list.length === 1 && list[0] === node);
  assert.ok(box >= 0, node);
  const [inner, outer] = await browser.ask(
    `[document.querySelectorAll('svg.topo > .node, svg.topo > .frame, svg.topo > .words')[${box}], document.querySelector('svg.topo .culprit')].map((n) => { const r = n.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })`,
  );
  assert.equal(await browser.ask("document.querySelectorAll('svg.topo .culprit').length"), 1);
  assert.ok(outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3], `${outer} around ${inner}`);
  await browser.ask("document.querySelector('#topo .ring + button').click()");
  assert.equal(await browser.ask("document.querySelector('#topo .side h3').textContent.includes(" + JSON.stringify(node) + ')'), true);
}

/** What is possible, in the order of the search; nobody has a ring. */
export async function undecided(browser) {
  const { diagnosis } = await dataOf(browser);
  assert.ok(diagnosis.undecided.length > 2);
  const shown = await browser.ask("[...document.querySelectorAll('#causes tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))");
  assert.deepEqual(shown.map(([kind]) => kind), diagnosis.undecided.map((c) => c.kind));
  shown.forEach(([, place], i) => assert.ok(place === '' || place === '–' || place.startsWith(diagnosis.undecided[i].place[0]), place));
  assert.equal(await browser.ask("document.querySelectorAll('svg.topo .culprit').length"), 0);
  assert.equal(await browser.ask("document.querySelectorAll('#culprit').length"), 0);
}

const textsOf = (browser, selector) => browser.ask(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((n) => n.textContent)`);
const plain = (text) => text.replaceAll('`', '');

/** Sections stand in the order in which one reads them; what there is nothing of is not there. */
export async function order(browser, wanted) {
  assert.deepEqual(await browser.ask('[...document.querySelectorAll("main > section")].filter((n) => !n.hidden).map((n) => n.id)'), wanted);
}

/** Of each culprit its place, cable, number, confidence and evidence; and what runs clear. */
export async function culprits(browser) {
  const { diagnosis } = await dataOf(browser);
  assert.ok(diagnosis.culprits.length > 0);
  const facts = await browser.ask(`[...document.querySelectorAll('#culprit .cause')].map((n) => Object.fromEntries([...n.querySelectorAll('dl > div')].map((d) => [d.querySelector('dt').textContent, d.querySelector('dd').textContent])))`);
  const percent = (part) => `${Math.round(100 * part)} %`;
  diagnosis.culprits.forEach((c, i) => {
    assert.ok(facts[i].place.startsWith(c.place[0]), facts[i].place);
    assert.equal(facts[i].cable, c.cables[0]);
    assert.equal(facts[i]['what is left of its rate'], percent(c.value));
    assert.equal(facts[i].confidence, percent(c.confidence));
  });
  assert.ok(diagnosis.culprits[0].evidence.length > 1, 'real data have evidence');
  assert.deepEqual(await textsOf(browser, '#culprit .evidence li'), diagnosis.culprits.flatMap((c) => c.evidence).map(plain));
  assert.deepEqual(await textsOf(browser, '#causes .cleared li'), diagnosis.cleared.map((c) => plain(c.text)));
}

/** Each command of the next measurement stands alone, with where it runs, and a button copies it. */
export async function commands(browser) {
  const { diagnosis } = await dataOf(browser);
  const wanted = diagnosis.next_commands;
  assert.ok(wanted.length > 0);
  assert.deepEqual(await textsOf(browser, '#next pre.command'), wanted.map((c) => c.command));
  assert.deepEqual(await textsOf(browser, '#next .copyable > span'), wanted.map((c) => (c.on ? `on ${c.on}` : '')));
  // Copied where the browser allows it, else selected, so that Ctrl-C copies it.
  await browser.ask("document.querySelector('#next .copyable button').click()");
  await browser.until("document.querySelector('#next .copyable button').textContent !== 'Copy'");
  if (await browser.ask("document.querySelector('#next .copyable button').textContent === 'Selected'")) {
    assert.equal(await browser.ask('document.getSelection().toString().trim()'), wanted[0].command);
  }
}

/** What the verdict does not count or rests on, and what files and runs warn of, unfolded. */
export async function notes(browser) {
  const { diagnosis } = await dataOf(browser);
  const shown = await textsOf(browser, '#notes li');
  assert.deepEqual(shown, [...diagnosis.notes, ...diagnosis.warnings, ...diagnosis.remarks].map(plain));
  assert.ok(await browser.ask("[...document.querySelectorAll('#notes li')].every((n) => n.checkVisibility())"));
  assert.deepEqual(await textsOf(browser, '#notes .warnings li'), diagnosis.warnings.map(plain));
  return diagnosis;
}
