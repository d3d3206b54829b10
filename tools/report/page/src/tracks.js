// Tracks of a timeline as arrays, and what is looked up in them. No drawing.

/** From the flat lists of the data (begin less the one before, length, name, count) to arrays. Nanoseconds. */
export function unpack(timeline) {
  const tracks = timeline.tracks.map((track, index) => {
    const count = track.slices.length / 4;
    const one = {
      index, process: track.process, name: track.name, isCritical: track.name === 'critical path',
      begins: new Float64Array(count), ends: new Float64Array(count), names: new Uint32Array(count), counts: new Uint32Array(count), longest: 0,
    };
    let at = 0;
    for (let i = 0; i < count; ++i) {
      at += track.slices[4 * i];
      one.begins[i] = at;
      one.ends[i] = at + track.slices[4 * i + 1];
      one.names[i] = track.slices[4 * i + 2];
      one.counts[i] = track.slices[4 * i + 3];
      one.longest = Math.max(one.longest, track.slices[4 * i + 1]);
    }
    return one;
  });
  const order = (t) => `${t.isCritical ? 0 : 1}`;
  return tracks.sort((a, b) => order(a).localeCompare(order(b)) || a.process.localeCompare(b.process, 'en', { numeric: true }) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** The first slice that begins at `time` or later. */
export function firstFrom(track, time) {
  let low = 0;
  let high = track.begins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.begins[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The slice at a time, the innermost; -1: none. Slices that lie in each other begin one after the other. */
export function sliceAt(track, time) {
  for (let i = firstFrom(track, time + 1) - 1; i >= 0 && track.begins[i] >= time - track.longest; --i) {
    if (track.ends[i] >= time) return i;
  }
  return -1;
}

export const extent = (tracks) => tracks.reduce(([from, to], t) => [
  Math.min(from, t.begins.length ? t.begins[0] : from),
  t.ends.reduce((most, end) => Math.max(most, end), to)], [Infinity, 0]);

/**
 * Pieces to paint between two times on `width` pixels: [x, width, slice] each, at most two per pixel, whatever the
 * number of slices.
 */
export function pieces(track, from, to, width, act) {
  const scale = width / (to - from);
  let i = firstFrom(track, from);
  while (i > 0 && track.begins[i - 1] > from - track.longest) --i;
  for (; i < track.begins.length && track.begins[i] < to;) {
    if (track.ends[i] < from) { ++i; continue; }
    const x = Math.max(0, (track.begins[i] - from) * scale);
    const right = Math.min(width, (track.ends[i] - from) * scale);
    if (right - x >= 1) {
      act(x, right - x, i);
      ++i;
      continue;
    }
    // What is below a pixel is one, with the name of the first.
    act(x, 1, i);
    const next = firstFrom(track, from + (Math.floor(x) + 1) / scale);
    i = Math.max(i + 1, next);
  }
}

/** Slices whose names hold the words, by begin: [track, slice] at most `most`, and how many there are. */
export function search(tracks, names, words, most = 2000) {
  const wanted = words.toLowerCase();
  const hit = names.map((name) => name.toLowerCase().includes(wanted));
  const found = [];
  let count = 0;
  for (const track of tracks) {
    for (let i = 0; i < track.names.length; ++i) {
      if (!hit[track.names[i]]) continue;
      ++count;
      if (found.length < most) found.push([track, i]);
    }
  }
  found.sort((a, b) => a[0].begins[a[1]] - b[0].begins[b[1]]);
  return { found, count, hit };
}
