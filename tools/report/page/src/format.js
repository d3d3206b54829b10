// Quantities for people, as weft's own tables write them.

const TIMES = [[3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns'], [1e-12, 'ps']];
const RATES = [[1e12, 'Tbps'], [1e9, 'Gbps'], [1e6, 'Mbps'], [1e3, 'kbps'], [1, 'bps']];
const SPEEDS = [[1e12, 'TB/s'], [1e9, 'GB/s'], [1e6, 'MB/s'], [1e3, 'kB/s'], [1, 'B/s']];
const SIZES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];

let precision = 4;

function digits(value) {
  const text = Number(value.toPrecision(precision)).toString();
  return text.includes('e') ? value.toPrecision(precision) : text;
}

/** What `show` makes of values, with as many digits as tell them apart. */
export function apart(values, show) {
  const usual = precision;
  try {
    for (; ; ++precision) {
      const texts = values.map(show);
      if (precision === 9 || new Set(texts).size === new Set(values).size) return texts;
    }
  } finally {
    precision = usual;
  }
}

export const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

function scaled(value, units, zero) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return zero;
  const size = Math.abs(value);
  const [scale, unit] = units.find(([least]) => size >= least * 0.99995) ?? units.at(-1);
  return `${digits(value / scale)} ${unit}`;
}

export const time = (seconds) => scaled(seconds, TIMES, '0 s');
export const rate = (bits) => scaled(bits, RATES, '0 bps');
export const bytes = (count) => scaled(count, SIZES, '0 B');

export function number(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return digits(value);
}

/** A percentile, and what it is of where the run was cut off: `12 us, of 7 of 32 messages`. */
export const partly = (text, cutOff) => (cutOff ? `${text}, ${cutOff}` : text);

export const percent = (share) => (share === null || share === undefined ? '–' : `${digits(100 * share)} %`);

/** By the unit that the name of a column or a metric ends in. */
export function byName(name, value) {
  if (typeof value !== 'number') return number(value);
  if (/_s$|seconds(\.\w+)?$|^seconds/.test(name)) return time(value);
  // As nccl-tests has them, and weft's tables.
  if (/bytes_per_s/.test(name)) return scaled(value, SPEEDS, '0 B/s');
  if (/bytes/.test(name)) return bytes(value);
  if (/_bps$/.test(name)) return rate(value);
  if (/utilisation|share/.test(name)) return percent(value);
  return number(value);
}

export function byUnit(unit, value) {
  if (typeof value !== 'number') return number(value);
  if (unit === 's') return time(value);
  if (unit === 'B' || unit === 'bytes') return bytes(value);
  if (unit === 'bit/s') return rate(value);
  return number(value);
}

/** `mean_queue_bytes` as words. */
export const words = (name) => name.replace(/_(s|bps|bytes|bytes_per_s|bytes_per_second)$/, '').replaceAll(/[_.]/g, ' ');
