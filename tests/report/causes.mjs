// From a folder of results to the cause of a tail, by at most three clicks: the ways that REPORT.md describes.

import assert from 'node:assert/strict';

async function click(browser, what) {
  await browser.ask(`(() => { const node = ${what}; if (!node) throw new Error('not there: ' + ${JSON.stringify(what)}); node.dispatchEvent(new MouseEvent('click', { bubbles: true })); return true; })()`);
  await browser.settle();
}
const text = (browser, selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
const button = (within, wanted) => `[...document.querySelectorAll(${JSON.stringify(`${within} button`)})].find((b) => b.textContent === ${JSON.stringify(wanted)})`;
/** Where eyes and keyboard are: the part of the page whose heading has the focus. */
const at = (browser) => browser.ask('document.activeElement?.id');

/** The red piece of the bar names the rank; a click leads to its host, or with a timeline to what it did. */
export async function straggler(browser, { job, rank, host, hasTimeline }) {
  const own = `[...document.querySelectorAll('#blame article')].find((a) => a.querySelector('h3').textContent === ${JSON.stringify(job)})`;
  const ofJob = `[...${own}.querySelectorAll('.lying button')].find((b) => b.getAttribute('aria-label').startsWith('straggler'))`;
  const said = await browser.ask(`${ofJob}.getAttribute('aria-label')`);
  assert.ok(said.includes(`most through rank ${rank} (${host})`), said);
  await click(browser, ofJob);
  if (hasTimeline) {
    assert.equal(await at(browser), 'timeline-title');
    assert.ok((await text(browser, '#timeline .panel')).startsWith(`${job} rank ${rank}`));
  } else {
    assert.equal(await at(browser), 'fabric-title');
    assert.equal(await text(browser, '#fabric .panel h3'), host);
  }
}

/** The piece of the victim's bar leads to the paused port, that to its pauses over time, and the storm names the root. */
export async function storm(browser, { victim, root }) {
  const piece = `[...[...document.querySelectorAll('#blame article')].find((a) => a.querySelector('h3').textContent === ${JSON.stringify(victim)}).querySelectorAll('.lying button')].find((b) => b.getAttribute('aria-label').startsWith('pause'))`;
  const said = await browser.ask(`${piece}.getAttribute('aria-label')`);
  assert.ok(said.includes(root), said);
  await click(browser, piece);
  assert.equal(await at(browser), 'fabric-title');
  const port = await text(browser, '#fabric .panel h3');
  await click(browser, button('#fabric .panel', port));
  assert.equal(await at(browser), 'series-title');
  assert.equal(await browser.ask('document.querySelector("#series input").value'), port);
  assert.ok(await browser.ask('document.querySelectorAll("#series .u-series").length') > 1);
  assert.ok((await text(browser, '#storms .storm summary')).startsWith(root));
  await click(browser, "document.querySelector('#storms .tree button')");
  assert.equal(await at(browser), 'fabric-title');
}

/** The slowest message lights its way, where the line that is worst is the one on which flows met. */
export async function collision(browser) {
  const first = await browser.ask('document.querySelector("#tail tbody td button").textContent');
  await click(browser, 'document.querySelector("#tail tbody td button")');
  assert.equal(await at(browser), 'fabric-title');
  assert.ok((await text(browser, '#fabric .panel h3')).includes(first));
  assert.ok(await browser.ask('document.querySelectorAll(".cable.lit").length') >= 2);
  // The first port of the table is the worst of the way: between leaf and spine, where hashes collide.
  const worst = await browser.ask('document.querySelector("#fabric .panel tbody td").textContent');
  assert.match(worst, /leaf\d+\[\d+\]->spine|spine\d+\[\d+\]->leaf/);
}

/** Of two runs, keys and the bars of blame say which preset it was. */
export async function preset(browser, { key, job }) {
  assert.ok((await text(browser, '#keys tbody')).includes(key));
  const own = `[...document.querySelectorAll('#compared-blame article')].find((a) => a.querySelector('h3').textContent === ${JSON.stringify(job)})`;
  const difference = await text(browser, '#compared-blame pre');
  assert.match(difference.split('\n')[1], /^ +\+[\d.]+ [mu]s +congestion control: /, difference);
  await click(browser, `[...[...${own}.querySelectorAll('.lying')][1].querySelectorAll('button')].find((b) => b.getAttribute('aria-label').includes('congestion control'))`);
  assert.equal(await at(browser), 'blame-title');
  assert.ok((await text(browser, '#blame .sentences')).includes('congestion control'));
}
