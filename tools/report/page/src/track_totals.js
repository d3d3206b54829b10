// What slices of some tracks take of a range of time, by name; arrows between tracks, and along critical paths. No
// drawing.

import { firstFrom } from './tracks.js';

/** Names that differ in numbers only are one: `receive from 3` and `receive from 4`. */
export function stemOf(name) {
  const stem =
    name
      .split('\t')[0]
      .replace(/[\d.]+.*$/, '')
      .trim() || name;
  return stem === 'to' ? 'message' : stem;
}

/**
 * By name, the most time first: {name, count, time, longest, at}, where `at` is the longest slice, or the longest that
 * stands for several: [track, slice]. Slices are cut to the range. `time` is the sum over tracks;
 * of a slice that stands for several, all of them are counted.
 */
export function totalsOf(tracks, names, from, to) {
  const stems = names.map(stemOf);
  const totals = new Map();
  for (const track of tracks) {
    for (let i = firstFrom(track, from - track.longest); i < track.begins.length && track.begins[i] < to; ++i) {
      const time = Math.min(track.ends[i], to) - Math.max(track.begins[i], from);
      if (time < 0 || (time === 0 && track.ends[i] > track.begins[i])) continue;
      const name = stems[track.names[i]];
      if (!totals.has(name)) totals.set(name, { name, count: 0, time: 0, longest: -1, at: null });
      const one = totals.get(name);
      one.count += track.counts[i];
      one.time += time;
      const length = (track.ends[i] - track.begins[i]) / track.counts[i];
      if (length > one.longest) Object.assign(one, { longest: length, at: [track, i] });
    }
  }
  return [...totals.values()].sort((a, b) => b.time - a.time);
}

/** From the flat lists of the data (track, begin less the one before, place of the process, length) to arrows. */
export function unpackArrows(data) {
  const { to = [], flat = [] } = data.arrows ?? {};
  const arrows = [];
  let at = 0;
  for (let i = 0; i < flat.length; i += 4) {
    at += flat[i + 1];
    arrows.push({ from: flat[i], begin: at, process: to[flat[i + 2]], end: at + flat[i + 3] });
  }
  return arrows;
}

/** Those that begin in a slice, and those that end in its process while it lasts. */
export function arrowsOf(arrows, track, i) {
  const [begin, end] = [track.begins[i], track.ends[i]];
  const within = (time) => time >= begin - 1 && time <= end + 1;
  return arrows.filter(
    (a) => (a.from === track.index && within(a.begin)) || (a.process === track.process && within(a.end)),
  );
}

/**
 * Messages of critical paths, from the flat list of the data (track, places of the ranks that send and receive, begin
 * less the one before, length). Nanoseconds.
 */
export function unpackHops(data) {
  const { ranks = [], flat = [] } = data.hops ?? {};
  const hops = [];
  let at = 0;
  for (let i = 0; i < flat.length; i += 5) {
    at += flat[i + 3];
    hops.push({ track: flat[i], from: ranks[flat[i + 1]], to: ranks[flat[i + 2]], begin: at, end: at + flat[i + 4] });
  }
  return hops;
}

/** The message that a slice of a critical path is part of. */
export const hopOf = (hops, track, i) =>
  hops.find((h) => h.track === track.index && h.begin <= track.begins[i] + 1 && h.end >= track.ends[i] - 1) ?? null;

/**
 * Which messages of a path can be told apart between two times: the longest `most`, and of those between the same
 * places that begin within `gap` the longest. `placeOf(rank)` is where a rank is shown; null: nowhere.
 */
export function hopsToShow(hops, track, [from, to], { placeOf, gap, most }) {
  const shown = [];
  const taken = new Map();
  const inSight = hops.filter((h) => h.track === track.index && h.begin < to && h.end > from);
  for (const hop of [...inSight].sort((a, b) => b.end - b.begin - (a.end - a.begin))) {
    if (shown.length === most) break;
    const places = [placeOf(hop.from), placeOf(hop.to)];
    if (places.some((place) => place === null)) continue;
    const others = taken.get(places.join()) ?? [];
    if (others.some((begin) => Math.abs(begin - hop.begin) < gap)) continue;
    taken.set(places.join(), [...others, hop.begin]);
    shown.push({ ...hop, places });
  }
  return { shown, count: inSight.length };
}
