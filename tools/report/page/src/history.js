// Where one has been on the page: each step has an address that can be sent, and Back leads to the one before.

import { say, goTo } from './bus.js';
import { isWhole, momentOf, onTime, pointAt, rangeOf, showRange } from './time_range.js';

const SCALARS = new Set(['string', 'number', 'boolean']);

/** `#fabric?topic=port&run=0&name=a-%3Eb&from=...`: a section, what was said there, and the time that is shown. */
export function addressOf({ section, topic, about = {}, time = {} }) {
  const words = new URLSearchParams();
  if (topic) words.set('topic', topic);
  for (const [name, value] of Object.entries({ ...about, ...time }))
    if (SCALARS.has(typeof value)) words.set(name, String(value));
  const text = words.toString();
  return `#${section}${text ? `?${text}` : ''}`;
}

const NUMBER = /^-?\d+(\.\d+)?(e-?\d+)?$/;

/** What an address says; null where it is none of the page's. */
export function parseAddress(hash) {
  const found = /^#([\w-]+)(?:\?(.*))?$/.exec(hash);
  if (!found) return null;
  const words = Object.fromEntries(new URLSearchParams(found[2] ?? ''));
  const { topic, from, to, at, ...about } = words;
  if (NUMBER.test(about.run ?? '')) about.run = Number(about.run);
  const time = Object.fromEntries(
    Object.entries({ from, to, at })
      .filter(([, v]) => NUMBER.test(v ?? ''))
      .map(([name, v]) => [name, Number(v)]),
  );
  return { section: found[1].replace(/-title$/, ''), topic, about, time };
}

let here = { section: 'overview', run: 0 };

function timeNow(run) {
  const [from, to] = rangeOf(run);
  return { ...(isWhole(run) ? {} : { from, to }), ...(momentOf(run) === null ? {} : { at: momentOf(run) }) };
}

/** Says something, shows where it is seen, and remembers the step. */
export function visit(topic, about, section) {
  say(topic, about);
  goTo(section);
  here = { section, topic, about, run: about.run ?? here.run };
  history.pushState(null, '', addressOf({ ...here, time: timeNow(here.run) }));
}

/** The time belongs to the step that one is at: it makes no step of its own. */
function rememberTime(run) {
  if (run !== here.run) return;
  history.replaceState(null, '', addressOf({ ...here, time: timeNow(run) }));
}

function restore() {
  const address = parseAddress(location.hash);
  if (!address) return;
  const { section, topic, about, time } = address;
  here = { section, topic, about, run: about.run ?? here.run };
  if (time.from !== undefined && time.to > time.from) showRange(here.run, time.from, time.to, 'history');
  pointAt(here.run, time.at ?? null, 'history');
  if (topic) say(topic, about);
  goTo(section);
}

const SETTLED = 250; // milliseconds

/** Follows addresses from now on, first the one that the page was opened with. */
export function keepHistory(runs) {
  window.addEventListener('popstate', restore);
  for (let run = 0; run < runs; ++run) {
    let waiting = 0;
    onTime(run, 'history', (_, by) => {
      if (by === 'history') return;
      clearTimeout(waiting);
      waiting = setTimeout(() => rememberTime(run), SETTLED);
    });
  }
  if (location.hash) requestAnimationFrame(restore);
}
