// Which point of a sweep is best, how many are as good, and what did not run. No drawing.

import * as format from './format.js';

/** How much worse a point may be and still be as good. */
const CLOSE = 0.05;
/** Within which results make no difference. */
const SAME = 0.01;

const quoted = (name) => `\`${name}\``;

const isWaiting = (point) => !point.status || point.status === 'waiting' || point.status === 'not run yet';
const didFail = (point) => !point.counts && !point.estimated && !isWaiting(point);

/**
 * Axes that tell configurations apart; of those that change together the first. One is a condition, and no choice, if
 * all that changes with it is: sizes, error rates, times of faults.
 */
function telling(points) {
  const groups = new Map();
  for (const axis of points.axes()) {
    const values = new Map();
    const pattern = points.sweep.points.map((p) => { const t = p.texts[axis.index]; if (!values.has(t)) values.set(t, values.size); return values.get(t); }).join();
    groups.set(pattern, [...(groups.get(pattern) ?? []), axis]);
  }
  return [...groups.values()].map((own) => ({ ...own[0], isCondition: own.every((axis) => axis.condition) }));
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
    if (axis.isCondition || !axis.isNumeric || axis.levels.length < 3 || (at > 0 && at < axis.levels.length - 1)) return [];
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

/** Of each setting of all other axes what the values of this one have: settings that have all of them. */
function settingsOf(axis, axes, configurations) {
  const settings = new Map();
  for (const c of configurations) {
    const key = JSON.stringify(axes.filter((a) => a !== axis).map((a) => c.first.texts[a.index]));
    if (!settings.has(key)) settings.set(key, new Map());
    settings.get(key).set(c.first.texts[axis.index], c.estimates[0].mean);
  }
  return [...settings.values()].filter((values) => values.size === axis.levels.length);
}

/**
 * How the values of an axis compare where all else is the same: of each the geometric mean of how many times worse it
 * is than the best of its setting. Only settings that have all values count; null: there are fewer than two.
 */
function compared(axis, axes, configurations, goal) {
  const whole = settingsOf(axis, axes, configurations);
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
    .filter((axis) => !axis.isNumeric && !axis.isCondition && axis.levels.length > 1)
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
  return { count, cut, bad: cut + unfinished + failed, badName: cut + failed ? 'cut off or failed' : 'did not finish', waiting, text: parts.length ? `of ${format.counted(count, 'point', 'points')} ${parts.join(', ')}` : `all ${format.counted(count, 'point', 'points')} finished` };
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

const countConfigurations = (points) => new Set(points.sweep.points.map((p) => p.configuration)).size;

/**
 * The first objective that differs between points, and those before it that do not; where none does, the first. Nobody
 * knows of one that a single point of several has: it comes last, and is among `unknown`.
 */
function telltale(points, of) {
  const count = Math.max(1, points.sweep.objectives.length);
  const total = countConfigurations(points);
  const list = points.choices().slice(0, count).map(([metric, name]) => {
    const all = of(metric);
    return { metric, name, all, why: sameness(all) };
  });
  const judged = list.filter(({ all }) => all.length > 1 || all.length === total);
  const unknown = list.filter((one) => !judged.includes(one));
  if (!judged.length) return { ...(list.find(({ all }) => all.length) ?? list[0] ?? {}), same: [], unknown: [], total };
  const first = judged.findIndex(({ why }) => !why);
  const same = judged.slice(0, first < 0 ? judged.length : first);
  return { ...judged[Math.max(0, first)], same, others: judged.slice(first + 1), unknown, total };
}

/** What makes no difference, with its range; and at which points, if not all have it. */
const sameText = (points, same, total) => same.map(({ metric, name, all, why }) =>
  `${quoted(name)} is ${rangeText(points, metric, all)} at ${all.length < total ? `the ${all.length} of ${total} points that can be compared` : 'all points'}, ${why}`).join(', ');

const unknownText = (unknown) => unknown.map(({ name, all }) => `${quoted(name)} of ${all.length ? 'one point alone' : 'no point'} can be judged; `).join('');

/** Whether a configuration has the worst of a result, and that differs. */
function isWorst(points, configuration, { metric, all, why }) {
  const own = all.find((c) => c.number === configuration.number);
  if (!own || why) return false;
  const [low, high] = extremes(all).map(meanOf);
  const [worst, top] = points.goalOf(metric) === 'max' ? [low, high] : [high, low];
  // As bad as the worst, and not as good as the best.
  const near = Math.abs(meanOf(own) - worst) <= SAME * Math.abs(worst);
  return near && Math.abs(meanOf(own) - top) > SAME * Math.max(Math.abs(worst), Math.abs(top));
}

/** Objectives in which the best point is the worst of all: whoever reads of it must know. */
function priceText(points, best, others) {
  return others.filter((other) => isWorst(points, best, other)).map(({ metric, name, all }) => {
    const own = all.find((c) => c.number === best.number);
    const [low, high] = extremes(all);
    const top = points.goalOf(metric) === 'max' ? meanOf(high) : meanOf(low);
    return `but it has the worst ${quoted(name)} of all, ${points.show(metric, meanOf(own))}, where the best point by that has ${points.show(metric, top)}; `;
  }).join('');
}

/** What the better value of a choice costs: objectives of which it has the worst mean, where all else is the same. */
function choicePrice(points, one, axes, others) {
  if (!one || one.factor < 1.01) return '';
  return others.flatMap(({ metric, name, all, why }) => {
    if (why) return [];
    const rows = settingsOf(one.axis, axes, all);
    if (!rows.length) return [];
    const mean = (text) => rows.reduce((sum, values) => sum + values.get(text), 0) / rows.length;
    const means = one.axis.levels.map(({ text }) => mean(text));
    const sign = points.goalOf(metric) === 'max' ? -1 : 1;
    const [own, least] = [mean(one.best.text), Math.min(...means.map((v) => sign * v)) * sign];
    const isBad = means.every((v) => sign * v <= sign * own) && Math.abs(own - least) > SAME * Math.max(Math.abs(own), Math.abs(least));
    return isBad ? [`but ${quoted(one.best.text)} has the worst ${quoted(name)} on average, ${points.show(metric, own)}, where the best has ${points.show(metric, least)}; `] : [];
  }).join('');
}

/** By the values of all conditions the configurations from best to worst. */
function byCondition(points, conditions, configurations, sign) {
  const groups = new Map();
  for (const c of configurations) {
    const key = JSON.stringify(conditions.map((axis) => c.first.texts[axis.index]));
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  const place = (axis, c) => axis.levels.findIndex((l) => l.text === c.first.texts[axis.index]);
  const order = (a, b) => conditions.map((axis) => place(axis, a[0]) - place(axis, b[0])).find(Boolean) ?? 0;
  return [...groups.values()].sort(order).map((own) => own.sort((a, b) => sign * (meanOf(a) - meanOf(b))));
}

const MOST_CONDITIONS = 4;

/** As good: within 1 %, or within what seeds change. */
const areAlike = (a, b) => sameness([a, b]) !== '';

/** Which choice is best at how many values of the conditions: the one that is best at most of them first. */
function winners(choices, groups) {
  const wins = new Map();
  for (const own of groups) {
    for (const c of own.filter((one) => areAlike(one, own[0]))) {
      const text = namesOf(choices, c.first);
      wins.set(text, [...(wins.get(text) ?? []), own]);
    }
  }
  return [...wins].sort(([, a], [, b]) => b.length - a.length);
}

/** The best choice at each value of what is no choice. */
function bestByCondition(points, { metric, name, others }, conditions, choices, groups) {
  const show = (c) => points.show(metric, meanOf(c));
  const at = (own) => namesOf(conditions, own[0].first);
  const what = conditions.map((axis) => quoted(axis.name)).join(' and ');
  const judged = groups.filter((own) => own.length > 1);
  const [[text, wins], ...rest_] = winners(choices, judged);
  // What is as good everywhere is named with it.
  const equal = rest_.filter(([, own]) => own.length === judged.length);
  const [first, last] = [judged[0], judged.at(-1)];
  const isAlways = wins.length === judged.length;
  const range = isAlways && judged.length > 1 ? `, ${show(first[0])} at ${at(first)} to ${show(last[0])} at ${at(last)}` : '';
  const list = judged.map((own) => `${namesOf(choices, own[0].first)} at ${at(own)} (${show(own[0])})`).join(', ');
  const few = judged.length <= MOST_CONDITIONS ? list : [[text, wins], ...rest_.slice(0, 2)].map(([one, own]) => `${one} at ${own.length} of ${judged.length}`).join(', ');
  const costs = others.flatMap((other) => {
    const bad = judged.filter((own) => {
      const all = other.all.filter((c) => own.some((one) => one.number === c.number));
      return all.length > 1 && isWorst(points, own[0], { ...other, all, why: sameness(all) });
    });
    return bad.length ? [`but the best has the worst ${quoted(other.name)} at ${bad.length === judged.length ? 'each of them' : `${bad.length} of ${judged.length}`}; `] : [];
  }).join('');
  const alone = groups.length - judged.length;
  return {
    text: `best ${name} at each ${what}: ${isAlways ? [text, ...equal.map(([one]) => one)].slice(0, 3).join(' as well as ') + range : few}; ${costs}${alone ? `at ${alone} of ${groups.length} there is nothing to compare; ` : ''}`,
    figures: [['best at most of them', text.replaceAll('`', ''), 'best'], ['best at', `${wins.length} of ${judged.length}`]],
  };
}

/** Where all that differs are conditions, nothing is best: what the result is at the least and at the greatest. */
function overConditions(points, { metric, name }, conditions, counted) {
  const [low, high] = extremes(counted);
  const at = (c) => `${points.show(metric, meanOf(c))} at ${namesOf(conditions, c.first)}`;
  return {
    text: `${quoted(name)} goes from ${at(low)} to ${at(high)}; `,
    figures: [[`least ${name}`, points.show(metric, meanOf(low))], [`greatest ${name}`, points.show(metric, meanOf(high))]],
  };
}

/** The sentence and the figures where sizes, error rates, times of faults differ; null: there is nothing of the kind. */
function conditionalAnswer(points, told, axes, counted, sign) {
  const conditions = axes.filter((axis) => axis.isCondition);
  const choices = axes.filter((axis) => !axis.isCondition);
  if (!conditions.length || counted.length < 2) return null;
  if (!choices.length) return overConditions(points, told, conditions, counted);
  const groups = byCondition(points, conditions, counted, sign);
  return groups.some((own) => own.length > 1) ? bestByCondition(points, told, conditions, choices, groups) : overConditions(points, told, axes, counted);
}

/** What to change where nothing makes a difference, or where too few points can be compared to tell. */
function flatTries(told, counted, state) {
  const isAll = counted.length === told.total && !told.unknown.length;
  const why = isAll ? 'none of these changes any objective' : `none of the ${counted.length} points that can be compared changes ${quoted(told.name)}`;
  const tries = [{ layer: 'the sweep', text: 'values further apart, or a scenario in which they matter', why }];
  return state.cut ? [longerRuns(state), ...tries] : tries;
}

const longerRuns = (state) => ({ layer: 'the scenario', text: 'a later end of the runs (`run.until`)', why: `${format.counted(state.cut, 'point was', 'points were')} cut off, and what takes longest is not in percentiles of those` });

/** What to try after a sweep that says which point is best. */
function usualTries(points, told, axes, counted, good, best, isOneSeed) {
  const { sweep } = points;
  const effect = strongest(axes, counted, points.goalOf(told.metric));
  return [...edges(axes.filter((axis) => !isDetermined(axis, axes, counted)), good),
    ...(effect ? [{ layer: 'the sweep', text: `${effect.axis.isNumeric ? 'finer' : 'other'} values of ${quoted(effect.axis.name)}: it changes the mean ${told.name} ${format.times(effect.factor)} times`, why: 'more than any other axis' }] : []),
    ...(isOneSeed ? [{ layer: 'the sweep', text: 'several seeds (`seeds: 5`)', why: 'all points have one: whether the best stays the best is not known' }] : []),
    { layer: 'the best point', text: `\`weft export ${sweep.quoted_folder} --scenario ${best.first.id} --out best.yaml\`, then \`weft run best.yaml --blame\``, why: 'says what its time is spent on' }];
}

/** How many points are as good as the best. */
function nearText(counted, close, isOneSeed, total) {
  if (counted.length === 1 && total > 1) return 'no other point can be compared with it';
  const near = close ? `${format.counted(close, 'other is', 'others are')} within 5 % of it` : 'none other is within 5 % of it';
  return `${near}${isOneSeed && close ? ', by one seed: what others change is not known' : ''}`;
}

export function answerOfSweep(points) {
  const { sweep } = points;
  const of = (wanted) => (wanted ? points.configurations(sweep.points.filter((p) => !points.cutOff(p, wanted)), [wanted]) : []);
  const told = { others: [], ...telltale(points, of) };
  const { metric, name, same, others, unknown, total } = told;
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
  const bad = [state.waiting && !state.bad ? 'not run yet' : state.bad ? state.badName : 'cut off or failed', `${state.bad || state.waiting} of ${state.count}`];
  const bound = boundText(sweep, points.axes());
  if (bound && sorted.length) return { ...bound, sentence: `${bound.sentence}; ${state.text}`, tries: [...again, ...bound.tries] };
  if (!sorted.length) return { sentence: `No point has a result that counts; ${state.text}`, figures: [['points', format.number(state.count)]], tries: state.cut ? [...again, longerRuns(state)] : again };
  const [best] = sorted;
  const show = (c) => points.show(metric, meanOf(c));
  if (same.some((one) => one.metric === metric)) {
    return { sentence: `${sameText(points, same, total)}; ${unknownText(unknown)}${state.text}`, tries: [...again, ...flatTries(told, counted, state)],
      figures: [[name, rangeText(points, metric, counted)], ['cut off or failed', bad[1]]] };
  }
  const good = sorted.filter((c) => Math.abs(meanOf(c) - meanOf(best)) <= CLOSE * Math.abs(meanOf(best)));
  // Without several seeds nobody knows what they change: a few percent may be nothing.
  const isOneSeed = counted.length > 1 && !counted.some((c) => Number.isFinite(c.estimates[0].half));
  const tries = [...again, ...usualTries(points, told, axes, counted, good, best, isOneSeed)];
  const before = `${same.length ? `${sameText(points, same, total)}; ` : ''}${unknownText(unknown)}`;
  const choice = choiceText(chosen) + choicePrice(points, chosen, axes, others);
  const conditional = conditionalAnswer(points, told, axes, counted, sign);
  if (conditional) return { sentence: `${before}${conditional.text}${choice}${state.text}`, tries: tries.filter((t) => t.layer !== 'the best point'), figures: [...conditional.figures, bad] };
  const at = namesOf(axes, best.first);
  // A choice that is better on average, and not at the best point, says less than that point.
  const isOfBest = chosen && best.first.texts[chosen.axis.index] === chosen.best.text;
  const [first, last] = isOfBest ? [choice, ''] : ['', choice];
  return { sentence: `${before}${first}${before || first ? 'best' : 'Best'} ${name}: ${show(best)}${at ? `, at ${at}` : ''}; ${nearText(counted, good.length - 1, isOneSeed, total)}; ${priceText(points, best, others)}${last}${state.text}`, tries, figures: [
    [`best ${name}`, show(best), 'best'], [`worst ${name}`, show(sorted.at(-1))], ['within 5 %', `${good.length} of ${sorted.length}`], bad] };
}
