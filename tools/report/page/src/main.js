// The page: reads the data that is written into it, and makes its parts one after the other.

import { el, replace } from './dom.js';
import { overview } from './overview.js';
import { jobs } from './jobs.js';
import { blame } from './blame.js';
import { curves } from './curves.js';
import { incidents } from './incidents.js';
import { paths } from './paths.js';
import { planes } from './planes.js';
import { tail } from './tail.js';
import { fabric } from './fabric.js';
import { series } from './series.js';
import { storms } from './storms.js';
import { timeline } from './timeline.js';
import { comparedParts } from './compare.js';
import { sweepParts } from './sweep.js';
import { topoPart } from './topo.js';
import { diagnosisParts } from './diagnosis.js';
import { stretched } from './drawing.js';
import { keepHistory } from './history.js';
import { setRecorded } from './time_range.js';

function contents(parts) {
  return el('nav', { 'aria-label': 'contents' }, el('ul', {}, parts.filter((part) => !part.hidden).map((part) => {
    const title = part.querySelector('h2');
    return el('li', {}, el('a', { href: `#${title.id}` }, title.textContent));
  })));
}

/** What a run has that is not shown of all runs together. */
const partsOfRun = (run, index, id) => [overview(run, id), jobs(run), blame(run, index), incidents(run), planes(run), paths(run, index), tail(run, index), series(run, index), storms(run, index), timeline(run, index)];

function partsOf(data) {
  const { runs, sweep, topo } = data;
  if (data.diagnosis) return diagnosisParts(data);
  if (topo) return [topoPart(topo, topo.marks)];
  if (sweep) return sweepParts(sweep);
  const shared = [curves(runs), fabric(runs)];
  if (runs.length > 1) return comparedParts(runs, data.expectations, shared, (run, index) => partsOfRun(run, index, 'run-overview'));
  const [first, steps, culprits, failures, fabrics, states, slowest, ...rest] = partsOfRun(runs[0], 0, 'overview');
  return [first, steps, culprits, failures, fabrics, states, slowest, ...shared, ...rest];
}

/** Of several runs each has a name of its own: the folder's, in whole where two are the same. */
function name(runs) {
  const short = runs.map((run) => (runs.length > 1 ? run.folder.replace(/\/+$/, '').split('/').at(-1) : run.summary.scenario));
  runs.forEach((run, index) => {
    run.index = index;
    run.label = short.filter((s) => s === short[index]).length > 1 ? run.folder : short[index];
  });
}

function footer(data) {
  return el('footer', {}, `Made by weft ${data.version}. Curves: uPlot ${UPLOT_VERSION}, MIT licence, `,
    el('a', { href: 'https://github.com/leeoniya/uPlot', rel: 'noreferrer' }, 'its source'), '. The page loads nothing.');
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  const runs = data.runs ?? [];
  for (const run of runs) run.fabric = stretched(run.fabric);
  name(runs);
  runs.forEach((run, index) => setRecorded(index, run.summary.simulated_seconds ?? 0));
  const main = el('main', {});
  document.body.prepend(main);
  const parts = partsOf(data).filter(Boolean);
  replace(main, el('header', {}, el('p', { class: 'brand' }, data.diagnosis ? 'weft diagnose' : data.topo ? 'weft topo' : 'weft report'), contents(parts)), parts, footer(data));
  keepHistory(runs.length);
  document.documentElement.dataset.ready = 'true';
}

start();
