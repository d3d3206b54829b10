// Arrows along a critical path, from the rank that sent a message to the one that waited for it.

import { hopOf, hopsToShow } from './track_totals.js';

/** More would hide the rows. */
const MOST = 80;
/** Pixels between the beginnings of arrows that join the same rows. */
const GAP = 6;
/** Along one row, shorter arrows would be a head without a line. */
const LEAST_ALONG = 9;
const HEAD = 6;

/** A line with a bend, from rank to rank; along one row it is straight. */
function trace(pen, { x, y, right, bottom }) {
  pen.beginPath();
  pen.moveTo(x, y);
  if (y === bottom) {
    pen.lineTo(right - HEAD + 1, bottom);
    return;
  }
  const bend = Math.max(10, Math.min(60, (right - x) / 2));
  pen.bezierCurveTo(x + bend, y, right - bend, bottom, right - HEAD + 1, bottom);
}

/** With a rim in the colour of the paper, so that it is seen on slices of any colour. */
function paintOne(pen, line, inks, isChosen) {
  for (const [colour, width] of [
    [inks.paper, isChosen ? 6 : 3.6],
    [inks.culprit, isChosen ? 3 : 1.4],
  ]) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    trace(pen, line);
    pen.stroke();
  }
  pen.fillStyle = inks.culprit;
  pen.beginPath();
  pen.moveTo(line.right, line.bottom);
  pen.lineTo(line.right - HEAD, line.bottom - 4);
  pen.lineTo(line.right - HEAD, line.bottom + 4);
  pen.fill();
}

/** Where the arrows are of what is shown; `yOf(row)` is the middle of a row. */
export function linesOf(view, yOf) {
  const track = view.path;
  if (!track) return { lines: [], count: 0 };
  const nsOfPixel = (view.to - view.from) / view.width;
  const chosen = view.chosen && hopOf(view.hops, ...view.chosen);
  const { shown, count } = hopsToShow(view.hops, track, [view.from, view.to], {
    placeOf: (rank) => view.placeOfProcess(rank),
    gap: GAP * nsOfPixel,
    most: MOST,
  });
  const isChosen = (hop) => Boolean(chosen) && hop.begin === chosen.begin && hop.end === chosen.end;
  const lines = shown
    .map((hop) => ({
      hop,
      x: view.placeOf(hop.begin),
      y: yOf(hop.places[0]),
      right: view.placeOf(hop.end),
      bottom: yOf(hop.places[1]),
      isChosen: isChosen(hop),
    }))
    .filter(({ x, y, right, bottom }) => y !== bottom || right - x >= LEAST_ALONG)
    .sort((a, b) => a.isChosen - b.isChosen);
  return { lines, count };
}

/** The messages of the path that is chosen, as arrows; those to rows out of sight lead to the edge. */
export function paintPath(view, pen) {
  const { lines, count } = linesOf(view, (row) => view.middleOf(row));
  pen.save();
  pen.beginPath();
  pen.rect(view.labels, view.head, view.width, view.height);
  pen.clip();
  for (const line of lines) paintOne(pen, line, view.inks, line.isChosen);
  pen.restore();
  view.hopsInSight = count;
  view.canvas.dataset.hops = JSON.stringify(
    lines.map(({ hop: { from, to, begin, end }, x, y, right, bottom, isChosen }) => ({
      ...{ from, to, begin, end },
      ...{ x, y, right, bottom, isChosen },
    })),
  );
}
