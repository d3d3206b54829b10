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

/** What uPlot asks of a logarithmic axis. */
export const logAxis = (show) => ({
  splits: (u, axis, least, most) => logSplits(least, most), values: (u, ticks, axis) => logLabels(ticks, show, axis === 0 ? u.width : USUAL), filter: (u, ticks) => ticks,
});
