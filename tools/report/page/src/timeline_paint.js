// Paints the rows of a timeline: slices pixel by pixel, closed groups as shares, words, arrows, and what is selected.

import { pieces } from './tracks.js';
import { Strips, clearTo } from './strips.js';
import { css, ofCause } from './colour.js';
import { ranksOf, sharesOf, tellingOf } from './track_groups.js';
import { arrowsOf } from './track_totals.js';
import { fitting, namesOf } from './track_texts.js';
import { paintPath } from './path_arrows.js';
import { momentOf, stepOf } from './time_range.js';
import * as format from './format.js';

export const ROW = 17;
/** Of a row, what slices have. */
const BAR = 14;
/** Narrower pieces have no name. */
const LEAST_NAMED = 42;
/** Where two that are as wide and look alike meet, there is a notch. */
const LEAST_SEAMED = 24;
/** Of a row's width, what its name has. */
export const labelsOf = (canvas) => (canvas.clientWidth < 700 ? 120 : 210);
/** Of the labels, where a click pins. */
export const PIN = 20;
export const AXIS = 22;
const INDENT = 10;
/** Behind a name, what the disc of culprits takes. */
const CULPRIT = 12;
const MOST_ARROWS = 60;
const MOST_KEPT = 8;

export const seconds = (ns) => format.time(ns * 1e-9);

/** As many pixels as the screen has there: with others the picture would be stretched, and blurred. */
export function fitPixels(view) {
  const { canvas } = view;
  view.labels = labelsOf(canvas);
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = `${view.height}px`;
  const width = Math.round(canvas.clientWidth * scale);
  clearTo(canvas, Math.abs(view.device - width) <= 1 ? view.device : width, Math.round(view.height * scale));
  const size = [Math.max(1, canvas.width - Math.round(view.labels * scale)), canvas.height, Math.round(BAR * scale)];
  if (view.strips?.isFor(...size)) view.strips.clear();
  else view.strips = new Strips(...size);
  view.scale = scale;
}

export function paint(view) {
  const start = performance.now();
  const { canvas } = view;
  fitPixels(view);
  const pen = canvas.getContext('2d');
  pen.scale(view.scale, view.scale);
  view.inks = {
    ink: css('--ink'),
    faint: css('--faint'),
    line: css('--line'),
    paper: css('--paper'),
    marking: css('--alarm'),
    card: css('--card'),
    link: css('--link'),
    culprit: css('--culprit'),
  };
  pen.fillStyle = view.inks.paper;
  pen.fillRect(0, 0, canvas.clientWidth, view.height);
  pen.font = '11px system-ui, sans-serif';
  paintGrid(view, pen);
  const rows = visible(view);
  for (const row of rows) Object.assign(row, row.node.track ? paintSlices(view, row) : paintShares(view, row));
  view.strips.putOn(pen, Math.round(view.labels * view.scale));
  for (const row of rows.filter((r) => !r.isPin)) row.name = paintWords(view, pen, row);
  paintSelection(view, pen, rows);
  paintArrows(view, pen, rows);
  paintPath(view, pen);
  pen.fillStyle = view.inks.paper;
  for (const row of rows.filter((r) => r.isPin)) row.name = paintWords(view, pen, row);
  paintAxis(view, pen);
  paintMoment(view, pen);
  Object.assign(canvas.dataset, { from: view.from, to: view.to });
  canvas.dataset.rows = JSON.stringify(
    rows.map(({ node, y, isPin, depth, name }) => ({
      kind: node.kind,
      title: node.title,
      process: node.track?.process,
      y,
      depth,
      isPin: Boolean(isPin),
      isCulprit: node.blamed > 0,
      name,
      isOpen: view.open.has(node.key),
    })),
  );
  canvas.dataset.milliseconds = (performance.now() - start).toFixed(1);
}

/** Rows that are in sight, where they are; pinned ones come last, and lie over others. */
function visible(view) {
  const first = Math.floor(view.top / ROW);
  const last = Math.min(view.rows.length, Math.ceil((view.top + view.height - view.head) / ROW));
  const moving = view.rows
    .slice(first, last)
    .map((row, r) => ({ ...row, y: view.head + (first + r) * ROW - view.top }));
  return [
    ...moving.filter((row) => row.y >= view.head - ROW),
    ...view.pins.map((row, r) => ({ ...row, y: AXIS + r * ROW })),
  ];
}

/** Calls `act(time, x)` for the lines of the axis. */
function ticks(view, act) {
  const wide = stepOf([view.from, view.to], view.width);
  for (let t = Math.ceil(view.from / wide) * wide; t <= view.to; t += wide) act(t, view.placeOf(t));
}

/** Behind the slices, which it would take pixels of. */
function paintGrid(view, pen) {
  pen.strokeStyle = view.inks.line;
  pen.globalAlpha = 0.5;
  ticks(view, (t, x) => {
    pen.beginPath();
    pen.moveTo(x, AXIS - 6);
    pen.lineTo(x, view.height);
    pen.stroke();
  });
  pen.globalAlpha = 1;
}

/** Writes beside the lines of an axis: within its width, and not over the label before. */
export function labeller(pen, right, y) {
  let until = -Infinity;
  return (text, x) => {
    const { width } = pen.measureText(text);
    const left = Math.min(x + 3, right - width - 2);
    if (left < until + 6) return;
    pen.fillText(text, left, y);
    until = left + width;
  };
}

/** Of an axis, what marks of faults have: a bar in the colour of alarm below its labels. */
export const FAULT = 3;

/** Marks from when on, and until when, something was wrong: `put(x, width)` in what is shown. */
export function markFaults(faults, [from, to], placeOf, put) {
  for (const fault of faults) {
    const [begin, end] = [Math.max(fault.from, from), Math.min(fault.to ?? Infinity, to)];
    if (begin <= end) put(placeOf(begin), Math.max(2, placeOf(end) - placeOf(begin)), fault);
  }
}

function paintFaults(view, pen) {
  pen.fillStyle = view.inks.culprit;
  markFaults(view.faults, [view.from / 1e9, view.to / 1e9], (t) => view.placeOf(t * 1e9), (x, width, fault) => {
    pen.fillRect(x, AXIS - FAULT - 1, width, FAULT);
    if (fault.from * 1e9 >= view.from) pen.fillRect(x, AXIS - 8, 1, view.height);
  });
}

function paintAxis(view, pen) {
  pen.fillStyle = view.inks.paper;
  pen.fillRect(0, 0, view.canvas.clientWidth, AXIS);
  paintFaults(view, pen);
  pen.fillStyle = view.inks.faint;
  const label = labeller(pen, view.labels + view.width, AXIS - 8);
  const places = [];
  ticks(view, (t, x) => places.push([t, x]));
  format.apart(places.map(([t]) => t), (t) => (t === 0 ? '0' : seconds(t))).forEach((text, i) => label(text, places[i][1]));
}

/** Paints a row; what it has that names fit into: [slice, x, width], and where like slices meet. */
function paintSlices(view, { node: { track }, y, isPin }) {
  view.look(track);
  const { strips, scale } = view;
  const looks = track.isCritical ? view.looks.ofPaths : view.looks.ofRanks;
  const colour = (i) => looks[track.names[i]];
  strips.paint(
    Math.round((y + 1) * scale),
    (i) => [colour(i), !view.isHit(track, i)],
    Math.round((isPin ? AXIS : view.head) * scale),
  );
  const parts = strips.bar * scale;
  const found = { wide: [], seams: [] };
  let last = null;
  pieces(strips.cells, (begin, count, i) => {
    if (count > LEAST_NAMED * parts) found.wide.push([i, view.labels + begin / parts, count / parts]);
    const isWide = count > LEAST_SEAMED * parts;
    if (isWide && last?.end === begin && colour(last.i) === colour(i)) found.seams.push(view.labels + begin / parts);
    last = isWide ? { end: begin + count, i } : null;
  });
  return found;
}

/** A closed group: of its ranks the shares that do what, one on the other. */
function paintShares(view, { node, y, isPin }) {
  if (view.open.has(node.key)) return {};
  view.strips.paintShares(
    Math.round((y + 1) * view.scale),
    sharesAt(view, node),
    Math.round((isPin ? AXIS : view.head) * view.scale),
  );
  return {};
}

/** Shares by colour and column, kept for the ranges that were shown last. */
export function sharesAt(view, node) {
  const stamp = `${view.from} ${view.to} ${view.strips.width}`;
  view.kept ??= new Map();
  if (!view.kept.has(stamp)) view.kept.set(stamp, new Map());
  if (view.kept.size > MOST_KEPT) view.kept.delete(view.kept.keys().next().value);
  const known = view.kept.get(stamp);
  if (!known.has(node.key)) {
    const tracks = tellingOf(node);
    known.set(
      node.key,
      sharesOf(
        tracks,
        Math.max(1, ranksOf(node) || tracks.length),
        view.from,
        view.to,
        view.strips.width,
        view.looks.ofRanks,
      ),
    );
  }
  return known.get(node.key);
}

/** Returns the name that stands there: the whole or, where there is little room, a shorter one. */
function paintWords(view, pen, { node, depth, y, isPin, wide = [], seams = [] }) {
  const { inks } = view;
  const isGroup = node.kind !== 'track';
  const isMarked = view.marked && node.kind === 'rank' && isOf(node, view.marked);
  if (isPin || isMarked || view.current === node.key) {
    pen.fillStyle = isMarked ? inks.marking : inks.card;
    pen.fillRect(0, y, view.labels - 4, ROW);
  }
  pen.fillStyle = isGroup || node.track.isCritical ? inks.ink : inks.faint;
  const sign = isGroup ? (view.open.has(node.key) ? '▾ ' : '▸ ') : '   ';
  const owner = isPin && !isGroup ? `${node.track.process}: ` : '';
  pen.save();
  pen.beginPath();
  pen.rect(0, Math.max(y, isPin ? 0 : view.head), view.labels - PIN - 2, ROW);
  pen.clip();
  const isBlamed = node.blamed > 0 && node.kind !== 'job';
  const [left, right] = [2 + depth * INDENT, view.labels - PIN - 2 - (isBlamed ? CULPRIT : 0)];
  const widthOf = (name) => pen.measureText(`${sign}${owner}${name}`).width;
  const name = fitting(namesOf(node), right - left, widthOf);
  pen.fillText(`${sign}${owner}${name}`, left, y + 12);
  if (isBlamed) paintCulprit(pen, left + widthOf(name) + CULPRIT / 2 + 1, y + ROW / 2);
  pen.restore();
  paintPin(view, pen, node, y);
  pen.fillStyle = inks.paper;
  for (const x of seams) pen.fillRect(x, y + 1 + BAR - 3, 1 / view.scale, 3);
  for (const [i, x, width] of wide) if (view.isHit(node.track, i)) paintName(view, pen, node.track, i, x, y, width);
  if (node.track && view.chosen?.[0] === node.track) frame(view, pen, node.track, view.chosen[1], y);
  return name;
}

const isOf = (node, process) =>
  node.children.some(
    (child) => child.track && (child.track.process === process || child.track.process.startsWith(`${process} `)),
  );

/** A disc in the colour of stragglers behind the name of who is to blame. */
function paintCulprit(pen, x, y) {
  pen.fillStyle = ofCause('straggler');
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.fill();
}

/** A ring at the end of a label; of pinned rows a disc. */
function paintPin(view, pen, node, y) {
  const isOn = view.pinned.has(node.key);
  if (!isOn && view.current !== node.key) return;
  pen.beginPath();
  pen.arc(view.labels - PIN / 2, y + ROW / 2, 3.5, 0, 2 * Math.PI);
  pen.strokeStyle = view.inks.link;
  pen.fillStyle = view.inks.link;
  if (isOn) pen.fill();
  pen.stroke();
}

function frame(view, pen, track, i, y) {
  if (track.ends[i] < view.from || track.begins[i] > view.to) return;
  const place = (time) => Math.max(view.labels, Math.min(view.labels + view.width, view.placeOf(time)));
  const [x, right] = [place(track.begins[i]), place(track.ends[i])];
  pen.strokeStyle = view.inks.ink;
  pen.lineWidth = 2;
  pen.strokeRect(x, y + 1, Math.max(2, right - x), BAR);
  pen.lineWidth = 1;
}

function paintName(view, pen, track, i, x, y, width) {
  const name = view.names[track.names[i]].split('\t')[0];
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width - 3, ROW);
  pen.clip();
  pen.fillStyle = '#fff';
  pen.strokeStyle = '#000a';
  pen.lineWidth = 2.5;
  const text = track.counts[i] > 1 ? `${track.counts[i]} x ${name}` : name;
  pen.strokeText(text, x + 3, y + 12);
  pen.fillText(text, x + 3, y + 12);
  pen.restore();
}

/** What is outside of the selected range is shaded; the selected rows have a frame. */
function paintSelection(view, pen, rows) {
  if (!view.selection) return;
  const { from, to, rows: chosen, isOfAll } = view.selection;
  const keys = new Set(chosen.map(({ node }) => node.key));
  const own = rows.filter((row) => !row.isPin && (isOfAll || keys.has(row.node.key)));
  if (!own.length) return;
  const [x, right] = [from, to].map((t) => Math.max(view.labels, Math.min(view.labels + view.width, view.placeOf(t))));
  const [y, bottom] = isOfAll ? [AXIS, view.height] : [Math.max(view.head, own[0].y), own.at(-1).y + ROW];
  pen.save();
  pen.fillStyle = view.inks.link;
  pen.globalAlpha = 0.16;
  pen.fillRect(x, y, right - x, bottom - y);
  pen.globalAlpha = 1;
  pen.strokeStyle = view.inks.link;
  pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, right - x - 1), bottom - y - 1);
  pen.restore();
}

/** Messages of what is chosen: from where they were posted to where they came. */
function paintArrows(view, pen, rows) {
  view.canvas.dataset.arrows = 0;
  if (!view.chosen) return;
  const shown = arrowsOf(view.arrows, ...view.chosen).slice(0, MOST_ARROWS);
  const rowOf = (fits) =>
    rows.find((row) => row.node.track && fits(row.node.track)) ??
    rows.find((row) => !row.node.track && !view.open.has(row.node.key) && tellingOf(row.node).some(fits));
  pen.save();
  pen.beginPath();
  pen.rect(view.labels, view.head, view.width, view.height);
  pen.clip();
  pen.strokeStyle = view.inks.ink;
  pen.fillStyle = view.inks.ink;
  pen.lineWidth = 1.2;
  for (const arrow of shown) {
    const source = view.all.find((t) => t.index === arrow.from);
    const [a, b] = [
      rowOf((t) => t === source) ?? rowOf((t) => t.process === source.process),
      rowOf((t) => t.process === arrow.process),
    ];
    if (!a || !b) continue;
    paintArrow(pen, [view.placeOf(arrow.begin), a.y + ROW / 2], [view.placeOf(arrow.end), b.y + ROW / 2]);
    view.canvas.dataset.arrows = Number(view.canvas.dataset.arrows) + 1;
  }
  pen.restore();
}

function paintArrow(pen, [x, y], [right, bottom]) {
  const bend = Math.max(12, (right - x) / 2);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.bezierCurveTo(x + bend, y, right - bend, bottom, right - 5, bottom);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(right, bottom);
  pen.lineTo(right - 6, bottom - 3.5);
  pen.lineTo(right - 6, bottom + 3.5);
  pen.fill();
}

/** The moment that some part of the page points at. */
function paintMoment(view, pen) {
  const moment = momentOf(view.index);
  if (moment === null) return;
  const x = view.placeOf(moment * 1e9);
  if (x < view.labels || x > view.labels + view.width) return;
  pen.strokeStyle = view.inks.link;
  pen.beginPath();
  pen.moveTo(x, AXIS - 4);
  pen.lineTo(x, view.height);
  pen.stroke();
  const text = seconds(moment * 1e9);
  const left = Math.min(x + 3, view.labels + view.width - pen.measureText(text).width - 2);
  pen.fillStyle = view.inks.paper;
  pen.fillRect(left - 2, 0, pen.measureText(text).width + 4, AXIS - 4);
  pen.fillStyle = view.inks.link;
  pen.fillText(text, left, AXIS - 8);
}
