// How large the page of a large run is, and how long it and the browser take for it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** What was asked of the page of `gpt3-175b.yaml` with blame and timeline. */
const MOST = { bytes: 4e6, reportSeconds: 2, moveMilliseconds: 50, searchMilliseconds: 100 };

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** CPU seconds of a command: how long it takes by the clock depends on what else the machine does. */
function cpuSeconds(cwd, ...words) {
  const ran = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', ...words], { cwd, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  const [user, system] = ran.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return user + system;
}

/** CPU milliseconds of the page's own thread from an act until what it changes is painted. */
async function cpuOf(browser, act) {
  const busy = async () => {
    const { metrics } = await browser.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  const before = await busy();
  await act();
  await browser.settle();
  return (await busy()) - before;
}

/**
 * All times are of the CPU, so that a loaded machine does not fail; the median of keys stands for a zoom or a move,
 * since single frames have the browser's own garbage collection in them, and none takes twice as long.
 */
export async function isQuick(browser, { weft, folder, results, name }) {
  const report = () => cpuSeconds(folder, weft, 'report', results, '-o', `${name}.html`);
  const seconds = median([report(), report(), report()]);
  const file = `${folder}/${name}.html`;
  const { size } = statSync(file);
  await browser.view({ width: 1440, height: 900 });
  await browser.open(file);
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' });
  await browser.ask('document.querySelector("canvas.timeline").scrollIntoView()');
  await browser.ask('document.querySelector("canvas.timeline").focus()');
  await browser.settle();
  const [moves, searches] = [[], []];
  for (const key of 'wwdasdwsdasws') {
    const before = await browser.ask('document.querySelector("canvas.timeline").dataset.from + document.querySelector("canvas.timeline").dataset.to');
    moves.push(await cpuOf(browser, () => browser.press(key, `Key${key.toUpperCase()}`, key.toUpperCase().charCodeAt(0))));
    assert.notEqual(await browser.ask('document.querySelector("canvas.timeline").dataset.from + document.querySelector("canvas.timeline").dataset.to'), before, key);
  }
  for (const words of ['queueing', 'forward', 'gpu100', 'send', 'launch', 'receive', 'back']) {
    searches.push(await cpuOf(browser, () => browser.ask(`(() => {
      const input = document.querySelector('#timeline input[type=search]');
      input.value = ${JSON.stringify(words)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`)));
  }
  assert.match(await browser.ask('document.querySelector("#timeline output").textContent'), /^[\d,]+ slices$/);
  const list = (times) => times.map((t) => t.toFixed(1)).join(' ');
  console.log(`${size} B, report ${seconds} CPU s, zoom and move ${list(moves)} ms, search ${list(searches)} ms`);
  assert.ok(size <= MOST.bytes, `${size} B`);
  assert.ok(seconds <= MOST.reportSeconds, `${seconds} s`);
  assert.ok(median(moves) <= MOST.moveMilliseconds && Math.max(...moves) <= 2 * MOST.moveMilliseconds, list(moves));
  assert.ok(Math.max(...searches) <= MOST.searchMilliseconds, list(searches));
}
