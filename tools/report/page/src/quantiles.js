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

/** Labels of a logarithmic axis: decades, or where there are few also what lies between. */
export function logLabels(ticks, show) {
  const known = ticks.filter((v) => v !== null);
  const span = known.length ? known.at(-1) / known[0] : 1;
  const wanted = span > 100 ? [1] : span > 12 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return ticks.map((v) => (v !== null && wanted.some((w) => Math.abs(leading(v) - w) < 1e-6) ? show(v) : ''));
}
