// What the fabric shows of a moment.

export const MOMENT_COUNT = 100;

/** Values by port at one of the moments; `data` has runs of equal values. */
export function momentOf(data, names, moment) {
  const numbers = new Map(names.map((name, i) => [name, i]));
  const values = new Array(names.length).fill(0);
  data.ports.forEach((name, p) => {
    const port = numbers.get(name);
    if (port === undefined) return;
    const runs = data.values[p];
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      at += runs[i + 1];
      if (moment < at) {
        values[port] = (runs[i] / data.shades) * data.most;
        break;
      }
    }
  });
  return values;
}
