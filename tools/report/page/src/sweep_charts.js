// A sweep as lines, as a heat map, and as a Pareto front.

import uPlot from 'uplot';
import { el, section, choice, replace, action } from './dom.js';
import { axes, chart } from './curves.js';
import { heat, inkOn, ofSeries, css, ramp, onOtherColours } from './colour.js';
import { front, isWide } from './sweep_points.js';
import { logAxis } from './quantiles.js';
import { table } from './table.js';
import * as format from './format.js';

const DASHES = [[], [14, 8], [5, 9]];
const MOST_LINES = 20;
const MOST_CELLS = 60;
const MOST_TICKS = 12;

const fitting = (isLog) => (u, least, most) => {
  if (least === null) return [0, 1];
  if (isLog) return [least / 1.1, most * 1.1];
  const margin = (most - least || Math.abs(most) || 1) * 0.06;
  return [least - margin, most + margin];
};

/** A scale and an axis for numbers, logarithmic where they span much. It begins at 0, or its label says otherwise. */
function dimension(name, values, show) {
  if (isWide(values)) return { scale: { time: false, distr: 3, range: fitting(true) }, axis: { label: `${name} (log)`, show, more: logAxis(show) } };
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isFromZero = least >= 0 && least < most / 2;
  const range = isFromZero ? () => [0, most * 1.06] : fitting(false);
  return { scale: { time: false, range }, axis: { label: isFromZero || least <= 0 ? name : `${name}, not from 0`, show, more: {} } };
}

/** Of a text below an axis: pixels of a letter and of a line. */
const [LETTER, LINE] = [7, 15];
/** What the axis of the result takes beside the lines. */
const BESIDE = 110;

/** Values of an axis that are texts stand side by side. */
function ofParameter(parameter) {
  if (!parameter.isNumeric) {
    const texts = parameter.levels.map((l) => l.text);
    const shown = (u) => texts.map((text) => format.wrapped(text, Math.max(4, Math.floor((u.width - BESIDE) / texts.length / LETTER))));
    const more = {
      splits: () => texts.map((_, i) => i),
      values: (u, at) => at.map((i) => shown(u)[i] ?? ''),
      size: (u) => 35 + LINE * Math.max(...shown(u).map((text) => text.split('\n').length)),
    };
    return { xs: texts.map((_, i) => i), text: (i) => texts[i] ?? '', scale: { time: false, range: [-0.5, texts.length - 0.5] }, axis: { label: parameter.name, show: String, more } };
  }
  const xs = parameter.levels.map((l) => l.number);
  const textOf = new Map(parameter.levels.map((l) => [l.number, l.text]));
  const show = (v) => textOf.get(v) ?? format.byUnit(parameter.unit, v);
  const known = dimension(parameter.name, xs, show);
  if (xs.length <= MOST_TICKS) known.axis.more = { splits: () => xs, values: (u, at) => at.map(show), filter: (u, at) => at };
  return { xs, text: show, ...known };
}

/** Bars from low to high at each point, drawn over the lines. */
function whiskers(u, lines) {
  const pen = u.ctx;
  pen.save();
  pen.lineWidth = devicePixelRatio;
  lines.forEach((line, s) => {
    if (!u.series[s + 1].show) return;
    pen.strokeStyle = ofSeries(s);
    line.at.forEach((cell, i) => {
      if (!cell || cell.low === cell.high) return;
      const x = Math.round(u.valToPos(u.data[0][i], 'x', true));
      const [low, high] = [cell.low, cell.high].map((v) => u.valToPos(Math.max(v, u.scales.y.min), 'y', true));
      const tip = 4 * devicePixelRatio;
      pen.setLineDash(cell.isInterval ? [] : [3 * devicePixelRatio, 3 * devicePixelRatio]);
      pen.beginPath(); pen.moveTo(x, low); pen.lineTo(x, high); pen.moveTo(x - tip, low); pen.lineTo(x + tip, low); pen.moveTo(x - tip, high); pen.lineTo(x + tip, high); pen.stroke();
    });
  });
  pen.restore();
}

/** Words beside points, as far as they do not lie on each other. */
function remarks(u, lines, textOf) {
  const pen = u.ctx;
  const taken = [];
  pen.save();
  pen.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  pen.fillStyle = css('--ink');
  lines.forEach((line, s) => line.at.forEach((cell, i) => {
    const text = cell && u.series[s + 1].show ? textOf(cell) : '';
    if (!text) return;
    const [x, y] = [u.valToPos(u.data[0][i], 'x', true), u.valToPos(cell.mean, 'y', true) - 8 * devicePixelRatio];
    const width = pen.measureText(text).width;
    const left = Math.min(x, u.bbox.left + u.bbox.width - width);
    if (taken.some((t) => Math.abs(t.y - y) < 12 * devicePixelRatio && t.left < left + width && left < t.right)) return;
    taken.push({ left, right: left + width, y });
    pen.fillText(text, left, y);
  }));
  pen.restore();
}

function linesChart(place, lines, x, name, show, remarkOf) {
  const horizontal = ofParameter(x);
  const vertical = dimension(name, lines.flatMap((line) => line.at.filter(Boolean).flatMap((c) => [c.isInterval && c.low <= 0 ? c.mean : c.low, c.high])), show);
  const least = Math.min(...lines.flatMap((line) => line.at.filter(Boolean).map((c) => c.low)));
  const most = Math.max(...lines.flatMap((line) => line.at.filter(Boolean).map((c) => c.high)));
  const isLog = vertical.scale.distr === 3;
  if (isLog) vertical.scale.range = () => fitting(true)(null, Math.max(least, most / 1e6), most);
  chart(place, {
    height: 340,
    scales: { x: horizontal.scale, y: vertical.scale },
    axes: axes(horizontal.axis, vertical.axis, 80),
    series: [{ label: x.name, value: (u, v) => (v === null ? '–' : horizontal.text(v)) },
      // Where lines lie on each other, gaps of the upper one show the lower ones.
      ...lines.map((line, i) => ({ label: line.label || name, stroke: ofSeries(i), width: 2, dash: DASHES[Math.min(i, DASHES.length - 1)], spanGaps: true, points: { show: true, size: 7 }, value: (u, v) => (v === null ? '–' : show(v)) }))],
    cursor: { drag: { x: true, y: false } },
    hooks: { draw: [(u) => whiskers(u, lines), (u) => remarks(u, lines, remarkOf)] },
  }, [horizontal.xs, ...lines.map((line) => line.at.map((cell) => cell?.mean ?? null))], `${name} by ${x.name}`);
}

const named = (list, name) => list.find((p) => p.name === name);

/** Chosen axes and results of a view, with their controls. */
export function linesView(points, pick) {
  const axesOf = points.axes();
  const state = { x: axesOf[0], by: axesOf[1] && axesOf[1].levels.length <= MOST_LINES ? axesOf[1] : null, metric: points.choices()[0][0] };
  const place = el('div', {});
  const list = el('div', {});
  const note = el('p', { class: 'hint', 'aria-live': 'polite' });
  let shown = [];
  const draw = () => {
    const by = state.by === state.x ? null : state.by;
    const show = (v) => points.show(state.metric, v);
    const name = points.choices().find(([m]) => m === state.metric)[1];
    const lines = points.lines(shown, state.x, by, state.metric);
    const cut = lines.slice(0, MOST_LINES).map((line) => ({ ...line, label: by ? `${by.name} ${line.label}` : name }));
    replace(place); replace(list);
    if (!cut.length) {
      replace(note, el('span', {}, 'No point that is shown has this result.'));
      return;
    }
    const cutOff = (cell) => points.cutOffOf(cell.of.flatMap((c) => c.points), state.metric);
    linesChart(place, cut, state.x, name, show, cutOff);
    const cells = cut.flatMap((line) => line.at.map((cell, i) => cell && { line, cell, level: state.x.levels[i] }).filter(Boolean));
    const isSeeds = cells.some((c) => c.cell.isInterval);
    const isRange = cells.some((c) => c.cell.of.length > 1);
    const isCut = cells.some((c) => cutOff(c.cell));
    replace(note, document.createTextNode([`${cut.length} of ${lines.length} lines.`, isSeeds ? 'Bars: 95 % intervals of the mean over seeds.' : '', isRange ? 'Where other axes vary, a point is their mean, and a dashed bar goes from the least to the greatest.' : '', isCut ? 'Where runs were cut off, it stands beside the point what its percentiles are of; what takes longest is not in them.' : ''].filter(Boolean).join(' ')));
    replace(list, el('details', {}, el('summary', {}, 'The same as a table'), table([
      ...(by ? [{ title: by.name, value: (c) => c.line.label, isText: true }] : []),
      { title: state.x.name, value: (c) => c.level.number ?? c.level.text, show: (c) => action(c.level.text, () => pick(c.cell.of[0].first), 'what is known of it'), isText: !state.x.isNumeric },
      { title: name, value: (c) => c.cell.mean, show: (c) => el('span', { 'data-mean': c.cell.mean, 'data-half': c.cell.isInterval ? c.cell.high - c.cell.mean : null }, format.partly(show(c.cell.mean), cutOff(c.cell))) },
      { title: 'from', value: (c) => c.cell.low, show: (c) => show(c.cell.low) },
      { title: 'to', value: (c) => c.cell.high, show: (c) => show(c.cell.high) },
      { title: 'runs', value: (c) => c.cell.count },
    ], cells, { caption: `${name} by ${state.x.name}`, most: 30 })));
  };
  const node = section('lines', 'Lines', el('div', { class: 'controls' },
    choice('result', points.choices(), (v) => { state.metric = v; draw(); }, state.metric),
    choice('over', axesOf.map((p) => [p.name, p.name]), (v) => { state.x = named(axesOf, v); draw(); }, state.x.name),
    choice('a line for each', [['', 'nothing'], ...axesOf.filter((p) => p.levels.length <= MOST_LINES).map((p) => [p.name, p.name])], (v) => { state.by = named(axesOf, v) ?? null; draw(); }, state.by?.name ?? '')), place, note, list);
  return { node, show: (list2) => { shown = list2; draw(); } };
}

export function heatView(points, pick) {
  const axesOf = points.axes().filter((p) => p.levels.length <= MOST_CELLS);
  if (axesOf.length < 2) return null;
  const state = { x: axesOf[0], y: axesOf[1], metric: points.choices()[0][0] };
  const place = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'heat map' });
  const note = el('div', { class: 'scale' });
  let shown = [];
  const draw = () => {
    if (state.x === state.y) state.y = axesOf.find((p) => p !== state.x);
    vertical.querySelector('select').value = state.y.name;
    const show = (v) => points.show(state.metric, v);
    const lines = points.lines(shown, state.x, state.y, state.metric);
    const means = lines.flatMap((line) => line.at.filter(Boolean).map((cell) => cell.mean));
    const [least, most] = [Math.min(...means), Math.max(...means)];
    const isLog = isWide(means);
    const share = (v) => (most === least ? 0 : isLog ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least));
    const paint = (cell) => {
      const colour = heat(share(cell.mean));
      const cutOff = points.cutOffOf(cell.of.flatMap((c) => c.points), state.metric);
      const text = format.partly(`${state.x.name} ${state.x.levels[cell.i].text}, ${state.y.name} ${cell.label}: ${show(cell.mean)}`, cutOff);
      return el('td', { style: `background:${colour}` }, el('button', { type: 'button', style: `color:${inkOn(colour)}`, title: text, 'aria-label': text, onclick: () => pick(cell.of[0].first) }, show(cell.mean), cutOff ? [el('br'), el('small', {}, cutOff)] : null));
    };
    const rows = lines.map((line) => el('tr', {}, el('th', { scope: 'row' }, line.label), line.at.map((cell, i) => (cell ? paint({ ...cell, i, label: line.label }) : el('td', { class: 'none' }, '–')))));
    replace(place, el('table', { class: 'heat' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, `${state.y.name} \\ ${state.x.name}`), state.x.levels.map((l) => el('th', { scope: 'col' }, l.text)))), el('tbody', {}, rows.reverse())));
    replace(note, means.length ? [el('span', {}, show(least)), el('span', { class: 'ramp', style: ramp() }), el('span', {}, show(most)), el('span', { class: 'hint' }, `${isLog ? 'logarithmic; ' : ''}means of the points that are shown`)] : [el('span', {}, 'No point that is shown has this result.')]);
  };
  onOtherColours(() => draw());
  const list = axesOf.map((p) => [p.name, p.name]);
  const vertical = choice('and', list, (v) => { state.y = named(axesOf, v); draw(); }, state.y.name);
  const node = section('heat', 'Heat map', el('div', { class: 'controls' },
    choice('result', points.choices(), (v) => { state.metric = v; draw(); }, state.metric),
    choice('over', list, (v) => { state.x = named(axesOf, v); draw(); }, state.x.name), vertical), place, note);
  return { node, show: (list2) => { shown = list2; draw(); } };
}

function frontChart(place, all, kept, names, shows, pick) {
  const sorted = [...all].sort((a, b) => a.estimates[0].mean - b.estimates[0].mean);
  const isKept = new Set(kept);
  const [x, y] = [0, 1].map((i) => dimension(names[i], all.map((c) => c.estimates[i].mean), shows[i]));
  const xs = sorted.map((c) => c.estimates[0].mean);
  const frame = chart(place, {
    height: 340, scales: { x: x.scale, y: y.scale }, axes: axes(x.axis, y.axis, 80),
    series: [{ label: names[0], value: (u, v) => (v === null ? '–' : shows[0](v)) },
      { label: `configurations: ${names[1]}`, stroke: ofSeries(7), paths: () => null, points: { show: true, size: 6 }, value: (u, v) => (v === null ? '–' : shows[1](v)) },
      { label: 'front', stroke: ofSeries(1), width: 2, spanGaps: true, paths: uPlot.paths.stepped({ align: 1 }), points: { show: true, size: 9, fill: css('--paper') }, value: (u, v) => (v === null ? '–' : shows[1](v)) }],
    cursor: { drag: { x: true, y: false } },
  }, [xs, sorted.map((c) => c.estimates[1].mean), sorted.map((c) => (isKept.has(c) ? c.estimates[1].mean : null))], `${names[1]} by ${names[0]}`);
  place.addEventListener('click', () => { const at = frame.plot?.cursor.idx; if (at !== null && at !== undefined) pick(sorted[at].first); });
}

export function frontView(points, pick) {
  const choices = points.choices();
  if (choices.length < 2) return null;
  const state = [choices[0][0], choices[1][0]];
  const place = el('div', {});
  const list = el('div', {});
  const note = el('p', { class: 'hint', 'aria-live': 'polite' });
  const isCut = (c) => state.some((metric) => points.cutOffOf(c.points, metric));
  let withCut = false;
  let shown = [];
  const draw = () => {
    const names = state.map((metric) => choices.find(([m]) => m === metric)[1]);
    const shows = state.map((metric) => (v) => points.show(metric, v));
    const known = points.configurations(shown, state);
    const all = withCut ? known : known.filter((c) => !isCut(c));
    const left = known.length - all.length;
    replace(note, left ? `${format.counted(left, 'configuration is', 'configurations are')} left out: runs were cut off, and what takes longest is not in their percentiles.` : '');
    const kept = front(all, state.map((metric) => points.goalOf(metric)));
    const one = el('div', {});
    replace(place, one);
    if (!kept.length) {
      replace(list, el('p', { class: 'hint' }, 'No configuration that is shown has both.'));
      return;
    }
    frontChart(one, all, kept, names, shows, pick);
    replace(list, table([
      { title: 'configuration', value: (c) => c.number, show: (c) => action(String(c.number), () => pick(c.first), 'what is known of it') },
      ...points.axes().map((p) => ({ title: p.name, value: (c) => c.first.values[p.index], show: (c) => c.first.texts[p.index], isText: !p.isNumeric })),
      ...[0, 1].map((i) => ({ title: names[i], value: (c) => c.estimates[i].mean, show: (c) => `${shows[i](c.estimates[i].mean)}${c.estimates[i].half === null ? '' : ` ± ${shows[i](c.estimates[i].half)}`}${format.partly('', points.cutOffOf(c.points, state[i]))}` })),
    ], kept, { caption: `${kept.length} of ${all.length} configurations that no other beats in both`, most: 30 }));
  };
  const node = section('pareto', 'Pareto front', el('div', { class: 'controls' },
    choice('this', choices, (v) => { state[0] = v; draw(); }, state[0]),
    choice('against that', choices, (v) => { state[1] = v; draw(); }, state[1]),
    points.sweep.points.some((p) => p.cut_off) ? el('label', {}, el('input', { type: 'checkbox', onchange: (e) => { withCut = e.target.checked; draw(); } }), ' also of runs that were cut off') : null), note, place, list);
  return { node, show: (list2) => { shown = list2; draw(); } };
}
