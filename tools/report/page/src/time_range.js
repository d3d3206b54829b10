// The range of time that all parts of a run show, and the moment that they point at; in seconds.

const times = new Map();

function of(run) {
  if (!times.has(run)) times.set(run, { whole: [0, 1], recorded: [0, 1], range: null, moment: null, listeners: [] });
  return times.get(run);
}

/** How long the run is; the range is all of it until somebody chooses another. */
export function setWhole(run, from, to) {
  const one = of(run);
  const wasWhole = !one.range || isWhole(run);
  one.whole = [from, Math.max(to, from + 1e-12)];
  if (wasWhole) one.range = [...one.whole];
}

/** How long the run was simulated, which is what recordings cover: a timeline may reach beyond. */
export function setRecorded(run, seconds) {
  of(run).recorded = [0, Math.max(seconds, 1e-12)];
  setWhole(run, 0, seconds);
}

export const recordedOf = (run) => of(run).recorded;
export const rangeOf = (run) => of(run).range ?? of(run).whole;
export const wholeOf = (run) => of(run).whole;
export const momentOf = (run) => of(run).moment;
export const isWhole = (run) =>
  rangeOf(run).every((t, i) => Math.abs(t - of(run).whole[i]) <= 1e-9 * (of(run).whole[1] - of(run).whole[0]));

/**
 * `act({range, moment}, by)` is called whenever another part has changed either; `by` is who did. A part that is drawn
 * again listens once.
 */
export function onTime(run, who, act) {
  const one = of(run);
  one.listeners = [...one.listeners.filter((known) => known.who !== who), { who, act }];
}

function tell(run, by) {
  const one = of(run);
  for (const { who, act } of one.listeners) if (who !== by) act({ range: rangeOf(run), moment: one.moment }, by);
}

export function showRange(run, from, to, by) {
  const one = of(run);
  const [least, most] = one.whole;
  const width = Math.min(Math.max(to - from, (most - least) * 1e-9), most - least);
  const begin = Math.max(least, Math.min(from, most - width));
  if (one.range && one.range[0] === begin && one.range[1] === begin + width) return;
  one.range = [begin, begin + width];
  tell(run, by);
}

/** A moment, or null for none. */
export function pointAt(run, moment, by) {
  const one = of(run);
  if (one.moment === moment) return;
  one.moment = moment;
  tell(run, by);
}

/**
 * Which of `count` equal steps of a recording a moment lies in; null: before or after them. A moment at a border lies
 * in the step that begins there, and the end in the last one.
 */
export function stepAt([from, to], count, moment) {
  if (moment === null || moment < from || moment > to) return null;
  return Math.min(count - 1, Math.floor(((moment - from) / (to - from)) * count + 1e-9));
}

/** The time between lines of an axis over a range: 1, 2 or 5 of a decade, so that 90 pixels have one line at most. */
export function stepOf([from, to], width) {
  const decade = 10 ** Math.floor(Math.log10((to - from) / 4));
  return [1, 2, 5, 10].map((k) => k * decade).find((step) => (to - from) / step <= width / 90) ?? 10 * decade;
}
