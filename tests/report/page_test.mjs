// The page in a real browser: node page_test.mjs WEFT SOURCES short|timeline|charts|diagnosis|training|large|whole. Exits with 3 where there is no browser.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as format from '../../tools/report/page/src/format.js';
import { Browser, program } from './browser.mjs';
import * as causes from './causes.mjs';
import { paintsWhatThereIs, timelineText } from './timeline_paint.mjs';
import * as diagnosis from './diagnosis.mjs';
import * as charts from './charts.mjs';
import * as more from './charts_data.mjs';
import * as rare from './charts_more.mjs';
import { isQuick } from './speed.mjs';
import * as use from './timeline_use.mjs';
import { contrasts, focusables, overflow } from './looks.mjs';

const [weft, sources] = process.argv.slice(2, 4).map((path) => resolve(path));
const extent = process.argv[4];
if (!program()) {
  console.log('skipped: there is no Chromium (apt-get install chromium, or WEFT_CHROMIUM=path)');
  process.exit(Number(process.env.WEFT_NO_SKIPS ?? 3));
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

/** What is seen before anything is opened: a sentence, at most four figures, and nothing of how the run was made. */
async function opensWithTheAnswer(browser, sentence) {
  const said = await browser.ask('document.querySelector("#overview .answer").textContent');
  if (sentence instanceof RegExp) assert.match(said, sentence);
  else assert.equal(said, sentence);
  const figures = await browser.ask('[...document.querySelectorAll("#overview .figures dd")].map((n) => [n.textContent, n.getClientRects().length])');
  assert.ok(figures.length >= 1 && figures.length <= 4, JSON.stringify(figures));
  assert.ok(figures.every(([text, boxes]) => text && text !== '–' && boxes));
  assert.deepEqual(await browser.ask('[...document.querySelectorAll(".facts, .command")].filter((n) => n.checkVisibility() && n.closest("#overview")).map((n) => n.textContent)'), []);
  const top = await browser.ask('["h2", ".answer", ".figures"].map((s) => document.querySelector(`#overview ${s}`).getBoundingClientRect().top)');
  assert.deepEqual([...top].sort((a, b) => a - b), top);
  // No section is empty, and the list of contents leads to none that is not there.
  assert.deepEqual(await browser.ask('[...document.querySelectorAll("main > section")].filter((n) => !n.hidden && n.children.length < 2).map((n) => n.id)'), []);
  assert.deepEqual(await browser.ask('[...document.querySelectorAll("nav a")].filter((n) => !document.querySelector(n.getAttribute("href")).getClientRects().length).map((n) => n.textContent)'), []);
}

/** Advice as `weft explain` has it, and no section of what was not recorded. */
async function saysWhatToTry(browser, advice) {
  const tries = await browser.ask('[...document.querySelectorAll("#overview .tries li")].map((n) => n.textContent)');
  assert.ok(tries.some((text) => text.startsWith(advice)), tries.join(' | '));
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
  await opens(browser, pageOf('hostile-compared', 'incast', 'hostile'));
  assert.equal(await browser.ask('document.images.length + (document.hacked ?? 0)'), 0);
  assert.ok(await browser.ask(`[...document.querySelectorAll('#compared-jobs td')].some((n) => n.textContent === ${JSON.stringify(HOSTILE)})`));
}

/** Frames that errors of links spoilt have a name of their own. */
async function namesLosses(browser) {
  run('run', join(sources, 'scenarios/loss.yaml'), '--quiet', '-o', 'loss');
  await opens(browser, pageOf('loss', 'loss'));
  const { network } = summaryOf('loss');
  await opensWithTheAnswer(browser, new RegExp(`^${network.packets_dropped.toLocaleString('en-US')} packets were dropped .*, by errors of links; gbn-1e-2 took \\d+ times its zero-load time`));
  assert.ok(network.error_drops > 0);
  const value = await browser.ask('document.querySelector("[data-fact=\\"of them lost to errors of links\\"]").dataset.value');
  assert.equal(Number(value), network.error_drops);
  assert.ok(await browser.ask('[...document.querySelectorAll("#fabric option")].some((n) => n.value === "error_drops")'));
}

/** Percentiles of a run that its horizon cut say of which messages they are, wherever they stand. */
async function saysWhatIsCutOff(browser) {
  run('run', join(sources, 'scenarios/incast.yaml'), '--quiet', '--set', 'run.until=600us', '-o', 'cut');
  const { messages, jobs } = summaryOf('cut');
  const words = `of ${messages.completed} of ${messages.count} messages`;
  assert.equal(jobs[0].fct_seconds.cut_off, words);
  assert.ok(messages.completed > 0 && messages.completed < messages.count);
  const text = (selector) => browser.ask(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((n) => n.textContent).join()`);
  await opens(browser, pageOf('cut', 'cut'));
  await opensWithTheAnswer(browser, `The run was cut off at its horizon of 600 us; its job did not finish, ${messages.completed} of ${messages.count} messages that it posted completed.`);
  for (const fact of ['slowdown p99', 'completion p99', 'packet latency p50', 'packet latency p99']) {
    assert.ok((await text(`[data-fact="${fact}"]`)).endsWith(words), fact);
  }
  await browser.until('document.querySelectorAll("#distributions .u-label").length > 1');
  for (const place of ['#jobs .table', '#tail caption', '#distributions .u-label', '#distributions table']) {
    assert.ok((await text(place)).includes(words), place);
  }
  await opens(browser, pageOf('cut-compared', 'incast', 'cut'));
  await opensWithTheAnswer(browser, 'cut was cut off; only incast finished.');
  for (const quantity of ['message slowdown p50', 'message slowdown p99', 'message completion p99', 'message completion max', 'packet latency p50', 'packet latency p99']) {
    assert.ok((await text(`[data-run="1"][data-quantity="${quantity}"]`)).includes(words), quantity);
    assert.ok(!(await text(`[data-run="0"][data-quantity="${quantity}"]`)).includes('messages'), quantity);
  }
  assert.ok((await text('#compared-jobs [data-run="1"]')).includes(words));
}

/** Every quantity of a row that the terminal prints stands on the page, in the same units and digits. */
async function printsAsTheTerminal(browser, printed) {
  const rowOf = (name) => printed.split('\n').find((line) => line.startsWith(`  ${name} `)).trim().split(/ {2,}/).slice(1);
  const cells = await browser.ask('[...document.querySelectorAll("#jobs td")].map((n) => n.textContent)');
  const [, , , time, ideal, ratio] = rowOf('incast');
  const [p50, p99, , max] = rowOf('message completion');
  const slow = rowOf('message slowdown');
  for (const text of [time, ideal, ratio, p50, p99, max, slow[0], slow[1]]) assert.ok(cells.includes(text), `${text}: ${cells.join()}`);
  const blamed = await browser.ask('document.querySelector("#blame .legend").textContent');
  for (const [, share, cause] of printed.matchAll(/^ +([\d.]+ %) .{11} {2}([a-z ]+):/gm)) {
    if (parseFloat(share) >= 1) assert.ok(blamed.includes(`${cause} ${share}`), `${cause} ${share}: ${blamed}`);
  }
}

/** Advice of the sentences of a section of blame: `Try first: TEXT (`. */
const advised = (sentences) => [...sentences.matchAll(/^ {2}(?:Try first|Then|Last): (.*?) \(/gm)].map(([, text]) => text);

/** What the top of a page says to try is what its section of blame says, in that order, and what `weft explain` prints. */
async function advisesAsBlame(browser) {
  const folders = { flapping: [], planes: [], 'uec-degraded': [], 'uec-incast': [], 'pfc-storm': [], converged: [], 'ecmp-collisions': ['--set', 'jobs[0].size=4MiB'],
    trimming: ['--set', 'faults=[{type: link-rate, from: h3, rate: 100Gbps}]'] };
  for (const [name, changes] of Object.entries(folders)) {
    run('run', scenario(name), '--blame', '--quiet', ...changes, '-o', name);
    await opens(browser, pageOf(name, name));
    const tries = await browser.ask('[...document.querySelectorAll("#overview .tries li")].map((n) => n.textContent)');
    const articles = await browser.ask('[...document.querySelectorAll("#blame article")].map((a) => [a.querySelector("h3").textContent, a.querySelector(".sentences").textContent])');
    const printed = advised(execFileSync(weft, ['explain', name, '--lines', '100'], { cwd: folder, encoding: 'utf8' }));
    assert.deepEqual(articles.flatMap(([, sentences]) => advised(sentences)).sort(), [...printed].sort(), name);
    // The first job is the one that the answer is about. Of several jobs the top has the advice of all that are slowed down.
    const [, sentences] = articles[0];
    const places = advised(sentences).map((text) => tries.findIndex((one) => one.startsWith(text)));
    const isAlone = articles.length === 1;
    if (isAlone) assert.ok(places.every((place) => place >= 0), `${name}: ${advised(sentences).join(' | ')} in ${tries.join(' | ')}`);
    const seen = places.filter((place) => place >= 0);
    assert.ok(seen.length > 0, name);
    if (isAlone) assert.deepEqual([...seen].sort((a, b) => a - b), seen, `${name}: ${tries.join(' | ')}`);
    // Every command that is advised can be run.
    for (const text of tries) {
      const [, without] = /weft run --without (\S+) /.exec(text) ?? [];
      if (without) run('run', scenario(name), '--quiet', ...changes, '--set', 'run.until=1us', '--without', without, '-o', 'without');
    }
  }
  await showsIncidents(browser);
  run('run', scenario('converged'), '--quiet', '--without', 'job:checkpoint', '-o', 'alone');
  await opens(browser, pageOf('without', 'converged', 'alone'));
  await opensWithTheAnswer(browser, /; only converged has job checkpoint\.$/);
  assert.match(await browser.ask('document.querySelectorAll("#overview ol.runs li")[1].textContent'), /, without job:checkpoint$/);
  // Names in backquotes of a warning are set as names.
  run('run', scenario('incast'), '--quiet', '--set', 'racks.server={part: plain, nic: {part: connectx-7, rate: 100Gbps}}', '-o', 'slow-nics');
  await opens(browser, pageOf('slow-nics', 'slow-nics'));
  assert.ok(await browser.ask('[...document.querySelectorAll("#overview .warnings code")].some((n) => n.textContent === "100Gbps")'));
}

/** A failed expectation is what the page opens with, with the value that was found; all of them stand in a table. */
async function saysWhatWasExpected(browser) {
  const expected = ['--expect', 'jobs.incast.jct < 500us', '--expect', 'network.packets_dropped == 0'];
  assert.throws(() => execFileSync(weft, ['run', scenario('incast'), '--quiet', '-o', 'expected', ...expected], { cwd: folder, stdio: 'ignore' }), /Command failed/);
  const page = pageOf('expected', 'expected');
  await opens(browser, page);
  const found = format.time(summaryOf('expected').jobs[0].jct_seconds);
  await opensWithTheAnswer(browser, new RegExp(`^1 of 2 expectations does not hold: jobs\\.incast\\.jct_seconds < 500us: jobs\\.incast\\.jct_seconds is ${found}; incast took `));
  assert.equal(await browser.ask('document.querySelector("#overview .figures dd").textContent'), '1 of 2');
  const rows = await browser.ask('[...document.querySelectorAll("#overview .expectations tbody tr")].map((r) => [...r.children].map((n) => n.textContent))');
  assert.deepEqual(rows, [['jobs.incast.jct_seconds < 500us', 'no', `jobs.incast.jct_seconds is ${found}`], ['network.packets_dropped == 0', 'yes', 'network.packets_dropped is 0']]);
  await looksRight(browser, page, [420]);
}

/** What failed stands on the page, as in the summary; where nothing did there is no such section. */
async function showsIncidents(browser) {
  await opens(browser, join(folder, 'flapping.html'));
  const { incidents } = summaryOf('flapping');
  const rows = await browser.ask('[...document.querySelectorAll("#incidents tbody tr")].map((r) => [...r.querySelectorAll("td")].map((n) => n.textContent))');
  assert.equal(rows.length, Math.min(12, incidents.length));
  const [row] = rows;
  const [one] = incidents;
  assert.equal(row[0], `${one.kind} of ${one.place}`);
  assert.equal(row[1], format.time(one.begin_seconds));
  assert.equal(row[3], `port at once, then routes after ${format.time(one.routes_seconds - one.begin_seconds)}, then sender after ${format.time(one.sender_seconds - one.begin_seconds)}`);
  assert.equal(row[4], format.number(one.lost_packets));
  assert.equal(row[8], format.time(one.slower_seconds));
  const longest = Math.max(...incidents.map((i) => i.slower_seconds ?? 0));
  assert.ok((await browser.ask('document.querySelector("#incidents .hint").textContent')).includes(`slower by up to ${format.time(longest)}`));
  await opens(browser, join(folder, 'planes.html'));
  assert.equal(await browser.ask('document.querySelectorAll("#planes tbody tr").length'), 8);
  assert.match(await browser.ask('document.querySelector("#overview .answer").textContent'), /in link-down of h3 to p5-leaf0/);
  // The plane that was lost at one of eight hosts carries less than the others, which share evenly.
  const shares = await browser.ask('[...document.querySelectorAll("#planes tbody tr")].map((r) => parseFloat(r.children[2].textContent))');
  const others = shares.filter((_, plane) => plane !== 5);
  assert.ok(shares[5] < 10 && Math.min(...others) > 12.5 && Math.max(...others) - Math.min(...others) < 0.2, shares.join());
  await opens(browser, join(folder, 'uec-incast.html'));
  assert.ok(!await browser.ask('document.getElementById("incidents") || document.getElementById("planes")'));
  const { network } = summaryOf('uec-incast');
  assert.equal(await browser.ask('Number(document.querySelector("[data-fact=\\"packets trimmed\\"]").dataset.value)'), network.packets_trimmed);
  assert.ok(network.packets_trimmed > 0);
  assert.equal(await browser.ask('[...document.querySelectorAll("#fabric select")].some((s) => [...s.options].some((o) => o.textContent === "packets trimmed"))'), true);
}

async function short(browser) {
  const printed = execFileSync(weft, ['run', join(sources, 'scenarios/incast.yaml'), '--blame', '-o', 'incast'], { cwd: folder, encoding: 'utf8' });
  const page = pageOf('incast', 'incast');
  await opens(browser, page);
  await equalsSummary(browser, summaryOf('incast'));
  await printsAsTheTerminal(browser, printed);
  await opensWithTheAnswer(browser, 'incast took what an empty network would, 686.4 us, within 0.3 %; NIC ingress of h0 sets it; but 1 in 100 messages of it took 25 times as long as alone or longer, behind each other.');
  await saysWhatToTry(browser, 'fewer bytes through NIC ingress of h0');
  for (const missing of ['series', 'timeline', 'storms']) assert.ok(!await browser.ask(`document.getElementById('${missing}') && !document.querySelector('#${missing} .table, #${missing} canvas, #${missing} .storm')`), missing);
  await leadsToPorts(browser, 'leaf0[0]->h0');
  await saysWhatWasExpected(browser);
  await showsNames(browser);
  await namesLosses(browser);
  await saysWhatIsCutOff(browser);
  await advisesAsBlame(browser);
  return page;
}

/** A timeline that is harder to paint than a run's, on the page of a run. */
async function timeline(browser) {
  run('run', join(sources, 'scenarios/incast.yaml'), '--quiet', '-o', 'timeline');
  writeFileSync(join(folder, 'timeline', 'timeline.json'), timelineText());
  const page = pageOf('timeline', 'timeline');
  await paintsWhatThereIs(browser, page);
  await opens(browser, page);
  await use.reachesThinSlices(browser, { title: 'rare' });
  await usesTimeline(browser);
}

const LATE = `name: late
racks: {count: 4, servers: 1, server: hgx-h100}
fabric: {topology: rail-optimised, group: 4, spines: 2}
transport: {type: roce}
jobs:
  - {name: ring, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-31, stragglers: [{ranks: 19, late: 500us}]}
`;

/** One run serves both: the page reads the file that is for Perfetto. */
async function usesTimeline(browser) {
  writeFileSync(join(folder, 'late.yaml'), LATE);
  run('run', 'late.yaml', '--blame', '--timeline', '--quiet', '-o', 'late');
  const page = pageOf('late', 'late');
  await opens(browser, page);
  assert.ok(!(await browser.ask('document.querySelector("#overview").textContent')).includes('a timeline of the ranks'), 'nothing asks for a second run');
  await use.legendIsTrue(browser);
  await use.tipsAreReached(browser);
  await browser.view({ width: 420 });
  await opens(browser, page);
  await use.namesFit(browser, { names: ['gpu16–23', 'gpu0 to gpu7', 'gpu8 to 15', 'gpu24 to 31'] });
  await browser.view();
  await opens(browser, page);
  await use.namesFit(browser, { names: ['hosts gpu16 to gpu23', 'hosts gpu0 to gpu7', 'hosts gpu8 to gpu15', 'hosts gpu24 to gpu31'] });
  await use.opensRows(browser, { culprit: 'hosts gpu16 to gpu23' });
  await use.showsShares(browser, { title: 'hosts gpu16 to gpu23', hosts: [16, 17, 18, 19, 20, 21, 22, 23].map((i) => `gpu${i}`) });
  await more.minimap(browser);
  await use.obeysKeys(browser);
  await use.pinsRows(browser);
  await use.addsUp(browser);
  await use.stepsThroughSlices(browser);
  await use.showsArrows(browser, { rank: 0 });
  await use.followsPath(browser, { host: 'hosts gpu16 to gpu23' });
  await use.remembers(browser, page);
  run('run', 'late.yaml', '--timeline', '--quiet', '--set', 'faults=[{type: link-rate, from: gpu3, rate: 100Gbps, at: 100us, until: 200us}]', '-o', 'faulty');
  await opens(browser, pageOf('faulty', 'faulty'));
  await use.marksFaults(browser, { text: 'link-rate gpu3', from: 100e3, until: 200e3 });
}

const STEPS = `name: steps
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2}
transport: {type: roce}
jobs:
  - {name: ring, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-7, iterations: 5, jitter: {type: exponential, mean: 50us}}
`;

/** States of paths stand on the page as in the summary, their curve as in path_changes.csv; runs without have none. */
async function showsPathStates(browser) {
  run('run', scenario('mrc-planes'), '--quiet', '--set', 'transport.plane_notice=none', '-o', 'paths');
  await opens(browser, pageOf('paths', 'paths'));
  const { path_planes: planes, path_states: hosts, simulated_seconds: end } = summaryOf('paths');
  const rows = await browser.ask('[...document.querySelectorAll("#paths .table table")].map((t) => [...t.querySelectorAll("tbody tr")].map((r) => [...r.children].map((n) => n.textContent)))');
  const said = (one) => ['good', 'skipped', 'assumed_bad', 'reserve', 'denied', 'skips', 'failures', 'recoveries'].map((key) => format.number(one[key]));
  const first = (one) => (one.first_failure_seconds === undefined || one.first_failure_seconds === null ? '–' : format.time(one.first_failure_seconds));
  assert.equal(planes.length, 8);
  assert.deepEqual(rows[0], planes.map((one) => [format.number(one.hosts), format.number(one.queue_pairs), `${one.plane}`, ...said(one), first(one)]));
  assert.deepEqual(rows[1], hosts.slice(0, 12).map((one) => [one.host, `${one.plane}`, ...said(one), first(one)]));
  const failures = planes.reduce((sum, one) => sum + one.failures, 0);
  assert.ok(failures > 0 && planes[5].failures > failures / 2, 'the plane that was lost');
  assert.ok((await browser.ask('document.querySelector("#paths .hint").textContent')).includes(`${format.number(failures)} failures after lost packets`));
  const [times, ...curves] = await browser.ask('document.querySelector("#paths .chart").plot.data');
  assert.deepEqual([times[0], times.at(-1)], [0, end]);
  const lines = readFileSync(join(folder, 'paths', 'path_changes.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
  const failing = lines.filter(([, , , , failed, recovered]) => failed + recovered > 0);
  const labels = await browser.ask('document.querySelector("#paths .chart").plot.series.slice(1).map((s) => s.label)');
  assert.deepEqual(labels, [...new Set(failing.map(([plane]) => plane))].sort((a, b) => a - b).map((plane) => `plane ${plane}`));
  for (const [plane, , to, , , , bad] of failing) {
    const at = times.findIndex((t) => t >= Math.min(to, end) - 1e-9);
    assert.equal(curves[labels.indexOf(`plane ${plane}`)][at], bad, `plane ${plane} at ${to}`);
  }
  for (const [i, curve] of curves.entries()) assert.equal(curve.at(-1), planes.find((one) => `plane ${one.plane}` === labels[i]).assumed_bad);
  await looksRight(browser, join(folder, 'paths.html'), [420]);
  await opens(browser, join(folder, 'recorded.html'));
  assert.ok(!await browser.ask('document.getElementById("paths")'));
}

/** Recordings of many queues, of rates, and of waits for credits. */
async function showsRareRecordings(browser) {
  run('run', scenario('ecmp-collisions'), '--quiet', '--set', 'jobs[0].size=4MiB', '--set', 'observe.queues={ports: "*", period: 20us}', '--set', 'observe.rates=["ring:*->*"]', '-o', 'many');
  await opens(browser, pageOf('many', 'many'));
  await browser.until('document.querySelector("canvas.strip").dataset.ports');
  await rare.stripOfMoments(browser);
  await rare.rates(browser);
  run('run', scenario('credit-loop'), '--quiet', '--set', 'observe.credits=true', '-o', 'credits');
  await opens(browser, pageOf('credits', 'credits'));
  await browser.until('document.querySelector("canvas.strip").dataset.ports');
  await rare.credits(browser);
}

/** Every chart of the page of a run and of a sweep, read back. */
async function showsData(browser) {
  run('run', scenario('pfc-storm'), '--blame', '--quiet', '--set', 'observe.pauses=true', '--set', 'observe.queues={ports: "*", period: 20us}',
    '--set', 'observe.marks={ports: all, period: 10us}', '--set', 'fabric.ecn={kmin: 50KB, kmax: 200KB, pmax: 0.5}', '-o', 'recorded');
  await opens(browser, pageOf('recorded', 'recorded'));
  await browser.until('document.querySelectorAll(".chart canvas").length >= 3 && document.querySelector("canvas.strip").dataset.ports');
  await charts.distributions(browser);
  await charts.overTime(browser);
  await charts.oneValueForOneMoment(browser);
  await charts.strip(browser);
  await charts.fabric(browser, { metric: 'time paused', column: 'paused_s', culprit: 'NIC of h0' });
  await charts.lyingBars(browser);
  await charts.plays(browser);
  await more.momentOfFabric(browser, { kind: 'queues', title: 'queue at a moment' });
  await more.momentOfFabric(browser, { kind: 'marks', title: 'marks at a moment' });
  await more.curvesOf(browser, { kind: 'marks', title: 'packets marked (ECN)', tick: /^[\d.]+ ([kMG] )?marks\/s$/ });
  await charts.strip(browser, 'marks', format.marks);
  await charts.plays(browser, 'marks', /marks\/s$/);
  await more.curvesOf(browser, { kind: 'pauses', title: 'share of time paused', tick: /^[\d.]+ %$/, isCrowded: true });
  await charts.strip(browser, 'pauses', format.percent);
  await more.momentOfFabric(browser, { kind: 'pauses', title: 'paused at a moment' });
  await more.otherDistributions(browser);
  await more.storms(browser);
  await showsPathStates(browser);
  run('run', scenario('pfc-storm'), '--blame', '--quiet', '--set', 'fabric.spines=4', '-o', 'wider');
  await opens(browser, pageOf('wider', 'recorded', 'wider'));
  await charts.comparedBars(browser);
  await more.fabricOfDifferences(browser, { title: 'time paused', column: 'paused_s' });
  await rare.distributionsOfRuns(browser);
  await showsRareRecordings(browser);
  writeFileSync(join(folder, 'steps.yaml'), STEPS);
  run('run', 'steps.yaml', '--blame', '--quiet', '-o', 'steps');
  await opens(browser, pageOf('steps', 'steps'));
  await charts.standingBars(browser);
  writeFileSync(join(folder, 'tiny.yaml'), SWEEP(scenario('incast')));
  run('sweep', 'tiny.yaml', '--quiet', '-j', '2', '-o', 'sweep');
  await opens(browser, pageOf('sweep-page', 'sweep'));
  await charts.sweep(browser);
  await namesMappings(browser);
  await saysBounds(browser);
  assert.deepEqual(browser.problems(), []);
  run('topo', scenario('gpt3-175b'), '-o', 'fabric.html');
  await browser.view({ width: 1440 });
  await opens(browser, join(folder, 'fabric.html'));
  await charts.topo(browser, { node: 'gpu100', box: '62 GPUs, rail 4', neighbours: ['leaf4', 'leaf12', '248 chips'] });
  await looksRight(browser, join(folder, 'fabric.html'), [360, 1440]);
  await drawsMixedRacks(browser);
  await drawsWideFabrics(browser);
}

/** Logs beside what is expected: a culprit with its ring, causes that cannot be told apart, and a healthy cluster. */
async function showsDiagnoses(browser) {
  const operators = (name) => join(sources, 'tests/operators', name);
  const log = (name) => operators(`logs/nccl-tests-2.17.8-allreduce-4n-${name}.txt`);
  const pairs = ['pairs-allreduce.csv', 'pairs-rail4-write-bw.csv', 'pairs-rail5-write-bw.csv'].map((name) => operators(`logs/${name}`));
  run('import', operators('server/nccl-topo-gpu01.xml'), operators('fabric/cables-generic.csv'), '--load-balancing', 'spray', '-o', 'cluster.yaml');
  const page = (name) => join(folder, `${name}.html`);
  run('diagnose', 'cluster.yaml', log('slow'), ...pairs, '-o', 'culprit.html');
  await browser.view({ width: 1440 });
  await opens(browser, page('culprit'));
  await opensWithTheAnswer(browser, /^gpu03\/mlx5_5 carries 52 % of its rate; it explains 98 % of what is slower than expected\.$/);
  await diagnosis.order(browser, ['overview', 'culprit', 'causes', 'sizes', 'pairs', 'topo']);
  await diagnosis.culprits(browser);
  await diagnosis.curves(browser);
  await diagnosis.matrices(browser);
  await diagnosis.ring(browser, 'gpu03/mlx5_5');
  await looksRight(browser, page('culprit'), [360, 1440]);
  run('diagnose', 'cluster.yaml', log('slow'), operators('logs/nccl-info-2.14.3.txt'), '-o', 'undecided.html');
  await opens(browser, page('undecided'));
  await opensWithTheAnswer(browser, /^Slower than expected, up to 1\.9\d times, and these measurements cannot tell \d causes apart: slow-nic, /);
  await diagnosis.order(browser, ['overview', 'causes', 'next', 'notes', 'sizes', 'topo']);
  await diagnosis.undecided(browser);
  await diagnosis.commands(browser);
  const warned = await diagnosis.notes(browser);
  assert.ok(warned.warnings.some((text) => /nccl-info-2\.14\.3\.txt:23: rings show 20 of 32 ranks/.test(text)), warned.warnings.join());
  await looksRight(browser, page('undecided'), [360, 1440]);
  run('diagnose', 'cluster.yaml', log('healthy'), '-o', 'healthy.html');
  await opens(browser, page('healthy'));
  await opensWithTheAnswer(browser, /^As expected but for 1 size, which is taken for noise: 12 sizes were compared\.$/);
  await diagnosis.order(browser, ['overview', 'notes', 'sizes', 'topo']);
  // The largest size alone is slower: a note says why it does not count, and which command measures it again.
  const lone = readFileSync(log('healthy'), 'utf8').replace(/22748\.0( +)188\.81( +)365\.81/, '45496.0$1 94.40$2182.90');
  writeFileSync(join(folder, 'lone.txt'), lone);
  run('diagnose', 'cluster.yaml', 'lone.txt', '-o', 'lone.html');
  await opens(browser, page('lone'));
  await opensWithTheAnswer(browser, /^As expected but for 2 sizes, which are taken for noise: 12 sizes were compared\.$/);
  await diagnosis.order(browser, ['overview', 'next', 'notes', 'sizes', 'topo']);
  await diagnosis.commands(browser);
  const noted = await diagnosis.notes(browser);
  assert.match(noted.notes[1], /4294967296 bytes take 1\.9\d times as long .* `all_reduce_perf -b 4G -e 4G -n 100`/);
  assert.deepEqual(browser.problems(), []);
}

const FULL_QUEUE = 'topology: leaf-spine, spines: 16, switch: spectrum-4, ecn: {kmin: 80KB, kmax: 320KB, pmax: 1}, flow_control: none, egress_limit: 400KB';
const MAPPINGS = (path) => `name: mappings
scenario: ${JSON.stringify(path)}
axes:
  - {name: full_queue, path: fabric, values: [{${FULL_QUEUE}}, {${FULL_QUEUE}, trimming: "on"}]}
  - {path: "jobs[0].size", values: [512KB, 1MB]}
objectives: [{name: jct, metric: jobs.incast.jct_seconds}]
`;

/** Values of a sweep that are mappings: named by what differs, and no wider than a narrow window. */
async function namesMappings(browser) {
  writeFileSync(join(folder, 'mappings.yaml'), MAPPINGS(scenario('trimming')));
  run('sweep', 'mappings.yaml', '--quiet', '-o', 'mappings');
  const page = pageOf('mappings', 'mappings');
  await opens(browser, page);
  await opensWithTheAnswer(browser, /^Best jct at each size: full_queue trimming: "on", .*; of full_queue, trimming: "on" is [\d.]+ times better than \{topology: .*\} on average/);
  await looksRight(browser, page, [420]);
}

const BOUND = (path) => `name: bound
scenario: ${JSON.stringify(path)}
axes: [{path: fabric.spines, values: [2, 4]}]
strategy: {type: bisect, path: "jobs[0].size", low: 16KiB, high: 1MiB, tolerance: 64KiB, condition: network.ecn_marked > 0}
objectives: [{name: marks, metric: network.ecn_marked}]
`;

/** A bisection opens with what it looked for, as weft summarizes it. */
async function saysBounds(browser) {
  writeFileSync(join(folder, 'bound.yaml'), BOUND(scenario('incast')));
  run('sweep', 'bound.yaml', '--quiet', '-o', 'bound');
  const { thresholds } = JSON.parse(execFileSync(weft, ['summarize', 'bound', '--json'], { cwd: folder }));
  const [bound] = new Set(thresholds.map((t) => t.holds_at));
  await opens(browser, pageOf('bound', 'bound'));
  await opensWithTheAnswer(browser, `The smallest size with network.ecn_marked > 0: ${bound} at all 2 other settings; all 10 points finished.`);
}

/** Wide fabrics on a narrow screen: the picture scrolls in itself, and switches and tiers keep their words. */
async function drawsWideFabrics(browser) {
  const cores = Array.from({ length: 16 }, (_, i) => `core${i}`);
  const tiers = ['agg - core: 128 x 100 Gbps', 'edge - agg: 128 x 100 Gbps', 'host - edge: 128 x 100 Gbps', '128 hosts'];
  const spines = ['spine0', 'spine15', 'leaf3', 'leaf - spine: 576 x 400 Gbps', 'GPU - chip: 10,368 x 400 Gbps', '18 chips'];
  for (const [name, words] of [['uec-degraded', [...cores, ...tiers]], ['superpod', spines]]) {
    run('topo', scenario(name), '-o', `${name}.html`);
    await looksRight(browser, join(folder, `${name}.html`), [420, 1440]);
    for (const width of [420, 1440]) {
      await browser.view({ width });
      await opens(browser, join(folder, `${name}.html`));
      await charts.wordsApart(browser, words);
    }
  }
  await browser.view();
}

const MIXED = `name: mixed
racks:
  - {count: 3, servers: 4, server: host-400g}
  - {count: 2, servers: 2, server: {gpus: 4, nics: 4, nic: {rate: 200Gbps}}}
  - {count: 1, servers: 16, server: host-400g}
  - {count: 2, servers: 3, server: hgx-h100}
fabric: {topology: leaf-spine, spines: 4}
transport: {type: roce}
jobs: [{name: ring, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-3}]
`;

/** Servers of different kinds and numbers: 3 * 4 + 16 hosts of 400 Gbps, 2 * 2 * 4 of 200 Gbps, 2 * 3 * 8 GPUs. */
async function drawsMixedRacks(browser) {
  writeFileSync(join(folder, 'mixed.yaml'), MIXED);
  run('topo', 'mixed.yaml', '-o', 'mixed.html');
  for (const width of [1440, 420]) {
    await browser.view({ width });
    await opens(browser, join(folder, 'mixed.html'));
    const kinds = ['host - leaf: 16 x 200 Gbps', 'host - leaf: 28 x 400 Gbps', 'GPU - leaf: 48 x 400 Gbps'];
    const counts = ['48 GPUs', '44 hosts', '24 chips', '32 to 40 ports', 'GPU - chip: 864 x 200 Gbps'];
    await charts.wordsApart(browser, width > 1000 ? [...kinds, ...counts, 'leaf7', 'rack 0', 'rack 5', 'domain 5'] : []);
  }
  const nodes = await browser.ask(
    `JSON.parse(document.getElementById('data').textContent).topo.names.flat().filter((name) => /^(h|gpu)\\d+$/.test(name))`,
  );
  assert.equal(new Set(nodes).size, 92);
  await browser.view();
}

const scenario = (name) => join(sources, `scenarios/${name}.yaml`);

/** Two runs: each quantity and each job as in its summary. */
async function comparesRuns(browser) {
  run('run', scenario('incast'), '--blame', '--quiet', '--set', 'fabric.spines=8', '-o', 'incast-8');
  const page = pageOf('compared', 'incast', 'incast-8');
  await opens(browser, page);
  const names = ['incast', 'incast-8'];
  await opensWithTheAnswer(browser, 'No job differs by more than 0.1 %; only fabric.spines differs.');
  for (const [i, name] of names.entries()) {
    const summary = summaryOf(name);
    const value = (quantity) => browser.ask(`Number(document.querySelector('[data-run="${i}"][data-quantity="${quantity}"]').dataset.value)`);
    assert.equal(await value('simulated'), summary.simulated_seconds);
    assert.equal(await value('message slowdown p99'), summary.messages.slowdown.p99);
    assert.equal(await value('packet latency p99'), summary.packet_latency_seconds.p99);
    const times = await browser.ask(`[...document.querySelectorAll('#compared-jobs [data-run="${i}"]')].map((n) => Number(n.dataset.value))`);
    assert.ok(times.includes(summary.jobs[0].jct_seconds) && times.includes(summary.jobs[0].fct_seconds.p99));
  }
  assert.match(await browser.ask('document.querySelector("#keys tbody").textContent'), /fabric\.spines48/);
  assert.ok(await browser.ask('document.querySelectorAll("#fabric .cable").length') > 0);
  return page;
}

const SWEEP = (path) => `name: tiny
scenario: ${JSON.stringify(path)}
axes:
  - {path: "jobs[0].size", values: [64KiB, 256KiB, 1MiB]}
  - {path: fabric.spines, values: [2, 4]}
seeds: 3
objectives:
  - {name: latency, metric: packet_latency_seconds.p50}
  - {name: p99, metric: messages.slowdown.p99}
`;

/** A sweep: points as exported, means and intervals over seeds as weft summarizes them. */
async function showsSweeps(browser) {
  writeFileSync(join(folder, 'tiny.yaml'), SWEEP(scenario('incast')));
  run('sweep', 'tiny.yaml', '--quiet', '-j', '2', '-o', 'sweep');
  const page = pageOf('sweep-page', 'sweep');
  await opens(browser, page);
  const output = (...words) => JSON.parse(execFileSync(weft, words, { cwd: folder, maxBuffer: 1 << 28 }));
  const exported = output('export', 'sweep', '--json').points;
  const shown = await browser.ask('[...document.querySelectorAll("#points [data-metric]")].map((n) => [Number(n.dataset.point), n.dataset.metric, Number(n.dataset.value)])');
  assert.equal(shown.length, 2 * exported.length);
  for (const [id, metric, value] of shown) {
    const exact = exported.find((p) => p.point === id).metrics[metric];
    assert.ok(Math.abs(value - exact) <= 1e-8 * exact, `${id} ${metric}: ${value}, ${exact}`);
  }
  await browser.ask('document.querySelector("#lines details").open = true');
  const means = await browser.ask('[...document.querySelectorAll("#lines [data-mean]")].map((n) => [Number(n.dataset.mean), Number(n.dataset.half)])');
  const best = output('summarize', 'sweep', '--json').objectives[0].configurations;
  assert.equal(means.length, best.length);
  await opensWithTheAnswer(browser, /^Best latency at each size: spines 4 as well as spines 2, [\d.]+ [nu]s at size 64KiB to [\d.]+ [nu]s at size 1MiB; all 18 points finished\.$/);
  for (const { mean, half_width_95: half } of best) {
    assert.ok(means.some(([m, h]) => Math.abs(m - mean) < 1e-7 * mean && Math.abs(h - half) < 1e-6 * half + 1e-12), `${mean} ${half}: ${JSON.stringify(means)}`);
  }
  await leadsToCommands(browser);
  return page;
}

async function leadsToCommands(browser) {
  await browser.ask('document.querySelector("#heat td button").click()');
  const command = await browser.ask('document.querySelector("#point .command").textContent');
  assert.match(command, /^weft export .*sweep --scenario \d+ --out point-\d+\.yaml\nweft run point-\d+\.yaml/);
  for (const line of command.split('\n')) execFileSync('bash', ['-c', line.replace(/^weft /, `${weft} `).concat(line.includes('weft run') ? ' --quiet' : '')], { cwd: folder });
  const count = () => browser.ask('document.querySelectorAll("#points tbody tr").length');
  const all = await count();
  await browser.ask('document.querySelector("#axes input[type=checkbox]").click()');
  assert.ok(await count() < all);
}

async function findsCauses(browser) {
  run('run', scenario('straggler'), '--blame', '--quiet', '-o', 'straggler');
  await opens(browser, pageOf('straggler', 'straggler'));
  await causes.straggler(browser, { job: 'late-in-ring', rank: 16, host: 'h16', hasTimeline: false });
  run('run', scenario('straggler-gpu'), '--blame', '--timeline', '--quiet', '-o', 'gpu');
  assert.ok(!JSON.stringify(summaryOf('gpu').warnings ?? []).includes('timeline'), 'a timeline of 64 GPUs fits');
  await opens(browser, pageOf('gpu', 'gpu'));
  assert.ok(statSync(join(folder, 'gpu.html')).size < 4e6);
  assert.ok(await browser.ask('Number(document.querySelector("canvas.timeline").dataset.milliseconds) < 100'));
  run('run', scenario('pfc-storm'), '--blame', '--quiet', '-o', 'storm');
  await opens(browser, pageOf('storm', 'storm'));
  await opensWithTheAnswer(browser, /^others took 33 times its zero-load time; 93 % of it is paused by the NIC of h0; 1 other job is slowed down, too\.$/);
  await saysWhatToTry(browser, 'replace the NIC of h0, which holds its switch paused; weft run --without nic-pauses');
  await causes.storm(browser, { victim: 'others', root: 'NIC' });
  run('run', scenario('ecmp-collisions'), '--blame', '--quiet', '-o', 'ecmp');
  await opens(browser, pageOf('ecmp', 'ecmp'));
  await saysWhatToTry(browser, 'spraying, adaptive routing or more queue pairs in place of a hash of paths; weft run --without collisions');
  await causes.collision(browser);
  for (const preset of ['scaled', 'paper']) {
    run('run', scenario('all-reduce'), '--blame', '--quiet', '--set', 'jobs[0].ranks.random=64', '--set', 'jobs[0].size=16MiB',
      '--set', `transport.congestion_control.preset=${preset}`, '-o', preset);
  }
  await opens(browser, pageOf('preset', 'scaled', 'paper'));
  await causes.preset(browser, { key: 'transport.congestion_control.preset', job: 'gradients' });
}

/**
 * A training of 64 GPUs: the file that is for Perfetto stays below its limit, and the page is made of it. Of each rank
 * the page has the time that it computed.
 */
async function training(browser) {
  run('run', scenario('scale-up-or-out'), '--timeline', '--quiet', '-o', 'training');
  const summary = summaryOf('training');
  assert.equal(summary.outcome, 'finished');
  assert.ok(!JSON.stringify(summary.warnings ?? []).includes('timeline'), 'no limit was reached');
  assert.ok(!existsSync(join(folder, 'training', 'timeline.json')));
  assert.ok(statSync(join(folder, 'training', 'timeline.perfetto-trace')).size < 100e6);
  const page = pageOf('training', 'training');
  assert.ok(statSync(page).size < 4e6);
  await opens(browser, page);
  const { timeline } = (await browser.ask('JSON.parse(document.getElementById("data").textContent)')).runs[0];
  const [steps] = summary.iterations;
  const computed = timeline.tracks.filter((track) => track.name === 'compute').map((track) => {
    assert.match(track.process, /^llama rank \d+ \(gpu\d+\)$/);
    return track.slices.filter((_, i) => i % 4 === 1).reduce((sum, length) => sum + length, 0) * 1e-9;
  });
  assert.equal(computed.length, 64);
  const mean = computed.reduce((sum, time) => sum + time, 0) / 64;
  assert.ok(Math.abs(mean - steps.compute_seconds) < 0.001 * mean, `${mean} for ${steps.compute_seconds}`);
  assert.ok(await browser.ask('Number(document.querySelector("canvas.timeline").dataset.milliseconds) < 200'));
}

/** Takes a choice of a section by its words. */
function choose(browser, section, text) {
  return browser.ask(`(() => {
    const option = [...document.querySelectorAll('${section} option')].find((o) => o.textContent === ${JSON.stringify(text)});
    option.parentNode.value = option.value;
    option.parentNode.dispatchEvent(new Event('change'));
  })()`);
}

/** The fabric by everything that was recorded of it, at moments too; packets by job; and all of it on paper. */
async function showsTraces(browser) {
  run('run', scenario('pfc-storm'), '--blame', '--quiet', '--set', 'observe.timeline=json', '--set', 'observe.pauses=true',
    '--set', 'observe.queues={ports: "*", period: 20us}', '-o', 'traces');
  const page = pageOf('traces', 'traces');
  await opens(browser, page);
  const colours = () => browser.ask('[...document.querySelectorAll("#fabric .cable")].map((n) => n.getAttribute("stroke")).join()');
  const seen = new Set();
  for (const name of ['utilisation', 'peak queue', 'mean queue', 'ECN marks', 'time paused', 'pauses sent', 'blame', 'queue at a moment', 'paused at a moment']) {
    await choose(browser, '#fabric', name);
    seen.add(await colours());
  }
  assert.equal(seen.size, 9);
  const before = await colours();
  await browser.ask('(() => { const s = document.querySelector("#fabric input[type=range]"); s.value = 60; s.dispatchEvent(new Event("input")); })()');
  assert.notEqual(await colours(), before);
  assert.ok(await browser.ask('document.querySelectorAll("#storms .tree li, #storms li").length') > 3);
  await choose(browser, '#distributions', 'packet latency');
  await browser.until('document.querySelectorAll("#distributions .u-series").length > 2');
  const legend = await browser.ask('[...document.querySelectorAll("#distributions .u-label")].map((n) => n.textContent)');
  for (const job of ['others', 'to-the-broken']) assert.ok(legend.includes(job), legend.join());
  await browser.ask('window.dispatchEvent(new Event("beforeprint"))');
  await browser.settle();
  assert.ok(await browser.ask('[...document.querySelectorAll(".chart canvas")].every((n) => n.getBoundingClientRect().width <= 700)'));
  assert.deepEqual(browser.problems(), []);
  return page;
}

const SIZES = `name: sizes
racks: {count: 1, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 1}
transport: {type: roce}
jobs:
  - {name: mixed, type: messages, ranks: [0, 1, 2], list: [{from: 0, to: 2, size: 64KiB}, {from: 0, to: 2, size: 1MiB}, {from: 1, to: 2, size: 20MiB}]}
  - {name: even, type: messages, ranks: [2, 3], list: [{from: 1, to: 0, size: 256KiB}, {from: 1, to: 0, size: 512KiB, start: 100us}]}
`;

/** Messages and packets by job and size: a curve for each class that a job has, and one for a job that has one. */
async function tellsSizesApart(browser) {
  writeFileSync(join(folder, 'sizes.yaml'), SIZES);
  run('run', 'sizes.yaml', '--quiet', '-o', 'sizes');
  const page = pageOf('sizes', 'sizes');
  await opens(browser, page);
  const sizes = ['up to 64 KiB', 'up to 1 MiB', 'over 16 MiB'].map((size) => `mixed, ${size}`);
  for (const quantity of ['message slowdown', 'message completion time', 'packet latency']) {
    await choose(browser, '#distributions', quantity);
    for (const [by, curves] of [['run', ['all jobs']], ['job', ['mixed', 'even']], ['job and size class', [...sizes, 'even']]]) {
      await choose(browser, '#distributions', by);
      await browser.until('document.querySelectorAll("#distributions .u-legend").length === 2');
      const legends = await browser.ask('[...document.querySelectorAll("#distributions .u-legend")].map((n) => [...n.querySelectorAll(".u-label")].slice(1).map((l) => l.textContent))');
      assert.deepEqual(legends, [curves, curves], `${quantity} by ${by}`);
    }
  }
  return page;
}

async function whole(browser, incast) {
  const pages = [incast, await comparesRuns(browser), await showsSweeps(browser), await showsTraces(browser), await tellsSizesApart(browser)];
  for (const page of pages) {
    await looksRight(browser, page, [360, 1280, 1920]);
    await obeysKeyboard(browser, page);
  }
  await findsCauses(browser);
}

const browser = await Browser.start();
try {
  if (extent === 'timeline') {
    await timeline(browser);
  } else if (extent === 'charts') {
    await showsData(browser);
  } else if (extent === 'diagnosis') {
    await showsDiagnoses(browser);
  } else if (extent === 'training') {
    await training(browser);
  } else if (extent === 'large') {
    run('run', scenario('gpt3-175b'), '--blame', '--timeline', '--quiet', '-o', 'large');
    await isQuick(browser, { weft, folder, results: 'large', name: 'large' });
  } else {
    const page = await short(browser);
    if (extent === 'whole') await whole(browser, page);
  }
} finally {
  await browser.stop();
  rmSync(folder, { recursive: true, force: true });
}
