// A sweep: its axes and filters, every point in a table, and what leads from a point to its command.

import { el, section, choice, replace, action } from './dom.js';
import { goTo } from './bus.js';
import { Points } from './sweep_points.js';
import { linesView, heatView, frontView } from './sweep_charts.js';
import { table } from './table.js';
import { answerOfSweep } from './answer_sweep.js';
import { answerView } from './answer.js';
import { warningsView } from './overview.js';
import * as format from './format.js';

const MOST_BOXES = 16;
const MOST_COLUMNS = 12;

function overview(points) {
  const { sweep } = points;
  const status = new Map();
  for (const point of sweep.points) {
    const name = point.status === 'done' ? point.outcome : point.status;
    status.set(name, (status.get(name) ?? 0) + 1);
  }
  const warned = sweep.points.filter((p) => p.warnings?.length).length;
  const failed = sweep.points.filter((p) => !p.counts && !p.estimated);
  const cut = sweep.points.filter((p) => p.counts && p.cut_off).length;
  const warnings = [
    ...(cut ? [`${format.counted(cut, 'point was', 'points were')} cut off: percentiles say of how many messages they are, and are in no front unless asked for.`] : []),
    ...(failed.length ? [`${format.number(failed.length)} of ${format.number(sweep.points.length)} points ${failed.length === 1 ? 'has no result that counts, and is' : 'have no result that counts, and are'} in no line, map or front.`] : []),
    ...(warned ? [`${format.counted(warned, 'point has warnings', 'points have warnings')}; the table has a column of them.`] : [])];
  const facts = [['points', format.number(sweep.points.length)], ...[...status].map(([name, count]) => [name, format.number(count)]),
    ['made by', sweep.program], ['results in', el('code', {}, sweep.folder)], ['all numbers', el('code', {}, `weft export ${sweep.quoted_folder}`)]];
  return section('overview', sweep.name, answerView(answerOfSweep(points)), warningsView(warnings),
    el('details', {}, el('summary', {}, 'The sweep in numbers, and its command'), el('dl', { class: 'facts' }, facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))))),
    sweep.metrics_left_out ? el('p', { class: 'hint' }, `${format.number(sweep.metrics_left_out)} results that are the same everywhere, or beyond what a page holds, are left out; weft export has all.`) : null,
    sweep.summary ? el('details', {}, el('summary', {}, 'What weft summarize says: best and worst, main effects, intervals'), el('pre', {}, sweep.summary)) : null);
}

/** Boxes for few values, two bounds for many. */
function filterOf(parameter, filters, changed) {
  const { index, levels } = parameter;
  if (levels.length <= MOST_BOXES || !parameter.isNumeric) {
    const keep = new Set(levels.map((l) => l.text));
    const boxes = levels.map((level) => el('label', {}, el('input', { type: 'checkbox', checked: true, onchange: (e) => {
      if (e.target.checked) keep.add(level.text); else keep.delete(level.text);
      if (keep.size === levels.length) filters.delete(index); else filters.set(index, keep);
      changed();
    } }), ' ', level.text));
    return el('fieldset', {}, el('legend', {}, parameter.name), boxes);
  }
  const bounds = { from: levels[0].number, to: levels.at(-1).number };
  const bound = (name, at) => choice(name, levels.map((l, i) => [String(i), l.text]), (v) => { bounds[name] = levels[Number(v)].number; filters.set(index, bounds); changed(); }, String(at));
  return el('fieldset', {}, el('legend', {}, parameter.name), bound('from', 0), ' ', bound('to', levels.length - 1));
}

function filtersView(points, changed) {
  const filters = new Map();
  const said = el('output', { 'aria-live': 'polite' });
  const all = points.parameters.filter((p) => p.levels.length > 1);
  const act = () => {
    const shown = points.filtered(filters);
    said.textContent = `${format.number(shown.length)} of ${format.number(points.sweep.points.length)} points are shown, here and below.`;
    changed(shown);
  };
  const axes = table([
    { title: 'axis', value: (p) => p.name, isText: true },
    { title: 'key', value: (p) => p.path, isText: true },
    { title: 'values', value: (p) => p.levels.length },
    { title: 'from', value: (p) => p.levels[0]?.text ?? '', isText: true },
    { title: 'to', value: (p) => p.levels.at(-1)?.text ?? '', isText: true },
  ], points.parameters, { caption: 'Axes' });
  return { node: section('axes', 'Axes and filters', axes, el('div', { class: 'filters' }, all.map((p) => filterOf(p, filters, act))), el('p', {}, said)), act };
}

const commandOf = (sweep, point) => `weft export ${sweep.quoted_folder} --scenario ${point.id} --out point-${point.id}.yaml\nweft run point-${point.id}.yaml --blame`;

/** What is known of a point, with the command that runs it again. */
function pointView(points) {
  const { sweep } = points;
  const place = el('div', { class: 'panel', 'aria-live': 'polite' });
  const node = section('point', 'A point', place);
  node.hidden = true; // until one is picked
  const pick = (point) => {
    node.hidden = false;
    const same = sweep.points.filter((p) => p.configuration === point.configuration);
    const said = points.parameters.map((p) => `${p.name} ${point.texts[p.index]}`).join(', ');
    replace(place, el('h3', {}, `Point ${point.id}: ${said}`),
      el('p', {}, point.status === 'done' ? `Its run: ${point.outcome}` : `It has no results: ${point.status}`, point.wall ? `, after ${format.time(point.wall)}` : '', point.message ? `. ${point.message}` : '.'),
      point.warnings?.length ? el('ul', { class: 'warnings' }, point.warnings.map((w) => el('li', {}, w))) : null,
      el('p', { class: 'hint' }, 'Its scenario, and the run again:'), el('pre', { class: 'command', tabindex: 0 }, commandOf(sweep, point)),
      same.length > 1 ? el('p', {}, `Other seeds of it: `, same.filter((p) => p !== point).map((p) => [action(String(p.id), () => pick(p)), ' '])) : null,
      table([{ title: 'result', value: (m) => m.name, isText: true }, { title: 'value', value: (m) => point.metrics[m.index], show: (m) => format.partly(points.show(m.name, point.metrics[m.index]), points.cutOff(point, m.name)) }],
        [...points.metrics.values()].filter((m) => typeof point.metrics[m.index] === 'number'), { caption: 'Results', filter: true, most: 12 }));
    goTo('point');
  };
  return { node, pick };
}

function tableView(points, pick) {
  const { sweep } = points;
  const objectives = points.choices().slice(0, sweep.objectives.length || 4).slice(0, MOST_COLUMNS);
  const more = new Set();
  const place = el('div', {});
  let shown = [];
  let made = null;
  const draw = () => {
    const columns = [...objectives, ...points.choices().filter(([m]) => more.has(m))];
    made = table([
      { title: 'point', value: (p) => p.id, show: (p) => action(String(p.id), () => pick(p), 'what is known of it') },
      ...points.parameters.filter((p) => p.levels.length > 1).map((p) => ({
        title: p.name,
        value: (row) => row.values[p.index],
        show: (row) => row.texts[p.index],
        isText: !p.isNumeric,
      })),
      ...columns.map(([metric, name]) => ({ title: name, value: (p) => points.value(p, metric), show: (p) => el('span', { 'data-metric': metric, 'data-point': p.id, 'data-value': points.value(p, metric) }, format.partly(points.show(metric, points.value(p, metric)), points.value(p, metric) === null ? '' : points.cutOff(p, metric))) })),
      { title: 'outcome', value: (p) => (p.status === 'done' ? p.outcome : p.status), isText: true },
      ...(sweep.points.some((p) => p.warnings?.length) ? [{ title: 'warnings', value: (p) => p.warnings?.length ?? 0 }] : []),
    ], shown, { caption: 'Points', filter: true, most: 25 });
    replace(place, made);
  };
  const rest = points.choices().filter((c) => !objectives.includes(c));
  const node = section('points', 'Points', rest.length ? el('div', { class: 'controls' }, choice('one more column', [['', 'none'], ...rest], (v) => { if (v) more.add(v); else more.clear(); draw(); }, '')) : null, place);
  return { node, show: (list) => { shown = list; if (made) made.setRows(list); else draw(); } };
}

export function sweepParts(sweep) {
  const points = new Points(sweep);
  const point = pointView(points);
  const hasResults = points.metrics.size > 0 && points.axes().length > 0;
  const views = [...(hasResults ? [linesView(points, point.pick), heatView(points, point.pick), frontView(points, point.pick)] : []), tableView(points, point.pick)].filter(Boolean);
  const filters = filtersView(points, (shown) => views.forEach((view) => view.show(shown)));
  requestAnimationFrame(filters.act);
  return [overview(points), filters.node, ...views.map((view) => view.node), point.node];
}
