// The page in a real browser: node page_test.mjs WEFT SOURCES short|whole. Exits with 3 where there is no browser.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Browser, program } from './browser.mjs';
import { contrasts, focusables, overflow } from './looks.mjs';

const [weft, sources] = process.argv.slice(2, 4).map((path) => resolve(path));
const extent = process.argv[4];
if (!program()) {
  console.log('skipped: there is no Chromium (apt-get install chromium, or WEFT_CHROMIUM=path)');
  process.exit(3);
}

const folder = mkdtempSync(join(tmpdir(), 'weft-page-'));
const run = (...words) => execFileSync(weft, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const summaryOf = (name) => JSON.parse(readFileSync(join(folder, name, 'summary.json'), 'utf8'));

function pageOf(name, ...results) {
  run('report', ...results, '-o', `${name}.html`);
  return join(folder, `${name}.html`);
}

async function opens(browser, file) {
  await browser.open(file);
  assert.deepEqual(browser.problems(), [], file);
  assert.deepEqual(browser.requests(), [], file);
}

/** Every number that a page claims to have from the summary. */
async function equalsSummary(browser, summary) {
  const facts = Object.fromEntries(await browser.ask('[...document.querySelectorAll("[data-fact]")].map((n) => [n.dataset.fact, n.dataset.value])'));
  assert.equal(Number(facts.simulated), summary.simulated_seconds);
  assert.equal(facts.outcome, summary.outcome);
  assert.equal(Number(facts.messages), summary.messages.count);
  assert.equal(Number(facts['slowdown p99']), summary.messages.slowdown.p99);
  assert.equal(Number(facts['completion p99']), summary.messages.fct_seconds.p99);
  assert.equal(Number(facts['packet latency p99']), summary.packet_latency_seconds.p99);
  const times = await browser.ask('[...document.querySelectorAll("#jobs .table:first-of-type tbody tr")].map((r) => Number(r.querySelector("[data-value]").dataset.value))');
  assert.deepEqual(times, summary.jobs.map((job) => job.jct_seconds));
}

/** From the page to the cause: a port in the table of culprits, and what is known of it. */
async function leadsToPorts(browser, port) {
  await browser.ask(`[...document.querySelectorAll('#blame td button')].find((b) => b.textContent === ${JSON.stringify(port)}).click()`);
  const said = await browser.ask('document.querySelector("#fabric .panel").textContent');
  assert.ok(said.includes(port), said);
  assert.ok(await browser.ask('document.querySelectorAll(".cable.lit").length') > 0);
}

async function looksRight(browser, file, widths = [360, 1280]) {
  for (const scheme of ['light', 'dark']) {
    for (const width of widths) {
      await browser.view({ width, scheme });
      await opens(browser, file);
      assert.deepEqual(await browser.ask(`(${contrasts})()`), [], `${scheme}, ${width}`);
      assert.equal(await browser.ask(`(${overflow})()`), '', `${scheme}, ${width}`);
    }
  }
  await browser.view();
}

/** The tabulator key goes through everything that can be used, and comes round. */
async function obeysKeyboard(browser, file) {
  await opens(browser, file);
  const count = await browser.ask(`(${focusables})()`);
  assert.ok(count > 20, `${count}`);
  const seen = new Set();
  for (let i = 0; i < count + 20 && seen.size < count; ++i) {
    await browser.press('Tab', 'Tab', 9);
    const at = await browser.ask('document.activeElement.dataset.stop ?? ""');
    if (at) seen.add(at);
  }
  const missed = await browser.ask(`[...document.querySelectorAll('[data-stop]')].filter((n) => !${JSON.stringify([...seen])}.includes(n.dataset.stop)).map((n) => n.outerHTML.slice(0, 100))`);
  assert.deepEqual(missed, []);
}

const HOSTILE = '</script><img src=x onerror=document.hacked=1>"\'&';

/** Results that somebody else has written: weft itself would not take such names. */
async function showsNames(browser) {
  cpSync(join(folder, 'incast'), join(folder, 'hostile'), { recursive: true });
  const change = (name, from, to) => {
    const file = join(folder, 'hostile', name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, () => to));
  };
  const cell = `"${HOSTILE.replaceAll('"', '""')}"`;
  change('summary.json', /"incast(-32)?"/g, JSON.stringify(HOSTILE));
  for (const table of ['blame.csv', 'messages.csv', 'jobs.csv']) change(table, /(?<=^|,)incast(?=,)/gm, cell);
  change('ports.csv', 'h1->leaf0[1]', cell);
  await opens(browser, pageOf('hostile', 'hostile'));
  assert.equal(await browser.ask('document.images.length'), 0);
  assert.equal(await browser.ask('document.hacked ?? 0'), 0);
  assert.equal(await browser.ask('document.querySelector("#overview h2").textContent'), HOSTILE);
  assert.equal(await browser.ask('document.querySelector("#blame h3").textContent'), HOSTILE);
}

async function short(browser) {
  run('run', join(sources, 'scenarios/incast.yaml'), '--blame', '--quiet', '-o', 'incast');
  const page = pageOf('incast', 'incast');
  await opens(browser, page);
  await equalsSummary(browser, summaryOf('incast'));
  await leadsToPorts(browser, 'leaf0[0]->h0');
  await showsNames(browser);
  return page;
}

async function whole(browser, incast) {
  await looksRight(browser, incast);
  await obeysKeyboard(browser, incast);
}

const browser = await Browser.start();
try {
  const page = await short(browser);
  if (extent === 'whole') await whole(browser, page);
} finally {
  await browser.stop();
  rmSync(folder, { recursive: true, force: true });
}
