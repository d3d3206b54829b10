// Colours that are told apart in light and dark, and by most eyes (Okabe and Ito 2008).

export const SERIES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b58900', '#56a0d3', '#8c564b', '#7f7f7f',
  '#6a3d9a', '#e7298a'];

const CAUSES = {
  compute: '#4c78a8', straggler: '#e45756', bubble: '#9d755d', schedule: '#79706e', 'launch and protocol': '#b279a2',
  propagation: '#83bcb6', serialisation: '#54a24b', queueing: '#f58518', 'own packets': '#ffbf79', pause: '#d67195', credits: '#d8b5a5',
  'congestion control': '#eeca3b', window: '#bab0ac', retransmission: '#ff9da6', 'time-out': '#b22222',
  'link failure': '#6b3fa0', 'link retry': '#8a8a1c',
};

/** Every cause that has a colour of its own. */
export const causesWithColours = () => Object.keys(CAUSES);

export const ofCause = (cause) => CAUSES[cause] ?? '#7f7f7f';

/**
 * What ranks do has the colour of the cause of blame that it is: computing blue, bytes on the wire green, waits for
 * a straggler red, launches and sums purple. What stands first counts.
 */
const DOINGS = [
  ['computing', /^(forward|compute|step of)/, CAUSES.compute], ['backward', /^backward/, '#2f5580'], ['optimizer, recomputing', /^(optimizer|recompute)/, '#7fa3cb'],
  ['beyond the plan', /^beyond the plan/, CAUSES.straggler], ['iterations, jobs', /^(iteration|job$)/, '#8a94a0'],
  ['bytes on the wire', /^(all-|reduce-scatter|broadcast|gather|scatter|pass on|send)/, CAUSES.serialisation], ['messages', /^(to |message)/, '#3d7d36'], ['receiving, waiting', /^(receive|wait)/, '#9ccf94'],
  ['launches, sums and answers', /^(launch|copy|add|sum|reduce|acknowledge|control)/, CAUSES['launch and protocol']], ['sent again', /^retr/, CAUSES.retransmission],
];

const doingOf = (name) => DOINGS.find(([, doing]) => doing.test(name)) ?? null;

/** The colour of a slice by its name; on critical paths names are causes. */
export function ofSlice(name, isCritical) {
  if (isCritical) return ofCause(name.split('\t')[0]);
  return doingOf(name)?.[2] ?? ofName(name.replace(/[\d.]+.*$/, ''));
}

/**
 * What the colours of a timeline mean, as [words, colour]: of critical paths the causes, of ranks what they do. Only what
 * is there is listed, and a colour that means a cause not once more.
 */
export function legendOf(causes, names) {
  const doings = new Set(names.map(doingOf));
  const list = [...new Set(causes)].map((cause) => [cause, ofCause(cause)]);
  list.push(...DOINGS.filter((one) => doings.has(one)).map(([title, , colour]) => [title, colour]));
  // What is no doing has a colour by its name.
  list.push(...names.filter((name) => !doingOf(name)).map((name) => [name.replace(/[\d.]+.*$/, '').trim() || name, ofSlice(name, false)]));
  return list.filter(([, colour], i) => list.findIndex(([, other]) => other === colour) === i);
}
export const ofSeries = (i) => SERIES[i % SERIES.length];

/**
 * From calm to alarming: each step is further from the paper in lightness, so that who sees no red or no green reads
 * the same order.
 */
const ON_LIGHT = [[214, 190, 120], [236, 160, 62], [222, 104, 40], [186, 44, 48], [122, 14, 52], [62, 4, 44]];
const ON_DARK = [[96, 70, 150], [142, 70, 150], [196, 76, 120], [236, 110, 70], [250, 170, 50], [252, 236, 120]];

/** A colour `rgb(r g b)` for 0 to 1. */
export function heatOn(isDark, share) {
  const scale = isDark ? ON_DARK : ON_LIGHT;
  const at = Math.max(0, Math.min(1, share)) * (scale.length - 1);
  const i = Math.min(Math.floor(at), scale.length - 2);
  const mix = scale[i].map((v, c) => Math.round(v + (scale[i + 1][c] - v) * (at - i)));
  return `rgb(${mix.join(' ')})`;
}

const isDarkNow = () => matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('print').matches;

export const heat = (share) => heatOn(isDarkNow(), share);

const gradient = (colours) => `background:linear-gradient(90deg, ${colours.join(', ')})`;

/** What stands between the least and the most of a scale. */
export const ramp = () => gradient([0, 0.2, 0.4, 0.6, 0.8, 1].map(heat));
export const rampOfDifference = () => gradient([-1, 0, 1].map(difference));

/** Black or white, whichever is told apart better from a colour `rgb(r g b)`. */
export function inkOn(colour) {
  const light = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = colour.match(/\d+/g).map(Number);
  return 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) > 0.179 ? '#000' : '#fff';
}

/** What is painted is painted anew when light becomes dark, or the page is printed. */
export function onOtherColours(act) {
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', act);
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** For -1 to 1: less is blue, more is orange. */
export function difference(share) {
  const size = Math.min(1, Math.abs(share));
  const [from, to] = [[150, 150, 150], share < 0 ? [0, 90, 200] : [213, 94, 0]];
  return `rgb(${from.map((v, c) => Math.round(v + (to[c] - v) * size)).join(' ')})`;
}

/** A steady colour for a name. */
export function ofName(name) {
  let hash = 0;
  for (let i = 0; i < name.length; ++i) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return SERIES[hash % SERIES.length];
}
