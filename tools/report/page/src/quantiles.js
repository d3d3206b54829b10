// Curves of quantiles, and the labels of logarithmic axes.

/** Curves of quantiles [[p, value]...] put on one list of values, as uPlot wants them. */
export function aligned(curves, map) {
  const xs = [...new Set(curves.flatMap((curve) => curve.map(([, v]) => v)))].filter((v) => v > 0).sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const columns = curves.map((curve) => {
    const column = new Array(xs.length).fill(null);
    for (const [p, v] of curve) if (place.has(v)) column[place.get(v)] = map(p);
    return column;
  });
  return [xs, ...columns];
}

const leading = (v) => v / 10 ** Math.floor(Math.log10(v) + 1e-9);
export const decade = (v) => Math.abs(leading(v) - 1) < 1e-6;

/** Where a logarithmic axis has lines: 1 to 9 of each decade, or even steps where there is less than half of one. */
export function logSplits(least, most) {
  const list = [];
  if (most / least < 5) {
    const rough = (most - least) / 5;
    const scale = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * scale).find((s) => s >= rough) ?? 10 * scale;
    for (let i = Math.ceil(least / step); i * step <= most; ++i) list.push(Number((i * step).toPrecision(12)));
    return list;
  }
  for (let e = Math.floor(Math.log10(least)); 10 ** e <= most; ++e) {
    for (let k = 1; k < 10; ++k) {
      const v = Number(`${k}e${e}`);
      if (v >= least && v <= most) list.push(v);
    }
  }
  return list;
}

/** As wide as a chart is whose labels stand apart as below. */
const USUAL = 500;

/** Labels of these lines: decades, or where there are few also what lies between. */
export function logLabels(ticks, show, width = USUAL) {
  const span = ticks.length ? ticks.at(-1) / ticks[0] : 1;
  if (span < 5) return ticks.map(show);
  const crowded = span * Math.max(1, USUAL / width);
  const wanted = crowded > 200 ? [1] : crowded > 12 ? [1, 2, 5] : [1, 2, 3, 5, 7];
  return ticks.map((v) => (wanted.some((w) => Math.abs(leading(v) - w) < 1e-6) ? show(v) : ''));
}

/** Of a letter of an axis, and of the space between two labels; pixels. */
const [LETTER, BETWEEN] = [6.8, 12];

/** Labels that lie on no other one, decades first; `placeOf(value)` is the middle of a label in pixels. */
export function apartOnAxis(ticks, labels, placeOf) {
  const taken = [];
  const kept = labels.map(() => '');
  const order = [...ticks.keys()].sort((a, b) => decade(ticks[b]) - decade(ticks[a]) || a - b);
  for (const i of order) {
    if (!labels[i]) continue;
    const half = (labels[i].length * LETTER + BETWEEN) / 2;
    const [left, right] = [placeOf(ticks[i]) - half, placeOf(ticks[i]) + half];
    if (taken.some(([from, to]) => left < to && from < right)) continue;
    taken.push([left, right]);
    kept[i] = labels[i];
  }
  return kept;
}

/** Of the width of a chart, what its vertical axis has. */
const VERTICAL = 80;

/** What uPlot asks of a logarithmic axis. */
export const logAxis = (show) => ({
  splits: (u, axis, least, most) => logSplits(least, most),
  values: (u, ticks, axis) => {
    if (axis !== 0) return logLabels(ticks, show, USUAL);
    const { min, max } = u.scales.x;
    const placeOf = (v) => ((u.width - VERTICAL) * Math.log(v / min)) / Math.log(max / min);
    return apartOnAxis(ticks, logLabels(ticks, show, u.width), placeOf);
  },
  filter: (u, ticks) => ticks,
});
