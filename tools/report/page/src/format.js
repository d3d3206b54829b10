// Quantities for people, in the units and digits of the terminal (scenarios/text/format.cpp). tests/report/quantities.txt
// has what both print.

const TIMES = [[3600, 'h'], [1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns'], [1e-12, 'ps']];
const RATES = [[1e15, 'Pbps'], [1e12, 'Tbps'], [1e9, 'Gbps'], [1e6, 'Mbps'], [1e3, 'Kbps'], [1, 'bps']];
const SIZES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
const TOKENS = [[1e9, 'G tokens/s'], [1e6, 'M tokens/s'], [1e3, 'k tokens/s'], [1, 'tokens/s']];

const MARKS = [[1e9, 'G marks/s'], [1e6, 'M marks/s'], [1e3, 'k marks/s'], [1, 'marks/s']];

const NONE = '–';
const MOST_DECIMALS = 15;

let precision = 4;

const isNone = (value) => value === null || value === undefined || Number.isNaN(value);

/** Without an exponent, with so many digits, or more where it is larger. */
function plain(value, digits) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(digits - 1 - magnitude, 0), MOST_DECIMALS);
  const text = value.toFixed(decimals);
  return decimals > 0 ? text.replace(/\.?0+$/, '') : text;
}

/** Whether values that are evenly spaced look so: in one unit, steps between their texts differ by less than a tenth. */
function lookEven(values, texts) {
  const numbers = texts.map((text) => /^(-?[\d.]+) ?(\S*)$/.exec(text));
  if (values.length < 3 || numbers.some((one) => !one || one[2] !== numbers[0][2])) return true;
  const step = (list, i) => list[i + 1] - list[i];
  const shown = numbers.map((one) => Number(one[1]));
  const scale = (shown.at(-1) - shown[0]) / (values.at(-1) - values[0]);
  return shown.slice(1).every((_, i) => Math.abs(step(shown, i) / (step(values, i) * scale) - 1) < 0.1);
}

/** What `show` makes of values, with as many digits as tell them apart, and as show even steps as even. */
export function apart(values, show) {
  const usual = precision;
  try {
    for (; ; ++precision) {
      const texts = values.map(show);
      if (precision === 9 || (new Set(texts).size === new Set(values).size && lookEven(values, texts))) return texts;
    }
  } finally {
    precision = usual;
  }
}

export const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

/** In the largest unit that leaves at least 1, or the smallest there is. */
function scaled(value, units, digits = precision) {
  if (isNone(value)) return NONE;
  if (value === 0) return `0 ${units.at(-1)[1]}`;
  const [scale, unit] = units.find(([least]) => Math.abs(value) >= least * 0.9995) ?? units.at(-1);
  return `${plain(value / scale, digits)} ${unit}`;
}

export const time = (seconds) => scaled(seconds, TIMES);
/** On an axis: 0 has no unit. */
export const timeOnAxis = (seconds) => (seconds === 0 ? '0' : time(seconds));
export const rate = (bits) => scaled(bits, RATES);
export const bytes = (count) => scaled(count, SIZES);
/** `74.6 k tokens/s` */
export const tokens = (perSecond) => scaled(perSecond, TOKENS, precision - 1);

/** `1.25 M marks/s`: packets that get an ECN mark. */
export const marks = (perSecond) => scaled(perSecond, MARKS, precision - 1);

export function number(value) {
  if (isNone(value)) return NONE;
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return plain(value, precision);
}

const fixed = (decimals, unit = '', factor = 1) => (value) => (isNone(value) ? NONE : `${(value * factor).toFixed(decimals)}${unit}`);

/** Of a collective, as nccl-tests and weft's tables have it: `46.67 GB/s`. */
export const bandwidth = fixed(2, ' GB/s', 1e-9);
/** `$0.3472` */
export const dollars = (value) => (isNone(value) ? NONE : `$${plain(value, precision)}`);
/** `9.4 TFLOP/s` */
export const flops = fixed(1, ' TFLOP/s', 1e-12);
/** `25.46x`: a completion time over the zero-load time. */
export const slowdown = fixed(2, 'x');
/** `1.003`: a time over the ideal one. */
export const overIdeal = fixed(3);

/** A percentile, and what it is of where the run was cut off: `12 us, of 7 of 32 messages`. */
export const partly = (text, cutOff) => (cutOff ? `${text}, ${cutOff}` : text);

/** `92.8 %`, `0.95 %`, `< 0.1 %` */
export function percent(share) {
  if (isNone(share)) return NONE;
  const [sign, value] = [share < 0 ? '-' : '', Math.abs(100 * share)];
  if (value === 0) return '0 %';
  if (value < 0.1) return `${sign ? '> -' : '< '}0.1 %`;
  return value < 0.995 ? `${sign}${plain(value, 2)} %` : `${sign}${value.toFixed(1)} %`;
}

/** With as many digits as any number: for axes, where `< 0.1 %` would stand at several lines. */
export const percentInFull = (share) => (isNone(share) ? NONE : `${plain(100 * share, precision)} %`);

/** In a sentence: `93 %`, but never the whole of what is not whole. */
export function roughly(share) {
  if (100 * share < 10) return percent(share);
  const whole = Math.round(100 * share);
  return whole === 100 && share < 1 ? `${(Math.floor(1000 * share) / 10).toFixed(1)} %` : `${whole} %`;
}

/** In a sentence: `33`, `3.5`, `1.27` times. */
export const times = (factor) => plain(factor, factor < 2 ? 3 : 2);

/** By the unit that the name of a column or a metric ends in. */
export function byName(name, value) {
  if (typeof value !== 'number') return number(value);
  if (/tokens_per_second/.test(name)) return tokens(value);
  if (/flops_per_second/.test(name)) return flops(value);
  if (/dollars_per_/.test(name)) return dollars(value);
  if (/bytes_per_s/.test(name)) return bandwidth(value);
  if (/_s$|seconds(\.\w+)?$|^seconds/.test(name)) return time(value);
  if (/bytes/.test(name)) return bytes(value);
  if (/_bps$/.test(name)) return rate(value);
  if (/utilisation|share|\b[mh]fu\b/.test(name)) return percent(value);
  if (/(^|\.)slowdown(\.(p\d+|max|mean))?$/.test(name)) return slowdown(value);
  return number(value);
}

/** By a unit, or where there is none by the name of what it is. */
export function byUnit(unit, value, name = '') {
  if (typeof value !== 'number') return number(value);
  if (/_per_second/.test(name)) return byName(name, value);
  if (unit === 's') return time(value);
  if (unit === 'B' || unit === 'bytes') return bytes(value);
  if (unit === 'bit/s') return rate(value);
  if (unit === 'marks/s') return marks(value);
  if (unit === '$') return dollars(value);
  return byName(name, value);
}

/** Of a key of a summary, `p999`: `p99.9`. */
export const percentile = (key) => key.replace(/\bp(\d\d)(\d+)\b/g, 'p$1.$2');

/** `mean_queue_bytes` as words. */
export const words = (name) => percentile(name.replace(/_(s|bps|bytes|bytes_per_s|bytes_per_second)$/, '').replaceAll(/[_.]/g, ' '));

const MOST_LINES = 4;

/** A text in lines of so many letters; what is beyond the fourth is elided. */
export function wrapped(text, letters) {
  const lines = [''];
  for (const word of text.split(/(?<=[ ,])/)) {
    if ((lines.at(-1) + word).trimEnd().length > letters && lines.at(-1)) lines.push('');
    lines[lines.length - 1] += word;
  }
  const kept = lines.slice(0, MOST_LINES).map((line) => line.trim());
  if (lines.length > kept.length) kept[kept.length - 1] += ' …';
  return kept.map((line) => (line.length > letters ? `${line.slice(0, Math.max(1, letters - 1))}…` : line)).join('\n');
}
