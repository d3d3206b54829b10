// Which point of a sweep is best, how many are as good, and what did not run. No drawing.

import * as format from './format.js';

/** How much worse a point may be and still be as good. */
const CLOSE = 0.05;
/** Within which results make no difference. */
const SAME = 0.01;

const quoted = (name) => `\`${name}\``;

const isWaiting = (point) => !point.status || point.status === 'waiting' || point.status === 'not run yet';
const didFail = (point) => !point.counts && !point.estimated && !isWaiting(point);

/** Axes that tell configurations apart; of those that change together the first. */
function telling(points) {
  const seen = new Set();
  return points.axes().filter((axis) => {
    const groups = new Map();
    const pattern = points.sweep.points.map((p) => { const t = p.texts[axis.index]; if (!groups.has(t)) groups.set(t, groups.size); return groups.get(t); }).join();
    if (seen.has(pattern)) return false;
    seen.add(pattern);
    return true;
  });
}

const namesOf = (axes, point) => axes.map((axis) => `${axis.name} ${quoted(point.texts[axis.index])}`).join(', ');

/** A choice says which value an axis has: both change together, as the rate of links with the machine. */
function isDetermined(axis, axes, configurations) {
  return axes.some((other) => {
    if (other === axis || other.isNumeric) return false;
    const values = new Map();
    for (const { first } of configurations) values.set(first.texts[other.index], (values.get(first.texts[other.index]) ?? new Set()).add(first.texts[axis.index]));
    return [...values.values()].every((set) => set.size === 1);
  });
}

/** A numeric axis where all that is as good as the best has its first or last value: better ones may lie beyond. */
function edges(axes, good) {
  const point = good[0].first;
  return axes.flatMap((axis) => {
    const at = axis.levels.findIndex((l) => l.text === point.texts[axis.index]);
    if (!axis.isNumeric || axis.levels.length < 3 || (at > 0 && at < axis.levels.length - 1)) return [];
    if (good.some((c) => c.first.texts[axis.index] !== point.texts[axis.index])) return [];
    return [{ layer: 'the sweep', text: `values of ${quoted(axis.name)} ${at ? 'above' : 'below'} ${quoted(point.texts[axis.index])}`, why: `the best point has the ${at ? 'greatest' : 'least'} that was tried` }];
  });
}

/** What a bisection asked for: from which value on its condition holds; null: the sweep is none. */
function boundText(sweep, axes) {
  const { bisection } = sweep;
  if (!bisection) return null;
  const { parameter, condition, found } = bisection;
  const name = quoted(sweep.parameters[parameter].name);
  const known = found.filter((t) => t.number !== null && !t.has_failures).sort((a, b) => a.number - b.number);
  const others = axes.filter((axis) => axis.index !== parameter);
  const at = (t) => namesOf(others, t).replace(/^(.)/, ' at $1');
  const figures = [['searches that found it', `${known.length} of ${found.length}`]];
  if (!known.length) return { sentence: `No ${name} was found with ${quoted(condition)}`, figures, tries: [] };
  const [least, most] = [known[0], known.at(-1)];
  const isSame = known.length > 1 && least.number === most.number;
  const range = isSame ? `${quoted(least.holds_at)} at all ${known.length} other settings` : known.length > 1 ? `${quoted(least.holds_at)}${at(least)} to ${quoted(most.holds_at)}${at(most)}` : quoted(least.holds_at);
  const lost = found.length - known.length;
  figures.unshift(...(known.length > 1 ? [['least', least.holds_at], ['greatest', most.holds_at]] : [[sweep.parameters[parameter].name, least.holds_at]]));
  return {
    sentence: `The smallest ${name} with ${quoted(condition)}: ${range}${lost ? `; ${lost} of ${found.length} searches found none` : ''}`,
    figures,
    tries: [{ layer: 'the sweep', text: `\`weft summarize ${sweep.quoted_folder}\` has it for each of the other settings`, why: 'it tells where the condition fails, too' }],
  };
}

/** How much an axis changes the result: mean at its worst value over mean at its best. */
function strongest(axes, configurations, goal) {
  const effects = axes.map((axis) => {
    const groups = new Map();
    for (const c of configurations) {
      const text = c.first.texts[axis.index];
      groups.set(text, [...(groups.get(text) ?? []), c.estimates[0].mean]);
    }
    const means = [...groups.values()].map((v) => v.reduce((a, b) => a + b, 0) / v.length).sort((a, b) => a - b);
    const [low, high] = [means[0], means.at(-1)];
    return { axis, factor: means.length > 1 && low > 0 ? high / low : 1, goal };
  }).sort((a, b) => b.factor - a.factor);
  return effects[0]?.factor > 1 + CLOSE ? effects[0] : null;
}

const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

/**
 * How the values of an axis compare where all else is the same: of each the geometric mean of how many times worse it
 * is than the best of its setting. Only settings that have all values count; null: there are fewer than two.
 */
function compared(axis, axes, configurations, goal) {
  const settings = new Map();
  for (const c of configurations) {
    const key = JSON.stringify(axes.filter((a) => a !== axis).map((a) => c.first.texts[a.index]));
    if (!settings.has(key)) settings.set(key, new Map());
    settings.get(key).set(c.first.texts[axis.index], c.estimates[0].mean);
  }
  const whole = [...settings.values()].filter((values) => values.size === axis.levels.length);
  if (whole.length < 2 || whole.some((values) => [...values.values()].some((v) => !(v > 0)))) return null;
  const worse = whole.map((values) => {
    const top = goal === 'max' ? Math.max(...values.values()) : Math.min(...values.values());
    return new Map([...values].map(([text, v]) => [text, goal === 'max' ? top / v : v / top]));
  });
  const levels = axis.levels
    .map(({ text }) => ({
      text,
      factor: geometricMean(worse.map((values) => values.get(text))),
      wins: worse.filter((values) => values.get(text) === 1).length,
    }))
    .sort((a, b) => a.factor - b.factor);
  const [best, worst] = [levels[0], levels.at(-1)];
  return { axis, best, worst, factor: worst.factor / best.factor, settings: whole.length };
}

/** Of several choices the one that matters most, as `compared` has it. */
function choiceOf(axes, configurations, goal) {
  const [one] = axes
    .filter((axis) => !axis.isNumeric && axis.levels.length > 1)
    .map((axis) => compared(axis, axes, configurations, goal))
    .filter(Boolean)
    .sort((a, b) => b.factor - a.factor);
  return one ?? null;
}

/** Which value of a choice is better, and by how much. */
function choiceText(one) {
  if (!one) return '';
  const { axis, best, worst, factor, settings } = one;
  if (factor < 1.01) return `${quoted(axis.name)} makes no difference of 1 % on average; `;
  const wins = `the best at ${best.wins} of ${settings} other settings`;
  return `of ${quoted(axis.name)}, ${quoted(best.text)} is ${format.times(factor)} times better than ${
    quoted(worst.text)} on average, and ${wins}; `;
}

function rest(sweep) {
  const count = sweep.points.length;
  const cut = sweep.points.filter((p) => p.counts && p.cut_off).length;
  const [unfinished, failed] = [true, false].map((isOver) => sweep.points.filter((p) => didFail(p) && (p.status === 'done') === isOver).length);
  const waiting = sweep.points.filter(isWaiting).length;
  const parts = [...(cut ? [`${cut} ${cut === 1 ? 'was' : 'were'} cut off`] : []), ...(unfinished ? [`${unfinished} did not finish`] : []), ...(failed ? [`${failed} failed`] : []), ...(waiting ? [`${waiting} did not run yet`] : [])];
  return { count, bad: cut + unfinished + failed, badName: cut + failed ? 'cut off or failed' : 'did not finish', waiting, text: parts.length ? `of ${format.counted(count, 'point', 'points')} ${parts.join(', ')}` : `all ${format.counted(count, 'point', 'points')} finished` };
}

const meanOf = (c) => c.estimates[0].mean;

/** The configurations with the least and the greatest mean. */
const extremes = (configurations) => configurations.reduce(
  ([low, high], c) => [meanOf(c) < meanOf(low) ? c : low, meanOf(c) > meanOf(high) ? c : high],
  [configurations[0], configurations[0]],
);

/** Why the results of these configurations are the same: within 1 %, or within what seeds change; '': they are not. */
function sameness(configurations) {
  if (configurations.length < 2) return '';
  const [low, high] = extremes(configurations);
  const difference = meanOf(high) - meanOf(low);
  if (difference <= SAME * Math.abs(meanOf(high))) return 'within 1 %';
  const [{ half: below }, { half: above }] = [low.estimates[0], high.estimates[0]];
  const isKnown = Number.isFinite(below) && Number.isFinite(above);
  return isKnown && difference <= below + above ? 'within what seeds change (95 %)' : '';
}

/** From the least to the greatest result, as they are shown: one, where they look the same. */
function rangeText(points, metric, configurations) {
  const [low, high] = extremes(configurations).map((c) => points.show(metric, meanOf(c)));
  return low === high ? low : `${low} to ${high}`;
}

/** The first objective that differs between points, and those before it that do not; where none does, the first. */
function telltale(points, of) {
  const count = Math.max(1, points.sweep.objectives.length);
  const list = points.choices().slice(0, count).map(([metric, name]) => {
    const all = of(metric);
    return { metric, name, all, why: sameness(all) };
  });
  const first = list.findIndex(({ why }) => !why);
  const same = list.slice(0, first < 0 ? list.length : first);
  return { ...(list[Math.max(0, first)] ?? {}), same, others: list.slice(first + 1) };
}

/** What makes no difference, with its range. */
const sameText = (points, same) => same.map(({ metric, name, all, why }) =>
  `${quoted(name)} is ${rangeText(points, metric, all)} at all points, ${why}`).join(', ');

/** Objectives in which the best point is the worst of all: whoever reads of it must know. */
function priceText(points, best, others) {
  return others.filter(({ why }) => !why).flatMap(({ metric, name, all }) => {
    const [low, high] = extremes(all);
    const worst = points.goalOf(metric) === 'max' ? meanOf(low) : meanOf(high);
    const own = all.find((c) => c.number === best.number);
    if (!own || meanOf(own) !== worst) return [];
    const top = points.goalOf(metric) === 'max' ? meanOf(high) : meanOf(low);
    return [`but it has the worst ${quoted(name)} of all, ${points.show(metric, worst)}, where the best point by that has ${points.show(metric, top)}; `];
  }).join('');
}

export function answerOfSweep(points) {
  const { sweep } = points;
  const of = (wanted) => (wanted ? points.configurations(sweep.points.filter((p) => !points.cutOff(p, wanted)), [wanted]) : []);
  const { metric, name, same, others = [] } = telltale(points, of);
  const state = rest(sweep);
  const counted = of(metric);
  const sign = points.goalOf(metric) === 'max' ? -1 : 1;
  const axes = telling(points);
  const chosen = choiceOf(axes, counted, points.goalOf(metric));
  // Of equal points one with the better value of the choice is named.
  const isChosen = (c) => (chosen && c.first.texts[chosen.axis.index] === chosen.best.text ? 0 : 1);
  const sorted = [...counted].sort(
    (a, b) => sign * (a.estimates[0].mean - b.estimates[0].mean) || isChosen(a) - isChosen(b),
  );
  const again = state.waiting ? [{ layer: 'the sweep', text: 'the same `weft sweep` command goes on with the rest', why: `${format.counted(state.waiting, 'point', 'points')} did not run yet` }] : [];
  if (!sorted.length) return { sentence: `No point has a result that counts; ${state.text}`, figures: [['points', format.number(state.count)]], tries: again };
  const [best] = sorted;
  const show = (c) => points.show(metric, meanOf(c));
  const good = sorted.filter((c) => Math.abs(meanOf(c) - meanOf(best)) <= CLOSE * Math.abs(meanOf(best)));
  const close = good.length - 1;
  const at = namesOf(axes, best.first);
  // Without several seeds nobody knows what they change: a few percent may be nothing.
  const isOneSeed = counted.length > 1 && !counted.some((c) => Number.isFinite(c.estimates[0].half));
  const near = close ? `${format.counted(close, 'other is', 'others are')} within 5 % of it` : 'none other is within 5 % of it';
  const effect = strongest(axes, counted, points.goalOf(metric));
  const tries = [...again, ...edges(axes.filter((axis) => !isDetermined(axis, axes, counted)), good),
    ...(effect ? [{ layer: 'the sweep', text: `${effect.axis.isNumeric ? 'finer' : 'other'} values of ${quoted(effect.axis.name)}: it changes the mean ${name} ${format.times(effect.factor)} times`, why: 'more than any other axis' }] : []),
    ...(isOneSeed ? [{ layer: 'the sweep', text: 'several seeds (`seeds: 5`)', why: 'all points have one: whether the best stays the best is not known' }] : []),
    { layer: 'the best point', text: `\`weft export ${sweep.quoted_folder} --scenario ${best.first.id} --out best.yaml\`, then \`weft run best.yaml --blame\``, why: 'says what its time is spent on' }];
  const bound = boundText(sweep, points.axes());
  if (bound) return { ...bound, sentence: `${bound.sentence}; ${state.text}`, tries: [...again, ...bound.tries] };
  const isFlat = same.some((one) => one.metric === metric);
  if (isFlat) return { sentence: `${sameText(points, same)}; ${state.text}`, tries: [...again, { layer: 'the sweep', text: 'values further apart, or a scenario in which they matter', why: 'none of these changes any objective' }], figures: [
    [name, rangeText(points, metric, counted)], ['cut off or failed', `${state.bad || state.waiting} of ${state.count}`]] };
  const before = same.length ? `${sameText(points, same)}; ` : '';
  const choice = choiceText(chosen);
  // A choice that is better on average, and not at the best point, says less than that point.
  const isOfBest = chosen && best.first.texts[chosen.axis.index] === chosen.best.text;
  const [first, last] = isOfBest ? [choice, ''] : ['', choice];
  return { sentence: `${before}${first}${before || first ? 'best' : 'Best'} ${name}: ${show(best)}${at ? `, at ${at}` : ''}; ${near}${isOneSeed && close ? ', by one seed: what others change is not known' : ''}; ${priceText(points, best, others)}${last}${state.text}`, tries, figures: [
    [`best ${name}`, show(best), 'best'], [`worst ${name}`, show(sorted.at(-1))], ['within 5 %', `${close + 1} of ${sorted.length}`],
    [state.waiting && !state.bad ? 'not run yet' : state.bad ? state.badName : 'cut off or failed', `${state.bad || state.waiting} of ${state.count}`]] };
}
