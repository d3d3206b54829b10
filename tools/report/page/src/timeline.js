// The part of the page about what ranks did when: controls, search, totals of a range, and what a slice is.

import { el, section, choice, replace, action } from './dom.js';
import { unpack, extent, search } from './tracks.js';
import { TimelineView } from './timeline_view.js';
import { AXIS, seconds } from './timeline_paint.js';
import { faultsAt } from './faults.js';
import { minimap } from './minimap.js';
import { fromTo, groupText, slicesText, textOf } from './track_texts.js';
import { arrowsOf, hopOf, totalsOf } from './track_totals.js';
import { legendOf, ofSlice } from './colour.js';
import { setWhole, wholeOf } from './time_range.js';
import { showPort } from './blame.js';
import { on } from './bus.js';
import { table } from './table.js';
import * as format from './format.js';

const MOST_STREAMS = 60;

function searcher(view) {
  const said = el('output', { 'aria-live': 'polite' });
  let found = [];
  let at = -1;
  const step = (by) => {
    if (!found.length) return;
    at = (at + by + found.length) % found.length;
    view.jump(found[at]);
    said.textContent = `${format.number(at + 1)} of ${format.number(found.length)}`;
  };
  const input = el('input', {
    type: 'search',
    oninput: (e) => {
      const words = e.target.value.trim();
      const result = words ? search(view.all, view.names, words) : null;
      found = result?.found ?? [];
      at = -1;
      view.hits = result?.hit ?? null;
      said.textContent = result ? `${format.counted(result.count, 'slice', 'slices')}` : '';
      view.later();
    },
    onkeydown: (e) => {
      if (e.key === 'Enter') step(e.shiftKey ? -1 : 1);
    },
  });
  view.canvas.addEventListener('keydown', (e) => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    input.focus();
  });
  return [
    el('label', {}, 'Search ', input),
    el('button', { type: 'button', onclick: () => step(-1) }, 'previous'),
    el('button', { type: 'button', onclick: () => step(1) }, 'next'),
    said,
  ];
}

/** The longest pieces of the critical path, one after the other. */
function critical(view) {
  const list = view.all
    .filter((t) => t.isCritical)
    .flatMap((t) => [...t.begins].map((_, i) => [t, i]))
    .sort((a, b) => b[0].ends[b[1]] - b[0].begins[b[1]] - (a[0].ends[a[1]] - a[0].begins[a[1]]));
  let at = -1;
  if (!list.length) return el('span', { class: 'hint' }, 'with --blame the critical path is here, too');
  return el(
    'button',
    {
      type: 'button',
      onclick: () => {
        at = (at + 1) % list.length;
        view.jump(list[at]);
      },
    },
    'next longest piece of the critical path',
  );
}

/** Below which lengths slices are joined with others of their kind: of ranks, and of critical paths. */
function joined(data) {
  const lengths = [
    [data.joined_below, ''],
    [data.critical_joined_below, ' of critical paths'],
  ].filter(([below]) => below);
  return lengths
    .map(
      ([below, of]) => `; neighbours${of} shorter than ${format.time(below * 1e-6)} are joined with others like them`,
    )
    .join('');
}

/** What the tip beside the pointer says: of slices all of it, of groups what they are. */
function tipOf(view, x, y) {
  if (y < AXIS) return x < view.labels ? '' : faultsAt(view.faults, view.timeAt(x) * 1e-9);
  const slices = view.slicesAt(x, y);
  if (slices.length) return slicesText(view.names, slices);
  const node = view.rowAt(y)?.node;
  if (!node || node.kind === 'track') return '';
  return groupText(node, view.open.has(node.key));
}

/** Says what a slice is; one of the critical path leads to its port. */
function about(view, place, slice) {
  if (!slice) return replace(place);
  const [track, i] = slice;
  const { what, rest } = textOf(view.names, slice);
  const [, culprit, port] = view.names[track.names[i]].split('\t');
  const arrows = track.isCritical ? 0 : arrowsOf(view.arrows, track, i).length;
  const hop = track.isCritical ? hopOf(view.hops, track, i) : null;
  return replace(
    place,
    el(
      'p',
      {},
      el('strong', {}, what),
      rest,
      culprit ? `; through ${culprit}` : '',
      port ? ['; at ', action(port, () => showPort(view.index, port), 'show on the fabric')] : '',
      hop ? `; part of a message from ${hop.from} to ${hop.to}, ${seconds(hop.end - hop.begin)} long` : '',
      arrows ? `; ${format.counted(arrows, 'arrow is a message', 'arrows are messages')} that it sent or got` : '',
    ),
  );
}

/** Of a selected range what time goes to, by name. */
function totals(view, place, selection) {
  if (!selection) return replace(place);
  const { from, to } = selection;
  const tracks = view.selectedTracks();
  const list = totalsOf(tracks, view.names, from, to);
  const whole = (to - from) * tracks.length || 1;
  const kind = tracks.every((t) => t.isCritical) && tracks.length;
  return replace(
    place,
    el(
      'p',
      {},
      `${format.counted(tracks.length, 'track', 'tracks')} ${fromTo(from, to)}, ${seconds(to - from)} `,
      el('button', { type: 'button', onclick: () => view.show(from, to) }, 'zoom to it'),
      ' ',
      el('button', { type: 'button', onclick: () => view.select(null) }, 'clear'),
    ),
    list.length
      ? table(
          [
            {
              title: 'name',
              value: (r) => r.name,
              show: (r) => [el('i', { class: 'swatch', style: `background:${ofSlice(r.name, kind)}` }), r.name],
              isText: true,
            },
            { title: 'slices', value: (r) => r.count },
            { title: 'time', value: (r) => r.time, show: (r) => seconds(r.time) },
            {
              title: 'share of tracks and range',
              value: (r) => r.time / whole,
              show: (r) => format.percent(r.time / whole),
            },
            {
              title: 'longest',
              value: (r) => r.longest,
              show: (r) => action(seconds(r.longest), () => view.jump(r.at), 'show it'),
            },
          ],
          list,
          { caption: 'What this time goes to', most: 15, sort: 2, falling: true },
        )
      : el('p', { class: 'hint' }, 'Nothing happens there.'),
  );
}

/** What colours mean, the same here and in the bars of blame. */
function legend(view) {
  const namesOf = (isCritical) => {
    const used = new Set(view.all.filter((t) => t.isCritical === isCritical).flatMap((t) => [...new Set(t.names)]));
    return [...used].map((n) => view.names[n].split('\t')[0]);
  };
  return el(
    'ul',
    { class: 'legend' },
    legendOf(namesOf(true), namesOf(false)).map(([title, colour]) => el('li', {}, el('i', { style: `background:${colour}` }), title)),
  );
}

/** What the keyboard does, folded until somebody asks. */
const KEYS = [
  ['W S, + −', 'zoom in and out'],
  ['A D, ← →', 'move'],
  ['↑ ↓', 'choose a row'],
  ['Enter', 'open or close the row'],
  ['P', 'keep the row at the top'],
  [', .', 'the slice before, and after, the chosen one'],
  ['F', 'show what is selected or chosen'],
  ['R', 'select the range of the chosen slice, and sum it up'],
  ['Escape', 'clear the selection'],
  ['/', 'search; Enter and Shift with Enter: the next, the one before'],
  ['Home', 'all of the time'],
  ['?', 'this list'],
];

function keysView(view) {
  const node = el(
    'details',
    { class: 'keys' },
    el('summary', {}, 'Keys and mouse'),
    el('dl', { class: 'facts' }, KEYS.map(([key, act]) => el('div', {}, el('dt', {}, key), el('dd', {}, act)))),
    el('p', { class: 'hint' }, 'Ctrl and the wheel zoom, Shift and the wheel move; a double click zooms in; a drag over the axis sums all rows; the right end of a name pins its row.'),
  );
  view.onHelp = () => {
    node.open = !node.open;
  };
  return node;
}

function hint(view, data) {
  const count = view.all.reduce((n, t) => n + t.begins.length, 0);
  const seen = data.arrows?.seen ?? 0;
  const arrows =
    seen > view.arrows.length
      ? `; of ${format.number(seen)} arrows the ${format.number(view.arrows.length)} longest are here`
      : '';
  const path = view.hops.length ? ' A click on a critical path draws its messages as arrows.' : '';
  const isCut = (data.hops?.seen ?? 0) > view.hops.length;
  const hops = isCut ? `; of critical paths the ${format.number(view.hops.length)} longest messages` : '';
  return `${format.number(count)} slices on ${format.number(view.all.length)} tracks${joined(data)}${arrows}${hops}. A click opens a row; a drag sums a range, with Shift it moves; W A S D zoom and move.${view.faults.length ? ' Marks on the axis are faults of the scenario.' : ''}${path}`;
}

export function timeline(run, index) {
  const data = run.timeline;
  if (!data.tracks?.length) return null;
  const tracks = unpack(data);
  const [least, most] = extent(tracks);
  const [, known] = wholeOf(index);
  setWhole(index, Math.min(0, least * 1e-9), Math.max(known, most * 1e-9));
  const view = new TimelineView(run, index, tracks);
  const said = el('div', { class: 'panel', 'aria-live': 'polite' });
  const sums = el('div', { class: 'panel totals', 'aria-live': 'polite' });
  const map = minimap(view);
  view.onChoose = (slice) => about(view, said, slice);
  view.onSelect = (selection) => totals(view, sums, selection);
  view.onPaint = () => map.paint();
  view.textAt = (x, y) => tipOf(view, x, y);
  on('rank', ({ run: other, process }) => {
    if (other !== index) return;
    const shown = view.showProcess(process);
    if (shown) replace(said, el('p', {}, el('strong', {}, shown), ' is marked.'));
  });
  const streams = [...new Set(view.all.filter((t) => !t.isCritical).map((t) => t.name))].slice(0, MOST_STREAMS);
  const step = (factor) =>
    el(
      'button',
      { type: 'button', onclick: () => view.zoom(factor, 0.5), 'aria-label': factor < 1 ? 'zoom in' : 'zoom out' },
      factor < 1 ? '+' : '−',
    );
  return section(
    'timeline',
    'Timeline',
    el('p', { class: 'hint' }, hint(view, data)),
    keysView(view),
    el(
      'div',
      { class: 'controls' },
      choice('streams', [['', 'all'], ...streams.map((s) => [s, s])], (v) => view.only(v), ''),
      searcher(view),
      step(0.5),
      step(2),
      el('button', { type: 'button', onclick: () => view.showAll() }, 'all of it'),
      critical(view),
    ),
    map.canvas,
    el('div', { class: 'over' }, view.canvas, view.tip),
    legend(view),
    said,
    sums,
  );
}
