// What a sweep's points say: filters, means over seeds with their intervals, lines, cells, Pareto fronts. No drawing.

import * as format from './format.js';

const order = (a, b) => (a.number !== null && b.number !== null ? a.number - b.number : (a.number === null) - (b.number === null));

/** The values that a parameter has, numbers ascending, then texts as they come. */
function levelsOf(sweep, p) {
  const seen = new Map();
  for (const point of sweep.points) {
    const text = point.texts[p];
    if (!seen.has(text)) seen.set(text, { text, number: typeof point.values[p] === 'number' ? point.values[p] : null });
  }
  return [...seen.values()].sort(order);
}

/** The entries of a mapping as it is written, `{a: 1, b: {c: 2}}`: `a: 1`, `b: {c: 2}`; null: it is none. */
function entriesOf(text) {
  if (!/^\{.*\}$/.test(text)) return null;
  const entries = [''];
  let depth = 0;
  for (const letter of text.slice(1, -1)) {
    if ('{['.includes(letter)) ++depth;
    if ('}]'.includes(letter)) --depth;
    if (letter === ',' && depth === 0) entries.push('');
    else entries[entries.length - 1] += letter;
  }
  return entries.map((entry) => entry.trim());
}

/** Of values that are mappings what tells them apart, by the text of each: what all have is left out. */
export function shortNames(texts) {
  const split = texts.map((text) => ({ text, entries: entriesOf(text) ?? [] })).filter((l) => l.entries.length);
  const isCommon = (entry) => split.length > 1 && split.every(({ entries }) => entries.includes(entry));
  const names = new Map(texts.map((text) => [text, text]));
  for (const { text, entries } of split) {
    const own = entries.filter((entry) => !isCommon(entry)).join(', ');
    if (own) names.set(text, own);
  }
  return new Set(names.values()).size === names.size ? names : new Map(texts.map((text) => [text, text]));
}

export class Points {
  constructor(data) {
    const names = data.parameters.map((_, index) => shortNames([...new Set(data.points.map((p) => p.texts[index]))]));
    const named = (one) => ({ ...one, texts: one.texts.map((text, p) => names[p].get(text) ?? text) });
    const sweep = { ...data, points: data.points.map(named) };
    if (data.bisection) sweep.bisection = { ...data.bisection, found: data.bisection.found.map(named) };
    this.sweep = sweep;
    this.parameters = sweep.parameters.map((p, index) => {
      const levels = levelsOf(sweep, index);
      return { ...p, index, levels, isNumeric: levels.every((level) => level.number !== null) };
    });
    this.metrics = new Map(sweep.metrics.map((metric, index) => [metric.name, { ...metric, index }]));
  }

  /** Parameters that differ between points; seeds only where nothing else does. */
  axes() {
    const differing = this.parameters.filter((p) => p.levels.length > 1);
    const chosen = differing.filter((p) => !p.seed);
    return chosen.length ? chosen : differing;
  }

  /** A result that counts: of a run that came to its end, or an estimate of what could be run. */
  value(point, name) {
    const metric = this.metrics.get(name);
    if (!metric) return null;
    const counts = point.counts || (metric.estimate && (point.estimated || point.status === 'done'));
    return counts ? point.metrics[metric.index] ?? null : null;
  }

  /** What a percentile of a point is of, if its run was cut off: `of 7 of 32 messages`; otherwise nothing. */
  cutOff(point, name) { return point.cut_off?.[this.metrics.get(name)?.index] ?? ''; }

  /** The same of several points together. */
  cutOffOf(points, name) {
    const counted = points.filter((p) => this.value(p, name) !== null);
    const texts = counted.map((p) => this.cutOff(p, name)).filter(Boolean);
    const distinct = [...new Set(texts)];
    if (distinct.length < 2) return distinct[0] ?? '';
    return `of ${texts.length} of ${counted.length} runs that were cut off: ${distinct[0]}, ${distinct.length === 2 ? distinct[1] : 'and so on'}`;
  }

  /** Objectives by their names, then all other results. */
  choices() {
    const known = new Set(this.sweep.objectives.map((o) => o.metric));
    return [...this.sweep.objectives.map((o) => [o.metric, o.name]),
      ...this.sweep.metrics.filter((m) => !known.has(m.name)).map((m) => [m.name, m.name])];
  }

  /** A value of a result, with its unit. */
  show(name, value) { return format.byUnit(this.metrics.get(name)?.unit ?? '', value, name); }

  goalOf(name) { return this.sweep.objectives.find((o) => o.metric === name)?.goal ?? 'min'; }

  /** `filters`: by parameter a set of texts that stay, or {from, to}. */
  filtered(filters) {
    const active = [...filters];
    return this.sweep.points.filter((point) => active.every(([p, keep]) => {
      if (keep instanceof Set) return keep.has(point.texts[p]);
      const value = point.values[p];
      return typeof value === 'number' && value >= keep.from && value <= keep.to;
    }));
  }

  /** Mean, and by Student's t half the width of its 95 % interval, which one value does not have. */
  estimate(values) {
    const count = values.length;
    if (!count) return null;
    const mean = values.reduce((sum, v) => sum + v, 0) / count;
    const factor = this.sweep.student[count];
    if (count < 2 || !factor) return { count, mean, half: null };
    const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
    return { count, mean, half: factor * Math.sqrt(squares / (count - 1) / count) };
  }

  /** By configuration its points and the estimate of each result, where all are known. */
  configurations(points, names) {
    const groups = new Map();
    for (const point of points) {
      if (!groups.has(point.configuration)) groups.set(point.configuration, []);
      groups.get(point.configuration).push(point);
    }
    const list = [];
    for (const [number, own] of groups) {
      const estimates = names.map((name) => this.estimate(own.map((p) => this.value(p, name)).filter((v) => v !== null)));
      if (estimates.every(Boolean)) list.push({ number, first: own[0], points: own, estimates });
    }
    return list;
  }

  /**
   * A line by value of `by` (null: one), with a mean at each value of `x`. Where nothing but seeds differs there, its
   * interval; otherwise the least and the greatest of the other axes.
   */
  lines(points, x, by, name) {
    const lines = (by ? by.levels : [{ text: '' }]).map((level) => ({ label: level.text, at: x.levels.map(() => null) }));
    const place = (parameter, point) => (parameter ? parameter.levels.findIndex((l) => l.text === point.texts[parameter.index]) : 0);
    for (const one of this.configurations(points, [name])) {
      const cells = lines[place(by, one.first)].at;
      const i = place(x, one.first);
      (cells[i] ??= []).push(one);
    }
    for (const line of lines) line.at = line.at.map((own) => own && this.cell(own));
    return lines.filter((line) => line.at.some(Boolean));
  }

  /** Several configurations at one place. */
  cell(own) {
    if (own.length === 1) {
      const { mean, half, count } = own[0].estimates[0];
      return { mean, low: half === null ? mean : mean - half, high: half === null ? mean : mean + half, isInterval: half !== null, count, of: own };
    }
    const means = own.map((c) => c.estimates[0].mean);
    return { mean: means.reduce((sum, v) => sum + v, 0) / means.length, low: Math.min(...means), high: Math.max(...means), isInterval: false, count: means.length, of: own };
  }
}

/** Of configurations with two estimates those that no other beats in both, by the first. */
export function front(configurations, goals) {
  const better = (goal, a, b) => (goal === 'min' ? a < b : a > b);
  const value = (c, i) => c.estimates[i].mean;
  const sorted = [...configurations].sort((a, b) => {
    const i = value(a, 0) === value(b, 0) ? 1 : 0;
    return better(goals[i], value(a, i), value(b, i)) ? -1 : better(goals[i], value(b, i), value(a, i)) ? 1 : a.number - b.number;
  });
  const kept = [];
  for (const c of sorted) if (!kept.length || better(goals[1], value(c, 1), value(kept.at(-1), 1))) kept.push(c);
  return kept;
}

/** Greatest over least from which on a logarithmic axis tells values apart better: that of `weft plot`, too. */
export const WIDE = 30;

/** Whether values are better told apart on a logarithmic axis. */
export function isWide(values) {
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) > WIDE * least;
}
