// The page: reads the data that is written into it, and makes its parts one after the other.

import { el, replace } from './dom.js';
import { overview } from './overview.js';
import { jobs } from './jobs.js';
import { blame } from './blame.js';
import { curves } from './curves.js';
import { tail } from './tail.js';
import { fabric } from './fabric.js';
import { series } from './series.js';
import { storms } from './storms.js';
import { timeline } from './timeline.js';

function contents(parts) {
  return el('nav', { 'aria-label': 'contents' }, el('ul', {}, parts.map((part) => {
    const title = part.querySelector('h2');
    return el('li', {}, el('a', { href: `#${title.id}` }, title.textContent));
  })));
}

function partsOf(data) {
  const runs = data.runs;
  const run = runs[0];
  return [overview(run), jobs(run), blame(run, 0), tail(run, 0), curves(runs), fabric(runs), series(run), storms(run, 0), timeline(run, 0)];
}

function footer(data) {
  return el('footer', {}, `Made by weft ${data.version}. Curves: uPlot ${UPLOT_VERSION}, MIT licence, `,
    el('a', { href: 'https://github.com/leeoniya/uPlot', rel: 'noreferrer' }, 'its source'), '. The page loads nothing.');
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  data.runs?.forEach((run) => { run.label = run.summary.scenario; });
  const main = el('main', {});
  document.body.prepend(main);
  const parts = partsOf(data).filter(Boolean);
  replace(main, el('header', {}, el('p', { class: 'brand' }, 'weft report'), contents(parts)), parts, footer(data));
  document.documentElement.dataset.ready = 'true';
}

start();
